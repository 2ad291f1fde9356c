"""Bounds of best responses in games that are too large to list: from below and from above, at any time."""
