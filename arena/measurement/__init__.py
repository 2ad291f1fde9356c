"""Policies measured while they are learned: one protocol, exact figures, and what several learners reached."""

from nashzoo.arena.measurement.runs import run as run
