"""The states that a learner draws: from a pool of all states met so far, and from games that it plays."""

from typing import Any

import numpy as np

from nashzoo.envs.core import kernels
from nashzoo.envs.core.code_index import Numbering
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.kernels import ChanceError, Seeds, count_actions, pass_chance
from nashzoo.envs.jit.compiled import Features, Floats, Ints, compiled
from nashzoo.envs.jit.numba import float64, int64, uint64, void
from nashzoo.envs.rules.compiled_game import GAME

OFTEN = 4  # draws are with replacement if the pool is more than this times larger than the draw


class StatePool:
    """Distinct states met so far, at which a player moves.

    Args:
        most: Its capacity; later states are left out.
    """

    def __init__(self, most: int) -> None:
        self._numbering = Numbering()
        self._most = most

    def __len__(self) -> int:
        return len(self._numbering)

    @property
    def codes(self) -> Ints:
        """Their codes ``[n]``, in the order in which they were met."""
        return self._numbering.codes

    def add(self, codes: Ints) -> None:
        """Adds states ``[B]``; the last call may exceed the capacity."""
        if len(self) < self._most:
            self._numbering.number(codes)

    def draw(self, count: int, rng: np.random.Generator) -> Ints:
        """Returns the codes ``[count]`` of states, drawn uniformly; equally often if the pool is small."""
        length = len(self)
        if length > OFTEN * count:
            places = rng.integers(0, length, count)
        else:
            whole, rest = divmod(count, length)
            places = np.concatenate([np.tile(np.arange(length), whole), rng.permutation(length)[:rest]])
        codes: Ints = self.codes[places]
        return codes


@compiled(int64(float64[:, ::1], int64, int64, float64, float64))
def _choose(strategies: Floats, row: int, legal: int, exploration: float, uniform: float) -> int:
    """Returns an action drawn by a strategy, or a random legal one with the probability ``exploration``."""
    count = count_actions(legal)
    last = 0
    for action in range(strategies.shape[1]):
        if legal >> action & 1:
            likely = (1.0 - exploration) * strategies[row, action] + exploration / count
            if likely > 0.0:
                last = action
                if uniform < likely:
                    return action
                uniform -= likely
    return last


@compiled(void(GAME, int64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], int64[::1]))
def _play(
    game: Any,
    codes: Ints,
    strategies0: Floats,
    strategies1: Floats,
    exploration: Floats,
    uniforms: Floats,
    starts: Ints,
) -> None:
    """Plays a joint action at each state ``[B]``; finished games begin again at ``starts``."""
    step, legal, terminal, params = game.step, game.legal, game.terminal, game.params
    for i in range(len(codes)):
        code = codes[i]
        action0 = _choose(strategies0, i, legal(params, code, 0), exploration[i, 0], uniforms[i, 0])
        action1 = _choose(strategies1, i, legal(params, code, 1), exploration[i, 1], uniforms[i, 1])
        code = step(params, code, action0, action1)
        codes[i] = starts[i] if terminal(params, code) or uniforms[i, 2] < exploration[i, 2] else code


@compiled(void(GAME, int64[::1], int64[::1], uint64[::1]))
def _pass_chance(game: Any, codes: Ints, starts: Ints, seeds: Seeds) -> None:
    """Draws chance events at each state ``[B]`` until a player moves; finished games begin again at ``starts``."""
    turn, chance, payoff, terminal, params = game.turn, game.chance, game.payoff, game.terminal, game.params
    for i in range(len(codes)):
        code, _ = pass_chance(turn, chance, payoff, terminal, params, codes[i], seeds, i)
        codes[i] = starts[i] if terminal(params, code) else code


class RunningGames:
    """Games that continue while a learner learns; each begins again when it is over.

    In a third of them both players explore with the least probability. In the others one of the players explores more,
    with probabilities up to 1: a best-responding opponent does not act like the policy.

    Attributes:
        codes: The states ``[B]``, at which a player moves.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.codes: Ints = np.empty(0, np.int64)

    def extend(self, count: int, rng: np.random.Generator) -> None:
        """Begins more games, up to ``count``."""
        self.codes = np.concatenate([self.codes, self._starts(max(count - len(self.codes), 0), rng)])

    def play(self, strategies: tuple[Floats, Floats], exploration: float, rng: np.random.Generator) -> None:
        """Plays a joint action in each of the first games ``[B]``.

        Args:
            strategies: The players' strategies at the states ``[B, actions]``.
            exploration: The least probability of a uniformly random action in place of the strategy's.
            rng: Generator of actions, starts and chance.

        Raises:
            UsageError: the outcomes of chance at a state are no distribution, or chance goes on without end.
        """
        count = len(strategies[0])
        explores = np.full((count, 3), exploration)
        rising = np.linspace(exploration, 1.0, count)
        for player in range(2):
            explores[player::3, player] = rising[player::3]
        explores[:, 2] = 1.0 / self.game.max_cycles  # games that would never end
        uniforms, starts = rng.random((count, 3)), self._starts(count, rng)
        _play(self.game.compiled, self.codes[:count], *strategies, explores, uniforms, starts)
        self._decide(self.codes[:count], starts, rng)

    def _starts(self, count: int, rng: np.random.Generator) -> Ints:
        thresholds = np.cumsum(self.game.start_probabilities)[:-1]
        codes: Ints = self.game.start_codes[np.searchsorted(thresholds, rng.random(count), side="right")]
        self._decide(codes, codes, rng)
        return codes

    def _decide(self, codes: Ints, starts: Ints, rng: np.random.Generator) -> None:
        """Replaces states ``[B]`` by those at which a player moves next, or by starts ``[B]`` if the game is over."""
        if not self.game.has_chance:
            return
        seeds = rng.integers(0, 1 << 64, len(codes), np.uint64)
        try:
            _pass_chance(self.game.compiled, codes, starts, seeds)
        except ChanceError as error:
            raise self.game.chance_error(error) from None


def observed(game: Game, codes: Ints, players: Ints) -> Features:
    """Returns the observations ``[B, features]`` of states ``[B]`` for players ``[B]``."""
    observations = np.empty((len(codes), game.num_features), np.float32)
    kernels.observe_all(game.compiled, np.ascontiguousarray(codes), players, observations)
    return observations
