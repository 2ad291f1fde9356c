"""Self-play with exact best responses: fictitious play and the double oracle."""
