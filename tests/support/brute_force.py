"""Slow second routes for the tests of exact measures: nothing here uses the algorithms that are tested."""

import itertools
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from scipy.optimize import linprog

import graph_game
from nashzoo.envs.core.game import Floats, Game

DOUBLINGS = 60  # of the horizon: play longer than 2**60 steps is not told from play without end


def reachable(game: Game, roots: Sequence[int] | None = None) -> list[int]:
    """Returns the codes of all states that are not an end, ascending."""
    codes: set[int] = set()
    todo = [int(code) for code in (game.start_codes if roots is None else roots)]
    while todo:
        code = todo.pop()
        if code in codes or game.terminal(code):
            continue
        codes.add(code)
        for i in game.legal_actions(code, 0):
            todo.extend(game.step(code, i, j) for j in game.legal_actions(code, 1))
    return sorted(codes)


def matrix_value(payoff: Floats) -> float:
    """Returns the value of a matrix game by a linear program."""
    return _solved(np.asarray(payoff, np.float64).tobytes(), payoff.shape)


@cache
def _solved(entries: bytes, shape: tuple[int, int]) -> float:
    payoff = np.frombuffer(entries).reshape(shape)
    rows, columns = shape
    result = linprog(
        [0.0] * rows + [-1.0],
        A_ub=np.hstack([-payoff.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=[[1.0] * rows + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},  # 1e-7 by default
    )
    assert result.status == 0
    return float(-result.fun)


def sweep(
    game: Game, value_of: Callable[[int, Floats], float], tolerance: float, roots: Sequence[int] | None = None
) -> dict[int, float]:
    """Returns the value of every state, by sweeps from zero in which ``value_of(code, matrix)`` is one backup."""
    codes = reachable(game, roots)
    values = dict.fromkeys(codes, 0.0)
    change = np.inf
    while change > tolerance:
        change = 0.0
        for code in codes:
            matrix = np.array(
                [
                    [
                        game.payoff(after := game.step(code, i, j)) + values.get(after, 0.0)
                        for j in game.legal_actions(code, 1)
                    ]
                    for i in game.legal_actions(code, 0)
                ]
            )
            new = value_of(code, matrix)
            change = max(change, abs(new - values[code]))
            values[code] = new
    return values


def chain(game: Game, codes: Sequence[int], table0: Floats, table1: Floats) -> Floats:
    """Returns what two policies are worth to player 0 from every state ``[n]``, over a horizon of 2**60 steps."""
    number = {code: k for k, code in enumerate(codes)}
    size = len(codes)
    moves, earned = np.zeros((size + 1, size + 1)), np.zeros(size + 1)
    moves[size, size] = 1.0
    for k, code in enumerate(codes):
        for i in game.legal_actions(code, 0):
            for j in game.legal_actions(code, 1):
                after = game.step(code, i, j)
                moves[k, number.get(after, size)] += table0[k, i] * table1[k, j]
                earned[k] += table0[k, i] * table1[k, j] * game.payoff(after)
    for _ in range(DOUBLINGS):
        earned = earned + moves @ earned
        moves = moves @ moves
        moves /= moves.sum(axis=1, keepdims=True)
    return earned[:size]


def best_reply(game: Game, codes: Sequence[int], table: Floats, player: int) -> Floats:
    """Returns what the best reply of ``player`` leaves player 0 with ``[n]``, by trying every deterministic one."""
    sign = 1 if player == 0 else -1
    best = np.full(len(codes), -np.inf)
    for choice in itertools.product(*(game.legal_actions(code, player) for code in codes)):
        pure = np.eye(game.num_actions)[list(choice)]
        worth = chain(game, codes, pure, table) if player == 0 else chain(game, codes, table, pure)
        best = np.maximum(best, sign * worth)
    return sign * best


def random_game(rng: np.random.Generator) -> Game:
    """Returns a game on up to five nodes, most of whose ways stay among them."""
    nodes, ends = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    odds = np.r_[np.full(nodes, 0.8 / nodes), np.full(ends, 0.2 / ends)]
    tables = [rng.choice(nodes + ends, p=odds, size=rng.integers(1, 4, 2)).tolist() for _ in range(nodes)]
    pays = [0.0] * nodes + rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], ends).tolist()
    return Game(graph_game, tables=[*tables, *[None] * ends], pays=pays)


def random_table(rng: np.random.Generator, game: Game, codes: Sequence[int], player: int) -> Floats:
    """Returns a policy ``[n, actions]``: mixed, with zeros, or with tiny probabilities."""
    table = np.zeros((len(codes), game.num_actions))
    kind = rng.integers(3)
    for row, code in zip(table, codes, strict=True):
        legal = list(game.legal_actions(code, player))
        row[legal] = rng.random(len(legal))
        if kind == 1:
            row[legal] *= rng.random(len(legal)) < 0.5
        elif kind == 2:
            row[legal] *= 10.0 ** -rng.integers(0, 7, len(legal))
        if row.sum() == 0:
            row[legal] = 1.0
        row /= row.sum()
    return table
