"""Many matches at once, with the opponent inside."""
