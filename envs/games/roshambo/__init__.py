"""Roshambo."""
