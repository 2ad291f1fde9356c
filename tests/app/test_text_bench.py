"""Players in drawn games, in invented words: ``nashzoo text bench``."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from chat_server import ACTIONS, Asked, Says, serving
from command import Command
from nashzoo.app.text.bench import DIFFICULT, LEVELS, Bench, Drawn, Naive, drawn
from nashzoo.baselines import best_response, exploitability
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Mask
from nashzoo.envs.text.wording import disguise
from same_game import check_same_game

EXACT = 1e-9
NUMBER = 6


@cache
def games() -> list[Drawn]:
    """Returns the games of a seed; not earlier, as making them registers their rules files."""
    return list(drawn(7, 2))


class First(PolicyAgent):
    """Plays the first legal action."""

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        chosen: Floats = np.eye(self.game.num_actions)[action_masks.argmax(axis=1)]
        return chosen


def says_first(asked: Asked) -> Says:
    """Names the first legal action, in whatever words."""
    return Says(asked["messages"][0]["content"].partition(f"{ACTIONS}\n- ")[2].partition("\n")[0])


def test_a_seed_draws_the_same_games_each_difficult() -> None:
    again, other = list(drawn(7, 2)), list(drawn(8, 2))
    assert [one.game for one in again] == [one.game for one in games()] != [one.game for one in other]
    for one in games():
        assert min(one.others[level] for level in LEVELS) >= DIFFICULT - EXACT
        assert one.others["nash, 5% random"] <= 0.05 * 2  # no more than 5 % of twice the stake
    assert [one.family for one in games()] == ["matrix"] * 2 + ["Markov"] * 2 + ["cards"] * 2


def test_a_level_responds_to_the_one_below() -> None:
    """Level 1 wins from level 0 what a best response does, but for its share of random play."""
    for one in games():
        level0 = Naive(one.game)
        best = best_response(one.game, level0, 0)
        level1 = Naive(one.game, best.policy)
        wins = exploitability(one.game, level1, level0)  # of both together
        assert wins <= one.size.stake and best.value > 0.5 * -one.size.stake


@pytest.mark.parametrize("number", range(NUMBER))
def test_a_disguise_is_the_same_game(number: int) -> None:
    game = games()[number].game
    assert check_same_game(disguise(game, number), 10_000)


def test_a_model_loses_what_its_policy_does_in_all_words() -> None:
    with serving(says_first) as server:
        bench = Bench(f"llm(model=parrot,url={server.url},mode=samples,n=2)", 7, 2, 2)
        said = bench.estimate()
        outcomes = list(bench.outcomes())
    choices = len(server.asked) / 2
    assert said.startswith(f"{len(server.asked)} questions to parrot, about ")
    assert choices > 20 and not any("amber" in asked["messages"][0]["content"] for asked in server.asked)
    for one in outcomes:
        exact = exploitability(one.drawn.game, First(one.drawn.game)) / one.drawn.size.stake
        for reading in one.readings:
            assert reading.loss == pytest.approx(exact, abs=EXACT) and reading.invalid == 0
            assert (reading.interval is None) == (one.drawn.family == "cards")
            if reading.interval is not None:
                assert reading.interval[0] <= exact <= reading.interval[1] + EXACT


def test_the_command_prints_means_and_writes_all(nashzoo: Command, tmp_path: Path) -> None:
    out = nashzoo.prints(f"text bench nash --seed 7 --games 1 --out {tmp_path}")
    assert "nash 0.000 0.000 0.000 0.000 level 0 0." in out and all(level in out for level in LEVELS)
    written = json.loads((tmp_path / "bench.json").read_text())
    assert written == nashzoo.json("text bench nash --seed 7 --games 1")
    assert written["loss"] == pytest.approx(0, abs=EXACT) and len(written["games"]) == 3
    assert {path.name for path in tmp_path.iterdir()} == {f"bench.{kind}" for kind in ("json", "png", "svg", "pdf")}


def test_the_share_of_invalid_answers_is_told(nashzoo: Command) -> None:
    with serving(lambda asked: Says("Lizard")) as server:
        model = f"llm(model=parrot,url={server.url},mode=samples,n=1)"
        out = nashzoo.prints(f"text bench {model} --games 1 --disguises 0 --quiet")
    assert "invalid answers 1.000" in out and "28 choices without a legal answer: counted as uniform play." in out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("llm(model=parrot,url=http://127.0.0.1:1)", "llm asks anew at each decision; with mode=samples or"),
        ("llm(model=parrot,url=http://127.0.0.1:1,mode=samples,budget_calls=100)", "and 100 of budget_calls=100 are"),
        ("bluff", "bluff"),
        ("random --games 0", "games must be a whole number of at least 1, not 0"),
        ("random --disguises -1", "disguises must be"),
    ],
)
def test_what_cannot_be_measured_is_refused(nashzoo: Command, line: str, message: str) -> None:
    assert message in nashzoo.refused(f"text bench {line}")
