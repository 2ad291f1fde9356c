"""Training of MENACE, more than a hundred thousand games a second.

The trainer is a policy with mistakes: with a probability, which may change from game to game, it marks a random empty
cell instead. Or MENACE plays both sides.
"""

import dataclasses
import functools
import time
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np

from nashzoo.agents.basic.checks import check_probability
from nashzoo.agents.learning.menace.boxes import NO_BOX, Boxes, shelf
from nashzoo.agents.loading import as_agent
from nashzoo.baselines.policies.tabular import Policy, tabulate
from nashzoo.baselines.states.space import NEVER
from nashzoo.envs import tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_count
from nashzoo.envs.core.kernels import Seeds, draw_uniform
from nashzoo.envs.core.reachable import OVER
from nashzoo.envs.core.seeds import streams
from nashzoo.envs.games.tictactoe.rules import CELLS
from nashzoo.envs.jit.compiled import Floats, Ints, Mask, borrowed, compiled
from nashzoo.envs.jit.numba import float64, int8, int64, types, uint64, void

Side = Literal["crosses", "noughts", "both"]

AT_ONCE = 20_000  # games between two checks whether to stop
TOGETHER = 200  # games between two looks at the clock
SELF = "self"  # the trainer is MENACE itself

# The columns of the array of games.
LEARNERS, CROSSES_WON, PLIES, RESIGNED = range(4)
CROSSES_LEARN, NOUGHTS_LEARN, BOTH_LEARN = 1, 2, 3  # bit ``p`` for side ``p``


class Board(NamedTuple):
    """Tic-tac-toe for kernels: its ``n`` states by number, and their boxes."""

    following: Ints  # [n, 9], the number of the next state, by move; OVER, NEVER
    ends: Mask  # [n, 9], the points of crosses if the game is over then
    movers: Ints  # [n], this and the next three are those of nashzoo.agents.learning.menace.boxes.Shelf
    boxes: Ints  # [n]
    kinds: Ints  # [n, 9]
    shares: Floats  # [n, 9]
    start: int  # the empty board


class Changes(NamedTuple):
    """The changes of beads, see :class:`nashzoo.agents.learning.menace.boxes.Settings`."""

    beta: int
    gamma: int
    delta: int
    floor: int


class Record(NamedTuple):
    """The record of a game while it is played."""

    boxes: Ints  # [9], the box that was used at each ply, NO_BOX where none learns
    kinds: Ints  # [9], the kind of move that was drawn
    weights: Floats  # [9], of the moves at the current state


BOARD = types.NamedTuple(
    (int64[:, ::1], int8[:, ::1], int64[::1], int64[::1], int64[:, ::1], float64[:, ::1], int64), Board
)
RECORD = types.NamedTuple((int64[::1], int64[::1], float64[::1]), Record)
CHANGES = types.NamedUniTuple(int64, 4, Changes)


@compiled(inline=True)
def weigh(board: Board, trainer: Floats, beads: Ints, state: int, learns: bool, erring: bool, weights: Floats) -> float:
    """Writes the weights of the moves; returns their sum, 0 where MENACE's box is empty."""
    box = board.boxes[state]
    total = 0.0
    for cell in range(CELLS):
        weight = 0.0
        if board.following[state, cell] != NEVER:
            if erring or (learns and box == NO_BOX):
                weight = 1.0
            elif learns:
                weight = beads[box, board.kinds[state, cell]] * board.shares[state, cell]
            else:
                weight = trainer[state, cell]
        weights[cell] = weight
        total += weight
    return total


@compiled(inline=True)
def draw_move(weights: Floats, total: float, uniform: float) -> int:
    """Returns a move drawn by its weight; despite rounding errors it is always a possible one."""
    left = uniform * total
    move = -1
    for cell in range(CELLS):
        if weights[cell] > 0.0:
            move = cell
            left -= weights[cell]
            if left < 0.0:
                break
    return move


@compiled(inline=True)
def play(
    board: Board,
    trainer: Floats,
    beads: Ints,
    learners: int,
    mistakes: float,
    own_mistakes: float,
    seeds: Seeds,
    record: Record,
) -> tuple[int, int, bool]:
    """Plays a game; the record is filled with the moves from which MENACE learns.

    The trainer's probabilities are ``[n, 9]``, the beads ``[boxes, 9]``, and ``learners`` the sides that MENACE plays,
    bit ``p`` for side ``p``. ``mistakes`` is the probability that the trainer marks a random empty cell instead, and
    ``own_mistakes`` that MENACE does. The stream of random numbers ``[1]`` is advanced.

    Returns:
        The points of crosses, the number of marks, and whether an empty box resigned.
    """
    state, ply, result = board.start, 0, 0
    while state != OVER:
        mover = board.movers[state]
        learns = bool(learners >> mover & 1)
        # A MENACE without mistakes draws no number for them, as in earlier versions: seeds keep their games.
        erring = (own_mistakes > 0.0 or not learns) and draw_uniform(seeds, 0) < (own_mistakes if learns else mistakes)
        total = weigh(board, trainer, beads, state, learns, erring, record.weights)
        if total == 0.0:
            return 2 * mover - 1, ply, True
        move = draw_move(record.weights, total, draw_uniform(seeds, 0))
        record.boxes[ply] = board.boxes[state] if learns else NO_BOX
        record.kinds[ply] = board.kinds[state, move]
        result = board.ends[state, move]
        state = board.following[state, move]
        ply += 1
    return result, ply, False


@compiled(inline=True)
def learn(record: Record, plies: int, result: int, changes: Changes, beads: Ints) -> None:
    """Changes the beads after a game, by the points of crosses."""
    for ply in range(plies):
        box, kind = record.boxes[ply], record.kinds[ply]
        if box != NO_BOX:
            points = result if ply % 2 == 0 else -result
            if points < 0:
                beads[box, kind] -= min(changes.gamma, max(0, beads[box, kind] - changes.floor))
            else:
                beads[box, kind] += changes.beta if points > 0 else changes.delta


@compiled(
    void(BOARD, float64[:, ::1], CHANGES, float64[::1], float64, uint64[::1], int8[:, ::1], int64[:, ::1], RECORD)
)
def play_and_learn(
    board: Board,
    trainer: Floats,
    changes: Changes,
    mistakes: Floats,
    own_mistakes: float,
    seeds: Seeds,
    games: Mask,
    beads: Ints,
    record: Record,
) -> None:
    """Plays games and changes the beads after each; arguments are as in :func:`play`.

    The trainer's mistakes are by game ``[G]``. Of the ``games`` ``[G, 4]`` ``LEARNERS`` are the sides that MENACE
    plays; the other columns are filled. The record is filled with the last game.
    """
    board, trainer, seeds, beads, record = (
        borrowed(board), borrowed(trainer), borrowed(seeds), borrowed(beads), borrowed(record),
    )  # fmt: skip
    for k in range(len(games)):
        result, plies, resigned = play(
            board, trainer, beads, games[k, LEARNERS], mistakes[k], own_mistakes, seeds, record
        )
        learn(record, plies, result, changes, beads)
        games[k, CROSSES_WON], games[k, PLIES], games[k, RESIGNED] = result, plies, resigned


class Games(NamedTuple):
    """The games played, as columns."""

    first: int  # the number of the first one
    learners: Mask  # [G], the sides that MENACE played: bit 0 for crosses, bit 1 for noughts
    crosses_won: Mask  # [G], 1, 0 for a draw, -1
    plies: Mask  # [G], marks on the board at the end
    resigned: Mask  # [G], 1 where an empty box resigned
    mistakes: Floats  # [G], the trainer's probability of marking a random empty cell
    times: Floats  # [G], seconds since 1970, after the game and at most ``TOGETHER`` more

    @property
    def points(self) -> Mask:
        """MENACE's points ``[G]``: 1, 0 or -1; those of crosses where it played both sides."""
        return np.where(self.learners == NOUGHTS_LEARN, -self.crosses_won, self.crosses_won)

    @property
    def decisions(self) -> int:
        """The number of marks that MENACE made."""
        crosses = np.where(self.learners & CROSSES_LEARN, (self.plies + 1) // 2, 0)
        noughts = np.where(self.learners & NOUGHTS_LEARN, self.plies // 2, 0)
        return int(crosses.sum() + noughts.sum())


@dataclasses.dataclass(frozen=True)
class Lessons:
    """The trainer of MENACE, and its options.

    Attributes:
        opponent: ``"human"``, which plays an optimal move with a probability and else a random one; ``"self"``, another
            MENACE on the other side; or any player of tic-tac-toe that chooses by the state alone, see
            :func:`nashzoo.agents.as_agent`.
        probability: Of an optimal move by the human.
        final_probability: The same after ``anneal`` games, before which it changes linearly; as ``probability`` when
            None.
        anneal: Number of games of this change.
        side: MENACE's side: ``"crosses"``, ``"noughts"``, or ``"both"`` in turns. Against itself it plays both sides.
        seed: Seed of everything random.
        menace_probability: Of a move by a bead; else MENACE too marks a random empty cell, and learns from it as from
            any move. Siripragada and Kumaar (2022) call it ``menace_agent_prob``.

    Raises:
        UsageError: a number is out of its range, or ``final_probability`` is given for another opponent than the human.
    """

    opponent: str = "human"
    probability: float = 0.7
    final_probability: float | None = None
    anneal: int = 1000
    side: Side = "crosses"
    seed: int = 0
    menace_probability: float = 1.0

    def __post_init__(self) -> None:
        check_probability("probability", self.probability)
        check_probability("menace_probability", self.menace_probability)
        if self.final_probability is not None:
            check_probability("final_probability", self.final_probability)
            if self.opponent != "human":
                raise UsageError(f"final_probability is for the human; {self.opponent} has no probability to change")
        check_count("anneal", self.anneal)
        check_count("seed", self.seed, 0)
        if self.side not in get_args(Side):
            raise UsageError(f"side must be one of {', '.join(get_args(Side))}, not {self.side!r}")

    def probability_after(self, games: Ints | int) -> Floats:
        """Returns the probability of an optimal move by the human after numbers of games ``[G]``."""
        final = self.probability if self.final_probability is None else self.final_probability
        return np.asarray(np.interp(games, [0, self.anneal], [self.probability, final]))

    def mistakes(self, numbers: Ints) -> Floats:
        """Returns the probability that the trainer marks a random empty cell, in games with these numbers ``[G]``."""
        if self.opponent != "human":
            return np.zeros(len(numbers))
        return 1.0 - self.probability_after(numbers)

    def learners(self, numbers: Ints) -> Ints:
        """Returns the sides that MENACE plays in games with these numbers ``[G]``."""
        if self.opponent == SELF:
            return np.full(len(numbers), BOTH_LEARN)
        if self.side == "both":
            return np.where(numbers % 2 == 0, CROSSES_LEARN, NOUGHTS_LEARN)
        return np.full(len(numbers), CROSSES_LEARN if self.side == "crosses" else NOUGHTS_LEARN)

    def trainer(self) -> Policy | None:
        """Returns the policy of the trainer without mistakes; None for MENACE itself.

        Raises:
            UsageError: there is no such player, or it does not play tic-tac-toe.
        """
        if self.opponent == SELF:
            return None
        name = "perfect" if self.opponent == "human" else self.opponent
        return cast(Policy, as_agent(name, tictactoe_v0.game()))


class Training:
    """A MENACE in training.

    The same lessons lead to the same boxes, however they are divided into calls of :meth:`run`.

    Args:
        boxes: Its boxes, changed by every game.
        lessons: The trainer and its options.
        trainer: A trainer other than that of the lessons.

    Attributes:
        games: Games played.
        random_state: State of the stream of random numbers.

    Raises:
        NoPolicyError: the trainer does not choose by the state alone.
        UsageError: the trainer does not play tic-tac-toe.
    """

    def __init__(self, boxes: Boxes, lessons: Lessons, trainer: Policy | None = None) -> None:
        self.boxes = boxes
        self.lessons = lessons
        self.games = 0
        self._seeds = streams(lessons.seed, 1)
        self._trainer = trainer_table(lessons.trainer() if trainer is None else trainer)

    @property
    def random_state(self) -> int:
        """State of the stream of random numbers."""
        return int(self._seeds[0])

    def go_on_from(self, games: int, random_state: int) -> None:
        """Resumes a training."""
        self.games = games
        self._seeds[0] = random_state

    def run(self, games: int, tell: Callable[[Games], Any] = lambda games: None) -> Games:
        """Plays and learns from more games.

        Args:
            games: Number of games.
            tell: Called from time to time with the games since its last call; training stops when it returns True.

        Returns:
            The games that were played.
        """
        first, parts = self.games, list[Games]()
        while not parts or self.games < first + games:
            parts.append(self._play(min(AT_ONCE, first + games - self.games)))
            if tell(parts[-1]):
                break
        return Games(first, *(np.concatenate(column) for column in list(zip(*parts, strict=True))[1:]))

    def _play(self, games: int) -> Games:
        """Plays games, and looks at the clock after every ``TOGETHER`` of them."""
        settings = self.boxes.settings
        changes = Changes(settings.beta, settings.gamma, settings.delta, settings.floor)
        record = Record(np.empty(CELLS, np.int64), np.empty(CELLS, np.int64), np.empty(CELLS))
        first, numbers = self.games, np.arange(self.games, self.games + games)
        played, times = np.zeros((games, 4), np.int8), np.empty(games)
        played[:, LEARNERS] = self.lessons.learners(numbers)
        mistakes = self.lessons.mistakes(numbers)
        for begin in range(0, games, TOGETHER):
            part = slice(begin, begin + TOGETHER)
            play_and_learn(
                numbered_board(), self._trainer, changes, mistakes[part], 1.0 - self.lessons.menace_probability,
                self._seeds, played[part], self.boxes.beads, record,
            )  # fmt: skip
            times[part] = time.time()
        self.games += games
        learners, crosses_won, plies, resigned = played.T
        return Games(first, learners, crosses_won, plies, resigned, mistakes, times)


def trainer_table(policy: Policy | None) -> Floats:
    """Returns a policy's probabilities at every state ``[n, 9]``, for the player to move; zeros without a policy."""
    known = shelf()
    table = np.zeros(known.shares.shape)
    if policy is not None:
        for player in range(2):
            rows = known.movers == player
            table[rows] = tabulate(tictactoe_v0.game(), policy, known.states.codes[rows], player)
    return table


@functools.cache
def numbered_board() -> Board:
    """Returns the states by number, and their boxes."""
    known = shelf()
    following, rewards = known.states.successors.by_action(CELLS)
    crosses_move = (known.movers == 0)[:, None]
    following = np.where(crosses_move, following[:, :, 0], following[:, 0, :])
    ends = np.ascontiguousarray(np.where(crosses_move, rewards[:, :, 0], rewards[:, 0, :]), np.int8)
    start = int(known.states.ids(known.states.game.start_codes)[0])
    return Board(np.ascontiguousarray(following), ends, known.movers, known.boxes, known.kinds, known.shares, start)
