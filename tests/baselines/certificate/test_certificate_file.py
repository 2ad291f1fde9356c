"""Certificates in files, and the program that checks them."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import certificates
import tree_game
from nashzoo.baselines import solve
from nashzoo.baselines.certificate import check_certificate
from nashzoo.baselines.certificate_file import write_certificate
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, make_game, roshambo_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.imported.matrix import matrix_game

PROGRAM = Path(check_certificate.__file__)
MOST_LINES = 150
EXACT = [
    ("nashzoo.examples.kuhn", {}, Fraction(-1, 18)),  # Kuhn (1950)
    ("nashzoo.examples.hidden_goofspiel", {"cards": 4}, Fraction(0)),  # a symmetric game
]


def proven(game: Game, path: Path, most: float | None = None) -> tuple[Fraction, Fraction]:
    """Writes and checks the certificate of a game; its value is that of the solution, with at most its error."""
    solution = solve(game)
    lower, upper = write_certificate(solution, path)
    assert list(map(Fraction, check_certificate.check(str(path))["value"])) == [lower, upper]
    gap = solution.certificate if most is None else most
    assert lower <= upper <= lower + Fraction(gap)
    estimate = solution.start_estimate
    assert estimate.lower <= upper and lower <= estimate.upper
    return lower, upper


@pytest.mark.parametrize(
    "game",
    [
        footsies_v0.game(),  # states recur, and players mix
        roshambo_v0.game(rounds=30),
        roshambo_v0.game(rounds=20, recall=2, payoff=[[0, -2, 3], [2, 0, -1], [-3, 1, 0]]),
        tictactoe_v0.game(),
        bodega_brawl_v0.game(preset="tiny"),
        soccer_v0.game(width=11, height=3, goal_height=1),  # states recur, and wins must not be put off
    ],
    ids=str,
)
def test_games_whose_states_are_seen(game: Game, tmp_path: Path) -> None:
    proven(game, tmp_path / "file")


@pytest.mark.parametrize(("name", "options", "value"), EXACT)
def test_values_that_are_known_are_exact(name: str, options: Any, value: Fraction, tmp_path: Path) -> None:
    assert proven(make_game(name, **options), tmp_path / "file") == (value, value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["leduc", "liars_dice", "pursuit", "littman_soccer", "goofspiel"])
def test_examples(name: str, tmp_path: Path) -> None:
    proven(make_game(f"nashzoo.examples.{name}"), tmp_path / "file")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_random_games(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    games = (
        matrix_game(rng.integers(-5, 6, rng.integers(1, 6, 2)).tolist()),
        make_game("nashzoo.examples.random_game", seed=seed),
        Game(tree_game, nodes=tree_game.random_tree(rng)),
    )
    for game in games:
        proven(game, tmp_path / "file")


def test_a_matrix_is_proven_in_fractions(tmp_path: Path) -> None:
    game = matrix_game([[3, -1], [-2, 1]])  # the mixes are 3/7 and 2/7; Washburn (2014) has the formula
    assert proven(game, tmp_path / "file") == (Fraction(1, 7), Fraction(1, 7))
    _, line = certificates.lines_of(tmp_path / "file")
    assert line["strategy"] == [["3/7", "4/7"], ["2/7", "5/7"]]


def test_the_program_stands_alone(tmp_path: Path) -> None:
    assert len(PROGRAM.read_text().splitlines()) <= MOST_LINES
    copied = tmp_path / "check.py"
    copied.write_text(PROGRAM.read_text())
    proven(make_game("nashzoo.examples.kuhn"), tmp_path / "file")
    alone = [sys.executable, "-I", "-S", str(copied)]
    right = subprocess.run([*alone, str(tmp_path / "file")], capture_output=True, text=True, check=True)
    assert right.stdout.startswith("yes: kuhn_v0 has a value from -1/18 to -1/18")
    for words, answer in (([str(tmp_path / "none")], "no:"), ([], "name a certificate:")):
        wrong = subprocess.run([*alone, *words], capture_output=True, text=True, check=False)
        assert (wrong.returncode, wrong.stderr[: len(answer)]) == (1, answer)


def test_bounds_that_are_no_floats_hold_too(tmp_path: Path) -> None:
    proven(make_game("nashzoo.examples.kuhn"), tmp_path / "file")
    head, *lines = certificates.lines_of(tmp_path / "file")
    (tmp_path / "file").write_bytes(certificates.written([head | {"value": [-(10**400), "-1/18"]}, *lines]))
    assert check_certificate.check(str(tmp_path / "file"))["about"] == ["-1.00000000e+400", "-0.0555555556"]
    for program in ([str(PROGRAM)], ["-m", "nashzoo.app", "verify"]):
        told = subprocess.run([sys.executable, *program, str(tmp_path / "file")], capture_output=True, text=True)
        assert (told.returncode, "about -1.00000000e+400 to -0.0555555556" in told.stdout) == (0, True)


@pytest.mark.parametrize(
    ("name", "key", "number", "truth"),
    [
        ("random_game", "state", "1", "true"),
        ("kuhn", "parent", "0", "false"),
        ("kuhn", "player", "1", "true"),
        ("kuhn", "payoff", "[1, ", "[true, "),
    ],
)
def test_truth_values_are_no_numbers(name: str, key: str, number: str, truth: str, tmp_path: Path) -> None:
    """The checker in JavaScript refuses them; in Python true equals 1."""
    proven(make_game(f"nashzoo.examples.{name}"), tmp_path / "file")
    text = certificates.written(certificates.lines_of(tmp_path / "file")).decode()
    changed = text.replace(f'"{key}": {number}', f'"{key}": {truth}', 1)
    assert changed != text
    (tmp_path / "file").write_bytes(certificates.written([json.loads(line) for line in changed.splitlines()[:-1]]))
    with pytest.raises(check_certificate.RefusedError, match="there is true"):
        check_certificate.check(str(tmp_path / "file"))


@pytest.mark.slow
def test_changed_certificates_are_refused(tmp_path: Path) -> None:
    kinds = set()
    for game in (
        roshambo_v0.game(rounds=2),
        make_game("nashzoo.examples.kuhn"),
        make_game("nashzoo.examples.pig", target=10),
    ):
        proven(game, tmp_path / "file")
        lines = certificates.lines_of(tmp_path / "file")
        (tmp_path / "same").write_bytes(certificates.written(lines))
        check_certificate.check(str(tmp_path / "same"))
        for kind, content in certificates.mutants(lines):
            (tmp_path / "changed").write_bytes(content)
            with pytest.raises(check_certificate.REFUSED):
                pytest.fail(
                    f"{game}: {kind} is accepted: {check_certificate.check(str(tmp_path / 'changed'))['value']}"
                )
            kinds.add(kind)
    assert len(kinds) >= 200


def test_a_win_cannot_be_put_off_for_ever(tmp_path: Path) -> None:
    """Player 0 claims to win from a state in which it stays: each step loses nothing, but the rank does not fall."""
    claim = {"state": 0, "name": "", "actions": [[0, 1], [0]], "strategy": [[1, 0], [1]]}
    claim |= {"next": [[[0, 0]], [[None, 1]]], "bounds": [[1, 5], [1, 5]]}
    head = {
        "format": check_certificate.FORMAT,
        "game": "",
        "value": [1, 1],
        "actions": ["stay", "win"],
        "start": [[0, 1]],
    }
    (tmp_path / "file").write_bytes(certificates.written([head, claim]))
    with pytest.raises(check_certificate.RefusedError, match="state 0"):
        check_certificate.check(str(tmp_path / "file"))
    claim["strategy"] = [[0, 1], [1]]
    (tmp_path / "file").write_bytes(certificates.written([head, claim]))
    check_certificate.check(str(tmp_path / "file"))
