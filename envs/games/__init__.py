"""The rules of the five games, each in a package of its own."""
