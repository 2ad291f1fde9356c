"""Games in words: what a player reads before a choice, the answers that it gives, and disguises of a game."""
