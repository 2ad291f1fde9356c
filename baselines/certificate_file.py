"""Certificates as text files, which a program of its own proves: the game as a table, strategies, what they secure.

:mod:`nashzoo.baselines.certificate.check_certificate` is that program, and says what is in a file.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from operator import mul
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from nashzoo.baselines.certificate.check_certificate import FORMAT
from nashzoo.baselines.certificate.steps import OVER
from nashzoo.baselines.fraction_solution import Mixes, exact_solution
from nashzoo.baselines.solution import ListedSolution, Solution
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.baselines.states.space import StoredStates
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.base.files import written_whole
from nashzoo.envs.core.game import Floats, Ints

if TYPE_CHECKING:  # few games have hidden information
    from nashzoo.baselines.information.fractions import Mix, Payoff
    from nashzoo.baselines.information.sequence_form import SequenceForm
    from nashzoo.baselines.information_solution import InformationSolution

SMALL = 4_000  # joint actions in a game that is solved in fractions
TOGETHER = 10_000  # states that are looked at together
FINE = 2**64  # bounds with larger denominators are rounded to multiples of the unit of rewards divided by this

Bound = tuple[Fraction, int]  # and the rank
Lines = Iterable[dict[str, Any]]


def certificate_text(solution: Solution) -> str:
    """Returns the text of a certificate, see :func:`write_certificate`."""
    with TemporaryDirectory() as folder:
        write_certificate(solution, path := Path(folder) / "certificate")
        return path.read_text(encoding="utf-8")


class _Proof(NamedTuple):
    """What is written: the value, more of the first line, and the other lines."""

    value: tuple[Fraction, Fraction]
    head: dict[str, Any]
    lines: Lines


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
    proof = _of_information(cast("InformationSolution", solution)) if game.hides else _of_states(solution)
    value = list(map(_text, proof.value))
    head = {"format": FORMAT, "game": str(game), "value": value, "actions": [*game.actions], **proof.head}
    digest = hashlib.sha256()
    with written_whole(path) as temporary, temporary.open("wb") as file:
        for line in (head, *proof.lines):
            written = json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
            digest.update(written)
            file.write(written)
        file.write(json.dumps({"sha256": digest.hexdigest()}).encode() + b"\n")
    return proof.value


def _text(number: Fraction) -> int | str:
    is_exact_anywhere = number.denominator == 1 and abs(number) < 2**53  # JavaScript rounds larger whole numbers
    return int(number) if is_exact_anywhere else str(number)


def _texts(numbers: Iterable[Fraction]) -> list[int | str]:
    return list(map(_text, numbers))


_fraction = cache(Fraction)  # for rewards, of which there are few


def _normalized(weights: Iterable[float]) -> list[Fraction]:
    shares = list(map(Fraction, weights))
    total = sum(shares)
    return shares if total == 1 else [share / total for share in shares]


class _Step(NamedTuple):
    """What may follow on a state."""

    actions: list[list[int]]  # legal ones of both players
    chance: list[Fraction]  # of the outcomes where chance decides
    rows: list[list[tuple[int, Fraction]]]  # next states, OVER at the end, and rewards, by player 0's action or outcome


def _steps(states: StoredStates, ids: Ints) -> Iterator[_Step]:
    """Yields what may follow on each of some states."""
    bits = np.arange(states.game.num_actions)
    for some in np.split(ids, range(TOGETHER, len(ids), TOGETHER)):
        at = states.successors.at(some)
        chances = at.chances.tolist() if at.has_chance else [[]] * len(some)
        legal = ((side[:, None] >> bits & 1).astype(bool) for side in (at.legal0, at.legal1))
        actions = ([np.flatnonzero(row).tolist() for row in side] for side in legal)
        for *own, chance, after, paid in zip(
            *actions, chances, at.following.tolist(), at.rewards.tolist(), strict=True
        ):
            check_time()
            shares = _normalized(filter(None, chance)) if any(chance) else []
            count, width = (len(shares), 1) if shares else (len(own[0]), len(own[1]))
            cells = list(zip(after, map(_fraction, paid), strict=False))[: count * width]
            yield _Step(own, shares, [cells[k : k + width] for k in range(0, len(cells), width)])


def _of_states(solution: Solution) -> _Proof:
    game = solution.game
    states = solution.states if isinstance(solution, ListedSolution) else ListedStates(game)
    exact = None if states.recurs or states.successors.rewards.size > SMALL else exact_solution(states)
    if exact and any(
        share.denominator > FINE for mixes in exact.exact_policies for mix in mixes for share in mix.values()
    ):
        exact = None
    mixes = (
        [_mixes(states, table) for table in solution.strategies(states.codes)]
        if exact is None
        else exact.exact_policies
    )
    bounds = _claimed(solution) if states.recurs else [_secured(states, mixes, player) for player in (0, 1)]
    starts, chances = states.ids(game.start_codes).tolist(), _normalized(game.start_probabilities.tolist())
    value = [sum(map(mul, chances, (side[state][0] for state in starts)), Fraction(0)) for side in bounds]
    start = [[state, _text(chance)] for state, chance in zip(starts, chances, strict=True)]
    return _Proof((value[0], value[1]), {"start": start}, _state_lines(states, mixes, bounds))


def _state_lines(states: StoredStates, mixes: Sequence[Mixes], bounds: Sequence[list[Bound]]) -> Lines:
    everywhere = zip(states.codes.tolist(), _steps(states, np.arange(len(states))), strict=True)
    for state, (code, step) in enumerate(everywhere):
        after = [
            [[None if next_state == OVER else next_state, _text(reward)] for next_state, reward in row]
            for row in step.rows
        ]
        if step.chance:
            chosen: dict[str, Any] = {"chance": _texts(step.chance)}
        else:
            own = [
                [mix[state].get(a, Fraction(0)) for a in legal] for mix, legal in zip(mixes, step.actions, strict=True)
            ]
            chosen = {"actions": step.actions, "strategy": list(map(_texts, own))}
        line = {"state": state, "name": states.game.spell(code), **chosen, "next": after}
        yield line | {"bounds": [[_text(side[state][0]), side[state][1]] for side in bounds]}


def _mixes(states: StoredStates, table: Floats) -> Mixes:
    """Returns the probabilities of a table ``[n, actions]``, divided by their sums, by action."""
    return [
        dict(zip(actions, _normalized(row[actions].tolist()), strict=True))
        for row in table
        for actions in [np.flatnonzero(row).tolist()]
    ]


def _claimed(solution: Solution) -> list[list[Bound]]:
    """Returns what the witness of a solution says of its states, by number."""
    claims = cast(ListedSolution, solution).claims()
    places = np.searchsorted(claims.codes, cast(ListedSolution, solution).states.codes)
    witness = claims.witness
    return [
        list(zip(map(Fraction, side[places].tolist()), ranks[places].tolist(), strict=True))
        for side, ranks in zip(witness[:2], witness.ranks, strict=True)
    ]


def _secured(states: StoredStates, mixes: Sequence[Mixes], player: int) -> list[Bound]:
    """Returns what a strategy secures at each state, where none recurs, to player 0; the rank is the layer."""
    unit, worst = Fraction(states.in_units()[1]) / FINE, (min, max)[player]
    bounds: list[Bound] = [(Fraction(0), 0)] * len(states)
    for rank, layer in enumerate(states.layers, 1):
        for state, step in zip(layer.ids.tolist(), _steps(states, layer.ids), strict=True):
            worths = [[reward + (0 if k == OVER else bounds[k][0]) for k, reward in row] for row in step.rows]
            mix = step.chance or [mixes[player][state].get(action, Fraction(0)) for action in step.actions[player]]
            replies = worths if player == 1 and not step.chance else zip(*worths, strict=True)
            value = worst(sum(map(mul, mix, reply), Fraction(0)) for reply in replies)
            bounds[state] = _outward(value, unit, player), rank
    return bounds


def _outward(value: Fraction, unit: Fraction, player: int) -> Fraction:
    """Returns a long fraction as a multiple of the unit: for player 0 the next lower one, for player 1 a higher one."""
    return value if value.denominator <= FINE else (value // unit + player) * unit


def _of_information(solution: "InformationSolution") -> _Proof:
    from nashzoo.baselines.information.fractions import dyadic_mixes, near_mixes, payoffs, secured

    form, probabilities = solution.form, solution.probabilities
    as_fractions = dyadic_mixes if solution.exact_value is None else near_mixes
    mixes = [as_fractions(plex, each) for plex, each in zip(form.treeplexes, probabilities, strict=True)]
    paid = list(payoffs(form, strict=False))
    lower, upper = secured(form, paid, mixes)
    unit = Fraction(form.most) / FINE
    value = _outward(lower, unit, 0), _outward(upper, unit, 1)
    return _Proof(value, {}, _information_lines(form, mixes, paid))


def _information_lines(form: "SequenceForm", mixes: "Sequence[list[Mix]]", paid: "Iterable[Payoff]") -> Lines:
    game = form.game
    for player, (plex, own) in enumerate(zip(form.treeplexes, mixes, strict=True)):
        for code, parent, mix in zip(plex.codes.tolist(), plex.parents.tolist(), own, strict=True):
            actions, name = game.legal_actions(code, player), game.spell(code, [player])
            yield {"player": player, "parent": parent, "name": name, "actions": actions, "strategy": _texts(mix)}
    for i, j, reward in paid:
        yield {"payoff": [i, j, _text(reward)]}
