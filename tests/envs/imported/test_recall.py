"""Players who forget: games in which nobody loses by it, by hand and by who remembers, and those where one does."""

from collections.abc import Callable
from pathlib import Path

import pytest

from command import Command
from nashzoo.baselines import exploitability, solve
from nashzoo.baselines.policies.keyed import KeyedPolicy, decisions
from nashzoo.envs import Game, from_environment, make_game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported.efg import read_efg
from sequence_program import value_by_program

EXACT = 1e-9
Guesses = tuple[int, ...]


def guessing_game(
    numbers: int, remembered: Callable[[int, int, Guesses], object], cost: Callable[[int], int] = int
) -> str:
    """Returns Dresher's game: player 1 guesses a number, is told whether it is higher or lower, and pays for guesses.

    Args:
        numbers: Player 0 chooses one of 1 to this.
        remembered: What player 1 remembers of the lowest and the highest candidate, and of its guesses.
        cost: What so many guesses cost.
    """
    lines = ['EFG 2 R "" { "chooser" "guesser" }']
    sets: dict[str, int] = {}

    def guess(number: int, low: int, high: int, guesses: Guesses) -> None:
        name = str(remembered(low, high, guesses))
        known = name in sets
        actions = " ".join(f'"{guess}"' for guess in range(low, high + 1))
        lines.append(
            f'p "" 2 {sets.setdefault(name, len(sets) + 1)}' + f' "{name}" {{ {actions} }}' * (not known) + " 0"
        )
        for k in range(low, high + 1):
            if k == number:
                paid = cost(len(guesses) + 1)
                lines.append(f't "" {paid} "" {{ {paid} {-paid} }}')
            else:
                guess(number, *((k + 1, high) if k < number else (low, k - 1)), (*guesses, k))

    choices = " ".join(f'"{number}"' for number in range(1, numbers + 1))
    lines.append(f'p "" 1 1 "" {{ {choices} }} 0')
    for number in range(1, numbers + 1):
        guess(number, 1, numbers, ())
    return "\n".join(lines)


def everything(low: int, high: int, guesses: Guesses) -> object:
    return low, high, guesses


def interval_and_cost(low: int, high: int, guesses: Guesses) -> object:
    return low, high, len(guesses)


def interval(low: int, high: int, guesses: Guesses) -> object:
    return low, high


def game_in(folder: Path, text: str) -> Game:
    path = folder / f"game{len([*folder.iterdir()])}.efg"
    path.write_text(text)
    return make_game(path)


@pytest.mark.parametrize("remembered", [interval_and_cost, interval])
@pytest.mark.parametrize("numbers", [3, 4, 5])
def test_the_interval_and_the_cost_suffice(tmp_path: Path, numbers: int, remembered: Callable[..., object]) -> None:
    """Of three numbers the value is 9/5 by hand: 1, 2, 3 are chosen 2, 1, 2 times of 5.

    The guesser begins with 2 three times of 5, and else with 1 or 3, then with the other of them: 1 and 3 cost
    (3 * 2 + 1 + 2) / 5, and so does 2, (3 + 3 + 3) / 5.
    """
    tree = read_efg(guessing_game(numbers, everything))
    expected = value_by_program(tree)
    game = game_in(tmp_path, guessing_game(numbers, remembered))
    assert solve(game).start_value == pytest.approx(expected, abs=EXACT)
    assert numbers != 3 or expected == pytest.approx(9 / 5, abs=EXACT)


def test_forgetting_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of four numbers 2 alone is left after the guesses 1 and 3, in both orders, and after 4, 1, 3 and the like."""
    game_in(tmp_path, guessing_game(4, everything))
    assert capsys.readouterr().err == ""
    game_in(tmp_path, guessing_game(4, interval_and_cost))
    said = " ".join(capsys.readouterr().err.split())
    assert "the past is forgotten by player 1 at" in said and "without loss" in said


def test_a_policy_by_what_is_remembered_is_measured(tmp_path: Path) -> None:
    """The guesser always tries the lowest candidate: who chooses the highest of 4 numbers gets 4, the value is less."""
    forgets = game_in(tmp_path, guessing_game(4, interval_and_cost))
    remembers = game_in(tmp_path, guessing_game(4, everything))
    table = {
        (1, str((low, high, cost))): [1.0] + [0.0] * (high - low)
        for low in range(1, 5)
        for high in range(low, 5)
        for cost in range(4)
    }
    policy = KeyedPolicy(table, forgets, key="label")
    assert policy.complete == (False, True) and policy.findings.forgets
    assert len(decisions(forgets)) == len(decisions(remembers))
    seen = [at for at in decisions(remembers) if at.player == 1]
    lowest = {
        (1, remembers.rules.written.label(*at[::-1])): [1.0] + [0.0] * (len(remembers.legal_actions(at.code, 1)) - 1)
        for at in seen
    }
    expected = 4.0 - solve(remembers).start_value
    assert exploitability(remembers, KeyedPolicy(lowest, remembers, key="label"), player=1) == pytest.approx(expected)
    assert exploitability(forgets, policy, player=1) == pytest.approx(expected, abs=EXACT)


def test_who_would_lose_by_forgetting_is_refused(tmp_path: Path) -> None:
    """The k-th guess costs k: the same interval is not the same game after more guesses, as 2 more are dearer then."""
    dear = guessing_game(5, interval, lambda guesses: guesses * (guesses + 1) // 2)
    with pytest.raises(
        UsageError, match=r"player 1 \(guesser\) forgets: after .* \(line \d+\) it sees the same as after"
    ):
        game_in(tmp_path, dear)
    remembered = game_in(tmp_path, guessing_game(5, interval_and_cost, lambda guesses: guesses * (guesses + 1) // 2))
    text = guessing_game(5, everything, lambda guesses: guesses * (guesses + 1) // 2)
    assert solve(remembered).start_value == pytest.approx(value_by_program(read_efg(text)), abs=EXACT)


ROLLS = """EFG 2 R "" {{ "a" "b" }}
c "" 1 "" {{ "low" 1/3 "high" 2/3 }} 0
p "" 1 1 "low" {{ "on" }} 0
c "" 2 "" {{ "heads" {0} "tails" {1} }} 0
p "" 1 3 "rolled" {{ "heads" "tails" }} 0
t "" 1 "" {{ 1 -1 }}
t "" 2 "" {{ 0 0 }}
p "" 1 3 0
t "" 2
t "" 3 "" {{ {4} -{4} }}
p "" 1 2 "high" {{ "on" }} 0
c "" 3 "" {{ "heads" {2} "tails" {3} }} 0
p "" 1 3 0
t "" 1
t "" 2
p "" 1 3 0
t "" 2
t "" 3
"""


def test_a_roll_that_tells_nothing_may_be_forgotten(tmp_path: Path, nashzoo: Command) -> None:
    """A coin shows heads in 3 of 4 after both rolls: it is guessed in 3/4. If it shows tails in 3 of 4 after the high
    roll, who forgets the roll guesses it in 7/12 at most, as tails.
    """
    assert solve(game_in(tmp_path, ROLLS.format("3/4", "1/4", "3/4", "1/4", 1))).start_value == 0.75
    (tmp_path / "tells.efg").write_text(ROLLS.format("3/4", "1/4", "1/4", "3/4", 1))
    code, out, err = nashzoo("solve tells.efg")
    assert code == 2 and out == ""
    assert "after high, on, heads (line 13) it sees the same as after low, on, heads (line 5)" in err
    assert "though it last chose on at high before, and there on at low" in err


class Guessing:
    """Dresher's game with four numbers, of which the guesser sees the candidates and the number of its guesses."""

    def __init__(self, told: bool = True) -> None:
        self.number, self.low, self.high, self.guesses, self.right, self.told = 0, 1, 4, 0, False, told

    def current_player(self) -> int:
        return int(self.number > 0)

    def legal_actions(self) -> list[int]:
        return [*range(self.low, self.high + 1)]

    def step(self, number: int) -> None:
        if not self.number:
            self.number = number
            return
        self.right, self.guesses = number == self.number, self.guesses + 1
        self.low, self.high = (self.low, number - 1) if number > self.number else (number + 1, self.high)

    def observe(self, player: int) -> object:
        return (self.low, self.high, self.guesses) if player and self.told else self.guesses

    def is_terminal(self) -> bool:
        return self.right

    def returns(self) -> list[int]:
        return [self.guesses, -self.guesses]


def test_an_environment_that_shows_what_suffices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = value_by_program(read_efg(guessing_game(4, everything)))
    game = from_environment(Guessing, hidden=True, recall=False)
    assert solve(game).start_value == pytest.approx(expected, abs=EXACT)
    assert "the past is forgotten by player 1 at" in capsys.readouterr().err
    forgets = from_environment(lambda: Guessing(told=False), hidden=True, recall=False)
    with pytest.raises(UsageError, match=r"does not see|cannot tell"):
        solve(forgets)
