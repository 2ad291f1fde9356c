"""The study of bounds: its players are what they are said to be, what it finds holds, and a rerun goes on."""

import json
from pathlib import Path

import numpy as np
import pytest

from nashzoo.arena.match import play_seats
from nashzoo.baselines import best_response, evaluate, exploitability
from nashzoo.envs import Game, make_game
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Mask
from studies import bounds
from studies.bounds import BOUNDS, Case, FourInLine, local_best_response

SMALL = Case("Connect Four, 4 x 4", "connect_four", listed=True)
LEDUC = next(case for case in bounds.CASES if case.title == "Leduc, 3 ranks")


def position(columns: str) -> tuple[Game, int]:
    game = make_game("nashzoo.examples.connect_four", width=7, height=6)
    code = game.first_decision
    for column in columns:
        code = moved(game, code, int(column) - 1)
    return game, code


def moved(game: Game, code: int, column: int) -> int:
    return game.step(code, *((column, 0) if game.turn(code) == 0 else (0, column)))


def asked(player: FourInLine, code: int) -> Floats:
    seen = player.game.observe(code, player.game.turn(code))[None]
    return player.action_probabilities(seen, player.legal(seen))[0]


def test_softmax_by_hand() -> None:
    # Points of the columns. At first x has two stones beside each other in the lowest row, under two of o: a third one
    # makes an open line of columns 1 to 4. Then o may make one above it, or close it; at last x completes it.
    for played, points in (
        ("1122", [0, 0, 1, 1, 0, 0, 0]),
        ("11223", [0, 0, 1, 1, 0, 0, 0]),
        ("112237", [1, 1, 1, 5, 2, 1, 1]),
    ):
        game, code = position(played)
        weights = np.exp(np.array(points) / 0.5)
        assert asked(FourInLine(game, 0.5), code) == pytest.approx(weights / weights.sum())
        assert (asked(FourInLine(game), code) == [0, 0, 0, 1, 0, 0, 0]).all() == (played != "1122")


def test_greedy_by_the_rules() -> None:
    game, _ = position("")
    player, rng = FourInLine(game), np.random.default_rng(0)
    wins = blocks = 0
    for _ in range(20):
        code = game.first_decision
        while not game.terminal(code):
            mover, legal = game.turn(code), game.legal_actions(code, game.turn(code))
            played = set(np.flatnonzero(asked(player, code)))
            ends = {column for column in legal if game.payoff(moved(game, code, column))}
            threats = {column for column in legal if passes(game, code, column)}
            assert played == (ends or threats or {*legal}), game.text(code)
            wins, blocks = wins + bool(ends), blocks + bool(threats and not ends)
            code = moved(game, code, int(rng.choice(game.legal_actions(code, mover))))
    assert min(wins, blocks) > 10


def passes(game: Game, code: int, column: int) -> bool:
    """Returns whether the other player would win there if it were to move."""
    state = game.state(code)
    return game.payoff(moved(game, game.code(**state._replace(mover=1 - state.mover)._asdict()), column)) != 0.0


class FirstLegal(PolicyAgent):
    """Plays the first legal action."""

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        return np.eye(self.game.num_actions)[action_masks.argmax(axis=1)]


class Calls(PolicyAgent):
    """Never folds and never raises."""

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        return np.eye(3)[np.ones(len(observations), np.int64)]


class Uneven(PolicyAgent):
    """Other probabilities for each observation."""

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        weights = action_masks * np.exp(
            3 * np.sin(np.outer(observations @ np.arange(observations.shape[1]), [1, 2, 3]))
        )
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("seat", [0, 1])
def test_local_best_response_wins_no_more_than_the_best(seat: int) -> None:
    game, uniform = LEDUC.made()
    for policy in (uniform, Uneven(game)):
        local = local_best_response(game, policy, seat)
        assert 1 < local < best_response(game, policy, seat).value
    # Against calls it raises what is ahead and never folds, which is best.
    calls = Calls(game)
    assert local_best_response(game, calls, seat) == pytest.approx(best_response(game, calls, seat).value)


@pytest.mark.slow
def test_what_is_found_holds_and_a_rerun_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspiel")
    sampled = SMALL._replace(title="sampled", listed=False)
    monkeypatch.setattr(bounds, "CASES", (SMALL, sampled, LEDUC))
    monkeypatch.setattr(bounds, "GAMES", 200)
    file = tmp_path / "bounds.jsonl"
    bounds.main(["--seconds", "0.01", "--out", str(file)])
    once = file.read_text()
    rows = {(row["case"], row["method"]): row for row in map(json.loads, once.splitlines())}
    assert len(rows) == len(once.splitlines()) == 3 + 3 + 5
    for case in bounds.CASES:
        most = exploitability(*case.made())
        assert all(row["lower"] <= most + 1e-9 for (title, _), row in rows.items() if title == case.title)
        assert rows[case.title, BOUNDS]["upper"] >= most
    bounds.main(["--seconds", "0.01", "--out", str(file)])
    assert file.read_text() == once
    bounds.main(["--seconds", "0.01", "0.02", "--out", str(file), "--methods", BOUNDS, "--games", "Leduc"])
    (line,) = file.read_text().removeprefix(once).splitlines()
    assert json.loads(line).items() >= {"case": LEDUC.title, "method": BOUNDS, "seconds": 0.02}.items()


def test_an_interval_holds_what_is_exact() -> None:
    game, uniform = SMALL.made()
    exact = (evaluate(game, FirstLegal(game), uniform) - evaluate(game, uniform, FirstLegal(game))) / 2
    row = bounds.sampled(game, play_seats(game, FirstLegal(game), uniform, 2_000, seed=0))
    assert row["lower"] <= exact <= row["upper"] and row["games"] == 2_000


def test_the_page_has_the_table() -> None:
    assert bounds.table(bounds.rows_in(bounds.KEPT)) in bounds.PAGE.read_text(), "python -m studies.bounds"
