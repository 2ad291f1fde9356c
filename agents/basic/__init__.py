"""Players of any game: random, at the keyboard, mixed, optimal, or anything with predict."""
