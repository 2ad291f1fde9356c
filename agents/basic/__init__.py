"""Players of any game: random, at the keyboard, mixed, or anything with predict."""
