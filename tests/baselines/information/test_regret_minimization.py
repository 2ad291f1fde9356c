"""Regret minimization: each rule's distance from equilibrium, and agreement with a walk over histories."""

import math

import numpy as np
import pytest

from nashzoo.baselines.information.measures import sequence_form_of
from nashzoo.baselines.information.regret_minimization import (
    CFR,
    CFR_PLUS,
    DISCOUNTED,
    PREDICTIVE,
    RegretMinimizer,
    Rule,
)
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.envs import Game, make_game

RULES = {"CFR": CFR, "CFR+": CFR_PLUS, "discounted": DISCOUNTED, "predictive": PREDICTIVE}
# Bounds of NashConv after 1,000 iterations.
WITHIN = {
    "kuhn": {"CFR": 5e-3, "CFR+": 5e-4, "discounted": 5e-4, "predictive": 1e-6},
    "leduc": {"CFR": 5e-2, "CFR+": 2e-3, "discounted": 2e-3, "predictive": 2e-3},
}


@pytest.mark.parametrize("name", WITHIN)
@pytest.mark.parametrize("rule", RULES)
def test_it_comes_near_to_an_equilibrium(name: str, rule: str) -> None:
    form = sequence_form_of(make_game(f"examples/games/{name}.py"))
    minimizer = RegretMinimizer(form, RULES[rule])
    certificates = []
    for iterations in (1, 99, 900):
        minimizer.run(iterations)
        certificates.append(InformationSolution(form, minimizer.average()).certificate)
    assert certificates[0] > certificates[1] > certificates[2]
    assert certificates[2] <= WITHIN[name][rule]


class Walk:
    """The same by recursion over histories, with a dictionary, as in the literature."""

    def __init__(self, game: Game, rule: Rule) -> None:
        self.game, self.rule = game, rule
        self.regrets: dict[tuple[int, int], np.ndarray] = {}
        self.chosen: dict[tuple[int, int], np.ndarray] = {}
        self.sums: dict[tuple[int, int], np.ndarray] = {}

    def iterate(self, number: int) -> None:
        for player in (0, 1):
            self.advantages: dict[tuple[int, int], np.ndarray] = {}
            self.walk(int(self.game.start_codes[0]), player, [1.0, 1.0])
            for key, advantage in self.advantages.items():
                regrets = self.regrets.get(key, 0.0) + advantage
                factors = [
                    1.0 if exponent == math.inf else 0.0 if exponent == -math.inf else 1 / (1 + number**-exponent)
                    for exponent in (self.rule.alpha, self.rule.beta)
                ]
                regrets = np.where(regrets > 0, factors[0] * regrets, factors[1] * regrets)
                self.regrets[key] = regrets
                aim = np.maximum(regrets + (advantage if self.rule.predictive else 0.0), 0.0)
                self.chosen[key] = aim / aim.sum() if aim.sum() > 0 else np.full(len(aim), 1 / len(aim))
            self.add(int(self.game.start_codes[0]), player, number**self.rule.gamma, set())

    def walk(self, code: int, learner: int, reaches: list[float]) -> float:
        """Returns the value to the learner, and adds counterfactual advantages; chance counts for the other player."""
        game = self.game
        if game.terminal(code):
            return float(game.payoff(code)) * (1 - 2 * learner)
        if not game.movers(code):
            outcomes = zip(*game.outcomes(code), strict=True)
            return sum(
                p * self.walk(int(after), learner, [r * p if k != learner else r for k, r in enumerate(reaches)])
                for after, p in outcomes
            )
        (mover,) = game.movers(code)
        legal = game.legal_actions(code, mover)
        key = mover, game.information_state(code, mover)
        chances = self.chosen.get(key, np.full(len(legal), 1 / len(legal)))
        values = []
        for action, chance in zip(legal, chances, strict=True):
            joint = (action, 0) if mover == 0 else (0, action)
            after = [r * chance if k == mover else r for k, r in enumerate(reaches)]
            values.append(self.walk(game.step(code, *joint), learner, after))
        value = float(np.dot(chances, values))
        if mover == learner:
            old = self.advantages.get(key, np.zeros(len(legal)))
            self.advantages[key] = old + reaches[1 - learner] * (np.array(values) - value)
        return value

    def add(self, code: int, player: int, reach: float, met: set[int]) -> None:
        """Adds a player's strategy to its sums, once at each information state."""
        game = self.game
        if game.terminal(code):
            return
        if not game.movers(code):
            for after in game.outcomes(code)[0]:
                self.add(int(after), player, reach, met)
            return
        (mover,) = game.movers(code)
        legal = game.legal_actions(code, mover)
        chances = np.ones(len(legal))
        if mover == player:
            state = game.information_state(code, mover)
            chances = self.chosen[mover, state]
            if state not in met:
                met.add(state)
                self.sums[mover, state] = self.sums.get((mover, state), 0.0) + reach * chances
        for action, chance in zip(legal, chances, strict=True):
            self.add(game.step(code, *((action, 0) if mover == 0 else (0, action))), player, reach * chance, met)


@pytest.mark.parametrize("rule", RULES)
def test_it_is_the_walk_over_histories_of_the_literature(rule: str) -> None:
    game = make_game("examples/games/kuhn.py")
    form = sequence_form_of(game)
    walk, minimizer = Walk(game, RULES[rule]), RegretMinimizer(form, RULES[rule])
    for number in range(1, 11):
        walk.iterate(number)
    minimizer.run(4)
    minimizer.run(6)
    for player, (plex, weights) in enumerate(zip(form.treeplexes, minimizer.average(), strict=True)):
        probabilities = plex.probabilities(weights)
        for k, code in enumerate(plex.codes.tolist()):
            expected = walk.sums[player, code] / walk.sums[player, code].sum()
            assert probabilities[plex.first[k] : plex.first[k + 1]] == pytest.approx(expected, abs=1e-12)
