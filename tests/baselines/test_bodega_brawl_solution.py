"""The exact solution of Bodega Brawl, against linear programs over a second implementation of the rules."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import table_games
from brute_force import matrix_value
from nashzoo.agents.basic.nash import NashAgent
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.app.commands import solve as solve_command
from nashzoo.arena.match import play_match
from nashzoo.baselines import evaluate
from nashzoo.baselines.layered_solution import LayeredSolution
from nashzoo.baselines.store import open_solution
from nashzoo.envs.core.game import Game
from nashzoo.envs.jit.compiled import Floats, Ints, compiled
from table_games import Brawl, solved

CERTIFIED = 1e-9  # the gap that is promised
LINEAR_PROGRAM = 1e-8  # HiGHS stops where constraints are off by 1e-10
ROUNDING = 1e-15
MODES = ("draw", "sudden_death")


@pytest.mark.parametrize("double_ko", MODES)
@pytest.mark.parametrize("preset", ["tiny", pytest.param("small", marks=pytest.mark.slow)])
def test_every_value_is_that_of_a_plain_solver(preset: str, double_ko: str) -> None:
    plain = table_games.solved_plainly(preset, double_ko)
    game = table_games.game(preset, double_ko)
    solution = solved(game)
    assert solution.num_states == len(plain)
    for fields, value in plain.items():
        assert solution.value(game.code(**dict(fields))) == pytest.approx(value, abs=LINEAR_PROGRAM)
    assert len({round(value, 6) for value in plain.values()}) > 4


class Sample(NamedTuple):
    """Some states, their values and strategies as solved, and their matrices from the values that follow."""

    codes: Ints
    layers: Ints
    values: Floats
    strategies: tuple[Floats, Floats]
    matrices: list[Floats]


def sample(solution: LayeredSolution, per_layer: int, rng: np.random.Generator) -> Sample:
    """Returns as many states from each layer, mirror images among them; all where there are not as many."""
    game, states = solution.game, solution.states
    chosen = [rng.choice(ids, min(per_layer, len(ids)), replace=False) for ids, _ in states.layers]
    layers = np.repeat(np.arange(len(chosen)), [len(ids) for ids in chosen])
    codes = states.codes_at(np.concatenate(chosen))

    def worth(brawl: Brawl) -> float:
        return solution.value(int(game.rules.encode(type(game.state(0))(**brawl.fields()))))

    matrices = [table_games.matrix_of(table_games.brawl_at(game, int(code)), worth) for code in codes]
    values = np.array([solution.value(int(code)) for code in codes])
    return Sample(codes, layers, values, solution.strategies(codes), matrices)


def check_values(drawn: Sample) -> None:
    """Every value is that of the matrix game between the values that follow, by a linear program."""
    assert len(np.unique(drawn.values.round(6))) > len(drawn.values) / 20
    for value, matrix in zip(drawn.values, drawn.matrices, strict=True):
        assert value == pytest.approx(matrix_value(matrix), abs=LINEAR_PROGRAM)


def check_strategies(drawn: Sample, game: Game) -> Floats:
    """The strategies are distributions over the legal actions; returns what each pair of them leaves open."""
    gaps = []
    for code, matrix, *pair in zip(drawn.codes, drawn.matrices, *drawn.strategies, strict=True):
        legal = [list(game.legal_actions(int(code), player)) for player in range(2)]
        for strategy, actions in zip(pair, legal, strict=True):
            assert (strategy >= 0).all() and strategy.sum() == pytest.approx(1, abs=1e-12)
            assert strategy[actions].sum() == pytest.approx(1, abs=1e-12)
        gaps.append(table_games.gap(matrix, pair[0][legal[0]], pair[1][legal[1]]))
    return np.array(gaps)


@pytest.mark.parametrize("double_ko", MODES)
def test_the_certificate_holds_the_sum_of_the_largest_gaps(double_ko: str) -> None:
    solution = solved(table_games.game("tiny", double_ko))
    drawn = sample(solution, 1_000_000, np.random.default_rng(0))
    assert len(drawn.codes) == len(solution.states)
    gaps = check_strategies(drawn, solution.game)
    lost = sum(gaps[drawn.layers == layer].max() for layer in range(3))
    # Each player may lose the whole gap in each of three layers, and the checker may be wrong by its own rounding.
    assert lost <= solution.certificate <= 2 * lost + 3 * 2 * 12 * 2.0**-52


@compiled()
def _through(game: Any, half: Floats) -> tuple[int, int, float]:
    """Returns how many states have a value within -1..1, how many have none, and the worst of swapping players.

    That is by how much the values of a state and its mirror image differ from opposite numbers.
    """
    index, code_at, swap_players, params = game.index, game.code_at, game.swap_players, game.params
    good, bad, worst = 0, 0, 0.0
    for number in range(len(half)):
        code = code_at(params, number)
        other = swap_players(params, code)
        back = index(params, other)
        opposite = half[back] if back >= 0 else -half[~back]
        if abs(half[number]) <= 1.0:
            good += 1 if other == code else 2
        else:
            bad += 1
        worst = max(worst, abs(half[number] + opposite))
    return good, bad, worst


@pytest.mark.parametrize("preset", ["tiny", "small", pytest.param("medium", marks=pytest.mark.slow)])
@pytest.mark.parametrize("double_ko", MODES)
def test_swapping_the_players_changes_the_sign_everywhere(preset: str, double_ko: str) -> None:
    solution = solved(table_games.game(preset, double_ko))
    assert _through(solution.game.compiled, solution.values.half) == (solution.num_states, 0, 0.0)
    assert solution.start_value == 0.0
    assert solution.certificate <= CERTIFIED


# The last card of each player. In different regions an attack is sure to strike, and an attack of the other to be
# suffered, so both attack; in the same region a counter is never struck, so nobody need be.
LAST_CARDS = [
    ({"head_dual0": 1, "body_dual1": 1}, {}, 0),  # nobody can be knocked out
    ({"head_dual0": 1, "body_dual1": 1}, {"head1": 1}, 1),  # one more strike there is the second
    ({"head_dual0": 1, "body_dual1": 1}, {"body1": 1}, 0),  # that is not where the strike lands
    ({"head_dual0": 1, "body_dual1": 1}, {"body1": 1, "legs1": 1}, 1),  # one more strike anywhere is the third
    ({"head_dual0": 1, "body_dual1": 1}, {"body0": 1, "legs0": 1}, -1),
    ({"head_dual0": 1, "body_dual1": 1}, {"head0": 1, "legs0": 1, "head1": 1, "legs1": 1}, 0),  # both at once
    ({"head_dual0": 1, "head_dual1": 1}, {"body0": 1, "legs0": 1}, 0),
    ({"head_dual0": 1, "head_dual1": 1}, {"body1": 1, "legs1": 1, "head0": 1}, 0),
]


@pytest.mark.parametrize(("cards", "strikes", "value"), LAST_CARDS, ids=str)
def test_the_last_cards_by_hand(cards: dict[str, int], strikes: dict[str, int], value: int) -> None:
    none = {f"{region}_dual{player}": 0 for region in ("head", "body", "legs") for player in range(2)}
    solution = solved(table_games.game("small"))
    game = solution.game
    code = game.code(**{**none, **cards, **strikes})
    assert solution.value(code) == value
    for player, strategy in enumerate(solution.strategies(np.array([code]))):
        (held,) = (field for field in cards if field.endswith(str(player)))
        region = held.split("_")[0].title()
        attack, counter = (game.actions.index(f"{region} {kind}") for kind in ("Dual Attack", "Counter"))
        assert game.legal_actions(code, player) == (attack, counter)
        assert strategy[0].sum() == pytest.approx(strategy[0, attack] + strategy[0, counter]) == 1
        if value == (1, -1)[player]:
            assert strategy[0, attack] == 1.0


def test_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "small.safetensors"
    solve_command.main("bodega_brawl_v0", param=("preset=small",), at="head1=1", out=file)
    told = " ".join(capsys.readouterr().out.split())
    assert "6,860 states solved (2,849 that play from the start reaches), at red strikes" in told
    assert " head0=0,body0=0,legs0=0,head1=1," in told
    value = solved(table_games.game("small")).value(table_games.game("small").code(head1=1))
    (shown,) = re.findall(r"value to red: (\S+) points", told)
    assert float(shown) == pytest.approx(value, abs=1e-8) and 0.1 < value < 1
    assert re.search(r"certificate \(largest gap at any state\): \d\.\de-1\d", told)


def exact_and_played(game: Game, solution: LayeredSolution, games: int) -> tuple[float, float]:
    """Returns what Nash wins from the uniform random player, points per game, and by how much a sample is off.

    The latter in standard errors. In a symmetric game it is the same from either seat.
    """
    nash, random = NashAgent(game, solution=solution), RandomAgent(game)
    exact = evaluate(game, nash, random)
    result = play_match(game, nash, random, games // 2, 1) + play_match(game, random, nash, games // 2, 2).reversed()
    assert result.games == games and result.unfinished == 0
    return exact, (result.mean - exact) / result.standard_error


@pytest.mark.parametrize(("preset", "double_ko"), [("tiny", "draw"), ("small", "sudden_death")])
def test_nash_against_random(preset: str, double_ko: str) -> None:
    game = table_games.game(preset, double_ko)
    exact, off = exact_and_played(game, solved(game), 20_000)
    assert 0.1 < exact < 0.5
    assert abs(off) < 3


class StoredSolution(NamedTuple):
    """The published game, solved by the command in a process of its own."""

    path: Path
    solution: LayeredSolution
    told: Any  # what the command printed
    peak: int | None  # bytes of memory, where the system tells


# Only of the program itself; what is asked of a child of this process may be what this process has used.
PROGRAM = """
import sys
from pathlib import Path
from nashzoo.app.main import main
assert main() == 0
status = Path("/proc/self/status")
print(status.read_text() if status.exists() else "", file=sys.stderr)
"""


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> StoredSolution:
    folder = tmp_path_factory.mktemp("large")
    path = folder / "large.safetensors"
    command = ["solve", "bodega_brawl_v0", "--json", "--out", str(path)]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *command], capture_output=True, text=True, env=environment, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    found = re.search(r"VmHWM:\s*(\d+) kB", done.stderr)
    peak = None if found is None else 1024 * int(found[1])
    assert list(folder.iterdir()) == [path]
    return StoredSolution(path, open_solution(table_games.game("large"), path), json.loads(done.stdout), peak)


@pytest.mark.slow
class TestLarge:
    def test_what_the_command_tells(self, large: StoredSolution) -> None:
        assert large.told["value"] == 0.0
        assert 0 <= large.told["certificate"] <= CERTIFIED
        assert large.told["certificate"] == large.solution.certificate
        start = large.solution.strategies(large.solution.game.start_codes)
        for player in range(2):
            strategy = list(large.told[f"strategy{player}"].values())
            assert strategy == start[player][0].tolist()
            assert sum(strategy) == pytest.approx(1, abs=1e-12)

    def test_size_of_file_and_memory(self, large: StoredSolution) -> None:
        assert large.path.stat().st_size <= 120e6
        if large.peak is None:
            pytest.skip("this system does not tell")
        assert large.peak <= 1e9

    def test_every_state_has_a_value_and_the_players_swapped_the_opposite_one(self, large: StoredSolution) -> None:
        solution = large.solution
        assert solution.num_states == 28_807_600
        half = np.array(solution.values.half)
        assert _through(solution.game.compiled, half) == (28_807_600, 0, 0.0)
        assert solution.start_value == 0.0
        assert (half == 0).mean() < 0.1  # as those left out would be; near the end of the game many states are even

    def test_a_sample_of_all_layers(self, large: StoredSolution) -> None:
        solution = large.solution
        drawn = sample(solution, 250, np.random.default_rng(0))
        assert len(drawn.codes) > 3000
        check_values(drawn)
        gaps = check_strategies(drawn, solution.game)
        largest = [gaps[drawn.layers == layer].max() for layer in range(14)]
        assert sum(largest) <= solution.certificate + 14 * ROUNDING

    def test_nash_against_random(self, large: StoredSolution) -> None:
        # Who solved it by a linear program for each state saw 64 % of 100,000 games, draws counted as half. Some
        # states have many equilibria, which win differently from a player who errs.
        exact, off = exact_and_played(large.solution.game, large.solution, 20_000)
        assert (1 + exact) / 2 == pytest.approx(0.64, abs=0.03)
        assert abs(off) < 3
