"""Bodega Brawl: strikes and counters at head, body and legs, with cards that both players see.

Both players play a card at the same time: an attack on a region or a counter that guards one. An attack that is not
stopped is a strike against the other player, an attack into a counter one against the attacker. See
``docs/bodega_brawl.md``; :mod:`nashzoo.envs.games.bodega_brawl.codes` has the codes and the index of states.
"""

import itertools
from typing import NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_one_of, check_whole
from nashzoo.envs.games.bodega_brawl import codes
from nashzoo.envs.games.bodega_brawl.codes import State, Tables
from nashzoo.envs.jit.compiled import Ints
from nashzoo.envs.rules.observation import flag, one_hot, scaled

NAME = "bodega_brawl_v0"
REGIONS = ("Head", "Body", "Legs")
KINDS = ("Attack", "Dual Attack", "Counter")  # the use of an attack-only card; the two uses of a dual card
ACTIONS = tuple(f"{region} {kind}" for region in REGIONS for kind in KINDS)  # action 3 * region + kind
ATTACK, DUAL_ATTACK, COUNTER = range(3)
NUM_ACTIONS = len(ACTIONS)


class Preset(NamedTuple):
    """Limits and cards, in the order head, body, legs."""

    limits: tuple[int, int, int]
    total_limit: int
    attacks: tuple[int, int, int]
    duals: tuple[int, int, int]


PRESETS = {
    "large": Preset((2, 3, 4), 5, (1, 1, 1), (3, 4, 4)),
    "medium": Preset((2, 3, 3), 4, (1, 1, 1), (2, 2, 2)),
    "small": Preset((2, 2, 2), 3, (0, 0, 0), (2, 2, 2)),
    "tiny": Preset((1, 2, 2), 2, (0, 0, 0), (1, 2, 0)),
    "huge": Preset((2, 3, 4), 5, (2, 2, 2), (3, 4, 4)),
    "giant": Preset((2, 3, 4), 5, (2, 2, 2), (5, 5, 5)),
}
DOUBLE_KO = ("draw", "sudden_death")

LIMITS = {
    **{f"{region.lower()}_limit": (1, codes.MOST_STRIKES) for region in REGIONS},
    "total_limit": (1, 3 * codes.MOST_STRIKES),
    **{f"{region.lower()}_attack": (0, codes.MOST_ATTACKS) for region in REGIONS},
    **{f"{region.lower()}_dual": (0, codes.MOST_DUALS) for region in REGIONS},
}


class Params(NamedTuple):
    """The parameters of a game. Those that are None are the preset's.

    Attributes:
        preset: The size of the game: ``"giant"``, ``"huge"``, ``"large"`` as published, ``"medium"``, ``"small"`` or
            ``"tiny"``.
        head_limit: Strikes to the head that knock out.
        body_limit: To the body.
        legs_limit: To the legs.
        total_limit: Strikes in all that knock out.
        head_attack: Attack-only cards for the head in each player's deck.
        body_attack: For the body.
        legs_attack: For the legs.
        head_dual: Cards that attack or counter at the head in each player's deck.
        body_dual: At the body.
        legs_dual: At the legs.
        double_ko: If both are knocked out at once: ``"draw"``, or ``"sudden_death"`` (play on until just one lands a
            strike) with the remaining cards.
    """

    preset: str = "large"
    head_limit: int | None = None
    body_limit: int | None = None
    legs_limit: int | None = None
    total_limit: int | None = None
    head_attack: int | None = None
    body_attack: int | None = None
    legs_attack: int | None = None
    head_dual: int | None = None
    body_dual: int | None = None
    legs_dual: int | None = None
    double_ko: str = "draw"


def limits_and_cards(params: Params) -> list[int]:
    """Returns limits and cards, in the order of ``LIMITS``."""
    preset = PRESETS[params.preset]
    defaults = (*preset.limits, preset.total_limit, *preset.attacks, *preset.duals)
    chosen = (getattr(params, name) for name in LIMITS)
    return [default if value is None else value for value, default in zip(chosen, defaults, strict=True)]


def check_params(params: Params) -> None:
    """Raises a UsageError for a value out of its range, or empty decks."""
    check_one_of("double_ko", params.double_ko, DOUBLE_KO)
    check_one_of("preset", params.preset, PRESETS)
    for (name, (low, high)), value in zip(LIMITS.items(), limits_and_cards(params), strict=True):
        check_whole(name, value, low, high)
    if not any(limits_and_cards(params)[4:]):
        raise UsageError("each deck must have at least one card")


def tables(params: Params) -> Tables:
    """Computes what follows from the parameters."""
    numbers = limits_and_cards(params)
    return codes.tables_of(numbers[:3], numbers[3], numbers[4:7], numbers[7:], params.double_ko == "sudden_death")


def field_maxima(tables: Tables) -> State:
    """Returns the largest value of each field."""
    limits = tables.limits.tolist()
    hand = [count for cards in zip(tables.attacks.tolist(), tables.duals.tolist(), strict=True) for count in cards]
    return State._make([*limits, *limits, *hand, *hand, int(tables.plays_on), codes.DRAWN])


def check(tables: Tables, state: State) -> None:
    """Raises a ValueError if the fields of a state contradict each other."""
    cards0, cards1 = sum(state[6:12]), sum(state[12:18])
    if cards0 != cards1:
        raise ValueError(f"both players must hold equally many cards, not {cards0} and {cards1}")
    if state.sudden_death and any(state[:6]):
        raise ValueError("strikes must be 0 in sudden death")
    limits = [*tables.limits.tolist(), tables.total_limit]
    beaten0, beaten1 = (
        any(count >= limit for count, limit in zip((*strikes, sum(strikes)), limits, strict=True))
        for strikes in (state[0:3], state[3:6])
    )
    if beaten0 and beaten1 and tables.plays_on:
        raise ValueError("sudden_death must be 1 and strikes 0 where both are knocked out")
    outcome = beaten1 * codes.WON0 + beaten0 * codes.WON1 or (codes.DRAWN if cards0 == 0 else codes.PLAYING)
    if state.outcome != outcome and not (state.sudden_death and state.outcome in (codes.WON0, codes.WON1)):
        raise ValueError(f"outcome must be {outcome} with these strikes and cards, not {state.outcome}")


def start(tables: Tables) -> State:
    """Every game starts with full decks and no strikes."""
    hand = field_maxima(tables)[6:18]
    return State(0, 0, 0, 0, 0, 0, *hand, 0, codes.PLAYING)


def legal(code: int, player: int) -> int:
    """A player may play the cards in hand, a dual card in two ways."""
    hand = code >> (codes.HAND1 if player else codes.HAND0)
    head = (hand >> 9 & 3 != 0) * 1 + (hand & 7 != 0) * 6
    body = (hand >> 11 & 3 != 0) * 1 + (hand >> 3 & 7 != 0) * 6
    legs = (hand >> 13 & 3 != 0) * 1 + (hand >> 6 & 7 != 0) * 6
    return head | body << 3 | legs << 6


def strike(action: int, reply: int) -> bool:
    """Returns whether ``action`` lands a strike, in the region of its card, on the player of ``reply``."""
    region, kind = divmod(action, 3)
    other_region, other_kind = divmod(reply, 3)
    if kind == COUNTER:
        return region == other_region and other_kind != COUNTER
    return region != other_region  # an attack into a counter or against an attack on the same region has no effect


def _changes() -> Ints:
    """Returns the number that each joint action adds to a code ``[81]``: strikes that land, and discarded cards."""
    changes = np.zeros(NUM_ACTIONS * NUM_ACTIONS, np.int64)
    cards = [(codes.ATTACK_ONLY if action % 3 == ATTACK else codes.DUAL)[action // 3] for action in range(NUM_ACTIONS)]
    for action0, action1 in itertools.product(range(NUM_ACTIONS), repeat=2):
        change = -(cards[action0] << codes.HAND0) - (cards[action1] << codes.HAND1)
        if strike(action0, action1):
            change += codes.STRIKE[action0 // 3] << codes.STRIKES1
        if strike(action1, action0):
            change += codes.STRIKE[action1 // 3]
        changes[NUM_ACTIONS * action0 + action1] = change
    return changes


CHANGES = _changes()


def step(tables: Tables, code: int, action0: int, action1: int) -> int:
    """Plays one turn."""
    code += CHANGES[NUM_ACTIONS * action0 + action1]
    strikes0, strikes1 = code & codes.STRIKES_MASK, code >> codes.STRIKES1 & codes.STRIKES_MASK
    if code >> codes.SUDDEN_DEATH & 1:
        code &= codes.WITHOUT_STRIKES
        beaten0, beaten1 = strikes0 != 0, strikes1 != 0
        drawn = False
    else:
        beaten0, beaten1 = tables.strike_ranks[strikes0] < 0, tables.strike_ranks[strikes1] < 0
        drawn = beaten0 & beaten1 & (not tables.plays_on)
        if beaten0 & beaten1 & tables.plays_on:
            code = code & codes.WITHOUT_STRIKES | 1 << codes.SUDDEN_DEATH
    if beaten0 != beaten1:
        return code | (codes.WON0 if beaten1 else codes.WON1) << codes.OUTCOME
    if drawn or code >> codes.HAND0 & codes.HAND_MASK == 0:
        return code | codes.DRAWN << codes.OUTCOME
    return code


def terminal(code: int) -> bool:
    """The game ends with a knock-out or with the last card."""
    return code >> codes.OUTCOME != codes.PLAYING


def payoff(code: int) -> float:
    """A point to the winner."""
    outcome = code >> codes.OUTCOME
    if outcome == codes.WON0:
        return 1.0
    return -1.0 if outcome == codes.WON1 else 0.0


# What else is written with codes.
BITS, swap_players = codes.BITS, codes.swap_players
index, code_at, layer_sizes, num_states = codes.index, codes.code_at, codes.layer_sizes, codes.num_states

OBSERVATION = (
    *(
        scaled(f"{whose} {region} {kind} cards / {region}_{kind}", f"{region}_{kind}{player}")
        for player, whose in enumerate(("own", "other's"))
        for region in map(str.lower, REGIONS)
        for kind in ("attack", "dual")
    ),
    *(
        scaled(f"strikes on {whose} {region} / {region}_limit", f"{region}{player}")
        for player, whose in enumerate(("own", "other's"))
        for region in map(str.lower, REGIONS)
    ),
    flag("sudden death", "sudden_death"),
    one_hot("the game is {}", "outcome", ("won", "lost", "drawn"), first=codes.WON0),
)
