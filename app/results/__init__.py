"""nashzoo results: every learner against the exact solution."""
