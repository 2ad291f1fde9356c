"""A match as a sequence of pages: each a state and the moves that led to it."""

import re
from collections.abc import Sequence

from nashzoo.app.shared.words import happened, sided, sides
from nashzoo.arena import records
from nashzoo.arena.records import Record
from nashzoo.arena.trajectory import Trajectory
from nashzoo.envs.base.words import counted, signed, wrapped
from nashzoo.envs.core.game import Game
from nashzoo.envs.text.steps import step_lines


def heading(game: Game, players: tuple[str, str], number: int, of: int | None = None) -> str:
    """Returns the number of the match, and its players."""
    which = f"game {number}" if of is None else f"game {number} of {of}"
    lines = [f"{game}, {which}", *(f"{who}: {player}" for who, player in zip(sides(game), players, strict=True))]
    return wrapped("\n".join(lines))


def named(game: Game, line: str, players: Sequence[str]) -> str:
    """Returns a line on a match with the name of each player behind its side, once; without where both are the same.

    >>> from nashzoo.envs import footsies_v0
    >>> named(footsies_v0.game(), "player 0 played Grab, player 1 played Grab", ("mcts(simulations=9)", "nash"))
    'player 0 (mcts) played Grab, player 1 (nash) played Grab'
    """
    short = [re.split(r"[\\/]", player.partition("(")[0])[-1] for player in players]
    for side, name in zip(game.view.PLAYERS, short, strict=True):
        if short[0] != short[1] and name != side:
            line = re.sub(rf"\b{re.escape(side)}\b", lambda match, name=name: f"{match[0]} ({name})", line, count=1)  # type: ignore[misc]
    return line


def page(trajectory: Trajectory, number: int, seats: Sequence[int] = (), players: Sequence[str] = ("", "")) -> str:
    """Returns a description of the time step with this number, and the state after it; 0 for the start.

    With ``seats`` it has only what all these players see, also of the number of steps, and is empty where they see
    nothing happen. The names of ``players`` stand behind their sides.
    """
    game = trajectory.game
    state = f"\n{sided(game, game.text(trajectory.shown(number, seats), seats))}"
    if number == 0:
        return state
    lines = step_lines(game, trajectory.steps[number - 1], seats)
    if seats and not lines:
        return ""
    heading = f"\n{number}. " if not seats else "\n"
    lines = [named(game, line, players) for line in lines[:1]] + lines[1:]
    return f"{heading}{happened(game, lines)}{state}"


def ending(record: Record, reason: str = "") -> str:
    """Returns a sentence on the end of a match and its result."""
    names, points = sides(record.game), record.points
    length = counted(len(record.trajectory.steps), "time step")
    who = " and ".join(names[player] for player in record.by)
    how = {
        records.TERMINATED: f"Over after {length}",
        records.TRUNCATED: f"Cut off after {length}",
        records.UNFINISHED: f"Left unfinished after {length}",
        records.AGREED: f"A draw agreed after {length}",
        records.FORFEITED: f"Forfeited after {length} by {who}",
        records.RESIGNED: f"Resigned after {length} by {who}",
    }[record.ended]
    how = f"{how} ({reason})" if reason else how
    won = counted(record.game.points(abs(points)), "point")
    result = f"{names[int(points < 0)]} won, {won}" if points else "a draw"
    return f"{how}: {result}." if record.ended != records.UNFINISHED else f"{how}."


def luck_text(game: Game, points: float, luck: float, known: Sequence[bool]) -> str:
    """Returns a sentence on points and luck in seat 0, and another one if a player's probabilities were not known."""
    text = f"Luck of {sides(game)[0]}: {signed(luck)}; luck-adjusted points: {signed(game.points(points - luck))}."
    if all(known):
        return text
    whose = [player for player, are_known in zip(sides(game), known, strict=True) if are_known]
    return f"{text} {f'Only the probabilities of {whose[0]} were known.' if whose else 'No probabilities were known.'}"
