"""What a person runs: the ``nashzoo`` command."""
