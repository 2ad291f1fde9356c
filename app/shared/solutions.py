"""Exact solutions for people and as JSON: values, certificates, and strategies at a state."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import rich
from rich.table import Table

from nashzoo import agents
from nashzoo.app.shared.parsing import code_of
from nashzoo.app.shared.words import sided, sides, wrapped_fields
from nashzoo.baselines import Policy, Selected, Solution, equilibria, select, solve
from nashzoo.baselines.certificate.bounds import Estimate
from nashzoo.baselines.certificate.layers import Workers
from nashzoo.baselines.fraction_solution import FractionSolution
from nashzoo.baselines.policies.keyed import place
from nashzoo.baselines.solvers.distance import SAME_VALUE
from nashzoo.baselines.store import default_path, solution_of
from nashzoo.envs import Game
from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.progress import showing, working
from nashzoo.envs.base.words import counted, noun, signed, with_minus, wrapped
from nashzoo.envs.core.game import BOTH, CHANCE
from nashzoo.envs.core.reachable import reachable_or_none
from nashzoo.envs.imported.exact_numbers import simple_fraction
from nashzoo.envs.jit.lazy import brief

if TYPE_CHECKING:  # few games have hidden information
    from nashzoo.baselines.information_solution import InformationSolution

NEVER = "The other's equilibrium never leads here. After the fewest mistakes, each as likely as others:"
NEAR = 1e-6  # points that do not show
DIGITS = 9  # of an exact value after the decimal point
RESULTS = ("player_0_wins", "draws", "player_1_wins")


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
        best = [None if math.isinf(one) else one for one in selected.best]
        self.described = {"selected": {"how": self.how, "figures": list(selected.figures), "best": best}}
        return selected.solution

    def _told(self, selected: Selected, player: int) -> str:
        figure, best = selected.figures[player], selected.best[player]
        name = sides(game := selected.solution.game)[player]
        among = "" if game.hides else " that is optimal at every state"  # see nashzoo.baselines.selection
        if self.how == "greedy":
            most = f", the most of any equilibrium{among}"
            if math.isinf(best):
                most = "; the most of any equilibrium is not known"
            elif best - figure > NEAR:
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


def solved_with(game: Game, code: int, out: Path | None = None, workers: Workers | None = None) -> Solution:
    """Returns the solution of the game, extended to a state if it is unreachable from the start.

    Raises:
        UsageError: there is no such state, or the solution's file cannot be used.
    """
    if out is None and game.indexed_rules is None:
        with showing() as show:
            return solve(game, roots=[*game.start_codes, code], progress=show)
    solution = solution_of(game, out, workers=workers)
    if code not in solution.states:
        raise UsageError(f"{game.name} has no state {game.spell(code)}")
    return solution


def _proof(solution: Solution) -> dict[str, Any]:
    return {"certificate": solution.certificate, "optimal": solution.optimal}


def _value(game: Game, value: float, code: int | None = None) -> dict[str, float]:
    """Returns the value to player 0 at a state, or at the start; there also player 1's, if their sum is not 0."""
    second = game.constant_sum and (code is None or code in game.start_codes)
    return {"value": game.points(value, code)} | ({"value1": game.points(-value)} if second else {})


def describe(solution: Solution, code: int) -> dict[str, Any]:
    """Returns the value, the certificate and, unless chance decides, both strategies at a state.

    In turn-based games also the player to move, all the best moves, and the distance.
    """
    game = solution.game
    described: dict[str, Any] = _value(game, solution.value(code), code) | _proof(solution)
    if game.turn(code) == CHANCE:
        return described
    for player, strategies in enumerate(solution.strategies(np.array([code]))):
        legal = game.legal_actions(code, player)
        described[f"strategy{player}"] = {game.actions[a]: float(strategies[0, a]) for a in legal}
    if game.turn(code) != BOTH:
        described["turn"] = int(game.turn(code))
    if solution.distances is not None:
        described["distance"] = solution.distance(code)
        (best,) = solution.optimal_actions(np.array([code]))
        described["best_moves"] = [game.actions[action] for action in np.flatnonzero(best)]
    return described


def describe_view(solution: "InformationSolution", code: int) -> dict[str, Any]:
    """Returns how the players to move at a state play what they see of it: beliefs, strategies and values of actions.

    Raises:
        UsageError: play does not lead there.
    """
    game = solution.game
    described: dict[str, Any] = {}
    movers = game.movers(code)
    for player in movers:
        view = game.information_state(code, player)
        try:
            states, chances = solution.beliefs(view, player)
        except UsageError:
            if player == movers[-1] and not described:
                raise UsageError(f"play does not lead {sides(game)[player]} to {game.spell(view, [player])}") from None
            continue  # where both choose, one of them may be named alone
        legal = game.legal_actions(view, player)
        values, strategy = solution.action_values(view, player, True), solution.strategies(np.array([view]))[player][0]
        described[f"seen{player}"] = place(game, player, view)
        described[f"strategy{player}"] = {game.actions[a]: float(strategy[a]) for a in legal}
        described[f"values{player}"] = {game.actions[a]: game.points(float(values[a]), code) for a in legal}
        described[f"reached{player}"] = solution.reached(view, player) > 0.0
        described[f"beliefs{player}"] = {
            game.spell(code, ()): chance for code, chance in zip(states.tolist(), chances.tolist(), strict=True)
        }
    return described


def count_results(solution: Solution) -> list[dict[str, Any]]:
    """Returns the number of states of a turn-based game that each player wins, for each kind of state.

    States of a kind agree in the fields that the view is ``GROUPED_BY``; values are in words where the game has them.
    """
    game, fields = solution.game, solution.game.view.GROUPED_BY
    everywhere = np.arange(len(solution.states))
    codes, values = solution.states.codes_at(everywhere), solution.values[everywhere]
    results = np.where(values > SAME_VALUE, 0, np.where(values < -SAME_VALUE, 2, 1))
    kinds = np.zeros((len(values), len(fields)), np.int64)
    if fields:
        states = map(game.state, codes.tolist())
        kinds[:] = [[getattr(state, field) for field in fields] for state in states]
    known, kind = np.unique(kinds, axis=0, return_inverse=True)
    counts = np.bincount(len(RESULTS) * kind.ravel() + results, minlength=len(RESULTS) * len(known))
    return [
        {field: game.view.field_text(game.params, field, int(value)) for field, value in zip(fields, row, strict=True)}
        | dict(zip(RESULTS, of_kind.tolist(), strict=True))
        for row, of_kind in zip(known, counts.reshape(len(known), -1), strict=True)
    ]


def _is_reachable(game: Game, code: int, at: str) -> bool | None:
    """Returns whether a state with the given fields is reachable; None if there are too many states to decide."""
    reached = reachable_or_none(game)
    if reached is None:
        return None
    state, fields = game.state(code), list(assignments(at.split(",")))
    if code in reached or not set(fields) <= set(state._fields):
        return bool(code in reached)
    asked = [getattr(state, field) for field in fields]
    return any([getattr(other, field) for field in fields] == asked for other in map(game.state, reached.tolist()))


def tell_hidden(
    game: Game, at: str | None, as_json: bool, out: Path | None, tolerance: float | None, choose: Chooser
) -> Solution:
    """Does the same as :func:`tell` in a game with hidden information."""
    code = None if at is None else code_of(game, at)
    if out is not None:
        raise UsageError(f"solutions of {game.name} are not kept in files")
    with working("solving"), showing() as show:
        solution = cast("InformationSolution", choose(solve(game, progress=show, tolerance=tolerance)))
    half = game.points(0.0)
    lower, upper = solution.start_estimate.plus(Estimate(half, half, half)).bounds
    described: dict[str, Any] = {**_value(game, solution.start_value), "lower": lower, "upper": upper}
    described |= _proof(solution)
    view = {} if code is None else describe_view(solution, code)
    if as_json:
        print(json.dumps(described | view | choose.described, indent=2))
        return solution
    pairs = counted(solution.form.matrix.nnz, "pair")
    sets = counted(solution.num_states, "information state")
    rich.print(f"[bold]{game}[/bold], {sets} and {pairs} of sequences solved")
    _tell_value(game, described, "gap of both best responses", (lower, upper))
    exact = solution.exact_value
    if exact is not None and (exact := exact + simple_fraction(half)).denominator > 1:
        rich.print(f"exactly: {with_minus(str(exact))}")
    for player in (0, 1):
        if f"seen{player}" in view:
            rich.print(wrapped_fields(f"{sides(game)[player]} sees {view[f'seen{player}']}"))
            table = Table("action", "probability", f"value to {sides(game)[player]}", title="equilibrium")
            for action, probability in view[f"strategy{player}"].items():
                value = view[f"values{player}"][action]
                table.add_row(action, f"{probability:.4f}", signed(value))
            rich.print(table)
            rich.print("and believes in equilibrium, with probabilities:" if view[f"reached{player}"] else NEVER)
            for state, chance in view[f"beliefs{player}"].items():
                print(f"{chance:.4f} {state}")
    if code is None:
        rich.print("With --at, name what a player sees where it chooses; fields left out are as at the start.")
    elif not view:
        rich.print("Chance decides here. With --at, name a state at which a player chooses.")
    return solution


def _tell_value(
    game: Game, described: dict[str, Any], certificate: str, bounds: tuple[float, float] | None = None
) -> None:
    gap, optimal = described["certificate"], described["optimal"]
    digits = DIGITS if optimal else max(0, math.ceil(-math.log10(gap)))
    for player, name in enumerate(("value", "value1")):
        if name in described:
            value = round(described[name], digits) + 0.0
            shown = with_minus(f"{value:.9g}")
            rich.print(f"value to {sides(game)[player]}: {shown} {noun(value, 'point')}")
    rich.print(f"certificate ({certificate}): {gap:.1e}")
    if not optimal:
        places = max(digits + 1, 6)
        lower, upper = bounds or (described["value"] - gap, described["value"] + gap)
        outward = lower - 0.5 / 10**places, upper + 0.5 / 10**places
        least, most = (with_minus(f"{bound:.{places}f}") for bound in outward)
        rich.print(f"It is proven that the value lies between {least} and {most}.")


@brief()
def tell(
    chosen: Game, at: str | None, as_json: bool, out: Path | None, workers: Workers | None, choose: Chooser
) -> Solution:
    """Solves a game and prints its value and certificate, the strategies at a state, and the counts of won states."""
    by_chance = at is None and len(chosen.start_codes) > 1
    code = int(chosen.start_codes[0]) if at is None else code_of(chosen, at)
    with working("solving"):
        found = solution_of(chosen, out, workers=workers) if by_chance else solved_with(chosen, code, out, workers)
        solution = choose(found)
    if by_chance:
        described: dict[str, Any] = _value(chosen, solution.start_value) | _proof(solution)
        place = "its random start"
    else:
        described = describe(solution, code)
        if at:
            described["reachable"] = _is_reachable(chosen, code, at)
        place = chosen.spell(code)
    if at is None and solution.distances is not None:
        described["states"] = count_results(solution)
    if isinstance(solution, FractionSolution):
        fraction = solution.exact_value if by_chance else solution.exact_values[int(solution.states.ids(code))]
        described["exact_value"] = str(fraction + simple_fraction(chosen.points(0.0, code)))
    if as_json:
        print(json.dumps(described | choose.described, indent=2))
        return solution
    reached = reachable_or_none(chosen) if at else None
    added, start = "", " the start:" * (chosen.start_codes.tolist() == [code])
    if reached is not None and len(reached) < solution.num_states:
        added = f" ({len(reached):,} that play from the start reaches)"
    rich.print(f"[bold]{chosen}[/bold], {counted(solution.num_states, 'state')} solved{added}, at{start}")
    if not by_chance and "text" in vars(chosen.view):
        print(sided(chosen, chosen.text(code)))
    rich.print(wrapped_fields(place))
    if described.get("reachable") is False:
        rich.print(f"Play from the start leads to no state with {at}; the figures are of play that begins there.")
    _tell_value(chosen, described, "largest gap at any state")
    if "exact_value" in described:
        exact = with_minus(described["exact_value"])
        rich.print(f"exactly: {exact}; the strategies are rounded, and may lose as much as certified")
    elif not solution.optimal:
        rich.print("They are not optimal: a game of this kind may have no optimal strategies (Everett 1957).")
    if "distance" in described:
        end = described["distance"]
        rich.print("moves to the end: " + ("neither can force a win" if end is None else str(end)))
        rich.print(f"best moves of {sides(chosen)[described['turn']]}: {', '.join(described['best_moves'])}")
    elif "strategy0" in described:
        rich.print(strategy_table(chosen, described))
    elif not by_chance:
        rich.print("Chance decides here. With --at, name a state at which a player chooses.")
    if "states" in described:
        rich.print(results_table(chosen, described["states"]))
    file = out or (default_path(chosen) if chosen.indexed_rules is not None else None)
    if file is not None and file.exists():
        print(f"The solution is kept in {file}.")
    return solution


def strategy_table(game: Game, described: dict[str, Any], title: str = "equilibrium") -> Table:
    """Returns the strategies of the players to move as a table."""
    if "turn" in described:
        table = Table("action", f"{sides(game)[described['turn']]}, to move", title=title)
        for action, probability in described[f"strategy{described['turn']}"].items():
            table.add_row(action, f"{probability:.4f}")
        return table
    table = Table("action", *sides(game), title=title)
    both = [described["strategy0"], described["strategy1"]]
    for action in dict.fromkeys([*both[0], *both[1]]):
        table.add_row(action, *(f"{side[action]:.4f}" if action in side else "" for side in both))
    return table


def results_table(game: Game, kinds: list[dict[str, Any]]) -> Table:
    """Returns the number of states that each player wins as a table, with a line for the totals."""
    fields = [name for name in kinds[0] if name not in RESULTS]
    table = Table(*fields, title="states")
    for name in ("won by player 0", "draws", "won by player 1", "all"):
        table.add_column(sided(game, name), justify="right")
    total = dict.fromkeys(fields, "all") | {name: sum(kind[name] for kind in kinds) for name in RESULTS}
    for kind in [*kinds, total] if fields else kinds:
        numbers = [kind[name] for name in RESULTS]
        table.add_row(*(kind[field] for field in fields), *(f"{number:,}" for number in [*numbers, sum(numbers)]))
    return table
