"""Canvases, colours and shapes: how a game is drawn."""
