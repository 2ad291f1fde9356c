"""Compilation of functions at their first call, cached on disk."""
