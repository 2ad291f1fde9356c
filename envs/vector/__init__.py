"""Batches of games with a built-in opponent."""
