"""Bounds that count rounding, and independent verification of solutions."""
