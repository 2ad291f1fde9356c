"""Games in words: what a player reads before a choice, how its answer is read, and games in disguise."""
