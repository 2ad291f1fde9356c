"""The ``nashzoo`` command."""
