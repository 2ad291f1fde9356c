"""How functions are compiled: when they are first called, and kept on disk."""
