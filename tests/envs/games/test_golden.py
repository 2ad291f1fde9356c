"""Games stay what they were: digests of seeded random play, recorded before the rules took their present form.

Saved models depend on them. They are not recorded anew: other rules are another version of a game.
"""

import hashlib
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nashzoo.envs import Game, make_game

FILE = Path(__file__).parents[2] / "data" / "golden.json"
EXPECTED: list[dict[str, Any]] = json.loads(FILE.read_text())
GAMES, STEPS, MOST_STARTS = 40, 120, 100_000


def digest(value: Any) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


def digests(game: Game) -> dict[str, str]:
    """Returns the digests of what 40 games of random play are made of."""

    def fields(code: int) -> tuple[int, ...]:
        return tuple(map(int, game.state(int(code))))

    rng, rows = np.random.default_rng(0), defaultdict[str, list[Any]](list)
    for _ in range(GAMES):
        code = game.start(rng)
        for _ in range(STEPS):
            rows["state"].append(fields(code))
            rows["turn"].append(int(game.turn(code)))
            rows["terminal"].append(bool(game.terminal(code)))
            rows["payoff"].append(float(game.payoff(code)))
            if game.symmetric:
                rows["mirror"].append(fields(game.swap_players(np.array([code]))[0]))
            rows["strategic"].append(fields(game.rules.strategic_state(game.params, code)))
            rows["observe"] += [game.observe(code, player).tolist() for player in (0, 1)]
            if game.terminal(code):
                break
            legal = [game.legal_actions(code, player) for player in (0, 1)]
            rows["legal"].append(legal)
            code = game.step(code, *(int(each[rng.integers(len(each))]) for each in legal))
    starts = zip(game.start_codes[:MOST_STARTS], game.start_probabilities[:MOST_STARTS], strict=True)
    rows["starts"] = [(fields(code), round(float(probability), 15)) for code, probability in starts]
    about = (
        game.name, game.actions, game.features, game.levels, game.options, game.masked, game.max_cycles, game.crossed,
        game.compared, game.num_features, game.symmetric, game.has_chance, repr(game),
        tuple(map(int, game.field_maxima)),
    )  # fmt: skip
    return {name: digest(values) for name, values in rows.items()} | {"static": digest(about)}


@pytest.mark.parametrize("golden", EXPECTED, ids=lambda golden: f"{golden['game']} {golden['options']}")
def test_seeded_play_is_what_it_was(golden: dict[str, Any]) -> None:
    found = digests(make_game(golden["game"], **golden["options"]))
    assert {name: found[name] for name in golden["digests"]} == golden["digests"]
