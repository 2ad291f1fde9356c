"""Many tables of one game with an opponent inside: what single-agent environments are made of.

Each table has its own stream of random numbers, so that what happens at a table depends on its seed and its
actions alone, however many tables there are.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from nashzoo.envs import batch
from nashzoo.envs.batch import Seeds
from nashzoo.envs.face import ON_ILLEGAL, check_options
from nashzoo.envs.game import Bools, Features, Floats, Game, Ints, Mask, illegal_action_message

MAX_RESTARTS = 1000

DRAWS = 2  # random numbers that a player is given for each decision

SEATS: dict[object, int | None] = {0: 0, 1: 1, "random": None}


class Opponent(Protocol):
    """Whoever sits on the other side. All rows are tables; nothing is random but ``uniforms``.

    One who cannot play at any number of tables at once says so with an attribute ``most_tables``.
    """

    memory_size: int

    def act(
        self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats
    ) -> tuple[Ints, Floats]:  # fmt: skip
        """Chooses an action at each table.

        Args:
            observations: ``[B, features]``, seen from this player's seat.
            memory: ``[B, memory_size]``, zeros at the start of a game. It is given away: the player may change it in
                place and return it, which saves much where it is large.
            masks: Legal actions ``[B, actions]``.
            uniforms: Numbers in [0, 1) to decide by, ``[B, DRAWS]``.

        Returns:
            Actions ``[B]``, and the memory for the next decision ``[B, memory_size]``.
        """


class Outcome(NamedTuple):
    """What a step brought to each table, seen from the learner's seat."""

    rewards: Floats  # [B]
    terminated: Bools  # [B], the rules ended the game
    truncated: Bools  # [B], max_cycles did


def streams(seed: int | None, tables: int) -> Seeds:
    """Returns the starting points of the tables' random streams ``[B]``; table ``i`` has the seed ``seed + i``.

    Without a seed they come from the operating system's randomness.
    """
    first = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
    return np.array(
        [np.random.SeedSequence(first + table).generate_state(1, np.uint64)[0] for table in range(tables)], np.uint64
    )


class Tables:
    """Running games, one row each, with the opponent's moves made inside.

    Args:
        game: The game.
        num_tables: How many.
        opponent: Who plays the other side.
        player: The learner's seat, 0, 1, or ``"random"`` for a new draw at every start.
        max_cycles: Joint steps after which an unfinished game is truncated; None for ``game.max_cycles``.
        illegal_action: As in :class:`nashzoo.envs.face.Face`.

    Attributes:
        codes: The positions ``[B]``.
        seats: The learner's seat at each table ``[B]``.

    Raises:
        ValueError: an option has a value it cannot have.
    """

    def __init__(
        self,
        game: Game,
        num_tables: int,
        opponent: Opponent,
        player: int | str = 0,
        max_cycles: int | None = None,
        illegal_action: str = "lose",
    ) -> None:
        if player not in SEATS:
            raise ValueError(f"player must be 0, 1 or 'random', not {player!r}")
        self.game = game
        self.num_tables = num_tables
        self.opponent = opponent
        self.max_cycles = check_options(game, max_cycles, illegal_action, None)
        self.illegal_action = illegal_action
        self.codes = np.full(num_tables, game.start_codes[0], np.int64)
        self.seats = np.zeros(num_tables, np.int64)
        self._seat = SEATS[player]
        self._memory = np.zeros((num_tables, opponent.memory_size))
        self._cycles = np.zeros(num_tables, np.int64)
        self._streams = streams(None, num_tables)
        self._thresholds = np.cumsum(game.start_probabilities)[:-1]

    def seed(self, seed: int | Sequence[int | None] | None) -> None:
        """Sets the random streams of the tables; takes effect at the next restart.

        Args:
            seed: As for :func:`streams`; or a seed for each table, where None lets its stream go on.
        """
        if seed is None or isinstance(seed, int | np.integer):
            self._streams = streams(seed, self.num_tables)
            return
        for table, own in enumerate(seed):
            if own is not None:
                self._streams[table] = streams(own, 1)[0]

    def restart(self, rows: Ints) -> None:
        """Starts new games at the tables ``rows``, up to the learner's first decision.

        A game that the opponent ends before that is not the learner's, and another one is started.

        Raises:
            ValueError: the learner never comes to a decision.
        """
        for _ in range(MAX_RESTARTS):
            outcome = self._nothing_yet()
            self._start(rows)
            self._until_asked(rows, outcome)
            rows = rows[outcome.terminated[rows] | outcome.truncated[rows]]
            if len(rows) == 0:
                return
        raise ValueError(f"{self.game} ended {MAX_RESTARTS} times before the learner was to move")

    def _start(self, rows: Ints) -> None:
        uniforms = self._draw(rows)
        starts = np.searchsorted(self._thresholds, uniforms[:, 0], side="right")
        self.codes[rows] = self.game.start_codes[starts]
        self.seats[rows] = (uniforms[:, 1] < 0.5) if self._seat is None else self._seat
        self._memory[rows] = 0.0
        self._cycles[rows] = 0

    def observations(self) -> Features:
        """Returns what the learner sees at each table ``[B, features]``."""
        return self._observe(self.codes, self.seats)

    def masks(self) -> Mask:
        """Returns the learner's legal actions at each table ``[B, actions]``."""
        return self._legal(self.codes, self.seats)

    def step(self, actions: Ints) -> Outcome:
        """Plays the learner's actions ``[B]`` and the opponent's, until the learner is to be asked again.

        Raises:
            ValueError: the learner's action is illegal and ``illegal_action`` is ``"raise"``.
        """
        outcome = self._nothing_yet()
        everywhere = np.arange(self.num_tables)
        self._advance(everywhere, np.asarray(actions, np.int64), outcome)
        self._until_asked(everywhere, outcome)
        return outcome

    def _nothing_yet(self) -> Outcome:
        tables = self.num_tables
        return Outcome(np.zeros(tables), np.zeros(tables, np.bool_), np.zeros(tables, np.bool_))

    def _until_asked(self, rows: Ints, outcome: Outcome) -> None:
        """Lets the opponent move wherever the learner is not to move."""
        while True:
            running = ~(outcome.terminated[rows] | outcome.truncated[rows])
            turns = self._turns(rows)
            rows = rows[running & (turns == 1 - self.seats[rows])]
            if len(rows) == 0:
                return
            self._advance(rows, np.zeros(len(rows), np.int64), outcome)

    def _advance(self, rows: Ints, actions: Ints, outcome: Outcome) -> None:
        """Plays one joint step at the tables ``rows``, and adds what it brings to ``outcome``."""
        seats = self.seats[rows]
        replies = np.zeros(len(rows), np.int64)
        asked = self._turns(rows) != seats
        replies[asked] = self._ask_opponent(rows[asked])
        actions0, actions1 = np.where(seats == 0, (actions, replies), (replies, actions))
        codes = self.codes[rows]
        rewards, over, illegal = np.empty(len(rows)), np.empty(len(rows), np.bool_), np.empty(len(rows), np.int64)
        on_illegal = ON_ILLEGAL[self.illegal_action]
        batch.play_all(self.game.compiled, codes, actions0, actions1, on_illegal, rewards, over, illegal)
        if self.illegal_action == "raise" and illegal.any():
            row = int(np.flatnonzero(illegal)[0])
            offender = 0 if illegal[row] & 1 else 1
            legal = self.game.legal_actions(int(codes[row]), offender)
            raise ValueError(illegal_action_message(self.game, offender, (actions0, actions1)[offender][row], legal))
        self.codes[rows] = codes
        self._cycles[rows] += 1
        outcome.rewards[rows] += np.where(seats == 0, rewards, 0.0 - rewards)
        outcome.terminated[rows] = over
        outcome.truncated[rows] = ~over & (self._cycles[rows] >= self.max_cycles)

    def _ask_opponent(self, rows: Ints) -> Ints:
        codes, seats = self.codes[rows], 1 - self.seats[rows]
        everywhere = len(rows) == self.num_tables
        memory = self._memory if everywhere else self._memory[rows]
        replies, memory = self.opponent.act(
            self._observe(codes, seats), memory, self._legal(codes, seats), self._draw(rows)
        )
        if everywhere:
            self._memory = memory
        else:
            self._memory[rows] = memory
        return replies

    def _draw(self, rows: Ints) -> Floats:
        uniforms = np.empty((len(rows), DRAWS))
        streams_of_rows = self._streams[rows]
        batch.draw_uniforms(streams_of_rows, uniforms)
        self._streams[rows] = streams_of_rows
        return uniforms

    def _turns(self, rows: Ints) -> Ints:
        turns = np.empty(len(rows), np.int64)
        batch.turn_all(self.game.compiled, self.codes[rows], turns)
        return turns

    def _observe(self, codes: Ints, players: Ints) -> Features:
        out = np.empty((len(codes), self.game.num_features), np.float32)
        batch.observe_all(self.game.compiled, codes, players, out)
        return out

    def _legal(self, codes: Ints, players: Ints) -> Mask:
        out = np.empty((len(codes), self.game.num_actions), np.int8)
        batch.legal_all(self.game.compiled, codes, players, out)
        return out
