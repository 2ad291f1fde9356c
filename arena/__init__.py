"""Matches, tournaments, populations."""
