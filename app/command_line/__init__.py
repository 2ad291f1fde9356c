"""Command-line parsing, progress and error output."""
