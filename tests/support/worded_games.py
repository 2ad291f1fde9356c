"""Games whose rules are told in words, with parameters that change the words; and states that random play leads to."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.envs import Game, make_game

EXAMPLES = sorted(path.stem for path in (Path(__file__).parents[2] / "examples" / "games").glob("[a-z]*.py"))
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "footsies_v0": [
        {"rounds": 5, "blocks": 7, "attacks_to_win": 3, "max_turns": 9},
        {"exhausted_block": "free", "attacks_to_win": 1},
    ],
    "roshambo_v0": [{"payoff": "rpsls", "recall": 2, "rounds": 3}, {"payoff": [[0, 2.5], [-2.5, 0]], "rounds": 4}],
    "bodega_brawl_v0": [{"preset": "tiny"}, {"preset": "medium", "double_ko": "sudden_death"}],
    "tictactoe_v0": [],
    "soccer_v0": [{"width": 11, "height": 5, "goal_height": 3, "random_positions": False}],
    "nashzoo.examples.blotto": [{"soldiers": 2}],
    "nashzoo.examples.dark_hex": [{"abrupt": True}],
    "nashzoo.examples.goofspiel": [{"ascending": False, "cards": 3}],
    "nashzoo.examples.hidden_goofspiel": [{"random": True, "cards": 3}, {"ascending": False}],
    "nashzoo.examples.leduc": [{"ranks": 4, "suits": False, "raises": 1}],
    "nashzoo.examples.liars_dice": [{"faces": 9}, {"dice": 2}],
    "nashzoo.examples.phantom_tictactoe": [{"abrupt": True}],
    "nashzoo.examples.random_game": [{"layers": 2, "width": 5, "reach": 2, "seed": 3}],
}
NAMES = dict.fromkeys([*OPTIONS, *(f"nashzoo.examples.{name}" for name in EXAMPLES)])
GAMES = [(name, options) for name in NAMES for options in [{}, *OPTIONS.get(name, [])]]


def game_of(name: str, options: dict[str, Any]) -> Game:
    return make_game(name, **options)


def choices(game: Game, count: int, seed: int = 0) -> Iterator[tuple[int, int]]:
    """Yields states of random play with a player who is to move there."""
    rng = np.random.default_rng(seed)
    code = game.start(rng)
    for _ in range(count):
        if game.terminal(code):
            code = game.start(rng)
        while not game.movers(code) and not game.terminal(code):
            outcomes, likely = game.outcomes(code)
            code = int(rng.choice(outcomes, p=likely / likely.sum()))
        if movers := game.movers(code):
            yield from ((code, player) for player in movers)
            actions = [int(rng.choice(game.legal_actions(code, player))) for player in (0, 1)]
            code = game.step(code, *actions)
