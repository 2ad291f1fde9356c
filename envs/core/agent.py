"""What a player is: anything with Stable-Baselines3's ``predict``, so that models and bots stand in for each other.

Two kinds share the interface. A :class:`PolicyAgent` chooses by the state alone and can say with what
probabilities, which is what exact measurement needs. Any other :class:`Agent` may remember; its memory is an
array with a row per game, zeros at the start of a game, handed in and out like that of a recurrent policy (SB3 calls
it state).

All rows are independent games, and nothing is random but the numbers handed in: ``act`` is a function.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.core import kernels
from nashzoo.envs.core.checks import check_seed
from nashzoo.envs.core.game import Bools, Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.one_hot import compact

DRAWS = 2  # random numbers that a player is given for each decision


class Opponent(ABC):
    """Who plays the other side. All rows are games; nothing is random but ``uniforms``.

    Attributes:
        memory_size: How many numbers it remembers of a game. None.
        thread_safe: Whether several threads may ask it at a time, about different games. Not.
        most_games: How many games it can play at once; None for any number.
        forfeits: A line for each match that it lost by what it did wrong, where it keeps account of that.
        asks_person: Whether it waits for a person to answer. Not.
        takes_back: Whether it can be asked about an earlier state of a game again, with what it remembered then.
    """

    memory_size: int = 0
    thread_safe: bool = False
    most_games: int | None = None
    forfeits: Sequence[str] = ()
    asks_person: bool = False
    takes_back: bool = True

    @property
    def compiled(self) -> Any:
        """Its decision in one match as a compiled function; None where there is none.

        It is packed by :mod:`nashzoo.envs.core.compiled_opponent`, and must decide as :meth:`act` does.
        """
        return None

    @abstractmethod
    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Chooses an action for each game.

        Args:
            observations: ``[B, features]``, seen from this player's seat.
            memory: ``[B, memory_size]``, zeros at the start of a game. It is given away: the player may change it in
                place and return it, which saves much where it is large.
            masks: Legal actions ``[B, actions]``.
            uniforms: Numbers in [0, 1) to decide by, ``[B, DRAWS]``.

        Returns:
            Actions ``[B]``, and the memory for the next decision ``[B, memory_size]``.
        """


class Agent(Opponent):
    """A player of one game.

    Args:
        game: The game it plays.
        seed: Seed of the random numbers that ``predict`` draws; None for the operating system's.

    Raises:
        UsageError: the seed is not a whole number of at least 0.
    """

    name = ""  # by which it was asked for, if by name

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
            state: The memory that the previous call returned (SB3 calls it state); None at the first.
            episode_start: Where a new game has begun since ``[B]``; the memory is cleared there.
            deterministic: Play the likeliest action instead of drawing one; agents that are not a distribution
                over actions ignore it.
            action_masks: Legal actions ``[actions]`` or ``[B, actions]``; read from the observation when None.

        Returns:
            The action, or the actions ``[B]``, and the memory for the next call (None for those without).

        Raises:
            ValueError: an array has the wrong shape.
        """
        if isinstance(observation, dict):
            action_masks = observation["action_mask"] if action_masks is None else action_masks
            observation = observation["observation"]
        given = np.asarray(observation, np.float32)
        observations = np.ascontiguousarray(np.atleast_2d(given))
        if observations.ndim != 2:
            raise UsageError(
                f"an observation of {self.game.name} has shape ({self.game.num_features},) "
                f"or (num_games, {self.game.num_features}), not {given.shape}"
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
        return actions[0] if given.ndim == 1 else actions, memory if self.memory_size else None

    def likeliest(self, observations: Features, memory: Floats, masks: Mask) -> tuple[Ints, Floats]:
        """Chooses without a draw where the agent can."""
        return self.act(observations, memory, masks, self.rng.random((len(observations), DRAWS)))

    def states_of(self, observations: Features) -> tuple[Ints, Ints]:
        """Returns the codes ``[B]`` and the players ``[B]`` of observations ``[B, features]``, or of one-hot ones."""
        return states_of(self.game, observations)

    def legal(self, observations: Features) -> Mask:
        """Returns the legal actions ``[B, actions]`` at observations ``[B, features]``, or at one-hot ones."""
        return legal_actions(self.game, observations)

    def _checked_masks(self, action_masks: Any, num_games: int) -> Mask:
        masks = np.atleast_2d(np.asarray(action_masks, np.int8))
        if masks.shape != (num_games, self.game.num_actions):
            raise ValueError(f"action_masks must have shape ({num_games}, {self.game.num_actions}), not {masks.shape}")
        return np.ascontiguousarray(masks)


class NoPolicyError(UsageTypeError):
    """A player does not choose by the state alone, and so has no probabilities that hold for a state."""


class PolicyAgent(Agent):
    """A player who chooses by the state alone (a Markov policy), so that what it is worth can be computed exactly."""

    @abstractmethod
    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]`` at observations ``[B, features]``.

        ``action_masks`` ``[B, actions]`` are the legal actions; illegal ones have probability 0.
        """

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Draws from the probabilities with the first of the uniform numbers."""
        return sample(self.action_probabilities(observations, masks), uniforms[:, 0]), memory

    def likeliest(self, observations: Features, memory: Floats, masks: Mask) -> tuple[Ints, Floats]:
        """Chooses the likeliest action."""
        probabilities: Floats = self.action_probabilities(observations, masks)
        return probabilities.argmax(axis=1), memory


class FiniteMemoryAgent(Agent):
    """A player who also remembers, but only which of finitely many states its memory is in.

    So what can be won from it is known exactly, by solving for the game's state and the memory's together. Its memory
    is the number of the latter, 0 at the start of a game.
    """

    memory_size = 1
    memory_states: int

    @abstractmethod
    def remember(self, states: Ints, observations: Features) -> Ints:
        """Returns the states ``[B]`` that memory goes over to when it sees ``observations`` ``[B, features]``."""

    @abstractmethod
    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]`` in states of memory that go with what is seen."""

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Remembers what it sees, and draws from the probabilities with the first of the uniform numbers."""
        states = self.remember(memory[:, 0].astype(np.int64), observations)
        actions = sample(self.memory_probabilities(states, observations, masks), uniforms[:, 0])
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
    """Returns an action ``[B]`` for each row of probabilities ``[B, actions]``, by numbers in [0, 1) ``[B]``."""
    cumulative = probabilities.cumsum(axis=1)
    # The last sum may miss 1 by a rounding error; scaled by it, no number falls beyond the last likely action.
    chosen: Ints = (cumulative <= (uniforms * cumulative[:, -1])[:, None]).sum(axis=1)
    return chosen


def uniform_over(masks: Mask | Bools) -> Floats:
    """Returns equal probabilities over the legal actions ``[B, actions]``."""
    probabilities: Floats = masks / masks.sum(axis=1, keepdims=True)
    return probabilities
