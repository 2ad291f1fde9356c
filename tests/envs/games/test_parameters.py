"""Parameters of the games: what is taken, and what is refused."""

import math
from typing import Any

import numpy as np
import pytest

from bodega_brawl_by_the_book import REGIONS
from nashzoo.envs import make_game

RANGES = {
    "footsies_v0": {"rounds": (1, 63), "blocks": (0, 63), "attacks_to_win": (1, 31), "max_turns": (0, 1023)},
    "bodega_brawl_v0": {
        **{f"{region}_limit": (1, 7) for region in REGIONS},
        "total_limit": (1, 21),
        **{f"{region}_attack": (0, 3) for region in REGIONS},
        **{f"{region}_dual": (0, 7) for region in REGIONS},
    },
    "roshambo_v0": {"rounds": (1, 2**20 - 1), "recall": (1, 13)},
}


@pytest.mark.parametrize("game", RANGES)
def test_whole_numbers(game: str) -> None:
    for name, (low, high) in RANGES[game].items():
        for value in (low, high, np.int64(low)):
            assert make_game(game, **{name: value}).options[name] == value
        for wrong in (low - 1, high + 1, 2.0, True, "2"):
            with pytest.raises(ValueError, match=rf"^{name} must be .* from {low} to {high}\b.*, not {wrong!r}$"):
                make_game(game, **{name: wrong})


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        ("footsies_v0", {"rounds": None}, "a whole number from 1 to 63, not None"),
        *(("footsies_v0", {"exhausted_block": wrong}, "'hit' or 'free'") for wrong in ("Hit", "", None, 1)),
        *(("bodega_brawl_v0", {"preset": wrong}, "'medium' or 'small'") for wrong in ("Large", "", None, 1)),
        *(("bodega_brawl_v0", {"double_ko": wrong}, "'sudden_death'") for wrong in ("Draw", "", None, 1)),
        ("bodega_brawl_v0", {"preset": "tiny", "head_dual": 0, "body_dual": 0}, "at least one card"),
        ("soccer_v0", {"width": 9}, "an odd whole number from 11 to 63, not 9"),
        ("soccer_v0", {"width": 65}, "odd whole number from 11 to 63"),
        ("soccer_v0", {"width": 19.0}, "odd whole number"),
        ("soccer_v0", {"width": 18}, "there is a centre column"),
        ("soccer_v0", {"height": 1}, "an odd whole number from 3 to 63, not 1"),
        ("soccer_v0", {"height": True}, "odd whole number"),
        ("soccer_v0", {"height": 12}, "there is a centre row"),
        ("soccer_v0", {"goal_height": 0}, "an odd whole number from 1 to 63, not 0"),
        ("soccer_v0", {"goal_height": 4}, "height - goal_height is even"),
        ("soccer_v0", {"goal_height": 15}, "at most height, which is 13"),
        ("soccer_v0", {"random_positions": 1}, "True or False"),
        ("roshambo_v0", {"recall": 14}, "13 with 3 throws to choose from"),
        ("roshambo_v0", {"recall": 10, "payoff": "rpsls"}, "from 1 to 9 with 5 throws"),
        ("roshambo_v0", {"payoff": "rock"}, "'rps', 'rpsls' or a list of lists, not 'rock'"),
        ("roshambo_v0", {"payoff": [0, 1]}, "square"),
        ("roshambo_v0", {"payoff": [[0]]}, "at least 2 rows"),
        ("roshambo_v0", {"payoff": 3}, "square"),
        ("roshambo_v0", {"payoff": [[0, 1], [-1]]}, "square"),
        ("roshambo_v0", {"payoff": [[0.0] * 33] * 33}, "32 rows at most, not 33"),
        ("roshambo_v0", {"payoff": [[0, math.inf], [-math.inf, 0]]}, "finite numbers from -1e[+]06 to 1e[+]06"),
        ("roshambo_v0", {"payoff": [[0, math.nan], [math.nan, 0]]}, "finite"),
        ("roshambo_v0", {"payoff": [[0, "1"], ["-1", 0]]}, "finite"),
        ("roshambo_v0", {"payoff": [[0, 1], [1, 0]]}, "row 0, column 1 is 1 and row 1, column 0 is 1"),
        ("roshambo_v0", {"payoff": [[0, 1], [-1, 2]]}, "row 1, column 1 is 2 and row 1, column 1 is 2"),
    ],
    ids=str,
)
def test_what_is_refused(game: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_game(game, **options)


def test_numpy_numbers_will_do() -> None:
    assert make_game("soccer_v0", width=np.int32(11)).params[0] == 11
