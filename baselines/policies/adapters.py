"""Policies as people have them: functions, networks, tables, pairs for the two seats, policies of OpenSpiel.

All measures take these, and turn them into objects with ``action_probabilities``, by the first fitting row of
``KINDS``. What is none of these is refused by what it is.
"""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeGuard, runtime_checkable

import numpy as np

from nashzoo.baselines.policies.keyed import KeyedPolicy
from nashzoo.baselines.policies.openspiel_policies import openspiel_rows
from nashzoo.baselines.policies.outputs import (
    LOGITS,
    OUTPUTS,
    Answer,
    answer_of,
    checked_softmax,
    kind_of,
    masked,
    some_decisions,
)
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import in_one_line
from nashzoo.envs.core.agent import SUM_TOLERANCE, Agent, NoPolicyError, PolicyAgent
from nashzoo.envs.core.checks import check_one_of, check_plays, name_of
from nashzoo.envs.core.environment_encoding import encodings
from nashzoo.envs.core.game import Features, Floats, Game, Mask
from nashzoo.envs.core.one_hot import translated

OPENSPIEL = "open_spiel", "pyspiel"  # packages of OpenSpiel
SAME = 1e-4  # difference that rounding may make between an observation alone and one in a batch, in single precision
LACKS = "has no action_probabilities(observations, action_masks)"
TAKEN = (
    "a policy is an object with these, a function of observations, a torch module, a table by what a player sees, a "
    "policy of OpenSpiel, or a pair of these for the two seats"
)


@runtime_checkable
class Policy(Protocol):
    """A policy that depends on the state alone, and returns its probabilities."""

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Any:
        """Returns the probability of each action ``[B, actions]`` at observations ``[B, features]``."""


class FunctionPolicy(PolicyAgent):
    """A function of observations, and of masks if it takes two arguments or one that is named so, as a policy.

    It gets arrays ``[B, features]`` and ``[B, actions]``, or if it does not take these one observation after the other;
    and one-hot observations if it takes no others. Its answers are read by :mod:`nashzoo.baselines.policies.outputs`.
    Without masks what it says of illegal actions is left out.

    Args:
        function: The function.
        outputs: What it returns, ``"logits"`` or ``"probabilities"``; found out at a sample of states when None.

    Raises:
        UsageError: it takes neither; it returns something else, or what may be either; or another answer for an
            observation alone than in a batch.
    """

    def __init__(
        self, function: Callable[..., Any], game: Game, seed: int | None = None, *, outputs: str | None = None
    ) -> None:
        super().__init__(game, seed)
        self.function, self._takes_masks = function, _takes_masks(function)
        self.whose = getattr(function, "__name__", type(function).__name__)
        seen, masks = some_decisions(game)
        rows = np.arange(max(len(seen), 1 + game.num_features + game.num_actions)) % len(seen)
        for self._encoding in encodings(game):
            (batch, fault), (alone, other) = (
                self._tried(how, seen[rows[:count]], masks[rows[:count]])
                for how, count in ((self._in_batch, len(rows)), (self._one_by_one, 1))
            )
            if batch is not None or alone is not None:
                break
        else:
            shapes = " or ".join(str(shape) for shape in ((game.num_features,), (len(rows), game.num_features)))
            raise UsageError(
                f"{self.whose} takes no observations of {game.name}, arrays of shape {shapes}: "
                f"{in_one_line(fault or other)}"
            ) from (fault or other)
        if batch and alone and not np.allclose(batch[0][:1], alone[0], atol=SAME, rtol=SAME, equal_nan=True):
            raise UsageError(
                f"{self.whose} returns {np.round(alone[0][0], 6).tolist()} for an observation alone, and "
                f"{np.round(batch[0][0], 6).tolist()} for it in a batch: let it take one of these alone"
            )
        self._ask = self._one_by_one if batch is None else self._in_batch
        self._said = outputs is not None  # then sums that are not 1 are meant
        outputs = kind_of(batch or self._ask(seen, masks), self.whose) if outputs is None else outputs
        self.outputs = check_one_of("outputs", outputs, OUTPUTS)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]``.

        Raises:
            UsageError: the function returns something else than at the states at which it was tried.
        """
        answer = self._ask(observations, action_masks)
        if (answer.kind or self.outputs) == LOGITS:
            return checked_softmax(answer.numbers, action_masks, self.whose)
        sums = answer.numbers.sum(axis=1)
        off = (action_masks.sum(axis=1) > 1) & (np.abs(sums - 1.0) > SUM_TOLERANCE)
        if not self._said and off.any():
            raise UsageError(f"{self.whose} returned probabilities that add up to {sums[off][0]:.6g}, not 1")
        return answer.numbers if self._takes_masks else masked(answer.numbers, action_masks)

    def _tried(self, ask: Callable[..., Answer], seen: Features, masks: Mask) -> tuple[Answer | None, Exception | None]:
        try:
            return ask(seen, masks), None
        except Exception as error:  # of somebody's function, which may not be made for such arrays
            return None, error

    def _in_batch(self, observations: Features, masks: Mask) -> Answer:
        seen = translated(self.game, observations, self._encoding)
        return answer_of(self.function(seen, *[masks] * self._takes_masks), masks.shape, self.whose)

    def _one_by_one(self, observations: Features, masks: Mask) -> Answer:
        seen = translated(self.game, observations, self._encoding)
        said = [self.function(one, *[mask] * self._takes_masks) for one, mask in zip(seen, masks, strict=True)]
        parts = [answer_of(one, masks.shape[1:], self.whose) for one in said]
        return Answer(np.array([part.numbers for part in parts]), parts[0].kind)


def _takes_masks(function: Callable[..., Any]) -> bool:
    """Returns whether a function takes legal actions after observations."""
    try:
        parameters = list(inspect.signature(function).parameters.values())[1:]
    except (TypeError, ValueError):  # some compiled functions have no signature
        return False
    return any(
        one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
        and (one.default is one.empty or "mask" in one.name)
        for one in parameters[:1]
    )


class PairPolicy(PolicyAgent):
    """A policy for each seat.

    Args:
        policies: Two policies, of any kind.
        game: The game, not a symmetric one: there both seats observe the same.

    Raises:
        UsageError: the game is symmetric.
    """

    def __init__(self, policies: Any, game: Game, seed: int | None = None) -> None:
        super().__init__(game, seed)
        if game.symmetric:
            raise UsageError(
                f"both seats of {game.name} observe the same, so a pair is no one player; measures take its policies "
                "as two arguments, as in exploitability(game, policy0, policy1)"
            )
        self.policies = [as_policy(policy, game) for policy in policies]

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]``, by the policy of each observation's seat."""
        _, players = self.states_of(observations)
        table = np.empty(action_masks.shape)
        for player, policy in enumerate(self.policies):
            if (rows := players == player).any():
                table[rows] = policy.action_probabilities(observations[rows], action_masks[rows])
        return table


class Kind(NamedTuple):
    """One kind of policy."""

    includes: Callable[[Any], bool]
    make: Callable[..., Policy]  # called with the thing, the game and options
    options: tuple[str, ...] = ()


def _is_network(thing: Any) -> bool:
    torch = sys.modules.get("torch")  # a caller with a network, or a model that has one, has loaded it
    parts = thing, getattr(thing, "policy", None)
    return torch is not None and any(isinstance(part, torch.nn.Module) for part in parts)


def is_table(thing: Any) -> bool:
    """Returns whether a dictionary is a table of probabilities by what a player sees; else it has players as keys."""
    return isinstance(thing, Mapping) and not all(isinstance(value, int | float) for value in thing.values())


def is_pair(thing: Any) -> TypeGuard[Sequence[Any]]:
    """Returns whether an object is a policy for each seat."""
    return isinstance(thing, tuple | list) and len(thing) == 2


def _network(thing: Any, game: Game, **options: Any) -> Policy:
    from nashzoo.baselines.policies.networks import NetworkPolicy

    policy: Policy = NetworkPolicy(thing, game, **options)
    return policy


def _of_openspiel(thing: Any, game: Game) -> Policy:
    if not hasattr(thing, "action_probabilities"):
        raise NoPolicyError(f"{name_of(thing)} is an object of OpenSpiel, but no policy of it")
    return KeyedPolicy(openspiel_rows(thing, game), game, key="text")


KINDS = (
    Kind(lambda thing: any(kind.__module__.split(".")[0] in OPENSPIEL for kind in type(thing).__mro__), _of_openspiel),
    Kind(lambda thing: isinstance(thing, Policy), lambda thing, game: thing),
    Kind(_is_network, _network, ("outputs",)),
    Kind(is_table, KeyedPolicy, ("key", "missing")),
    Kind(is_pair, PairPolicy),
    Kind(
        lambda thing: callable(thing) and not isinstance(thing, type) and not hasattr(thing, "predict"),
        FunctionPolicy,
        ("outputs",),
    ),
)


def kind_or_none(thing: Any) -> Kind | None:
    """Returns the kind of a policy; None of what is none."""
    if isinstance(thing, Agent) and not isinstance(thing, Policy):
        return None
    return next((kind for kind in KINDS if kind.includes(thing)), None)


def check_keyed(thing: Any, game: Game) -> None:
    """Checks that an object is no table without keys.

    Raises:
        NoPolicyError: it is an array, a list or a probability.
    """
    if isinstance(thing, list | tuple | float) or hasattr(thing, "__array__"):
        player = game.movers(game.first_decision)[0]
        key = game.spell(game.information_state(game.first_decision, player), [player])
        raise NoPolicyError(
            f"a {type(thing).__name__} does not say what the player sees: a table is a dictionary of rows of "
            f"{game.num_actions} probabilities by keys such as {key!r}, or by observations as tuples"
        )


def as_policy(thing: Any, game: Game) -> Policy:
    """Returns an object as a policy.

    Raises:
        NoPolicyError: it is no policy, for example because it remembers more than the state.
        UsageError: it plays another game.
    """
    check_plays(game, thing)
    kind = kind_or_none(thing)
    if kind is not None:
        return kind.make(thing, game)
    check_keyed(thing, game)
    needs = "exact measures need a policy that depends on the state alone"
    games = "measure one that remembers by playing games with it, as nashzoo tournament does"
    if isinstance(thing, str):
        raise NoPolicyError(f"a policy is an object, not a name; agents.make({thing!r}, game) makes one")
    if isinstance(thing, type):
        raise NoPolicyError(f"a policy is an object; {thing.__name__} is a class, which makes one")
    if hasattr(thing, "strategies"):
        raise NoPolicyError('a solution is no policy; agents.make("nash", game, solution=solution) plays it')
    if isinstance(thing, Agent):
        why = "chooses by more than the state" if thing.name else LACKS
        raise NoPolicyError(f"{name_of(thing)} {why}: {needs}; {games}")
    if hasattr(thing, "predict"):
        raise NoPolicyError(f"{name_of(thing)} {LACKS}, but predict(), which says no probabilities: {needs}; {games}")
    raise NoPolicyError(f"{name_of(thing)} {LACKS}: {needs}; {TAKEN}")
