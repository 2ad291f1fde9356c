"""Other people's programs as players, in processes of their own."""
