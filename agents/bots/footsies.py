"""The scripted players of Footsies. All but the first remember the other player's moves of the match.

They share a table of answers, the book: Block to an Attack, Grab to a Block, Attack to a Grab. Their memory is
``memory`` ``[B, memory_size]``, zeros at the start of a match; at each decision they learn from the other player's
last move. Of equally likely moves they expect the first one in ``ACTIONS``, by default.
"""

from typing import Any, Literal, get_args

import numpy as np

from nashzoo.agents.basic.checks import check_positive, check_probability
from nashzoo.agents.basic.entry import Entry
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import Agent, PolicyAgent, sample, uniform_over
from nashzoo.envs.core.checks import check_one_of
from nashzoo.envs.core.compiled_opponent import CHOOSE, choose_all, pack_opponent
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.games.footsies import rules as footsies
from nashzoo.envs.games.footsies.rules import ATTACK, BLOCK, DRAGON_PUNCH, GRAB
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.rules.build import build

NUM_MOVES = len(footsies.ACTIONS)
decode = build(footsies).decode

Ties = Literal["actions", "seen"]
Memory = Literal["match", "evening"]

# The answer to each move, by its number. Only the Markov chain answers a Dragon Punch by the book.
ANSWERS = np.empty(NUM_MOVES, np.int64)
ANSWERS[[ATTACK, BLOCK, GRAB, DRAGON_PUNCH]] = BLOCK, GRAB, ATTACK, BLOCK


class FootsiesBot(Agent):
    """Base class of the players of Footsies.

    Raises:
        UsageError: the game is not Footsies.
    """

    thread_safe = True

    def __init__(self, game: Game, seed: int | None = None) -> None:
        if game.name != footsies.NAME:
            raise UsageError(f"{type(self).__name__} plays {footsies.NAME}, not {game.name}")
        super().__init__(game, seed)

    def last_moves(self, observations: Features) -> tuple[Ints, Ints]:
        """Returns the games ``[K]`` in which the other player has moved, and its last moves ``[K]``."""
        codes, _ = self.states_of(observations)
        last = decode(codes).last1  # works on arrays too
        seen = np.flatnonzero(last)
        return seen, np.asarray(last)[seen] - 1


class CounterAgent(FootsiesBot, PolicyAgent):
    """Answers the other player's last move.

    Blocks when the other player has landed a hit, else attacks when the other has no blocks left, else gives
    the book's answer to the other's last move; at random in the first turn and after a Dragon Punch.
    """

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probabilities ``[B, actions]``: one action, or all equally."""
        codes, _ = self.states_of(observations)
        state = decode(codes)  # works on arrays too
        last = np.asarray(state.last1) - 1
        by_the_book = (last >= 0) & (last != DRAGON_PUNCH)
        conditions = [np.asarray(state.hits1) > 0, np.asarray(state.blocks1) == 0, by_the_book]
        actions = np.select(conditions, [np.int64(BLOCK), np.int64(ATTACK), ANSWERS[last]])
        probabilities = uniform_over(action_masks)
        decided = np.any(conditions, axis=0)
        probabilities[decided] = np.eye(NUM_MOVES)[actions[decided]]
        return probabilities


@compiled(CHOOSE)
def _answer_to_the_likeliest(
    params: Ints, code: int, player: int, numbers: Floats, counts: Floats, uniforms: Floats
) -> int:
    alpha, risk_threshold, as_seen = numbers[0], numbers[1], numbers[2] == 1.0
    state = decode(code)
    last = state.last1 if player == 0 else state.last0
    at_random = int(uniforms[0] * NUM_MOVES)
    if last == 0:
        return at_random
    counts[last - 1] += 1.0
    if as_seen and counts[last - 1] == 1.0:
        for move in range(NUM_MOVES):
            counts[NUM_MOVES + last - 1] += counts[move] > 0.0
    expected = 0
    for move in range(1, NUM_MOVES):
        earlier = as_seen and counts[NUM_MOVES + move] < counts[NUM_MOVES + expected]
        if counts[move] > counts[expected] or (counts[move] == counts[expected] and earlier):
            expected = move
    if expected != DRAGON_PUNCH:
        return int(ANSWERS[expected])
    total = 0.0
    for move in range(NUM_MOVES):
        total += counts[move] + alpha
    return DRAGON_PUNCH if (counts[expected] + alpha) / total >= risk_threshold else at_random


class BayesianAgent(FootsiesBot):
    """Expects the move that the other player has made most often.

    Its model of the moves is a draw from an unknown distribution with a Dirichlet prior. When it expects a
    Dragon Punch it plays one itself if the probability is high enough, else at random; so also in the first turn.

    Memory: counts of the other player's moves ``[4]``; with ``ties="seen"`` also the number of different moves seen
    when each was first seen ``[4]``.

    Args:
        alpha: Prior count of each move.
        risk_threshold: Probability of the expected move from which a Dragon Punch is risked.
        ties: Which of equally likely moves it expects: ``"actions"`` for the first in ``ACTIONS``, or ``"seen"`` for
            the first one seen.
        memory: Duration of the counts: a ``"match"``; or an ``"evening"``, which is all matches that this object plays,
            one at a time. Then its choices depend on earlier matches.

    Raises:
        UsageError: the game is another one, or an option is out of its range.
    """

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        *,
        alpha: float = 1.0,
        risk_threshold: float = 0.2,
        ties: Ties = "actions",
        memory: Memory = "match",
    ) -> None:
        super().__init__(game, seed)
        self.alpha = check_positive("alpha", alpha)
        self.risk_threshold = check_probability("risk_threshold", risk_threshold)
        self.ties = check_one_of("ties", ties, get_args(Ties))
        self.memory_size = NUM_MOVES * (2 if self.ties == "seen" else 1)
        self._evening: Floats | None = None  # [1, memory_size]
        if check_one_of("memory", memory, get_args(Memory)) == "evening":
            self._evening = np.zeros((1, self.memory_size))
            self.most_games = 1
            self.thread_safe = False

    @property
    def compiled(self) -> Any:
        """Its compiled policy; None if its choices depend on earlier matches."""
        return self._packed() if self._evening is None else None

    def _packed(self) -> Any:
        return pack_opponent(_answer_to_the_likeliest, self.alpha, self.risk_threshold, float(self.ties == "seen"))

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Counts the other's last move and answers the likeliest.

        Raises:
            UsageError: its memory is an evening, and there are several games at once.
        """
        if self._evening is not None and len(observations) > 1:
            raise UsageError(
                f"bayesian with memory='evening' plays one game at a time, not {len(observations)}; so do matches and "
                "tournaments, and environments with num_envs=1"
            )
        counts = memory.copy() if self._evening is None else self._evening
        actions = np.empty(len(observations), np.int64)
        choose_all(self.game.compiled, self._packed(), observations, counts, uniforms, actions)
        return actions, counts if self._evening is None else memory


class BluffAgent(FootsiesBot):
    """Estimates how aggressive the other player is, and sometimes plays a random move.

    In a turn in which it does not bluff it counts the other's last move: the tendency rises by 1, or after
    a Block falls by 1. Above 1 it blocks, below 1 it attacks, at 1 it grabs. When it bluffs the tendency stays.

    Memory: the tendency ``[1]``.

    Args:
        bluff: Probability of a move at random.

    Raises:
        UsageError: the game is another one, or a number is out of its range.
    """

    memory_size = 1

    def __init__(self, game: Game, seed: int | None = None, *, bluff: float = 0.2) -> None:
        super().__init__(game, seed)
        self.bluff = check_probability("bluff", bluff)

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Bluffs, or plays by the tendency."""
        bluffing = uniforms[:, 0] < self.bluff
        seen, moves = self.last_moves(observations)
        change = np.zeros(len(observations))
        change[seen] = np.where(moves == BLOCK, -1, 1)
        tendency = memory[:, 0] + np.where(bluffing, 0, change)
        by_tendency = np.select([tendency > 1, tendency < 1], [BLOCK, ATTACK], GRAB)
        at_random = sample(uniform_over(masks), uniforms[:, 1])
        return np.where(bluffing, at_random, by_tendency), tendency[:, None]


class MarkovAgent(FootsiesBot):
    """Expects the move that most often followed the other player's last one.

    It answers by the book, and a Dragon Punch with a Block. Where it expects an Attack or a Grab, it sometimes plays a
    Dragon Punch instead. If no move has followed the last one yet, it attacks, blocks or grabs at random.

    Memory: the number of times that move ``j`` followed move ``i`` at ``4 * i + j`` ``[16]``, then 1 + the other's
    move at the previous decision, 0 for none ``[1]``.

    Args:
        risk: Probability of a Dragon Punch where it may win.

    Raises:
        UsageError: the game is another one, or a number is out of its range.
    """

    memory_size = NUM_MOVES * NUM_MOVES + 1

    def __init__(self, game: Game, seed: int | None = None, *, risk: float = 0.2) -> None:
        super().__init__(game, seed)
        self.risk = check_probability("risk", risk)

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Counts the other's last transition and answers the likeliest next move."""
        memory = memory.copy()
        seen, moves = self.last_moves(observations)
        before = memory[seen, -1].astype(np.int64) - 1
        follows = before >= 0
        memory[seen[follows], NUM_MOVES * before[follows] + moves[follows]] += 1
        memory[seen, -1] = moves + 1

        actions = np.array([ATTACK, BLOCK, GRAB])[(uniforms[:, 1] * 3).astype(np.int64)]
        successors = memory[seen[:, None], NUM_MOVES * moves[:, None] + np.arange(NUM_MOVES)]
        expected = successors.argmax(axis=1)
        risked = (uniforms[seen, 0] < self.risk) & ((expected == ATTACK) | (expected == GRAB))
        answers = np.where(risked, DRAGON_PUNCH, ANSWERS[expected])
        known = successors.sum(axis=1) > 0
        actions[seen[known]] = answers[known]
        return actions, memory


PLAYERS = {
    "counter": Entry("The Simple-Minded", CounterAgent, footsies.NAME, does="Answers your last move."),
    "bayesian": Entry("The Statistician", BayesianAgent, footsies.NAME, does="Expects your most frequent move."),
    "bluff": Entry("The High Roller", BluffAgent, footsies.NAME, does="Judges how often you attack, and bluffs."),
    "markov": Entry(
        "Markov chain",
        MarkovAgent,
        footsies.NAME,
        does="Looks at your last move, and expects what most often came next.",
    ),
}
