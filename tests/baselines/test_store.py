"""Solutions in files: what was written comes back, or an error says what is wrong, and nothing is half done."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import table_games
from command import Command
from nashzoo import agents
from nashzoo.baselines import exploitability, solve, store
from nashzoo.baselines.certificate import layers
from nashzoo.baselines.layered_solution import LayeredSolution
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.baselines.store import default_path, open_solution, save, solution_of
from nashzoo.envs import bodega_brawl_v0, footsies_v0
from nashzoo.envs.base.array_files import write_arrays
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core import reachable
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.reachable import TooManyStatesError
from processes import wait_until
from table_games import solved
from windows import leave_open_files

TINY = table_games.game("tiny")
SMALL = table_games.game("small")
OTHER = table_games.game("tiny", "sudden_death")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that stands for the user's cache, so that no test touches the real one."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: folder / name)
    return folder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with the solution of ``TINY``."""
    file = tmp_path / "tiny.safetensors"
    save(solved(TINY), file)
    return file


def no_solving(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> Any:
        raise AssertionError("it was solved")

    for name in ("solve", "solve_layers"):
        monkeypatch.setattr(store, name, refuse)


class TestRoundTrip:
    def test_what_was_written_comes_back(self, tmp_path: Path) -> None:
        before = solved(SMALL)
        file = tmp_path / "new" / "folder" / "solution.safetensors"
        save(before, file)
        after = open_solution(SMALL, file)
        assert after.values.half.tobytes() == before.values.half.tobytes()
        assert (after.certificate, after.num_states, after.game) == (before.certificate, 6860, SMALL)
        codes = table_games.all_codes(SMALL)
        for written, read in zip(before.strategies(codes), after.strategies(codes), strict=True):
            assert (written == read).all()
        assert list(file.parent.iterdir()) == [file]

    def test_the_values_are_mapped_not_read_and_cannot_be_changed(self, path: Path) -> None:
        half = open_solution(TINY, path).values.half
        assert isinstance(half, np.memmap) and half.mode == "r"
        with pytest.raises(ValueError, match="read-only"):
            half[0] = 1.0

    def test_anyone_can_read_it(self, path: Path) -> None:
        assert load_file(path)["values"].tolist() == solved(TINY).values.half.tolist()
        with safe_open(path, framework="np") as file:
            metadata = file.metadata()
        assert json.loads(metadata["game"]) == {"name": "bodega_brawl_v0", "preset": "tiny", "double_ko": "draw"}
        assert float(metadata["certificate"]) == solved(TINY).certificate
        assert set(metadata) == {"format", "game", "certificate", "arrays", "checksum"}

    def test_numbers_of_numpy_say_the_same(self, tmp_path: Path) -> None:
        game = bodega_brawl_v0.game(preset="tiny", head_limit=np.int64(1))
        file = tmp_path / "file"
        save(solved(game), file)
        assert open_solution(bodega_brawl_v0.game(preset="tiny", head_limit=1), file).certificate <= 1e-12

    def test_a_file_in_use_can_be_replaced(self, path: Path) -> None:
        before = open_solution(TINY, path)
        values = before.values.half.tolist()
        save(LayeredSolution(before.states, np.zeros(48), 0.0), path)
        assert before.values.half.tolist() == values
        assert (open_solution(TINY, path).values.half == 0).all()


def with_bytes(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Returns what changes the bytes of a file."""
    return lambda path: path.write_bytes(change(path.read_bytes())) and None


def with_metadata(change: Callable[[dict[str, str]], dict[str, str]]) -> Callable[[Path], None]:
    """Returns what changes what a file says of itself."""

    def write(path: Path) -> None:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata()
        save_file(load_file(path), path, change(metadata))

    return write


def with_tensors(**tensors: Any) -> Callable[[Path], None]:
    """Returns what writes other tensors, with their checksum."""

    def write(path: Path) -> None:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata()
        write_arrays(path, {name: metadata[name] for name in ("format", "game", "certificate")}, tensors)

    return write


def flipped(whole: bytes, place: int, bit: int) -> bytes:
    changed = bytearray(whole)
    changed[place] ^= 1 << bit
    return bytes(changed)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "nothing in it": with_bytes(lambda whole: b""),
    "the length of the header alone": with_bytes(lambda whole: whole[:8]),
    "no values": with_bytes(lambda whole: whole[: -48 * 8]),
    "a byte too many": with_bytes(lambda whole: whole + b"\0"),
    "zeros": with_bytes(lambda whole: bytes(len(whole))),
    "text": with_bytes(lambda whole: b"value,certificate\n0,0\n"),
    "a long header": with_bytes(lambda whole: b"\xff" * 8 + whole[8:]),
    "a pickle": with_bytes(lambda whole: b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x07nothing\x94."),
    "no tensors": with_tensors(),
    "other tensors": with_tensors(weight=np.zeros(48)),
    "more tensors": with_tensors(values=np.zeros(48), weight=np.zeros(1)),
    "too few values": with_tensors(values=np.zeros(47)),
    "too many values": with_tensors(values=np.zeros(49)),
    "values of another shape": with_tensors(values=np.zeros((1, 48))),
    "values of single precision": with_tensors(values=np.zeros(48, np.float32)),
    "values that are whole numbers": with_tensors(values=np.zeros(48, np.int64)),
    **{
        f"{name} {text}": with_metadata(lambda metadata, name=name, text=text: metadata | {name: text})
        for name in ("format", "game", "certificate", "checksum")
        for text in ("", "0.0")
    },
    **{
        f"no {name}": with_metadata(lambda metadata, name=name: {key: metadata[key] for key in metadata if key != name})
        for name in ("format", "game", "certificate", "checksum")
    },
}


class TestDamage:
    @pytest.mark.parametrize("damage", DAMAGES)
    def test_a_damaged_file_is_refused_and_left_alone(
        self, damage: str, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        DAMAGES[damage](path)
        spoilt = path.read_bytes()
        no_solving(monkeypatch)
        for reader in (open_solution, solution_of):
            refused = r"tiny\.safetensors is (.*; delete a solution|the solution|.*another kind)"
            with pytest.raises(ValueError, match=refused):
                reader(TINY, path)
        assert path.read_bytes() == spoilt

    def test_no_bit_can_flip_unnoticed(self, path: Path) -> None:
        whole = path.read_bytes()
        for place in range(len(whole)):
            path.write_bytes(flipped(whole, place, place % 8))
            with pytest.raises(ValueError, match=r"tiny\.safetensors is"):
                open_solution(TINY, path)
        path.write_bytes(whole)
        open_solution(TINY, path)

    @pytest.mark.parametrize(
        ("metadata", "message"),
        [
            (None, "is not a solution, but a file of another kind$"),
            ({"format": "nashzoo learner 2"}, r"is not a solution, but a file of another kind \(nashzoo learner 2\)$"),
            ({"format": "nashzoo solution 0"}, r"is not a solution of this version of nashzoo \(nashzoo solution 1\)"),
        ],
    )
    def test_tensors_of_others(self, path: Path, metadata: dict[str, str] | None, message: str) -> None:
        save_file({"weight": np.ones(3)}, path, metadata)
        with pytest.raises(ValueError, match=message):
            open_solution(TINY, path)

    @pytest.mark.parametrize("game", [OTHER, SMALL, bodega_brawl_v0.game(preset="tiny", body_dual=1)], ids=str)
    def test_the_solution_of_another_game(self, game: Game, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        no_solving(monkeypatch)
        for reader in (open_solution, solution_of):
            with pytest.raises(ValueError, match=r'is the solution of \{"double_ko": "draw", "name": .*, not of \{"'):
                reader(game, path)
        assert path.exists()

    @pytest.mark.parametrize("make", [lambda path: None, Path.mkdir], ids=["missing", "a folder"])
    def test_no_file(self, make: Callable[[Path], None], tmp_path: Path) -> None:
        wanted = tmp_path / "solution"
        make(wanted)
        with pytest.raises(FileNotFoundError, match=f"there is no file {wanted}"):
            open_solution(TINY, wanted)


class TestLookUp:
    """``solution_of``: from a file if there is one, solved otherwise."""

    def test_it_is_solved_once_and_kept(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("FORCE_COLOR", "1")  # Rich then takes standard error for a terminal
        file = tmp_path / "there" / "small.safetensors"
        first = solution_of(SMALL, file)
        out, err = capsys.readouterr()
        assert out == "" and "states" in err  # a bar, where it spoils no output
        assert [each.name for each in file.parent.iterdir()] == ["small.safetensors"]
        no_solving(monkeypatch)
        again = solution_of(SMALL, file)
        assert capsys.readouterr() == ("", "")
        assert isinstance(first, LayeredSolution) and isinstance(again, LayeredSolution)
        assert again.values.half.tobytes() == first.values.half.tobytes()

    def test_small_games_are_not_kept(self, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for game in (TINY, SMALL, footsies_v0.game()):
            solution_of(game)
        assert not cache.exists()
        assert capsys.readouterr() == ("", "")

    def test_large_ones_are_kept_in_the_cache_a_file_for_each_set_of_parameters(
        self, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(store, "WORTH_KEEPING", 50)
        games = [TINY, OTHER, SMALL]
        solutions = [solution_of(game) for game in games]
        files = sorted(cache.rglob("*.*"))
        assert files == sorted(default_path(game) for game in games)
        assert {file.parent for file in files} == {cache / "nashzoo" / "solutions"}
        assert all(file.name.startswith("bodega_brawl_v0-") and file.suffix == ".safetensors" for file in files)
        no_solving(monkeypatch)
        for game, solution in zip(games, solutions, strict=True):
            assert solution_of(game).certificate == solution.certificate

    def test_the_size_worth_keeping_is_between_the_presets(self) -> None:
        sizes = [len(IndexedStates(table_games.game(preset))) for preset in ("small", "medium")]
        assert sizes[0] < store.WORTH_KEEPING < sizes[1]

    def test_parameters_that_are_left_out_are_those_of_the_preset(self) -> None:
        assert default_path(bodega_brawl_v0.game()) == default_path(table_games.game("large"))
        games = [table_games.game(preset, mode) for preset in ("large", "medium") for mode in ("draw", "sudden_death")]
        assert len({default_path(game) for game in games}) == 4

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="where caches are is for each system to say")
    def test_the_cache_is_the_users(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.undo()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
        assert default_path(TINY).parent == tmp_path / "home" / "nashzoo" / "solutions"

    def test_games_without_a_table_have_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="solutions of footsies_v0 are not kept in files"):
            solution_of(footsies_v0.game(), tmp_path / "footsies")
        assert not (tmp_path / "footsies").exists()


class Interrupted:
    """Progress that is interrupted when a number of states is done; it notes where the work began."""

    def __init__(self, error: type[BaseException], after: int) -> None:
        self.error, self.after = error, after
        self.begun: int | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        self.begun = done if self.begun is None else self.begun
        if done >= self.after:
            raise self.error


BOUNDS = (IndexedStates(SMALL).bounds // 2).tolist()


class TestInterruption:
    """The work goes on with the layer that was not finished, and ends with the same bits."""

    @pytest.fixture(autouse=True)
    def short_parts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(layers, "PART", 100)

    @pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
    def test_it_goes_on_after_an_interruption(self, error: type[BaseException], tmp_path: Path) -> None:
        file = tmp_path / "new" / "small.safetensors"
        for layer in (0, 2, 2, 5):  # interrupted within these
            progress = Interrupted(error, BOUNDS[layer] + 1)
            with pytest.raises(error):
                solution_of(SMALL, file, progress)
            assert [each.name for each in file.parent.iterdir()] == ["small.safetensors.unfinished"]
        progress = Interrupted(error, 10**9)
        solution = solution_of(SMALL, file, progress)
        assert progress.begun == BOUNDS[5]
        assert [each.name for each in file.parent.iterdir()] == ["small.safetensors"]
        assert isinstance(solution, LayeredSolution)
        assert solution.values.half.tobytes() == solved(SMALL).values.half.tobytes()
        assert solution.certificate == solved(SMALL).certificate == solution_of(SMALL, file).certificate

    def interrupted(self, folder: Path, game: Game = SMALL) -> Path:
        with pytest.raises(KeyboardInterrupt):
            solution_of(game, folder / "file", Interrupted(KeyboardInterrupt, BOUNDS[4] + 1))
        return folder / "file.unfinished"

    def begun(self, folder: Path, game: Game = SMALL) -> int | None:
        progress = Interrupted(KeyboardInterrupt, 10**9)
        solution = solution_of(game, folder / "file", progress)
        assert isinstance(solution, LayeredSolution)
        assert solution.values.half.tobytes() == solved(game).values.half.tobytes()
        return progress.begun

    def test_an_unfinished_file_says_so(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"file.unfinished is not finished; give the command .* again to go on"):
            open_solution(SMALL, self.interrupted(tmp_path))

    def test_the_command_says_how_to_go_on(
        self, nashzoo: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def stop(*arguments: Any, **options: Any) -> Any:
            raise KeyboardInterrupt

        monkeypatch.setattr(store, "solve_layers", stop)
        code, _, err = nashzoo(f"solve bodega_brawl_v0 --param preset=tiny --out {tmp_path / 'file'}")
        assert code == 130
        kept = f"what is finished is kept in {tmp_path / 'file.unfinished'}."
        assert f"Interrupted. Give the same command again to go on; {kept}" in err

    def test_values_that_were_changed_are_computed_again(self, tmp_path: Path) -> None:
        file = self.interrupted(tmp_path)
        whole = file.read_bytes()
        place = len(whole) - 8 * (BOUNDS[-1] - BOUNDS[2]) + 8
        file.write_bytes(flipped(whole, place, 1))
        assert self.begun(tmp_path) == BOUNDS[2]

    def test_a_file_without_a_note_is_begun(self, tmp_path: Path) -> None:
        file = self.interrupted(tmp_path)
        for content in (b"", bytes(file.stat().st_size)):  # killed at once, or when the place was reserved
            file.write_bytes(content)
            assert self.begun(tmp_path) == 0
            (tmp_path / "file").rename(file)

    @pytest.mark.parametrize("other", ["a damaged file", "another version", "another game", "a text"])
    @pytest.mark.parametrize("full", [False, True])
    def test_what_is_something_else_stays(
        self, other: str, full: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = self.interrupted(tmp_path)
        if other == "a damaged file":
            file.write_bytes(file.read_bytes()[:-1])
        if other == "a text":
            file.write_text("precious")
        if other == "another version":
            monkeypatch.setattr(store, "version", lambda name: "0.0.0")
        if full:
            fill(monkeypatch)
        before = file.read_bytes()
        with pytest.raises(UsageError, match=r"file.unfinished is not the beginning of .*file; remove it, or choose"):
            solution_of(OTHER if other == "another game" else SMALL, tmp_path / "file")
        assert file.read_bytes() == before

    def test_the_cache_is_begun_anew(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(store, "WORTH_KEEPING", 50)
        file = default_path(SMALL)
        file.parent.mkdir(parents=True)
        file.with_name(file.name + ".unfinished").write_text("of another version")
        solution_of(SMALL)
        assert [path.name for path in file.parent.iterdir()] == [file.name]

    def test_a_folder_is_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="is a folder; name a file for the solution"):
            solution_of(SMALL, tmp_path)

    def test_two_do_not_make_the_same_file(self, tmp_path: Path) -> None:
        def another(what: str, done: int, total: int) -> None:
            with pytest.raises(UsageError, match=r"another command is making .*file; wait until it ends"):
                solution_of(SMALL, tmp_path / "file")

        solution_of(SMALL, tmp_path / "file", another)

    def test_one_solves_and_others_wait_for_it(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(store, "WORTH_KEEPING", 50)
        others: list[Any] = []
        with ThreadPoolExecutor(1) as pool:

            def ask(what: str, done: int, total: int) -> None:
                if not others:
                    others.append(pool.submit(solution_of, SMALL, None, Interrupted(RuntimeError, 0)))
                    wait_until(lambda: "another command solves bodega_brawl_v0; waiting" in capsys.readouterr().err)

            first = solution_of(SMALL, None, ask)
            second = others[0].result()
        assert isinstance(first, LayeredSolution) and isinstance(second, LayeredSolution)
        assert first.values.half.tobytes() == second.values.half.tobytes()

    @pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="everything is allowed here")
    def test_a_folder_that_cannot_be_written(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o500)
        with pytest.raises(PermissionError):
            solution_of(TINY, tmp_path / "file")

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells which files are open")
    def test_a_solution_gets_its_name_where_no_open_file_can_be_renamed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        leave_open_files(monkeypatch)
        path = tmp_path / "file"
        assert solution_of(SMALL, path).start_value == solved(SMALL).start_value
        assert [file.name for file in tmp_path.iterdir()] == ["file"]

    @pytest.mark.slow
    @pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are killed otherwise here")
    def test_it_goes_on_after_it_was_killed(self, tmp_path: Path) -> None:
        # A process that is killed at any moment: longer and longer until one is finished.
        whole, file = tmp_path / "whole", tmp_path / "file"
        command = [sys.executable, "-m", "nashzoo.app", "solve", "bodega_brawl_v0", "--param", "preset=medium", "--out"]
        subprocess.run([*command, whole], check=True, capture_output=True)
        kills, seconds = 0, 0.1
        while not file.exists():
            process = subprocess.Popen([*command, file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
            seconds *= 1.2
        assert kills > 0
        assert file.read_bytes() == whole.read_bytes()


def fill(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets disks be full."""
    usage = type(shutil.disk_usage("."))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9 - 100, 100))


class TestRoom:
    """What is needed is said before the work."""

    @pytest.fixture(autouse=True)
    def full(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fill(monkeypatch)
        monkeypatch.setattr(store, "WORTH_KEEPING", 50)

    def test_on_the_disk(self, nashzoo: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        no_solving(monkeypatch)
        file = tmp_path / "file"
        code, out, err = nashzoo(f"solve bodega_brawl_v0 --param preset=large --out {file}")
        assert (code, out) == (2, "")
        assert err.endswith(f"nashzoo: {file} takes 0.12 GB, and 0.00 GB are free on its disk\n")
        assert list(tmp_path.iterdir()) == []

    def test_without_room_in_the_cache_it_is_solved_in_memory(
        self, cache: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        solution = solution_of(SMALL)
        assert isinstance(solution, LayeredSolution)
        assert solution.values.half.tobytes() == solved(SMALL).values.half.tobytes()
        assert "nashzoo: the solution cannot be kept: " in capsys.readouterr().err
        assert [path for path in cache.rglob("*") if path.is_file()] == []

    def test_in_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reachable, "available_memory", lambda: 1000)
        with pytest.raises(TooManyStatesError, match=r"takes 0\.\d\d GB of memory, and 0\.00 GB are left; with --out"):
            solve(SMALL)
        with pytest.raises(TooManyStatesError, match=r"measuring players of .* takes 0\.00 GB of memory, and 0\.00 GB"):
            exploitability(SMALL, agents.make("random", SMALL))


class TestPermissions:
    @pytest.mark.skipif(os.name != "posix", reason="there are no such permissions")
    @pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
    def test_others_may_read_it_if_the_user_lets_them(self, umask: int, mode: int, tmp_path: Path) -> None:
        before = os.umask(umask)
        try:
            save(solved(TINY), tmp_path / "file")
        finally:
            os.umask(before)
        assert (tmp_path / "file").stat().st_mode & 0o777 == mode
