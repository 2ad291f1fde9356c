"""Studies of solved games: what prints the tables and draws the pictures of a page in the documentation."""
