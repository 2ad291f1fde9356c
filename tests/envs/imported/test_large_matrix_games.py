"""Matrix games with more actions than a game has: by arrays, functions and files, and as an environment."""

import json
import pickle

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test

from nashzoo.envs import LargeMatrix, make_game
from nashzoo.envs.api.matrix_env import MatrixParallelEnv
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported.exact_numbers import double_in, in_doubles, number_in
from nashzoo.envs.registry import large_matrix


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((lambda i, j: 0,), "needs rows and columns: their numbers, or their names"),
        ((lambda i, j: 0, 0, 5), "at least one row and one column, not 0 and 5"),
        ((lambda i, j: "a", 3, 3), "returns no numbers"),
        ((lambda i, j: float("nan"), 3, 3), "payoffs must be from -1e[+]100 to 1e[+]100, and large_matrix has others"),
        ((lambda i, j: 0.0, 3, 4, "mine", True), r"returns the shape \(\) for 3 rows \[k, 1\] and 4 columns"),
        ((np.zeros((2, 2)), ["a", "a"]), "2 actions need as many different names, not a, a"),
        ((np.zeros((70, 2)), [f"name {k}" for k in range(69)]), r"70 actions need .*\[\.\.\.\]$"),
        (([[2**53 + 1, 0]] * 70,), "double precision makes 9007199254740992.0"),
        (([["x", 0]],), "payoffs must be a matrix of numbers"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(UsageError, match=message):
        LargeMatrix(*arguments).payoffs(np.arange(3), np.arange(4))


def test_a_function_is_called_with_two_indices():
    game = LargeMatrix(lambda i, j: 10 * i + j, rows=70, columns=["a", "b"])
    assert game.payoffs([3, 69], [1]).tolist() == [[31.0], [691.0]]
    assert game.action_name(1, 1) == "b"
    assert game.strategy(1, {"b": 0.25, "a": 0.75}).tolist() == [0.75, 0.25]
    with pytest.raises(UsageError, match=r"player 1 has no action 'aa' in large_matrix \(did you mean a\?\)"):
        game.strategy(1, {"aa": 1.0})


def test_the_environment_is_one_step_of_pettingzoo(capsys):
    game = LargeMatrix(np.arange(140.0).reshape(70, 2))
    env = MatrixParallelEnv(game)
    parallel_api_test(env, num_cycles=20)
    env = pickle.loads(pickle.dumps(env))
    observations, _ = env.reset(seed=1)
    assert env.observation_space("player_0").contains(observations["player_0"])
    _, rewards, over, late, _ = env.step({"player_0": 69, "player_1": 0})
    assert (rewards, all(over.values()), any(late.values())) == ({"player_0": 138.0, "player_1": -138.0}, True, False)
    with pytest.raises(UsageError, match="no game is running"):
        env.step({"player_0": 0, "player_1": 0})
    env.reset()
    with pytest.raises(UsageError, match="player_1 played 2; its actions are 0 to 1"):
        env.step({"player_0": 0, "player_1": 2})
    with pytest.raises(UsageError, match="step needs a dictionary"):
        env.step({"player_0": 0})


@pytest.mark.parametrize("text", ["1.5", "-0.1", "007", "123456789012345", "1234567890123456", "1e5", "1/3", "a"])
def test_the_quick_way_to_numbers_is_the_exact_one(text):
    exact = number_in(text)
    assert double_in(text) == (None if exact is None else in_doubles(exact, text))


@pytest.fixture
def wide(tmp_path):
    """A file of a game of 2 rows and 100 columns: the value is 1/2, by the first two columns."""
    path = tmp_path / "wide.csv"
    names = ["", *(f"column {k}" for k in range(100))]
    payoffs = np.full((2, 100), 3)
    payoffs[:, :2] = np.eye(2)
    rows = [["up", *payoffs[0]], ["[bold]down", *payoffs[1]]]
    path.write_text("\n".join(",".join(map(str, line)) for line in [names, *rows]))
    return path


def test_files_are_solved_and_strategies_measured(nashzoo, wide, tmp_path):
    assert large_matrix(wide).shape == (2, 100)
    text = nashzoo.raw(f"solve {wide}").out
    assert "value to the player of rows: 0.5 points" in text
    assert "[bold]down" in text
    assert "and 98 more actions with probability 0" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "column 99" not in text
    solved = nashzoo.json(f"solve --matrix {wide}")
    assert solved["optimal"]
    assert solved["strategy1"] == pytest.approx({"column 0": 0.5, "column 1": 0.5})
    (tmp_path / "mine.json").write_text(json.dumps(solved))
    measured = nashzoo.json(f"exploitability {wide} mine.json")
    assert measured["nash_conv"] <= 1e-9
    # Of random play, a column gets 0.5 at least, and a row (1 + 98 * 3) / 100.
    text = nashzoo.prints(f"exploitability {wide} random")
    assert "An opponent who knows random wins 1.23 points a game." in text and "NashConv 2.45" in text
    assert "rows secure 0.5 against column 0" in text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("play {}", "nashzoo solve and nashzoo exploitability take such a matrix"),
        ("list {}", "at most 62 of each"),
        ("solve {} --param rounds=2", "is a matrix played once, in memory: leave out --param"),
        ("exploitability {} mcts", "is random, or a .json file with strategy0 and strategy1"),
        ("exploitability {} wrong.json", "player 0 needs 2 probabilities in wide, of sum 1, not 2 of sum 0.5"),
        ("exploitability {} unknown.json", "player 0 has no action 'upp' in wide (did you mean up?)"),
        ("exploitability {} lacking.json", "is random, or a .json file with strategy0 and strategy1"),
    ],
)
def test_other_commands_say_what_works(nashzoo, wide, tmp_path, line, message):
    (tmp_path / "wrong.json").write_text('{"strategy0": {"up": 0.5}, "strategy1": {"column 0": 1}}')
    (tmp_path / "unknown.json").write_text('{"strategy0": {"upp": 1}, "strategy1": {"column 0": 1}}')
    (tmp_path / "lacking.json").write_text('{"strategy0": {"up": 1}}')
    with pytest.raises(UsageError, match="at most 62 of each"):
        make_game(wide)
    assert message in nashzoo.refused(line.format(wide))
