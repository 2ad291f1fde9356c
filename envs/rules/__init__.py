"""What a rules file is: its pieces, and how it becomes a game."""
