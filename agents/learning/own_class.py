"""A class of two methods as a learner that plays both seats: ``learn(num_timesteps)``, and a policy.

The class is made from a game and a seed. Its ``policy`` is what :func:`nashzoo.baselines.exploitability` measures;
without this attribute it is the object itself. Of the rest a class has what it wants to: further arguments with
defaults, which are its settings; ``total_timesteps`` among them, the decisions that it will learn from, for schedules;
``num_timesteps``, those it has learned from, and ``num_games``; ``save(path)`` and ``load(path, game, seed)``, to
resume; ``NAME``, ``GIVEN`` and ``UNIT``, for tables.

A training function, ``train(game, decisions, seed)``, which returns a policy, is such a class, too: it is called anew,
with all decisions so far, for each policy that is measured.
"""

import dataclasses
import inspect
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.agents.learning.self_play_learner import Arrays, SelfPlayLearner, copy_into
from nashzoo.baselines.measures import tabulated
from nashzoo.baselines.policies.tabular import Policy, TabularPolicy, as_policy
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.core.game import Features, Floats, Game, Mask

TOTAL, USUAL = "total_timesteps", 1_000_000  # decisions that a schedule without a default is for
SIMPLE = (bool, int, float, str, type(None))  # of settings
OWN = "learner.saved"  # what the class saves
SAVED, TABLES = "saved", ("table0", "table1")  # arrays of a file: the bytes of that, or the policy


def training_of(learner: type[SelfPlayLearner]) -> Callable[[Game, int, int], SelfPlayLearner]:
    """Returns the function that makes a learner, lets it learn from some decisions with a seed, and returns it."""

    def train(game: Game, decisions: int, seed: int) -> SelfPlayLearner:
        made = untrained(learner, game, seed, decisions)
        made.learn(decisions)
        return made

    return train


def check_training(train: Callable[..., Any]) -> inspect.Signature:
    """Returns the signature of a training function.

    Raises:
        UsageError: the function cannot be called as ``train(game, decisions, seed)``.
    """
    try:
        signature = inspect.signature(train)
        signature.bind("game", "decisions", "seed")
    except (TypeError, ValueError) as error:  # no such call, or no signature: that of some compiled functions
        raise UsageError(
            f"the training function cannot be called as train(game, decisions, seed): {error}; further parameters, "
            "such as opponents, need a default"
        ) from None
    return signature


def _class_of(train: Callable[..., Any]) -> type[Any]:
    """Returns a class that learns by a training function, anew from all decisions at each call."""
    check_training(train)

    class Trained:
        def __init__(self, game: Game, seed: int) -> None:
            self.game, self.seed, self.num_timesteps = game, seed, 0
            self.policy: Any = RandomAgent(game, seed)

        def learn(self, num_timesteps: int) -> None:
            self.policy = train(self.game, self.num_timesteps + num_timesteps, self.seed)
            self.num_timesteps += num_timesteps

    Trained.__name__ = train.__name__
    return Trained


def untrained(learner: type[SelfPlayLearner], game: Game, seed: int, total: int, /, **settings: Any) -> SelfPlayLearner:
    """Returns a learner that will learn from ``total`` decisions, for its schedule if it has one."""
    schedules = {TOTAL: total} if TOTAL in learner.setting_names() else {}
    return learner(game, seed, **schedules | settings)


@cache
def learner_of(kind: Any) -> type[SelfPlayLearner]:
    """Returns the learner whose objects learn and play by those of a class, or by a training function.

    Raises:
        UsageTypeError: it is neither, or has no ``learn``.
        UsageError: the function cannot be called as ``train(game, decisions, seed)``.
    """
    if isinstance(kind, type) and issubclass(kind, SelfPlayLearner):
        return kind
    if inspect.isroutine(kind):
        kind = _class_of(kind)
    if not isinstance(kind, type) or not callable(getattr(kind, "learn", None)):
        raise UsageTypeError(
            f"{getattr(kind, '__name__', repr(kind))} has no learn(num_timesteps); a learner is made from a game and a "
            "seed, learns in learn, and has a policy"
        )
    known = {"NAME": kind.__name__, "GIVEN": "unknown", "UNIT": "decisions"}
    said = {name: str(getattr(kind, name, default)) for name, default in known.items()}
    return type(kind.__name__, (OwnLearner,), said | {"kind": kind, "Settings": _settings_of(kind)})


def _settings_of(kind: type[Any]) -> type[Any]:
    """Returns the arguments of a class after the game and the seed, as fields of a dataclass."""
    fields: list[Any] = []
    for one in list(inspect.signature(kind).parameters.values())[2:]:
        if one.name == TOTAL or (one.default is not one.empty and isinstance(one.default, SIMPLE)):
            fields.append((one.name, Any, USUAL if one.default is one.empty else one.default))
    return dataclasses.make_dataclass("Settings", fields, frozen=True)


class OwnLearner(SelfPlayLearner):
    """A learner whose ``own`` object, of the class ``kind``, learns and plays.

    Its file has what the class saves, or, of a class that saves nothing, the policy as a table, which only plays.
    """

    HIDDEN = True
    kind: ClassVar[type[Any]]

    @classmethod
    def saves(cls) -> bool:
        """Returns whether the class saves what it has learned."""
        return hasattr(cls.kind, "save") and hasattr(cls.kind, "load")

    def __init__(self, game: Game, seed: int | None = None, *, file: str | Path | None = None, **settings: Any) -> None:
        super().__init__(game, seed, file=file, **settings)
        if self._saved is not None:  # after what else a file can be wrong in, as the class can raise anything
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / OWN
                path.write_bytes(self._saved)
                self.own = self.kind.load(path, game, self._seed)
        elif file is not None and self._table is None:
            raise UsageError(
                f"{file} holds no policy: {self.NAME} has no save(path) and load(path, game, seed), and the game is "
                "too large for a table"
            )

    def begin(self, seed: int) -> None:
        """Makes the object.

        Raises:
            UsageTypeError: it is not made from a game and a seed.
            NoPolicyError: its policy has a memory, or gives no probabilities.
        """
        settings = vars(self.settings)
        try:
            inspect.signature(self.kind).bind(self.game, seed, **settings)
        except TypeError as error:
            raise UsageTypeError(f"{self.NAME} is not made from a game and a seed: {error}") from error
        self._seed = seed
        self._saved: bytes | None = None
        self._table: TabularPolicy | None = None
        self.own = self.kind(self.game, seed, **settings)
        as_policy(self.policy, self.game)
        self._asked: tuple[Any, Policy] | None = None  # a policy, and what as_policy makes of it until it learns on

    @property
    def policy(self) -> Any:
        """What is measured and played."""
        return getattr(self.own, "policy", self.own) if self._table is None else self._table

    def learn(self, timesteps: int) -> None:
        """Learns from about so many more decisions.

        Raises:
            UsageError: it counts no decisions, or is of a file with a table alone.
            Exception: any exception of its code.
        """
        if timesteps < 1:
            return
        if self._table is not None:
            raise UsageError(
                f"{self.NAME} has no save(path) and load(path, game, seed): its file plays, and does not learn on"
            )
        before = getattr(self.own, "num_timesteps", None)
        self.own.learn(timesteps)
        self._asked = None
        learned = timesteps if before is None else int(self.own.num_timesteps - before)
        if learned < 1:
            raise UsageError(
                f"learn({timesteps}) learned from nothing: num_timesteps, which counts the {self.UNIT}, is {before} as "
                "before"
            )
        self.num_timesteps += learned
        self.num_games = int(getattr(self.own, "num_games", self.num_games))

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns those of the policy ``[B, actions]``."""
        policy, asked = self.policy, self._asked
        if asked is None or asked[0] is not policy:
            asked = self._asked = policy, as_policy(policy, self.game)
        probabilities: Floats = asked[1].action_probabilities(observations, action_masks)
        return probabilities

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Returns the bytes that the class saves, or the policy as a table; nothing in games too large for tables."""
        if self.saves():
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / OWN
                self.own.save(path)
                return {SAVED: np.frombuffer(path.read_bytes(), np.uint8)}
        table = tabulated(self.game, self.policy)
        return _arrays_of(table) if isinstance(table, TabularPolicy) else {}

    def restore(self, arrays: Arrays) -> None:
        """Keeps what the class loads then; or plays from the table."""
        if self.saves():
            self._saved = arrays[SAVED].tobytes()
            return
        table = tabulated(self.game, self.policy)
        if isinstance(table, TabularPolicy):
            copy_into(_arrays_of(table), arrays)
            self._table = table


def _arrays_of(table: TabularPolicy) -> dict[str, NDArray[Any]]:
    return {name: rows for name, rows in zip(TABLES, table.tables, strict=True) if isinstance(rows, np.ndarray)}
