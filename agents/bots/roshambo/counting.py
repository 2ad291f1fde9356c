"""The scripted players of Roshambo that count the other player's throws.

Their memory is ``memory`` ``[B, memory_size]``, zeros at the start of a match and changed in place. At each decision
they learn from the other's last throw, which is in the observation. They expect a mixture of throws and play a best
response to it, the first one if there are several. Without an expectation they play a uniformly random throw.
"""

import math

import numpy as np

from nashzoo.agents.basic.checks import check_positive, check_probability
from nashzoo.agents.bots.roshambo.fixed import CompiledBot
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_count
from nashzoo.envs.core.game import Game
from nashzoo.envs.jit.compiled import Features, Floats, Ints, compiled
from nashzoo.envs.jit.numba import float32, float64, int64, void

MAX_COUNTS = 20_000  # numbers in the memory of a game

OBSERVATIONS, MEMORY, UNIFORMS, ACTIONS = float32[:, ::1], float64[:, ::1], float64[:, ::1], int64[::1]
MATRIX = float64[:, ::1]


@compiled()
def last_throw(observations: Features, i: int, first: int, size: int) -> int:
    """Returns the throw encoded one-hot in game ``i`` from ``first`` on, -1 for none."""
    for throw in range(size):
        if observations[i, first + throw] > 0.5:
            return throw
    return -1


@compiled()
def draw_throw(weights: Floats, size: int, uniform: float) -> int:
    """Returns a throw drawn by weights ``[size]`` and a number in [0, 1); uniformly if all weights are 0."""
    total = 0.0
    for throw in range(size):
        total += weights[throw]
    if total == 0.0:
        return int(uniform * size)
    passed = 0.0
    for throw in range(size - 1):
        passed += weights[throw]
        if uniform * total < passed:
            return throw
    return size - 1


@compiled()
def answer_to(mix: Floats, payoffs: Floats, size: int, uniform: float) -> int:
    """Returns the best response to weights of the other's throws ``[size]``; a random throw if all weights are 0."""
    total = 0.0
    for throw in range(size):
        total += mix[throw]
    if total == 0.0:
        return int(uniform * size)
    best, most = 0, -np.inf
    for own in range(size):
        gain = 0.0
        for throw in range(size):
            gain += payoffs[own, throw] * mix[throw]
        if gain > most:
            best, most = own, gain
    return best


@compiled(void(OBSERVATIONS, MEMORY, UNIFORMS, MATRIX, int64[::1], float64, ACTIONS))
def _roll(
    observations: Features,
    memory: Floats,
    uniforms: Floats,
    payoffs: Floats,
    answers: Ints,
    decay: float,
    actions: Ints,
) -> None:
    size = len(payoffs)
    before, result, counts = 3 * size, 3 * size + 1, np.zeros(size)
    for i in range(len(actions)):
        own, other = last_throw(observations, i, 0, size), last_throw(observations, i, size, size)
        if other < 0:
            actions[i] = int(uniforms[i, 0] * size)
            continue
        if memory[i, before] > 0.0:
            for k in range(3 * size):
                memory[i, k] *= decay
            rolled = (int(memory[i, before]) - 1 - other) % size
            memory[i, int(memory[i, result]) * size + rolled] += 1.0
        gain = payoffs[other, own]
        row = 0 if gain > 0.0 else 2 if gain < 0.0 else 1
        memory[i, before], memory[i, result] = other + 1, row
        for rolled in range(size):
            counts[rolled] = memory[i, row * size + rolled]
        actions[i] = answers[(other - draw_throw(counts, size, uniforms[i, 0])) % size]


class RollAgent(CompiledBot):
    """Expects the other's change of throw to depend on the result: won, drawn or lost.

    It counts the *rolls* from one of the other's throws to the next, separately for the three results of the earlier
    one: roll 0 is the same throw again, 1 is Scissors after Rock, Paper after Scissors and Rock after Paper, and so on.
    All counts decay with every throw. It draws a roll by the counts, and answers the throw.

    Memory: the counts of roll ``r`` after result ``k`` (won, drew, lost) at ``throws * k + r``, then 1 + the other's
    previous throw, and its result.

    Args:
        decay: Factor of the counts at each throw.

    Raises:
        UsageError: the game is another one, or ``decay`` is not within 0..1.
    """

    def __init__(self, game: Game, seed: int | None = None, *, decay: float = 0.9) -> None:
        super().__init__(game, seed)
        self.decay = check_probability("decay", decay)
        self.memory_size = 3 * game.num_actions + 2
        self.decision = _roll, (self.payoffs, self.answers, self.decay)


@compiled(void(OBSERVATIONS, MEMORY, UNIFORMS, MATRIX, int64, float64, ACTIONS))
def _count(
    observations: Features, memory: Floats, uniforms: Floats, payoffs: Floats, order: int, decay: float, actions: Ints
) -> None:  # fmt: skip
    size = len(payoffs)
    contexts = size**order
    context_at, seen_at = contexts * size, contexts * size + 1
    mix = np.zeros(size)
    for i in range(len(actions)):
        other = last_throw(observations, i, size, size)
        if other >= 0:
            context = int(memory[i, context_at])
            if memory[i, seen_at] >= order:
                for throw in range(size):
                    memory[i, context * size + throw] *= decay
                memory[i, context * size + other] += 1.0
            memory[i, context_at] = (context * size + other) % contexts
            memory[i, seen_at] += 1.0
        context = int(memory[i, context_at])
        for throw in range(size):
            mix[throw] = memory[i, context * size + throw] if memory[i, seen_at] >= order else 0.0
        actions[i] = answer_to(mix, payoffs, size, uniforms[i, 0])


class MarkovAgent(CompiledBot):
    """Expects the other's throws with their frequencies after the same last ``order`` throws of the other.

    Memory: the number of times that throw ``j`` followed the throws with number ``c`` at ``throws * c + j``, then the
    number of the other's last throws, and the number of throws so far.

    Args:
        order: Number of the other's last throws that it uses.
        decay: Factor of the counts of a context each time it occurs.

    Raises:
        UsageError: the game is another one, or ``order`` or ``decay`` is out of its range.
    """

    def __init__(self, game: Game, seed: int | None = None, *, order: int = 2, decay: float = 1.0) -> None:
        super().__init__(game, seed)
        self.order = check_count("order", order, 0)
        self.decay = check_probability("decay", decay)
        if game.num_actions ** (order + 1) > MAX_COUNTS:
            most = max(k for k in range(15) if game.num_actions ** (k + 1) <= MAX_COUNTS)
            raise UsageError(
                f"order must be from 0 to {most} with {game.num_actions} throws to choose from, not {order}"
            )
        self.memory_size = int(game.num_actions ** (order + 1)) + 2
        self.decision = _count, (self.payoffs, self.order, self.decay)


class FrequencyAgent(MarkovAgent):
    """Expects each throw with its frequency so far.

    Source: Brown (1951), Iterative solution of games by fictitious play.

    Args:
        decay: Factor of the counts at each throw.

    Raises:
        UsageError: the game is another one, or ``decay`` is not within 0..1.
    """

    def __init__(self, game: Game, seed: int | None = None, *, decay: float = 1.0) -> None:
        super().__init__(game, seed, order=0, decay=decay)


@compiled(void(OBSERVATIONS, MEMORY, UNIFORMS, MATRIX, float64, ACTIONS))
def _count_rotations(
    observations: Features, memory: Floats, uniforms: Floats, payoffs: Floats, decay: float, actions: Ints
) -> None:  # fmt: skip
    size = len(payoffs)
    mix = np.zeros(size)
    for i in range(len(actions)):
        other = last_throw(observations, i, size, size)
        mix[:] = 0.0
        if other >= 0:
            if memory[i, size] > 0.0:
                for rotation in range(size):
                    memory[i, rotation] *= decay
                memory[i, (other - int(memory[i, size]) + 1) % size] += 1.0
            memory[i, size] = other + 1
            for rotation in range(size):
                mix[(other + rotation) % size] = memory[i, rotation]
        actions[i] = answer_to(mix, payoffs, size, uniforms[i, 0])


class AntiRotationAgent(CompiledBot):
    """Expects the other's rotation, the distance from a throw to the next, with its frequencies so far.

    Memory: the number of rotations by ``r`` throws at ``r``, then 1 + the other's last throw.

    Args:
        decay: Factor of the counts at each throw.

    Raises:
        UsageError: the game is another one, or ``decay`` is not within 0..1.
    """

    def __init__(self, game: Game, seed: int | None = None, *, decay: float = 1.0) -> None:
        super().__init__(game, seed)
        self.decay = check_probability("decay", decay)
        self.memory_size = game.num_actions + 1
        self.decision = _count_rotations, (self.payoffs, self.decay)


@compiled(void(OBSERVATIONS, MEMORY, UNIFORMS, MATRIX, float64, ACTIONS))
def _hedge(
    observations: Features, memory: Floats, uniforms: Floats, payoffs: Floats, rate: float, actions: Ints
) -> None:  # fmt: skip
    size = len(payoffs)
    weights = np.zeros(size)
    for i in range(len(actions)):
        other = last_throw(observations, i, size, size)
        most = -np.inf
        for own in range(size):
            if other >= 0:
                memory[i, own] += payoffs[own, other]
            most = max(most, memory[i, own])
        for own in range(size):
            weights[own] = math.exp(rate * (memory[i, own] - most))
        actions[i] = draw_throw(weights, size, uniforms[i, 0])


class HedgeAgent(CompiledBot):
    """The weight of a throw is the exponential of the points that it would have won so far.

    With the default rate its expected regret against the best single throw in hindsight is at most :meth:`bound`,
    against every opponent.

    Source: Freund and Schapire (1997), A decision-theoretic generalization of on-line learning; the rate and the bound
    are those of Cesa-Bianchi and Lugosi (2006), theorem 2.2.

    Memory: the points that each throw would have won so far ``[throws]``.

    Args:
        rate: Learning rate; the one with the smallest bound for the match when None.

    Raises:
        UsageError: the game is another one, or ``rate`` is not a positive number.
    """

    def __init__(self, game: Game, seed: int | None = None, *, rate: float | None = None) -> None:
        super().__init__(game, seed)
        self.spread = float(np.ptp(self.payoffs)) or 1.0
        self.rounds = game.options["rounds"]
        best_rate = math.sqrt(8 * math.log(game.num_actions) / self.rounds) / self.spread
        self.rate = best_rate if rate is None else check_positive("rate", rate)
        self.memory_size = game.num_actions
        self.decision = _hedge, (self.payoffs, self.rate)

    def bound(self, throws: int | None = None) -> float:
        """Returns the bound of the expected regret after ``throws``, or at the end of a match, in points."""
        scaled = self.rate * self.spread  # as if the payoffs were within 0..1
        after = self.rounds if throws is None else throws
        return self.spread * (math.log(self.game.num_actions) / scaled + scaled * after / 8)
