"""Checks a certificate of a solved two-player zero-sum game: ``python check_certificate.py FILE``.

It needs Python, and nothing else. From a strategy of each player it proves bounds of the value of the game whose table
is in the file, in fractions, without rounding. It cannot see whether this table is the game that you mean.

A certificate is lines of JSON. Rewards and values are player 0's; numbers are whole, or texts like "-1/18". The
first line has "format", "game", "value" (what player 0's strategy wins at least, what player 1's concedes at most) and
the names of "actions". The last one has the "sha256" of all before it.

If both players see the whole state, the first line has "start" too, states with their probabilities, and there is a
line for each state. "next" has, for each of player 0's "actions", by player 1's, the state that follows and the reward;
null is the end. "strategy" has both players' probabilities. Where chance decides, "chance" has the probabilities, and
"next" a row for each outcome. "bounds" has what each strategy secures from here on, and a rank. They hold if, one step
ahead and for every reply, 1. the expected reward plus bound is no worse than the bound here, and 2. it is better, or no
rank rises and each falls where the bound favours the strategy's player. Without 2. a win could be put off for ever.

If something is hidden, there is a line for each information state, of "player", after the sequence "parent" of its own.
A player's sequences are the actions of these lines, numbered from 1 on; 0 is the empty one. A "payoff" has the players'
last sequences, and the reward times the probability of chance. The exit code is 0 if all holds, else 1.
"""

import hashlib
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

FORMAT = "nashzoo-certificate 1"
NUMBER = re.compile("-?[0-9]+(/[1-9][0-9]*)?")


class RefusedError(Exception):
    """The certificate proves nothing."""


REFUSED = RefusedError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError


def demand(holds: object, objection: str) -> None:
    """Refuses the certificate unless something holds."""
    if not holds:
        raise RefusedError(objection)


def fraction(number: Any) -> Fraction:
    """Returns a number of the file."""
    demand(type(number) is int or (type(number) is str and NUMBER.fullmatch(number)), f"{number!r} is no number")
    return Fraction(number)


def distribution(numbers: Iterable[Any]) -> list[Fraction]:
    """Returns the numbers, which are to be probabilities."""
    shares = list(map(fraction, numbers))
    demand(shares and min(shares) >= 0 and sum(shares) == 1, f"no probabilities: {numbers}")
    return shares


def lines(path: str) -> Iterator[Any]:
    """Yields the lines of a whole file, but for the last one."""
    digest, line = hashlib.sha256(), b""
    with open(path, "rb") as file:
        for following in file:
            if line:
                digest.update(line)
                demand("e" not in re.sub(r'"([^"\\]|\\.)*"', "", line.decode()), "there is true, false or an exponent")
                yield json.loads(line.decode())
            line = following
    demand(json.loads(line) == {"sha256": digest.hexdigest()}, "the file is damaged, or not whole")


def check_states(path: str, start: Any) -> tuple[Any, Any]:
    """Returns bounds of the value in a game whose states both players see."""
    bounds: dict[Any, list[Any]] = {None: [(Fraction(0), Fraction(0))] * 2}
    for line in islice(lines(path), 1, None):
        demand(line["state"] not in bounds, f"state {line['state']} is there twice")
        (lower, rank0), (upper, rank1) = line["bounds"]
        bounds[line["state"]] = [(fraction(lower), fraction(rank0)), (-fraction(upper), fraction(rank1))]
    for line in islice(lines(path), 1, None):
        check_state(line, bounds)
    states, chances = zip(*start, strict=True)
    weights = list(zip(map(bounds.__getitem__, states), distribution(chances), strict=True))
    return sum(at[0][0] * weight for at, weight in weights), -sum(at[1][0] * weight for at, weight in weights)


def check_state(line: Any, bounds: dict[Any, list[Any]]) -> None:
    """Looks one step ahead from a state, against each reply to each player's strategy."""
    rows, chance = line["next"], "chance" in line
    columns = list(zip(*rows, strict=True))
    for who, (bound, rank) in enumerate(bounds[line["state"]]):
        mix = distribution(line["chance"] if chance else line["strategy"][who])
        demand(rank >= 0 and (len(columns) == 1 if chance else columns), f"state {line['state']} has no actions")
        for reply in columns if who == 0 or chance else rows:
            slack, lasts = -bound, True
            for share, (after, reward) in zip(mix, reply, strict=True):
                if share:
                    ahead, later = bounds[after][who]
                    slack += share * ((-1) ** who * fraction(reward) + ahead)
                    lasts = lasts and later + (bound > 0) <= rank
            demand(slack > 0 or (slack == 0 and lasts), f"player {who} is not sure of more at state {line['state']}")


def check_sequences(path: str) -> tuple[Any, Any]:
    """Returns bounds of the value in a game that hides something."""
    weights = [Fraction(1)], [Fraction(1)]
    sets: tuple[list[Any], ...] = ([], [])  # the sequence before it, its first one, and the one after its last
    gains: tuple[defaultdict[int, Fraction], ...] = (defaultdict(Fraction), defaultdict(Fraction))
    for line in islice(lines(path), 1, None):
        if "player" in line:
            own, mix = weights[line["player"]], distribution(line["strategy"])
            follows = line["player"] in (0, 1) and 0 <= line["parent"] < len(own)
            demand(follows, "an information state before its parent")
            sets[line["player"]].append((line["parent"], len(own), len(own) + len(mix)))
            own += [own[line["parent"]] * share for share in mix]
    for line in islice(lines(path), 1, None):
        if "player" not in line:
            i, j, paid = line["payoff"]
            demand(min(i, j) >= 0, "a sequence has a negative number")
            gains[0][i] += fraction(paid) * weights[1][j]
            gains[1][j] -= fraction(paid) * weights[0][i]
    for won, own_sets in zip(gains, sets, strict=True):  # by best responses, backwards
        for parent, first, last in reversed(own_sets):
            won[parent] += max(won[sequence] for sequence in range(first, last))
    return -gains[1][0], gains[0][0]


def check(path: str) -> Any:
    """Checks a certificate, and returns its first line, with the value in nine digits, "about"; floats overflow."""
    head = next(lines(path))
    demand(head["format"] == FORMAT and type(head["game"]) is str, "it is no certificate of this kind")
    lower, upper = map(fraction, head["value"])
    secured, conceded = check_states(path, head["start"]) if "start" in head else check_sequences(path)
    demand(secured >= lower, f"player 0's strategy secures {secured}, not {lower}")
    demand(conceded <= upper, f"player 1's strategy concedes {conceded}, not {upper}")
    return head | {"about": [f"{Decimal(end.numerator) / end.denominator:.9g}" for end in (lower, upper)]}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("name a certificate: python check_certificate.py FILE")
    try:
        proven = check(sys.argv[1])
        value, near = (" to ".join(map(str, proven[name])) for name in ("value", "about"))
        sys.stdout.write(f"yes: {proven['game']} has a value from {value}, about {near}\n")
    except (*REFUSED, OSError) as error:
        sys.exit(f"no: {error!r}")
