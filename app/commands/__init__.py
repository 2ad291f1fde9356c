"""The small commands."""
