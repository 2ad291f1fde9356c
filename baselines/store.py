"""Solutions on disk: large games are solved once, and their solutions stored and mapped into memory from then on.

A solution is one safetensors file. Its metadata have the game, its parameters, the certificate, and a checksum of all
of this and of the values. Its one tensor has the values of the even numbers, see
:mod:`nashzoo.baselines.states.indexed`. The file contains no code.
"""

import contextlib
import hashlib
import json
import struct
import sys
import zlib
from pathlib import Path
from typing import cast

import numpy as np
import platformdirs
from safetensors import SafetensorError, safe_open

from nashzoo.baselines.equilibrium import solve
from nashzoo.baselines.indexed_solution import IndexedSolution
from nashzoo.baselines.proof.checker import Progress
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import written_whole
from nashzoo.envs.base.progress import progress_bars
from nashzoo.envs.core.game import Floats, Game
from nashzoo.envs.registry import make_game

FORMAT = "nashzoo solution 1"
REMEDY = "if nashzoo wrote it, delete it to have it made anew"
ALIGNMENT = 8  # bytes, of the values in the file
WORTH_KEEPING = 1_000_000  # states; solving fewer takes less time than reading a file


def solution_of(game: Game, path: Path | None = None, progress: Progress | None = None) -> Solution:
    """Returns the exact solution of a game: from its file if there is one, else solved with a progress bar, and stored.

    If it cannot be stored, for example on a full disk, a message is printed on standard error.

    Args:
        game: The game.
        path: The file; one in the user's cache folder when None, and for small games no file.
        progress: Called during the work, instead of the bar.

    Raises:
        UsageError: the file is damaged, or is not the solution of this game; or a path is given for a small game,
            whose solution is not stored.
    """
    if game.numbers is None:
        if path is not None:
            raise UsageError(f"solutions of {game.name} are not kept in files: they take no time to compute")
        return solve(game)
    if path is None:
        if len(IndexedStates(game)) < WORTH_KEEPING:
            return solve(game)
        path = default_path(game)
    if path.exists():
        return open_solution(game, path)
    with progress_bars() if progress is None else contextlib.nullcontext(progress) as show:
        solution = cast(IndexedSolution, solve(game, progress=show))
    try:
        save(solution, path)
    except OSError as error:  # the solution took minutes, and is still valid
        sys.stderr.write(f"nashzoo: the solution could not be kept in {path}: {error}\n")
    return solution


def default_path(game: Game) -> Path:
    """Returns the path of the solution of a game: in the user's cache folder, a file for each set of parameters."""
    digest = hashlib.sha256(_described(game).encode()).hexdigest()[:12]
    return platformdirs.user_cache_path("nashzoo") / "solutions" / f"{game.name}-{digest}.safetensors"


def save(solution: IndexedSolution, path: Path) -> None:
    """Writes a solution atomically; meanwhile readers find the file before, or none."""
    values = np.ascontiguousarray(solution.values.half)
    metadata = {"format": FORMAT, "game": _described(solution.game), "certificate": repr(solution.certificate)}
    metadata["checksum"] = _checksum(metadata, values)
    with written_whole(path) as unfinished:
        _write(unfinished, metadata, values)


def _write(path: Path, metadata: dict[str, str], values: Floats) -> None:
    """Writes a safetensors file; the library's own writer leaves temporary files of other names when it is killed."""
    described = {"dtype": "F64", "shape": values.shape, "data_offsets": (0, values.nbytes)}
    header = json.dumps({"__metadata__": metadata, "values": described}).encode()
    header += b" " * (-len(header) % ALIGNMENT)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.write(values.data)


def game_in(path: Path) -> Game:
    """Returns the game of a solution's file, by its metadata.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it is damaged, or is no solution of an existing game.
    """
    metadata, _ = _header(path)
    try:
        said = json.loads(metadata["game"])
        return make_game(said.pop("name"), **said)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{path} does not say which game it solves: {error}") from None


def open_solution(game: Game, path: Path) -> IndexedSolution:
    """Maps a solution into memory; parts are read when needed.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it is damaged, or is not the solution of this game.
    """
    metadata, shapes = _header(path)
    if metadata.get("game") != _described(game):
        raise UsageError(f"{path} is the solution of {metadata.get('game')}, not of {_described(game)}")
    states = IndexedStates(game)
    damaged = UsageError(f"{path} is damaged: it is not what was written; {REMEDY}")
    if shapes != {"values": ("F64", [len(states) // 2])}:
        raise damaged
    values = np.memmap(path, np.float64, "r", _data_offset(path), (len(states) // 2,))
    if metadata.pop("checksum", None) != _checksum(metadata, values):
        raise damaged
    return IndexedSolution(states, values, float(metadata["certificate"]))


def _header(path: Path) -> tuple[dict[str, str], dict[str, tuple[str, list[int]]]]:
    """Returns a file's metadata, and the types and shapes of its tensors.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it is damaged, or no solution.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118  # no dict
            shapes = {name: (tensor.get_dtype(), tensor.get_shape()) for name, tensor in tensors.items()}
    except SafetensorError as error:
        raise UsageError(
            f"{path} is not a solution, or is damaged: {error}; if nashzoo wrote it, delete it to have it made anew"
        ) from None
    if metadata.get("format") != FORMAT:
        raise UsageError(f"{path} is not a solution of this version of nashzoo ({FORMAT}); {REMEDY}")
    return metadata, shapes


def _checksum(metadata: dict[str, str], values: Floats) -> str:
    """Returns a checksum of the certificate, the game and the values."""
    said = json.dumps(metadata, sort_keys=True).encode()
    return str(zlib.crc32(values.data, zlib.crc32(said)))


def _described(game: Game) -> str:
    options = {name: value for name, value in game.options.items() if value is not None}
    return json.dumps(
        {"name": game.name, **options}, sort_keys=True, default=int
    )  # JSON does not accept NumPy's numbers


def _data_offset(path: Path) -> int:
    """Returns the offset of the tensors: after the header's length, of eight bytes, and the header."""
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
    return 8 + int(length)
