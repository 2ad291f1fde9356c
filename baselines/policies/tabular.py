"""Policies as tables, for exact measures.

A stationary policy is a probability distribution over actions at each state. Here it is an object with
``action_probabilities(observations, action_masks) -> [B, actions]``, or what :mod:`nashzoo.baselines.policies.adapters`
makes one of. A player who remembers more than the state has no such
table, and no exact value on the game's states.
"""

import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from nashzoo.baselines.policies.adapters import Policy as Policy
from nashzoo.baselines.policies.adapters import as_policy as as_policy
from nashzoo.baselines.states.space import Numbered, StateSpace
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core import agent, kernels
from nashzoo.envs.core.agent import SUM_TOLERANCE as SUM_TOLERANCE
from nashzoo.envs.core.agent import FiniteMemoryAgent, NoPolicyError, PolicyAgent
from nashzoo.envs.core.checks import name_of
from nashzoo.envs.core.game import BOTH, Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.reachable import by_chance
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.jit.numba import float64, int8, int64

SAMPLE = 100  # states at which a policy is asked again
FEW_ROWS = 10  # the same of one that is slow
SAME = 1e-4  # difference of probabilities that rounding may make with other observations beside it, in single precision
SAME_DOUBLE = 1e-12  # the same in double precision


@compiled(int64(float64[:, ::1], int8[:, ::1]))
def _normalise(table: Floats, masks: Mask) -> int:
    """Scales rows of probabilities to the sum 1, up to the first that is no distribution over the legal actions.

    Returns the index of that row, or -1.
    """
    rows, num_actions = table.shape
    for k in range(rows):
        total = 0.0
        for a in range(num_actions):
            probability = table[k, a]
            if not 0.0 <= probability <= 1.0 + SUM_TOLERANCE or (probability > 0.0 and masks[k, a] == 0):
                return k
            total += probability
        if not abs(total - 1.0) <= SUM_TOLERANCE:
            return k
        for a in range(num_actions):
            table[k, a] /= total
    return -1


class Rows(Protocol):
    """Probabilities by number: an array ``[n, actions]``, or an object that computes its rows."""

    def __getitem__(self, ids: Ints, /) -> Floats:
        """Returns the rows of some states ``[L, actions]``."""


class Module(Protocol):
    """A ``torch.nn.Module`` that takes observations ``[B, features]`` and returns logits ``[B, actions]``."""

    def parameters(self, recurse: bool = True) -> Any:
        """Returns the weights."""


class Model(Protocol):
    """A model of Stable-Baselines3."""

    policy: Any


def tabulate(game: Game, policy: Policy | Module | Model, codes: Ints, player: int, again: bool = True) -> Floats:
    """Returns the probabilities of a policy at every state ``[n, actions]``, in the seat of ``player``.

    At chance states the policy is not called, and the table has action 0. ``again`` is that of :func:`asked`.

    Raises:
        NoPolicyError: ``policy`` is no policy, for example because it remembers more than the state, or has other
            probabilities when it is asked again.
        UsageError: its probabilities are not a distribution over the legal actions, or it is a network made for another
            game.
    """
    policy = as_policy(policy, game)
    chance = by_chance(game, codes)
    if not chance.any():
        return asked(policy, observed(game, codes, player), again)
    table = np.eye(game.num_actions)[np.zeros(len(codes), np.int64)]
    if not chance.all():
        table[~chance] = asked(policy, observed(game, codes[~chance], player), again)
    return table


class Observed(NamedTuple):
    """States as the policy of a player observes them."""

    game: Game
    codes: Ints  # the states [n]
    player: int
    observations: Features  # its observations [n, features]
    masks: Mask  # its legal actions [n, actions]
    memory: Ints | None = None  # the player's memory states [n], if it has any

    def at(self, rows: Ints) -> "Observed":
        """Returns some of the states ``[L]``."""
        columns = (self.codes[rows], self.player, self.observations[rows], self.masks[rows])
        return Observed(self.game, *columns, None if self.memory is None else self.memory[rows])


def observed(game: Game, codes: Ints, player: int) -> Observed:
    """Returns states ``[n]`` as a player observes them."""
    observations = np.empty((len(codes), game.num_features), np.float32)
    masks = np.empty((len(codes), game.num_actions), np.int8)
    players = np.full(len(codes), player)
    kernels.observe_all(game.compiled, codes, players, observations)
    kernels.legal_all(game.compiled, codes, players, masks)
    return Observed(game, codes, player, observations, masks)


def answers(policy: Policy | FiniteMemoryAgent, at: Observed) -> Floats:
    """Returns what a policy says are its probabilities at states ``[n, actions]``, unchecked; a new array.

    Of no states it is not asked: the player of a seat that never chooses has nothing to answer.

    Raises:
        UsageError: it has another shape.
    """
    check_time()
    if len(at.codes) == 0:
        return np.empty(at.masks.shape)
    if isinstance(policy, TabularPolicy):
        return policy.probabilities_at(at.codes, at.player)
    if at.memory is None:
        probabilities = cast(Policy, policy).action_probabilities(at.observations, at.masks)
    else:
        probabilities = cast(FiniteMemoryAgent, policy).memory_probabilities(at.memory, at.observations, at.masks)
    table = np.array(probabilities, np.float64, order="C")
    if table.shape != at.masks.shape:
        raise UsageError(f"action_probabilities must have shape {at.masks.shape}, not {table.shape}")
    return table


def check_again(policy: Any, at: Observed, table: Floats) -> None:
    """Checks that a policy says the same ``table`` ``[n, actions]`` when it is asked again, at a sample of the states.

    It is asked beside other states than before, and in another order, as it may also depend on these.
    PyTorch's networks, and answers that are numbers of single precision, may differ by rounding: its attribute
    ``noticed_rounding`` becomes the largest difference so far.

    Raises:
        NoPolicyError: it says something else.
    """
    if isinstance(policy, TabularPolicy) or not len(table):
        return
    rows = np.random.default_rng(0).choice(len(table), min(len(table), _sample(policy)), replace=False)
    parts = min(2, len(rows)) if len(rows) == len(table) else 1
    again = np.concatenate([answers(policy, at.at(part)) for part in np.array_split(rows, parts)])
    single = bool(_networks(policy)) or np.array_equal(again, again.astype(np.float32))
    before, masks = table[rows], at.masks[rows]
    _normalise(before, masks)
    _normalise(again, masks)
    distances = np.abs(before - again).max(axis=1)
    differs = ~(distances <= (SAME if single else SAME_DOUBLE))
    if differs.any():
        hint = "; probabilities of single precision are returned as float32" * bool((distances <= SAME).all())
        raise changed(policy, at, int(rows[differs.argmax()]), hint=hint)
    if (most := float(distances.max())) > SAME_DOUBLE:
        with suppress(AttributeError):  # some objects have no room for it
            policy.noticed_rounding = max(getattr(policy, "noticed_rounding", 0.0), most)


def _sample(policy: Any) -> int:
    """Returns at how many states a policy is asked again."""
    return FEW_ROWS if getattr(policy, "slow", False) else SAMPLE


def changed(policy: Any, at: Observed, row: int, what: str = "probabilities", hint: str = "") -> NoPolicyError:
    """Returns the error that a policy gives something else when it is asked again at a state."""
    if any(getattr(network, "training", False) for network in _networks(policy)):
        hint = "; its network is in training mode: call eval()"
    return NoPolicyError(
        f"at {at.game.spell(int(at.codes[row]))} {name_of(policy)} gives player {at.player} other {what} when it is "
        f"asked again: exact measures need a policy that depends on the state alone{hint}"
    )


def _networks(policy: Any) -> list[Any]:
    """Returns the networks of a policy, or of a learner in it: those that are measured in evaluation mode, or all."""
    if (torch := sys.modules.get("torch")) is None:
        return []
    from nashzoo.baselines.policies.networks import NetworkPolicy

    parts = [policy]
    for _ in range(2):
        parts += [attribute for part in parts for attribute in getattr(part, "__dict__", {}).values()]
    evaluated = [part for part in parts if isinstance(part, NetworkPolicy)]
    return evaluated or [part for part in parts if isinstance(part, torch.nn.Module)]


def asked(policy: Policy | FiniteMemoryAgent, at: Observed, again: bool = True) -> Floats:
    """Returns the probabilities of a policy, or of a player with memory, at states ``[n, actions]``.

    ``again`` is whether it is asked again, at a sample of them.

    Raises:
        NoPolicyError, UsageError: as from :func:`tabulate`.
    """
    table = answers(policy, at)
    row = _normalise(table, at.masks)
    if row >= 0:
        raise no_distribution(at, row, table[row])
    if again:
        check_again(policy, at, table)
    return table


def no_distribution(at: Observed, row: int, probabilities: Floats) -> UsageError:
    """Returns the error that probabilities ``[actions]`` are no distribution over the legal actions of a state."""
    return agent.no_distribution(at.game, int(at.codes[row]), at.player, probabilities)


class LazyPolicyTable:
    """The probabilities of a policy by number, computed when needed."""

    def __init__(self, states: StateSpace, policy: Any, player: int) -> None:
        self.states = states
        self.policy = policy
        self.player = player
        self._again = _sample(policy)  # states at which it is yet to be asked again, the first that are looked up

    def __getitem__(self, ids: Ints) -> Floats:
        again, self._again = self._again > 0, self._again - len(ids)
        return self.rows(ids, again)

    def rows(self, ids: Ints, again: bool) -> Floats:
        """Returns the rows of some states ``[L, actions]``; ``again`` is that of :func:`asked`."""
        return tabulate(self.states.game, self.policy, self.states.codes_at(ids), self.player, again)


@dataclass(frozen=True, eq=False)
class PurePolicyTable:
    """The probabilities by number of a deterministic policy."""

    states: StateSpace
    choices: NDArray[np.int8]  # its actions [n]; the first legal one where there is -1
    player: int

    def __getitem__(self, ids: Ints) -> Floats:
        actions, game = self.choices[ids], self.states.game
        anything = actions < 0
        if anything.any():
            masks = observed(game, self.states.codes_at(ids[anything]), self.player).masks
            actions[anything] = masks.argmax(axis=1)
        rows: Floats = np.eye(game.num_actions)[actions]
        return rows


class TabularPolicy(PolicyAgent):
    """A policy given by a table for each seat; playable like every agent.

    In a symmetric game one table is used for both seats, since observations do not distinguish them: of two
    tables the first is used, in the mirrored state for seat 1.

    Args:
        states: The numbered states.
        tables: Probabilities for player 0 and for player 1, by number; None for a seat it cannot take.
        seed: Seed of the random numbers that ``predict`` draws.
    """

    def __init__(self, states: Numbered, tables: tuple[Rows | None, Rows | None], seed: int | None = None) -> None:
        super().__init__(states.game, seed)
        self.numbering = states
        self.tables = tables

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the table's rows ``[B, actions]``.

        Raises:
            KeyError: an observation is of a state that is not reachable.
            ValueError: an observation is from a seat for which there is no table.
        """
        codes, players = self.states_of(observations)
        out = np.empty(action_masks.shape)
        for player in range(2):
            rows = players == player
            if rows.any():
                out[rows] = self.probabilities_at(codes[rows], player)
        return out

    def probabilities_at(self, codes: Ints, player: int) -> Floats:
        """Returns the table's rows ``[B, actions]`` for a player at states ``[B]``; new ones, which may be changed.

        Raises:
            KeyError: a state is not reachable.
            ValueError: there is no table for this player.
        """
        if self.game.symmetric and player != int(self.tables[0] is None):
            codes, player = self.game.swap_players(codes), 1 - player
        table = self.tables[player]
        if table is None:
            raise ValueError(f"this policy is for player {1 - player} alone")
        return table[self.numbering.ids(codes)]


def table_of(states: StateSpace, player: Any, seat: int) -> Floats:
    """Returns a player's probabilities ``[n, actions]``, action 0 in states at which it does not choose."""
    everywhere = np.arange(len(states))
    chooses = np.isin(states.turns(everywhere), (seat, BOTH))
    table: Floats = np.eye(states.game.num_actions)[np.zeros(len(states), np.int64)]
    table[chooses] = tabulate(states.game, player, states.codes_at(everywhere[chooses]), seat)
    return table
