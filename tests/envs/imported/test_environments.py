"""Environments and classes of strangers, explored as they are."""

import array
import copy
import importlib
import os
import random
import textwrap
from collections import deque
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import platformdirs
import pytest
from gymnasium import spaces
from pettingzoo.utils.conversions import parallel_to_aec

from command import Command
from nashzoo import agents
from nashzoo.baselines import evaluate, exploitability, solve
from nashzoo.baselines.game_problems import game_problems
from nashzoo.envs import from_environment
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.imported import environments
from strangers import (
    CountedSticks,
    Dice,
    GymTicTacToe,
    HiddenCoin,
    KuhnPoker,
    MatchingPennies,
    RaceWithDice,
    Sticks,
)

classic = pytest.importorskip("pettingzoo.classic")
EXACT = 1e-9


@pytest.mark.slow
def test_tic_tac_toe_of_pettingzoo() -> None:
    from pettingzoo.classic import tictactoe_v3

    game = from_environment(tictactoe_v3.env)
    assert len(game.rules.written.graph.turns) == 5478  # OEIS A008907, summed
    assert solve(game).start_value == 0.0 and game.turn_based
    assert exploitability(game, agents.make("perfect", game)) == 0.0
    assert game_problems(game, looked_at=200) == []


def test_rock_paper_scissors_of_pettingzoo() -> None:
    """Its environment cuts play off after a number of rounds that nobody sees: the clock is beside the states."""
    from pettingzoo.classic import rps_v2

    game = from_environment(lambda: rps_v2.parallel_env(max_cycles=4))
    assert game.rules.written.horizon.moves == 4 and len(game.rules.written.graph.turns) == 10
    assert solve(game).start_value == pytest.approx(0.0, abs=EXACT)
    assert game.at_stake(int(game.start_codes[0])) == 4.0


def test_moves_in_turn_that_are_not_seen_need_histories() -> None:
    from pettingzoo.classic import rps_v2

    with pytest.raises(
        UsageError, match=r"does not tell .*: after \S+ \S+ and after \S+ \S+ it is the same.*hidden=True"
    ):
        from_environment(lambda: rps_v2.env(max_cycles=1))
    game = from_environment(lambda: rps_v2.env(max_cycles=1), hidden=True)
    solution = solve(game)
    assert game.hides and solution.start_value == pytest.approx(0.0, abs=EXACT)


def test_connect_four_is_too_large() -> None:
    from pettingzoo.classic import connect_four_v3

    with pytest.raises(UsageError, match=r"play of connect_four_v3 leads to more than 300 states.* are explored"):
        from_environment(connect_four_v3.env, most_states=300)


def test_a_game_as_for_easyai() -> None:
    """Who faces 1, 5, 9, ... sticks loses, as is known of this game; from 12 the first player takes 3."""
    game = from_environment(lambda: Sticks([object(), object()]))
    assert solve(game).start_value == 100.0
    assert game.actions == ("1", "2", "3")
    values = {}
    for pile in range(0, 13):
        values[pile] = 100 if pile == 0 else max(-values[pile - take] for take in (1, 2, 3) if take <= pile)
    assert values[12] == 100


def test_what_steps_as_gymnasium_does() -> None:
    game = from_environment(GymTicTacToe, players=(1, -1), reward_to="mover")
    assert len(game.rules.written.graph.turns) == 5478
    assert solve(game).start_value == 0.0
    with pytest.raises(
        UsageError, match=r"may be the mover's or always player 0's: say reward_to='mover' or .* to from_"
    ):
        from_environment(GymTicTacToe, players=(1, -1))
    with pytest.raises(UsageError, match=r"the player to move is -1, .* say nothing else: players=\(-1, ...\)"):
        from_environment(GymTicTacToe, reward_to="mover")


def test_a_large_game_is_explored_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is kept if all code that it depends on is known; a file that changed may not be what was loaded."""
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path)
    monkeypatch.setattr(environments, "WORTH_KEEPING", 0)
    file = tmp_path / "mine.py"
    file.write_text("class Mine:\n" + textwrap.indent(textwrap.dedent(ONE_MOVE), "    "))
    monkeypatch.syspath_prepend(str(tmp_path))
    kind = importlib.import_module("mine").Mine
    monkeypatch.setattr(environments, "started", lambda: 4e9)
    os.utime(file, (5e9, 5e9))
    from_environment(kind)
    assert not (tmp_path / "graphs").exists()
    os.utime(file, (0, 0))
    game = from_environment(kind)
    from_environment(lambda: kind())  # a function within another one may depend on anything
    assert len(list((tmp_path / "graphs").iterdir())) == 1
    with monkeypatch.context() as patched:
        patched.setattr(environments, "Explored", None)
        again = from_environment(kind)
        assert again == game and solve(again).start_value == 2.0
        file.write_text(file.read_text() + "# changed\n")
        os.utime(file, (0, 0))
        with pytest.raises(TypeError):  # it would be explored
            from_environment(kind)


def test_a_kept_game_is_that_of_the_data_and_modules_of_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / "cache")
    monkeypatch.setattr(environments, "WORTH_KEEPING", 0)
    monkeypatch.setattr(environments, "started", lambda: 4e9)
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "far_helper.py").write_text("def bonus():\n    return 0\n")
    (tmp_path / "near_env.py").write_text(NEAR + ONE_MOVE.replace("= True, action", MORE))
    monkeypatch.syspath_prepend(str(tmp_path / "far"))
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("near_env")

    def value(make: Any = module.Mine) -> float:
        return solve(from_environment(make)).start_value

    assert [value(), value(), value(module.Maker(3).make), value(module.Maker(5).make)] == [2.0, 2.0, 5.0, 7.0]
    module.SIZE = 10  # as a script may set it, or a file or a variable of the system that is read when it is loaded
    assert value() == 12.0
    module.Mine.more = 100
    assert value() == 112.0
    (tmp_path / "far" / "far_helper.py").write_text("def bonus():\n    return 1_000\n")
    importlib.reload(module.far_helper)
    os.utime(module.far_helper.__file__, (0, 0))
    assert value() == 1_112.0


MORE = "= True, action + self.extra + self.more + SIZE + far_helper.bonus()"
NEAR = """
import far_helper

SIZE = 0


class Maker:
    def __init__(self, extra):
        self.extra = extra

    def make(self):
        return Mine(self.extra)


class Mine:
    more = 0

    def __init__(self, extra=0):
        self.extra = extra
"""


@pytest.mark.slow
def test_by_the_command(nashzoo: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class, or a function that makes an environment, is named by its file or module; its records are played back."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("class Mine:\n" + textwrap.indent(textwrap.dedent(ONE_MOVE), "    "))
    code, out, _ = nashzoo("solve ./mine.py:Mine")
    assert code == 0 and "value to red: 2 points" in out
    code, out, _ = nashzoo("exploitability ./mine.py:Mine random")
    assert code == 0 and "as red 1 " in out
    assert nashzoo("watch ./mine.py:Mine random random --save r.jsonl")[0] == 0
    assert nashzoo("replay r.jsonl --game ./mine.py:Mine")[0] == 0
    code, _, err = nashzoo("replay r.jsonl")
    assert code == 2 and "files cannot have rules loaded" in err
    code, _, err = nashzoo("solve ./mine.py:Yours")
    assert code == 2 and "mine.py has no class or function Yours" in err
    code, out, _ = nashzoo("solve pettingzoo.classic.tictactoe_v3:env")
    assert code == 0 and "value to red: 0 points" in out


ONE_MOVE = """
    over = False

    def current_player(self):
        return 0

    def legal_actions(self):
        return [0, 1, 2]

    def step(self, action):
        self.over, self.points = True, action

    def is_terminal(self):
        return self.over

    def returns(self):
        return [self.points, -self.points]
"""


def test_what_is_shown_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path)
    monkeypatch.setattr(environments, "WORTH_KEEPING", 0)
    monkeypatch.setattr(environments, "started", lambda: np.inf)
    game = from_environment(KuhnPoker, hidden=True)
    monkeypatch.setattr(environments, "Explored", None)
    kept = from_environment(KuhnPoker, hidden=True).rules.written.environment
    assert np.array_equal(kept.observations, game.rules.written.environment.observations)
    assert kept.observations.dtype == np.int8


def test_declared_chance() -> None:
    game, values = from_environment(RaceWithDice), {}
    for _ in range(200):  # value iteration of the mover's chance to win, by what both still need
        for own in range(1, 4):
            for other in range(1, 4):
                best = 0.0
                for steps, heads in ((1, 0.5), (2, 0.25)):
                    missed = 1.0 - values.get((other, own), 0.5)
                    hit = 1.0 if own <= steps else 1.0 - values.get((other, own - steps), 0.5)
                    best = max(best, heads * hit + (1.0 - heads) * missed)
                values[own, other] = best
    assert game.has_chance
    assert solve(game).start_value == pytest.approx(2.0 * values[3, 3] - 1.0, abs=EXACT)


def test_what_players_see_of_hidden_information() -> None:
    game = from_environment(KuhnPoker, hidden=True)
    assert solve(game).start_value == pytest.approx(-1 / 18, abs=EXACT)  # Kuhn (1950)
    assert game_problems(game, looked_at=200) == []


def test_observations_that_are_random_are_noticed() -> None:
    class Noisy(HiddenCoin):
        def reset(self, seed: int | None = None, options: Any = None) -> None:
            super().reset(seed)
            self.noise = np.random.default_rng(seed).integers(9)

        def observe(self, agent: str) -> Any:
            return self.noise

    class Loud(MatchingPennies):
        def reset(self, seed: int | None = None, options: Any = None) -> Any:
            self.noise = np.random.default_rng(seed).integers(9)
            return super().reset(seed)

        def _seen(self) -> Any:
            return dict.fromkeys(self.possible_agents, np.array([self.round, self.noise]))

    for make, hidden in ((Noisy, True), (Loud, False)):
        with pytest.raises(UsageError, match="v0 does not repeat itself, and declares no chance: after the start"):
            from_environment(make, hidden=hidden)


def test_a_hidden_field_is_noticed() -> None:
    with pytest.raises(
        UsageError, match="what both players see does not tell what follows from 1: after 0 and after 1 it is"
    ):
        from_environment(HiddenCoin)
    assert solve(from_environment(HiddenCoin, hidden=True)).start_value == pytest.approx(-1 / 3, abs=EXACT)


class Wrapped:
    """An observation that prints nothing of its own but where it is kept."""

    def __init__(self, number: int) -> None:
        self.number = number


@pytest.mark.parametrize(
    ("seen", "value"),
    [
        (lambda coin: {"board": np.eye(2000)[1000 + coin], "turn": 1}, -1.0),  # whose middle NumPy does not print
        (lambda coin: ("a", np.eye(2000)[1000 + coin]), -1.0),
        (lambda coin: [["a, b"], ["a", "b"]][coin], -1.0),
        (Wrapped, -1.0),
        (lambda coin: Wrapped(0), -1 / 3),
    ],
)
def test_observations_of_all_kinds_tell_what_they_contain_and_nothing_else(seen: Any, value: float) -> None:
    """Who sees the coin wins the 1 of tails; who does not, a third."""

    class Seen(HiddenCoin):
        coin = 0

        def observe(self, agent: str) -> Any:
            return seen(self.coin if agent == "guesses" else 0)

    assert solve(from_environment(Seen, hidden=True)).start_value == pytest.approx(value, abs=EXACT)


def test_a_player_who_does_not_see_the_state_is_noticed() -> None:
    """With a key the states are told apart, but not by the player who guesses: it would know the coin."""
    with pytest.raises(UsageError, match="player 1 of hidden_coin_v0 sees the same after 0 and after 1, where play"):
        from_environment(HiddenCoin, key=lambda env: vars(env).get("coin"))


def test_a_counter_beside_the_key_is_noticed() -> None:
    with pytest.raises(UsageError, match=r"the key of states does not tell .*: after [\d ]+ and after [\d ]+ it is"):
        from_environment(CountedSticks)
    counted = from_environment(CountedSticks, key=lambda game: (game.pile, game.moves, game.current_player))
    assert solve(counted).certificate == 0.0


def test_chance_that_is_not_declared_is_noticed() -> None:
    random.seed(0)
    with pytest.raises(UsageError, match=r"declares no chance|does not tell"):
        from_environment(Dice)


class Tower(deque):  # type: ignore[type-arg]
    """A subclass has fields, which are not its content."""


class Slots:
    __slots__ = ("__taken",)

    def __init__(self) -> None:
        self.__taken: list[int] = []

    def append(self, number: int) -> None:
        self.__taken.append(number)

    def __iter__(self) -> Iterator[int]:
        return iter(self.__taken)


class InSlots(Slots):
    __slots__ = ("other",)


class Called(Slots):
    def __call__(self) -> None:
        """An object that is called has fields too."""


class Moves:
    """Three moves; player 0 wins what a table says: by hand 1, as its first move 0 or 1 leaves 1 or 1."""

    def __init__(self, container: Any) -> None:
        self.moves, self.count = container(), 0

    def current_player(self) -> int:
        return self.count % 2

    def legal_actions(self) -> list[int]:
        return [0, 1]

    def step(self, action: int) -> None:
        self.moves.append(action)
        self.count += 1

    def is_terminal(self) -> bool:
        return self.count == 3

    def returns(self) -> list[int]:
        one, two, three = self.moves
        points = [1, -2, 3, -1, 2, -3, 1, -1][4 * one + 2 * two + three]
        return [points, -points]


@pytest.mark.parametrize("container", [list, Tower, InSlots, Called, lambda: array.array("i"), bytearray])
def test_fields_are_found_wherever_python_keeps_them(container: Any) -> None:
    assert solve(from_environment(lambda: Moves(container))).start_value == 1.0


def test_a_class_with_slots_alone() -> None:
    slotted = type("Slotted", (), {**{k: v for k, v in vars(Moves).items() if k not in ("__dict__", "__weakref__")},
                                   "__slots__": ("moves", "count")})  # fmt: skip
    assert solve(from_environment(lambda: slotted(list))).start_value == 1.0


def test_illegal_moves_are_what_the_environment_makes_of_them() -> None:
    """A third action loses at once: nobody plays it. Three rounds of matching pennies are worth nothing."""
    game = from_environment(MatchingPennies)
    assert game.num_actions == 3 and solve(game).start_value == pytest.approx(0.0, abs=EXACT)
    uniform = exploitability(game, agents.make("random", game))
    best, left = 0.0, 0.0
    for weight in (2.0, 1.0, 1.0):  # backwards: 1/3 each action; the other's third action pays 1 and ends it
        best = left = 1 / 3 + 0.0 * weight + 2 / 3 * left
    assert uniform == pytest.approx(best, abs=EXACT)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: object(), UsageTypeError, "object is no environment of two players: it lacks current_player, legal_"),
        (lambda: Half(), UsageTypeError, "Half is no environment of two players: it lacks legal_actions, is_terminal;"),
        (
            lambda: Unnumbered(),
            UsageError,
            "Unnumbered must say its actions by a method legal_actions, or an action_space",
        ),
        (
            lambda: Pile({0: 1, 1: -1, 2: 0}),
            UsageError,
            r"Pile pays {.*; a game here has two players, \[0, 1\]",
        ),
        (lambda: Pile({"a": 1, "b": -1}), UsageError, r"Pile pays {.*; a game here has two players, \[0, 1\]"),
        (lambda: ThreeSeats(), UsageError, "ThreeSeats has 3 players; a game here has two"),
        (
            lambda: Taking(third=True),
            UsageError,
            "the player to move is 2, .* players=.*; a game here has two",
        ),
        (lambda: GeneralSum(), UsageError, "GeneralSum is not zero-sum.*it pays 1 and [01] after [01]"),
        (lambda: Failing(), UsageError, "Failing fails after [01]: KeyError"),
        (lambda: Three(), UsageError, "has 3 agents; a game here has two"),
        (lambda: Pile([1, -1, 0]), UsageError, r"Pile pays 3 players, \[1, -1, 0\]; a game here has two"),
        (lambda: Pile(None), UsageError, "Pile pays None; its reward is a pair"),
        (lambda: Pile([np.nan, np.nan]), UsageError, "Pile is not zero-sum.*it pays nan and nan after"),
        (lambda: FailingPile(), UsageError, "FailingPile fails after (1 )?3: KeyError: 3$"),
        (
            lambda paid: Pile(paid),
            UsageTypeError,
            "<lambda> needs arguments .missing a required argument: 'paid'.; give a",
        ),
        (7, UsageTypeError, "give what makes the environment"),
    ],
)
def test_what_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        from_environment(make)


def test_a_function_of_a_file_may_say_more(nashzoo: Command, tmp_path: Path) -> None:
    """On the command line ``hidden``, ``key`` and others are said in a function that returns the game."""
    (tmp_path / "said.py").write_text(
        "from nashzoo.envs import from_environment\nfrom strangers import KuhnPoker\n"
        "def kuhn():\n    return from_environment(KuhnPoker, hidden=True)\n"
    )
    code, out, _ = nashzoo(f"solve {tmp_path / 'said.py'}:kuhn")
    assert code == 0 and "exactly: \N{MINUS SIGN}1/18" in out


def test_hidden_information_needs_observations() -> None:
    with pytest.raises(UsageError, match="does not say what players see"):
        from_environment(Sticks, hidden=True)


def test_a_sum_that_is_taken_off_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """Who wins gets 1 and the other one 0: the second player does, who so gets 1/2 more than half of the sum."""
    assert solve(from_environment(lambda: Pile())).start_value == -0.5
    said = " ".join(capsys.readouterr().err.split())
    assert "Pile pays 1 to both players in all; half of it is taken off from each" in said
    assert "a reward of 0 here, a draw, is 0.5 there" in said


class Pile:
    """Who takes the last of four sticks wins; players take 1 or 3, and take turns. The second player wins."""

    def __init__(self, paid: Any = "winner") -> None:
        self.pile, self.player, self._paid = 4, 0, paid

    def current_player(self) -> int:
        return self.player

    def legal_actions(self) -> list[int]:
        return [take for take in (1, 3) if take <= self.pile]

    def step(self, take: int) -> None:
        self.pile, self.player = self.pile - take, 1 - self.player

    def is_terminal(self) -> bool:
        return self.pile == 0

    def returns(self) -> Any:
        return [self.player, 1 - self.player] if self._paid == "winner" else self._paid


class Waiting:
    """Player 0 may take 3, or wait for 8, which are there two moves later."""

    DISCOUNT = 0.75

    def __init__(self, discount: Any = 0.75, paid: float = 0.0) -> None:
        self.moves, self.last, self.paid, self.DISCOUNT = 0, 0, paid, discount

    def current_player(self) -> int:
        return self.moves % 2

    def legal_actions(self) -> list[int]:
        return [0, 1] if self.moves == 0 else [1]

    def step(self, action: int) -> None:
        self.moves, self.last = self.moves + 1, action

    def observe(self, player: int) -> Any:
        return np.eye(4, dtype=np.int8)[self.moves]

    def is_terminal(self) -> bool:
        return self.moves == 3 or (self.last == 0 and self.moves > 0)

    def rewards(self) -> Any:
        won = (8.0 if self.moves == 3 else 3.0) if self.is_terminal() and self.moves else 0.0
        return [won, (self.paid if self.is_terminal() else 0.0) - won]


class Endless(MatchingPennies):
    """A matrix game with the value 3/2, for ever."""

    DISCOUNT = 0.9

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(2)

    def step(self, actions: Any) -> Any:
        won = ((3.0, 0.0), (1.0, 2.0))[actions["even"]][actions["odd"]]
        nobody = dict.fromkeys(self.agents, False)
        return self._seen(), {"even": won, "odd": -won}, nobody, nobody, {agent: {} for agent in self.agents}


@pytest.mark.parametrize(("discount", "value"), [(0.75, 8 * 0.75**2), (0.5, 3.0), (1, 8.0)])
def test_a_declared_discount_counts_later_points_less(discount: float, value: float) -> None:
    for hidden in (False, True):
        game = from_environment(lambda: Waiting(discount), hidden=hidden)
        assert solve(game).start_value == pytest.approx(value, abs=1e-9) and game_problems(game) == []


def test_an_endless_game_with_a_discount_has_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    """Three halves at once, and nine tenths of the value later; it is said of a game that was kept on disk too."""
    for _ in range(2):
        solution = solve(from_environment(Endless))
        assert solution.start_value == pytest.approx(1.5 / (1 - 0.9), abs=1e-8) and solution.certificate < 1e-8
        assert "pennies_v0 has a discount of 0.9" in capsys.readouterr().err


def test_a_network_sees_what_an_environment_with_a_discount_shows() -> None:
    torch = pytest.importorskip("torch")
    game = from_environment(lambda: Waiting(0.75))
    waits = torch.nn.Linear(4, 2)
    with torch.no_grad():
        waits.weight.zero_()
        waits.bias.copy_(torch.tensor([-50.0, 50.0]))
    assert evaluate(game, waits, waits) == pytest.approx(4.5, abs=1e-9)


class Forgets:
    """Chance pays 0 or 10 in the end; player 0 may end at once for it, or go on once for 1 more, and forgets chance."""

    DISCOUNT = 0.5

    def __init__(self) -> None:
        self.history: tuple[int, ...] = ()

    def chance_outcomes(self) -> Any:
        return [] if self.history else [(0, 0.5), (10, 0.5)]

    def current_player(self) -> int:
        return 0

    def legal_actions(self) -> list[int]:
        return [0, 1] if len(self.history) == 2 else [0]

    def step(self, action: int) -> None:
        self.history += (action,)

    def is_terminal(self) -> bool:
        return len(self.history) == 4 or self.history[2:] == (0,)

    def rewards(self) -> Any:
        won = (self.history[2] + self.history[0]) * self.is_terminal() if len(self.history) > 2 else 0
        return [won, -won]

    def observe(self, player: int) -> Any:
        return ["", self.history[:1], "choose", "late", ""][len(self.history)]


def test_forgetting_is_refused_with_a_discount(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the information set the best is 0.5 * 5; who remembers goes on after 0 alone, and wins 0.5 * (0.25 + 5)."""
    remembering = from_environment(Forgets, hidden=True)
    assert solve(remembering).start_value == pytest.approx(0.5 * (0.5 * 0.5 + 5.0), abs=1e-9)
    with pytest.raises(UsageError, match="Forgets has a DISCOUNT, and players forget what they saw"):
        from_environment(Forgets, hidden=True, recall=False)
    monkeypatch.setattr(Forgets, "DISCOUNT", 1)
    assert solve(from_environment(Forgets, hidden=True, recall=False)).start_value == pytest.approx(6.0, abs=1e-9)


def test_a_discount_within_a_wrapper_of_other_moves_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Endless, "render_mode", None, raising=False)
    with pytest.raises(UsageError, match="has no DISCOUNT, and an environment in it has; give that one, or declare"):
        from_environment(lambda: parallel_to_aec(Endless()), hidden=True)


@pytest.mark.parametrize("discount", [Fraction(1, 2), np.float32(0.5), Decimal("0.5")])
def test_a_discount_may_be_any_number(discount: Any) -> None:
    assert solve(from_environment(lambda: Waiting(discount))).start_value == pytest.approx(3.0, abs=1e-9)


@pytest.mark.parametrize("discount", [0.0, 1.5, "half", np.array([0.5, 0.5])])
def test_what_is_no_discount_is_refused(discount: Any) -> None:
    with pytest.raises(UsageError, match=r"the DISCOUNT of Waiting must be a number above 0 and at most 1, not "):
        from_environment(lambda: Waiting(discount))
    with pytest.raises(UsageError, match="is no constant sum; pay both players 0 together"):
        from_environment(lambda: Waiting(0.5, paid=1.0))


class FailingPile(Pile):
    def step(self, take: int) -> None:
        if take == 3:
            raise KeyError(take)
        super().step(take)


class GeneralSum(RaceWithDice):
    def chance_outcomes(self) -> Any:
        return []

    def step(self, action: Any) -> None:
        self.at = [3, action]

    def rewards(self) -> Any:
        return [1.0, float(self.at[1])] if 3 in self.at else [0.0, 0.0]


class Failing(GeneralSum):
    def step(self, action: Any) -> None:
        raise KeyError(action)


class Three:
    possible_agents = ("a", "b", "c")


def test_positions_of_the_environment_are_where_the_game_is() -> None:
    """Random games in the environment itself show what the game says of them."""
    game = from_environment(GymTicTacToe, players=(1, -1), reward_to="mover")
    shown, rng = game.rules.written.environment, np.random.default_rng(1)
    for _ in range(20):
        env, code = GymTicTacToe(), int(game.start_codes[0])
        seen, info = env.reset()
        while not game.terminal(code):
            player = game.turn(code)
            assert np.array_equal(shown.at(np.array([code]), np.array([player]))[0], seen)
            assert game.legal_actions(code, player) == tuple(np.flatnonzero(info["action_mask"]))
            action = int(rng.choice(game.legal_actions(code, player)))
            seen, reward, _, _, info = env.step(action)
            code = game.step(code, *((action, 0) if player == 0 else (0, action)))
            assert game.payoff(code) == (reward if player == 0 else -reward)


def won_in_the_environment(env: Any, choose: Any) -> float:
    """Returns what the first player of an AEC environment wins, by all plays, each in a copy of the environment."""
    if all(env.terminations.values()):
        return float(env.rewards[env.possible_agents[0]])
    if here := env.chance_outcomes():
        options = here
    else:
        seen = env.observe(env.agent_selection)
        options = list(enumerate(choose(seen["observation"], seen["action_mask"])))
    total = 0.0
    for choice, probability in options:
        after = copy.deepcopy(env)
        after.step(choice)
        total += probability * won_in_the_environment(after, choose)
    return total


def test_a_network_sees_what_its_environment_shows() -> None:
    """Its value is what all plays in the environment itself bring, with its own observations."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    network = torch.nn.Linear(5, 2)
    game, env = from_environment(KuhnPoker, hidden=True), KuhnPoker()
    env.reset()

    def choose(seen: Any, mask: Any) -> Any:
        with torch.no_grad():
            return torch.softmax(network(torch.tensor(seen, dtype=torch.float32)).double(), 0).numpy()

    assert evaluate(game, network, network) == pytest.approx(won_in_the_environment(env, choose), abs=1e-6)
    assert exploitability(game, network) > 0.0


def test_a_function_sees_what_its_environment_shows() -> None:
    """The function asserts what it gets; it is asked for one observation at a time, and for many."""
    weights = np.random.default_rng(2).normal(size=(5, 2))

    def choose(seen: Any, mask: Any) -> Any:
        assert seen.shape[-1:] == (5,) and seen.dtype == np.int8
        shares = np.exp(seen @ weights) * mask
        return shares / shares.sum(axis=-1, keepdims=True)

    def alone(observation: Any, mask: Any) -> Any:
        assert observation.shape == (5,)
        return choose(observation, mask)

    game, env = from_environment(KuhnPoker, hidden=True), KuhnPoker()
    env.reset()
    for function in (choose, alone):
        assert evaluate(game, function, function) == pytest.approx(won_in_the_environment(env, choose), abs=EXACT)


def test_a_model_of_stable_baselines3_is_measured_without_change() -> None:
    """It was trained in a wrapper whose space is flat; the game has another observation."""
    sb3 = pytest.importorskip("stable_baselines3")

    class Flat(gymnasium.Env[Any, Any]):
        observation_space, action_space = spaces.Box(-1, 1, (9,), np.int8), spaces.Discrete(9)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            return np.zeros(9, np.int8), {}

        def step(self, action: Any) -> Any:
            return np.zeros(9, np.int8), float(action == 4), True, False, {}

    model = sb3.PPO("MlpPolicy", Flat(), n_steps=8, batch_size=8, device="cpu").learn(8)
    game = from_environment(GymTicTacToe, players=(1, -1), reward_to="mover")
    assert 0.0 < exploitability(game, model) <= 1.0
    assert agents.as_agent(model, game).action_probabilities(
        game.observe(0, 0)[None], np.ones((1, 9), np.int8)
    ).sum() == pytest.approx(1.0)


def test_what_predicts_gets_the_observations_of_its_environment() -> None:
    class Mine:
        def predict(self, observations: Any, deterministic: bool = False, action_masks: Any = None) -> Any:
            assert observations.shape[1:] == (5,) and observations.dtype == np.int8
            return observations[:, 2].astype(int), None  # bets with the highest card

    game = from_environment(KuhnPoker, hidden=True)
    player = agents.as_agent(Mine(), game)
    for code in range(len(game.rules.written.graph.turns)):
        if game.movers(code) and not game.terminal(code):
            view = game.information_state(code, game.turn(code))
            action, _ = player.predict(game.observe(view, game.turn(code)))
            assert "waits" in game.text(view)[-5:] or action == ("sees [0, 0, 1" in game.text(view))


def test_a_key_that_blurs_observations_is_said() -> None:
    """Matching pennies goes on alike whoever won: a key of the round alone makes states one that are shown alike."""
    torch = pytest.importorskip("torch")
    game = from_environment(LastMoves, key=lambda env: env.round)
    assert solve(game).start_value == pytest.approx(0.0, abs=EXACT)
    with pytest.raises(UsageError, match=r"a state has two observations, those after .* and after .*: choose a key"):
        exploitability(game, torch.nn.Linear(3, 2))


class LastMoves(MatchingPennies):
    """Players see the last moves, which do not matter."""

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(2)

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.last = np.zeros(2, np.int8)
        return super().reset(seed, options)

    def _seen(self) -> Any:
        return dict.fromkeys(self.possible_agents, np.array([*self.last, self.round], np.int8))

    def step(self, actions: Any) -> Any:
        self.last = np.array([actions["even"], actions["odd"]], np.int8)
        return super().step(actions)


class Half:
    """Has a part of what a class of a game has."""

    current_player, returns = 0, (1, -1)

    def step(self, action: int) -> None:
        raise AssertionError("it is not asked")


class Unnumbered:
    """Steps as Gymnasium's environments do, and does not say its actions."""

    current_player = 0

    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 0, 0.0, True, False, {}


class Taking:
    """Players take 1 or 2 of 4 in turn, perhaps three of them."""

    def __init__(self, third: bool = False) -> None:
        self.left, self.current_player, self.players = 4, 0, 2 + third

    def legal_actions(self) -> list[int]:
        return [1, 2][: self.left]

    def step(self, take: int) -> None:
        self.left, self.current_player = self.left - take, (self.current_player + 1) % self.players

    def is_terminal(self) -> bool:
        return self.left == 0

    def returns(self) -> list[int]:
        return [1, -1]


class ThreeSeats(Taking):
    def num_players(self) -> int:
        return 3


MADE = """
class Table:
    def step(self, action):
        return action

class Poker(Table):
    def __init__(self, hidden=False):
        self.hidden = hidden

class Settings:
    pass
"""


def test_a_module_of_environments_is_told_how_to_name_one(nashzoo: Command, tmp_path: Path) -> None:
    path = tmp_path / "made.py"
    path.write_text(MADE)
    said = nashzoo.refused(f"solve {path}")
    assert said.endswith(f"what makes an environment in it is named as {path}:Table or {path}:Poker")
    said = nashzoo.refused("solve pettingzoo.classic.tictactoe_v3")
    assert said.endswith("is named as pettingzoo.classic.tictactoe_v3:env") and "Piece" not in said
    assert nashzoo.refused("solve pettingzoo.classic.tictactoe_v3.env").endswith(
        "mean pettingzoo.classic.tictactoe_v3:env?"
    )
    assert nashzoo.refused("solve pettingzoo.classic").endswith("such as State and step, and no environment")
    (tmp_path / "begun.py").write_text('NAME = "begun_v0"\n')
    assert "are not complete" in nashzoo.raw(f"solve {tmp_path / 'begun.py'}").err  # it is a file of rules


def test_arguments_of_what_makes_an_environment_are_given_by_a_function(nashzoo: Command, tmp_path: Path) -> None:
    path = tmp_path / "with_arguments.py"
    path.write_text(MADE)
    for line in (f"solve {path}:Poker(hidden=True)", f"play {path}:Poker --param hidden=True"):
        assert nashzoo.refused(line) == (
            f"{path}:Poker is called without arguments: write a function, def mine(): return Poker(hidden=True), and "
            f"name it, as {path}:mine"
        )
    assert nashzoo.refused("solve footsies_v0(blocks=1)").endswith(", but apart: footsies_v0 --param blocks=1")


def test_code_of_a_named_environment_that_fails_is_told_with_its_line(nashzoo: Command, tmp_path: Path) -> None:
    (tmp_path / "boom.py").write_text(
        "from strangers import Sticks\nclass Boom(Sticks):\n    def make_move(self, move):\n"
        "        raise RuntimeError('two\\nlines')\n"
    )
    said = nashzoo.refused(f"solve {tmp_path / 'boom.py'}:Boom")
    assert "RuntimeError: two lines, in " in said and "boom.py, line 4, in make_move" in said
    (tmp_path / "fails_v0.py").write_text(
        "class Env:\n    def __init__(self):\n        raise KeyError('cards')\n"
        "class Late(Env):\n    def __init__(self):\n        pass\n    current_player = apply_action = returns = 0\n"
        "    def is_terminal(self):\n        return 1 / 0\n    def legal_actions(self):\n        return [0]\n"
    )
    assert nashzoo.refused(f"solve {tmp_path / 'fails_v0.py'}:Env").endswith("line 3, in __init__: KeyError: 'cards'")
    assert "line 9, in is_terminal: ZeroDivision" in nashzoo.refused(f"solve {tmp_path / 'fails_v0.py'}:Late")


def test_code_of_an_installed_environment_that_fails_is_told_with_its_line(
    nashzoo: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "installed_fails.py").write_text("def env():\n    raise KeyError('cards')\n")
    (tmp_path / "installed_lacks.py").write_text("import nothing_of_this_name\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert nashzoo.refused("solve installed_fails:env").endswith("line 2, in env: KeyError: 'cards'")
    assert "installed_lacks.py, line 1, in <module>: ModuleNotFound" in nashzoo.refused("solve installed_lacks:env")
