"""Commands of a single file."""
