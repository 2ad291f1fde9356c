"""Players made of the exact solution."""
