"""Solutions on disk: large games are solved once, and their solutions stored and mapped into memory from then on.

A solution is one file, see :mod:`nashzoo.envs.base.array_files`. Its metadata have the game, its parameters, and the
certificate. Its one array has the values of the even numbers, see :mod:`nashzoo.baselines.states.indexed`. The file
contains no code.

The values are written as they are made. After each layer the file notes its largest loss and the checksum of its
values; so after an interruption, or the loss of the process, the work goes on with the layer that was not finished.
"""

import contextlib
import hashlib
import itertools
import json
import time
import zlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import platformdirs

from nashzoo.baselines.certificate.checker import Progress
from nashzoo.baselines.certificate.layers import Storage, Workers
from nashzoo.baselines.forms import solve
from nashzoo.baselines.layered_solution import LayeredSolution, solve_layers
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.envs.base.array_files import ArrayFile, GrowingFile, growing_file, read_arrays, write_arrays
from nashzoo.envs.base.errors import BusyError, UsageError
from nashzoo.envs.base.progress import note, say, showing
from nashzoo.envs.core.game import Game
from nashzoo.envs.registry import registered_game

FORMAT, SUFFIX = "nashzoo solution 1", ".safetensors"
UNFINISHED_FORMAT = "nashzoo unfinished solution 1"
PROVEN = "proven"  # among the metadata of an unfinished file: the loss and the checksum of each layer
REMEDY = "delete a solution to have it made anew"
WAIT = 0.2  # seconds until the next look at what another process makes
WORTH_KEEPING = 1_000_000  # states; solving fewer takes less time than reading a file


def solution_of(
    game: Game, path: Path | None = None, progress: Progress | None = None, workers: Workers | None = None
) -> Solution:
    """Returns the exact solution of a game: from its file if there is one, else solved with a progress bar, and stored.

    If it cannot be stored in the cache folder, for example on a full disk, a message is printed on standard error.

    Args:
        game: The game.
        path: The file; one in the user's cache folder when None, and for small games no file.
        progress: Called during the work, instead of the bar.
        workers: Do parts of the work elsewhere, see :func:`nashzoo.baselines.layered_solution.solve_layers`.

    Raises:
        OSError: the file at the path cannot be written.
        UsageError: the file is damaged, or is not the solution of this game; or a path is given for a small game,
            whose solution is not stored; or there is too little room on the disk.
    """
    if game.indexed_rules is None:
        if path is not None:
            raise UsageError(f"solutions of {game.name} are not kept in files: they take no time to compute")
        with showing() if progress is None else contextlib.nullcontext(progress) as show:
            return solve(game, progress=show)
    states = IndexedStates(game)
    file = default_path(game) if path is None else path
    if path is None and len(states) < WORTH_KEEPING:
        return solve_layers(states, workers=workers)
    if file.is_dir():
        raise UsageError(f"{file} is a folder; name a file for the solution")
    if file.exists():
        return open_solution(game, file)
    with showing() if progress is None else contextlib.nullcontext(progress) as show:
        if path is not None:
            return _solved_into(file, states, show, workers)
        try:
            return _solved_once(file, states, show, workers)
        except (OSError, UsageError) as error:
            say(f"the solution cannot be kept: {error}")
        return solve_layers(states, show, workers=workers)


def _solved_once(file: Path, states: IndexedStates, progress: Progress, workers: Workers | None) -> LayeredSolution:
    """Solves a game into a file, or waits for another process that does."""
    waits = False
    while not file.exists():
        try:
            return _solved_into(file, states, progress, workers, replaces=True)
        except BusyError:
            if not waits:
                note(f"another command solves {states.game.name}; waiting for it")
            waits = True
            time.sleep(WAIT)
    return open_solution(states.game, file)


def _solved_into(
    file: Path, states: IndexedStates, progress: Progress, workers: Workers | None, replaces: bool = False
) -> LayeredSolution:
    """Solves a game into a file; goes on where an earlier process was interrupted."""
    described = _described(states.game)
    about = {"format": UNFINISHED_FORMAT, "game": described, "version": version("nashzoo")}
    with growing_file(file, about, "values", len(states) // 2, replaces) as growing:
        certificate = _filled(growing, states, progress, workers)
        growing.finish({"format": FORMAT, "game": described, "certificate": repr(certificate)})
    return _mapped(states, _opened(file))


def _filled(growing: GrowingFile, states: IndexedStates, progress: Progress, workers: Workers | None) -> float:
    """Writes the values of a game that are missing; returns the certificate."""
    bounds = (states.bounds // 2).tolist()
    noted = []
    for (first, last), (loss, checksum) in zip(
        itertools.pairwise(bounds), json.loads(growing.metadata.get(PROVEN, "[]")), strict=False
    ):
        if zlib.crc32(growing.array[first:last].data) != checksum:
            break
        noted.append((loss, checksum))

    def finished(loss: float) -> None:
        first, last = bounds[len(noted) : len(noted) + 2]
        noted.append((loss, zlib.crc32(growing.array[first:last].data)))
        growing.note({PROVEN: json.dumps(noted)})

    storage = Storage(growing.array, [loss for loss, _ in noted], finished)
    return solve_layers(states, progress, storage, workers).certificate


def default_path(game: Game) -> Path:
    """Returns the path of the solution of a game: in the user's cache folder, a file for each set of parameters."""
    digest = hashlib.sha256(_described(game).encode()).hexdigest()[:12]
    return platformdirs.user_cache_path("nashzoo") / "solutions" / f"{game.name}-{digest}{SUFFIX}"


def save(solution: LayeredSolution, path: Path) -> None:
    """Writes a solution atomically; meanwhile readers find the file before, or none."""
    metadata = {"format": FORMAT, "game": _described(solution.game), "certificate": repr(solution.certificate)}
    write_arrays(path, metadata, {"values": solution.stored})


def game_in(path: Path, make: Callable[..., Game] = registered_game) -> Game:
    """Returns the game of a solution's file, by its metadata.

    Args:
        path: The file.
        make: Called with the game's name and its parameters; with :func:`nashzoo.envs.make_game` the file can have a
            module loaded, which runs its code.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it is damaged, or is no solution of an existing game.
    """
    metadata = _opened(path).metadata
    try:
        said = json.loads(metadata["game"])
        return make(said.pop("name"), **said)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise UsageError(f"{path} does not say which game it solves: {error}") from None


def open_solution(game: Game, path: Path) -> LayeredSolution:
    """Maps a solution into memory; parts are read when needed.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it is damaged, or is not the solution of this game.
    """
    solution = _opened(path)
    if solution.metadata.get("game") != _described(game):
        raise UsageError(f"{path} is the solution of {solution.metadata.get('game')}, not of {_described(game)}")
    states = IndexedStates(game)
    about = {name: (array.dtype.name, array.shape) for name, array in solution.arrays.items()}
    if about != {"values": ("float64", (len(states) // 2,))} or not solution.is_whole:
        raise UsageError(f"{path} is damaged: it is not what was written; {REMEDY}")
    return _mapped(states, solution)


def _mapped(states: IndexedStates, solution: ArrayFile) -> LayeredSolution:
    return LayeredSolution(states, solution.arrays["values"], float(solution.metadata["certificate"]))


def _opened(path: Path) -> ArrayFile:
    """Returns a file's contents.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it is no solution; not all damages are noticed.
    """
    try:
        solution = read_arrays(path, "not a solution")
    except UsageError as error:
        raise UsageError(f"{error}; {REMEDY}") from None
    if solution.metadata.get("format") != FORMAT:
        kind = solution.metadata.get("format", "")
        if kind == UNFINISHED_FORMAT:
            raise UsageError(f"{path} is not finished; give the command that was interrupted again to go on")
        if not kind.startswith(FORMAT.rpartition(" ")[0]):
            raise UsageError(f"{path} is not a solution, but a file of another kind{f' ({kind})' * bool(kind)}")
        raise UsageError(f"{path} is not a solution of this version of nashzoo ({FORMAT}); {REMEDY}")
    return solution


def _described(game: Game) -> str:
    options = {name: value for name, value in game.options.items() if value is not None}
    return json.dumps(
        {"name": game.name, **options}, sort_keys=True, default=int
    )  # JSON does not accept NumPy's numbers
