"""Errors, files and threads: independent of any game."""
