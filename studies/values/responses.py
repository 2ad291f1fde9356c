"""The reference best response to a policy: policy iteration in exact numbers, and trial of all pure responses.

Where the responder can continue the game for ever without rewards, it may also stop, with the value 0. Strict
improvement then ends at the optimum: for all other choices the game ends, or reaches states where it can continue for
ever, and there the values are not on the wrong side of 0. Games with rewards before the end need the trial of all pure
responses.

Source: Howard (1960), "Dynamic Programming and Markov Processes".
"""

import itertools
from typing import Any

from studies.values.reference import OVER, Graph, Number, Order, Row, Rows, Table, at_start, row, solved

STOP = -1  # the choice to continue the game for ever

Decisions = dict[int, dict[int, Row]]


def decisions(graph: Graph, table: Table, player: int, number: Number) -> Decisions:
    """Returns the row of each action of ``player`` at reachable states if the other plays ``[n, actions]``."""
    decided: Decisions = {}
    todo = [start for start, probability in graph.starts if probability > 0 and start != OVER]
    while todo:
        state = todo.pop()
        if state in decided:
            continue
        by_action: dict[int, list[tuple[Any, int, float]]] = {}
        for outcome in graph.outcomes[state]:
            own, other = outcome[:2] if player == 0 else outcome[1::-1]
            chances = by_action.setdefault(own, [])
            if table[state][other] > 0:
                weight = number(table[state][other]) * number(outcome.chance)
                chances.append((weight, outcome.target, outcome.reward))
        decided[state] = {own: row(chances, state, number) for own, chances in by_action.items()}
        todo.extend(target for line in decided[state].values() for target in line.ways)
    return decided


def endless(decided: Decisions) -> set[int]:
    """Returns the states where the responder can surely continue the game for ever without rewards."""
    states = set(decided)
    while True:
        left = {
            state
            for state in states
            if any(
                line.ends == 0 and line.won == 0 and line.lost == 0 and states.issuperset(line.ways)
                for line in decided[state].values()
            )
        }
        if left == states:
            return states
        states = left


def chosen(decided: Decisions, choices: dict[int, int], number: Number) -> Rows:
    """Returns the rows of these choices."""
    stopped = Row({}, number(1), number(0), number(0))
    return {state: stopped if own == STOP else decided[state][own] for state, own in choices.items()}


def gains(decided: Decisions, values: dict[int, Any], state: int, sign: int) -> dict[int, Any]:
    """Returns the responder's gain by each action at a state, compared with the value there."""
    gained = {}
    for own, (ways, ends, won, lost) in decided[state].items():
        scale = sum(ways.values(), ends)
        if scale > 0:
            worth = sum((weight * values[target] for target, weight in ways.items()), won - lost)
            gained[own] = sign * (worth / scale - values[state])
    return gained


def best_response(
    graph: Graph,
    table: Table,
    player: int,
    number: Number,
    guess: dict[int, int] | None = None,
    noise: float = 0.0,
    order: Order | None = None,
) -> tuple[Any, dict[int, int]]:
    """Returns the value of the best response of ``player`` to player 0 at the start, and its choices.

    Args:
        graph: The states.
        table: The other player's policy ``[n, actions]``.
        player: The responder.
        number: Makes the numbers to compute with.
        guess: Choices to start from.
        noise: Least gain of an improvement; 0 with exact numbers.
        order: The order of elimination, if it is known for all chains of the game.
    """
    sign = 1 if player == 0 else -1
    decided = decisions(graph, table, player, number)
    can_stop = endless(decided)
    choices = {state: STOP if state in can_stop else next(iter(lines)) for state, lines in decided.items()}
    if guess is not None:
        choices = {state: guess[state] for state in decided}
    while True:
        values = solved(chosen(decided, choices, number), number, order)
        better = {}
        for state in decided:
            gain = gains(decided, values, state, sign)
            if state in can_stop:
                gain[STOP] = -sign * values[state]
            best = max(gain, key=gain.__getitem__, default=STOP)
            if gain and gain[best] > noise:
                better[state] = best
        if not better:
            return at_start(graph, values, number), choices
        choices = choices | better


def by_trying(graph: Graph, table: Table, player: int, number: Number) -> Any:
    """Returns the value of the best response of ``player`` to player 0 at the start, by trying every pure one."""
    decided = decisions(graph, table, player, number)
    worths = []
    for choice in itertools.product(*decided.values()):
        rows = chosen(decided, dict(zip(decided, choice, strict=True)), number)
        worths.append(at_start(graph, solved(rows, number), number))
    return max(worths) if player == 0 else min(worths)
