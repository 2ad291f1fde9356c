"""The colours of all drawings by role, in a light and in a dark theme.

A drawing uses a role, such as ``INK``, which the canvas translates to a colour; any other colour, such as ``"navy"`` or
``"#336699"``, is the same in both themes. The players are vermillion and blue, which people with each kind of colour
blindness can distinguish, darkened or lightened until text on them is legible.

Sources: Okabe and Ito (2002), Color Universal Design, for the hues; W3C, Web Content Accessibility Guidelines 2.2,
1.4.3 and 1.4.11, for contrast.
"""

from nashzoo.envs.base.errors import UsageError

GROUND = "ground"  # background
PANEL = "panel"  # cells, cards and stages
LINE = "line"  # between cells and around cards
INK, MUTED = "ink", "muted"  # text, and less important text
PLAYER_COLOURS = ("player-0", "player-1")
SIDES = ("red", "blue")  # the players by these colours, where a game has no names for them
TINTS = ("tint-0", "tint-1")  # light shades of the players' colours
ON_PLAYER = "on-player"  # text and marks on the players' colours
HIGHLIGHT, EDGE = "highlight", "edge"  # the present focus, and its outline for contrast
GLOW = "glow"  # background of the present focus
PITCH, STRIPE, CHALK = "pitch", "stripe", "chalk"

WEIGHT = 0.7  # units, of every outline

SHADES = {  # of each role, in the light and in the dark theme
    GROUND: ("#ffffff", "#16181d"),
    PANEL: ("#f4f2ec", "#24282f"),
    LINE: ("#8a8678", "#7f8592"),
    INK: ("#22252b", "#f1f1ee"),
    MUTED: ("#5e6169", "#adb2bd"),
    PLAYER_COLOURS[0]: ("#bd440a", "#f0814a"),
    PLAYER_COLOURS[1]: ("#006ba8", "#56b4e9"),
    TINTS[0]: ("#fae0d1", "#4a2c1e"),
    TINTS[1]: ("#d6e8f5", "#1d3a4f"),
    ON_PLAYER: ("#ffffff", "#111317"),
    HIGHLIGHT: ("#f5bd1f", "#f5c73a"),
    EDGE: ("#22252b", "#0b0c0f"),
    GLOW: ("#fbe9b0", "#4d4013"),
    PITCH: ("#dfecde", "#1d3529"),
    STRIPE: ("#d4e5d4", "#223c2f"),
    CHALK: ("#4f8560", "#6fa083"),
}
THEMES = {theme: {role: both[k] for role, both in SHADES.items()} for k, theme in enumerate(("light", "dark"))}
LIGHT = "light"
ROLES = "roles"  # instead of a theme: roles stay names, to be translated later


def check_theme(theme: str) -> str:
    """Returns the name of a theme.

    Raises:
        UsageError: there is no such theme.
    """
    if theme not in THEMES:
        raise UsageError(f"theme must be {' or '.join(map(repr, THEMES))}, not {theme!r}")
    return theme


def shade(colour: str, theme: str = LIGHT) -> str:
    """Returns the colour of a role in a theme; a colour that is no role is returned as it is.

    >>> shade("ground", "light"), shade("navy", "light")
    ('#ffffff', 'navy')
    """
    return colour if theme == ROLES else THEMES[theme].get(colour, colour)
