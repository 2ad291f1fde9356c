"""Accuracy of the library's values of policies: random pairs, each measured a second time by other means."""
