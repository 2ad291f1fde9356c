"""What is found in a table of probabilities by keys: what it lacks, what it wins, where it departs from equilibria."""

from typing import Any

from nashzoo.baselines import best_response, evaluate, solve
from nashzoo.baselines.forms import form_of
from nashzoo.baselines.information.departures import Departure
from nashzoo.baselines.policies.keyed import SHOWN, KeyedPolicy
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import counted, wrapped
from nashzoo.envs.core.game import Game

WIDTH = 80  # columns
LISTED = {"missing": "missing", "unknown": "no such set", "forgets": "forgets", "rounded": "rounded"}
BOUNDS = "cost", "alone", "lost", "total"  # of a departure


def findings(game: Game, policy: KeyedPolicy) -> dict[str, Any]:
    """Returns what is found, for JSON."""
    found: dict[str, Any] = {"table": policy.findings._asdict()}
    found["game_value"] = game.points(0.0 if game.symmetric else solve(game).start_value)
    found["value"] = game.points(evaluate(game, policy, policy)) if all(policy.complete) else None
    for player in range(2):
        won = best_response(game, policy, player).value if policy.complete[1 - player] else None
        found[f"best_response_{player}"] = None if won is None else game.points(won)
    found["departures"] = []
    for player in (0,) if game.symmetric else (0, 1):
        if policy.complete[player]:
            try:
                departed = form_of(game).departures(policy, player, solve(game).start_estimate)
                found["departures"] += [_departure(game, policy, each) for each in departed]
            except UsageError as error:
                found["no_departures"] = str(error)
    return found


def _departure(game: Game, policy: KeyedPolicy, at: Departure) -> dict[str, Any]:
    legal = game.legal_actions(at.code, at.player)
    rows = {"plays": at.plays, "equilibrium": at.equilibrium}
    return (
        {"player": at.player, "key": policy.key_of(at.player, at.code), "code": at.code}
        | {name: {game.actions[action]: float(row[action]) for action in legal} for name, row in rows.items()}
        | {name: list(map(float, getattr(at, name))) for name in BOUNDS}
    )


def keys_in_words(table: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns what a table has and lacks, in lines with a label."""
    sets = counted(table["information_sets"], "information set")
    lines = [("keys", f"{table['keys']:,}, made by {table['naming']!r}; the game has {sets}")]
    for name, label in LISTED.items():
        if listed := table[name]:
            more = f" and {len(listed) - SHOWN:,} more" if len(listed) > SHOWN else ""
            shown = "; ".join(listed[:SHOWN]) if name == "forgets" else ", ".join(map(repr, listed[:SHOWN]))
            lines.append((label, shown + more))
    return lines


def figures_in_words(found: dict[str, Any], names: tuple[str, str]) -> list[tuple[str, str]]:
    """Returns values, best responses and departures, in lines with a label."""
    lines = [("game's value", f"{found['game_value'] + 0.0:.9f} to {names[0]}, in the game's own points")]
    if found["value"] is not None:
        lines.insert(0, ("value", f"{found['value'] + 0.0:.9f} to {names[0]}, of the table against itself"))
    for player in range(2):
        if (won := found[f"best_response_{player}"]) is not None:
            lines.append(("best response", f"wins {won + 0.0:.9f} as {names[player]}"))
    seats = set()
    for at in found["departures"]:
        label, said = "", f"with {at['key']!r} half of what is given up is lost"
        costs = f"this costs {at['cost'][0]:.9f}"
        if at["player"] not in seats:
            seats.add(at["player"])
            label, said = (
                f"first, as {names[at['player']]}",
                f"the first departure from every equilibrium is at {at['key']!r}",
            )
            which = "by itself too" if at["alone"][0] > 0 else "only with what it plays before"
            costs += f"; {which}; {at['total'][0]:.9f} is given up in all"
        rows = f"it plays {_row(at['plays'])}; an equilibrium {_row(at['equilibrium'])}"
        lines += [(label, said), ("", rows), ("", costs)]
    if "no_departures" in found:
        lines.append(("departures", f"not looked for: {found['no_departures']}"))
    elif not found["departures"]:
        lines.append(("departures", "none that costs more than 1e-9 points"))
    return lines


def _row(probabilities: dict[str, float]) -> str:
    return ", ".join(f"{action} {probability:.4g}" for action, probability in probabilities.items())


def print_lines(lines: list[tuple[str, str]]) -> None:
    """Prints lines with their labels, within 80 columns."""
    for label, text in lines:
        print(wrapped(f"{label:<15} {text}", WIDTH, 16 * " "))
