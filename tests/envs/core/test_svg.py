"""States as SVG: well-formed, within the picture, and described to those who cannot see it."""

import re
import xml.etree.ElementTree as ET
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graph_game
import nim
import oshi_zumo
from made_games import with_rules
from nashzoo.envs import Game, footsies_v0, games, make_game, roshambo_v0
from nashzoo.envs.drawing.palette import THEMES
from nashzoo.envs.drawing.svg import SVGCanvas
from traces import Sheet

SVG = "{http://www.w3.org/2000/svg}"
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "footsies_v0": [{}, {"rounds": 3, "max_turns": 5, "attacks_to_win": 4}],
    "roshambo_v0": [
        {"rounds": 30},
        {"recall": 8, "payoff": "rpsls"},
        {"recall": 3, "payoff": np.zeros((9, 9)).tolist()},
    ],
    "bodega_brawl_v0": [{}, {"preset": "tiny", "double_ko": "sudden_death"}],
    "soccer_v0": [
        {},
        {"width": 11, "height": 3, "goal_height": 1},
        {"width": 31, "height": 21, "random_positions": False},
    ],
}
MOST_STEPS = 40


@cache
def variants(name: str) -> list[Game]:
    return [make_game(name, **options) for options in OPTIONS.get(name, [{}])]


@pytest.mark.parametrize("name", games())
@settings(max_examples=15, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1), theme=st.sampled_from(list(THEMES)))
def test_every_state_of_random_play_is_a_document_within_its_picture(
    name: str, data: st.DataObject, seed: int, theme: str
) -> None:
    game = data.draw(st.sampled_from(variants(name)))
    rng = np.random.default_rng(seed)
    code = game.start(rng)
    for _ in range(rng.integers(MOST_STEPS)):
        if game.terminal(code):
            break
        code = game.step(code, *(int(rng.choice(game.legal_actions(code, player))) for player in (0, 1)))
    root = ET.fromstring(game.svg(code, theme))
    assert (root.tag, root.get("viewBox"), root.get("role")) == (f"{SVG}svg", "0 0 100 100", "img")
    assert root.get("aria-label") == game.text(code)
    assert root.findtext(f"{SVG}title") == game.name
    colours = {part.get(key) for part in root for key in ("fill", "stroke")} - {None, "none", "white"}
    assert colours <= set(THEMES[theme].values())
    sheet = Sheet()
    game.draw(code, sheet)
    assert len(root) == 2 + len(sheet.calls)  # with the title and the ground
    assert min(map(min, sheet.points)) >= 0 and max(map(max, sheet.points)) <= 100
    smallest = min(float(part.get("font-size", 0)) for part in root.iter(f"{SVG}text"))
    assert smallest >= 2.5, "7 pixels on a board of 300, those of a letter on a player or a small card"


def test_a_document_by_hand() -> None:
    canvas = SVGCanvas()
    canvas.rectangle(1, 2, 3, 4.5, "ground", corner=0.5)
    canvas.line(0, 0, 100 / 3, 1, 2, "navy")
    canvas.stroke([(1, 2), (3, 4)], 1, "ink")
    canvas.polygon([(0, 0), (1, 0), (0, 1)], "red")
    canvas.text(50, 50, "a < b & 'c'", 10, align="end")
    head, title, ground, *shapes, end, _ = canvas.svg("t<", 'two\n"lines"').split("\n")
    assert head.startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" role="img" aria-label=')
    assert "aria-label='two&#10;\"lines\"'" in head
    assert (title, end) == ("<title>t&lt;</title>", "</svg>")
    assert ground == '<rect x="0" y="0" width="100" height="100" fill="#ffffff"/>'
    assert shapes == [
        '<rect x="1" y="2" width="3" height="4.5" rx="0.5" fill="#ffffff"/>',
        '<line x1="0" y1="0" x2="33.33" y2="1" stroke="navy" stroke-width="2"/>',
        '<polyline points="1,2 3,4" stroke="#22252b" fill="none" stroke-linecap="round" stroke-linejoin="round" '
        'stroke-width="1"/>',
        '<polygon points="0,0 1,0 0,1" fill="red"/>',
        '<text x="50" y="53.6" font-size="10" text-anchor="end" fill="#22252b">a &lt; b &amp; \'c\'</text>',
    ]


@pytest.mark.slow
@settings(deadline=None)
@given(text=st.text(st.characters(codec=None), min_size=1), colour=st.text())
def test_any_text_and_any_colour_make_a_document(text: str, colour: str) -> None:
    canvas = SVGCanvas()
    canvas.text(50, 50, text, 5, colour)
    root = ET.fromstring(canvas.svg(text, text).encode())
    assert "".join(root[-1].itertext()).replace("\n", "\r") in re.sub(
        "[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "", text
    ).replace("\n", "\r")


def test_games_without_a_drawing_are_their_text() -> None:
    game = Game(with_rules(graph_game, text=lambda params, code: "a line " * 30))
    (written,) = ET.fromstring(game.svg(0)).iter(f"{SVG}text")
    assert written.text == "a line " * 30 and float(written.get("font-size", 0)) < 1


def test_games_without_a_text_are_a_card_of_their_fields() -> None:
    game = Game(oshi_zumo)
    code = game.first_decision
    written = [part.text for part in ET.fromstring(game.svg(code)).iter(f"{SVG}text")]
    assert written == [str(part) for field in game.state(code)._asdict().items() for part in field]


def test_drawings_of_former_times_still_work() -> None:
    def draw(params: Any, code: int, canvas: Any) -> None:
        canvas.rectangle(0, 0, 50, 50, "red")
        canvas.circle(50, 50, 10, "blue")
        canvas.line(0, 0, 100, 100, 2, "grey")
        canvas.text(50, 10, "title", 5)
        canvas.text(50, 90, "end", 5, "white")

    root = ET.fromstring(Game(with_rules(nim, draw=draw)).svg(0b11_1))
    assert [part.get("fill") or part.get("stroke") for part in root[2:]] == ["red", "blue", "grey", "#22252b", "white"]


def test_the_theme_is_checked() -> None:
    game = footsies_v0.game()
    with pytest.raises(ValueError, match="theme must be 'light' or 'dark', not 'blue'"):
        game.svg(int(game.start_codes[0]), "blue")
    light, dark = (game.svg(int(game.start_codes[0]), theme) for theme in THEMES)
    assert light != dark


def test_the_score_is_shown_where_all_throws_are_recalled() -> None:
    game = roshambo_v0.game(recall=3)
    code, found = int(game.start_codes[0]), []
    for throws in ((0, 1), (0, 1), (0, 2), (1, 0)):
        code = game.step(code, *throws)
        found.append([part.text for part in ET.fromstring(game.svg(code)).iter(f"{SVG}text")][1])
    assert found[:3] == ["player 1 leads by 1", "player 1 leads by 2", "player 1 leads by 1"]
    assert found[3] == "Paper"  # the first throw is forgotten
