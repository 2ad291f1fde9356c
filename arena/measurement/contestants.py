"""The learners that are measured, by name: those of this package, classes and functions of others, and scripts."""

from typing import Any

from nashzoo.agents.learning.own_class import learner_of
from nashzoo.agents.registry import self_play_learner
from nashzoo.arena.measurement.checkpoints import Contestant
from nashzoo.arena.measurement.classes import ClassContestant
from nashzoo.arena.measurement.scripts import ScriptContestant
from nashzoo.envs.base.modules import is_path


def contestant(place: str | type[Any], settings: dict[str, Any] | None = None) -> Contestant:
    """Returns the learner with a name, ``module:Class``, ``./file.py:train`` or ``./script.py``; or of a class itself.

    Raises:
        UsageError: there is no such learner, class or file; or the class lacks what the contract demands.
    """
    if not isinstance(place, str):
        kind: Any = place
        return ClassContestant(kind.__name__, learner_of(kind), settings)
    return ScriptContestant(place) if is_path(place) else ClassContestant(place, self_play_learner(place), settings)
