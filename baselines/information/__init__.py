"""Games with hidden information: information states, sequences, exact measures and solutions."""
