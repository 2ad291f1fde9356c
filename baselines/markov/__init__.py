"""Markov chains and Markov decision processes: policies and best responses in games with recurring states."""
