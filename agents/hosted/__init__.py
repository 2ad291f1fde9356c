"""Third-party programs as players, each in a separate process."""
