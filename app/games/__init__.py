"""What training and the table of results set for single games; other games have defaults."""
