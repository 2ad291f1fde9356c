"""Footsies for people, as text and as a drawing."""

from typing import NamedTuple

from nashzoo.envs.base.words import counted, what_beats_what
from nashzoo.envs.drawing.canvas import Align, Canvas, Point
from nashzoo.envs.drawing.palette import EDGE, HIGHLIGHT, INK, LINE, MUTED, ON_PLAYER, PANEL, PLAYER_COLOURS, WEIGHT
from nashzoo.envs.drawing.shapes import burst, meter
from nashzoo.envs.games.footsies.rules import (
    ACTIONS,
    ATTACK,
    BLOCK,
    DRAGON_PUNCH,
    GRAB,
    LIMITS,
    Params,
    State,
    Tables,
    payoff,
    start,
    step,
    terminal,
)

WORDS = {field: ("none", *ACTIONS) for field in ("last0", "last1")}
FIELDS = dict.fromkeys(("last0", "last1", "turn", "round", "lead"), "")  # a position is blocks and hits
MOST_HITS = LIMITS["attacks_to_win"][1]
SUFFERED = {  # effect of each move on the other player
    ATTACK: "got hit",
    BLOCK: "got caught",
    GRAB: "got thrown",
    DRAGON_PUNCH: "got knocked down",
}


def text(params: Params, state: State) -> str:
    """Returns a line for the match, if it has several rounds or turns, and one for each player."""
    lead = state.lead - params.rounds
    match = [f"round {min(state.round + 1, params.rounds)} of {params.rounds}"] * (params.rounds > 1)
    match += [f"in the lead: player {int(lead < 0)} by {abs(lead)}"] * (lead != 0)
    match += [f"turn {state.turn + 1} of {params.max_turns}"] * (params.max_turns > 0 and not terminal(params, state))
    lines = [", ".join(match)] * bool(match)
    for player, blocks, hits, last in fighters(state):
        landed = f", hits landed in succession {hits}" * (hits > 0)
        lines.append(f"player {player}: blocks {blocks}{landed}" + f", last move {ACTIONS[last - 1]}" * (last > 0))
    return "\n".join(lines)


def fighters(state: State) -> tuple[tuple[int, int, int, int], ...]:
    """Returns for each player its number, remaining blocks, landed hits and last move."""
    return (0, state.blocks0, state.hits0, state.last0), (1, state.blocks1, state.hits1, state.last1)


def event(params: Params, tables: Tables, state: State, action0: int, action1: int, after: State) -> str:
    """Describes which move beat which, its effect, and the result of the round if that ended it."""
    stood = _before_the_reset(params, tables, state, action0, action1)
    actions = action0, action1
    names = tuple(ACTIONS[action] for action in actions)
    if action0 == action1:
        effect = f"{names[0]} meets {names[1]}: nothing happened"
    elif stood.round > state.round:
        winner = int(after.lead < state.lead)
        effect = f"{names[winner]} beats {names[1 - winner]}: player {1 - winner} {SUFFERED[actions[winner]]}"
    elif stood.hits0 or stood.hits1:
        winner = int(stood.hits1 > 0)
        without = " without a block left" if actions[1 - winner] == BLOCK else ""
        effect = f"{names[winner]} hits {names[1 - winner]}{without}: player {1 - winner} {SUFFERED[ATTACK]}"
        effect += f", {stood.hits1 if winner else stood.hits0} of {params.attacks_to_win} in succession"
    else:  # an Attack that is blocked, as everything else lands
        blocker = int(action1 == BLOCK)
        before, left = ((state.blocks0, stood.blocks0), (state.blocks1, stood.blocks1))[blocker]
        effect = "Block stops Attack: "
        effect += f"player {blocker} used up a block, {left} left" if left < before else "no block was used up"
    return effect if after.round == state.round else f"{effect}; {_ending(params, state, stood, after)}"


def shown(params: Params, tables: Tables, state: State, after: State) -> State:
    """Returns the state in which the match ended, before the reset; otherwise the next state."""
    if not terminal(params, after):
        return after
    stood = _before_the_reset(params, tables, state, after.last0 - 1, after.last1 - 1)
    if stood.round > state.round:  # a turn that wins at once uses up no block
        stood = stood._replace(blocks0=state.blocks0, blocks1=state.blocks1)
    return stood._replace(turn=state.turn + (params.max_turns > 0), round=after.round, lead=after.lead)


def _before_the_reset(params: Params, tables: Tables, state: State, action0: int, action1: int) -> State:
    """Returns the state after a turn before the reset at the end of a round, unless the turn wins at once."""
    unlimited = params._replace(attacks_to_win=MOST_HITS + 1, max_turns=0)
    return step(unlimited, tables, state, action0, action1)


def _ending(params: Params, state: State, stood: State, after: State) -> str:
    """Describes the end of a round, and of the match if it was the last."""
    winner = None if after.lead == state.lead else int(after.lead < state.lead)
    parts = []
    if params.rounds > 1:
        ended = f"round {after.round} of {params.rounds}"
        blocks = state if stood.round > state.round else stood  # a turn that wins at once uses up no block
        held = f"player 0 had {blocks.blocks0} and player 1 had {blocks.blocks1} blocks left"
        parts = [f"{ended} was a draw" if winner is None else f"player {winner} won {ended}", held]
    if winner is None:
        parts.insert(0, "no turns were left")
    if terminal(params, after):
        points = payoff(params, after)
        parts.append(f"player {int(points < 0)} won the game" if points else "the game was a draw")
    return "; ".join(parts)


def introduction(params: Params, tables: Tables, player: int) -> str:
    """Returns how to win, the use of blocks, and which move beats which."""
    rounds, hits = params.rounds, params.attacks_to_win
    often = "every time" if tables.free_block else f"{counted(params.blocks, 'time')} a round"
    landed = "1 hit wins" if hits == 1 else f"{hits} hits in succession win"
    several, goal = (f"; whoever wins more of {rounds} rounds wins", " a round") if rounds > 1 else ("", "")
    return (
        f"You are player {player}. Both choose a move at the same time{several}. {landed}{goal}. "
        "At once Grab beats Block, Block beats Dragon Punch, and Dragon Punch beats Attack and Grab. "
        f"An Attack hits a player who plays Grab; Block stops it, {often}."
    )


def in_short(params: Params, tables: Tables) -> list[str]:
    """Returns which move beats which, and what a hit, a block and a win are worth."""
    first, hits, rounds = start(params), params.attacks_to_win, params.rounds

    def beats(one: int, other: int) -> bool:
        return step(params, tables, first, one, other).lead > first.lead

    limited = f"{counted(params.blocks, 'time')} a round; then [Attack] hits [Block]"
    several = f" the round. Who wins more of {rounds} rounds gets 1 point." if rounds > 1 else ": 1 point."
    return [
        *what_beats_what(ACTIONS, beats),
        *[f"[Attack] hits [Grab]; {hits} hits in succession win"] * (hits > 1),
        f"[Block] stops [Attack], {'always' if tables.free_block else limited}",
        f"Whoever beats the other wins{several}",
    ]


def rules_text(params: Params, tables: Tables) -> str:
    """Returns all rules, with names in braces."""
    often = params.attacks_to_win
    several = f"; {often} in succession win the {{round}}, and a choice that is not a {{hit}} starts the count again"
    used_up = (
        f"it uses up one of the player's {params.blocks} {{block}}s; without any, the {{Attack}} {{land}}s as well"
    )
    stops = "the {block}s left are counted, but do not matter" if tables.free_block else used_up
    limit = f" A {{round}} of {counted(params.max_turns, '{turn}')} is a draw." if params.max_turns else ""
    rounds = f"There are {params.rounds} {{round}}s, each with new counts. Who has won more is in the {{lead}}."
    one = "There is one {round}; who wins it is in the {lead}."
    return f"""{{Footsies}}, a {{fight}}. Both players choose at the same time, and then see both {{last}} choices.
- {{Attack}} {{land}}s on {{Grab}}. That is a {{hit}}{several if often > 1 else ", and wins the {round}"}.
- {{Block}} stops {{Attack}}; {stops}.
- {{Grab}} wins the {{round}} at once against {{Block}}.
- {{Block}} wins it against {{Dragon Punch}}, and uses up nothing.
- {{Dragon Punch}} wins it against {{Attack}} and {{Grab}}.
- Equal choices do nothing.
{rounds if params.rounds > 1 else one}{limit}
The player in the {{lead}} at the end gets 1 point from the other. A draw brings 0. Nothing is hidden."""


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


def draw(params: Params, state: State, canvas: Canvas) -> None:
    """Draws the fighters in their last moves, and above each its remaining blocks and its landed hits."""
    rounds = params.rounds
    over, points = terminal(params, state), payoff(params, state)
    title = f"round {min(state.round + 1, rounds)} of {rounds}" if rounds > 1 else ""
    if over:
        title = f"player {int(points < 0)} wins" if points else "a draw"
    if title:
        canvas.text(50, 6, title, 5)
    lead = state.lead - rounds
    notes = [f"player {int(lead < 0)} leads by {abs(lead)}"] if lead and not over else []
    if params.max_turns and not over:
        notes.append(f"{counted(params.max_turns - state.turn, 'turn')} left")
    if notes:
        canvas.text(50, 26, ", ".join(notes), 3.6, MUTED)
    canvas.rectangle(3, 30, 94, 60, PANEL, 3)
    canvas.rectangle(3, FLOOR, 94, WEIGHT, LINE)
    for player, blocks, hits, last in fighters(state):
        _draw_meters(canvas, player, blocks, params.blocks, hits, params.attacks_to_win)
        fallen = over and rounds == 1 and points * (-1, 1)[player] > 0
        pose = FALLEN if fallen else POSES[last - 1] if last else GUARD
        draw_fighter(canvas, pose, STANDS[player], (1, -1)[player], player)
        canvas.text(STANDS[player], 94.5, ACTIONS[last - 1] if last else "no move yet", 4.6, PLAYER_COLOURS[player])
    for player, _, hits, last in fighters(state):
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


def draw_action(player: int, action: int, canvas: Canvas) -> None:
    """Draws the player in the move."""
    draw_fighter(canvas, POSES[action], 50, (1.75, -1.75)[player], player, 99)


def draw_fighter(canvas: Canvas, pose: Pose, x: float, facing: float, player: int, floor: float = FLOOR) -> None:
    """Draws a fighter at ``x`` that faces right, 1, or left, -1, or larger by that factor."""
    size = abs(facing)

    def at(point: Point) -> Point:
        return x + facing * point[0], floor - size * point[1]

    def limb(points: tuple[Point, ...], width: float, end: float) -> None:
        places = [at(point) for point in points]
        for extra, colour in ((2 * GAP, PANEL), (0.0, PLAYER_COLOURS[player])):
            canvas.stroke(places, size * (width + extra), colour)
            if end:
                canvas.circle(*places[-1], size * (end + extra / 2), colour)

    limb(pose.far_arm, ARM, HAND)
    limb(pose.far_leg, LEG, 0)
    limb(pose.near_leg, LEG, 0)
    limb(pose.trunk, TRUNK, 0)
    canvas.circle(*at(pose.head), size * (HEAD + GAP), PANEL)
    canvas.circle(*at(pose.head), size * HEAD, PLAYER_COLOURS[player])
    limb(pose.near_arm, ARM, HAND)
    _draw_headband(canvas, *at(pose.head), facing, lying=pose is FALLEN)


def _draw_headband(canvas: Canvas, x: float, y: float, facing: float, lying: bool) -> None:
    """Draws the band around a head, with its ends behind it."""
    size = abs(facing)
    if lying:
        canvas.stroke([(x - facing * 1.5, y - 4), (x - facing * 1.5, y + 4)], BAND, ON_PLAYER)
        return
    canvas.stroke([(x - facing * 4, y - size * 1.6), (x + facing * 4, y - size * 1.6)], size * BAND, ON_PLAYER)
    for drop in (0.6, -1.6):
        ends = [(x - facing * 5.6, y - size * 1.6), (x - facing * 9, y + size * (drop - 1.6))]
        canvas.stroke(ends, size * BAND, PLAYER_COLOURS[int(facing < 0)])
