"""The learners of the benchmark by name: those of this package, classes of others, and scripts."""

from typing import Any

from nashzoo.agents.learning.own_class import learner_of
from nashzoo.agents.registry import self_play_learner, self_play_learners
from nashzoo.arena.measurement.checkpoints import Contestant
from nashzoo.arena.measurement.classes import ClassContestant
from nashzoo.arena.measurement.scripts import ScriptContestant
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.modules import CLASS, SUFFIX, class_at
from nashzoo.envs.base.words import suggestion


def contestant(place: str | type[Any]) -> Contestant:
    """Returns the learner with a name, ``module:Class``, ``./file.py:Class`` or ``./script.py``; or of a class itself.

    Raises:
        UsageError: there is no such learner, class or file; or the class lacks what the contract demands.
    """
    if not isinstance(place, str) or CLASS.fullmatch(place):
        kind: Any = class_at(place) if isinstance(place, str) else place
        return ClassContestant(place if isinstance(place, str) else kind.__name__, learner_of(kind))
    known = self_play_learners()
    if place in known:
        return ClassContestant(place, self_play_learner(place))
    if place.endswith(SUFFIX):
        return ScriptContestant(place)
    raise UsageError(
        f"there is no learner {place!r}{suggestion(place, known)}; name a class, my_module:MyLearner or "
        f"./file.py:MyLearner, a script, ./train.py, or one of {', '.join(known)}"
    )
