"""Drawings of the games with pieces of their own: each thing that counts is seen, and nothing is off the canvas."""

from typing import Any

import pytest

from bodega_brawl_by_the_book import REGIONS
from nashzoo.envs import make_game
from traces import Sheet

SHOWN: dict[str, tuple[dict[str, Any], list[dict[str, int]]]] = {
    "footsies_v0": (
        {"rounds": 2, "attacks_to_win": 3},
        [{}, {"blocks0": 1}, {"hits1": 2}, *({"last0": move, "last1": move} for move in range(1, 5))],
    ),
    "bodega_brawl_v0": (
        {"double_ko": "sudden_death"},
        [
            *({}, {"head_attack0": 0, "head_attack1": 0}, {"head_attack0": 0, "body_dual1": 3}),
            *({f"{region}{player}": 1} for region in REGIONS for player in range(2)),
            *({"body_dual0": 3, "head_attack1": 0}, {"sudden_death": 1}),
            *({"sudden_death": 1, "outcome": outcome} for outcome in (1, 2)),
        ],
    ),
}


@pytest.mark.parametrize("name", SHOWN)
def test_states_that_differ_are_drawn_otherwise(name: str) -> None:
    options, states = SHOWN[name]
    game, drawings = make_game(name, **options), set()
    for fields in states:
        sheet = Sheet()
        game.draw(game.code(**fields), sheet)
        drawings.add(tuple(sheet.calls))
    assert len(drawings) == len(states)


@pytest.mark.parametrize(
    ("options", "uses"), [({}, 2), ({"preset": "small"}, 1), ({f"{region}_dual": 0 for region in REGIONS}, 1)]
)
def test_the_legend_of_bodega_brawl_has_only_cards_of_the_game(options: dict[str, Any], uses: int) -> None:
    sheet, game = Sheet(), make_game("bodega_brawl_v0", **options)
    game.draw(int(game.start_codes[0]), sheet)
    drawn = [use for use in ("attack only", "attack or counter") if use in str(sheet.calls)]
    assert len(drawn) == uses and ("attack only" in drawn) == (options != {"preset": "small"})


def test_the_end_is_titled_as_the_web_page_reads_it() -> None:
    # A page says "you win" for "player 0 wins", so that the title is no longer than the place between two names.
    for name, ending, outcomes in (
        ("footsies_v0", {"round": 1}, [{"lead": 2}, {"lead": 0}, {"lead": 1}]),
        ("bodega_brawl_v0", {"sudden_death": 1}, [{"outcome": 1}, {"outcome": 2}]),
    ):
        game, titles = make_game(name, **({"double_ko": "sudden_death"} if "bodega" in name else {})), []
        for outcome in outcomes:
            sheet = Sheet()
            game.draw(game.code(**ending, **outcome), sheet)
            titles.append([call for call in sheet.calls if "wins" in str(call) or "a draw" in str(call)])
        said = [str(calls) for calls in titles]
        assert [len(calls) for calls in titles] == [1] * len(outcomes)
        assert "player 0 wins" in said[0] and "player 1 wins" in said[1]


FIGHT = {"blocks": 63, "attacks_to_win": 31, "rounds": 63, "max_turns": 1023}
ALL_CARDS = {f"{region}_{kind}": most for region in REGIONS for kind, most in (("attack", 3), ("dual", 7))}
LIMITS = {"total_limit": 21, **{f"{region}_limit": 7 for region in REGIONS}}
FIELDS = [(11, 3, 1), (31, 21, 7), (63, 63, 63), (11, 63, 5), (63, 3, 3)]


def field(width: int, height: int, goal_height: int) -> dict[str, int]:
    return {"width": width, "height": height, "goal_height": goal_height, "random_positions": False}


def corners(width: int, height: int, goal_height: int) -> dict[str, int]:
    return {"red_x": 1, "red_y": 1, "blue_x": width, "blue_y": height}


@pytest.mark.parametrize(
    ("name", "options", "fields"),
    [
        *(("footsies_v0", FIGHT, {"round": 63, "lead": lead}) for lead in (0, 126)),
        *(("footsies_v0", {"blocks": 0}, {"round": 1, "lead": lead}) for lead in (0, 2)),
        ("bodega_brawl_v0", {**ALL_CARDS, **LIMITS}, {}),
        *(("soccer_v0", field(*size), {"turn": side, "ball": side}) for size in FIELDS for side in ("red", "blue")),
        *(("soccer_v0", field(*size), {"ball": side, **corners(*size)}) for size in FIELDS for side in ("red", "blue")),
    ],
    ids=str,
)
def test_the_largest_games_fit_on_the_canvas(name: str, options: dict[str, int], fields: dict[str, Any]) -> None:
    game, sheet = make_game(name, **options), Sheet()
    game.draw(game.code(**fields), sheet)
    assert min(map(min, sheet.points)) >= 0 and max(map(max, sheet.points)) <= 100
