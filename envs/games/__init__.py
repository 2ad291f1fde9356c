"""The rules of the five games."""
