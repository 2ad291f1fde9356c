"""Grid soccer."""
