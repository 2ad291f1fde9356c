"""The scripted players of Roshambo without memory, whose exploitability is exact; and base classes of all players.

The stage game may have any number of throws. The *answer* to a throw is the best response to it, the first one if
there are several.
"""

import itertools
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from nashzoo.agents.basic.checks import check_probability
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import Agent, PolicyAgent, uniform_over
from nashzoo.envs.core.checks import check_count, check_whole
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.one_hot import compact
from nashzoo.envs.games.roshambo import rules as roshambo

PI_DIGITS = 10_000  # the sequence repeats after these
MAX_SEQUENCE = 1_000_000


class RoshamboBot(Agent):
    """Base class of the players of Roshambo.

    Attributes:
        payoffs: Payoff of each throw against each other one ``[throws, throws]``.
        answers: The answer to each throw ``[throws]``.
        last_throw: The largest number of a throw.

    Raises:
        UsageError: the game is not Roshambo.
    """

    def __init__(self, game: Game, seed: int | None = None) -> None:
        if game.name != roshambo.NAME:
            raise UsageError(f"{type(self).__name__} plays {roshambo.NAME}, not {game.name}")
        super().__init__(game, seed)
        self.payoffs = game.rules.tables_of(game.params).payoffs
        self.answers: Ints = self.payoffs.argmax(axis=0)
        self.last_throw = game.num_actions - 1


class CompiledBot(RoshamboBot):
    """A player that decides by one compiled function.

    Attributes:
        decision: The function and its own arguments. It is called with observations ``[B, features]``, memory
            ``[B, memory_size]`` to be changed in place, uniform numbers ``[B, DRAWS]``, its own arguments, and actions
            ``[B]`` to be filled.
    """

    thread_safe = True
    decision: tuple[Callable[..., None], tuple[Any, ...]]

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Calls the function; the memory is changed in place."""
        function, arguments = self.decision
        actions = np.empty(len(observations), np.int64)
        function(observations, memory, uniforms, *arguments, actions)
        return actions, memory


class BiasedAgent(RoshamboBot, PolicyAgent):
    """Plays one throw more often than the others.

    Args:
        throw: The number of the throw.
        share: Its probability; the others have equal shares of the rest.

    Raises:
        UsageError: the game is another one, there is no such throw, or ``share`` is no probability.
    """

    def __init__(self, game: Game, seed: int | None = None, *, throw: int = 0, share: float = 0.5) -> None:
        super().__init__(game, seed)
        self.throw = check_whole("throw", throw, 0, self.last_throw)
        self.share = check_probability("share", share)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probabilities ``[B, actions]``, the same everywhere."""
        probabilities = np.full(action_masks.shape, (1.0 - self.share) / (self.game.num_actions - 1))
        probabilities[:, self.throw] = self.share
        return probabilities


class ConstantAgent(BiasedAgent):
    """Always plays the same throw.

    Args:
        throw: Its number.

    Raises:
        UsageError: the game is another one, or there is no such throw.
    """

    def __init__(self, game: Game, seed: int | None = None, *, throw: int = 0) -> None:
        super().__init__(game, seed, throw=throw, share=1.0)


class SequenceAgent(RoshamboBot, PolicyAgent):
    """Plays a fixed sequence of throws, over and over.

    Args:
        sequence: The throws ``[n]``.
    """

    def __init__(self, game: Game, sequence: Ints, seed: int | None = None) -> None:
        super().__init__(game, seed)
        self.sequence = sequence

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probabilities ``[B, actions]``: one throw."""
        left = compact(self.game, observations)[:, -1].astype(np.float64)
        played = np.rint((1.0 - left) * self.game.options["rounds"]).astype(np.int64)
        probabilities: Floats = np.eye(self.game.num_actions)[self.sequence[played % len(self.sequence)]]
        return probabilities


class RotatingAgent(SequenceAgent):
    """Rotates through the throws by a step, which may change.

    Args:
        step: The distance from each throw to the next; 1 is Rock, Paper, Scissors, Rock.
        period: Number of throws after which the step changes; 0 for never.
        change: Added to the step, modulo the number of throws.

    Raises:
        UsageError: the game is another one, ``step`` or ``change`` is not from 1 to the last throw, or ``period`` is
            not a whole number from 0 on whose sequence has at most a million throws.
    """

    def __init__(self, game: Game, seed: int | None = None, *, step: int = 1, period: int = 0, change: int = 1) -> None:
        super().__init__(game, np.arange(game.num_actions), seed)
        size = game.num_actions
        self.step = check_whole("step", step, 1, self.last_throw)
        self.period = check_whole("period", period, 0, MAX_SEQUENCE // size**2)
        self.change = check_whole("change", change, 1, self.last_throw)
        throws = np.arange(size * size * self.period or size)  # one period of the sequence
        steps = (self.step + self.change * (throws // self.period if self.period else 0 * throws)) % size
        self.sequence = np.append(0, np.cumsum(steps)[:-1]) % size


class DeBruijnAgent(SequenceAgent):
    """Plays a De Bruijn sequence: every run of ``order`` throws occurs once before any occurs again.

    After fewer than ``order`` throws all throws follow with the same frequency.

    Args:
        order: Length of the runs.

    Raises:
        UsageError: the game is another one, or ``order`` is not a whole number of at least 1, or the sequence would be
            longer than a million throws.
    """

    def __init__(self, game: Game, seed: int | None = None, *, order: int = 5) -> None:
        size, order = game.num_actions, check_count("order", order)
        if size**order > MAX_SEQUENCE:
            most = max(k for k in range(1, 21) if size**k <= MAX_SEQUENCE)
            raise UsageError(f"order must be from 1 to {most} with {size} throws to choose from, not {order}")
        super().__init__(game, np.array(de_bruijn(size, order)), seed)


class PiAgent(SequenceAgent):
    """Plays the digits of pi, in the base of the number of throws."""

    def __init__(self, game: Game, seed: int | None = None) -> None:
        super().__init__(game, np.array(digits_of_pi(game.num_actions, PI_DIGITS)), seed)


class CopyAgent(RoshamboBot, PolicyAgent):
    """Plays the other's last throw plus ``shift``, modulo the number of throws; the first throw is random.

    Args:
        shift: The shift; in rock-paper-scissors 1 beats the other's last throw, 2 loses to it.

    Raises:
        UsageError: the game is another one, or ``shift`` is not from 0 to the last throw.
    """

    def __init__(self, game: Game, seed: int | None = None, *, shift: int = 0) -> None:
        super().__init__(game, seed)
        self.shift = check_whole("shift", shift, 0, self.last_throw)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probabilities ``[B, actions]``: one throw, or all equally."""
        size = self.game.num_actions
        last: Floats = np.roll(observations[:, size : 2 * size], self.shift, axis=1).astype(np.float64)
        return np.where(last.any(axis=1, keepdims=True), last, uniform_over(action_masks))


def de_bruijn(size: int, order: int) -> list[int]:
    """Returns the first De Bruijn sequence in lexicographic order.

    It is the concatenation of all Lyndon words whose length divides ``order``.

    Source: Fredricksen and Maiorana (1978), Necklaces of beads in k colors and k-ary de Bruijn sequences.

    >>> de_bruijn(2, 3)
    [0, 0, 0, 1, 0, 1, 1, 1]
    """
    sequence: list[int] = []
    word = [-1]
    while word:
        word[-1] += 1
        if order % len(word) == 0:
            sequence += word
        word = list(itertools.islice(itertools.cycle(word), order))
        while word and word[-1] == size - 1:
            word.pop()
    return sequence


@cache
def digits_of_pi(base: int, count: int) -> tuple[int, ...]:
    """Returns the first digits of pi, those before the point included.

    Source: Machin (1706), pi = 16 arctan(1/5) - 4 arctan(1/239).

    >>> digits_of_pi(10, 8)
    (3, 1, 4, 1, 5, 9, 2, 6)
    """
    spare = 64  # extra digits, against rounding errors
    one = base ** (count + spare)

    def arctan_of_inverse(x: int) -> int:
        total, power, k = 0, one // x, 1
        while power:
            total += power // k if k % 4 == 1 else -(power // k)
            power //= x * x
            k += 2
        return total

    number = 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))
    digits = []
    while number:
        number, digit = divmod(number, base)
        digits.append(digit)
    return tuple(digits[::-1][:count])
