"""Locked decisions: what is optimal if a player is fixed at some of its decisions, and free at the others.

The locked game is a game of its own, in which chance moves in the player's place. So it is solved and proven as any
other.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from nashzoo.baselines.forms import solve
from nashzoo.baselines.policies.tabular import as_policy, asked, observed
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import BOTH, CHANCE, Floats, Game
from nashzoo.envs.imported.graph_rules import NOTHING_HIDDEN, Graph, GraphRules

Mixes = dict[int, Floats]  # probabilities [actions] by state, or by what the player sees of it


class LockedSolution:
    """The solution of a game in which a player is fixed at some decisions.

    Attributes:
        game: The game.
        player: The player.
        mixes: Its fixed probabilities ``[actions]``, by state; with hidden information, by information state.
        solution: The solution of the locked game, whose states are numbered anew: value, bounds and certificate.
    """

    def __init__(self, game: Game, player: int, mixes: Mixes) -> None:
        self.game, self.player, self.mixes = game, player, mixes
        graph, self._numbers = _locked(game, player, mixes)
        self.solution: Solution = solve(Game(GraphRules(f"locked_{game.name}", game.actions, graph)))

    def strategy(self, code: int, player: int) -> Floats:
        """Returns the probabilities of a player ``[actions]`` at a state, or at what it sees of it.

        Raises:
            UsageError: the player does not choose there, or play never comes there.
        """
        seen = self.game.information_state(code, player)
        if player == self.player and seen in self.mixes:
            return self.mixes[seen]
        if (number := self._numbers[player].get(seen)) is None:
            raise UsageError(f"player {player} does not choose at {self.game.spell(code)}, or play never comes there")
        probabilities: Floats = self.solution.strategies(np.array([number]))[player][0]
        return probabilities


def solve_locked(game: Game, policy: Any, player: int, where: Mapping[str, Any] | None = None) -> LockedSolution:
    """Solves a game in which a player plays a policy at some decisions: what is best against it, and for it elsewhere.

    Args:
        game: The game.
        policy: Anything with probabilities, as for :func:`nashzoo.baselines.evaluate`.
        player: The player who is fixed.
        where: Values of fields, as numbers or words, that the player sees where it is fixed; everywhere when None.

    Raises:
        UsageError: the player has no such decision, or the policy has no probabilities there.
        TooManyStatesError: there are too many states.

    >>> from nashzoo.envs import footsies_v0
    >>> round(solve_locked(footsies_v0.game(), "random", 1).solution.start_value, 4) > 0
    True
    """
    if player not in (0, 1):
        raise UsageError(f"player must be 0 or 1, not {player}")
    if unknown := [name for name in where or () if name not in game.field_maxima._fields]:
        raise UsageError(f"{game.name} has no field {unknown[0]}; it has {', '.join(game.field_maxima._fields)}")

    def fits(view: int) -> bool:
        state = game.state(view)
        values = {name: getattr(state, name) for name in where or ()}
        return all((where or {})[n] in (v, game.view.field_text(game.params, n, v)) for n, v in values.items())

    views = sorted({game.information_state(code, player) for code in _choosing(game, player)})
    if not (views := list(filter(fits, views))):
        raise UsageError(
            f"player {player} has no decision with {', '.join(f'{k}={v}' for k, v in (where or {}).items())}"
        )
    table = asked(as_policy(policy, game), observed(game, np.array(views), player))
    return LockedSolution(game, player, dict(zip(views, table, strict=True)))


def _choosing(game: Game, player: int) -> list[int]:
    return [code for code in ListedStates(game).codes.tolist() if player in game.movers(code)]


def _locked(game: Game, player: int, mixes: Mixes) -> tuple[Graph, tuple[dict[int, int], dict[int, int]]]:
    """Returns the locked game, and the number of a state in it by what each player sees where it is free."""
    # By code; and by code and the other player's action, after which chance moves where the player has one action.
    numbers: dict[Any, int] = {}
    ahead: list[Any] = []

    def number(key: Any) -> int:
        if key not in numbers:
            numbers[key] = len(numbers)
            ahead.append(key)
        return numbers[key]

    starts = [number(code) for code in game.start_codes.tolist()]
    rows: list[tuple[int, int, int, list[int], list[float], float]] = []
    free: tuple[dict[int, int], dict[int, int]] = {}, {}
    views: list[list[int]] = [[], []]
    step = game.rules.step
    for key in ahead:
        code, reply = key if isinstance(key, tuple) else (key, None)
        movers = game.movers(code)
        masks = [game.rules.legal(game.params, code, p) if p in movers else 1 for p in (0, 1)]
        mix = mixes.get(game.information_state(code, player)) if player in movers else None
        pay = game.payoff(code) if reply is None else 0.0
        if game.terminal(code):
            rows.append((BOTH, 0, 0, [], [], pay))
        elif not movers:
            codes, chances = game.outcomes(code)
            rows.append((CHANCE, 1, 1, [number(one) for one in codes.tolist()], chances.tolist(), pay))
        elif mix is not None and reply is not None:
            likely = np.flatnonzero(mix).tolist()
            own = [(a, reply) if player == 0 else (reply, a) for a in likely]
            after = [number(step(game.params, code, *pair)) for pair in own]
            rows.append((CHANCE, 1, 1, after, mix[likely].tolist(), pay))
        else:
            if mix is not None:
                masks[player] = 1
            legal = [[a for a in range(game.num_actions) if mask >> a & 1] for mask in masks]
            pairs = list(product(*legal))
            after = [
                number((code, pair[1 - player]) if mix is not None else step(game.params, code, *pair))
                for pair in pairs
            ]
            turn = BOTH if len(movers) == 2 else movers[0]
            rows.append((turn, masks[0], masks[1], after, [0.0] * len(after), pay))
        here = len(rows) - 1
        for p in (0, 1):
            chooses = reply is None and p in movers
            seen = free[p].setdefault(game.information_state(code, p), here) if chooses else here
            views[p].append(seen)
    turns, legal0, legal1, following, likelihoods, pays = zip(*rows, strict=True)
    graph = Graph(
        turns=np.array(turns),
        legal0=np.array(legal0),
        legal1=np.array(legal1),
        first=np.cumsum([0, *map(len, following)]),
        following=np.array([one for each in following for one in each], np.int64),
        probabilities=np.array([one for each in likelihoods for one in each]),
        payoffs=np.array(pays),
        starts=np.array(starts),
        start_probabilities=game.start_probabilities.copy(),
        seen=np.zeros((len(rows), 2, 0), np.bool_),
        views=np.array(views) if game.hides else NOTHING_HIDDEN,
    )
    return graph, free
