"""Roshambo for people: throws as text and as pictures."""

from collections.abc import Sequence
from typing import NamedTuple

from nashzoo.envs.base.words import counted, what_beats_what
from nashzoo.envs.drawing.canvas import Canvas, Point, fitting
from nashzoo.envs.drawing.palette import EDGE, HIGHLIGHT, INK, MUTED, ON_PLAYER, PLAYER_COLOURS, TINTS
from nashzoo.envs.drawing.shapes import framed
from nashzoo.envs.games.roshambo.rules import Params, State, Tables, actions, payoff
from nashzoo.envs.jit.compiled import Floats

FIELDS = {"played": "throws played", "recalled": "last throws"}
SHORT = {"rounds": 20}
MOST_EXPLAINED = 5  # throws


def recalled_throws(params: Params, tables: Tables, state: State) -> list[tuple[int, int]]:
    """Returns the throws of both players that a state recalls, latest last."""
    size, count = tables.size, min(params.recall, state.played)
    joints = [state.recalled // size ** (2 * ago) % size**2 for ago in range(count)]
    return [divmod(joint, size) for joint in reversed(joints)]


def text(params: Params, tables: Tables, state: State) -> str:
    """Returns the number of throws played, and those recalled, the latest last."""
    names = actions(tables)
    lines = [f"{state.played} of {params.rounds} throws played"]
    for throw0, throw1 in recalled_throws(params, tables, state):
        pays = tables.payoffs[throw0, throw1]
        lines.append(f"{names[throw0]} : {names[throw1]}  {pays:+g}" if pays else f"{names[throw0]} : {names[throw1]}")
    return "\n".join(lines)


def event(tables: Tables, action0: int, action1: int, after: State) -> str:
    """Describes which throw beat which, and the points won."""
    throws = [actions(tables)[action] for action in (action0, action1)]
    points = payoff(tables, after)
    if not points:
        return f"{throws[0]} meets {throws[1]}: nobody won"
    winner = int(points < 0)
    return f"{throws[winner]} beats {throws[1 - winner]}: player {winner} won {counted(abs(points), 'point')}"


def introduction(params: Params, tables: Tables, player: int) -> str:
    """Returns the number of throws, and which throw beats which."""
    names, pays = actions(tables), tables.payoffs
    often = counted(params.rounds, "time")
    said = f"You are player {player}. Both throw at the same time, {often}, and every throw pays."
    if len(names) > MOST_EXPLAINED:
        return said
    beaten = [[other for other, points in zip(names, row, strict=True) if points > 0] for row in pays.tolist()]
    beats = [f"{name} beats {' and '.join(others)}" for name, others in zip(names, beaten, strict=True) if others]
    return f"{said}\n{', '.join(beats)}."


def in_short(params: Params, tables: Tables) -> list[str]:
    """Returns which throw beats which, and how often both throw."""
    lines = what_beats_what(actions(tables), lambda one, other: bool(tables.payoffs[one, other] > 0))
    return [*lines, f"Both throw at the same time, {counted(params.rounds, 'time')}. Every win counts."]


def rules_text(params: Params, tables: Tables) -> str:
    """Returns all rules, with names in braces, and the points of all pairs of throws that have any."""
    names = [f"{{{name}}}" for name in actions(tables)]
    lines = []
    for name, row in zip(names, tables.payoffs.tolist(), strict=True):
        pairs = zip(names, row, strict=True)
        won = [f"{counted(points, 'point')} against {other}" for other, points in pairs if points > 0]
        lines += [f"- {name} wins {' and '.join(won)}."] if won else []
    latest = "latest {throw}" if params.recall == 1 else f"latest {params.recall} {{throw}}s"
    throws = counted(params.rounds, "{throw}")
    return "\n".join(
        [
            f"{{Roshambo}}. Both players choose a {{throw}} at the same time, and then see both. A match has {throws}.",
            *lines,
            "All other pairs bring nothing. Points are paid at once, and all count. Nothing is hidden.",
            f"You see how many {{throw}}s were {{played}}, and the {latest} of both, player 0's on the left.",
        ]
    )


Finger = tuple[tuple[Point, ...], float]  # its points, and its width


class Hand(NamedTuple):
    """The shapes of a hand around its middle, 36 units high."""

    palm: tuple[tuple[float, float, float, float, float], ...]  # left, top, width, height, corner
    fingers: tuple[Finger, ...]
    folded: tuple[Finger, ...]  # in front of the palm, with a gap around them
    eyes: tuple[tuple[float, float, float], ...] = ()  # holes: x, y, radius


GAP = 0.8
WRIST = (-5.5, 10.0, 11.0, 8.0, 2.0)
PALM = (-8.5, -1.0, 17.0, 15.0, 5.0)
THUMB: Finger = (((-6.0, 8.0), (-12.5, 0.5)), 4.6)
HANDS = {
    "Rock": Hand(
        palm=(WRIST, (-9.5, -8.0, 19.0, 21.0, 6.0)),
        fingers=(),
        folded=(
            *((((x, -7.5), (x, 1.5)), 4.4) for x in (-7.2, -2.4, 2.4, 7.2)),
            (((-8.6, 6.5), (3.2, 5.2)), 5.0),
        ),
    ),
    "Paper": Hand(
        palm=(WRIST, PALM),
        fingers=(
            (((-6.3, 2.0), (-8.4, -11.0)), 4.3),
            (((-2.1, 1.0), (-2.8, -15.0)), 4.3),
            (((2.1, 1.0), (2.8, -14.5)), 4.3),
            (((6.3, 2.0), (8.4, -10.0)), 4.3),
            THUMB,
        ),
        folded=(),
    ),
    "Scissors": Hand(
        palm=(WRIST, (-8.5, 0.0, 17.0, 14.0, 5.0)),
        fingers=((((-5.0, 2.0), (-9.0, -14.5)), 4.6), (((-0.5, 2.0), (4.5, -14.5)), 4.6)),
        folded=(
            (((2.6, 0.5), (2.6, 5.5)), 4.4),
            (((7.2, 1.5), (7.2, 6.0)), 4.4),
            (((-7.0, 7.0), (2.2, 8.6)), 4.8),
        ),
    ),
    "Lizard": Hand(
        palm=((-13.0, 10.0, 10.0, 8.0, 2.0),),
        fingers=(
            (((-8.0, 12.0), (-8.0, 4.0), (-6.0, -5.0), (3.0, -9.0)), 10.0),
            (((2.0, -9.5), (12.0, -4.5)), 7.0),
            (((-6.0, 5.5), (2.0, 3.5), (10.0, 4.5)), 5.4),
        ),
        folded=(),
        eyes=((2.5, -10.0, 1.7),),
    ),
    "Spock": Hand(
        palm=(WRIST, PALM),
        fingers=(
            (((-6.3, 2.0), (-11.6, -10.5)), 4.3),
            (((-3.6, 2.0), (-7.4, -14.0)), 4.3),
            (((3.6, 2.0), (7.4, -14.0)), 4.3),
            (((6.3, 2.0), (11.6, -9.5)), 4.3),
            (((-6.0, 9.0), (-13.5, 3.0)), 4.6),
        ),
        folded=(),
    ),
}


def rows(params: Params, tables: Tables) -> tuple[float, float]:
    """Returns all rows, without those of the recalled throws if there are none."""
    return 0, 100 if params.recall > 1 else 88


def draw(params: Params, tables: Tables, state: State, canvas: Canvas) -> None:
    """Draws the last throw, its winner, and a row of several recalled throws; and the score if all are recalled."""
    throws = recalled_throws(params, tables, state)
    names, pays = actions(tables), tables.payoffs
    played = state.played
    canvas.text(50, 6, f"{played:,} of {params.rounds:,} throws played", 5)
    if 0 < played == len(throws):
        score = sum(pays[throw] for throw in throws)
        canvas.text(50, 12.5, f"player {int(score < 0)} leads by {abs(score):g}" if score else "level", 4.2, MUTED)
    gain = pays[throws[-1]] if throws else 0.0
    for player, won in ((0, gain > 0), (1, gain < 0)):
        left, middle = 4 + 53 * player, 23.5 + 53 * player
        if won:
            framed(canvas, left - 2, 16, 43, 52, HIGHLIGHT, EDGE, 5)
        canvas.rectangle(left, 18, 39, 48, PLAYER_COLOURS[player] if throws else TINTS[player], 4)
        name = names[throws[-1][player]] if throws else f"player {player}"
        if throws:
            draw_throw(canvas, middle, 42, (1.15, -1.15)[player], name, PLAYER_COLOURS[player])
        else:
            canvas.text(middle, 42, "?", 20, PLAYER_COLOURS[player])
        canvas.text(middle, 73.5, name, fitting(name, 5, 39), PLAYER_COLOURS[player])
    if throws:
        verdict = f"{abs(gain):+g}" if gain else "="
        canvas.text(50, 42, verdict, fitting(verdict, 4.5, 10.5), PLAYER_COLOURS[int(gain < 0)] if gain else INK)
    if params.recall > 1:
        _draw_history(canvas, throws, names, pays)


def draw_action(tables: Tables, player: int, action: int, canvas: Canvas) -> None:
    """Draws the throw in the player's colours."""
    canvas.rectangle(12, 2, 76, 96, PLAYER_COLOURS[player], 8)
    draw_throw(canvas, 50, 50, (2.3, -2.3)[player], actions(tables)[action], PLAYER_COLOURS[player])


def _draw_history(canvas: Canvas, throws: list[tuple[int, int]], names: tuple[str, ...], pays: Floats) -> None:
    """Draws the recalled throws, the latest on the right, winning ones on a bright ground."""
    for ago, joint in enumerate(reversed(throws)):
        left = 89.5 - 7.4 * ago
        for player, sign in ((0, 1), (1, -1)):
            top = 80.5 + 8.6 * player
            name = names[joint[player]]
            won = sign * pays[joint] > 0
            ground, colour = (
                (HIGHLIGHT, EDGE) if won else (TINTS[player], PLAYER_COLOURS[player] if name in HANDS else INK)
            )
            canvas.rectangle(left, top, 7, 8, ground, 1.2)
            draw_throw(canvas, left + 3.5, top + 4, (0.2, -0.2)[player], name, ground, colour)


def draw_throw(
    canvas: Canvas, x: float, y: float, scale: float, name: str, ground: str, colour: str = ON_PLAYER
) -> None:
    """Draws a throw as a hand around ``(x, y)``, or as its name if it has no hand.

    Args:
        canvas: The canvas.
        x: Units from the left.
        y: Units from the top.
        scale: The height in 36 units; negative to draw the hand as in a mirror.
        name: The throw.
        ground: The colour of the background.
        colour: The colour of the hand.
    """
    hand = HANDS.get(name)
    if hand is None:
        canvas.text(x, y, name, fitting(name, 20 * abs(scale), 28 * abs(scale)), colour)
        return

    size = abs(scale)

    def limb(points: Sequence[Point], width: float, gap: float) -> None:
        places = [(x + scale * dx, y + size * dy) for dx, dy in points]
        if gap:
            canvas.stroke(places, size * (width + 2 * gap), ground)
        canvas.stroke(places, size * width, colour)

    for left, top, width, height, corner in hand.palm:
        edge = x + scale * left if scale > 0 else x + scale * (left + width)
        canvas.rectangle(edge, y + size * top, size * width, size * height, colour, size * corner)
    for points, width in hand.fingers:
        limb(points, width, 0)
    for points, width in hand.folded:
        limb(points, width, GAP)
    for dx, dy, radius in hand.eyes:
        canvas.circle(x + scale * dx, y + size * dy, size * radius, ground)
