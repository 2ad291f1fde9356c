"""Text about matches for people: lines no wider than the terminal, and "you" for the reader's player."""

import inspect
import re
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

from nashzoo.envs.base.words import noun, signed, wrapped
from nashzoo.envs.core.game import Game
from nashzoo.envs.drawing.palette import SIDES
from nashzoo.envs.drawing.view import View

LEAST_OFTEN = 0.005  # probability of an action that is named
NOT_COMPUTED = "no exact figure, for this opponent remembers the past, or searches."


def wrapped_fields(state: str) -> str:
    """Returns a state as text with its lines broken between fields to the width of the terminal."""
    width, lines = shutil.get_terminal_size().columns, [""]
    for field in re.findall("[^,]+,?", state):
        if lines[-1] and len(lines[-1]) + len(field) > width:
            lines.append("")
        lines[-1] += field
    return "\n".join(lines)


def sentence(text: str) -> str:
    """Returns text as a sentence.

    >>> sentence("crosses marked 4")
    'Crosses marked 4.'
    """
    return f"{text[:1].upper()}{text[1:]}" + "." * (not text.endswith("."))


def sides(game: Game) -> tuple[str, str]:
    """Returns the players' names for people: their colours, where the game has no names for them."""
    return SIDES if game.view.PLAYERS == View.PLAYERS else game.view.PLAYERS


def sided(game: Game, text: str) -> str:
    """Returns a text with the players' names for people.

    >>> from nashzoo.envs import footsies_v0
    >>> sided(footsies_v0.game(), "player 0: blocks 3")
    'red: blocks 3'
    """
    return re.sub(r"\bplayer ([01])\b", lambda match: sides(game)[int(match[1])], text)


def addressed(game: Game, text: str, seat: int | None, other: str = "the other") -> str:
    """Returns the text with "you" for the player in ``seat``; with both players' names if ``seat`` is None.

    >>> from nashzoo.envs import tictactoe_v0
    >>> addressed(tictactoe_v0.game(), "noughts marked 4", 0)
    'the other marked 4'
    """
    text = sided(game, text)
    if seat is None:
        return text
    own, rival = sides(game)[seat], sides(game)[1 - seat]
    names = {f"{own}'s": "your", own: "you", rival: other}
    return re.sub(rf"\b({'|'.join(map(re.escape, names))})\b", lambda match: names[match[1]], text)


def happened(game: Game, lines: Sequence[str], seat: int | None = None, other: str = "the other") -> str:
    """Returns the lines as sentences addressed to ``seat``, without repetitions."""
    return wrapped("\n".join(sentence(addressed(game, line, seat, other)) for line in dict.fromkeys(lines)))


def points_text(points: float) -> str:
    """Returns points with their sign; 0 without one.

    >>> points_text(-0.0), points_text(2.5)
    ('0', '+2.5')
    """
    return signed(points, "g") if points else "0"


def introduced(game: Game) -> tuple[str, str]:
    """Returns a game's title and a sentence about it, which the docstring of its rules begins with."""
    first = (game.rules.__doc__ or "").strip().partition("\n")[0].partition(". ")[0].rstrip(".").replace("``", "")
    title, colon, about = first.partition(": ")
    if not colon:
        title, about = re.sub(r"_v\d+$", "", game.name).replace("_", " "), first
    title, about = title[:1].upper() + title[1:], about[:1].upper() + about[1:]
    return title, f"{about}." if about else ""


def titled(game: Game) -> str:
    """Returns a game's title, and its parameters that are not the default.

    >>> from nashzoo.envs import bodega_brawl_v0, roshambo_v0
    >>> titled(bodega_brawl_v0.game(preset="small")), titled(roshambo_v0.game(rounds=20))
    ('Bodega Brawl, small', 'Roshambo, rounds 20')
    """
    known = game.rules.signature.parameters
    options = (f"{name} {value}" for name, value in game.options.items() if value != known[name].default)
    return ", ".join([introduced(game)[0], *(text.removeprefix("preset ").replace("_", " ") for text in options)])


def meanings(kind: Any) -> dict[str, str]:
    """Returns the meanings of the fields of a class, such as a game's ``Params``, which are in its docstring."""
    documented = inspect.cleandoc(kind.__doc__ or "")
    found = re.findall(r"^ {4}(\w+): ((?:.+\n?)(?: {8}.+\n?)*)", documented, re.MULTILINE)
    return {name: re.sub(r"\s+", " ", text.replace("``", "")).strip() for name, text in found}


def of_draws(game: Game) -> str:
    """Returns a sentence on how points are counted; empty where both players' payoffs add up to 0."""
    return f" A draw is 0: half of the {game.constant_sum:g} that both get is taken off." if game.constant_sum else ""


def mixture(probabilities: Mapping[str, float]) -> str:
    """Returns the actions that are played, the most likely first.

    >>> mixture({"Attack": 0.0, "Block": 0.25, "Grab": 0.75})
    'Grab: 75%, Block: 25%'
    """
    often = sorted(probabilities.items(), key=lambda pair: -round(pair[1], 6))
    return ", ".join(f"{name}: {share:.0%}" for name, share in often if share >= LEAST_OFTEN)


class Tally:
    """The number of matches that one player won, drew and lost."""

    def __init__(self, word: str = "") -> None:
        self._word, self._taken_off = word, 0.0
        self.points: list[float] = []

    def __str__(self) -> str:
        won, lost = sum(points > 0 for points in self.points), sum(points < 0 for points in self.points)
        drawn = len(self.points) - won - lost
        points = sum(self.points) + self._taken_off
        return f"{self._word}won {won}, drawn {drawn}, lost {lost}; {points_text(points)} {noun(points, 'point')}"

    def add(self, points: float, taken_off: float = 0.0) -> None:
        """Adds a match with these points, of which so many had been taken off so that 0 is a draw."""
        self.points.append(points)
        self._taken_off += taken_off
