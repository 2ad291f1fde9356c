"""MENACE, the learning matchboxes."""
