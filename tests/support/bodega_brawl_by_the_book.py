"""Bodega Brawl by the book: a second implementation of its rules that is slow and obvious."""

import itertools
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

REGIONS = ("head", "body", "legs")
MODES = ("draw", "sudden_death")

# Who takes a strike when you play the first and the other plays the second, as the rules print it.
TABLE = """
you       other     in the same region   in different regions
attack    attack    nobody               both
attack    counter   you                  other
counter   attack    other                you
counter   counter   nobody               nobody
"""

# The published game: cards for head, body and legs, and the strikes that knock out.
LARGE = {
    "limits": {"head": 2, "body": 3, "legs": 4, "all": 5},
    "deck": {("head", "attack"): 1, ("head", "dual"): 3, ("body", "attack"): 1, ("body", "dual"): 4}
    | {("legs", "attack"): 1, ("legs", "dual"): 4},
}
TINY = {
    "limits": {"head": 1, "body": 2, "legs": 2, "all": 2},
    "deck": {("head", "dual"): 1, ("body", "dual"): 2},
}
SMALL = {
    "limits": {"head": 2, "body": 2, "legs": 2, "all": 3},
    "deck": {(region, "dual"): 2 for region in REGIONS},
}
MEDIUM = {
    "limits": {"head": 2, "body": 3, "legs": 3, "all": 4},
    "deck": {(region, kind): count for region in REGIONS for kind, count in (("attack", 1), ("dual", 2))},
}
HUGE = LARGE | {"deck": LARGE["deck"] | {(region, "attack"): 2 for region in REGIONS}}
GIANT = LARGE | {"deck": {(region, kind): count for region in REGIONS for kind, count in (("attack", 2), ("dual", 5))}}
PRESETS = {"large": LARGE, "medium": MEDIUM, "small": SMALL, "tiny": TINY, "huge": HUGE, "giant": GIANT}


@cache
def table() -> dict[tuple[str, str, bool], str]:
    _, *lines = TABLE.strip("\n").splitlines()
    cells = [line.split() for line in lines]
    return {(row[0], row[1], same): row[2 if same else 3] for row in cells for same in (True, False)}


@dataclass
class Fighter:
    hand: Counter[tuple[str, str]]
    strikes: Counter[str] = field(default_factory=Counter)

    def knocked_out(self, limits: dict[str, int]) -> bool:
        return (
            any(self.strikes[region] >= limits[region] for region in REGIONS) or self.strikes.total() >= limits["all"]
        )


def card_and_use(action: int) -> tuple[str, str, str]:
    """Returns the region and the kind of the card that an action plays, and what it is played as."""
    region = REGIONS[action // 3]
    return (region, *[("attack", "attack"), ("dual", "attack"), ("dual", "counter")][action % 3])


@dataclass
class Brawl:
    """A game, played by the book."""

    limits: dict[str, int]
    deck: dict[tuple[str, str], int]
    double_ko: str = "draw"
    fighters: list[Fighter] = field(default_factory=list)
    sudden_death: bool = False
    result: str = ""  # "player 0", "player 1" or "nobody" once the game is over

    def __post_init__(self) -> None:
        self.fighters = self.fighters or [Fighter(Counter(self.deck)), Fighter(Counter(self.deck))]

    def choices(self, player: int) -> list[int]:
        hand = self.fighters[player].hand
        return [action for action in range(9) if hand[card_and_use(action)[:2]] > 0]

    def play(self, *actions: int) -> "Brawl":
        fighters = [Fighter(fighter.hand.copy(), fighter.strikes.copy()) for fighter in self.fighters]
        (region0, kind0, use0), (region1, kind1, use1) = map(card_and_use, actions)
        fighters[0].hand[region0, kind0] -= 1
        fighters[1].hand[region1, kind1] -= 1
        struck = table()[use0, use1, region0 == region1]
        if struck in ("you", "both"):
            fighters[0].strikes[region1] += 1
        if struck in ("other", "both"):
            fighters[1].strikes[region0] += 1
        after = replace(self, fighters=fighters)
        if self.sudden_death:
            # Strikes no longer count, but the first turn in which just one player lands one decides.
            beaten = [struck in ("you", "both"), struck in ("other", "both")]
        else:
            beaten = [fighter.knocked_out(self.limits) for fighter in fighters]
        if beaten == [False, True]:
            after.result = "player 0"
        elif beaten == [True, False]:
            after.result = "player 1"
        elif beaten == [True, True] and self.double_ko == "draw":
            after.result = "nobody"
        elif beaten == [True, True]:
            after.sudden_death = True
        if not after.result and fighters[0].hand.total() == 0:
            after.result = "nobody"
        if after.sudden_death:
            for fighter in fighters:
                fighter.strikes.clear()
        return after

    @property
    def reward(self) -> int:
        """To player 0, on reaching this state."""
        return {"player 0": 1, "player 1": -1}.get(self.result, 0)

    def fields(self) -> dict[str, int]:
        """Returns the state under the names that the game uses."""
        fields = {
            "sudden_death": int(self.sudden_death),
            "outcome": ["", "player 0", "player 1", "nobody"].index(self.result),
        }
        for player, fighter in enumerate(self.fighters):
            for region in REGIONS:
                fields[f"{region}{player}"] = fighter.strikes[region]
                for kind in ("attack", "dual"):
                    fields[f"{region}_{kind}{player}"] = fighter.hand[region, kind]
        return fields


def live_states(limits: dict[str, int], deck: dict[tuple[str, str], int], double_ko: str) -> list[Brawl]:
    """Returns every state with cards left at which nobody is out, whether play leads there or not."""
    hands = [Counter(dict(zip(deck, counts, strict=True))) for counts in product_of(deck.values())]
    strikes = [Counter(dict(zip(REGIONS, counts, strict=True))) for counts in product_of(limits[r] for r in REGIONS)]
    strikes = [each for each in strikes if not Fighter(Counter(), each).knocked_out(limits)]
    pairs = [(one, other) for one in hands for other in hands if one.total() == other.total() > 0]
    brawls = []
    for hand0, hand1 in pairs:
        for strikes0, strikes1 in itertools.product(strikes, strikes):
            brawls.append(Brawl(limits, deck, double_ko, [Fighter(hand0, strikes0), Fighter(hand1, strikes1)]))
        if double_ko == "sudden_death":
            brawls.append(Brawl(limits, deck, double_ko, [Fighter(hand0), Fighter(hand1)], sudden_death=True))
    return brawls


def product_of(most: Any) -> Any:
    return itertools.product(*(range(count + 1) for count in most))
