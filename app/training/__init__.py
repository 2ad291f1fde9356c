"""``nashzoo train``: runs, checkpoints, reports."""
