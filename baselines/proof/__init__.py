"""Bounds that count rounding, and the check of solutions that trusts no solver."""
