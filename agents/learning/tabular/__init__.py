"""Learners that keep numbers for every state: minimax-Q, Nash value iteration, and their relatives."""
