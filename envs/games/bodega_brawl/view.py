"""Bodega Brawl for people, as text and as a drawing."""

from collections.abc import Iterable, Sequence
from operator import ge

from nashzoo.envs.base.words import counted
from nashzoo.envs.drawing.canvas import Align, Canvas, Point
from nashzoo.envs.drawing.palette import EDGE, GROUND, HIGHLIGHT, INK, MUTED, ON_PLAYER, PANEL, PLAYER_COLOURS, WEIGHT
from nashzoo.envs.drawing.shapes import burst, framed, meter
from nashzoo.envs.games.bodega_brawl.codes import DRAWN, PLAYING, WON0, WON1, State, Tables, sides
from nashzoo.envs.games.bodega_brawl.rules import ACTIONS, ATTACK, COUNTER, DUAL_ATTACK, KINDS, REGIONS, strike

# The outcomes as text.
NAMES = {
    "": "strikes on player {}'s {}",
    "_attack": "player {}'s {} attack cards",
    "_dual": "player {}'s {} dual cards",
}
FIELDS = {
    f"{region.lower()}{kind}{player}": name.format(player, region.lower())
    for kind, name in NAMES.items()
    for region in REGIONS
    for player in (0, 1)
}
ENDINGS = {PLAYING: "", WON0: "won by player 0", WON1: "won by player 1", DRAWN: "a draw"}


def text(tables: Tables, state: State) -> str:
    """Returns a line on the outcome or sudden death, if any, and for each player its strikes and cards."""
    lines = [*(["sudden death"] if state.sudden_death else []), *([ENDINGS[state.outcome]] if state.outcome else [])]
    for player, (strikes, attacks, duals) in enumerate(sides(state)):
        suffered = [f"{count}/{limit}" for count, limit in zip(strikes, tables.limits, strict=True)]
        lines.append(f"player {player}")
        lines.append(_line("strikes", suffered) + f"in all {sum(strikes)}/{tables.total_limit}")
        for title, held, deck in (("attacks", attacks, tables.attacks), ("duals", duals, tables.duals)):
            lines += [_line(title, held) + f"in all {sum(held)}"] * bool(deck.any())
    return "\n".join(lines)


def event(tables: Tables, state: State, action0: int, action1: int, after: State) -> str:
    """Describes which card beat which, the strikes and their regions, and the end of the game."""
    cards, landed = (action0, action1), (strike(action0, action1), strike(action1, action0))
    names = [ACTIONS[card] for card in cards]
    if landed[0] != landed[1]:
        effect = f"{names[landed[1]]} beats {names[landed[0]]}"
    else:
        stopped = "do nothing" if action0 % len(KINDS) == COUNTER else "stop each other"  # two counters; two attacks
        effect = f"{names[0]} and {names[1]} {'both strike' if landed[0] else stopped}"
    struck = [_struck(tables, state, after, player, cards[1 - player]) for player in (0, 1) if landed[1 - player]]
    ending = _ending(tables, state, after)
    return f"{effect}: {' and '.join(struck) or 'nobody took a strike'}" + (f"; {ending}" if ending else "")


def _struck(tables: Tables, s: State, then: State, player: int, card: int) -> str:
    """Describes the region of a strike on a player, and its strikes there; in sudden death none count."""
    region = card // len(KINDS)
    effect = f"player {player} took a strike to the {REGIONS[region].lower()}"
    if s.sudden_death or then.sudden_death:
        return effect
    strikes, limit = sides(then)[player][0], tables.limits[region]
    return f"{effect} ({strikes[region]}/{limit}, in all {sum(strikes)}/{tables.total_limit})"


def _ending(tables: Tables, s: State, then: State) -> str:
    """Describes the end of the game, or the start of sudden death; empty otherwise."""
    if then.outcome in (WON0, WON1):
        return f"player {int(then.outcome == WON1)} won" + " by knockout" * (not s.sudden_death)
    if then.sudden_death > s.sudden_death:
        return f"both were knocked out, and {'no cards were left: a draw' if then.outcome else 'sudden death began'}"
    strikes = sides(then)[0][0]  # in a draw both are out or neither
    out = sum(strikes) >= tables.total_limit or any(map(ge, strikes, tables.limits))
    return f"{'both were knocked out' if out else 'no cards were left'}: a draw" if then.outcome else ""


def introduction(tables: Tables, player: int) -> str:
    """Returns the effects of the cards, and the limits of strikes."""
    return (
        f"You are player {player}. Both play a card at the same time, which is then gone; hands are open. An attack "
        "strikes the other there; an attack on the same region cancels it, a counter there strikes back. Attack cards "
        f"only attack, dual cards attack or counter. Knocked out by these strikes: {_limits(tables)}."
    )


def _limits(tables: Tables) -> str:
    limits = (f"{limit} {region.lower()}" for limit, region in zip(tables.limits, REGIONS, strict=True))
    return f"{', '.join(limits)}, or {tables.total_limit} in all"


def in_short(tables: Tables) -> list[str]:
    """Returns who strikes with cards for the same place and for two places, and how many strikes end the game."""
    attacks, duals = tables.attacks.tolist(), tables.duals.tolist()
    both = any(map(min, attacks, duals))  # kinds of card for one place
    attack = ATTACK if both or not any(duals) else DUAL_ATTACK
    held = [
        len(KINDS) * region + kind
        for region in range(len(REGIONS))
        for kind in (attack, COUNTER)
        if (attacks if kind == ATTACK else duals)[region]
    ]
    firsts = [card for card in held if card % len(KINDS) == attack]
    first = next((card for card in firsts if card - attack + COUNTER in held), firsts[0])  # with a counter, if any has

    def told(card: int) -> str:
        one, other = f"[{ACTIONS[first]}]", f"[{ACTIONS[card]}]"
        strikes, is_struck = strike(first, card), strike(card, first)
        if strikes == is_struck:
            return f"{one} and {other}: {'both strike' if strikes else 'nobody strikes'}"
        return f"{one} beats {other}" if strikes else f"{other} beats {one}"

    same = [card for card in held if card // len(KINDS) == first // len(KINDS)]
    elsewhere = [card for card in held if card not in same]
    different = [card for card in elsewhere if card // len(KINDS) == elsewhere[0] // len(KINDS)]
    dual, counter = (f"[{ACTIONS[first - attack + kind]}]" for kind in (DUAL_ATTACK, COUNTER))
    like = f"{dual} strikes like [{ACTIONS[first]}]. Its card can be {counter} instead."
    two = f"A card can be {dual} or {counter}." if attack == DUAL_ATTACK else like
    law = "A counter stops an attack on the same place and strikes back. Any other attack beats it."
    lines = [*map(told, (*same, *different))]
    return [
        *([f"{law} Two counters do nothing.", *lines, two] if any(duals) else lines),
        f"Knocked out by strikes: {_limits(tables)}.",
        "Every card can be played once.",
    ]


def rules_text(tables: Tables) -> str:
    """Returns all rules, with names in braces."""
    places = [f"{{{region.lower()}}}" for region in REGIONS]
    limits = ", ".join(f"{limit} on the {place}" for limit, place in zip(tables.limits, places, strict=True))
    decks = zip(places, tables.attacks, tables.duals, strict=True)
    hand = ", ".join(f"{attacks} and {duals} for the {place}" for place, attacks, duals in decks)
    goes_on = "{sudden death} begins: no {strike} counts but the first on just one player, which decides"
    both = goes_on if tables.plays_on else "it is a draw"
    return f"""{{Bodega}} {{Brawl}}. Both players play a {{card}} at the same time, which is then gone. All \
{{card}}s are open. At first each has these {{attack}} and {{dual}} {{card}}s: {hand}. An action is a place and a \
use:
- {{Attack}}: one {{attack}} {{card}}, a {{strike}} on the other at this place.
- {{Dual Attack}}: one {{dual}} {{card}}, with the same effect.
- {{Counter}}: one {{dual}} {{card}}. It turns the other's {{attack}} at this place into a {{strike}} on the other, \
and does nothing else: two {{counter}}s do nothing.
Two {{attack}}s at the same place stop each other; at different places both are {{strike}}s.
A player with these {{strike}}s is out, and the other wins 1 point: {limits}, or {tables.total_limit} in all. If both \
are out at once, {both}. If all {{card}}s are gone, it is a draw, 0."""


def _line(title: str, counts: Iterable[object]) -> str:
    named = zip(REGIONS, counts, strict=True)
    return f"  {title:10}" + "".join(f"{f'{region.lower()} {count}':11}" for region, count in named)


ROW, FIRST_ROW = 23.0, 17.5  # units: the height of a region, and the top of the head's
CARD, CARD_HEIGHT = 4.8, 8.0
FIGURES = (39.5, 60.5)  # units, positions of the fighters

# A fighter's joints, units forward from its middle and down from the top of the canvas.
GAP, FIST = 0.6, 3.0
HEAD = (0.5, 33.2, 5.8)  # and its radius
TRUNK = ((-0.3, 44.5), (-0.6, 58.0))
FAR_ARM = ((1.0, 43.5), (4.4, 51.0), (6.8, 43.0))
NEAR_ARM = ((-2.6, 44.0), (-2.4, 53.0), (4.0, 50.0))
LEGS = (((0.8, 61.0), (3.4, 71.5), (2.6, 82.4), (5.0, 82.4)), ((-1.8, 61.0), (-4.0, 71.5), (-5.4, 82.4), (-3.0, 82.4)))
ICON_TRUNK, ICON_LEGS = ((50, 40), (50, 56)), (((47, 62), (40, 88)), ((53, 62), (60, 88)))
ICON_MARKS = (20, 48, 76)  # units, heights of the marks on a card
MARKS = ((-1.8, 35.6), (-2.6, 58.5), (-4.2, 73.0))  # positions of the marks of strikes


def draw(tables: Tables, state: State, canvas: Canvas) -> None:
    """Draws two fighters, and beside each region its strikes, their limit, and the remaining cards."""
    playing = "sudden death" if state.sudden_death else f"{counted(sum(state[6:12]), 'card')} each"
    title = {WON0: "player 0 wins", WON1: "player 1 wins", DRAWN: "a draw"}.get(state.outcome, playing)
    canvas.text(50, 5.5, title, 4.5)
    limits = tables.limits.tolist()
    for region in range(len(REGIONS)):
        canvas.rectangle(2, FIRST_ROW + ROW * region, 96, ROW - 1, PANEL, 2)
    for player, side in enumerate(sides(state)):
        edge = 2.0 if player == 0 else 98.0
        align: Align = "start" if player == 0 else "end"
        canvas.text(edge, 5.5, f"player {player}", 5, PLAYER_COLOURS[player], align)
        canvas.text(edge, 12.5, f"took {sum(side[0])} of {tables.total_limit} strikes", 3.8, INK, align)
        _draw_figure(canvas, player, side[0], limits)
        for region, (strikes, attacks, duals) in enumerate(zip(*side, strict=True)):
            _draw_region(canvas, player, region, strikes, limits[region], attacks, duals)
    both = tables.attacks.any() and tables.duals.any()
    for dual, cards, use in ((False, tables.attacks, "attack only"), (True, tables.duals, "attack or counter")):
        if cards.any():
            left = (50 if dual else 8) if both else 29
            _draw_card(canvas, left, 88, dual, MUTED)
            canvas.text(left + 7, 92, use, 3.6, MUTED, "start")


def _draw_region(canvas: Canvas, player: int, region: int, strikes: int, limit: int, attacks: int, duals: int) -> None:
    """Draws a region's name, its strikes and its cards."""
    top = FIRST_ROW + ROW * region
    edge, facing = (4.0, 1) if player == 0 else (96.0, -1)
    canvas.text(edge, top + 4.5, REGIONS[region], 3.5, INK, "start" if player == 0 else "end")
    meter(canvas, edge + 11.5 * facing, top + 4.5, 16.5 * facing, strikes, limit, player, 3.2, rounded=True)
    cards = attacks + duals
    step = min(CARD + 0.5, (26.5 - CARD) / max(cards - 1, 1))
    for number in range(cards):
        left = edge + facing * step * number - CARD * (facing < 0)
        _draw_card(canvas, left, top + 10.5, dual=number >= attacks, colour=PLAYER_COLOURS[player])


def _draw_card(canvas: Canvas, left: float, top: float, dual: bool, colour: str) -> None:
    """Draws a card: full for an attack-only card, and split from corner to corner for a dual card."""
    canvas.rectangle(left - 0.3, top - 0.3, CARD + 0.6, CARD_HEIGHT + 0.6, PANEL, 1.2)  # a gap to the card beneath
    framed(canvas, left, top, CARD, CARD_HEIGHT, GROUND if dual else colour, colour, 1)
    if dual:
        inside = WEIGHT / 2
        right, bottom = left + CARD - inside, top + CARD_HEIGHT - inside
        canvas.polygon([(left + inside, top + inside), (right, bottom), (left + inside, bottom)], colour)


def draw_action(player: int, action: int, canvas: Canvas) -> None:
    """Draws the card: on a figure a burst where it strikes, or a ring where it counters."""
    region, kind = divmod(action, len(KINDS))
    colour, dual = PLAYER_COLOURS[player], kind != ATTACK
    framed(canvas, 18, 2, 64, 96, GROUND if dual else colour, colour, 8)
    if dual:
        canvas.polygon([(20, 14), (80, 96), (26, 97), (20, 94)], colour)
    for points, width in (*((leg, 9) for leg in ICON_LEGS), (ICON_TRUNK, 15)):
        canvas.stroke(points, width + 4, PANEL)
        canvas.stroke(points, width, INK)
    canvas.circle(50, 20, 12, PANEL)
    canvas.circle(50, 20, 10, INK)
    y = ICON_MARKS[region]
    if kind == COUNTER:
        for radius, shade in ((17, EDGE), (15, HIGHLIGHT), (10, EDGE), (8, GROUND)):
            canvas.circle(50, y, radius, shade)
    else:
        for radius, shade in ((19, EDGE), (15, HIGHLIGHT)):
            burst(canvas, 50, y, radius, shade)


def _draw_figure(canvas: Canvas, player: int, strikes: Sequence[int], limits: list[int]) -> None:
    """Draws a fighter with head, body and legs in the rows of these regions, and the marks of strikes."""
    x, facing, colour = FIGURES[player], (1, -1)[player], PLAYER_COLOURS[player]

    def limb(points: Sequence[Point], width: float) -> None:
        places = [(x + facing * dx, y) for dx, y in points]
        canvas.stroke(places, width + 2 * GAP, PANEL)
        canvas.stroke(places, width, colour)

    limb(FAR_ARM, 4.0)
    for leg in LEGS:
        limb(leg, 4.9)
    limb(TRUNK, 8.6)
    canvas.circle(x + facing * HEAD[0], HEAD[1], HEAD[2] + GAP, PANEL)
    canvas.circle(x + facing * HEAD[0], HEAD[1], HEAD[2], colour)
    band = [(x + facing * (HEAD[0] + dx), HEAD[1] - 1.9) for dx in (-4.6, 4.6)]
    canvas.stroke(band, 1.3, ON_PLAYER)
    limb(NEAR_ARM, 4.0)
    for points in (FAR_ARM, NEAR_ARM):
        dx, y = points[-1]
        canvas.circle(x + facing * dx, y, FIST + GAP, PANEL)
        canvas.circle(x + facing * dx, y, FIST, colour)
    for region, (dx, y) in enumerate(MARKS):
        if strikes[region]:
            knocked_out = strikes[region] >= limits[region]
            for radius, shade in ((4.6, EDGE), (3.6, HIGHLIGHT)) if knocked_out else ((2.9, EDGE), (2.1, HIGHLIGHT)):
                burst(canvas, x + facing * dx, y, radius, shade)
