"""The table of OpenSpiel's games says what is found."""

import csv
import subprocess
import sys

import pytest

from packages import ROOT
from studies.openspiel_table import KEPT, PAGE, SOLVED, limited, page, tried


def rows() -> dict[str, dict[str, str]]:
    return {row["game"]: row for row in csv.DictReader(KEPT.read_text().splitlines())}


def test_the_page_has_what_was_kept() -> None:
    assert page([*rows().values()]) in PAGE.read_text()


def test_all_its_games_are_in_the_table() -> None:
    pytest.importorskip("pyspiel")
    asked = "from studies.openspiel_table import names; print(*names())"  # other tests register games with OpenSpiel
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, cwd=ROOT)
    assert sorted(rows()) == done.stdout.split()


@pytest.mark.parametrize("name", ["kuhn_poker", "nim", "matrix_mp", "blotto", "rbc"])
def test_rows_are_found_again(name: str) -> None:
    pytest.importorskip("pyspiel")
    found = {field: str(value) for field, value in tried(name).items()}
    assert found.items() <= rows()[name].items()


@pytest.mark.slow
def test_each_game_has_a_process() -> None:
    pytest.importorskip("pyspiel")
    assert limited("matrix_mp")["result"] == SOLVED and limited("xyzzy")["says"].startswith(
        "OpenSpiel has no game xyzzy"
    )
