"""Footsies."""
