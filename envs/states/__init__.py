"""The states that play can reach, and start states."""
