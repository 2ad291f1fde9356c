"""Safe resolving: never more exploitable than the blueprint, by the exact measure."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tree_game
from nashzoo import agents
from nashzoo.agents.loading import fingerprint
from nashzoo.baselines import best_response, exploitability, solve
from nashzoo.baselines.certificate.bounds import Estimate
from nashzoo.baselines.information import resolving
from nashzoo.baselines.information.measures import sequence_form_of
from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.envs import Game, make_game, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.game import BOTH, CHANCE
from tree_game import random_tree

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "games"
EXACT = 1e-9


def named(name: str, **params: Any) -> Game:
    return make_game(str(FOLDER / f"{name}.py"), **params)


def random_policy(game: Game, seed: int, sharpness: float = 2.0) -> TabularPolicy:
    """Returns random probabilities at each information state; some actions are never played."""
    form, rng = sequence_form_of(game), np.random.default_rng(seed)
    tables = []
    for player, plex in enumerate(form.treeplexes):
        shares = rng.exponential(size=plex.num_sequences) ** sharpness * (rng.random(plex.num_sequences) > 0.3)
        tables.append(form.states.table(player, plex.probabilities(shares)))
    return TabularPolicy(form.states, (tables[0], tables[1]))


def check_safe(game: Game, blueprint: Any, **options: Any) -> float:
    """Checks that no opponent wins more from the resolved policy in either seat; returns how much less both do."""
    player = agents.make("resolving", game, policy=blueprint, **options)
    less = 0.0
    for seat in (0, 1):
        before, after = (best_response(game, one, seat).value for one in (agents.as_agent(blueprint, game), player))
        assert after <= before + EXACT
        less += before - after
    return less


@pytest.mark.parametrize("movers", [(0, 1, BOTH, CHANCE), (0, 1, CHANCE), (BOTH,), (0, 1)], ids=str)
@pytest.mark.parametrize("seed", range(8))
def test_random_trees_are_resolved_safely(movers: tuple[int, ...], seed: int) -> None:
    game = Game(tree_game, nodes=random_tree(np.random.default_rng(seed), movers, depth=4))
    for histories in (1, 3, 10, 40):
        for iterations in (1, 30):
            check_safe(game, random_policy(game, seed), histories=histories, iterations=iterations)


@pytest.mark.parametrize(
    ("name", "params", "histories"),
    [
        ("kuhn", {}, 5),
        ("kuhn", {}, 10),
        ("leduc", {}, 100),
        ("leduc", {}, 1000),
        ("hidden_goofspiel", {"cards": 4}, 90),
    ],
)
@pytest.mark.parametrize("kind", ["random", "tables"])
def test_weak_policies_become_better(name: str, params: dict[str, Any], histories: int, kind: str) -> None:
    game = named(name, **params)
    blueprint = "random" if kind == "random" else random_policy(game, 1)
    assert check_safe(game, blueprint, histories=histories, iterations=100) > 0.01


@pytest.mark.parametrize(("algorithm", "timesteps"), [("mccfr", 100_000), ("policy_gradient", 60_000)])
def test_learned_policies_become_better_in_leduc(algorithm: str, timesteps: int) -> None:
    game = named("leduc")
    learner = agents.registry.self_play_learner(algorithm)(game, seed=0)
    learner.learn(timesteps)
    assert check_safe(game, learner, histories=1000, iterations=200) > 0.01


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "timesteps"), [("mccfr", 300_000), ("deep_hedge", 100_000)])
def test_learned_policies_become_better_in_liars_dice(algorithm: str, timesteps: int) -> None:
    game = named("liars_dice")
    learner = agents.registry.self_play_learner(algorithm)(game, seed=0)
    learner.learn(timesteps)
    assert check_safe(game, learner, iterations=100) > 0.01


def test_from_the_start_the_whole_game_is_solved() -> None:
    # Kuhn (1950): player 0 loses 1/18 chip. Where nobody has chosen yet, resolving is solving.
    game = named("kuhn")
    player = agents.make("resolving", game, policy="random", iterations=5000)
    assert exploitability(game, player) < 1e-3
    assert best_response(game, player, 1).value == pytest.approx(1 / 18, abs=1e-3)


def test_an_equilibrium_stays_one() -> None:
    game = named("leduc")
    nash = solve(game)
    for histories in (100, 1000, 5000):
        player = agents.make("resolving", game, policy=agents.make("nash", game, solution=nash), histories=histories)
        assert exploitability(game, player) < EXACT


@pytest.mark.parametrize(("histories", "count"), [(1, 0), (100, 30 * 2), (1000, 20), (3937, 1)])
def test_subgames_of_leduc(histories: int, count: int) -> None:
    form = sequence_form_of(named("leduc"))
    parts = resolving.subgames(form, histories)
    assert len(np.union1d(*parts)) - any((part == resolving.TRUNK).any() for part in parts) == count


def test_play_does_not_leave_a_subgame() -> None:
    form = sequence_form_of(named("leduc"))
    parts = resolving.subgames(form, 1000)
    for plex, part in zip(form.treeplexes, parts, strict=True):
        of = np.concatenate([[resolving.TRUNK], np.repeat(part, np.diff(plex.first))])
        before = of[plex.parents]
        assert ((before == resolving.TRUNK) | (before == part)).all()
    rows, columns = form.matrix.tocoo().coords
    of0, of1 = (
        np.concatenate([[resolving.TRUNK], np.repeat(part, np.diff(plex.first))])[where]
        for plex, part, where in zip(form.treeplexes, parts, (rows, columns), strict=True)
    )
    assert ((of0 == of1) | (of0 == resolving.TRUNK) | (of1 == resolving.TRUNK)).all()


def test_what_was_asked_before_does_not_matter() -> None:
    game = named("leduc")
    one, other = (agents.make("resolving", game, policy="random", histories=1000) for _ in range(2))
    form = sequence_form_of(game)
    at = form.observed[1]
    rows = np.arange(len(at.codes))[::-1]
    single = np.concatenate([one.action_probabilities(at.observations[k : k + 1], at.masks[k : k + 1]) for k in rows])
    assert np.array_equal(single[::-1], other.action_probabilities(at.observations, at.masks))


@pytest.mark.parametrize("shares", [resolving.SHARES, (1.0,)], ids=["checked", "unchecked"])
def test_what_is_not_safe_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch, shares: tuple[float, ...]) -> None:
    def first_actions(minimizer: Any) -> Any:  # fold or call, which is no equilibrium
        chosen = [np.isin(np.arange(plex.num_sequences), plex.first) * 1.0 for plex in minimizer.form.treeplexes]
        return [plex.weights(first) for plex, first in zip(minimizer.form.treeplexes, chosen, strict=True)]

    game = named("leduc")
    monkeypatch.setattr(resolving.RegretMinimizer, "average", first_actions)
    monkeypatch.setattr(resolving, "SHARES", shares)
    if len(shares) == 1:
        monkeypatch.setattr(resolving, "estimate_of", lambda form, number: Estimate(0.0, -np.inf, np.inf))
    of_resolved = exploitability(game, agents.make("resolving", game, policy="nash", histories=1000))
    assert of_resolved < EXACT if len(shares) > 1 else of_resolved > 0.1


def test_the_name_takes_a_file(tmp_path: Path) -> None:
    game = named("kuhn")
    learner = agents.registry.self_play_learner("mccfr")(game, seed=0)
    learner.learn(100)
    learner.save(tmp_path / "model.safetensors")
    player = agents.as_agent(f"resolving(policy={tmp_path / 'model.safetensors'}, histories=10)", game, 0)
    assert exploitability(game, player) <= exploitability(game, learner) + EXACT
    assert "resolving" not in agents.names(game)


def test_results_of_another_file_are_not_reused(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("one")
    name = f"resolving(policy={table},histories=10)"
    before = fingerprint(name)
    table.write_text("other")
    assert before.startswith(f"{name}#")
    assert fingerprint(name) != before


def test_bad_input() -> None:
    kuhn, open_game = named("kuhn"), tictactoe_v0.game()
    with pytest.raises(UsageError, match="resolving plays games with hidden information, not tictactoe_v0"):
        agents.make("resolving", open_game, policy="random")
    with pytest.raises(UsageError, match="so name one: resolving"):
        agents.make("resolving", kuhn)
    with pytest.raises(UsageError, match="histories"):
        agents.make("resolving", kuhn, policy="random", histories=0)

    class Guesser:
        def predict(self, observations: Any, deterministic: bool = False) -> Any:
            return np.ones(len(observations), np.int64), None

    with pytest.raises(NoPolicyError, match="action_probabilities"):
        agents.make("resolving", kuhn, policy=Guesser())
