"""What functions of rules return that no piece may return, or not each time, is told by check and at the first use."""

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from command import Command
from made_games import WALK, written
from nashzoo.baselines import solve
from nashzoo.baselines.game_problems import game_problems
from nashzoo.envs import Game
from nashzoo.envs.api.parallel_env import GameParallelEnv
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.jit.lazy import brief
from nashzoo.envs.jit.numba import PLAIN
from nashzoo.envs.rules.trial import Facts, compare, trial
from nashzoo.examples import kuhn, pursuit

RULES = f"import random\n{WALK}\nCOUNT = [0]\n"
STEP = "    return State(state.place + action0 - action1, state.turns + 1)"
PAYS = "1.0 if state.place == 4"
ENDS = "    return state.place == 0 or"
START = "    return State(2, 0)"
MAXIMA = "    return State(4, 7)"
BOARD = "a board, a hand or a history is the bits of a whole number"
TURN = "def turn(state):\n    return 3 if state.turns == 1 else 2\n\ndef chance(state):\n"
CHANCE = f"{TURN}    return [(State(1, 2), 0.5), (State(3, 2), 0.5)]"


@pytest.fixture(autouse=True)
def interpreted() -> Iterator[None]:
    """Lets rules run as plain Python, for those that a test writes would be compiled each time."""
    with brief():
        yield


@pytest.fixture
def walk(tmp_path: Path) -> Callable[..., Game]:
    return lambda *changes: Game(module_at(str(written(tmp_path, RULES, *changes))))


def inserted(text: str) -> tuple[str, str]:
    """Returns the change that adds a function."""
    return "def step", f"{text}\n\ndef step"


def outcomes(text: str) -> tuple[str, str]:
    """Returns the change that adds chance after the first step, with these outcomes."""
    return inserted(f"{TURN}    return {text}")


LATE = "if state.turns < 2 else"
AGAIN = "returns something else when it is called again"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (inserted("def turn(state):\n    return 2 + 2 * state.turns"), "turn must answer 0, 1, 2 for both, or 3 for"),
        (inserted("def turn(state):\n    return 0.0 if state.turns else 2"), "turn must answer 0, 1, 2 for both"),
        (inserted(f"def legal(state):\n    return 3 {LATE} 4"), "an action that does not exist is legal for player 0"),
        (inserted(f"def legal(state):\n    return [1, 1] {LATE} [1]"), "legal must return a truth value for each of 2"),
        (inserted(f"def legal(state):\n    return 3 {LATE} 0"), "no action is legal for player 0"),
        ((STEP, STEP.replace("+ 1)", "+ 1 / 2)")), "step must return a State of whole numbers, not turns=0.5: `//`"),
        ((STEP, STEP.replace("state.place +", "[state.place] +")), "can only concatenate list"),
        ((STEP, STEP.replace("state.turns + 1", "(state.turns, 1)")), BOARD),
        ((STEP, STEP.replace("return State", "State")), "step must return a State, not None"),
        ((STEP, STEP.replace("return State", "return ")), "step must return a State, not (2, 1)"),
        ((STEP, STEP.replace("turns + 1", "turns + 2")), "turns=8, and field_maxima allows 0 to 7"),
        ((PAYS, "float('nan') if state.place == 4"), "payoff must return one finite number, the points of player 0"),
        ((PAYS, "(1, -1) if state.place == 4"), "the points of player 0, not (1, -1)"),
        ((ENDS, ENDS.replace("return ", "")), "terminal must return True or False, not None"),
        (outcomes("[(State(1, 2), 0.5)]"), "the probabilities of chance must sum to 1, not to 0.5"),
        (outcomes("[State(1, 2), State(3, 2)]"), "chance must return a list of pairs of a State and its probability"),
        (
            outcomes("[(State(5, 2), 1.0)]"),
            "chance leads to a field out of its range: place=5, and field_maxima allows",
        ),
        (inserted(CHANCE.replace("3 if state.turns == 1 else 2", "2")), "has chance, but turn nowhere answers 3"),
        (outcomes("[(State(1, random.randrange(2, 4)), 1.0)]"), f"chance {AGAIN}"),
        ((STEP, STEP.replace("action0", "random.randrange(2)")), f"step {AGAIN}"),
        ((STEP, f"    COUNT[0] += 1\n{STEP.replace('action0', 'COUNT[0] % 2')}"), f"step {AGAIN}"),
    ],
)
def test_results_that_cannot_be(walk: Callable[..., Game], change: tuple[str, str], told: str) -> None:
    random.seed(0)  # else rules that draw may draw the same again
    (problem,) = game_problems(walk(change))
    assert told in problem
    for use in (solve, lambda game: GameParallelEnv(game).reset(seed=0)):
        with pytest.raises(UsageError, match=re.escape(told)):
            use(walk(change))


def test_the_turn_of_both_where_step_takes_one_action(tmp_path: Path) -> None:
    """Players 1 and 2 are meant where 0 and 1 are."""
    turn = inserted("def turn(state):\n    return 1 + state.turns % 2")
    one = STEP.replace("action0 - action1", "2 * action - 1")
    path = written(tmp_path, RULES, turn, ("action0, action1):", "action):"), (STEP, one))
    with pytest.raises(
        UsageError, match=r"turn answers 2, both players, and step takes the action of one; 3 is chance"
    ):
        solve(Game(module_at(str(path))))


def test_the_action_of_the_other(walk: Callable[..., Game]) -> None:
    wrong = STEP.replace("action0 - action1", "action0 - (state.turns % 2)")
    assert "whatever player 1 chooses, the same follows everywhere" in game_problems(walk((STEP, wrong)))[-1]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('("left", "right")', "5"), "ACTIONS must be a tuple of names, such as ('left', 'right'), not 5"),
        (('("left", "right")', '"lr"'), "ACTIONS must be a tuple of names, such as ('left', 'right'), not 'lr'"),
        (('"walk_v0"', "5"), "NAME is 5; it can have letters"),
        (
            (START, "    return 0"),
            "start of walk_v0 must return a State, or a list of pairs of a State and its probability",
        ),
        (
            (START, "    return [State(2, 0), State(1, 0)]"),
            "such as [(State(...), 0.5), (State(...), 0.5)], not [State(",
        ),
        ((START, "    return []"), "must return a State, or a list of pairs"),
        ((START, "    return State(2.5, 0)"), "a State of whole numbers, not place=2.5"),
        ((START, "    return State([0] * 9, 0)"), BOARD),
        ((START, "    return [(State((0, 1), 0), 1.0)]"), BOARD),
        (("place: int", "place: dict"), BOARD),
        ((MAXIMA, "    return 4, 7"), "field_maxima of walk_v0 must return a State, not (4, 7)"),
        ((MAXIMA, "    return State(4 / 2, 7)"), "must be a whole number from 0 to 2**63 - 1, not 2.0"),
        ((ENDS, "    return terminal(state) or"), "in terminal: RecursionError"),
        ((STEP, "    return step(state, action0, action1)"), "RecursionError"),
        ((PAYS, "float('nan') if state.turns == 3"), "one finite number, the points of player 0, not nan"),
    ],
)
def test_one_sentence_in_check_names_the_file(
    nashzoo: Command, tmp_path: Path, change: tuple[str, str], told: str
) -> None:
    path = written(tmp_path, RULES, change)
    code, _, err = nashzoo(f"check {path}")
    assert code in (1, 2) and told in err and str(path) in err and "Traceback" not in err
    assert len([line for line in err.splitlines() if "are not complete" not in line]) == 1


def test_what_is_compiled_is_compared(walk: Callable[..., Game]) -> None:
    game = walk()
    found = trial(game, 50)
    compare(game, found, {})
    for name, function in {
        "payoff": lambda numbers, code: 7.0,
        "step": lambda numbers, code, *actions: int(game.start_codes[0]),
        "turn": lambda numbers, code: 1,
        "legal": lambda numbers, code, player: 1,
        "terminal": lambda numbers, code: False,
    }.items():
        with pytest.raises(UsageError, match=f"{name} returns something else when it is compiled"):
            compare(game, found, {name: function})
    chance = Game(pursuit)
    with pytest.raises(UsageError, match="chance returns something else when it is compiled"):
        compare(chance, trial(chance, 50), {"chance": lambda numbers, code, outcomes, chances: 0})


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_numbers_beyond_64_bits_are_others_when_compiled(walk: Callable[..., Game]) -> None:
    game = walk((PAYS, "1.0 if 3 ** (41 + state.turns) > 0 and state.place == 4"))
    with pytest.raises(UsageError, match="payoff returns something else when it is compiled"):
        game.compiled._meminfo  # noqa: B018  # compiles


def test_legal_that_tells_a_hidden_card(tmp_path: Path) -> None:
    text = Path(kuhn.__file__).read_text()
    legal = "def legal(state, player):\n    return True, state.card1 != 3\n\n\ndef step("
    problems = game_problems(Game(module_at(str(written(tmp_path, text, ("def step(", legal))))))
    assert any("legal of kuhn_v0 depends at" in told and "player 0 does not see" in told for told in problems)


class TestCodes:
    LARGE = """from typing import NamedTuple

NAME = "large_v0"
ACTIONS = ("big", "small")

class Params(NamedTuple):
    goal: int = 1

class State(NamedTuple):
    moved: int
    count: int

def field_maxima(params):
    return State(1, params.goal)

def start():
    return State(0, 0)

def turn():
    return 0

def step(params, state, action):
    return State(1, params.goal if action == 0 else 0)

def terminal(state):
    return state.moved == 1

def payoff(params, state):
    return 1 if state.moved == 1 and state.count == params.goal else 0
"""

    @pytest.mark.parametrize("goal", [1, 2**31, 2**32 - 1, 2**32, 2**33, 2**60, 2**62 - 1])
    def test_they_are_as_wide_as_the_parameters_need(self, tmp_path: Path, goal: int) -> None:
        """In 64-bit numbers, as compiled code has them."""
        game = Game(module_at(str(written(tmp_path, self.LARGE))), goal=goal)
        largest = game.rules.State(*np.array([[1], [goal]]))
        codes = game.rules.encode(largest)
        assert (codes >= 0).all() and np.array_equal(game.rules.decode(codes), largest)
        assert solve(game).start_value == 1

    def test_those_of_the_defaults_stay(self, tmp_path: Path) -> None:
        """A code has 63 bits: 1 for each field by default, and half of the others."""
        rules = module_at(str(written(tmp_path, self.LARGE)))
        for goal in (1, 1000):
            assert Game(rules, goal=goal).rules.encode(rules.State(1, 1)) == 1 << 31 | 1

    def test_what_does_not_fit_is_refused(self, tmp_path: Path) -> None:
        rules = written(tmp_path, self.LARGE)
        with pytest.raises(
            UsageError, match=r"large_v0 cannot have goal=4611686018427387904: the fields .* need 64 bits"
        ):
            Game(module_at(str(rules)), goal=2**62)
        fixed = written(tmp_path, f'{self.LARGE}\nBITS = {{"moved": 1, "count": 8}}\n')
        assert solve(Game(module_at(str(fixed)), goal=2**40)).start_value == 1  # the last field has all other bits
        low = written(tmp_path, f'{self.LARGE}\nBITS = {{"count": 8, "moved": 1}}\n')
        with pytest.raises(UsageError, match=r"have goal=256: the largest count would be 256, and BITS .* 0 to 255"):
            Game(module_at(str(low)), goal=256)

    @pytest.mark.slow
    @pytest.mark.skipif(PLAIN, reason="nothing is compiled")
    def test_compiled_code_has_the_same(self, tmp_path: Path) -> None:
        game = Game(module_at(str(written(tmp_path, self.LARGE))), goal=2**33)
        game.compiled._meminfo  # noqa: B018  # compiles
        payoff, step = (game.compiled.machine_code[name] for name in ("payoff", "step"))
        code = int(game.start_codes[0])
        assert payoff(game.params, step(game.params, code, 0, 0)) == 1


def test_parts_of_a_payoff_that_cancel_may_leave_the_rounding_of_another_order() -> None:
    facts = Facts(2, (1, 1), (5, 6), (), (0.0, 1.0), (False, False))
    assert not facts.unlike(facts._replace(payoff=(1e-16, 1.0)))
    assert facts.unlike(facts._replace(payoff=(1e-4, 1.0))) == "payoff"


def test_pairs_can_be_any_iterable_and_legal_is_no_none(walk: Callable[..., Game]) -> None:
    pairs = "{State(2, 0): 0.5, State(1, 0): 0.5}.items()"
    assert walk((START, f"    return {pairs}")).start_probabilities.tolist() == [0.5, 0.5]
    with pytest.raises(UsageError, match="legal of walk_v0 must return a truth value for each action, or a bit mask"):
        walk(inserted("def legal(state):\n    pass"))


@pytest.mark.parametrize("paid", ["Fraction(1, 3)", "np.where(True, 1.0, -1.0)", "np.float32(0.1) * state.place"])
def test_points_may_be_any_real_number(tmp_path: Path, paid: str) -> None:
    text = f"from fractions import Fraction\nimport numpy as np\n{RULES}"
    game = Game(module_at(str(written(tmp_path, text, (PAYS, f"{paid} if state.place == 4")))))
    assert trial(game)


def test_chance_that_step_can_lead_to_is_not_missed(tmp_path: Path) -> None:
    step = (STEP, f"    mover = 3 if COUNT[0] else 2\n{STEP}")
    text = f"{TURN.replace('3 if state.turns == 1 else 2', '2')}    return [(State(1, 2), 1.0)]\n\n"
    assert trial(Game(module_at(str(written(tmp_path, RULES, inserted(text), step)))))


MOVERS = """
from typing import NamedTuple

NAME = "halves_v0"
ACTIONS = "one", "two"


class State(NamedTuple):
    sticks: int
    mover: int


def field_maxima():
    return State(5, 2)


def start():
    return State(5, 1)


def turn(state):
    return state.mover


def legal(state):
    return True, state.sticks > 1


def step(state, action0, action1):
    return State(state.sticks - 1 - (action0 if state.mover == 1 else action1), 3 - state.mover)


def terminal(state):
    return state.sticks == 0


def payoff(state):
    return (1 if state.mover == 1 else -1) if state.sticks == 0 else 0
"""
FROM_ONE = "nowhere 0, and where it answers 1, the choice of player 1 changes nothing"


def test_players_that_are_counted_from_one_are_refused(tmp_path: Path, nashzoo: Command) -> None:
    (tmp_path / "one.py").write_text(MOVERS)
    with pytest.raises(UsageError, match=FROM_ONE):
        solve(Game(module_at(str(tmp_path / "one.py"))))
    code, _, err = nashzoo(f"check {tmp_path / 'one.py'}")
    assert code == 1 and FROM_ONE in " ".join(err.split())


def test_a_game_in_which_one_player_answers_after_both_have_chosen_is_none_of_these(tmp_path: Path) -> None:
    answers = MOVERS.replace("(action0 if state.mover == 1 else action1)", "action1")
    (tmp_path / "answers.py").write_text(answers)
    solve(Game(module_at(str(tmp_path / "answers.py"))))
