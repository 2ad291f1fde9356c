"""Players that look ahead: minimax and alpha-beta search of turn-based games, with or without chance."""

import contextlib
import threading
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from nashzoo.agents.basic.checks import check_positive, check_turn_based
from nashzoo.agents.search.alphabeta_kernel import IN_A_ROW, ManyEventsError, Options, alphabeta, new_table
from nashzoo.agents.search.evaluation import Evaluation, evaluation_of
from nashzoo.agents.search.minimax_kernel import Results, minimax
from nashzoo.baselines.solvers.threaded_loops import in_parts
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core import kernels
from nashzoo.envs.core.agent import NoPolicyError, PolicyAgent
from nashzoo.envs.core.checks import check_count, check_flag, check_seen, name_of
from nashzoo.envs.core.game import Bools, Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.kernels import ChanceError

DEPTH = 4


class LookingAhead(PolicyAgent):
    """Base class of the searching players; see :class:`MinimaxAgent`.

    Attributes:
        nodes: Number of states visited in all searches so far.
    """

    slow = True

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        *,
        depth: int = DEPTH,
        evaluation: str | Evaluation | None = None,
        weights: str | Mapping[str, float] = "",
        hurry: bool = True,
    ) -> None:
        check_seen(game, f"{name_of(self)} needs the whole state")
        check_turn_based(self, game)
        super().__init__(game, seed)
        self.depth = check_count("depth", depth)
        self.evaluation = evaluation_of(game, evaluation, weights, self.depth)
        self.hurry = check_flag("hurry", hurry)
        self.nodes = 0
        self._latest: tuple[int, float, int, int] | None = None  # state, value, nodes and depth of the latest search

    def search(self, codes: Ints) -> Results:
        """Searches at states ``[B]``.

        Raises:
            UsageError: the outcomes of chance at a state are no distribution, or there are too many chance events in
                a row.
        """
        codes = np.ascontiguousarray(codes, np.int64)
        results = Results(np.empty_like(codes), np.empty(len(codes)), np.empty_like(codes), np.empty_like(codes))
        try:
            in_parts(lambda rows: self._search(codes[rows], results.part(rows)), len(codes))
        except ChanceError as error:
            raise self.game.chance_error(error) from None
        except ManyEventsError as error:
            state = self.game.spell(int(error.args[0]))
            raise UsageError(
                f"{name_of(self)} searches at most {IN_A_ROW} chance events in a row; in {self.game.name} there are "
                f"more, at {state}"
            ) from None
        self.nodes += int(results.nodes.sum())
        if len(codes):
            self._latest = int(codes[-1]), float(results.values[-1]), int(results.nodes[-1]), int(results.depths[-1])
        return results

    @abstractmethod
    def _search(self, codes: Ints, results: Results) -> None:
        """Searches at states ``[B]`` and fills ``results``; called from several threads."""

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns 1 for the move found, 0 for others ``[B, actions]``."""
        return np.eye(self.game.num_actions)[self._moves(observations)]

    def explain(self, observation: Features, action: int) -> str:
        """Returns the value that the search found for its choice, to the player, and the work that it did."""
        codes, players = self.states_of(observation[None])
        if self._latest is None or self._latest[0] != codes[0]:
            return ""
        _, value, nodes, depth = self._latest
        value *= 1 - 2 * int(players[0])
        return f"{self.game.actions[action]}: {value:+.2f} evaluation points, {nodes:,} states to depth {depth}"

    def _moves(self, observations: Features) -> Ints:
        """Returns the moves found ``[B]``, and 0 for the player who is not to move."""
        codes, players = self.states_of(observations)
        movers = np.empty_like(players)
        kernels.turn_all(self.game.compiled, codes, movers)
        different, rows = np.unique(codes[movers == players], return_inverse=True)
        moves = np.zeros_like(codes)
        moves[movers == players] = self.search(different).moves[rows]
        return moves


class MinimaxAgent(LookingAhead):
    """Searches all lines of play to a depth, see :mod:`nashzoo.agents.search.minimax_kernel`.

    In games with chance it is expectiminimax, see :mod:`nashzoo.agents.search.alphabeta_kernel`.

    Args:
        game: The game, a turn-based one.
        seed: As for every player; nothing is random here.
        depth: Moves to look ahead; chance events do not count.
        evaluation: The evaluation of states where the search ends: the name of one of the game's, its default when
            None, or one of your own.
        weights: Weights of the evaluation to change, as a dictionary or as text, ``"ball=4,goal=0.5"``.
        hurry: Whether a point counts one evaluation point more for each move that it is earlier. Without it all wins
            are equal, and the player may delay a win for ever.

    Raises:
        UsageError: the game is not turn-based, a number is out of its range, or there is no such evaluation or weight.
    """

    def _search(self, codes: Ints, results: Results) -> None:
        game, function, weights = self.game.compiled, self.evaluation.function, self.evaluation.vector()
        if self.game.has_chance:
            options = Options(self.depth, self.hurry, deepening=False, ordering=False, prune=False)
            alphabeta(game, function, weights, options, new_table(0), np.zeros(1, np.bool_), codes, results)
        else:
            minimax(game, function, weights, self.depth, self.hurry, codes, results)


class AlphaBetaAgent(LookingAhead):
    """Plays exactly as :class:`MinimaxAgent` does, but visits fewer states.

    Args:
        game: The game, a turn-based one.
        seed: As for every player; nothing is random here.
        depth: Moves to look ahead, at most.
        evaluation: As for :class:`MinimaxAgent`.
        weights: As for :class:`MinimaxAgent`.
        hurry: As for :class:`MinimaxAgent`.
        seconds: Time for each decision: the search goes deeper until it is over, or ``depth`` is reached. The depth
            reached depends on the machine, so that the player is no policy of the state alone.
        deepening: Whether to search to depth 1, 2, ... in turn rather than at once to ``depth``; always with
            ``seconds``.
        ordering: Whether to try promising moves first; in games with chance moves are tried by number.
        transposition_table: Number of states in the table, a power of two; 0 for none. The table is kept between
            decisions.

    Raises:
        UsageError: as for :class:`MinimaxAgent`; or the transposition table's size is no power of two.
    """

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        *,
        depth: int = DEPTH,
        evaluation: str | Evaluation | None = None,
        weights: str | Mapping[str, float] = "",
        hurry: bool = True,
        seconds: float | None = None,
        deepening: bool = True,
        ordering: bool = True,
        transposition_table: int = 1 << 18,
    ) -> None:
        super().__init__(game, seed, depth=depth, evaluation=evaluation, weights=weights, hurry=hurry)
        self.seconds = None if seconds is None else check_positive("seconds", seconds)
        self.deepening = check_flag("deepening", deepening) or seconds is not None
        self.ordering = check_flag("ordering", ordering)
        self.transposition_table = check_count("transposition_table", transposition_table, 0)
        if self.transposition_table & (self.transposition_table - 1):
            raise UsageError(f"transposition_table must be a power of two, or 0, not {transposition_table}")
        self._transposition_tables: list[Ints] = []  # not in use

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_transposition_tables": []}

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns 1 for the move found, 0 for others ``[B, actions]``.

        Raises:
            NoPolicyError: the search has a time limit.
        """
        if self.seconds is not None:
            raise NoPolicyError("a search against the clock does not always find the same move; leave seconds out")
        return super().action_probabilities(observations, action_masks)

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Plays the moves that the search chose."""
        return self._moves(observations), memory

    def likeliest(self, observations: Features, memory: Floats, masks: Mask) -> tuple[Ints, Floats]:
        """Plays the moves that the search chose."""
        return self._moves(observations), memory

    def _search(self, codes: Ints, results: Results) -> None:
        try:
            table = self._transposition_tables.pop()
        except IndexError:  # all are in use
            table = new_table(self.transposition_table)
        game, function, weights = self.game.compiled, self.evaluation.function, self.evaluation.vector()
        ordering = self.ordering and not self.game.has_chance
        options = Options(self.depth, self.hurry, self.deepening, ordering, prune=True)
        for rows in [slice(None)] if self.seconds is None else [slice(k, k + 1) for k in range(len(codes))]:
            with _set_after(self.seconds) as stop:
                alphabeta(game, function, weights, options, table, stop, codes[rows], results.part(rows))
        self._transposition_tables.append(table)


@contextlib.contextmanager
def _set_after(seconds: float | None) -> Iterator[Bools]:
    """Yields an array of one element, which becomes True after ``seconds``; never if that is None."""
    flag = np.zeros(1, np.bool_)
    if seconds is None:
        yield flag
        return
    clock = threading.Timer(seconds, flag.fill, (True,))
    clock.start()
    try:
        yield flag
    finally:
        clock.cancel()


class GreedyAgent(AlphaBetaAgent):
    """Looks one move ahead, and takes the move with the best evaluation.

    Args:
        game: The game, a turn-based one.
        seed: As for every player; nothing is random here.
        evaluation: As for :class:`MinimaxAgent`.
        weights: As for :class:`MinimaxAgent`.

    Raises:
        UsageError: the game is not turn-based, or there is no such evaluation or weight.
    """

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        *,
        evaluation: str | Evaluation | None = None,
        weights: str | Mapping[str, float] = "",
    ) -> None:
        super().__init__(game, seed, depth=1, evaluation=evaluation, weights=weights, transposition_table=0)
