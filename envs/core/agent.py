"""Players: objects with Stable-Baselines3's ``predict``, so that models and bots can be exchanged.

Two kinds share the interface. The policy of a :class:`PolicyAgent` depends on the state alone, and it returns its
probabilities, which exact measures need. Any other :class:`Agent` may have memory: an array with a row per game,
zeros at the start of a game, passed in and out like that of a recurrent policy (SB3 calls it state).

All rows are independent games. Random numbers are arguments: ``act`` is a pure function.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.core import kernels
from nashzoo.envs.core.checks import check_seed, name_of
from nashzoo.envs.core.game import Bools, Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.one_hot import compact
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.jit.numba import float64, int64

DRAWS = 2  # random numbers per decision of a player
NO_ACTION = -1  # illegal in every game, so that it loses
SUM_TOLERANCE = 1e-5  # of probabilities; float32 networks normalise to about 1e-7 per action


class Opponent(ABC):
    """The player of the other seat. All rows are games; ``uniforms`` are the only random numbers.

    Attributes:
        memory_size: Number of numbers in its memory of a game. Default: 0.
        thread_safe: Whether several threads may call it at the same time, for different games. Default: False.
        most_games: The number of games that it can play at once; None for any number.
        forfeits: A line for each match that it lost by an error of its own, if it records these.
        asks_person: Whether it waits for the input of a person. Default: False.
        takes_back: Whether it can be called again for an earlier state of a game, with its memory of that time.
    """

    memory_size: int = 0
    thread_safe: bool = False
    most_games: int | None = None
    forfeits: Sequence[str] = ()
    asks_person: bool = False
    takes_back: bool = True

    @property
    def compiled(self) -> Any:
        """Its decision in one match as a compiled function, or None.

        It is packed by :mod:`nashzoo.envs.core.compiled_opponent`, and must choose the actions of :meth:`act`.
        """
        return None

    @abstractmethod
    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Chooses an action for each game.

        Args:
            observations: ``[B, features]``, from this player's seat.
            memory: ``[B, memory_size]``, zeros at the start of a game. The player may change it in place and return it,
                which saves time if it is large.
            masks: Legal actions ``[B, actions]``.
            uniforms: Random numbers in [0, 1), ``[B, DRAWS]``.

        Returns:
            Actions ``[B]``, and the memory for the next decision ``[B, memory_size]``.
        """

    def close(self) -> None:  # noqa: B027 - most players have nothing to end
        """Ends the processes that it has begun, if any."""

    def explain(self, observation: Features, action: int) -> str:
        """Returns a sentence on its choice of an action at an observation ``[features]``, empty if it has none."""
        return ""


class Agent(Opponent):
    """A player of one game.

    Args:
        game: The game it plays.
        seed: Seed of the random numbers that ``predict`` draws; None for the operating system's.

    Raises:
        UsageError: the seed is not a whole number of at least 0.
    """

    name = ""  # the name with which it was made, if any

    def __init__(self, game: Game, seed: int | None = None) -> None:
        self.game = game
        self.rng = np.random.default_rng(check_seed(seed))

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
        action_masks: Any = None,
    ) -> tuple[Any, Any]:
        """Chooses actions, as Stable-Baselines3's models do.

        Args:
            observation: One observation ``[features]`` or a batch ``[B, features]``; or PettingZoo's dictionary
                of ``observation`` and ``action_mask``. One-hot observations are recognised by their width.
            state: The memory that the previous call returned (SB3 calls it state); None at the first call.
            episode_start: Whether a new game has begun since the previous call ``[B]``; its memory is set to zeros.
            deterministic: Whether to play the most likely action instead of drawing one; agents without a
                distribution over actions ignore it.
            action_masks: Legal actions ``[actions]`` or ``[B, actions]``; computed from the observation when None.

        Returns:
            The action, or the actions ``[B]``, and the memory for the next call (None for agents without memory).

        Raises:
            ValueError: an array has the wrong shape.
        """
        if isinstance(observation, dict):
            action_masks = observation["action_mask"] if action_masks is None else action_masks
            observation = observation["observation"]
        array = np.asarray(observation, np.float32)
        observations = np.ascontiguousarray(np.atleast_2d(array))
        if observations.ndim != 2:
            raise UsageError(
                f"an observation of {self.game.name} has shape ({self.game.num_features},) "
                f"or (num_games, {self.game.num_features}), not {array.shape}"
            )
        observations = compact(self.game, observations)
        num_games = len(observations)
        masks = self.legal(observations) if action_masks is None else self._checked_masks(action_masks, num_games)
        memory = np.zeros((num_games, self.memory_size)) if state is None else np.array(state, np.float64)
        if memory.shape != (num_games, self.memory_size):
            raise ValueError(
                f"the memory (SB3 calls it state) must have shape ({num_games}, {self.memory_size}), not {memory.shape}"
            )
        if episode_start is not None:
            memory[np.broadcast_to(np.asarray(episode_start, np.bool_), num_games)] = 0.0
        if deterministic:
            actions, memory = self.likeliest(observations, memory, masks)
        else:
            actions, memory = self.act(observations, memory, masks, self.rng.random((num_games, DRAWS)))
        return actions[0] if array.ndim == 1 else actions, memory if self.memory_size else None

    def likeliest(self, observations: Features, memory: Floats, masks: Mask) -> tuple[Ints, Floats]:
        """Chooses an action without a draw, if the agent can."""
        return self.act(observations, memory, masks, self.rng.random((len(observations), DRAWS)))

    def states_of(self, observations: Features) -> tuple[Ints, Ints]:
        """Returns the codes ``[B]`` and the players ``[B]`` of observations ``[B, features]``, or of one-hot ones."""
        return states_of(self.game, observations)

    def legal(self, observations: Features) -> Mask:
        """Returns the legal actions ``[B, actions]`` at observations ``[B, features]``, or at one-hot ones."""
        return legal_actions(self.game, observations)

    def _sampled(self, probabilities: Floats, observations: Features, uniforms: Floats) -> Ints:
        """Returns an action ``[B]`` by its probabilities ``[B, actions]`` at observations ``[B, features]``."""
        shape = len(observations), self.game.num_actions
        if np.shape(probabilities) != shape:
            raise UsageError(
                f"the probabilities of {name_of(self)} must have shape {shape}, not {np.shape(probabilities)}"
            )
        try:
            return sample(probabilities, uniforms)
        except NoDistributionError as error:
            codes, players = self.states_of(observations[error.row : error.row + 1])
            raise no_distribution(self.game, int(codes[0]), int(players[0]), probabilities[error.row]) from None

    def _checked_masks(self, action_masks: Any, num_games: int) -> Mask:
        masks = np.atleast_2d(np.asarray(action_masks, np.int8))
        if masks.shape != (num_games, self.game.num_actions):
            raise ValueError(f"action_masks must have shape ({num_games}, {self.game.num_actions}), not {masks.shape}")
        return np.ascontiguousarray(masks)


class NoDistributionError(UsageError):
    """Probabilities are negative or not finite, or do not add up to 1.

    Attributes:
        row: The first row of which this is true.
    """

    def __init__(self, row: int, probabilities: Floats) -> None:
        super().__init__(f"row {row} of probabilities is no distribution: {probabilities.round(6).tolist()}")
        self.row = row


class NoPolicyError(UsageTypeError):
    """A player's choice does not depend on the state alone, so it has no probabilities of actions at a state."""


class PolicyAgent(Agent):
    """A player whose policy depends on the state alone (a Markov policy), so that its value can be computed exactly.

    Attributes:
        slow: Whether a decision takes so long that exact measures ask again at a few states only. Default: False.
    """

    slow: bool = False

    @abstractmethod
    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]`` at observations ``[B, features]``.

        ``action_masks`` ``[B, actions]`` are the legal actions; illegal ones have probability 0.
        """

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Draws from the probabilities with the first of the uniform numbers.

        Raises:
            UsageError: they are no distribution.
        """
        return self._sampled(self.action_probabilities(observations, masks), observations, uniforms[:, 0]), memory

    def likeliest(self, observations: Features, memory: Floats, masks: Mask) -> tuple[Ints, Floats]:
        """Chooses the most likely action.

        Raises:
            UsageError: the probabilities are no distribution.
        """
        probabilities: Floats = self.action_probabilities(observations, masks)
        self._sampled(probabilities, observations, np.zeros(len(probabilities)))
        return probabilities.argmax(axis=1), memory


class FiniteMemoryAgent(Agent):
    """A player with memory of finitely many states.

    So its exploitability can be computed exactly, on pairs of a game state and a memory state. Its memory is the
    number of the memory state, 0 at the start of a game.
    """

    memory_size = 1
    memory_states: int

    @abstractmethod
    def remember(self, states: Ints, observations: Features) -> Ints:
        """Returns the next memory states ``[B]`` after ``observations`` ``[B, features]``."""

    @abstractmethod
    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]`` at memory states that include the observations."""

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Updates its memory, and draws from the probabilities with the first of the uniform numbers.

        Raises:
            UsageError: they are no distribution.
        """
        states = self.remember(memory[:, 0].astype(np.int64), observations)
        actions = self._sampled(self.memory_probabilities(states, observations, masks), observations, uniforms[:, 0])
        return actions, states[:, None].astype(np.float64)


def states_of(game: Game, observations: Features) -> tuple[Ints, Ints]:
    """Returns the codes ``[B]`` and the players ``[B]`` of observations ``[B, features]``, or of one-hot ones.

    Raises:
        UsageError: they are neither.
    """
    codes, players = np.empty(len(observations), np.int64), np.empty(len(observations), np.int64)
    seen = np.ascontiguousarray(compact(game, observations), np.float32)
    kernels.decode_observations(game.compiled, seen, codes, players)
    return codes, players


def legal_actions(game: Game, observations: Features) -> Mask:
    """Returns the legal actions ``[B, actions]`` at observations ``[B, features]``, or at one-hot ones."""
    masks = np.ones((len(observations), game.num_actions), np.int8)
    if game.masked:
        kernels.legal_all(game.compiled, *states_of(game, observations), masks)
    return masks


def sample(probabilities: Floats, uniforms: Floats) -> Ints:
    """Returns an action ``[B]`` by probabilities ``[B, actions]`` and numbers in [0, 1) ``[B]``.

    Raises:
        NoDistributionError: the probabilities of a row are no distribution.
    """
    table, actions = np.ascontiguousarray(probabilities, np.float64), np.empty(len(probabilities), np.int64)
    row = _draw(table, np.ascontiguousarray(uniforms), actions)
    if row >= 0:
        raise NoDistributionError(row, table[row])
    return actions


@compiled(int64(float64[:, ::1], float64[::1], int64[::1]))
def _draw(probabilities: Floats, uniforms: Floats, actions: Ints) -> int:
    """Fills an action for each row of probabilities; returns the first row that is no distribution, or -1."""
    rows, num_actions = probabilities.shape
    for k in range(rows):
        total = 0.0
        for a in range(num_actions):
            if not probabilities[k, a] >= 0.0:
                return k
            total += probabilities[k, a]
        if not abs(total - 1.0) <= SUM_TOLERANCE:
            return k
        # The sum may differ from 1 by a rounding error; scaled by it, no number is beyond the last action.
        drawn, below = uniforms[k] * total, 0.0
        actions[k] = 0
        for a in range(num_actions):
            below += probabilities[k, a]
            actions[k] += below <= drawn
    return -1


def no_distribution(game: Game, code: int, player: int, probabilities: Floats) -> UsageError:
    """Returns the error that probabilities ``[actions]`` are no distribution over the legal actions of a state."""
    return UsageError(
        f"at {game.spell(code)} player {player} has the probabilities {np.round(probabilities, 6).tolist()}: they must "
        "be a distribution over the legal actions"
    )


def uniform_over(masks: Mask | Bools) -> Floats:
    """Returns equal probabilities over the legal actions ``[B, actions]``."""
    probabilities: Floats = masks / masks.sum(axis=1, keepdims=True)
    return probabilities
