"""Functions of rules that are derived from declarations of a rules file: codes, observations, and plain rules."""
