"""Errors, files and threads: what knows no game."""
