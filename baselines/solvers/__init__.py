"""Equilibria: matrix games, backups, and retrograde analysis."""
