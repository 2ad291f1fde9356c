"""Records of matches: files of JSON lines, a line for each match, that can be played back. See ``docs/records.md``.

Reading a record plays it by the rules of the game; a record that breaks them is refused.
"""

import json
import mmap
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from nashzoo.agents import registry
from nashzoo.agents.notation import split_options
from nashzoo.arena.trajectory import SAME_REWARD, Trajectory
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import written_whole
from nashzoo.envs.base.json_text import json_value
from nashzoo.envs.base.modules import place_of
from nashzoo.envs.base.words import counted, printable
from nashzoo.envs.core.game import Game
from nashzoo.envs.registry import registered_game
from nashzoo.envs.rules.pieces import BOTH

KIND = "nashzoo match"
FORMAT = f"{KIND} 1"
SUFFIX = ".jsonl"
TERMINATED, TRUNCATED, UNFINISHED = "terminated", "truncated", "unfinished"
AGREED, FORFEITED, RESIGNED = "draw agreed", "forfeited", "resigned"
ENDINGS = (TERMINATED, TRUNCATED, UNFINISHED, AGREED, FORFEITED, RESIGNED)
OUR_GAMES = "nashzoo.envs.games."  # modules of games that have names


@dataclass(frozen=True)
class Record:
    """A match.

    Attributes:
        trajectory: The game and its time steps.
        players: The players' names with their options, player 0 first.
        ended: The kind of the end: ``terminated`` by the rules, ``truncated`` after ``max_cycles`` time steps,
            ``unfinished``, ``draw agreed``, ``forfeited`` by an illegal action, or ``resigned``.
        by: The players that forfeited or resigned.
        seed: Seed of the series of matches; None without a seed.
        number: Number of the match in the series, from 0.
        source: Argument of :func:`nashzoo.envs.make_game` that makes the game; if empty, :func:`source_of` finds it.
        version: The version of this package at the time of the match.
    """

    trajectory: Trajectory
    players: tuple[str, str]
    ended: str
    by: tuple[int, ...] = ()
    seed: int | None = None
    number: int = 0
    source: str = ""
    version: str = field(default_factory=lambda: version("nashzoo"))

    @property
    def game(self) -> Game:
        """The game, with its parameters."""
        return self.trajectory.game

    @property
    def points(self) -> float:
        """Player 0's points."""
        return outcome(self.trajectory, self.ended, self.by)

    def as_json(self) -> dict[str, Any]:
        """Returns the record as a dictionary for JSON."""
        played, game = self.trajectory, self.game
        steps: list[list[str | None]] = []
        for step in played.steps:
            movers = played.game.movers(step.before)
            steps.append([game.actions[step.actions[player]] if player in movers else None for player in (0, 1)])
        line: dict[str, Any] = {
            "format": FORMAT,
            "version": self.version,
            "game": self.source or source_of(game),
            "parameters": {name: value for name, value in game.options.items() if value is not None},
            "seed": self.seed,
            "match": self.number,
            "players": [described(player) for player in self.players],
            "start": _fields(game, played.start),
            "steps": steps,
            "rewards": [step.reward for step in played.steps],
            "ended": self.ended,
            "points": self.points,
        }
        if game.has_chance:
            line["chance"] = [
                None if step.after == step.stepped else _fields(game, step.after) for step in played.steps
            ]
        return line | ({"by": list(self.by)} if self.by else {})


def outcome(played: Trajectory, ended: str, by: Iterable[int] = ()) -> float:
    """Returns player 0's points; 0 for an agreed draw; see :meth:`nashzoo.envs.core.game.Game.forfeited`."""
    if ended == AGREED:
        return 0.0
    return played.game.forfeited(played.code, played.points, by) if by else played.points


def source_of(game: Game) -> str:
    """Returns the argument of :func:`nashzoo.envs.make_game` for a game: its name, or the place of its rules."""
    rules: Any = game.rules.written
    if not isinstance(rules, ModuleType) or rules.__name__.startswith(OUR_GAMES):
        return str(game.name)
    place = place_of(rules)
    return place if "." in place else str(rules.__file__)  # make_game takes modules whose names have a dot


def described(player: str) -> dict[str, Any]:
    """Returns the entry of a player in a record: name, options, and title if it has one."""
    name, options = split_options(player)
    known = registry.entries()
    return {"name": name, "options": options} | ({"title": known[name].title} if name in known else {})


def append(path: str | Path, records: Iterable[Record]) -> None:
    """Writes records at the end of a file, which is made with its folder if it does not exist.

    Each record is written before the next is taken. An incomplete last line, of a killed writer, is removed.

    Raises:
        UsageError: the file holds something else.
        OSError: it cannot be written.
    """
    path = Path(path)
    check_target(path)
    for record in records:
        line = json.dumps(record.as_json(), ensure_ascii=False, default=int) + "\n"
        with path.open("ab") as file:
            file.write(line.encode())  # closed at once, so that it is on disk whole


def write(path: str | Path, records: Iterable[Record]) -> None:
    """Writes records into a new file, or replaces an old one, after all are written."""
    with written_whole(path) as temporary:
        append(temporary, records)
        temporary.touch()


def gather(folder: Path, path: Path) -> None:
    """Moves the records of all files of a folder, in the order of their names, into one file; removes the folder."""
    with written_whole(path) as temporary, temporary.open("wb") as whole:
        for part in sorted(folder.glob(f"*{SUFFIX}")):
            with part.open("rb") as file:
                shutil.copyfileobj(file, whole)
    shutil.rmtree(folder)


def check_target(path: str | Path) -> None:
    """Checks that records can be written to a file; an incomplete last line, of a killed writer, is removed.

    Raises:
        UsageError: the file holds something else.
        OSError: it cannot be written.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        size = file.tell()
        file.seek(0)
        if size and KIND.encode() not in file.readline():
            raise UsageError(f"{path} exists and holds no records of matches; choose another file")
        if size:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                end = content.rfind(b"\n") + 1
            if end < size:
                os.truncate(path, end)


def read(path: str | Path, make: Callable[..., Game] = registered_game) -> Iterator[Record]:
    """Yields the matches of a file, each played by the rules.

    An incomplete last line, of a killed writer, is left out.

    Args:
        path: The file.
        make: Called with the name of a match's game and its parameters; with :func:`nashzoo.envs.make_game` a record
            can have a module loaded, which runs its code.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: a line is no record, or a match breaks the rules; the message names line and move.
    """
    for number, line in lines_of(path):
        yield _parsed_in(path, number, line, make)


def _parsed_in(path: str | Path, number: int, line: str, make: Callable[..., Game]) -> Record:
    try:
        return parsed(line, make)
    except UsageError as error:
        raise UsageError(f"{path}, line {number}{error}") from None


def nth(path: str | Path, number: int, make: Callable[..., Game] = registered_game) -> Record:
    """Returns one match of a file, see :func:`read`; the first is 1.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it has no such match, or the match breaks the rules.
    """
    count = 0
    for count, line in lines_of(path):
        if count == number:
            return _parsed_in(path, count, line, make)
    raise UsageError(f"{path} holds {counted(count, 'match')}; there is no match {number}")


def lines_of(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yields the complete lines of a file with their numbers, from 1.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it is no text.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no file {path}")
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield number, line.decode()
            except UnicodeDecodeError:
                raise UsageError(f"{path}, line {number}: this is no record of a match") from None


def parsed(text: str, make: Callable[..., Game] = registered_game) -> Record:
    """Returns the match of a line, played by the rules, see :func:`read`.

    Raises:
        UsageError: it is no record, or breaks the rules. The message begins with a colon, or the number of a move.
    """
    try:
        line = json_value(text)
    except UsageError:
        line = None
    if not isinstance(line, dict) or not str(line.get("format", "")).startswith(KIND):
        raise UsageError(": this is no record of a match")
    if line["format"] != FORMAT:
        raise UsageError(f": the format is {line['format']!r}; this version of nashzoo reads {FORMAT!r}")
    try:
        return _record(line, make)
    except _BrokenMove as error:
        raise UsageError(str(error)) from None
    except KeyError as error:
        raise UsageError(f": the record has no {error}") from None
    except (UsageError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f": {error}") from None


class _BrokenMove(UsageError):
    """A move breaks the rules."""


def _record(line: Mapping[str, Any], make: Callable[..., Game]) -> Record:
    game = make(line["game"], **line["parameters"])
    played = Trajectory(game, _code(game, line["start"]))
    if played.over:
        raise UsageError("the game is over where the match starts")
    if game.turn(played.start) not in (0, 1, BOTH):
        raise UsageError("nobody chooses where the match starts")
    steps, rewards = line["steps"], line["rewards"]
    chance = line["chance"] if game.has_chance else [None] * len(steps)
    if not len(steps) == len(rewards) == len(chance):
        raise UsageError("steps, rewards and what chance decided must be equally many")
    for number, (names, reward, decided) in enumerate(zip(steps, rewards, chance, strict=True), 1):
        try:
            after = None if decided is None else _code(game, decided)
            played.follow(*_actions(played, names), after, float(reward))
        except (UsageError, TypeError, ValueError) as error:
            raise _BrokenMove(f", move {number}: {error}") from None
    ended, by = line["ended"], tuple(line.get("by", ()))
    if ended not in ENDINGS:
        raise UsageError(f"ended must be one of {', '.join(ENDINGS)}, not {ended!r}")
    if played.over != (ended == TERMINATED):
        state = "is over" if played.over else "goes on"
        raise UsageError(f"the match is said to be {ended}, but the game {state} after its last move")
    if bool(by) != (ended in (FORFEITED, RESIGNED)) or not set(by) <= {0, 1}:
        raise UsageError(f"by must name the players who forfeited or resigned, not {list(by)}")
    players = line["players"]
    if len(players) != 2:
        raise UsageError(f"a match has two players, not {len(players)}")
    names = tuple(called(player) for player in players)
    record = Record(played, (names[0], names[1]), ended, by, line["seed"], line["match"], line["game"], line["version"])
    if abs(record.points - float(line["points"])) > SAME_REWARD:
        raise UsageError(f"the match brought player 0 {record.points:g} points, not {line['points']:g}")
    return record


def _actions(played: Trajectory, names: Any) -> tuple[int, int]:
    """Returns the actions of a time step by their names."""
    game, movers = played.game, played.game.movers(played.code)
    if not isinstance(names, list) or len(names) != 2:
        raise UsageError(f"a time step has two actions, null for a player who is not to move, not {names!r}")
    actions = [0, 0]
    for player, name in enumerate(names):
        if player not in movers and name is not None and not played.over:
            raise UsageError(f"player {player} played {name}, but is not to move")
        if player in movers:
            if name not in game.actions:
                raise UsageError(f"player {player} played {name}; the actions are {', '.join(game.actions)}")
            actions[player] = game.actions.index(name)
    return actions[0], actions[1]


def called(player: Mapping[str, Any]) -> str:
    """Returns the name and options of a player's entry in a record.

    Raises:
        UsageError: its name is no text.

    >>> called({"name": "mcts", "options": {"simulations": 10}})
    'mcts(simulations=10)'
    """
    name, chosen = player["name"], player["options"]
    if not isinstance(name, str) or not name:
        raise UsageError(f"the name of a player is a text, not {name!r}")
    options = ", ".join(
        f"{option}={value if isinstance(value, str) else json.dumps(value) if isinstance(value, list) else value}"
        for option, value in chosen.items()
    )
    return printable(f"{name}({options})" if options else name)


def _fields(game: Game, code: int) -> dict[str, int]:
    return {name: int(value) for name, value in game.state(code)._asdict().items()}


def _code(game: Game, fields: Mapping[str, int]) -> int:
    missing = [name for name in game.field_maxima._fields if name not in fields]
    if missing:
        raise UsageError(f"a state of {game.name} has {', '.join(missing)}")
    return game.code(**fields)
