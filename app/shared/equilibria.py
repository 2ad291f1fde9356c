"""What ``nashzoo solve`` says of all equilibria, for people and as JSON, and of the one that is selected."""

import json
from math import isinf
from pathlib import Path
from typing import Any, cast

from nashzoo import agents
from nashzoo.app.shared.parsing import code_of
from nashzoo.app.shared.solutions import solved_with
from nashzoo.app.shared.words import sided, sides
from nashzoo.baselines import Decision, Equilibria, Policy, Selected, Solution, equilibria, select, solve
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.progress import showing, working
from nashzoo.envs.base.words import signed, wrapped

NEAR = 1e-6  # points that do not show


def tell_all(game: Game, at: str | None, as_json: bool, out: Path | None, tolerance: float | None) -> None:
    """Solves a game and prints its equilibria: those at a state, or the decisions at which they differ.

    Raises:
        UsageError: the game has no optimal strategies, is too large, or there is no such state.
    """
    code = int(game.start_codes[0]) if at is None else code_of(game, at)
    with working("solving"):
        if game.hides:
            if out is not None:
                raise UsageError(f"solutions of {game.name} are not kept in files")
            with showing() as show:
                found = equilibria(game, solve(game, progress=show, tolerance=tolerance))
        else:
            found = equilibria(game, solved_with(game, code, out))
        if at is not None and not game.movers(code):
            raise UsageError(f"nobody chooses at {game.spell(code)}")
        here = None if at is None else [found.at(code, player) for player in game.movers(code)]
        if as_json:
            unique = {"unique": found.unique} if here is None else {}
            told = [_described(found, each) for each in here or found]
            answer = json.dumps(unique | {"decisions": told, "lost": found.lost}, indent=2)
        else:
            answer = wrapped(sided(game, str(found) if here is None else found.text(here)), indent="    ")
    print(answer)


def _described(found: Equilibria, decision: Decision) -> dict[str, Any]:
    names = [found.game.actions[action] for action in decision.actions]
    ends = zip(names, decision.lower, decision.upper, strict=True)
    described: dict[str, Any] = {
        "player": decision.player,
        "state": found.place(decision),
        "reached": decision.reached,
        "ranges": {name: [float(low), float(high)] for name, low, high in ends},
        "never": [found.game.actions[action] for action in decision.never],
    }
    if decision.vertices is not None:
        shares = [dict(zip(names, map(str, vertex), strict=True)) for vertex in decision.vertices]
        described["vertices"] = [{name: share for name, share in vertex.items() if share != "0"} for vertex in shares]
    if decision.formulas is not None:
        described["formulas"] = dict(zip(names, decision.formulas, strict=True))
    return described


class Chooser:
    """Selects one of all equilibria of a game, and says what it has more of than others.

    Args:
        game: The game.
        how: A way of :func:`nashzoo.baselines.select`; None to take the solution that the solver finds.
        against: The opponent's name for ``"greedy"``.

    Raises:
        UsageError: there is no such opponent, or one is missing or not needed.
    """

    def __init__(self, game: Game, how: str | None, against: str | None) -> None:
        if (how == "greedy") != (against is not None):
            mended = "leave out --against, or say --select greedy" if against else "name it: --against PLAYER"
            raise UsageError(f"an opponent is for --select greedy: {mended}")
        self.how, self.against, self.text, self.described = how, against, "", dict[str, Any]()
        self.opponent = None if against is None else cast(Policy, agents.as_agent(against, game))

    def __call__(self, solution: Solution) -> Solution:
        """Returns the equilibrium, and keeps what is to be said."""
        if self.how is None:
            return solution
        selected = select(equilibria(solution.game, solution), self.how, self.opponent)
        self.text = "\n".join(wrapped(self._told(selected, player)) for player in (0, 1))
        best = [None if isinf(one) else one for one in selected.best]
        self.described = {"selected": {"how": self.how, "figures": list(selected.figures), "best": best}}
        return selected.solution

    def _told(self, selected: Selected, player: int) -> str:
        figure, best = selected.figures[player], selected.best[player]
        name = sides(game := selected.solution.game)[player]
        among = "" if game.hides else " that is optimal at every state"  # see nashzoo.baselines.selection
        if self.how == "greedy":
            most = (
                "; the most of any equilibrium is not known" if isinf(best) else f", the most of any equilibrium{among}"
            )
            if best - figure > NEAR and not isinf(best):
                most = f"; no equilibrium{among} wins more than {best:.6f}"
            return f"{name} wins {signed(figure)} points from {self.against}{most}"
        if self.how == "sequential":
            return f"{name} plays optimally also where mistakes lead; it loses {figure:.1g} points there at most"
        shown, bound = (f"{one:.6g}" for one in (figure, best))
        than = f" than {bound}" * (shown != bound)
        if self.how == "uniform":
            return (
                f"the decisions of {name} have {shown} nats of entropy together; no equilibrium{among} has more{than}"
            )
        actions = "1 action" if shown == "1" else f"{shown} actions"
        return f"{name} takes {actions} in addition to one at each decision; no equilibrium{among} takes fewer{than}"
