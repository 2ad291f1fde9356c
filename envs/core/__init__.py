"""Games, their compiled rules, their states, and players."""
