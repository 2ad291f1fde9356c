"""Batches of games with a built-in opponent, the base of single-agent environments.

Each game has its own stream of random numbers, so that a game depends only on its seed and its actions, not on the
number of games.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

import numpy as np

from nashzoo.envs.base.errors import NoGameRunningError, UsageError, UsageTypeError
from nashzoo.envs.base.threads import processors, side_by_side
from nashzoo.envs.core import kernels
from nashzoo.envs.core.agent import DRAWS, Opponent
from nashzoo.envs.core.checks import ON_ILLEGAL, check_actions, check_options, name_of
from nashzoo.envs.core.game import Bools, Features, Game, Ints, Mask, illegal_action_message, named_actions
from nashzoo.envs.core.kernels import ChanceError
from nashzoo.envs.core.one_hot import COMPACT, encoding_of
from nashzoo.envs.core.seeds import streams
from nashzoo.envs.core.starts import ChosenStarts, starts_of
from nashzoo.envs.jit.compiled import UncheckedKernel
from nashzoo.envs.vector import step_kernels
from nashzoo.envs.vector.batch_arrays import ANY_SEAT, BatchConfig, BatchObservation, BatchState, StepOutcome
from nashzoo.envs.vector.step_kernels import MAX_RESTARTS, NEVER_ASKED

SEATS: dict[object, int] = {0: 0, 1: 1, "random": ANY_SEAT}

PART = 512  # smallest number of games for a thread of their own


class Kernels:
    """The functions called at every step."""

    ask, advance = UncheckedKernel(step_kernels.ask), UncheckedKernel(step_kernels.advance)
    start, look = UncheckedKernel(step_kernels.start), UncheckedKernel(step_kernels.look)
    step_and_restart = UncheckedKernel(step_kernels.step_and_restart)
    turn_all = UncheckedKernel(kernels.turn_all)


class StepResult(NamedTuple):
    """The result of a step if finished games restart at once."""

    outcome: StepOutcome
    ended: Ints  # [E], the finished games
    last: BatchObservation  # [E, ...], their final observations
    view: BatchObservation  # [B, ...]


def ask_player(game: Game, player: Opponent, rows: Ints, games: BatchState) -> tuple[Ints, Ints]:
    """Returns the actions of the player against ``games.seats``, in those of the games ``rows`` in which it is to move.

    Args:
        game: The game.
        player: The player.
        rows: Numbers of games, ascending.
        games: The running games, with this player's memory; it and the random streams are updated.

    Returns:
        Indices in ``rows`` of the games in which it is to move ``[M]``, ascending, and its actions there ``[M]``.

    Raises:
        UsageError: the player gives another number of actions.
    """
    size = len(rows)
    asked, uniforms = np.empty_like(rows), np.empty((size, DRAWS))
    observations, masks = np.empty((size, game.num_features), np.float32), np.empty((size, game.num_actions), np.int8)
    count = Kernels.ask(game.compiled, rows, games, asked, observations, masks, uniforms)
    asked = asked[:count]
    if count == 0:
        return asked, asked
    moving = rows if count == size else rows[asked]
    first, last = moving[0], moving[-1]
    neighbours = last - first + 1 == count  # their memory is passed without a copy
    where = slice(first, last + 1) if neighbours else moving
    memory = games.memory[where]
    actions, after = player.act(observations[:count], memory, masks[:count], uniforms[:count])
    if after is not memory or not neighbours:
        games.memory[where] = after
    actions = np.ascontiguousarray(actions, np.int64)
    if actions.shape != (count,):
        raise UsageError(f"{name_of(player)} gave actions of shape {actions.shape}, not ({count},)")
    return asked, actions


class GameBatch:
    """Running games, one row each, with a built-in opponent.

    Args:
        game: The game.
        num_games: The number of games.
        opponent: The other player.
        player: The learner's seat, 0, 1, or ``"random"`` for a new draw at every start.
        max_cycles: Joint steps after which an unfinished game is truncated; None for ``game.max_cycles``.
        illegal_action: As in :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`.
        observation: The kind of the learner's observations, ``"compact"`` or ``"one_hot"``, as there. It does not
            affect the opponent.
        starts: The start states, as in :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`.

    Attributes:
        opponent: The other player; one with as large a memory can take its place between two steps.
        encoding: The encoding of the learner's observations; None for compact ones.
        codes: The states ``[B]``.
        before: The states in which the players chose last ``[B]``, where :meth:`step` has ended a game.
        seats: The learner's seat for each game ``[B]``.
        cycles: The joint steps played in each game ``[B]``.
        over: Whether a game has terminated, or has not been started yet ``[B]``.

    Raises:
        UsageError: an option has an invalid value.
        UsageTypeError: the opponent is no opponent.
        TooManyStatesError: the ``"reachable"`` states are too many to list.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        opponent: Opponent,
        player: int | str = 0,
        max_cycles: int | None = None,
        illegal_action: str = "lose",
        observation: str = COMPACT,
        starts: ChosenStarts = None,
    ) -> None:
        if player not in SEATS:
            raise UsageError(f"player must be 0, 1 or 'random', not {player!r}")
        if not isinstance(opponent, Opponent):
            raise UsageTypeError(f"{opponent!r} is no opponent; one is derived from nashzoo.envs.core.agent.Opponent")
        self.game = game
        self.num_games = num_games
        self.opponent = opponent
        self.max_cycles = check_options(game, max_cycles, illegal_action, None)
        self.illegal_action = illegal_action
        self.encoding = encoding_of(game, observation)
        self.codes = np.full(num_games, game.first_decision, np.int64)
        self.before = self.codes.copy()
        self.seats = np.zeros(num_games, np.int64)
        self._seat = SEATS[player]
        self._memory = np.zeros((num_games, opponent.memory_size))
        self.cycles = np.zeros(num_games, np.int64)
        self.over = np.ones(num_games, np.bool_)
        self._streams = streams(None, num_games)
        self._starts = starts_of(game, starts)
        self._all_games = np.arange(num_games)

    def seed(self, seed: int | Sequence[int | None] | None) -> None:
        """Sets the random streams of the games; takes effect at the next restart.

        Args:
            seed: As for :func:`nashzoo.envs.core.seeds.streams`; or a seed for each game, where None continues its
                stream.

        Raises:
            UsageError: a seed is not a whole number of at least 0.
        """
        if seed is None or not isinstance(seed, Iterable):
            self._streams = streams(seed, self.num_games)
            return
        own = [old if new is None else streams(new, 1)[0] for old, new in zip(self._streams, seed, strict=True)]
        self._streams = np.array(own, np.uint64)

    def restart(self, rows: Ints) -> None:
        """Starts new games in the rows ``rows``, up to the learner's first decision.

        A game that ends before this decision is dropped, and another one is started.

        Raises:
            UsageError: the learner never reaches a decision.
        """
        try:
            self._restart(np.unique(rows))
        except ChanceError as error:
            raise self.game.chance_error(error) from None

    @property
    def running(self) -> Bools:
        """Whether games are running ``[B]``: started, and neither terminated nor truncated."""
        return ~self.over & (self.cycles < self.max_cycles)

    def view(self) -> BatchObservation:
        """Returns the learner's observations of all games."""
        return self._encoded(self._look(self._all_games))

    def observations(self) -> Features:
        """Returns the learner's observations ``[B, features]``, ``[B, encoding.width]`` if they are encoded."""
        return self.view().observations

    def masks(self) -> Mask:
        """Returns the learner's legal actions for each game ``[B, actions]``."""
        return self.view().masks

    def step(self, actions: Ints, rows: Ints | None = None) -> StepOutcome:
        """Plays the learner's actions ``[B]`` and the opponent's, until the learner's next decision.

        Args:
            actions: For each game.
            rows: The numbers of the games to play in, ascending; all when None. Other games do not change.

        Raises:
            UsageError: the number of actions differs from the number of games, or one is no whole number; a game is
                not running; or an action is illegal and ``illegal_action`` is ``"raise"``. Then no game has changed.
        """
        rows = self._all_games if rows is None else rows
        actions = self._checked(actions, rows)
        outcome = StepOutcome.zeros(self.num_games)
        with self._undone_on_error():
            self._step(rows, actions[rows], outcome)
        return outcome

    def step_and_restart(self, actions: Ints) -> StepResult:
        """Does the same as :meth:`step`, then restarts finished games; in threads, if the opponent can.

        Raises:
            UsageError: as :meth:`step` and :meth:`restart`.
        """
        actions = self._checked(actions, self._all_games)
        outcome, view = StepOutcome.zeros(self.num_games), BatchObservation.empty(self.game, self.num_games)
        encoded = self._nothing_encoded(view)
        compiled = None if self.illegal_action == "raise" else self.opponent.compiled
        size = -(-self.num_games // self._threads())
        parts = [slice(first, first + size) for first in range(0, self.num_games, size)]
        lasts: list[Any] = [None] * len(parts)

        def work(part: int) -> None:
            own = parts[part]
            rows = self._all_games[own]
            if compiled is None:
                ended, last = self._turn(rows, actions[own], outcome, view.part(own))
            else:
                ended, last = self._compiled_turn(compiled, rows, actions[own], outcome, view.part(own))
            self._encode(view.part(own), encoded.part(own))
            lasts[part] = ended, *self._encoded(last)

        with self._undone_on_error():
            side_by_side(work, range(len(parts)))
        ended, *last = map(np.concatenate, zip(*lasts, strict=True))
        return StepResult(outcome, ended, BatchObservation(*last), encoded)

    def _checked(self, actions: Ints, rows: Ints) -> Ints:
        actions = check_actions(actions, self.num_games)
        running = self.running[rows]
        if not running.all():
            raise NoGameRunningError(f"no game is running in environment {rows[~running][0]}: call reset() first")
        return actions

    @contextmanager
    def _undone_on_error(self) -> Iterator[None]:
        """Undoes a step after an error of actions; after other errors the games of the step have to restart."""
        before = [column.copy() for column in self.games] if self.illegal_action == "raise" else None
        try:
            yield
        except BaseException as error:
            if before is None:
                self.over[:] = True
            else:
                for column, kept in zip(self.games, before, strict=True):
                    column[...] = kept
            if isinstance(error, ChanceError):
                raise self.game.chance_error(error) from None
            raise

    @property
    def _config(self) -> BatchConfig:
        return BatchConfig(*self._starts, self._seat, self.max_cycles, ON_ILLEGAL[self.illegal_action])

    @property
    def games(self) -> BatchState:
        """The running games, as an argument of kernels."""
        return BatchState(self.codes, self.seats, self.cycles, self.over, self._memory, self._streams)

    def _threads(self) -> int:
        """Returns the number of threads of a step; one if illegal actions raise an error, which must change no game."""
        if self.illegal_action == "raise" or not self.opponent.thread_safe:
            return 1
        return max(min(processors(), self.num_games // PART), 1)

    def _encoded(self, view: BatchObservation) -> BatchObservation:
        """Returns kernels' observations of some games in the learner's encoding."""
        encoded = self._nothing_encoded(view)
        self._encode(view, encoded)
        return encoded

    def _nothing_encoded(self, view: BatchObservation) -> BatchObservation:
        """Returns the arrays that :meth:`_encode` fills; the same arrays without an encoding."""
        if self.encoding is None:
            return view
        return view._replace(observations=np.empty((len(view.seats), self.encoding.width), np.float32))

    def _encode(self, view: BatchObservation, encoded: BatchObservation) -> None:
        """Fills the learner's encoded observations."""
        if self.encoding is not None:
            self.encoding.fill(view.observations, encoded.observations)

    def _turn(
        self, rows: Ints, actions: Ints, outcome: StepOutcome, view: BatchObservation
    ) -> tuple[Ints, BatchObservation]:
        """Does :meth:`step_and_restart` in the games ``rows``; returns finished games and their final observations."""
        self._step(rows, actions, outcome)
        ended = rows[(outcome.terminated | outcome.truncated)[rows]]
        last = self._look(ended)
        self._restart(ended)
        Kernels.look(self.game.compiled, rows, self.games, view)
        return ended, last

    def _compiled_turn(
        self, opponent: Any, rows: Ints, actions: Ints, outcome: StepOutcome, view: BatchObservation
    ) -> tuple[Ints, BatchObservation]:
        """Does the same as :meth:`_turn`, with a compiled opponent."""
        ended, last = np.empty_like(rows), BatchObservation.empty(self.game, len(rows))
        count = Kernels.step_and_restart(
            self.game.compiled, opponent, rows, actions, self._config, self.games, outcome, ended, last, view
        )
        if count == NEVER_ASKED:
            self._raise_never_asked(rows)
        return ended[:count], last.part(slice(count))

    def _step(self, rows: Ints, actions: Ints, outcome: StepOutcome) -> None:
        self._until_asked(self._advance(rows, actions, outcome), outcome)

    def _restart(self, rows: Ints) -> None:
        for _ in range(MAX_RESTARTS):
            waiting = np.empty_like(rows)
            count = Kernels.start(self.game.compiled, rows, self._config, self.games, waiting)
            outcome = StepOutcome.zeros(self.num_games)
            self._until_asked(waiting[:count], outcome)
            rows = rows[(outcome.terminated | outcome.truncated)[rows]]
            if len(rows) == 0:
                return
        self._raise_never_asked(rows)

    def _raise_never_asked(self, rows: Ints) -> NoReturn:
        for row in rows[self.over[rows]]:
            if not self.game.terminal(code := int(self.codes[row])):  # an illegal action leaves the state as it was
                legal = named_actions(self.game, self.game.legal_actions(code, 1 - int(self.seats[row])))
                raise UsageError(
                    f"{name_of(self.opponent)} always loses by an illegal action before the learner is to move, as at "
                    f"{self.game.spell(code)}; legal actions are {legal}"
                )
        raise UsageError(f"{self.game} ended {MAX_RESTARTS} times before the learner was to move")

    def _until_asked(self, rows: Ints, outcome: StepOutcome) -> None:
        """Plays the opponent's actions in the games ``rows`` until the learner is to move."""
        while len(rows):
            rows = self._advance(rows, np.zeros(len(rows), np.int64), outcome)

    def _advance(self, rows: Ints, actions: Ints, outcome: StepOutcome) -> Ints:
        """Plays one joint step in the games ``rows``, and adds its rewards to ``outcome``.

        Returns:
            The games in which only the opponent is to move next.
        """
        asked, replies = ask_player(self.game, self.opponent, rows, self.games)
        self.before[rows] = self.codes[rows]
        illegal, waiting = np.empty(self.num_games, np.int64), np.empty_like(rows)
        count = Kernels.advance(
            self.game.compiled, rows, actions, asked, replies, self._config, self.games, outcome, illegal, waiting
        )  # which does not change states after illegal actions
        if self.illegal_action == "raise" and illegal[rows].any():
            self._raise_illegal(rows, actions, asked, replies, illegal)
        return waiting[:count]

    def _raise_illegal(self, rows: Ints, actions: Ints, asked: Ints, replies: Ints, illegal: Ints) -> NoReturn:
        """Raises an error for the first game with an illegal action."""
        k = int(np.flatnonzero(illegal[rows])[0])
        row = rows[k]
        offender = 0 if illegal[row] & 1 else 1
        played = actions[k] if offender == self.seats[row] else replies[asked == k][0]
        legal = self.game.legal_actions(int(self.codes[row]), offender)
        raise UsageError(illegal_action_message(self.game, offender, played, legal))

    def _look(self, rows: Ints) -> BatchObservation:
        """Returns the learner's compact observations of the games ``rows``."""
        view = BatchObservation.empty(self.game, len(rows))
        Kernels.look(self.game.compiled, rows, self.games, view)
        return view
