"""The scripted players of Roshambo whose memory is finite: the last few throws.

Their exploitability is exact, see :mod:`nashzoo.baselines.policies.with_memory`. The last throws are a state of
memory. States are numbered by the number of throws: 0 for none, then those of one throw, ...
"""

from abc import abstractmethod

import numpy as np

from nashzoo.agents.basic.checks import check_positive
from nashzoo.agents.bots.roshambo.fixed import RoshamboBot
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import FiniteMemoryAgent
from nashzoo.envs.core.checks import check_count
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask

MAX_STATES = 100_000


class LastThrowsAgent(RoshamboBot, FiniteMemoryAgent):
    """Plays by a table of probabilities for each run of last throws.

    Args:
        length: Number of last throws in the memory.
        symbols: Number of different throws: the other's alone, or joint throws.

    Raises:
        UsageError: the game is another one, or there are too many runs of throws.
    """

    def __init__(self, game: Game, seed: int | None, length: int, symbols: int) -> None:
        super().__init__(game, seed)
        self.length, self.symbols = length, symbols
        self.firsts = np.cumsum([0] + [symbols**k for k in range(length)])  # the first state of each length
        self.memory_states = int(self.firsts[-1] + symbols**length)
        if self.memory_states > MAX_STATES:
            raise UsageError(
                f"{type(self).__name__} would tell {self.memory_states:,} runs of throws apart; "
                f"{MAX_STATES:,} is the most: let it look back less far"
            )
        states = np.arange(self.memory_states)
        lengths = np.searchsorted(self.firsts, states, side="right") - 1
        longer = (states - self.firsts[lengths])[:, None] * symbols + np.arange(symbols)
        grown = np.minimum(lengths + 1, length)
        self.following: Ints = self.firsts[grown][:, None] + longer % (symbols**grown)[:, None]
        self.table = self.tabulate(self.throws(states, lengths))

    def throws(self, states: Ints, lengths: Ints) -> Ints:
        """Returns the last throws of each state ``[n, length]``, the latest last; -1 for those before the first."""
        places = np.arange(self.length - 1, -1, -1)
        digits = (states - self.firsts[lengths])[:, None] // self.symbols**places % self.symbols
        return np.where(places < lengths[:, None], digits, -1)

    @abstractmethod
    def tabulate(self, throws: Ints) -> Floats:
        """Returns the probabilities ``[n, actions]`` after the last throws ``[n, length]``, -1 for none."""

    @abstractmethod
    def seen(self, observations: Features) -> Ints:
        """Returns the number of the last throw ``[B]``; arbitrary if there was none."""

    def remember(self, states: Ints, observations: Features) -> Ints:
        """Adds the last throw; the oldest is forgotten."""
        size = self.game.num_actions
        played = observations[:, size : 2 * size].any(axis=1)
        after: Ints = np.where(played, self.following[states, self.seen(observations)], states)
        return after

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        """Returns the table's rows."""
        return self.table[states]


class RecentAgent(LastThrowsAgent):
    """Expects the other's throws with their frequencies after the same last ``order`` throws, within a window.

    Args:
        order: Number of the other's last throws that it uses; with 0 it counts the frequency of each throw.
        window: Number of throws that it counts; older ones are forgotten.

    Raises:
        UsageError: the game is another one, or the memory would be too large.
    """

    def __init__(self, game: Game, seed: int | None = None, *, order: int = 1, window: int = 4) -> None:
        self.order = check_count("order", order, 0)
        self.window = check_count("window", window)
        super().__init__(game, seed, order + window, game.num_actions)

    def seen(self, observations: Features) -> Ints:
        """Returns the other's last throw ``[B]``."""
        size = self.game.num_actions
        other: Ints = observations[:, size : 2 * size].argmax(axis=1)
        return other

    def tabulate(self, throws: Ints) -> Floats:
        """Returns the answers ``[n, actions]`` to the throws that followed, or uniform probabilities if none did."""
        length, order = throws.shape[1], self.order
        mix = np.zeros((len(throws), self.symbols))
        for place in range(order, length):
            known = throws[:, place - order] >= 0
            same = (throws[:, place - order : place] == throws[:, length - order :]).all(axis=1) & known
            mix[same, throws[same, place]] += 1
        answers = (mix @ self.payoffs.T).argmax(axis=1)
        pure: Floats = np.eye(self.symbols)[answers]
        return np.where(mix.any(axis=1, keepdims=True), pure, 1 / self.symbols)


class HabitsAgent(LastThrowsAgent):
    """Has a habit for every run of last throws of both players: probabilities that were drawn once.

    Args:
        order: Number of last throws of both players that the habits depend on.
        habits: Seed of the habits; every number is another player.
        evenness: The parameter of the Dirichlet distribution of the probabilities: near 0 every habit is one throw, at
            1 the distribution is uniform, above it the probabilities are more equal.

    Raises:
        UsageError: the game is another one, the memory would be too large, or a number is out of its range.
    """

    def __init__(
        self, game: Game, seed: int | None = None, *, order: int = 1, habits: int = 0, evenness: float = 0.5
    ) -> None:
        self.habits = check_count("habits", habits, 0)
        self.evenness = check_positive("evenness", evenness)
        super().__init__(game, seed, check_count("order", order), game.num_actions**2)

    def seen(self, observations: Features) -> Ints:
        """Returns the last joint throw ``[B]``."""
        size = self.game.num_actions
        own, other = observations[:, :size].argmax(axis=1), observations[:, size : 2 * size].argmax(axis=1)
        joint: Ints = size * own + other
        return joint

    def tabulate(self, throws: Ints) -> Floats:
        """Returns probabilities drawn for each state ``[n, actions]``."""
        rng = np.random.default_rng(self.habits)
        return rng.dirichlet(np.full(self.game.num_actions, self.evenness), len(throws))
