"""Perfect play for people who play: tables, notes behind moves, and hints."""

from functools import lru_cache

import numpy as np
from rich.console import Console
from rich.table import Table

from nashzoo.agents.basic.keyboard import action_keys
from nashzoo.app.shared.words import points_text
from nashzoo.baselines import Solution
from nashzoo.baselines.certificate.checker import CertificateError
from nashzoo.baselines.choices import choice_at
from nashzoo.baselines.even_solution import evened
from nashzoo.baselines.forms import form_of
from nashzoo.baselines.store import default_path, solution_of
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import counted
from nashzoo.envs.core.game import Game
from nashzoo.envs.rules.pieces import BOTH

UNKNOWN = "unknown"  # the value of what a player sees, where the other's perfect strategy never leads
SHOWN = 5e-5  # the smallest probability or loss that is shown: with four digits smaller ones are 0


@lru_cache(1)  # for all hints and matches
def _solution_of(game: Game) -> Solution:
    return evened(solution_of(game))


def quick_solution(game: Game) -> Solution | str:
    """Returns the exact solution of a game, or a sentence on why it is not available at once."""
    is_kept = game.indexed_rules is not None
    try:
        if form_of(game).solved_in_seconds or (is_kept and default_path(game).exists()):
            return _solution_of(game)
    except (UsageError, CertificateError) as error:
        return f"perfect play is not known: {error}"
    once = f"; nashzoo solve {game.name} does, once, or play with --verbose" if is_kept else ", and is not kept"
    return f"perfect play takes minutes to compute{once}"


def worth_to(solution: Solution, code: int, player: int) -> float:
    """Returns the value of a state, in which somebody chooses, to a player, points.

    With hidden information it is that of what the player, who is to move, sees: nan where the other's perfect strategy
    never leads.
    """
    if not solution.has_values:
        return choice_at(solution, code, player).value
    return solution.value(code) * (1 if player == 0 else -1)


def _worth_text(solution: Solution, code: int, player: int) -> str:
    """Returns the value of a state to a player in words."""
    value = worth_to(solution, code, player)
    return UNKNOWN if np.isnan(value) else points_text(round(solution.game.points(value, code), 4))


def page_of(solution: Solution, code: int, player: int, seat: int) -> str:
    """Returns the value of a state to ``player``, who is to move; where both choose, their equilibrium, with keys.

    The player in ``seat`` is called "you".
    """
    if solution.game.turn(code) != BOTH or not solution.has_values:
        value, distance = _worth_text(solution, code, player), solution.distance(code)
        ends = "" if distance is None else f", and ends in {counted(distance, 'move')}"
        ends = ": the other does not lead here in perfect play" if value == UNKNOWN else ends
        return f"worth {value} to {'you' if seat == player else 'the other'}{ends}"
    console = Console(width=78)
    with console.capture() as captured:
        console.print(equilibrium_table(solution, code, seat, player))
    return "\n".join(line.rstrip() for line in captured.get().rstrip("\n").splitlines())


def equilibrium_table(solution: Solution, code: int, seat: int, asked: int) -> Table:
    """Returns both equilibrium strategies where both choose, the value to ``seat``, and keys of who is ``asked``."""
    game = solution.game
    value = points_text(round(game.points(worth_to(solution, code, seat), code), 4))
    table = Table(f"equilibrium, worth {value} to you", "you", "other", box=None, pad_edge=False)
    strategies = solution.strategies(np.array([code]))
    sides = [(strategies[player][0], game.legal_actions(code, player)) for player in (seat, 1 - seat)]
    keys = action_keys(game.actions, game.legal_actions(code, asked))
    for action, name in enumerate(game.actions):
        if any(action in legal for _, legal in sides):
            named = f"\\[{keys[action]}] {name}" if action in keys else name
            table.add_row(named, *(f"{mix[action]:.4f}" if action in legal else "" for mix, legal in sides))
    return table


def move_notes(solution: Solution, code: int, player: int) -> dict[int, str]:
    """Returns for each move its value to the player to move, the number of moves to the end, and its regret.

    Empty where both players choose: there :func:`equilibrium_table` is shown.
    """
    game = solution.game
    if game.turn(code) == BOTH and solution.has_values:
        return {}
    choice = choice_at(solution, code, player)
    notes = {}
    for action, regret in zip(choice.actions, choice.regrets.tolist(), strict=True):
        left = _moves_left(solution, code, player, action)
        value = round(game.points(choice.value - regret, code), 4)
        parts = [points_text(value) + ("" if left is None else f" in {left}")]
        parts += [f"loses {round(regret, 4):g}"] if regret >= SHOWN else []
        notes[action] = "" if np.isnan(choice.value) else f"({', '.join(parts)})"
    return notes


def _moves_left(solution: Solution, code: int, player: int, action: int) -> int | None:
    """Returns the number of moves to the end after an action of the player to move; None where none is sure."""
    game = solution.game
    if solution.distances is None:
        return None
    after = game.step(code, *((action, 0) if player == 0 else (0, action)))
    left = 0 if game.terminal(after) else solution.distance(after)
    return None if left is None else 1 + left


def advice(solution: Solution, code: int, player: int) -> str:
    """Returns the moves of a perfect player, in one sentence."""
    game = solution.game
    value = _worth_text(solution, code, player)
    mix = solution.strategies(np.array([game.information_state(code, player)]))[player][0]
    if game.turn(code) == BOTH or not solution.has_values:
        likely = [action for action in np.argsort(-mix, kind="stable").tolist() if mix[action] >= SHOWN]
        played = ", ".join(f"{game.action_label(code, action)} {mix[action]:.4f}" for action in likely)
        worth_it = "" if value == UNKNOWN else f"; the game is worth {value} to it"
        return f"A perfect player draws from {played}{worth_it}."
    if solution.distances is None:
        good = [action for action in game.legal_actions(code, player) if mix[action] >= SHOWN]
    else:
        good = np.flatnonzero(solution.optimal_actions(np.array([code]))[0]).tolist()
    distance = solution.distance(code)
    ends = "" if distance is None else f", and ends in {counted(distance, 'move')}"
    return f"A perfect player plays {' or '.join(game.actions[action] for action in good)}; worth {value}{ends}."
