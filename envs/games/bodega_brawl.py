"""Bodega Brawl: a fight with two open hands of cards for head, body and legs.

Both players play a card at the same time: an attack on a region or a counter that guards one. An attack that is not
stopped is a strike against the other player, an attack into a counter one against the attacker. See
``docs/bodega_brawl.md``; :mod:`nashzoo.envs.games.bodega_brawl_codes` has the codes and the index of states.
"""

import itertools
from typing import NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_one_of, check_whole
from nashzoo.envs.core.rules import Floats, Ints, flag, observing, one_hot, parameter, rule, scaled
from nashzoo.envs.games import bodega_brawl_codes as codes
from nashzoo.envs.games.bodega_brawl_codes import State as State

encode, decode, swap_players = codes.encode, codes.decode, codes.swap_players
num_states, layer_sizes, index, code_at = codes.num_states, codes.layer_sizes, codes.index, codes.code_at

NAME = "bodega_brawl_v0"
REGIONS = ("Head", "Body", "Legs")
KINDS = ("Attack", "Dual Attack", "Counter")  # the use of an attack-only card; the two uses of a dual card
ACTIONS = tuple(f"{region} {kind}" for region in REGIONS for kind in KINDS)  # action 3 * region + kind
MASKED = True
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
}
DOUBLE_KO = ("draw", "sudden_death")

RANGES = {
    "head_limit": (1, codes.MOST_STRIKES),
    "body_limit": (1, codes.MOST_STRIKES),
    "legs_limit": (1, codes.MOST_STRIKES),
    "total_limit": (1, 3 * codes.MOST_STRIKES),
    "head_attack": (0, codes.MOST_ATTACKS),
    "body_attack": (0, codes.MOST_ATTACKS),
    "legs_attack": (0, codes.MOST_ATTACKS),
    "head_dual": (0, codes.MOST_DUALS),
    "body_dual": (0, codes.MOST_DUALS),
    "legs_dual": (0, codes.MOST_DUALS),
}


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


def parameters(
    preset: str = "large",
    *,
    head_limit: int | None = None,
    body_limit: int | None = None,
    legs_limit: int | None = None,
    total_limit: int | None = None,
    head_attack: int | None = None,
    body_attack: int | None = None,
    legs_attack: int | None = None,
    head_dual: int | None = None,
    body_dual: int | None = None,
    legs_dual: int | None = None,
    double_ko: str = "draw",
) -> Ints:
    """Checks the parameters of a game.

    Args:
        preset: The size of the game: ``"large"``, which is the published one, ``"medium"``, ``"small"`` or ``"tiny"``.
        head_limit: Strikes to the head that knock out; the preset's when None, and so are all that follow.
        body_limit: Strikes to the body that knock out.
        legs_limit: Strikes to the legs that knock out.
        total_limit: Strikes in all that knock out.
        head_attack: Attack-only cards for the head in each player's deck.
        body_attack: Attack-only cards for the body.
        legs_attack: Attack-only cards for the legs.
        head_dual: Cards that attack or counter at the head in each player's deck.
        body_dual: Cards that attack or counter at the body.
        legs_dual: Cards that attack or counter at the legs.
        double_ko: The result if both are knocked out at once: ``"draw"``, or ``"sudden_death"``, in which the game
            continues with the remaining cards until a turn in which just one player lands a strike.

    Raises:
        UsageError: a value is out of its range, or the decks are empty.
    """
    check_one_of("double_ko", double_ko, DOUBLE_KO)
    limits = (head_limit, body_limit, legs_limit, total_limit)
    chosen = (*limits, head_attack, body_attack, legs_attack, head_dual, body_dual, legs_dual)
    base = PRESETS[check_one_of("preset", preset, PRESETS)]
    defaults = (*base.limits, base.total_limit, *base.attacks, *base.duals)
    numbers = []
    for (name, (low, high)), value, default in zip(RANGES.items(), chosen, defaults, strict=True):
        numbers.append(check_whole(name, default if value is None else value, low, high))
    if not any(numbers[codes.ATTACKS :]):
        raise UsageError("each deck must have at least one card")
    return codes.with_tables(numbers, double_ko == "sudden_death")


def field_maxima(params: Ints) -> State:
    """Returns the largest value of each field."""
    limits, attacks, duals = limits_and_cards(params)
    hand = [count for cards in zip(attacks, duals, strict=True) for count in cards]
    return State._make([*limits, *limits, *hand, *hand, int(params[codes.PLAYS_ON]), codes.DRAWN])


def limits_and_cards(params: Ints) -> tuple[list[int], list[int], list[int]]:
    """Returns limits, attack-only cards and dual cards of each player's deck, each for head, body and legs."""
    return (
        params[codes.LIMITS : codes.TOTAL_LIMIT].tolist(),
        params[codes.ATTACKS : codes.DUALS].tolist(),
        params[codes.DUALS : codes.PLAYS_ON].tolist(),
    )


def check(params: Ints, state: State) -> None:
    """Raises a ValueError if the fields of a state contradict each other."""
    cards0, cards1 = sum(state[6:12]), sum(state[12:18])
    if cards0 != cards1:
        raise UsageError(f"both players must hold equally many cards, not {cards0} and {cards1}")
    if state.sudden_death and any(state[:6]):
        raise UsageError("strikes must be 0 in sudden death")
    code = encode(state)
    beaten0 = params[codes.STRIKE_RANKS + (code & codes.STRIKES_MASK)] < 0
    beaten1 = params[codes.STRIKE_RANKS + (code >> codes.STRIKES1 & codes.STRIKES_MASK)] < 0
    if beaten0 and beaten1 and params[codes.PLAYS_ON]:
        raise UsageError("sudden_death must be 1 and strikes 0 where both are knocked out")
    outcome = beaten1 * codes.WON0 + beaten0 * codes.WON1 or (codes.DRAWN if cards0 == 0 else codes.PLAYING)
    if state.outcome != outcome and not (state.sudden_death and state.outcome in (codes.WON0, codes.WON1)):
        raise UsageError(f"outcome must be {outcome} with these strikes and cards, not {state.outcome}")


def start(params: Ints) -> tuple[Ints, Floats]:
    """Every game starts with full decks and no strikes."""
    full = params[-1]  # the list of hands ends with the hand of all cards
    return np.array([full << codes.HAND0 | full << codes.HAND1], np.int64), np.ones(1)


@rule
def step(params: Ints, code: int, action0: int, action1: int) -> int:
    """Plays one turn."""
    code += CHANGES[NUM_ACTIONS * action0 + action1]
    strikes0, strikes1 = code & codes.STRIKES_MASK, code >> codes.STRIKES1 & codes.STRIKES_MASK
    if code >> codes.SUDDEN_DEATH & 1:
        code &= codes.WITHOUT_STRIKES
        beaten0, beaten1 = strikes0 != 0, strikes1 != 0
        drawn = False
    else:
        beaten0, beaten1 = params[codes.STRIKE_RANKS + strikes0] < 0, params[codes.STRIKE_RANKS + strikes1] < 0
        drawn = beaten0 & beaten1 & (params[codes.PLAYS_ON] == 0)
        if beaten0 & beaten1 & (params[codes.PLAYS_ON] != 0):
            code = code & codes.WITHOUT_STRIKES | 1 << codes.SUDDEN_DEATH
    if beaten0 != beaten1:
        return code | (codes.WON0 if beaten1 else codes.WON1) << codes.OUTCOME
    if drawn or code >> codes.HAND0 & codes.HAND_MASK == 0:
        return code | codes.DRAWN << codes.OUTCOME
    return code


@rule
def legal(params: Ints, code: int, player: int) -> int:
    """A player may play the cards in hand, a dual card in two ways."""
    hand = code >> (codes.HAND1 if player else codes.HAND0)
    head = (hand >> 9 & 3 != 0) * 1 + (hand & 7 != 0) * 6
    body = (hand >> 11 & 3 != 0) * 1 + (hand >> 3 & 7 != 0) * 6
    legs = (hand >> 13 & 3 != 0) * 1 + (hand >> 6 & 7 != 0) * 6
    return head | body << 3 | legs << 6


@rule
def terminal(params: Ints, code: int) -> bool:
    """The game ends with a knock-out or with the last card."""
    return bool(code >> codes.OUTCOME != codes.PLAYING)


@rule
def payoff(params: Ints, code: int) -> float:
    """A point to the winner."""
    outcome = code >> codes.OUTCOME
    if outcome == codes.WON0:
        return 1.0
    return -1.0 if outcome == codes.WON1 else 0.0


OBSERVATION = (
    *(
        scaled(f"{whose} {region} {kind} cards / {region}_{kind}", f"{region}_{kind}{player}", parameter(most + number))
        for player, whose in enumerate(("own", "other's"))
        for number, region in enumerate(map(str.lower, REGIONS))
        for kind, most in (("attack", codes.ATTACKS), ("dual", codes.DUALS))
    ),
    *(
        scaled(f"strikes on {whose} {region} / {region}_limit", f"{region}{player}", parameter(codes.LIMITS + number))
        for player, whose in enumerate(("own", "other's"))
        for number, region in enumerate(map(str.lower, REGIONS))
    ),
    flag("sudden death", "sudden_death"),
    one_hot("the game is {}", "outcome", ("won", "lost", "drawn"), first=codes.WON0),
)
observe, decode_observation, features = observing(OBSERVATION, State, encode, decode, swap_players)
