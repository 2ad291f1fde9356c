"""What ``nashzoo check`` finds: each kind of mistake, made on purpose in rules that are right."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from command import Command
from made_games import WALK, with_rules, written
from nashzoo.baselines.game_problems import game_problems, problems_in_play
from nashzoo.envs import Game, games, make_game
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.games.soccer import rules as soccer
from nashzoo.envs.games.tictactoe import rules as tictactoe
from nashzoo.envs.games.tictactoe.rules import CELLS, SYMMETRIES, State, count, moved, symmetries
from nashzoo.envs.jit.lazy import brief
from nashzoo.examples import connect_four, littman_soccer

LEGAL = "def legal(state):\n    return 0b11\n\ndef step("
SWAP = "\ndef swap_players(state):\n    return State(4 - state.place, state.turns)\n"
RULES = WALK.replace("def step(", LEGAL) + SWAP


@pytest.fixture(autouse=True)
def interpreted() -> Iterator[None]:
    """Lets rules run as plain Python, for those that a test writes would be compiled each time."""
    with brief():
        yield


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    return lambda *changes: written(tmp_path, RULES, *changes)


def problems(path: Path) -> str:
    return "\n".join(game_problems(Game(module_at(str(path)))))


def test_nothing_is_wrong_with_rules_that_are_right(write: Callable[..., Path]) -> None:
    assert problems(write()) == ""


@pytest.mark.parametrize("name", [name for name in games() if name not in ("soccer_v0", "bodega_brawl_v0")])
def test_nothing_is_wrong_with_the_games_of_the_package(name: str) -> None:
    assert game_problems(make_game(name), looked_at=300) == []


STEP = "    return State(state.place + action0 - action1, state.turns + 1)"
PAYS = "1.0 if state.place == 4 else -1.0 if state.place == 0 else 0.0"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([("State(4, 7)", "State(4, 6)")], "at place=2,turns=6: step leads, on actions 0 and 0, to a field out of its"),
        ([("State(2, 0)", "State(5, 0)")], "start of walk_v0 has place=5, and field_maxima allows 0 to 4"),
        ([("    return 0b11", "    return 0b01 if state.place == 3 else 0b11")], "the legal actions at place="),
        (
            [(PAYS, f"float('nan') if state.turns == 3 else {PAYS}")],
            "payoff must return one finite number, the points of player 0, not nan",
        ),
        ([(STEP, f"    if state.place == 3:\n        return state\n{STEP}")], "play cannot end from place=3,turns=1"),
        ([(PAYS, PAYS.replace("4", "3").replace("== 0", "== 1")), ("state.turns + 1)", "0)")], "there is no bound"),
    ],
)
def test_each_mistake_is_told(write: Callable[..., Path], changes: list[tuple[str, str]], told: str) -> None:
    try:
        found = problems(write(*changes))
    except ValueError as error:
        found = str(error)
    assert told in found


def test_an_outcome_of_chance_that_its_code_cannot_hold(tmp_path: Path) -> None:
    chance = """BITS = {"place": 3, "turns": 3}

def turn(state):
    return 3 if state.turns == 1 else 2

def chance(state):
    return [(State(state.place + 8, 2), 1.0)]

def legal(state):"""
    found = problems(written(tmp_path, RULES.partition("def swap_players")[0], ("def legal(state):", chance)))
    assert found.startswith("at place=2,turns=1: chance leads to a field out of its range: place=10, and field_maxima")


def test_an_observation_that_does_not_tell_the_state(tmp_path: Path) -> None:
    nim = Path(__file__).resolve().parents[1] / "support" / "nim.py"
    text = nim.read_text()
    path = tmp_path / "blind.py"
    path.write_text(
        text + '\n\ndef observe(player, out):\n    """Sees the seat alone."""\n    out[0] = player\n'
        "\n\ndef decode_observation(observation):\n    return State(1, 0), int(observation[0])\n"
        "\n\ndef features():\n    return ('seat',)\n"
    )
    assert "an observation does not tell the state, or whose it is: that of player 0 at" in problems(path)


NOT_THE_SAME = "symmetries do not give the same game with other names of the actions: "
SAME, TURN = tuple(range(CELLS)), SYMMETRIES[1]
Pairs = list[tuple[Any, Sequence[int]]]


def turned(state: State) -> State:
    return State(moved(state.crosses, TURN), moved(state.noughts, TURN))


@pytest.mark.parametrize(
    ("symmetries", "told"),
    [
        (lambda state: [(state, SAME), (turned(state), TURN)], f"{NOT_THE_SAME}the images of the images of crosses="),
        (lambda state: [(State(0, 0), SAME)], "or it is not one of its own"),
        (lambda state: [(state, (0,) * CELLS)], f"{NOT_THE_SAME}the new numbers of the actions at crosses="),
        (lambda state: [(image, SAME) for image, _ in symmetries(state)], "the legal actions at crosses="),
        (lambda state: symmetries(state)[:: 1 if count(state.crosses) % 2 else -1], "lead from crosses="),
        (
            lambda state: symmetries(state) if count(state.crosses) < 2 else [(state, SAME)],
            "other symmetries at crosses=",
        ),
        (lambda state: [(state, SAME), (State(state.noughts, state.crosses), SAME)], "to which play does not lead, at"),
        (lambda state: symmetries(state.marks), "AttributeError: 'State' object has no attribute 'marks'"),
    ],
)
def test_symmetries_of_a_board_that_are_none(symmetries: Callable[[State], Pairs], told: str) -> None:
    assert told in "\n".join(game_problems(Game(with_rules(tictactoe, symmetries=symmetries)), looked_at=150))


MIRROR = """

def symmetries(state):
    return [(state, (0, 1)), (State(4 - state.place, state.turns), (1, 0))]
"""


@pytest.mark.slow
def test_symmetries_that_pay_or_hide_otherwise(tmp_path: Path) -> None:
    same_pay = (PAYS, "1.0 if state.place in (0, 4) else 0.0")
    rules = RULES.partition("def swap_players")[0] + MIRROR
    assert f"{NOT_THE_SAME}the same choices pay other points at place=1,turns=1 and place=3" in problems(
        written(tmp_path, rules)
    )
    assert problems(written(tmp_path, rules, same_pay)) == ""
    hidden = ("def legal(state):", 'SEEN_BY = {"place": (1,)}\n\ndef legal(state):')
    assert "player 0 does not see the same at place=" in problems(written(tmp_path, rules, same_pay, hidden))


@pytest.mark.slow
def test_symmetries_of_chance() -> None:
    def uneven(params: Any, state: Any) -> list[tuple[Any, float]]:
        """Makes a draw more likely in the north."""
        return list(littman_soccer.chance(littman_soccer.Params(0.2) if state.cell0 < 10 else params, state))

    game = Game(littman_soccer)
    assert game_problems(game, looked_at=300) == [] and len(game.images(game.first_decision)) == 2
    found = "\n".join(game_problems(Game(with_rules(littman_soccer, chance=uneven)), looked_at=300))
    assert f"{NOT_THE_SAME}what may follow by chance on" in found


def test_games_at_random_find_mistakes_where_states_are_too_many() -> None:
    def shifted(params: Any, state: Any) -> list[tuple[Any, Any]]:
        (same, columns), (image, _) = connect_four.symmetries(params, state)
        return [(same, columns), (image, columns)]  # without the columns from right to left

    size = {"width": 7, "height": 6}
    assert problems_in_play(Game(connect_four, **size), games=3) == []
    wrong = Game(with_rules(connect_four, symmetries=shifted), **size)
    assert problems_in_play(wrong, games=3)[0].startswith(NOT_THE_SAME)
    overfull = Game(with_rules(connect_four, terminal=lambda params, state: False), **size)
    assert "has no legal action at" in problems_in_play(overfull, games=3)[0]


def test_soccer_is_not_the_same_upside_down() -> None:
    """A corner is always taken from below, and players are placed by rounding down."""

    def upside_down(params: Any, state: Any) -> Pairs:
        image = state._replace(red_y=params.height + 1 - state.red_y, blue_y=params.height + 1 - state.blue_y)
        return [(state, range(9)), (image, (0, 1, 2, 4, 3, 6, 5, 8, 7))]

    game = Game(with_rules(soccer, symmetries=upside_down), width=11, height=3, goal_height=1)
    assert any(f"{NOT_THE_SAME}the same choices lead from" in problem for problem in game_problems(game, looked_at=300))


class TestTheCommand:
    def test_it_ends_with_1_where_something_is_wrong(self, nashzoo: Command, write: Callable[..., Path]) -> None:
        code, _, err = nashzoo(f"check {write(('State(4, 7)', 'State(4, 6)'))}")
        assert code == 1 and "nashzoo: at place=2,turns=6: step leads, on actions" in err

    def test_too_many_states(self, nashzoo: Command, write: Callable[..., Path]) -> None:
        out = nashzoo.prints(f"check {write()} --states 5 --quiet")
        assert "too many states to list" in out and "rules in 1,000 games at random; whether play can always end" in out
        told = nashzoo.json(f"check {write()} --states 5 --quiet")
        assert (told["states"], told["games"], told["problems"]) == (None, 1000, [])

    def test_an_error_in_the_rules_is_one_line(self, nashzoo: Command, write: Callable[..., Path]) -> None:
        path = write(("state.turns + 1)", "state.turns + 1 if state.turns < 3 else state.trns)"))
        code, _, err = nashzoo(f"check {path}")
        assert code == 1
        assert err.startswith("nashzoo: at place=2,turns=3: AttributeError:") and err.count("\n") == 1
        assert f"({path}, line 20, in step)" in err

    def test_an_error_at_the_start_is_one_line_too(self, nashzoo: Command, write: Callable[..., Path]) -> None:
        path = write(("State(state.place", "State(state.palce"))
        code, _, err = nashzoo(f"solve {path}")
        assert code == 2
        assert err.startswith(f"nashzoo: {path}, line 20, in step: AttributeError:") and err.count("\n") == 1
