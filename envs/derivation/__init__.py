"""Pieces of rules that follow from what a rules file declares: codes, observations, and all from plain Python."""
