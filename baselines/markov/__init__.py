"""Markov chains and Markov decision processes: policies and best responses where play can recur."""
