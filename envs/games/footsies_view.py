"""Footsies for people, as text and as a drawing."""

from typing import NamedTuple

from nashzoo.envs.base.words import counted
from nashzoo.envs.core.canvas import Align, Canvas, Point
from nashzoo.envs.core.palette import EDGE, HIGHLIGHT, INK, LINE, MUTED, ON_PLAYER, PANEL, PLAYER_COLOURS, WEIGHT
from nashzoo.envs.core.rules import Ints
from nashzoo.envs.core.shapes import burst, meter
from nashzoo.envs.games.footsies import (
    ACTIONS,
    ATTACK,
    ATTACKS_TO_WIN,
    BLOCK,
    BLOCKS,
    DRAGON_PUNCH,
    FREE_BLOCK,
    GRAB,
    LIMITS,
    MAX_TURNS,
    ROUNDS,
    State,
    decode,
    encode,
    payoff,
    step,
    terminal,
)

WORDS = {field: ("none", *ACTIONS) for field in ("last0", "last1")}
MOST_HITS = LIMITS["attacks_to_win"][1]
SUFFERED = {  # effect of each move on the other player
    ATTACK: "got hit",
    BLOCK: "got caught",
    GRAB: "got thrown",
    DRAGON_PUNCH: "got knocked down",
}


def text(params: Ints, code: int) -> str:
    """Returns a line for the match and one for each player."""
    s = decode(code)
    rounds = int(params[ROUNDS])
    lead = s.lead - rounds
    leader = f"player {int(lead < 0)} by {abs(lead)}" if lead else "nobody"
    lines = [f"round {min(s.round + 1, rounds)} of {rounds}, in the lead: {leader}"]
    if params[MAX_TURNS] and not terminal(params, code):
        lines[0] += f", {counted(int(params[MAX_TURNS]) - s.turn, 'turn')} left"
    for player, blocks, hits, last in ((0, s.blocks0, s.hits0, s.last0), (1, s.blocks1, s.hits1, s.last1)):
        played = ACTIONS[last - 1] if last else "-"
        lines.append(f"player {player}: blocks {blocks}, hits landed in succession {hits}, last move {played}")
    return "\n".join(lines)


def event(params: Ints, code: int, action0: int, action1: int, after: int) -> str:
    """Describes which move beat which, its effect, and the result of the round if that ended it."""
    s, then = decode(code), decode(after)
    stood = _before_the_reset(params, code, action0, action1)
    actions = action0, action1
    names = tuple(ACTIONS[action] for action in actions)
    if action0 == action1:
        told = f"{names[0]} meets {names[1]}: nothing happened"
    elif stood.round > s.round:
        winner = int(then.lead < s.lead)
        told = f"{names[winner]} beats {names[1 - winner]}: player {1 - winner} {SUFFERED[actions[winner]]}"
    elif stood.hits0 or stood.hits1:
        winner = int(stood.hits1 > 0)
        without = " without a block left" if actions[1 - winner] == BLOCK else ""
        told = f"{names[winner]} beats {names[1 - winner]}{without}: player {1 - winner} {SUFFERED[ATTACK]}"
        told += f", {stood.hits1 if winner else stood.hits0} of {params[ATTACKS_TO_WIN]} in succession"
    else:  # an Attack that is blocked, as everything else lands
        blocker = int(action1 == BLOCK)
        before, left = ((s.blocks0, stood.blocks0), (s.blocks1, stood.blocks1))[blocker]
        told = "Block stops Attack: "
        told += f"player {blocker} used up a block, {left} left" if left < before else "no block was used up"
    return told if then.round == s.round else f"{told}; {_ending(params, s, stood, then, after)}"


def shown(params: Ints, code: int, after: int) -> int:
    """Returns the state in which the match ended, before the reset; otherwise the next state."""
    if not terminal(params, after):
        return after
    s, then = decode(code), decode(after)
    stood = _before_the_reset(params, code, then.last0 - 1, then.last1 - 1)
    if stood.round > s.round:  # a turn that wins at once uses up no block
        stood = stood._replace(blocks0=s.blocks0, blocks1=s.blocks1)
    return encode(stood._replace(turn=s.turn + int(params[MAX_TURNS] > 0), round=then.round, lead=then.lead))


def _before_the_reset(params: Ints, code: int, action0: int, action1: int) -> State:
    """Returns the state after a turn before the reset at the end of a round, unless the turn wins at once."""
    unlimited = params.copy()
    unlimited[ATTACKS_TO_WIN], unlimited[MAX_TURNS] = MOST_HITS + 1, 0
    return decode(step(unlimited, code, action0, action1))


def _ending(params: Ints, s: State, stood: State, then: State, after: int) -> str:
    """Describes the end of a round, and of the match if it was the last."""
    winner = None if then.lead == s.lead else int(then.lead < s.lead)
    parts = []
    if params[ROUNDS] > 1:
        ended = f"round {then.round} of {params[ROUNDS]}"
        blocks = s if stood.round > s.round else stood  # a turn that wins at once uses up no block
        held = f"player 0 had {blocks.blocks0} and player 1 had {blocks.blocks1} blocks left"
        parts = [f"{ended} was a draw" if winner is None else f"player {winner} won {ended}", held]
    if winner is None:
        parts.insert(0, "no turns were left")
    if terminal(params, after):
        points = payoff(params, after)
        parts.append(f"player {int(points < 0)} won the match" if points else "the match was a draw")
    return "; ".join(parts)


def introduction(params: Ints, player: int) -> str:
    """Returns how to win, the use of blocks, and which move beats which."""
    rounds, hits = int(params[ROUNDS]), int(params[ATTACKS_TO_WIN])
    often = "every time" if params[FREE_BLOCK] else f"{counted(int(params[BLOCKS]), 'time')} a round"
    landed = "1 hit wins" if hits == 1 else f"{hits} hits in succession win"
    wins = "the round wins" if rounds == 1 else f"more of {rounds} rounds wins"
    return (
        f"You are player {player}. Both choose a move at the same time; whoever wins {wins}. "
        f"{landed} a round. At once Grab beats Block, Block beats Dragon Punch, and Dragon Punch "
        f"beats Attack and Grab. An Attack hits who plays Grab; Block stops it, {often}."
    )


class Pose(NamedTuple):
    """The positions of a fighter's joints, units forward from its position and up from the floor."""

    head: Point
    trunk: tuple[Point, ...]  # neck, hip
    far_arm: tuple[Point, ...]  # shoulder, elbow, hand
    near_arm: tuple[Point, ...]
    far_leg: tuple[Point, ...]  # hip, knee, heel, toes
    near_leg: tuple[Point, ...]


GUARD = Pose(
    head=(1.5, 42),
    trunk=((0, 33), (-0.5, 22)),
    far_arm=((1, 33), (6, 27), (10, 33)),
    near_arm=((-1, 33), (1, 25), (7, 29)),
    far_leg=((0, 20), (6, 12), (6, 2), (9, 2)),
    near_leg=((-1, 20), (-6, 12), (-9, 2), (-6, 2)),
)
POSES = {
    ATTACK: Pose(  # a straight kick
        head=(-7, 41),
        trunk=((-5.5, 32), (-1, 22)),
        far_arm=((-4, 33), (1, 29), (5, 33)),
        near_arm=((-7, 32), (-12, 27), (-15, 32)),
        far_leg=((1, 22), (9, 25), (18, 27), (18.5, 30)),
        near_leg=((-1, 20), (0, 11), (-3, 2), (0, 2)),
    ),
    BLOCK: Pose(  # forearms upright in front of the face
        head=(-3, 39.5),
        trunk=((-3, 31), (-2, 20)),
        far_arm=((-1, 30), (8, 27), (8.5, 39)),
        near_arm=((-4, 30), (3, 23), (4.5, 35)),
        far_leg=((-1, 18), (6, 12), (4, 2), (7, 2)),
        near_leg=((-3, 18), (-9, 11), (-12, 2), (-9, 2)),
    ),
    GRAB: Pose(  # a lunge with both hands
        head=(9, 39),
        trunk=((5.5, 31), (0, 21)),
        far_arm=((7, 31), (13, 31.5), (20, 34)),
        near_arm=((5, 29), (12, 25.5), (19, 26)),
        far_leg=((1, 20), (9, 14), (10, 2), (13, 2)),
        near_leg=((-1, 20), (-6, 11), (-14, 3), (-11, 2)),
    ),
    DRAGON_PUNCH: Pose(  # a leap, one fist straight up
        head=(2, 47),
        trunk=((2, 38), (1, 27)),
        far_arm=((4, 38), (9.5, 43), (9, 52.5)),
        near_arm=((0, 38), (-4, 31), (2, 29)),
        far_leg=((2, 26), (10, 28), (8, 18), (11, 17)),
        near_leg=((0, 25), (-1, 15), (-7, 8), (-6, 5)),
    ),
}
FALLEN = Pose(
    head=(-19, 4.6),
    trunk=((-11, 4.2), (0, 4.2)),
    far_arm=((-10, 5), (-6, 10), (0, 9)),
    near_arm=((-11, 4), (-13, 11), (-19, 13)),
    far_leg=((1, 4.5), (9, 11), (15, 2.3), (17, 3.5)),
    near_leg=((1, 4), (10, 3.5), (19, 2.3), (20, 5)),
)
HEAD, TRUNK, ARM, LEG, HAND = 5.0, 8.5, 4.2, 5.0, 2.9  # units: radius, widths, and radius
GAP, BAND = 0.6, 1.3  # units, around limbs in front of others, and of a headband
FLOOR, STANDS = 87.0, (30.0, 70.0)  # units


def draw(params: Ints, code: int, canvas: Canvas) -> None:
    """Draws the fighters in their last moves, and above each its remaining blocks and its landed hits."""
    s = decode(code)
    rounds = int(params[ROUNDS])
    over, points = terminal(params, code), payoff(params, code)
    title = f"round {min(s.round + 1, rounds)} of {rounds}"
    if over:
        title = f"player {int(points < 0)} wins" if points else "a draw"
    canvas.text(50, 6, title, 5)
    lead = s.lead - rounds
    notes = [f"player {int(lead < 0)} leads by {abs(lead)}"] if lead and not over else []
    if params[MAX_TURNS] and not over:
        notes.append(f"{counted(int(params[MAX_TURNS]) - s.turn, 'turn')} left")
    if notes:
        canvas.text(50, 26, ", ".join(notes), 3.6, MUTED)
    canvas.rectangle(3, 30, 94, 60, PANEL, 3)
    canvas.rectangle(3, FLOOR, 94, WEIGHT, LINE)
    players = ((0, s.blocks0, s.hits0, s.last0), (1, s.blocks1, s.hits1, s.last1))
    for player, blocks, hits, last in players:
        _draw_meters(canvas, player, blocks, int(params[BLOCKS]), hits, int(params[ATTACKS_TO_WIN]))
        fallen = over and rounds == 1 and points * (-1, 1)[player] > 0
        pose = FALLEN if fallen else POSES[last - 1] if last else GUARD
        draw_fighter(canvas, pose, STANDS[player], (1, -1)[player], player)
        canvas.text(STANDS[player], 94.5, ACTIONS[last - 1] if last else "no move yet", 4.6, PLAYER_COLOURS[player])
    for player, _, hits, last in players:
        if hits and last == 1 + ATTACK:
            _draw_impact(canvas, STANDS[player], (1, -1)[player])


def _draw_meters(canvas: Canvas, player: int, blocks: int, most_blocks: int, hits: int, most_hits: int) -> None:
    """Draws the plate with a player's name, and rows of remaining blocks and of hits landed in succession."""
    edge, width = (3.0, 36.0) if player == 0 else (97.0, -36.0)
    align: Align = "start" if player == 0 else "end"
    canvas.text(edge, 6, f"player {player}", 5, PLAYER_COLOURS[player], align)
    for y, name, count, most in ((13, "blocks", blocks, most_blocks), (19, "hits", hits, most_hits)):
        canvas.text(edge, y, f"{name} {count}", 3.6, INK, align)
        meter(canvas, edge + 0.52 * width, y, 0.48 * width, count, most, player, 3.6, rounded=name == "hits")


def _draw_impact(canvas: Canvas, x: float, facing: int) -> None:
    """Draws the impact of a kick that has landed."""
    dx, height = POSES[ATTACK].far_leg[-1]
    for radius, colour in ((6.2, EDGE), (5.0, HIGHLIGHT)):
        burst(canvas, x + facing * (dx + 4.5), FLOOR - height, radius, colour)


def draw_fighter(canvas: Canvas, pose: Pose, x: float, facing: int, player: int) -> None:
    """Draws a fighter at ``x`` that faces right, 1, or left, -1."""

    def at(point: Point) -> Point:
        return x + facing * point[0], FLOOR - point[1]

    def limb(points: tuple[Point, ...], width: float, end: float) -> None:
        places = [at(point) for point in points]
        for extra, colour in ((2 * GAP, PANEL), (0.0, PLAYER_COLOURS[player])):
            canvas.stroke(places, width + extra, colour)
            if end:
                canvas.circle(*places[-1], end + extra / 2, colour)

    limb(pose.far_arm, ARM, HAND)
    limb(pose.far_leg, LEG, 0)
    limb(pose.near_leg, LEG, 0)
    limb(pose.trunk, TRUNK, 0)
    canvas.circle(*at(pose.head), HEAD + GAP, PANEL)
    canvas.circle(*at(pose.head), HEAD, PLAYER_COLOURS[player])
    limb(pose.near_arm, ARM, HAND)
    _draw_headband(canvas, *at(pose.head), facing, lying=pose is FALLEN)


def _draw_headband(canvas: Canvas, x: float, y: float, facing: int, lying: bool) -> None:
    """Draws the band around a head, with its ends behind it."""
    if lying:
        canvas.stroke([(x - facing * 1.5, y - 4), (x - facing * 1.5, y + 4)], BAND, ON_PLAYER)
        return
    canvas.stroke([(x - facing * 4, y - 1.6), (x + facing * 4, y - 1.6)], BAND, ON_PLAYER)
    for drop in (0.6, -1.6):
        canvas.stroke(
            [(x - facing * 5.6, y - 1.6), (x - facing * 9, y - 1.6 + drop)], BAND, PLAYER_COLOURS[int(facing < 0)]
        )
