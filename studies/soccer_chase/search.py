"""The depth that a search needs to play chases correctly, and its results in whole games."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nashzoo.agents.search.minimax import AlphaBetaAgent
from nashzoo.baselines.state_values import best_response_values
from nashzoo.baselines.states.listed import OVER
from nashzoo.envs.core.game import Bools, Floats, Ints
from studies.soccer_chase.field import Field
from studies.soccer_chase.tables import Table, count, part, percent

LONGEST = 200  # moves, of a game
GAME_DEPTHS = (1, 2, 3, 4, 5, 6)
BLIND = "blocked=0"  # the weight of a hunter between the holder and the goal it attacks
BLINDED: dict[str, Any] = {"depth": 4, "evaluation": "handmade", "weights": BLIND}
NEAR_THE_END = 3  # columns of the holder's end of the field, where chases end


def search_table(field: Field, depths: Sequence[int]) -> Table:
    """Returns the mistakes of alpha-beta players of some depths in chases, by the exact solution."""
    rows = []
    for depth in depths:
        agent = AlphaBetaAgent(field.game, depth=depth)
        chosen = agent.search(field.codes).moves
        worth_after = np.take_along_axis(field.worth_after, chosen[:, None], axis=1)[:, 0]
        holder, hunter = against_best(field, chosen)
        won = field.chases & (field.worth == 1)
        drawn = field.chases & (field.worth == 0)
        rows.append(
            (
                str(depth),
                part(worth_after < 1, won & field.to_move),
                part(holder < 1, won),
                part(worth_after == 1, drawn & ~field.to_move),
                part(hunter == 1, drawn),
            )
        )
    header = ("depth", "won: move throws it away", "does not win", "drawn, as hunter: move loses", "is beaten")
    return Table("Alpha-beta in chases", header, rows)


def against_best(field: Field, chosen: Ints) -> tuple[Floats, Floats]:
    """Returns the values of states to the holder ``[n]`` with this player as holder, and with it as hunter.

    The other side plays a best response.
    """
    states = field.solution.states
    worth = np.zeros((2, len(chosen)))
    side = np.where(field.ball == 2, -1, 1)
    for player in (0, 1):
        table = np.zeros((len(chosen), field.game.num_actions))
        table[np.arange(len(chosen)), np.where(field.turn == player, chosen, 0)] = 1.0
        values, _ = best_response_values(states, table, 1 - player)
        holds = field.ball == 1 + player
        worth[0, holds] = (side * values)[holds]
        worth[1, ~holds] = (side * values)[~holds]
    return worth[0], worth[1]


class GameRecords(NamedTuple):
    """One game from each start, of a player against itself."""

    numbers: Ints  # [moves + 1, games], the states, OVER after the end
    results: Floats  # [games], to red

    def ever(self, where: Bools) -> Bools:
        """Returns for each game whether a state of some kind occurs ``[games]``."""
        found: Bools = np.any((self.numbers >= 0) & where[np.maximum(self.numbers, 0)], axis=0)
        return found


def play(field: Field, chosen: Ints) -> GameRecords:
    """Plays a game from each start state.

    Args:
        field: The field.
        chosen: The player's move at each state ``[n]``.
    """
    now = field.solution.states.ids(field.game.start_codes)
    side = np.where(field.ball == 2, -1, 1)
    numbers, results = [now], np.zeros(len(now))
    for _ in range(LONGEST):
        here = np.maximum(now, 0)
        after = np.where(now >= 0, field.after[here, chosen[here]], OVER)
        ends = (now >= 0) & (after < 0)
        results[ends] = (side[:, None] * field.worth_after)[here, chosen[here]][ends]
        numbers.append(after)
        now = after
    return GameRecords(np.array(numbers), results)


def game_table(field: Field) -> Table:
    """Returns the number of games with a chase to the holder's end, and their results."""
    players: dict[str, dict[str, Any]] = {f"depth {depth}": {"depth": depth} for depth in GAME_DEPTHS}
    players["depth 4, handmade"] = {"depth": 4, "evaluation": "handmade"}
    players[f"depth 4, handmade, {BLIND}"] = BLINDED
    rows = []
    for name, options in players.items():
        played = play(field, AlphaBetaAgent(field.game, **options).search(field.codes).moves)
        chased = played.ever(chased_to_the_end(field))
        through = side_steps(field, played)
        rows.append(
            (
                name,
                percent(~played.ever(field.held), np.ones_like(chased)),
                percent(played.results != 0, np.ones_like(chased)),
                count(chased),
                count(chased & given_away(field, played)),
                count(through),
            )
        )
    header = (
        "both players",
        "nobody takes the ball",
        "a goal",
        "chases to the end",
        "ball given away",
        "side-step and goal",
    )
    return Table(f"Games from the {len(field.game.start_codes):,} starts", header, rows)


def slip_table(field: Field) -> Table:
    """Returns the mistakes of the blinded player after which holders chased to their own end side-step and score."""
    chosen = blinded(field)
    played = play(field, chosen)
    slips: Counter[tuple[str, str, str]] = Counter()
    for game in np.flatnonzero(side_steps(field, played)):
        numbers = played.numbers[:, game]
        k = last_drawn(field, numbers[numbers >= 0])
        row = min(int(field.y[k]), field.height + 1 - int(field.y[k]))
        slips[str(field.x[k]), f"{row} or {field.height + 1 - row}", f"{field.ahead[k]}, {field.aside[k]}"] += 1
    rows = [(*where, str(times)) for where, times in sorted(slips.items())]
    header = ("the holder's column", "row", "hunter ahead, aside", "games")
    return Table(f"Where the hunter slips, at depth 4 with handmade and {BLIND}", header, rows)


def blinded(field: Field) -> Ints:
    """Returns the moves ``[n]`` of a player of depth 4 whose evaluation ignores a blocked way to the goal."""
    return AlphaBetaAgent(field.game, **BLINDED).search(field.codes).moves


def last_drawn(field: Field, numbers: Ints) -> int:
    """Returns the last state of a game that is a draw."""
    return int(numbers[np.flatnonzero(field.worth[numbers] == 0)[-1]])


def chased_to_the_end(field: Field) -> Bools:
    """Returns whether the holder is to move in opposition, in the columns before its own goal line ``[n]``."""
    chased: Bools = field.opposition & field.to_move & (field.x <= NEAR_THE_END)
    return chased


def side_steps(field: Field, played: GameRecords) -> Bools:
    """Returns for each game whether a holder chased to its own end scores without losing the ball ``[games]``."""
    last, _ = _last_chase(field, played)
    scored: Bools = (last > 0) & (played.results == np.where(last == 1, 1, -1))
    return scored & ~given_away(field, played)


def given_away(field: Field, played: GameRecords) -> Bools:
    """Returns for each game whether a holder loses the ball after a chase to its own end ``[games]``."""
    _, lost = _last_chase(field, played)
    return lost


def _last_chase(field: Field, played: GameRecords) -> tuple[Ints, Bools]:
    """Returns the holder last chased to its own end, 0 for none, and whether such a holder lost the ball."""
    chased = chased_to_the_end(field)
    who = np.zeros(played.numbers.shape[1], np.int64)
    lost = np.zeros(len(who), np.bool_)
    for numbers in played.numbers:
        on = numbers >= 0
        ball = field.ball[np.maximum(numbers, 0)]
        lost |= on & (who > 0) & (ball != who)
        who = np.where(on & chased[np.maximum(numbers, 0)], ball, who)
    return who, lost
