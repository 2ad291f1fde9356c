"""Deep minimax: value iteration with a network for the values, and an exact matrix game at every state.

In each iteration states are drawn, and backed up: with a value network ``v``, the discount factor ``gamma``, and
the reward ``r`` and the next state ``s'`` of the joint action ``(a, b)`` at state ``s``::

    target(s) = value of the matrix game  r(s, a, b) + gamma * v(s'(s, a, b))

which needs a simulator of every joint action. If chance decides at ``s'``, ``v(s')`` is the expectation over its
outcomes of the reward plus the value of the next state: the network has values only of states at which a player moves.
Then the network is fitted to the targets, by squared error. The policy is the equilibrium of the same matrix game;
where one player moves alone, a best action.

One part of the states is drawn uniformly from the pool of all states met so far; the pool begins with the first states
at which a player moves, and such states that follow on drawn ones are added. The other part comes from games that the
policy plays with exploration. The ``v`` of targets and policy has an average of the latest weights; the learning rate
falls to 0 by the end.

Where a player can wait, a value that is too high is its own backup: the player waits, and keeps it. A discount factor
below 1 removes such values, but changes the others; so in games with recurring states it rises to ``gamma`` while the
learning rate falls. The policy of these games looks ahead with a discount factor below 1: of an earlier and a later
win, which are worth the same, it takes the earlier one.

The network observes a state from the seat of the player to move. In a symmetric game a state and its mirror image are
the same.

Sources: Shapley (1953), "Stochastic games", for the backup; Littman (1994), "Markov games as a framework for
multi-agent reinforcement learning"; Lagoudakis and Parr (2002), "Value function approximation in zero-sum Markov
games"; Munos and Szepesvari (2008), "Finite-time bounds for fitted value iteration"; Bertsekas, "Dynamic Programming
and Optimal Control", volume 2, for looking ahead with approximate values.
"""

import dataclasses
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.deep.backups import BackedUp, LookAhead, back_up
from nashzoo.agents.learning.deep.states import RunningGames, StatePool, observed
from nashzoo.agents.learning.deep.successors import as_played, first_decisions, represented
from nashzoo.agents.learning.self_play_learner import Arrays, SelfPlayLearner, copy_into
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs.core.checks import check_count
from nashzoo.envs.core.game import BOTH, Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.reachable import TooManyStatesError, turns_of

DEFAULTS: dict[str, Any] = {
    "gamma": 1.0, "rise": 0.0, "playing_gamma": 1.0, "hidden": 128, "passes": 4, "play": 0.5
}  # fmt: skip
# In turn-based games with recurring states earlier wins need higher values, the errors of smaller networks are more
# uniform, and all states matter equally: errors accumulate over the maxima of many backups.
RECURRENT: dict[str, Any] = {**DEFAULTS, "gamma": 0.97, "hidden": 64, "passes": 1, "play": 0.0}
# In other games with recurring states: more iterations, so that discounting can remove wrong values.
WAITING: dict[str, Any] = {**DEFAULTS, "rise": 0.3, "playing_gamma": 0.995, "passes": 1}
REMEMBERED = 40_000_000  # states whose values are cached between decisions
AT_ONCE = 4096  # states at which decisions are computed at once: their successors fit into the processor's cache


@dataclasses.dataclass(frozen=True)
class DeepMinimaxSettings:
    """Settings of deep minimax.

    A setting that is None depends on the game: see ``RECURRENT`` for turn-based games with recurring states,
    ``WAITING`` for other games with recurring states, and ``DEFAULTS`` for games without.

    Attributes:
        total_timesteps: Fitted states over which the learning rate falls to 0; then learning stops.
        gamma: Discount factor at the end of training.
        rise: Share of it that is missing at the start, and later as much of this as the square of the learning rate's.
        playing_gamma: Largest discount factor with which the policy looks ahead.
        hidden: Units of each hidden layer.
        layers: Number of hidden layers.
        learning_rate: Learning rate at the start.
        batch_size: States of one gradient step.
        polyak: Factor of the average of the latest weights in every step.
        passes: Number of passes over the targets.
        states: States drawn in an iteration, at first.
        growth: States drawn in later iterations, as a share of all fitted states so far.
        play: Share of the states that come from games.
        exploration: In these, the least probability that a player's action is uniformly random.
        pool_size: Largest number of states in the pool.
        depth: Joint actions that the policy looks ahead; it can be set at any time.
    """

    total_timesteps: int = 10_000_000
    gamma: float | None = None
    rise: float | None = None
    playing_gamma: float | None = None
    hidden: int | None = None
    layers: int = 3
    learning_rate: float = 0.003
    batch_size: int = 512
    polyak: float = 0.98
    passes: int | None = None
    states: int = 4096
    growth: float = 0.0
    play: float | None = None
    exploration: float = 0.1
    pool_size: int = 4_000_000
    depth: int = 1


def falling(learning_rate: float, total: int) -> Callable[[int], float]:
    """Returns the learning rate as a function of the number of fitted examples: it falls to 0, linearly."""
    return lambda fitted: learning_rate * max(1.0 - fitted / total, 0.0)


class DeepMinimax(SelfPlayLearner):
    """Learns the values of states with a network, from a simulator, see the module.

    Attributes:
        num_timesteps: Fitted states: those that the network was fitted to, counted once for each time.
        num_games: 0; the games that it plays are not counted.
        loss: The mean squared error of the latest iteration, in points squared.
        waits: Whether states can recur, and both players choose.

    Raises:
        UsageError: a setting is out of its range.
    """

    NAME = "deep_minimax"
    GIVEN = "a simulator"
    UNIT = "fitted states"
    TIMESTEPS = 10_000_000
    Settings: ClassVar[type[Any]] = DeepMinimaxSettings
    COUNTS = "total_timesteps", "hidden", "layers", "batch_size", "passes", "states", "pool_size", "depth"
    PROBABILITIES = "gamma", "rise", "playing_gamma", "polyak", "growth", "play", "exploration"
    POSITIVE = ("learning_rate",)

    def begin(self, seed: int) -> None:
        """Sets the untrained state."""
        from nashzoo.agents.learning.deep.networks import Network, Trainer

        recurring = RECURRENT if self.game.turn_based else WAITING
        of_game = recurring if _recurs(self.game) else DEFAULTS
        self.waits = of_game is WAITING
        unset = {name: value for name, value in of_game.items() if getattr(self.settings, name) is None}
        self.settings = chosen = dataclasses.replace(self.settings, **unset)
        self.gamma: float = chosen.gamma
        self.loss = np.nan
        self._seed, self._iterations = seed, 0
        rng = np.random.default_rng(seed)
        hidden = [chosen.hidden] * chosen.layers
        self._network, self._mean = (Network(self.game, hidden, 1, rng) for _ in range(2))
        self._trainer = Trainer(self._network, self._mean, chosen.polyak)
        self._pool = StatePool(chosen.pool_size)
        self._pool.add(first_decisions(self.game))
        self._games = RunningGames(self.game)
        self._depth: int = chosen.depth

    @property
    def depth(self) -> int:
        """Joint actions that the policy looks ahead.

        Raises:
            UsageError: it is set to a value that is not a whole number of at least 1.
        """
        return self._depth

    @depth.setter
    def depth(self, depth: int) -> None:
        self._depth = check_count("depth", depth)
        self.__dict__.pop("_look_ahead", None)

    @cached_property
    def _look_ahead(self) -> LookAhead:
        gamma = min(self.gamma, self.settings.playing_gamma)
        return LookAhead(self.game, self.state_values, gamma, self._depth, REMEMBERED)

    def state_values(self, codes: Ints) -> Floats:
        """Returns the network's values of states, at which a player moves, to player 0 ``[B]``, in points."""
        representatives, signs = represented(self.game, codes)
        seats, observations = self._seen(representatives)
        values = self._mean.evaluated(observations)[:, 0].astype(np.float64)
        return signs * np.where(seats == 1, -values, values)

    def equilibria(self, codes: Ints) -> BackedUp:
        """Returns the policy's strategies and values at states ``[B]``, at which a player moves."""
        return self._look_ahead(codes)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the equilibrium of the matrix game at each state ``[B, actions]``."""
        codes, players = self.states_of(observations)
        probabilities = np.empty((len(codes), self.game.num_actions))
        for first in range(0, len(codes), AT_ONCE):
            rows = slice(first, first + AT_ONCE)
            probabilities[rows] = np.where((players[rows] == 0)[:, None], *self.equilibria(codes[rows]).strategies)
        return probabilities

    def draw(
        self, count: int, rng: np.random.Generator, equilibria: Callable[[Ints], BackedUp]
    ) -> tuple[Ints, BackedUp]:
        """Returns states from the pool and from games, and their equilibria; plays a step of the games.

        The states are representatives ``[count]``: a matrix game can have several equilibria, and the solver may find
        another one for the mirror image.
        """
        playing = round(self.settings.play * count)
        first = count - playing
        self._games.extend(playing, rng)
        representatives, signs = represented(self.game, self._games.codes[:playing])
        codes = np.concatenate([self._pool.draw(first, rng), representatives])
        backed_up = equilibria(codes)
        self._pool.add(backed_up.after.codes)
        strategies = backed_up.strategies[0][first:], backed_up.strategies[1][first:]
        self._games.play(as_played(strategies, signs), self.settings.exploration, rng)
        return codes, backed_up

    def learn(self, timesteps: int) -> None:
        """Learns from at least ``timesteps`` more fitted states, to the end of an iteration."""
        super().learn(timesteps)
        self.forget()

    def iterate(self) -> None:
        """Draws states, and fits the network to their backed up values."""
        import torch

        chosen: DeepMinimaxSettings = self.settings
        self._iterations += 1
        rng = np.random.default_rng([self._seed, self._iterations])
        count = max(chosen.states, int(chosen.growth * self.num_timesteps))
        left = falling(1.0, chosen.total_timesteps)(self.num_timesteps)  # of the learning rate
        gamma = self.gamma * (1.0 - self.settings.rise * left**2)
        codes, backed_up = self.draw(count, rng, lambda codes: back_up(self.game, codes, self.state_values, gamma))
        seats, observations = self._seen(codes)
        values = np.where(seats == 1, -backed_up.values, backed_up.values)
        targets = torch.from_numpy(values.astype(np.float32))

        def loss(rows: Ints) -> torch.Tensor:
            error: torch.Tensor = self._network(observations[rows])[:, 0] - targets[rows]
            return error.square().mean()

        rate = falling(chosen.learning_rate, chosen.total_timesteps)
        passes: int = self.settings.passes
        for _ in range(passes):
            self.num_timesteps, self.loss = self._trainer.fit(
                loss, count, chosen.batch_size, rate, self.num_timesteps, rng
            )

    def _seen(self, codes: Ints) -> tuple[Ints, Features]:
        """Returns the seats from which states ``[B]`` are observed, and the observations ``[B, features]``.

        The seat is that of the player to move, and player 0's where both move.
        """
        seats = turns_of(self.game, codes)
        seats[seats == BOTH] = 0
        return seats, observed(self.game, codes, seats)

    def copy_from(self, other: "DeepMinimax") -> None:
        """Copies the progress of another learner, which has the same settings except for the timesteps.

        Raises:
            ValueError: the networks have other shapes.
        """
        self.num_timesteps = other.num_timesteps
        self.restore(other.arrays())
        self.forget()

    def forget(self) -> None:
        """Empties the cache of values, which makes the next decision slower."""
        self._look_ahead.forget()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Returns the networks, the states to learn from, and the progress."""
        return {
            **self._network.arrays("network"),
            **self._mean.arrays("mean"),
            **self._trainer.arrays(),
            "pool": self._pool.codes,
            "games": self._games.codes,
            "iterations": np.array([self._iterations, self._seed]),
        }

    def restore(self, arrays: Arrays) -> None:
        """Sets the state that :meth:`arrays` returned."""
        copy_into(self._network.arrays("network") | self._mean.arrays("mean"), arrays)
        self._trainer.restore(arrays)
        self._pool.add(arrays["pool"])
        self._games.codes = arrays["games"].copy()
        self._iterations, self._seed = map(int, arrays["iterations"])


def _recurs(game: Game) -> bool:
    """Returns whether states can recur; assumed for games too large to be listed, unless their rules number states.

    Rules that number states do so in layers in which states cannot recur.
    """
    if game.indexed_rules is not None:
        return False
    try:
        return any(layer.cyclic for layer in ListedStates(game).layers)
    except TooManyStatesError:
        return True
