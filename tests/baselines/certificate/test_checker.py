"""The checker of solutions: bounds by hand, claims that do not hold, and a solver broken in every way."""

import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mutations
import table_games
from command import Command
from mutations import INNER, MUTATIONS, Mutation
from nashzoo.app.commands import verify as command
from nashzoo.baselines import ListedStates, Solution, solve
from nashzoo.baselines.certificate.checker import UNDECIDED, CertificateError, Claims, Witness, certify, guaranteed
from nashzoo.baselines.equilibrium import solve_listed
from nashzoo.baselines.indexed_solution import IndexedSolution
from nashzoo.baselines.solution import ListedSolution
from nashzoo.baselines.solvers.step_penalty import with_step_penalty
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.baselines.states.restricted import RestrictedStates
from nashzoo.baselines.store import game_in, save
from nashzoo.envs import registry
from nashzoo.envs.core.game import Game

CERTIFIED = 1e-9  # the certificate that is promised
CLOSE = 1e-15  # relative, by how much the checker's bounds may be too wide


@functools.cache
def solved(game: Game) -> Solution:
    return solve(game)


def objection(mutation: Mutation) -> str:
    """Returns what the checker says when the solver is broken."""
    with pytest.MonkeyPatch.context() as patched:
        for where, name, function in mutation.also:
            patched.setattr(where, name, function)
        patched.setattr(mutation.where, mutation.name, mutation.broken(getattr(mutation.where, mutation.name)))
        try:
            solution = solve(mutation.game())
        except CertificateError as error:
            return str(error)
    return f"nothing; the certificate is {solution.certificate}"


class TestABrokenSolver:
    @pytest.mark.parametrize("game", mutations.GAMES, ids=lambda game: str(game())[:60])
    def test_the_checker_has_nothing_against_the_solver_as_it_is(self, game: Callable[[], Game]) -> None:
        assert 0 <= solved(game()).certificate <= CERTIFIED
        assert solved(game()).verify() <= CERTIFIED

    @pytest.mark.parametrize("name", MUTATIONS)
    def test_it_is_found_out(self, name: str) -> None:
        assert solved(MUTATIONS[name].game()).certificate <= CERTIFIED
        said = objection(MUTATIONS[name])
        assert re.search(MUTATIONS[name].says, said), said

    @pytest.mark.slow
    def test_kernels_that_only_kernels_call(self) -> None:
        # They can be exchanged where nothing is compiled, in a process of its own.
        program = (
            "import json, numba, mutations, test_checker\n"
            "assert numba.config.DISABLE_JIT\n"
            "before = [test_checker.solve(mutation.game()).certificate for mutation in mutations.INNER.values()]\n"
            "said = [test_checker.objection(mutation) for mutation in mutations.INNER.values()]\n"
            "print(json.dumps([before, said]))\n"
        )
        path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        before, said = json.loads(done.stdout)
        assert max(before) <= CERTIFIED
        for mutation, words in zip(INNER.values(), said, strict=True):
            assert re.search(mutation.says, words), words

    def test_strategies_that_do_not_hurry_show_in_the_certificate(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # A step back is as good as one forward, by the values; whoever takes it for ever wins nothing.
        game = mutations.walk_at_once()
        values = solved(game).values
        monkeypatch.setattr(mutations.equilibrium, "MAX_SWEEPS", 1)
        states = solved(game).states
        kept = with_step_penalty(
            states.successors, states.layers, np.asarray(values), game.num_actions, 1e-12, 1e-14, 1
        )[0]
        assert (kept.argmax(axis=1) == 0).any()
        monkeypatch.setattr(mutations.equilibrium, "_recurrent_values", lambda *arguments: np.ones(5))
        assert solve(game).certificate == 1


def test_best_responses_that_cannot_be_had_leave_a_wider_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    # Everett's kind of game (test_equilibrium.py): what the values lose by waiting is proven without a best response.
    game = mutations.graph([[[0, 1], [1, 2]], None, None], {1: 1.0})
    narrow = solve(game).certificate

    def refuse(*arguments: Any) -> Any:
        raise ArithmeticError("play lasts too long")

    monkeypatch.setattr(mutations.solution, "best_response_values", refuse)
    assert 0 < narrow <= solve(game).certificate <= 1


class TestARestrictedGame:
    """What players may not do does not count, and is no part of a strategy."""

    def test_of_listed_states(self) -> None:
        # The row 3, -1 alone is worth -1; both columns alone, 3 and 0 or -1 and 1, are worth 3 and 1.
        listed = ListedStates(mutations.once())
        row, left, right = np.array([1]), np.array([1]), np.array([2])
        for masks, value in (((row, None), -1), ((None, left), 3), ((None, right), 1), ((row, left), 3)):
            solution = solve_listed(RestrictedStates(listed, *masks))
            assert (solution.values[0], solution.certificate) == (value, 0)
            assert solution.verify() == 0
        with pytest.raises(CertificateError, match="player 0's strategy is no distribution over the legal actions"):
            ListedSolution(RestrictedStates(listed, row), *vars_of(solve(mutations.once())))

    def test_of_states_that_the_rules_number(self) -> None:
        known, game = table_games.solved(mutations.brawl()), mutations.brawl()
        same = RestrictedStates(IndexedStates(game))
        solution = solve_listed(same)
        assert solution.certificate <= CERTIFIED
        everywhere = np.arange(len(known.states))
        assert np.asarray(solution.values) == pytest.approx(known.values[everywhere], abs=CERTIFIED)
        assert same.ids(game.start_codes).tolist() == known.states.ids(game.start_codes).tolist()
        assert int(game.start_codes[0]) in same and -1 not in same


def vars_of(solution: Solution) -> Any:
    """Returns what a solution was made of, but for its states."""
    return solution.values, solution.policies, solution.distances


class TestGuaranteed:
    def test_a_draw_is_never_worth_less_than_its_bound(self) -> None:
        rng = np.random.default_rng(3)
        for _ in range(300):
            m, n = rng.integers(1, 6, 2)
            weights = rng.random((m, 1)) * 10.0 ** -rng.integers(0, 20, (m, 1)) * (rng.random((m, 1)) < 0.8)
            weights[rng.integers(m)] = rng.random() + 0.1
            rewards = rng.choice([0.0, 1.0, -0.3, 1e-9], (m, n, 1))
            values = rng.choice([0.0, -1.0, 0.7, 1 / 3, -1e-8], (m, n, 1))
            bounds = guaranteed(weights, rewards, values)[:, 0]
            shares = [Fraction(float(weight)) for weight in weights[:, 0]]
            for reply, bound in enumerate(bounds):
                pays, follows = ([Fraction(float(x)) for x in array[:, reply, 0]] for array in (rewards, values))
                values_after = [pay + value for pay, value in zip(pays, follows, strict=True)]
                exact = sum(share * worth for share, worth in zip(shares, values_after, strict=True)) / sum(shares)
                assert Fraction(float(bound)) <= exact
                assert float(exact - Fraction(float(bound))) <= 20 * CLOSE

    def test_one_outcome_or_worth_is_exact(self) -> None:
        sure = guaranteed(np.array([[0.0], [1.0]]), np.zeros((2, 2, 1)), np.array([[[5.0], [6.0]], [[0.1], [-0.7]]]))
        assert sure[:, 0].tolist() == [0.1, -0.7]
        same = guaranteed(np.array([[0.1], [0.9]]), np.zeros((2, 1, 1)), np.full((2, 1, 1), 0.3))
        assert same.tolist() == [[0.3]]
        inexact = guaranteed(np.array([[1.0]]), np.array([[[0.1]]]), np.array([[[0.2]]]))  # 0.1 + 0.2 > 0.3 in floats
        assert Fraction(float(inexact[0, 0])) <= Fraction(0.1) + Fraction(0.2)


def pure(actions: list[int]) -> Any:
    return np.eye(4)[actions]


def claims(game: Game, values: list[float], own: list[int], ranks: list[int], **others: Any) -> Claims:
    """Returns claims of a game in which player 0 alone moves, by these actions."""
    codes, values_after = np.arange(len(values)), np.array(values, np.float64)
    policies = pure(own), pure([0] * len(values))
    witness = Witness(values_after, values_after, (np.array(ranks), np.zeros(len(values), np.int64)))
    return Claims(codes, values_after, policies, witness, None)._replace(**others)


# A walk: at 0 and 1 player 0 goes back, stays or goes on; behind 1 it wins.
WALK = mutations.graph([[[0], [0], [1]], [[0], [1], [2]], None], {2: 1.0})
GOOD = claims(WALK, [1, 1], [2, 2], [2, 1])  # a win in two steps
TIMED = GOOD._replace(distances=np.array([2, 1]))
WIDE = Witness(np.zeros(2), np.ones(2), GOOD.witness.ranks)
SECURED = GOOD.witness._replace(secured=np.array([1, -np.inf]))


class TestClaims:
    """Claims by hand."""

    @pytest.mark.parametrize("claimed", [GOOD, TIMED])
    def test_what_holds(self, claimed: Claims) -> None:
        told: list[tuple[str, int, int]] = []
        assert certify(WALK, claimed, lambda *said: told.append(said)) == 0
        assert told == [("states", 2, 2)]

    @pytest.mark.parametrize(
        ("claimed", "says"),
        [
            (claims(WALK, [1, 1], [1, 2], [9, 1]), "player 0's strategy need not end play, at node=0"),
            (claims(WALK, [1, 1], [2, 0], [9, 8]), "player 0's strategy need not end play"),
            (claims(WALK, [1, 1], [2, 2], [1, 1]), "player 0's strategy need not end play, at node=0"),
            (claims(WALK, [1, 1], [2, 2], [2, -1]), "player 0's rank is negative, at node=1"),
            (claims(WALK, [0, 0], [2, 2], [2, 1]), "player 1's strategy does not secure what is claimed, at node=1"),
            (claims(WALK, [0.5, 1], [2, 2], [2, 1]), "player 1's strategy does not secure what is claimed"),
            (claims(WALK, [1, 1.5], [2, 2], [2, 1]), "player 0's strategy does not secure what is claimed"),
            (claims(WALK, [1, np.nan], [2, 2], [2, 1]), "the value is not finite, at node=1"),
            (claims(WALK, [1, 1], [2, 3], [2, 1]), "player 0's strategy is no distribution over the legal actions"),
            (claims(WALK, [1], [2], [2]), "play leads here, but it is not part of .*, at node=1"),
            (
                claims(WALK, [1, 0.5], [2, 2], [2, 1], witness=WIDE),
                "player 0's strategy secures less than the value in",
            ),
            (GOOD._replace(values=np.array([1, 1 + 1e-11])), "the value is not between what the two strategies secure"),
            (GOOD._replace(witness=SECURED), "it is not shown what the strategies secure"),
            (GOOD._replace(codes=np.array([1, 0])), "the states are not listed in order"),
            *(
                (GOOD._replace(distances=np.array(wrong)), "the distance to the end is not one more than that of what")
                for wrong in ([3, 2], [3, 1], [2, UNDECIDED])
            ),
        ],
    )
    def test_what_does_not_hold(self, claimed: Claims, says: str) -> None:
        with pytest.raises(CertificateError, match=f"graph_game_v0: {says}"):
            certify(WALK, claimed)

    def test_bounds_that_enclose_too_much_are_all_that_is_proven(self) -> None:
        wide = GOOD._replace(witness=GOOD.witness._replace(secured=np.array([0.5, 0.75])))
        assert certify(WALK, wide) == pytest.approx(0.5, abs=CLOSE)

    def test_rewards_that_are_not_finite(self) -> None:
        game = mutations.graph([[[1]], None], {1: np.inf})
        with pytest.raises(CertificateError, match="a reward that is not finite, at node=0"):
            certify(game, claims(game, [1], [0], [1]))

    def test_no_distance_where_players_move_at_once(self) -> None:
        game = mutations.graph([[[1, 1], [1, 1]], None], {1: 1.0})
        good = claims(game, [1], [0], [1])
        assert certify(game, good) == 0
        with pytest.raises(CertificateError, match="there is a distance where the players move at once"):
            certify(game, good._replace(distances=np.array([1])))

    def test_rewards_on_the_way_may_come_again_and_again(self) -> None:
        # Each round pays a point and takes it back, so that 1 is its own backup; but what lasts for ever may be 0.
        game = mutations.graph([[[1]], [[0]]], {0: -1.0, 1: 1.0})
        with pytest.raises(CertificateError, match="player 0's strategy need not end play"):
            certify(game, claims(game, [1, 0], [0, 0], [5, 4]))
        with pytest.raises(CertificateError, match="strategies secure, play may last too long"):
            solve(game)


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Returns a file with the solution of ``mutations.brawl``."""
    save(table_games.solved(mutations.brawl()), path := tmp_path / "tiny.safetensors")
    return path


class TestCommand:
    def test_a_game(self, nashzoo: Command) -> None:
        code, out, err = nashzoo("verify footsies_v0 --param blocks=1")
        assert (code, err) == (0, "")
        assert re.search(r"footsies_v0\(.*blocks=1.*\), \d+ states: the solution holds", out)
        assert re.search(r"certificate, proven: \d\.\de-1\d", out)

    def test_a_file_says_which_game_it_solves(self, nashzoo: Command, stored: Path) -> None:
        assert game_in(stored) == mutations.brawl()
        told = nashzoo.json(f"verify {stored}")
        assert (told["holds"], told["game"]) == (True, "bodega_brawl_v0")
        assert told["states"] == solved(mutations.brawl()).num_states
        assert told["parameters"]["preset"] == "tiny"
        assert 0 <= told["certificate"] <= CERTIFIED

    @pytest.mark.parametrize("change", [1e-6, -0.5, np.nan])
    def test_a_file_that_is_wrong(self, change: float, nashzoo: Command, tmp_path: Path) -> None:
        solution = table_games.solved(mutations.brawl())
        half = solution.values.half.copy()
        half[np.flatnonzero(half)[3]] += change  # and the checksum is right
        save(IndexedSolution(solution.states, half, 0.0), path := tmp_path / "tiny.safetensors")
        code, out, err = nashzoo(f"verify {path}")
        assert (code, out) == (1, "")
        assert re.search(
            r"nashzoo: the solution does not hold: bodega_brawl_v0: player [01]'s strategy "
            r"(secures less than the value in one step|is no distribution .*), at head0=", err,
        )  # fmt: skip
        code, out, _ = nashzoo(f"verify {path} --json")
        assert (code, json.loads(out)["holds"]) == (1, False)

    def test_a_solver_that_is_broken(self, nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        broken = MUTATIONS["nothing is forced"]
        monkeypatch.setattr(command, "game_of", lambda name, param: broken.game())
        monkeypatch.setattr(broken.where, broken.name, broken.broken(getattr(broken.where, broken.name)))
        code, out, err = nashzoo("verify walk")
        assert (code, out) == (1, "")
        assert "the solution does not hold: graph_game_v0: player 1's strategy does not secure what is claimed" in err

    def test_wrong_use(self, nashzoo: Command, stored: Path, tmp_path: Path) -> None:
        assert "leave out --param" in nashzoo.refused(f"verify {stored} --param preset=small")
        assert nashzoo.refused("verify none.safetensors") == "there is no file none.safetensors"
        assert nashzoo.refused("verify chess").startswith("there is no game 'chess'")
        (tmp_path / "text.safetensors").write_bytes(b"value\n")
        assert "is not a solution, or is damaged" in nashzoo(f"verify {tmp_path / 'text.safetensors'}")[2]

    def test_a_file_has_no_rules_loaded(self, nashzoo: Command, tmp_path: Path) -> None:
        from safetensors.numpy import save_file

        (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
        path = tmp_path / "evil.safetensors"
        said = json.dumps({"name": str(tmp_path / "evil.py")})
        save_file({"values": np.zeros(2)}, path, {"format": "nashzoo solution 1", "game": said})
        code, _, err = nashzoo(f"verify {path}")
        assert code == 2 and "evil.py' with a registered name, and files cannot have rules loaded" in err
        assert not (tmp_path / "ran").exists()
        assert "nashzoo: footsies_v0 is a game; --game is for" in nashzoo("verify footsies_v0 --game ./evil.py")[2]

    def test_a_file_of_a_game_that_is_not_registered(
        self, nashzoo: Command, stored: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delitem(registry._entries, "bodega_brawl_v0")
        assert "there is no game 'bodega_brawl_v0' with a registered name" in nashzoo(f"verify {stored}")[2]
        games = "nashzoo.envs.games"
        assert "footsies_v0 has no parameter double_ko" in nashzoo(f"verify {stored} --game {games}.footsies")[2]
        assert "the solution holds" in nashzoo(f"verify {stored} --game {games}.bodega_brawl")[1]

    def test_a_file_of_a_game_that_there_is_not(self, nashzoo: Command, tmp_path: Path) -> None:
        from safetensors.numpy import save_file

        path = tmp_path / "chess.safetensors"
        for said in ('{"name": "chess"}', "[]", "{}"):
            save_file({"values": np.zeros(2)}, path, {"format": "nashzoo solution 1", "game": said})
            with pytest.raises(ValueError, match=r"chess\.safetensors does not say which game it solves"):
                game_in(path)
