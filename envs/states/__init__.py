"""The states that play can reach, and where games start."""
