"""Players that search: Monte Carlo tree search, minimax, alpha-beta."""
