"""Games of OpenSpiel, held against OpenSpiel's own solvers."""

import builtins
import re
import subprocess
import sys
from typing import Any

import numpy as np
import platformdirs
import pytest

from command import Command
from nashzoo import agents
from nashzoo.baselines import best_response, exploitability, solve
from nashzoo.baselines.game_problems import game_problems
from nashzoo.envs import Game, from_environment, from_openspiel
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported import graph_files, openspiel
from nashzoo.envs.imported.openspiel import openspiel_rules
from nashzoo.examples import liars_dice

pyspiel = pytest.importorskip("pyspiel")
EXACT = 1e-9
SMALL_FIELD = ".O.\nA.B\n.O."  # of markov_soccer: both players are as near to the ball, wherever it lies


@pytest.mark.parametrize(
    "name",
    [
        "tic_tac_toe",
        "nim(pile_sizes=1;3;5)",
        "dots_and_boxes(num_rows=1,num_cols=2)",
        "breakthrough(rows=4,columns=3)",
        pytest.param("connect_four(rows=4,columns=4)", marks=pytest.mark.slow),
    ],
)
def test_turn_based_games_are_worth_what_minimax_finds(name: str) -> None:
    from open_spiel.python.algorithms import minimax

    game = from_openspiel(name)
    expected, _ = minimax.alpha_beta_search(pyspiel.load_game(name))
    assert solve(game).start_value == expected


def test_pig_is_worth_what_plain_value_iteration_finds() -> None:
    start = pyspiel.load_game("pig(winscore=6,horizon=1000000)").new_initial_state()

    def key(state: Any) -> tuple[str, int]:
        return str(state), state.current_player()

    known, waiting = {key(start): start}, [start]
    while waiting:
        state = waiting.pop()
        for action in state.legal_actions():
            after = state.child(action)
            if key(after) not in known:
                known[key(after)] = after
                waiting.append(after)
    follows = {
        name: {action: key(state.child(action)) for action in state.legal_actions()} for name, state in known.items()
    }
    values = {name: state.returns()[0] if state.is_terminal() else 0.0 for name, state in known.items()}
    for _ in range(300):
        for name, state in known.items():
            if state.is_chance_node():
                values[name] = sum(chance * values[follows[name][action]] for action, chance in state.chance_outcomes())
            elif not state.is_terminal():
                best = max if state.current_player() == 0 else min
                values[name] = best(values[after] for after in follows[name].values())
    solution = solve(from_openspiel("pig(winscore=6)"))
    assert solution.certificate < EXACT
    assert solution.start_value == pytest.approx(values[key(start)], abs=EXACT)


@pytest.mark.parametrize(
    "name",
    [
        "goofspiel(num_cards=3,imp_info=False,points_order=descending)",
        "goofspiel(num_cards=3,imp_info=False)",
        "matrix_mp",
    ],
)
def test_simultaneous_games_by_the_strategies(name: str) -> None:
    """OpenSpiel's own exploitability takes sequential games, in which the second player is not told the first move."""
    from open_spiel.python.algorithms import exploitability as theirs
    from open_spiel.python.policy import UniformRandomPolicy

    game = from_openspiel(name)
    sequential = pyspiel.convert_to_turn_based(pyspiel.load_game(name))
    expected = theirs.exploitability(sequential, UniformRandomPolicy(sequential))
    found = exploitability(game, agents.make("random", game))
    assert found == pytest.approx(expected, abs=EXACT)
    assert solve(game).certificate < 1e-8


@pytest.mark.slow
def test_markov_soccer_with_its_horizon() -> None:
    game = from_openspiel(f"markov_soccer(horizon=3,grid={SMALL_FIELD})")
    solution = solve(game)
    assert solution.certificate < 1e-12 and solution.start_value == pytest.approx(0.0, abs=EXACT)
    assert game.has_chance and not game.turn_based
    rng = np.random.default_rng(0)
    assert all(not game.terminal(game.start(rng)) for _ in range(5))


@pytest.mark.slow
def test_markov_soccer_without_end() -> None:
    solution = solve(from_openspiel(f"markov_soccer(grid={SMALL_FIELD})"))
    assert solution.certificate < 1e-9 and solution.start_value == pytest.approx(0.0, abs=EXACT)
    assert solution.values * 6 == pytest.approx(np.rint(solution.values * 6), abs=EXACT)


@pytest.mark.parametrize("name", ["tic_tac_toe", "goofspiel(num_cards=3,imp_info=False)", "pig(winscore=4)"])
def test_nothing_is_wrong_with_them(name: str) -> None:
    assert game_problems(from_openspiel(name), looked_at=200) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rbc(board_size=4)", "does not write what a player sees"),
        ("laser_tag", "laser_tag is not zero-sum"),
        ("xyzzy", "OpenSpiel has no game xyzzy"),
        ("tictactoe", r"did you mean tic_tac_toe\?"),
        ("tic_tac_toe(size=4)", r"OpenSpiel cannot make tic_tac_toe\(size=4\): "),
        ("pig(players=3)", "has 3 players"),
        ("oware(num_seeds_per_house=1,num_houses_per_player=3)", "does not tell"),
    ],
)
def test_what_is_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_openspiel(name)


UNIFORM = {"liars_dice": 0.7807443231922397}  # exploitability, by OpenSpiel, which works on it for five seconds


# The values are those of OpenSpiel's sequence_form_lp with HiGHS, written down as it needs a library more.
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kuhn_poker", -1 / 18),
        ("leduc_poker", -0.08560642407800),
        ("leduc_poker(suit_isomorphism=true)", -0.08560642407800),
        ("goofspiel(imp_info=True,num_cards=4,points_order=ascending)", 0.0),
        ("goofspiel(imp_info=True,num_cards=3,points_order=random)", 0.0),
        ("dark_hex(num_rows=2,num_cols=2)", 1.0),
        ("dark_hex(num_rows=2,num_cols=2,gameversion=adh)", 0.5),
        pytest.param("liars_dice", -0.027131782946, marks=pytest.mark.slow),
    ],
)
def test_hidden_information(name: str, value: float) -> None:
    game, other = from_openspiel(name), pyspiel.load_game(name)
    assert game.hides and game.at_stake(int(game.start_codes[0])) == other.max_utility()
    if other.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        other = pyspiel.convert_to_turn_based(other)
    expected = UNIFORM.get(name) or pyspiel.exploitability(other, pyspiel.UniformRandomPolicy(other))
    assert exploitability(game, agents.make("random", game)) == pytest.approx(expected, abs=EXACT)
    solution = solve(game)
    assert solution.start_value == pytest.approx(value, abs=EXACT) and solution.certificate < EXACT


def test_liars_dice_with_two_dice_each_is_the_same_game() -> None:
    ours, theirs = Game(liars_dice, faces=2, dice=2), from_openspiel("liars_dice(players=2,numdice=2,dice_sides=2)")
    assert solve(ours).start_value == pytest.approx(solve(theirs).start_value, abs=EXACT)
    random = (exploitability(game, agents.make("random", game)) for game in (ours, theirs))
    assert next(random) == pytest.approx(next(random), abs=EXACT)


@pytest.mark.parametrize("name", ["kuhn_poker", "goofspiel(imp_info=True,num_cards=3)"])
def test_nothing_is_wrong_with_games_with_hidden_information(name: str) -> None:
    assert game_problems(from_openspiel(name), looked_at=200) == []


def test_players_see_what_openspiel_writes_that_they_see() -> None:
    game, state = from_openspiel("kuhn_poker"), pyspiel.load_game("kuhn_poker").new_initial_state()
    code = int(game.start_codes[0])
    for action in (2, 0, 1):  # player 0 gets the highest card, player 1 the lowest; player 0 bets
        code = int(game.outcomes(code)[0][action]) if state.is_chance_node() else game.step(code, action, 0)
        state.apply_action(action)
    assert game.turn(code) == 1
    for player in range(2):
        view = game.information_state(code, player)
        assert game.text(view) == state.information_state_string(player)
        assert game.information_state(view, player) == view
        assert np.array_equal(game.observe(view, player), game.observe(code, player))


@pytest.mark.parametrize(
    "name",
    ["dark_hex_ir(num_rows=2,num_cols=2)", pytest.param("dark_hex(num_rows=2,num_cols=3)", marks=pytest.mark.slow)],
)
def test_players_who_forget_are_refused(name: str) -> None:
    """In regular dark hex, OpenSpiel's players see the number of all tries, and forget it."""
    with pytest.raises(ValueError, match=r"player \d cannot tell"):
        solve(from_openspiel(name))


def test_too_many_histories() -> None:
    with pytest.raises(ValueError, match="play of liars_dice leads to more than 500 histories"):
        from_openspiel("liars_dice", most_states=500)


def test_too_many_states() -> None:
    with pytest.raises(ValueError, match="play of chess leads to more than 500 states; choose other parameters"):
        from_openspiel("chess", most_states=500)


@pytest.mark.slow
def test_by_the_command(nashzoo: Command) -> None:
    code, out, _ = nashzoo("solve openspiel:tic_tac_toe")
    assert code == 0 and "value to red: 0 points" in out
    code, out, _ = nashzoo("exploitability openspiel:matrix_rps random")
    assert code == 0 and "exploitability 0 points per game" in out


@pytest.mark.parametrize("name", [None, object(), pyspiel.load_game("tic_tac_toe").new_initial_state()])
def test_a_game_is_given_by_its_name_or_itself(name: Any) -> None:
    with pytest.raises(
        UsageError, match=r"a game of OpenSpiel is made by its name, such as 'tic_tac_toe', or is one, not"
    ):
        from_openspiel(name)


def test_games_of_openspiel_in_python() -> None:
    script = "from nashzoo.envs import from_openspiel; print(from_openspiel('python_kuhn_poker').num_actions)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "2\n"


def test_a_game_that_somebody_wrote_and_registered() -> None:
    """The user registers a game with OpenSpiel; then its name, the game, and the class are games here."""
    from open_spiel.python.games import kuhn_poker

    kind = pyspiel.GameType(**{
        name: getattr(kuhn_poker._GAME_TYPE, name)
        for name in (
            "dynamics", "chance_mode", "information", "utility", "reward_model", "max_num_players", "min_num_players",
            "provides_information_state_string", "provides_information_state_tensor", "provides_observation_string",
            "provides_observation_tensor", "parameter_specification",
        )
    } | {"short_name": "python_my_kuhn", "long_name": "Mine"})  # fmt: skip

    class Mine(kuhn_poker.KuhnPokerGame):  # type: ignore[misc]
        def __init__(self, params: Any = None) -> None:
            pyspiel.Game.__init__(self, kind, kuhn_poker._GAME_INFO, params or {})

    pyspiel.register_game(kind, Mine)
    for game in (from_openspiel("python_my_kuhn"), from_openspiel(Mine()), from_environment(Mine)):
        assert game.hides and solve(game).start_value == pytest.approx(-1 / 18, abs=EXACT)


def hundred_cards(hidden: bool, total: float = 0.0) -> Any:
    """Returns a game of OpenSpiel: one of 100 cards is dealt, n in n + 1 of 5,050; player 0 may take n - 60."""
    kind = pyspiel.GameType(
        short_name=f"python_hundred_cards_{hidden}", long_name="Cards",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL, chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=getattr(pyspiel.GameType.Information, f"{'IM' * hidden}PERFECT_INFORMATION"),
        utility=getattr(pyspiel.GameType.Utility, "CONSTANT_SUM" if total else "ZERO_SUM"),
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2, min_num_players=2, provides_information_state_string=True,
        provides_information_state_tensor=False, provides_observation_string=True, provides_observation_tensor=False,
        parameter_specification={},
    )  # fmt: skip
    size = pyspiel.GameInfo(
        num_distinct_actions=2, max_chance_outcomes=100, num_players=2, min_utility=-60.0, max_utility=39.0,
        utility_sum=total, max_game_length=1,
    )  # fmt: skip

    class Cards(pyspiel.State):  # type: ignore[misc]
        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.card, self.took = -1, -1

        def current_player(self) -> Any:
            return pyspiel.PlayerId.CHANCE if self.card < 0 else pyspiel.PlayerId.TERMINAL if self.took >= 0 else 0

        def chance_outcomes(self) -> Any:
            return [(card, (card + 1) / 5_050) for card in range(100)]

        def _legal_actions(self, player: int) -> list[int]:
            return [0, 1]

        def _apply_action(self, action: int) -> None:
            self.card, self.took = (action, -1) if self.card < 0 else (self.card, action)

        def _action_to_string(self, player: int, action: int) -> str:
            return f"{player} {action}"

        def is_terminal(self) -> bool:
            return self.took >= 0

        def returns(self) -> list[float]:
            won = float(self.took > 0) * (self.card - 60)
            return [won, total - won]

        def information_state_string(self, player: int) -> str:
            return "a card" if hidden else f"card {self.card}"

        def __str__(self) -> str:
            return f"{self.card} {self.took}"

    class Game(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, params: Any = None) -> None:
            super().__init__(kind, size, params or {})

        def new_initial_state(self) -> Any:
            return Cards(self)

    return Game()


@pytest.mark.parametrize("hidden", [False, True])
def test_chance_of_openspiel_has_any_number_of_outcomes(hidden: bool, capsys: pytest.CaptureFixture[str]) -> None:
    gains = [(card + 1) / 5_050 * (card - 60) for card in range(100)]
    expected = max(sum(gains), 0.0) if hidden else sum(gain for gain in gains if gain > 0)
    game = from_openspiel(hundred_cards(hidden))
    assert game.hides == hidden and solve(game).start_value == pytest.approx(expected, abs=EXACT)
    assert game_problems(game) == [] and capsys.readouterr().err == ""
    assert solve(from_openspiel(hundred_cards(hidden, 10.0))).start_value == pytest.approx(expected - 5.0, abs=EXACT)
    assert "is taken off from each, so that a reward of 0 here, a draw, is 5 there" in capsys.readouterr().err


@pytest.mark.slow
def test_states_whose_text_counts_steps() -> None:
    """The text has the number of moves; with a limit the best reply to random moves wins what plain recursion finds."""
    field = "capture_the_flag(grid=a.b\n...)"
    limited = field.replace(")", ",horizon=5)")
    known: dict[str, float] = {}

    def best(state: Any) -> float:
        if state.is_terminal():
            return float(state.returns()[0])
        if state.is_chance_node():
            return sum(chance * best(state.child(action)) for action, chance in state.chance_outcomes())
        if str(state) not in known:
            means = []
            for own in state.legal_actions(0):
                after = [state.clone() for _ in state.legal_actions(1)]
                for one, other in zip(after, state.legal_actions(1), strict=True):
                    one.apply_actions([own, other])
                means.append(sum(map(best, after)) / len(after))
            known[str(state)] = max(means)
        return known[str(state)]

    expected = best(pyspiel.load_game(limited).new_initial_state())
    game = from_openspiel(limited)
    assert expected > 0.05
    assert best_response(game, agents.make("random", game), 0).value == pytest.approx(expected, abs=EXACT)
    assert not any(re.search(r"\d/1000", text) for text in openspiel_rules(field).texts or ())  # any number of moves


def test_without_openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == "pyspiel":
            raise ImportError("No module named 'pyspiel'")
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match="its games need OpenSpiel: pip install"):
        from_openspiel("pig")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["markov_soccer(horizon=20)", "oshi_zumo(coins=8,horizon=4)", "capture_the_flag(grid=a.b\n...,horizon=6)"],
)
def test_play_with_a_horizon_is_as_in_openspiel(name: str) -> None:
    """Random games end with the same move and the same return; in soccer a goal by the last move counts for nothing."""
    game, rng = from_openspiel(name), np.random.default_rng(3)
    goals_for_nothing = 0
    for _ in range(300):
        state, code, won = pyspiel.load_game(name).new_initial_state(), int(game.start_codes[0]), 0.0
        while not state.is_terminal():
            assert not game.terminal(code)
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                choice = int(rng.integers(len(outcomes)))
                state.apply_action(outcomes[choice][0])
                codes, probabilities = game.outcomes(code)
                assert probabilities[choice] == pytest.approx(outcomes[choice][1])
                code = int(codes[choice])
            else:
                own, other = (int(rng.choice(state.legal_actions(player))) for player in range(2))
                assert list(game.legal_actions(code, 0)) == state.legal_actions(0)
                state.apply_actions([own, other])
                code = game.step(code, own, other)
            won += game.payoff(code)
        assert game.terminal(code) and won == pytest.approx(state.returns()[0])
        goals_for_nothing += won == 0 and not {"A", "B"} <= set(str(state).upper())
    assert goals_for_nothing > 0 or not name.startswith("markov_soccer")


@pytest.mark.slow
def test_a_large_game_is_explored_once(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_files, "WORTH_KEEPING", 0)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path)
    name = f"markov_soccer(horizon=3,grid={SMALL_FIELD})"
    explored = openspiel_rules(name)
    (file,) = (tmp_path / "graphs").iterdir()
    monkeypatch.setattr(openspiel, "_made", None)
    kept = openspiel_rules(name)
    assert kept == explored and kept.horizon == explored.horizon
    assert [kept.text(code) for code in range(200)] == [explored.text(code) for code in range(200)]
    monkeypatch.undo()
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path)
    file.write_bytes(file.read_bytes()[:-9] + b"damaged!!")
    assert openspiel_rules(name) == explored


def test_a_matrix_with_more_actions_than_a_game_has(nashzoo: Command) -> None:
    """66 ways to place 10 soldiers on three fields. The game is symmetric: it is worth nothing."""
    name = "openspiel:blotto(players=2,coins=10,fields=3)"
    solved = nashzoo.json(f"solve {name}")
    assert solved["optimal"] and solved["lower"] <= 0.0 <= solved["upper"] and solved["certificate"] < EXACT
    game = pyspiel.load_game(name.removeprefix("openspiel:"))
    start = game.new_initial_state()
    places = [start.action_to_string(0, action) for action in start.legal_actions(0)]
    mix = {action.rpartition(" (")[0]: chance for action, chance in solved["strategy0"].items()}
    for column in start.legal_actions(1):  # by OpenSpiel's own payoffs no column wins from it
        won = 0.0
        for row, place in enumerate(places):
            after = start.clone()
            after.apply_actions([row, column])
            won += mix.get(place, 0.0) * after.returns()[0]
        assert won > -EXACT
    assert nashzoo.json(f"exploitability {name} random")["exploitability"] > 0.1
    with pytest.raises(UsageError, match=r"\(66 rows, 66 columns\): .* at most 62.*solve and .* take such"):
        from_openspiel(game)
