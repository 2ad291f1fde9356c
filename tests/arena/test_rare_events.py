"""Luck-adjusted intervals where the points come from events that most matches do not see."""

import json
import math
from typing import Any

import numpy as np
import pytest

import nim
from nashzoo import agents
from nashzoo.arena.luck import UNLIKELY, solved
from nashzoo.arena.match import MISSED, MatchResult, Z, play_match
from nashzoo.arena.sequential import games_of_block, half_width
from nashzoo.arena.tournament import tournament
from nashzoo.baselines import evaluate
from nashzoo.envs.core.agent import Agent, PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask

NIM = Game(nim, heap=8)  # lost to player 0, whatever it takes (Bouton 1901)
MATCHES, GAMES = 200, 400
LEAST_HELD = 0.95 - 3 * math.sqrt(0.95 * 0.05 / MATCHES)  # three standard errors of a share


class Tempting(PolicyAgent):
    """Takes 1 of 8, but with a small probability 2; then it plays perfectly."""

    def __init__(self, game: Game, rare: float) -> None:
        super().__init__(game)
        self.rare, self.nash = rare, agents.make("nash", game)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        probabilities: Floats = self.nash.action_probabilities(observations, action_masks)  # type: ignore[attr-defined]
        heaps = np.rint(8 * observations[:, 0])
        probabilities[(heaps == 8) & (action_masks[:, 1] > 0)] = [1 - self.rare, self.rare, 0.0]
        return probabilities


class Tempted(PolicyAgent):
    """Plays perfectly, but takes 1 of 6, and so loses a game that was won."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.nash = agents.make("nash", game)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        probabilities: Floats = self.nash.action_probabilities(observations, action_masks)  # type: ignore[attr-defined]
        heaps = np.rint(8 * observations[:, 0])
        probabilities[heaps == 6] = [1.0, 0.0, 0.0]
        return probabilities


class Secret(Agent):
    """A player whose probabilities are not known."""

    def __init__(self, player: PolicyAgent) -> None:
        super().__init__(player.game)
        self.player = player

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        return self.player.act(observations, memory, masks, uniforms)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("rare", [0.1, 0.05, 1e-2, 1e-3, 1e-4, 1e-5])
def test_intervals_hold_with_rare_large_terms(rare: float, known: bool) -> None:
    """The true points are -1 + 2 * rare: player 0 wins if it takes 2, and loses else."""
    first, second = Tempting(NIM, rare), Tempted(NIM)
    true = evaluate(NIM, first, second)
    assert true == pytest.approx(2 * rare - 1)
    players = (first, second) if known else (Secret(first), second)
    whole = play_match(NIM, *players, MATCHES * GAMES, 1, solution=solved(NIM))
    assert whole.luck is not None
    expected, most = whole.unlikely
    each = rare * (rare < UNLIKELY) if known else 1.0
    assert expected == pytest.approx(each * MATCHES * GAMES) and most == (2.0 if expected else 0.0)
    held = before = 0
    for points, luck in zip(whole.points.reshape(MATCHES, -1), whole.luck.reshape(MATCHES, -1), strict=True):
        result = MatchResult(points, luck=luck, unlikely=(expected / MATCHES, most))
        held += abs(result.adjusted_mean - true) <= Z * result.adjusted_error + 1e-12
        before += abs(result.adjusted_mean - true) <= Z * float((points - luck).std(ddof=1)) / math.sqrt(GAMES)
    assert held / MATCHES >= LEAST_HELD
    assert before < held or rare > 0.01


@pytest.mark.parametrize("rare", [1e-3, 1e-4])
def test_a_sequence_holds_at_all_looks_with_rare_large_terms(rare: float) -> None:
    games, stake = 2_000, 1.0
    events = np.random.default_rng(0).random((MATCHES, games)) < rare
    looks: list[int] = []
    while not looks or looks[-1] < games:
        looks.append(sum(looks[-1:]) + games_of_block(len(looks), sum(looks[-1:]), games))
    missed = 0
    for one in 50.0 * events:  # far beyond the stake
        results = [MatchResult(one[:n], luck=np.zeros(n), unlikely=(rare * n, 50.0)) for n in looks]
        missed += any(abs(result.adjusted_mean - 50.0 * rare) > half_width(result, stake) for result in results)
    assert missed / MATCHES <= 1 - LEAST_HELD


def test_what_is_allowed_for_is_what_is_expected_of_the_unlikely() -> None:
    likely, unlikely = (
        play_match(NIM, Tempting(NIM, p), Tempted(NIM), 400, 0, solution=solved(NIM)) for p in (0.5, 1e-5)
    )
    assert likely.unlikely == (0.0, 0.0) and likely.unseen == 0.0
    assert unlikely.unseen == pytest.approx(2e-5)
    unknown = play_match(NIM, Secret(Tempting(NIM, 0.5)), Tempted(NIM), 400, 0, solution=solved(NIM))
    assert unknown.unseen == pytest.approx(MISSED * 2.0 / 400)
    nash: Any = agents.make("nash", NIM)
    assert play_match(NIM, Tempting(NIM, 1e-5), nash, 400, 0, solution=solved(NIM)).unseen == 0.0  # nothing to gain
    both = unlikely + unknown
    assert both.unlikely == pytest.approx((400 * 1e-5 + 400, 2.0)) and both.reversed().unlikely == both.unlikely
    again = MatchResult.unpacked(json.loads(json.dumps(both.packed())))
    assert again.unlikely == both.unlikely and again.adjusted_error == both.adjusted_error


def test_a_tournament_shows_the_interval_that_holds() -> None:
    players = {"tempting": Tempting(NIM, 1e-5), "tempted": Tempted(NIM)}
    for until in (None, 0.1):
        played = tournament(NIM, players, 1_000, 0, luck_adjusted=True, until=until)
        result = played.results["tempting", "tempted"]
        true = (evaluate(NIM, *players.values()) - evaluate(NIM, *list(players.values())[::-1])) / 2
        assert abs(result.adjusted_mean - true) <= played.half_width("tempting", "tempted")
