"""The states of a game, numbered."""
