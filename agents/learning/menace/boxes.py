"""MENACE's matchboxes: their beads, the rewards, and the file of boxes. See ``docs/menace.md``.

There is a box for each state of tic-tac-toe, up to the eight symmetries, at which the player to move has a choice; the
last empty cell has no box. One shelf has the boxes of both sides; no box belongs to both. In a box, moves that
a symmetry of the state itself exchanges are one *kind* of move, and beads are counted by kind: the first cell of a
kind represents it.
"""

import dataclasses
import functools
import json
import zlib
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from nashzoo.baselines.states.listed import ListedStates
from nashzoo.baselines.states.space import NEVER
from nashzoo.envs import tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import write_text
from nashzoo.envs.base.json_text import json_value
from nashzoo.envs.core import kernels
from nashzoo.envs.core.checks import check_whole
from nashzoo.envs.core.game import Floats, Ints
from nashzoo.envs.games.tictactoe.rules import CELLS, SYMMETRIES
from nashzoo.envs.games.tictactoe.symmetry import canonical, decode
from nashzoo.envs.games.tictactoe.view import EMPTY_CELL, board_of

FORMAT = "nashzoo menace 2"
MOVES = 4  # at which a side has a choice, in the longest game
MOST = 1_000_000  # largest number of beads in a setting
BEADS = "a whole number of beads"

MOST_HELD = 2**53  # beads of a move

NO_BOX = -1

Per = Literal["cell", "kind"]


@dataclasses.dataclass(frozen=True)
class Settings:
    """The initial beads, and the changes after a game.

    Attributes:
        alpha: Initial beads of a move: one number, or four for a side's first, second, third and fourth move.
        per: What these beads are for: every empty ``"cell"``, so that untrained play is uniformly random, or every
            ``"kind"`` of move, as in Michie's boxes.
        beta: Beads added for every move of a won game.
        gamma: Beads taken away for every move of a lost game.
        delta: Beads added for every move of a drawn game.
        floor: Least number of beads of a move after losses. With 0 a box may run empty, and MENACE resigns there.

    Raises:
        UsageError: a number is out of its range.
    """

    alpha: int | tuple[int, int, int, int] = 4
    per: Per = "cell"
    beta: int = 1
    gamma: int = 1
    delta: int = 0
    floor: int = 1

    def __post_init__(self) -> None:
        alpha = (self.alpha,) * MOVES if isinstance(self.alpha, int) else tuple(self.alpha)
        if len(alpha) != MOVES:
            raise UsageError(f"alpha must be one number or {MOVES}, one for each move of a side, not {len(alpha)}")
        for number in alpha:
            check_whole("alpha", number, 1, MOST, BEADS)
        for name in ("beta", "gamma", "delta", "floor"):
            check_whole(name, getattr(self, name), 0, MOST, BEADS)
        if self.floor > min(alpha):
            raise UsageError(
                f"floor must be at most alpha, {min(alpha)} beads, for no move to begin below it, not {self.floor}"
            )
        if self.per not in get_args(Per):
            raise UsageError(f"per must be one of {', '.join(get_args(Per))}, not {self.per!r}")
        object.__setattr__(self, "alpha", alpha)

    def differences(self, others: "Settings") -> str:
        """Returns which of these settings are others, in words."""
        return ", ".join(
            f"{name} is {value}, not {getattr(others, name)}"
            for name, value in dataclasses.asdict(self).items()
            if value != getattr(others, name)
        )


PRESETS = {
    "classroom": Settings(),  # Siripragada and Kumaar (2022)
    "michie": Settings(alpha=(4, 3, 2, 1), per="kind", beta=3, gamma=1, delta=1, floor=0),  # Michie (1963)
}


def settings_of(name: str) -> Settings:
    """Returns the settings of a preset.

    Raises:
        UsageError: there is no such preset.
    """
    if not isinstance(name, str) or name not in PRESETS:
        raise UsageError(f"there is no preset {name!r} of MENACE; there are {', '.join(PRESETS)}")
    return PRESETS[name]


class Shelf(NamedTuple):
    """The boxes, and the map from the ``n`` states to them. The same for every MENACE."""

    states: ListedStates
    movers: Ints  # [n]
    boxes: Ints  # [n], NO_BOX where one cell is empty
    kinds: Ints  # [n, 9], the cell of the box that represents a move's kind, NEVER for taken cells
    shares: Floats  # [n, 9], of a move in its kind; 0 for taken cells
    codes: Ints  # [boxes], of the states on the boxes, by plies


@functools.cache
def shelf() -> Shelf:
    """Returns the shelf of boxes."""
    game = tictactoe_v0.game()
    states = ListedStates(game)
    movers = np.empty(len(states), np.int64)
    kernels.turn_all(game.compiled, states.codes, movers)
    images, ways = canonical(states.codes)
    kinds = np.full((len(states), CELLS), NEVER)
    for number, code in enumerate(states.codes):
        for cell in game.legal_actions(int(code), int(movers[number])):
            kinds[number, cell] = min(
                symmetry[SYMMETRIES[ways[number]][cell]] for symmetry in _own(int(images[number]))
            )
    same = (kinds[:, :, None] == kinds[:, None, :]) & (kinds != NEVER)[:, :, None]
    shares = np.zeros(kinds.shape)
    np.divide(1.0, same.sum(axis=2), out=shares, where=kinds != NEVER)
    choice = (kinds != NEVER).sum(axis=1) > 1
    codes = np.unique(images[choice])
    codes = codes[np.argsort([_marks(int(code)) for code in codes], kind="stable")]
    by_code = {int(code): number for number, code in enumerate(codes)}
    boxes = np.array([by_code.get(int(code), NO_BOX) for code in images])
    return Shelf(states, movers, boxes, kinds, shares, codes)


@functools.cache
def _own(code: int) -> tuple[tuple[int, ...], ...]:
    """Returns the symmetries of a state itself."""
    return tuple(symmetry for image, symmetry in tictactoe_v0.game().images(code) if image == code)


def _marks(code: int) -> int:
    return CELLS - board_of(decode(code)).count(EMPTY_CELL)


class Boxes:
    """All matchboxes of one MENACE.

    Attributes:
        beads: By box and cell ``[boxes, 9]``; a kind's beads are in the cell that represents it.
    """

    def __init__(self, settings: Settings = PRESETS["classroom"]) -> None:
        self.settings = settings
        self.beads = first_beads(settings).copy()

    def find(self, code: int) -> tuple[int, Ints]:
        """Returns the number of a state's box, and the cell in it of every move ``[9]``, ``NEVER`` where illegal.

        The number is ``NO_BOX`` where one cell is empty.

        Raises:
            UsageError: the state is unreachable or terminal.
        """
        known = shelf()
        if code not in known.states:
            raise UsageError(f"play does not lead to {board_of(decode(code))}, or is over there")
        number = int(known.states.ids(code))
        return int(known.boxes[number]), known.kinds[number]

    @property
    def num_empty(self) -> int:
        """The number of empty boxes."""
        return int((self.beads.sum(axis=1) == 0).sum())

    def policy(self, numbers: Ints) -> Floats:
        """Returns the probability of every move at states of the shelf ``[B, 9]``, in proportion to the beads.

        A kind's probability is divided equally among its moves. An empty box has its initial policy, since
        resignation is not possible in exact computations.
        """
        known = shelf()
        boxes, shares = known.boxes[numbers], known.shares[numbers]
        forced = (boxes == NO_BOX)[:, None]
        beads = np.take_along_axis(self._drawn()[boxes], np.maximum(known.kinds[numbers], 0), axis=1)
        weights = np.where(forced, shares, beads * shares)
        policy: Floats = weights / weights.sum(axis=1, keepdims=True)
        return policy

    def _drawn(self) -> Ints:
        empty = self.beads.sum(axis=1) == 0
        return np.where(empty[:, None], first_beads(self.settings), self.beads) if empty.any() else self.beads

    def reward(self, moves: list[tuple[int, int]], points: float) -> None:
        """Changes the beads after a game.

        Args:
            moves: The states at which this MENACE moved, and the cells it marked.
            points: Its points: 1, 0 or -1.
        """
        settings = self.settings
        for code, cell in moves:
            box, kinds = self.find(code)
            if box == NO_BOX:
                continue
            beads = self.beads[box]
            if points < 0:
                beads[kinds[cell]] -= min(settings.gamma, max(0, beads[kinds[cell]] - settings.floor))
            else:
                beads[kinds[cell]] += settings.beta if points > 0 else settings.delta

    def as_json(self) -> dict[str, Any]:
        """Returns the settings and the beads, for a file."""
        codes = shelf().codes
        boards = {board_of(decode(int(code))): row.tolist() for code, row in zip(codes, self.beads, strict=True)}
        return {"settings": dataclasses.asdict(self.settings), "boxes": boards}

    @classmethod
    def from_json(cls, content: Any, source: str) -> "Boxes":
        """Returns the boxes that :meth:`as_json` described.

        Raises:
            UsageError: it describes no such boxes; the message begins with ``source``.
        """
        try:
            alpha, boards = content["settings"]["alpha"], dict(content["boxes"])
            unknown = sorted(content["settings"].keys() - {field.name for field in dataclasses.fields(Settings)})
            if unknown:
                raise ValueError(f"there is no setting {', '.join(unknown)}")
            settings = Settings(**content["settings"] | {"alpha": tuple(alpha) if isinstance(alpha, list) else alpha})
        except KeyError as error:
            raise UsageError(f"{source} lacks {error}") from None
        except (TypeError, ValueError) as error:
            raise UsageError(f"{source} has wrong settings: {error}") from None
        boxes = cls(settings)
        for number, (code, kinds) in enumerate(zip(shelf().codes.tolist(), boxes.beads > 0, strict=True)):
            board = board_of(decode(code))
            if board not in boards:
                raise UsageError(f"{source} lacks the box {board}")
            row = boards.pop(board)
            if not isinstance(row, list) or [type(beads) for beads in row] != [int] * CELLS or min(row) < 0:
                raise UsageError(f"{source}: the box {board} must be {CELLS} whole numbers of beads, not {row!r}")
            misplaced = [cell for cell in range(CELLS) if row[cell] and not kinds[cell]]
            if misplaced:
                known = ", ".join(map(str, np.flatnonzero(kinds)))
                raise UsageError(f"{source}: the box {board} has beads on cell {misplaced[0]}; they belong on {known}")
            if max(row) > MOST_HELD:
                raise UsageError(f"{source}: the box {board} has {max(row)} beads; there can be {MOST_HELD} of a move")
            boxes.beads[number] = row
        if boards:
            raise UsageError(f"{source} has a box {next(iter(boards))!r}, which is none of MENACE's")
        return boxes


@functools.cache
def first_beads(settings: Settings) -> Ints:
    """Returns the beads of untrained boxes ``[boxes, 9]``."""
    known = shelf()
    beads = np.zeros((len(known.codes), CELLS), np.int64)
    alpha = np.array(settings.alpha)
    for box, number in enumerate(known.states.ids(known.codes)):
        for cell in np.flatnonzero(known.kinds[number] != NEVER):
            kind = known.kinds[number, cell]
            beads[box, kind] += alpha[_marks(int(known.codes[box])) // 2] * (settings.per == "cell" or cell == kind)
    return beads


def signed(content: dict[str, Any]) -> dict[str, Any]:
    """Returns the contents of a file of boxes: ``content`` with the format and a checksum."""
    content = {"format": FORMAT} | content
    return content | {"checksum": _checksum(content)}


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Writes a file of boxes as JSON, with a line for each box, the other entries of ``content`` and a checksum."""
    boxes = ",\n".join(f'    "{board}": {json.dumps(row)}' for board, row in content["boxes"].items())
    rest = {name: value for name, value in signed(content).items() if name != "boxes"}
    head = json.dumps(rest, indent=2).removesuffix("\n}")
    write_text(path, f'{head},\n  "boxes": {{\n{boxes}\n  }}\n}}\n')


def _checksum(content: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


def read_json(path: str | Path) -> dict[str, Any]:
    """Returns the contents of a file that :func:`write_json` wrote.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it is another file, or damaged.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        content = json_value(path.read_bytes())
    except UsageError as error:
        raise UsageError(f"{path} holds no boxes of MENACE: it is not JSON ({error})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UsageError(f"{path} holds no boxes of this version of MENACE (its format must be {FORMAT!r})")
    if content.pop("checksum", None) != _checksum(content):
        raise UsageError(f"{path} is damaged: it is not what was written; put a copy back, or train anew")
    return content


def load(path: str | Path) -> Boxes:
    """Returns the boxes in a file.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it holds no boxes of MENACE, or they are damaged.
    """
    return Boxes.from_json(read_json(path), str(path))


def load_with(path: str | Path, settings: Settings | None) -> Boxes:
    """Returns the boxes in a file, which must have these settings, unless they are None.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it holds no boxes of MENACE, they are damaged, or have other settings.
    """
    boxes = load(path)
    if settings is not None and settings != boxes.settings:
        differences = boxes.settings.differences(settings)
        raise UsageError(f"the boxes in {path} have settings of their own: {differences}; leave out those, or the file")
    return boxes
