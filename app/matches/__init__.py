"""Matches in the terminal and in pictures: played, watched, played back."""
