"""Tries to break the library at its edges, and counts what it tried and what failed."""
