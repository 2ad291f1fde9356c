"""Learners with tables of all states: minimax-Q, Nash value iteration, and related algorithms."""
