"""Pictures of exact solutions: maps over two fields, lines of perfect play, and the canvas they are drawn on."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import CSS4_COLORS, to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.image import imread

import nim
from command import Command
from nashzoo.app.commands.picture import main
from nashzoo.app.matches.picture import line_figure, map_figure, perfect_line, value_map
from nashzoo.app.shared.axes_canvas import AxesCanvas
from nashzoo.baselines import solve
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.api.render import FINENESS, PygameCanvas
from nashzoo.envs.drawing.canvas import Canvas
from nashzoo.envs.drawing.palette import PLAYER_COLOURS, THEMES, shade

HEAP = 9
SMALL: dict[str, Any] = {"width": 11, "height": 3, "goal_height": 1}
NAN = np.nan
# A heap of 4 q + r is won by its mover in 2 q + 1 moves, who leaves 4 q; and 4 q is lost in 2 q.
NIM_VALUES = [1, 1, 1, -1, 1, 1, 1, -1, 1]
NIM_DISTANCES = [1, 1, 1, 2, 3, 3, 3, 4, 5]


def test_a_map_has_the_values_and_distances_of_nim() -> None:
    game = Game(nim, heap=HEAP)
    found, turned = value_map(game, "", "heap,mover"), value_map(game, "", "mover,heap")
    assert (found.across, found.up) == ("heap", "mover")
    assert (turned.columns, turned.rows) == (found.rows, found.columns)
    np.testing.assert_array_equal(turned.values.T, found.values)
    assert (found.columns, found.rows) == (range(1, HEAP + 1), range(2))  # without the empty heap: the game is over
    np.testing.assert_array_equal(found.values, [NIM_VALUES, np.negative(NIM_VALUES)])
    np.testing.assert_array_equal(found.distances, [NIM_DISTANCES, NIM_DISTANCES])


def test_the_figure_says_in_how_many_moves_and_colours_by_winner_and_nearness() -> None:
    game = Game(nim, heap=HEAP)
    (axes,) = map_figure(game, "", value_map(game, "", "heap,mover")).axes
    written = {text.get_position(): text.get_text() for text in axes.texts}
    assert [written[heap, 0] for heap in range(1, HEAP + 1)] == [str(distance) for distance in NIM_DISTANCES]
    (image,) = axes.images
    assert (list(image.get_extent()), image.origin) == ([0.5, HEAP + 0.5, -0.5, 1.5], "lower")
    shades = np.asarray(image.get_array())
    np.testing.assert_array_equal(np.sign(shades), [NIM_VALUES, np.negative(NIM_VALUES)])
    assert shades[0, 0] == 1 > shades[0, 4] > shades[0, 8] > 0
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("heap", "mover")


def test_games_in_which_players_move_at_once_show_their_values() -> None:
    game = footsies_v0.game()
    found = value_map(game, "hits0=1", "blocks0,blocks1")
    assert found.distances is None
    # Player 1, a hit behind and without a block, is worth 1/9 to the other; the rest has the value 0.
    np.testing.assert_allclose(found.values, [[1 / 9] * 4, [0] * 4, [0] * 4, [0] * 4], atol=1e-9)
    (axes,) = map_figure(game, "hits0=1", found).axes
    assert sorted(text.get_text() for text in axes.texts) == ["+0.11"] * 4 + ["0"] * 12


def test_states_that_cannot_be_are_hatched() -> None:
    # Both have played as many cards: the hands are full, or both without their head card.
    game = bodega_brawl_v0.game(preset="tiny")
    found = value_map(game, "", "head_dual0,head_dual1")
    np.testing.assert_array_equal(np.isnan(found.values), [[False, True], [True, False]])
    drawn = map_figure(game, "", found)
    assert drawn.axes[0].patch.get_hatch() and "Hatched:" in drawn.get_supxlabel()


def test_a_player_before_the_open_goal_wins_in_a_move_wherever_the_other_stands() -> None:
    found = value_map(soccer_v0.game(**SMALL), "red_x=11,red_y=2,ball=red,turn=red", "blue_x,blue_y")
    assert (found.columns, found.rows) == (range(1, 12), range(1, 4))  # cells are numbered from 1
    everywhere = np.ones((3, 11))
    everywhere[1, 10] = NAN  # where red stands
    np.testing.assert_array_equal(found.values, everywhere)
    np.testing.assert_array_equal(found.distances, everywhere)


def test_draws_have_no_number_and_no_colour() -> None:
    game, at = soccer_v0.game(**SMALL), "red_x=3,red_y=2,ball=red,turn=red"
    found = value_map(game, at, "blue_x,blue_y")
    assert found.distances is not None
    assert np.nanmin(found.values) == 0 < np.nanmax(found.values)  # blue ahead in red's row draws, behind it loses
    np.testing.assert_array_equal(np.isnan(found.distances), ~(found.values != 0) | np.isnan(found.values))
    (axes,) = map_figure(game, at, found).axes
    assert not axes.patch.get_hatch()
    assert [text.get_text() for text in axes.texts] == ["R"]  # all wins take as long, as the headline says
    assert axes.get_figure().get_suptitle().endswith("always in 15 moves.")
    shades = np.asarray(axes.images[0].get_array())
    np.testing.assert_array_equal(shades[found.values == 0], 0)


def test_a_line_of_perfect_play_takes_as_many_moves_as_the_solution_says() -> None:
    game = tictactoe_v0.game()
    solution = solve(game)
    code = game.code(board="xo.......")  # an answer beside a corner loses
    line = perfect_line(solution, code)
    assert line[0] == (code, 0, "")
    assert len(line) - 1 == solution.distance(code) == 5
    assert [moment.player for moment in line[1:]] == [0, 1, 0, 1, 0]
    assert game.terminal(line[-1].code)
    assert game.payoff(line[-1].code) == 1
    for before, moment in itertools.pairwise(line):
        action = game.actions.index(moment.move)
        assert game.step(before.code, *((action, 0) if moment.player == 0 else (0, action))) == moment.code


def test_a_strip_has_a_board_for_every_move_in_rows_that_do_not_overlap() -> None:
    game = tictactoe_v0.game()
    line = perfect_line(solve(game), game.code(board="xo......."))
    figure = line_figure(game, [*line, *line])
    assert len(figure.axes) == 2 * len(line)
    titles = ["", f"1. crosses: {line[1].move}", f"2. noughts: {line[2].move}"]
    assert [axes.get_title() for axes in figure.axes[:3]] == titles
    boxes = [axes.get_position() for axes in figure.axes]
    for k, one in enumerate(boxes):
        assert one.x0 >= -1e-9 and one.x1 <= 1 + 1e-9 and one.y0 >= -1e-9 and one.y1 <= 1 + 1e-9
        for other in boxes[k + 1 :]:
            assert one.x1 <= other.x0 + 1e-9 or other.x1 <= one.x0 + 1e-9 or other.y1 <= one.y0 + 1e-9


@pytest.mark.parametrize(
    ("game", "at", "over", "message"),
    [
        (Game(nim), "", "heap", "--over takes two different fields, as in heap,mover; not 'heap'"),
        (Game(nim), "", "heap,heap", "--over takes two different fields, as in heap,mover; not 'heap,heap'"),
        (Game(nim), "", "heap,size", "nim_v0 has no field size; it has heap, mover"),
        (Game(nim), "heap=3", "heap,mover", "the map is over heap, so that --at must leave it open, not fix it to 3"),
        (Game(nim), "size=3", "heap,mover", "there is no state to draw: nim_v0 has no field size; it has heap"),
        (tictactoe_v0.game(), "", "crosses,noughts", "a map over crosses,noughts has 262,144 cells; at most 10,000"),
    ],
)
def test_maps_that_are_refused(game: Game, at: str, over: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        value_map(game, at, over)


def test_lines_without_an_end_are_refused() -> None:
    game = tictactoe_v0.game()
    with pytest.raises(ValueError, match=r"neither player can force a win from .*; a line needs a state that one wins"):
        perfect_line(solve(game), int(game.start_codes[0]))
    footsies = footsies_v0.game()
    with pytest.raises(ValueError, match="the players of footsies_v0 move at once; a line needs one of them"):
        perfect_line(solve(footsies), int(footsies.start_codes[0]))


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_the_command_writes_a_file(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / f"strip.{suffix}"
    main("tictactoe_v0", at="board=xo.......", line=True, out=out)
    assert out.read_bytes().startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix])
    assert capsys.readouterr().out == f"written: {out}\n"
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--out a.png", "ask for one picture: --over FIELD,FIELD for a map, --line"),
        ("--over blocks0,blocks1 --line --out a.png", "ask for one picture"),
        ("--over blocks0,blocks1 --out a.jpg", "--out must end in .png, .svg or .pdf, not 'a.jpg'"),
        ("--over blocks0,blocks1 --out a.png --theme dark", "--theme is for --board; other pictures are light"),
    ],
)
def test_the_command_says_what_it_needs(nashzoo: Command, words: str, message: str, tmp_path: Path) -> None:
    assert nashzoo.refused(f"picture footsies_v0 {words}").startswith(message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_a_state_is_drawn(suffix: str, theme: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / f"board.{suffix}"
    wide = ("width=11", "height=5", "goal_height=3")
    main("soccer_v0", wide, at="turn=blue", board=True, theme=theme, out=out)
    assert capsys.readouterr().out == f"written: {out}\n" and list(tmp_path.iterdir()) == [out]
    game = soccer_v0.game(width=11, height=5, goal_height=3)
    if suffix == "svg":
        assert out.read_text(encoding="utf-8") == game.svg(game.code(turn="blue"), theme)
    if suffix == "png":
        image = imread(out)
        assert image.shape[:2] == (660, 660)
        assert to_hex(image[0, 0]) == THEMES[theme]["ground"]
        assert {to_hex(image[y, x]) for y in range(660) for x in range(0, 660, 3)} >= {
            THEMES[theme][role] for role in ("player-0", "player-1", "highlight", "chalk")
        }


@pytest.mark.parametrize("name", ["a.svg", "a.png"])
def test_there_are_two_themes(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="theme must be 'light' or 'dark', not 'sepia'"):
        main("footsies_v0", board=True, theme="sepia", out=tmp_path / name)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


SIDE = 200  # pixels


def with_pygame(paint: Callable[[Canvas], None]) -> np.ndarray:
    import pygame

    large = pygame.Surface((FINENESS * SIDE, FINENESS * SIDE), depth=32)
    paint(PygameCanvas(large))
    return pygame.surfarray.array3d(pygame.transform.smoothscale(large, (SIDE, SIDE))).swapaxes(0, 1)


def with_matplotlib(paint: Callable[[Canvas], None]) -> np.ndarray:
    figure = Figure(figsize=(2, 2), dpi=SIDE / 2)
    paint(AxesCanvas(figure.add_axes((0, 0, 1, 1)), 2))
    agg = FigureCanvasAgg(figure)
    agg.draw()
    return np.asarray(agg.buffer_rgba())[:, :, :3]


def painting(canvas: Canvas) -> None:
    canvas.rectangle(5, 10, 60, 20, "orange")
    canvas.circle(30, 60, 15, "red")
    canvas.circle(30, 60, 7, "white")  # later shapes lie above
    canvas.line(60, 90, 95, 40, 5, "blue")
    canvas.line(5, 90, 50, 90, 6, "blue")
    canvas.rectangle(20, 88, 5, 10, "orange")
    canvas.polygon([(5, 40), (15, 40), (10, 50)], PLAYER_COLOURS[0])
    canvas.stroke([(50, 45), (60, 45), (60, 60)], 6, PLAYER_COLOURS[1])
    canvas.rectangle(80, 85, 16, 10, "green", corner=5)
    canvas.text(75, 20, "I", 30, "black")
    canvas.text(1, 98, "H", 4, align="start")
    canvas.text(99, 5, "$1 + $2", 8, align="end")


def test_pygame_draws_the_colours_that_css_names() -> None:
    import pygame

    for name, colour in CSS4_COLORS.items():
        surface = pygame.Surface((10, 10))
        PygameCanvas(surface).rectangle(0, 0, 100, 100, name)
        assert to_hex([channel / 255 for channel in surface.get_at((5, 5))[:3]]) == colour.lower(), name


def test_both_canvases_draw_the_same() -> None:
    one, other = with_pygame(painting), with_matplotlib(painting)
    assert one.shape == other.shape
    far = np.abs(one.astype(int) - other).max(axis=2) > 60
    assert far.mean() < 0.03  # edges and letters
    for x, y, colour in [
        (10, 12, "orange"),
        (63, 28, "orange"),
        (30, 49, "red"),
        (30, 60, "white"),
        (77.5, 65, "blue"),
        (10, 92.4, "blue"),
        (22, 90, "orange"),
        (10, 43, shade(PLAYER_COLOURS[0])),
        (8, 47, "white"),
        (48, 45, shade(PLAYER_COLOURS[1])),  # the end is round and reaches beyond the point
        (61.5, 43.5, shade(PLAYER_COLOURS[1])),  # so is the corner,
        (62.8, 42.2, "white"),  # which has no tip
        (88, 90, "green"),
        (80.4, 85.4, "white"),
        (75, 20, "black"),
        (75, 11, "black"),  # capitals are centred: 0.36 of 30 up and down
        (75, 29, "black"),
    ]:
        expected = pytest.approx(255 * np.array(to_rgb(colour)), abs=2)
        for image in (one, other):
            assert image[int(y * SIDE / 100), int(x * SIDE / 100)] == expected
    for image in (one, other):  # text that ends at 99
        _, columns = np.nonzero(image[: SIDE // 8].sum(axis=2) < 300)
        assert 0 <= 99 * SIDE / 100 - columns.max() < 4 and columns.min() > 62 * SIDE / 100


def test_the_canvas_remembers_from_where_to_where_was_drawn() -> None:
    canvas = AxesCanvas(Figure().add_axes((0, 0, 1, 1)), 2)
    canvas.rectangle(0, 30, 100, 20, "orange")
    canvas.circle(50, 60, 5, "red")
    canvas.line(0, 28, 100, 28, 2, "blue")
    assert (canvas.top, canvas.bottom) == (27, 65)
    canvas.text(50, 70, "x", 10)
    assert (canvas.top, canvas.bottom) == (27, 80)  # with room for what letters have above and below


def test_the_headline_of_a_map_counts_who_is_ahead_and_colours_fit_what_is_at_stake() -> None:
    game = footsies_v0.game()
    figure = map_figure(game, "hits0=1", value_map(game, "hits0=1", "blocks0,blocks1"))
    seen = figure.get_suptitle().replace("\n", " ")
    assert seen == "When red has 1 hit, red wins 0.11 points only if blue has no blocks."
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("red's blocks", "blue's blocks")
    (image,) = figure.axes[0].images
    assert float(image.get_array().max()) == pytest.approx(0.35 + 0.65 / 9)  # of 1, all at stake; seen in grey too
    assert image.get_clim() == (-1.25, 1.25)
    heaps = Game(nim, heap=HEAP)
    won = map_figure(heaps, "", value_map(heaps, "", "heap,mover")).get_suptitle().replace("\n", " ")
    assert won == "Red wins in 9 of 18 states, blue in 9, in 1 to 5 moves."
    turned = map_figure(game, "hits1=1", value_map(game, "hits1=1", "blocks0,blocks1")).get_suptitle()
    assert turned.replace("\n", " ") == "When blue has 1 hit, blue wins 0.11 points only if red has no blocks."
    even = map_figure(game, "", value_map(game, "", "blocks0,blocks1")).get_suptitle().replace("\n", " ")
    assert even == "Neither is ahead in any of 16 states."
    brawl = bodega_brawl_v0.game(preset="small")
    fewer = map_figure(brawl, "", value_map(brawl, "", "legs0,legs1")).get_suptitle()
    assert fewer.replace("\n", " ").startswith("Whoever has fewer strikes on legs wins, by 0.")
