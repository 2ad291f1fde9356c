"""Games, their compiled rules, and players."""
