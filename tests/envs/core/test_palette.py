"""The colours of drawings: contrast as the Web Content Accessibility Guidelines define it, and for the colour-blind.

Sources: W3C (2023), WCAG 2.2, 1.4.3, 1.4.11 and "relative luminance"; Machado, Oliveira and Fernandes (2009), A
Physiologically-based Model for Simulation of Color Vision Deficiency, IEEE TVCG 15(6), the matrices of severity 1.
"""

import itertools
import re

import numpy as np
import pytest

from nashzoo.envs.drawing.palette import (
    CHALK,
    EDGE,
    GLOW,
    GROUND,
    HIGHLIGHT,
    INK,
    LINE,
    MUTED,
    ON_PLAYER,
    PANEL,
    PITCH,
    PLAYER_COLOURS,
    STRIPE,
    THEMES,
    TINTS,
    check_theme,
    shade,
)
from nashzoo.envs.drawing.svg import SVGCanvas

TEXT, FIGURE = 4.5, 3.0  # the least contrast
TOLD_APART = 20.0  # distance in CIELAB; 2.3 can just be noticed
VISION = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])  # sRGB, IEC 61966-2-1


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    low, high = sorted(float(TO_XYZ[1] @ linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(colour: str, vision: str) -> np.ndarray:
    seen = TO_XYZ @ np.clip(np.asarray(VISION[vision]) @ linear(colour), 0, 1) / TO_XYZ.sum(axis=1)
    x, y, z = np.where(seen > (6 / 29) ** 3, np.cbrt(seen), seen / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


TEXTS = [
    *itertools.product((INK, MUTED, *PLAYER_COLOURS), (GROUND, PANEL)),
    *((ON_PLAYER, colour) for colour in PLAYER_COLOURS),
    *((INK, tint) for tint in TINTS),
    (EDGE, HIGHLIGHT),
]
FIGURES = [
    *itertools.product((LINE, *PLAYER_COLOURS), (GROUND, PANEL)),
    *itertools.product((CHALK, *PLAYER_COLOURS), (PITCH, STRIPE)),
    *itertools.product(PLAYER_COLOURS, (*TINTS, GLOW)),
    (INK, GLOW),
]


@pytest.mark.parametrize("theme", THEMES)
def test_texts_and_figures_can_be_seen(theme: str) -> None:
    for pairs, least in ((TEXTS, TEXT), (FIGURES, FIGURE)):
        for one, ground in pairs:
            assert contrast(shade(one, theme), shade(ground, theme)) >= least, (one, ground)
    # What is highlighted is seen by itself, or has an edge that is.
    for ground in (GROUND, PANEL, PITCH, STRIPE):
        assert max(contrast(shade(colour, theme), shade(ground, theme)) for colour in (HIGHLIGHT, EDGE)) >= FIGURE


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", THEMES)
def test_colour_blind_people_tell_the_players_apart(theme: str, vision: str) -> None:
    figures = [shade(colour, theme) for colour in (*PLAYER_COLOURS, HIGHLIGHT)]
    for one, other in itertools.combinations(figures, 2):
        assert np.linalg.norm(lab(one, vision) - lab(other, vision)) > TOLD_APART


def test_both_themes_have_the_same_roles() -> None:
    light, dark = THEMES.values()
    assert light.keys() == dark.keys()
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for theme in THEMES.values() for colour in theme.values())


def test_other_colours_are_the_same_in_both_themes() -> None:
    for theme in THEMES:
        assert shade("rebeccapurple", theme) == "rebeccapurple"
        canvas = SVGCanvas(theme)
        canvas.circle(50, 50, 10, "#123456")
        assert 'fill="#123456"' in canvas.shapes[-1]


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^theme must be 'light' or 'dark', not 'sepia'$"):
        check_theme("sepia")
