"""Bodega Brawl."""
