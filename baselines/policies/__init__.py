"""Policies: tabular ones, neural networks, and players with a finite memory."""
