"""Learners with networks that PyTorch trains on values of matrix games: for games too large for tables."""
