"""Certificates as text files, which a program of its own proves: the game as a table, strategies, what they secure.

:mod:`nashzoo.baselines.certificate.check_certificate` is that program, and says what is in a file.
"""

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from operator import mul
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from nashzoo.baselines.certificate.check_certificate import FORMAT
from nashzoo.baselines.certificate.steps import OVER
from nashzoo.baselines.fraction_solution import FractionSolution, Mixes, exact_solution
from nashzoo.baselines.solution import ListedSolution, Solution, listed
from nashzoo.baselines.states.space import StoredStates
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.base.files import written_whole

if TYPE_CHECKING:  # few games have hidden information
    from nashzoo.baselines.information_solution import InformationSolution

SMALL = 4_000  # joint actions in a game that is solved in fractions
TOGETHER = 10_000  # states that are looked at together
FINE = 2**64  # the largest denominator in a proof without rounding

Bounds = Sequence[tuple[Fraction, int]]  # with the ranks, by state
Known = tuple[Sequence[Mixes], Sequence[Bounds]]  # of player 0 and player 1
Proof = tuple[tuple[Fraction, Fraction], dict[str, Any], Iterable[dict[str, Any]]]  # value, more of the head, lines


def certificate_text(solution: Solution) -> str:
    """Returns the text of a certificate, see :func:`write_certificate`."""
    with TemporaryDirectory() as folder:
        write_certificate(solution, path := Path(folder) / "certificate")
        return path.read_text(encoding="utf-8")


def write_certificate(solution: Solution, path: str | Path) -> tuple[Fraction, Fraction]:
    """Writes all that is needed to prove a solution into a text file.

    Small games in which no state recurs are solved again, in fractions. Else the strategies are those of the solution,
    whose floating-point numbers are fractions too.

    Args:
        solution: The solution of a game with at most some million states or sequences.
        path: The file.

    Returns:
        What player 0's strategy wins at least, and what player 1's concedes at most, points of player 0's rewards.

    Raises:
        TooManyStatesError: the game is too large to be listed.
        CertificateError: the solution proves nothing.
    """
    game = solution.game
    value, more, lines = _of_information(cast("InformationSolution", solution)) if game.hides else _of_states(solution)
    head = {"format": FORMAT, "game": str(game), "value": _texts(value), "actions": [*game.actions], **more}
    digest = hashlib.sha256()
    with written_whole(path) as temporary, temporary.open("wb") as file:
        for line in (head, *lines):
            written = json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
            digest.update(written)
            file.write(written)
        file.write(json.dumps({"sha256": digest.hexdigest()}).encode() + b"\n")
    return value


def _text(number: Fraction) -> int | str:
    is_exact_anywhere = number.denominator == 1 and abs(number) < 2**53  # JavaScript rounds larger whole numbers
    return int(number) if is_exact_anywhere else str(number)


def _texts(numbers: Iterable[Fraction]) -> list[int | str]:
    return list(map(_text, numbers))


_paid = cache(lambda reward: _text(Fraction(reward)))  # of which there are few


def _normalized(weights: Iterable[float]) -> list[Fraction]:
    shares = list(map(Fraction, weights))
    total = sum(shares)
    return shares if total == 1 else [share / total for share in shares]


def _of_states(solution: Solution) -> Proof:
    known = listed(solution)
    game, states = solution.game, known.states
    is_small = not states.recurs and states.successors.rewards.size <= SMALL
    mixes, bounds = (_exact(exact_solution(states)) if is_small else None) or _claimed(known)
    starts, chances = states.ids(game.start_codes).tolist(), _normalized(game.start_probabilities.tolist())
    lower, upper = (sum(map(mul, chances, (side[state][0] for state in starts)), Fraction(0)) for side in bounds)
    start = [[state, _text(chance)] for state, chance in zip(starts, chances, strict=True)]
    return (lower, upper), {"start": start}, _state_lines(states, mixes, bounds)


def _exact(solution: FractionSolution | None) -> Known | None:
    """Returns what is known of a solution in fractions; None if these are long."""
    if solution is None:
        return None
    ranks = [0] * len(solution.states)
    for rank, layer in enumerate(solution.states.layers, 1):
        for state in layer.ids.tolist():
            ranks[state] = rank
    shares = (share for mixes in solution.exact_policies for mix in mixes for share in mix.values())
    if any(each.denominator > FINE for each in itertools.chain(solution.exact_values, shares)):
        return None
    return solution.exact_policies, 2 * (list(zip(solution.exact_values, ranks, strict=True)),)


def _claimed(solution: ListedSolution) -> Known:
    """Returns the strategies of a solution, divided by their sums, and what its witness says of its states."""
    claims = solution.claims()
    places = np.searchsorted(claims.codes, solution.states.codes)
    bounds = [
        list(zip(map(Fraction, side[places].tolist()), ranks[places].tolist(), strict=True))
        for side, ranks in zip(claims.witness[:2], claims.witness.ranks, strict=True)
    ]
    mixes = [
        [
            dict(zip(actions, _normalized(row[actions].tolist()), strict=True))
            for row in table
            for actions in [np.flatnonzero(row).tolist()]
        ]
        for table in solution.policies
    ]
    return mixes, bounds


def _state_lines(states: StoredStates, mixes: Sequence[Mixes], bounds: Sequence[Bounds]) -> Iterator[dict[str, Any]]:
    for ids in np.split(np.arange(len(states)), range(TOGETHER, len(states), TOGETHER)):
        at = states.successors.at(ids)
        chances = at.chances.tolist() if at.has_chance else [[]] * len(ids)
        columns = (
            each.tolist() for each in (states.codes_at(ids), ids, at.legal0, at.legal1, at.following, at.rewards)
        )
        for code, state, legal0, legal1, after, paid, chance in zip(*columns, chances, strict=True):
            check_time()
            line = {"state": state, "name": states.game.spell(code)}
            if any(chance):
                line["chance"] = _texts(_normalized(filter(None, chance)))
                count, width = len(line["chance"]), 1
            else:
                actions = [[a for a in range(states.game.num_actions) if legal >> a & 1] for legal in (legal0, legal1)]
                own = ([mix[state].get(a, 0) for a in side] for mix, side in zip(mixes, actions, strict=True))
                line |= {"actions": actions, "strategy": list(map(_texts, own))}
                count, width = map(len, actions)
            cells = [[None if k == OVER else k, _paid(reward)] for k, reward in zip(after, paid, strict=False)]
            line["next"] = [cells[k : k + width] for k in range(0, count * width, width)]
            yield line | {"bounds": [[_text(side[state][0]), side[state][1]] for side in bounds]}


def _of_information(solution: "InformationSolution") -> Proof:
    from nashzoo.baselines.information.fractions import dyadic_mixes, near_mixes, payoffs, secured

    game, form = solution.game, solution.form
    as_fractions = dyadic_mixes if solution.exact_value is None else near_mixes
    mixes = [as_fractions(plex, each) for plex, each in zip(form.treeplexes, solution.probabilities, strict=True)]
    paid = list(payoffs(form, strict=False))
    lower, upper = secured(form, paid, mixes)
    if max(lower.denominator, upper.denominator) > FINE:
        unit = Fraction(form.most) / FINE
        lower, upper = lower // unit * unit, -(-upper // unit) * unit
    lines: list[dict[str, Any]] = [
        {
            "player": player, "parent": parent, "name": game.spell(code, [player]),
            "actions": game.legal_actions(code, player), "strategy": _texts(mix),
        }
        for player, (plex, own) in enumerate(zip(form.treeplexes, mixes, strict=True))
        for code, parent, mix in zip(plex.codes.tolist(), plex.parents.tolist(), own, strict=True)
    ]  # fmt: skip
    return (lower, upper), {}, [*lines, *({"payoff": [i, j, _text(reward)]} for i, j, reward in paid)]
