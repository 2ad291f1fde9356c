"""Batches of games without a built-in opponent: the caller acts for both players.

Every decision has a row. With simultaneous moves a game has two rows, ``g`` for player 0 and ``G + g`` for
player 1. With moves in turn it has one, which belongs to the player to move.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nashzoo.envs.base.errors import NoGameRunningError, UsageError
from nashzoo.envs.core.checks import ON_ILLEGAL, check_actions, check_count, check_options
from nashzoo.envs.core.game import BOTH, Features, Game, Ints, Mask
from nashzoo.envs.core.kernels import ChanceError
from nashzoo.envs.core.one_hot import COMPACT, encoding_of
from nashzoo.envs.core.seeds import streams
from nashzoo.envs.vector.batch_arrays import BatchConfig, BatchObservation, BatchState, StepOutcome
from nashzoo.envs.vector.game_batch import Kernels, StepResult

STOPPING = ("lose", "noop")


class BothSeatsBatch:
    """Running games, with a row for every decision.

    Args:
        game: The game.
        num_games: The number of games, ``G``.
        max_cycles: Joint steps after which an unfinished game is truncated; None for ``game.max_cycles``.
        illegal_action: The effect of an illegal action, ``"lose"`` or ``"noop"``, as in
            :class:`nashzoo.envs.vector.game_batch.GameBatch`.
        observation: The kind of observations, ``"compact"`` or ``"one_hot"``, likewise.
        exploring: Codes of non-terminal states ``[n]``; half of all games start at one of them, drawn
            uniformly. With None all games start at the starts of the rules.

    Attributes:
        encoding: The encoding of observations; None for compact ones.
        num_rows: The number of rows, ``B``: ``G`` with moves in turn, else ``2 G``.
        codes: The states ``[G]``.
        cycles: The joint steps played in each game ``[G]``.
        turned: Whether a row belonged to the other player before the last step ``[B]``.

    Raises:
        UsageError: an option has an invalid value.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        max_cycles: int | None = None,
        illegal_action: str = "lose",
        observation: str = COMPACT,
        exploring: Ints | None = None,
    ) -> None:
        if illegal_action not in STOPPING:
            raise UsageError(f"illegal_action must be one of {', '.join(STOPPING)}, not {illegal_action!r}")
        self.game = game
        self.encoding = encoding_of(game, observation)
        self.num_games = check_count("num_games", num_games)
        self.turn_based = game.turn_based
        self.num_rows = num_games if self.turn_based else 2 * num_games
        self.max_cycles = check_options(game, max_cycles, illegal_action, None)
        self.codes = np.full(num_games, game.first_decision, np.int64)
        self.cycles = np.zeros(num_games, np.int64)
        self.over = np.ones(num_games, np.bool_)
        self.turned = np.zeros(self.num_rows, np.bool_)
        self._streams = streams(None, num_games)
        starts, chances = game.start_codes, game.start_probabilities
        if exploring is not None:
            starts = np.concatenate((starts, exploring))
            chances = np.concatenate((chances / 2, np.full(len(exploring), 0.5 / len(exploring))))
        self._config = BatchConfig(starts, np.cumsum(chances)[:-1], 0, self.max_cycles, ON_ILLEGAL[illegal_action])
        self._memory = np.zeros((num_games, 0))
        self._all_games, self._nobody = np.arange(num_games), np.zeros(0, np.int64)
        self._seats = (np.zeros(num_games, np.int64), np.ones(num_games, np.int64))
        self._movers = np.zeros(num_games, np.int64)

    def seed(self, seed: int | None) -> None:
        """Sets the random streams of the games; takes effect at the next restart.

        Raises:
            UsageError: the seed is not a whole number of at least 0.
        """
        self._streams = streams(seed, self.num_games)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Returns the running games, not copies: writing into them changes the batch."""
        state = self._games(self._movers)
        return {"codes": state.codes, "movers": state.seats, "cycles": state.cycles, "over": state.over,
                "streams": state.streams}  # fmt: skip

    def restart(self) -> None:
        """Restarts every game."""
        self._restart(self._all_games)

    @property
    def seats(self) -> Ints:
        """The player to whom each row belongs ``[B]``."""
        return self._movers if self.turn_based else np.concatenate(self._seats)

    def view(self) -> BatchObservation:
        """Returns the observation of the player of each row."""
        return self._look(self._all_games)

    def others(self) -> Features:
        """Returns what the other player than that of a row observes ``[B, features]``, for critics that see all."""
        seats = (1 - self._movers,) if self.turn_based else self._seats[::-1]
        return np.concatenate([self._seen(self._all_games, one).observations for one in seats])

    def observations(self) -> Features:
        """Returns the observation in each row ``[B, features]``, ``[B, encoding.width]`` if it is encoded."""
        return self.view().observations

    def masks(self) -> Mask:
        """Returns the legal actions in each row ``[B, actions]``."""
        return self.view().masks

    def step_and_restart(self, actions: Ints) -> StepResult:
        """Plays an action in every row ``[B]``, then restarts finished games.

        Returns:
            As of :meth:`nashzoo.envs.vector.game_batch.GameBatch.step_and_restart`, by rows. Rewards are those of the
            player who acted in the row. The final observation is that of the next player of the row; this
            matters in truncated games.

        Raises:
            UsageError: the number of actions differs from the number of rows, or one is no whole number; a game is not
                running; or the rules mix moves in turn and simultaneous moves.
        """
        actions = check_actions(actions, self.num_rows)
        if self.over.any() or (self.cycles >= self.max_cycles).any():
            raise NoGameRunningError("a game is not running: call restart() first")
        rows, size = self._all_games, self.num_games
        outcome = StepOutcome.zeros(size)
        asked, replies = (self._nobody, self._nobody) if self.turn_based else (rows, actions[size:])
        scratch = np.empty((2, size), np.int64)
        before = self._movers
        games = self._games(before)
        try:
            Kernels.advance(
                self.game.compiled, rows, actions[:size], asked, replies, self._config, games, outcome, *scratch
            )
        except ChanceError as error:
            self.over[:] = True
            raise self.game.chance_error(error) from None
        if self.turn_based:
            self._pass_on()
            self.turned = before != self._movers
        ended = np.flatnonzero(outcome.terminated | outcome.truncated)
        last = self._look(ended)
        self._restart(ended)
        if not self.turn_based:
            rewards, *ends = outcome
            outcome = StepOutcome(np.concatenate((rewards, 0.0 - rewards)), *(np.tile(end, 2) for end in ends))
            ended = np.concatenate((ended, ended + size))
        return StepResult(outcome, ended, last, self.view())

    def _games(self, seats: Ints) -> BatchState:
        return BatchState(self.codes, seats, self.cycles, self.over, self._memory, self._streams)

    def _restart(self, games: Ints) -> None:
        state = self._games(self._movers.copy())  # in which the learner gets seat 0
        try:
            Kernels.start(self.game.compiled, games, self._config, state, np.empty_like(games))
        except ChanceError as error:
            raise self.game.chance_error(error) from None
        if self.turn_based and len(games):
            self._pass_on()

    def _pass_on(self) -> None:
        """Assigns the rows to the players to move."""
        movers = np.empty_like(self.codes)
        Kernels.turn_all(self.game.compiled, self.codes, movers)
        if (at_once := (movers == BOTH) & ~self.over).any():
            state = self.game.spell(int(self.codes[at_once][0]))
            raise UsageError(f"the players of {self.game} move in turn at its start, but at once at {state}")
        self._movers = np.where(self.over, self._movers, movers)  # nobody moves when it is over, whatever ``turn`` says

    def _look(self, games: Ints) -> BatchObservation:
        """Returns the observations in the rows of some games."""
        views = [self._seen(games, seats) for seats in ((self._movers,) if self.turn_based else self._seats)]
        return views[0] if self.turn_based else BatchObservation(*map(np.concatenate, zip(*views, strict=True)))

    def _seen(self, games: Ints, seats: Ints) -> BatchObservation:
        """Returns what some seats observe in some games."""
        view = BatchObservation.empty(self.game, len(games))
        Kernels.look(self.game.compiled, games, self._games(seats), view)
        if self.encoding is None:
            return view
        return view._replace(observations=self.encoding.encode(view.observations))
