"""What a game is, how its rules are compiled, and what a player is."""
