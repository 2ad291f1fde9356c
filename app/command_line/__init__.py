"""What people type, and how errors are told."""
