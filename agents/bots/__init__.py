"""The scripted players."""
