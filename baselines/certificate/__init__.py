"""Bounds that include rounding, and independent verification of solutions."""
