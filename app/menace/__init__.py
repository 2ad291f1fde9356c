"""The commands of ``nashzoo menace``."""
