"""Matches and tournaments."""
