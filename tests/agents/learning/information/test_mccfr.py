"""Monte Carlo counterfactual regret minimization: unbiased, and convergent, in games whose equilibria are known."""

import numpy as np
import pytest

import nim
from nashzoo import agents
from nashzoo.agents.learning.information import mccfr
from nashzoo.agents.learning.information.mccfr import MCCFR
from nashzoo.baselines import exploitability
from nashzoo.baselines.information.measures import sequence_form_of
from nashzoo.baselines.information.regret_minimization import CFR, RegretMinimizer
from nashzoo.envs import Game, make_game

WALKS = 4_000
DEVIATIONS = 5  # standard errors, that a mean may be away


@pytest.fixture(scope="module")
def kuhn() -> Game:
    return make_game("examples/games/kuhn.py")


@pytest.mark.parametrize("sampling", ["external", "outcome"])
def test_the_regrets_of_a_walk_are_those_of_a_whole_iteration_on_average(kuhn: Game, sampling: str) -> None:
    form = sequence_form_of(kuhn)
    plex = form.treeplexes[0]
    whole = RegretMinimizer(form, CFR)
    whole.run(1)
    exact = dict(zip(plex.codes.tolist(), np.split(whole.arrays()["regrets0"], plex.first[:-1])[1:], strict=True))
    estimates = {code: np.zeros((WALKS, kuhn.num_actions)) for code in exact}
    for seed in range(WALKS):
        learner = MCCFR(kuhn, seed, sampling=sampling)
        learner.learn(1)
        arrays = learner.arrays()
        for code, player, regrets in zip(arrays["codes"], arrays["players"], arrays["regrets"], strict=True):
            if player == 0:
                estimates[int(code)][seed] = regrets
    for code, regrets in exact.items():
        errors = estimates[code].std(axis=0) / np.sqrt(WALKS)
        assert (np.abs(estimates[code].mean(axis=0) - regrets) <= DEVIATIONS * errors + 1e-12).all()


@pytest.mark.parametrize(
    ("name", "sampling", "timesteps", "within"),
    [
        ("kuhn", "external", 300_000, 0.01),
        ("kuhn", "outcome", 300_000, 0.02),
        pytest.param("leduc", "external", 3_000_000, 0.15, marks=pytest.mark.slow),
        pytest.param("leduc", "outcome", 3_000_000, 0.4, marks=pytest.mark.slow),
        pytest.param("liars_dice", "external", 3_000_000, 0.15, marks=pytest.mark.slow),
    ],
)
def test_it_comes_near_to_an_equilibrium(name: str, sampling: str, timesteps: int, within: float) -> None:
    game = make_game(f"examples/games/{name}.py")
    learner = MCCFR(game, 0, sampling=sampling)
    learner.learn(timesteps // 100)
    early = exploitability(game, learner)
    learner.learn(timesteps)
    assert exploitability(game, learner) <= min(within, 0.5 * early)


def test_the_room_at_first_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("examples/games/leduc.py")
    learners = [MCCFR(game, 1)]
    monkeypatch.setattr(mccfr, "ROWS", 1)
    monkeypatch.setattr(mccfr, "NODES", 1)
    learners.append(MCCFR(game, 1))
    for learner in learners:
        learner.learn(20_000)
    first, second = (learner.arrays() for learner in learners)
    for name, array in first.items():
        np.testing.assert_array_equal(array, second[name])


def test_a_walk_without_end_is_refused_in_a_sentence(kuhn: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mccfr, "NODES", 4)
    monkeypatch.setattr(mccfr, "MOST_NODES", 4)
    with pytest.raises(ValueError, match="play does not end, or"):
        MCCFR(kuhn, 0).learn(100)


def test_settings_that_cannot_learn_are_refused(kuhn: Game) -> None:
    with pytest.raises(ValueError, match="exploration must be above 0"):
        MCCFR(kuhn, sampling="outcome", exploration=0.0)
    with pytest.raises(ValueError, match="sampling must be 'external' or 'outcome'"):
        MCCFR(kuhn, sampling="robust")


@pytest.mark.parametrize("name", ["mccfr", "cfr", "cfr_plus", "dcfr", "pcfr_plus"])
def test_games_without_hidden_information_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="learn it with regret_matching"):
        agents.make(name, Game(nim))
