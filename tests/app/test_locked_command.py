"""``nashzoo solve --lock``."""

import json
from pathlib import Path

import pytest

from command import Command
from nashzoo import agents
from nashzoo.baselines import best_response
from nashzoo.envs import footsies_v0, make_game


def test_whoever_is_fixed_everywhere_is_met_by_a_best_response(nashzoo: Command) -> None:
    for name, game in (("footsies_v0", footsies_v0.game()), ("nashzoo.examples.kuhn", None)):
        game = game or make_game(name)
        for seat in (0, 1):
            shown = json.loads(nashzoo.raw(f"solve {name} --lock random --seat {seat} --json").out)
            best = best_response(game, agents.make("random", game), 1 - seat).value
            assert shown["value"] == pytest.approx(best if seat else -best, abs=1e-9)
            assert shown["certificate"] <= 1e-9


def test_it_says_where_and_what_is_best(nashzoo: Command) -> None:
    code, out, _ = nashzoo("solve footsies_v0 --lock random --where lead=1")
    assert (code, "blue plays like random at 129 decisions" in out) == (0, True)
    assert (" locked " in out, "equilibrium" in out) == (True, False)
    assert "value to red: +0.3333 points, +0.0000 without the lock" in out
    code, out, _ = nashzoo("solve nashzoo.examples.kuhn --lock random")
    assert (code, "card1=?" in out) == (0, True)  # red, who chooses, does not see it


def test_a_table_of_some_states_fixes_the_seat_there(nashzoo: Command, tmp_path: Path) -> None:
    game = make_game("nashzoo.examples.kuhn")
    key = game.spell(game.information_state(game.first_decision, 0), [0])
    (tmp_path / "some.json").write_text(json.dumps({key: [0.5, 0.5]}))
    shown = json.loads(nashzoo.raw(f"solve nashzoo.examples.kuhn --lock {tmp_path / 'some.json'} --seat 0 --json").out)
    assert shown["decisions"] == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--where hits0=1", "name its player with --lock"),
        ("--seat 0", "name its player with --lock"),
        ("--lock random --where nosuch=1", "has no field nosuch"),
        ("--lock random --where hits0=7", "player 1 has no decision with hits0=7"),
        ("--lock random --all", "--lock goes with --seat, --where and --at alone: leave out --all"),
        ("--lock nobody", "nobody"),
    ],
)
def test_wrong_input(nashzoo: Command, options: str, told: str) -> None:
    code, _, err = nashzoo(f"solve footsies_v0 {options}")
    assert (code, told in err) == (2, True)
