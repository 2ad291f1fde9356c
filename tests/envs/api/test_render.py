"""Showing a game as text, as pixels and in a window."""

import copy
import importlib
import pickle
import sys
from typing import Any

import numpy as np
import pettingzoo.test
import pytest

import nim
import repeated_rps
from nashzoo.envs import footsies_v0, games
from nashzoo.envs.api.gymnasium_env import GameEnv
from nashzoo.envs.api.module import make_module
from nashzoo.envs.api.render import RENDER_MODES, SIZE, PygameCanvas
from nashzoo.envs.drawing.palette import THEMES
from opponents import Always

PUBLIC: dict[str, Any] = {name: importlib.import_module(f"nashzoo.envs.{name}") for name in games()}
PUBLIC |= {"nim": make_module(nim), "repeated_rps": make_module(repeated_rps)}

WHITE, RED = (255, 255, 255), (255, 0, 0)


@pytest.fixture(autouse=True)
def ticks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Makes the window's clock run at once; returns the frame rates that it was asked for."""
    pygame = pytest.importorskip("pygame")
    asked: list[int] = []

    class Clock:
        def tick(self, fps: int) -> None:
            asked.append(fps)

    monkeypatch.setattr(pygame.time, "Clock", Clock)
    return asked


@pytest.mark.parametrize("name", ["footsies_v0", "nim"])
def test_pettingzoo_render(name: str) -> None:
    pettingzoo.test.render_test(PUBLIC[name].env)


@pytest.mark.parametrize("kind", ["parallel_env", "raw_env"])
def test_text(kind: str) -> None:
    env = getattr(footsies_v0, kind)(render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == env.game.text(env.code)


@pytest.mark.parametrize("name", PUBLIC)
def test_pixels(name: str) -> None:
    env = PUBLIC[name].parallel_env(render_mode="rgb_array")
    env.reset(seed=0)
    first = env.render()
    assert first.shape == (SIZE, SIZE, 3) and first.dtype == np.uint8
    assert (env.render() == first).all()
    env.step({"player_0": 2, "player_1": 0})
    assert (env.render() != first).any()
    assert first.std() > 0, "something is drawn"


def test_the_picture_is_the_right_way_up() -> None:
    pygame = pytest.importorskip("pygame")
    surface = pygame.Surface((200, 200))
    canvas = PygameCanvas(surface)
    canvas.rectangle(10, 80, 30, 10, "red")  # left, low, wide
    pixels = pygame.surfarray.array3d(surface).swapaxes(0, 1)
    rows, columns = np.nonzero((pixels == RED).all(axis=2))
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (160, 179, 20, 79)
    assert tuple(pixels[0, 0]) == WHITE
    env = PUBLIC["nim"].parallel_env(heap=1, render_mode="rgb_array")
    env.reset()
    dark = (env.render().sum(axis=2) == 0)[SIZE // 8 :]  # below the title
    rows, columns = np.nonzero(dark)
    assert columns.mean() / SIZE == pytest.approx(0.10, abs=0.01)
    assert (rows.mean() + SIZE // 8) / SIZE == pytest.approx(0.20, abs=0.01)


def test_pictures_are_drawn_after_pygame_was_ended_and_begun_again() -> None:
    pygame = pytest.importorskip("pygame")
    env = footsies_v0.parallel_env(render_mode="rgb_array")
    env.reset(seed=0)
    before = env.render()
    pygame.quit()
    env.step({"player_0": 0, "player_1": 2})  # other texts than before
    pygame.init()
    env.step({"player_0": 1, "player_1": 1})
    assert (env.render() != before).any()
    pygame.quit()
    env.step({"player_0": 2, "player_1": 2})
    assert (env.render() != before).any()


def test_edges_are_smooth_and_areas_have_the_colours_of_the_palette() -> None:
    env = footsies_v0.parallel_env(rounds=3, render_mode="rgb_array")
    env.reset(seed=0)
    pixels = env.render().reshape(-1, 3)
    colours, counts = np.unique(pixels, axis=0, return_counts=True)
    common = {f"#{bytes(colour).hex()}" for colour in colours[counts > 1000].tolist()}
    light = THEMES["light"]
    assert common == {light[role] for role in ("ground", "panel", "ink", "player-0", "player-1")}
    assert len(colours) > 100  # between these


def test_a_line_is_drawn() -> None:
    pygame = pytest.importorskip("pygame")
    surface = pygame.Surface((100, 100))
    PygameCanvas(surface).line(10, 50, 90, 50, 4, "red")
    pixels = pygame.surfarray.array3d(surface)
    assert tuple(pixels[50, 50]) == RED and tuple(pixels[50, 40]) == WHITE


def test_a_window(ticks: list[int]) -> None:
    pygame = pytest.importorskip("pygame")
    env = footsies_v0.parallel_env(render_mode="human")
    env.reset(seed=0)
    assert pygame.display.get_surface().get_size() == (SIZE, SIZE)
    assert pygame.display.get_caption()[0] == "footsies_v0"
    before = pygame.surfarray.array3d(pygame.display.get_surface())
    env.step({"player_0": 0, "player_1": 0})
    assert (pygame.surfarray.array3d(pygame.display.get_surface()) != before).any(), "a step shows the state"
    assert env.render() is None
    assert ticks == [env.metadata["render_fps"]] * 3
    env.close()
    assert not pygame.display.get_init()
    env.close()  # nothing is left to close
    env.reset()
    assert pygame.display.get_init(), "a closed window opens again"
    env.close()


def test_the_gymnasium_environment(ticks: list[int]) -> None:
    shown: dict[str, Any] = {}
    for mode in RENDER_MODES:
        env = GameEnv(footsies_v0.game(), Always(0), render_mode=mode)
        env.reset(seed=0)
        env.step(0)
        shown[mode] = env.render()
        env.close()
        env.close()
    assert shown["ansi"].splitlines()[1].endswith("last move Attack")
    assert shown["svg"].startswith("<svg") and "last move Attack" in shown["svg"]
    assert shown["rgb_array"].shape == (SIZE, SIZE, 3)
    assert shown["human"] is None and len(ticks) == 3


@pytest.mark.parametrize("mode", RENDER_MODES)
def test_environments_that_have_shown_something_can_be_copied(mode: str) -> None:
    for env in (
        footsies_v0.parallel_env(render_mode=mode),
        footsies_v0.env(render_mode=mode),
        GameEnv(footsies_v0.game(), Always(0), render_mode=mode),
    ):
        env.reset(seed=0)
        env.render()
        copies = pickle.loads(pickle.dumps(env)), copy.deepcopy(env)
        for other in copies:
            assert np.array_equal(other.render(), env.render())
        for one in (env, *copies):
            one.close()


def test_rendering_without_a_mode_is_an_error() -> None:
    for env in (footsies_v0.parallel_env(), footsies_v0.raw_env(), GameEnv(footsies_v0.game(), Always(0))):
        env.reset(seed=0)
        with pytest.raises(ValueError, match="render_mode= one of ansi, svg, rgb_array, human"):
            env.render()


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_pixels_without_pygame_are_an_error(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = GameEnv(footsies_v0.game(), Always(0), render_mode=mode)
    with pytest.raises(ImportError, match=f"render_mode='{mode}' needs pygame: pip install"):
        env.render()
