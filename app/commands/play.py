"""``nashzoo play``: a person against an agent, in the terminal."""

from typing import Any, NamedTuple

import numpy as np
import rich
from rich.table import Table

from nashzoo import agents
from nashzoo.agents.basic.keyboard import InputEnded, KeyboardAgent
from nashzoo.app.command_line.parsing import assignments, game_of
from nashzoo.baselines import Solution
from nashzoo.baselines.store import solution_of
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import BOTH, Game, illegal_action_message


def main(
    game: str,
    against: str,
    param: tuple[str, ...],
    option: tuple[str, ...],
    seat: int,
    seed: int | None,
    verbose: bool = False,
    drive: bool = False,
) -> None:
    """Plays one game and prints its result."""
    if seat not in (0, 1):
        raise UsageError(f"the seat must be 0 or 1, not {seat}")
    chosen = game_of(game, param)
    opponent = agents.as_agent(against, chosen, seed=seed, **assignments(option))
    solution = solution_of(chosen) if verbose else None
    rich.print(f"{chosen}\nYou are player {seat}, the other is {against}.")
    if drive:
        rich.print("Play what you are told to play for it, then enter what its opponent played.")
    person = KeyboardAgent(chosen)
    try:
        result = play(chosen, person, opponent, seat, np.random.default_rng(seed), solution, drive)
    except InputEnded:
        rich.print("\nThe game was left unfinished.")
        return
    print(f"\n{person.view(chosen.observe(result.code, seat))}")
    rich.print({1: "You win.", 0: "A draw.", -1: "You lose."}[int(np.sign(result.points))] + f" ({result.points:+g})")


class Result(NamedTuple):
    """How a game ended."""

    code: int  # the last state
    points: float  # the person's


def play(
    game: Game,
    person: Any,
    opponent: Any,
    seat: int,
    rng: np.random.Generator,
    solution: Solution | None = None,
    drive: bool = False,
) -> Result:
    """Plays a game to its end, telling what everybody played.

    Args:
        game: The game.
        person: The person at the keyboard.
        opponent: The agent.
        seat: The person's seat.
        rng: Draws the start.
        solution: Where what perfect players would do is taken from, to be shown; None to show nothing.
        drive: Show what the agent plays before the person enters anything, so that a person can play the agent's
            moves in a game elsewhere, and enter those of whoever plays there against it.
    """
    code = game.start(rng)
    points = 0.0
    players = [person, opponent] if seat == 0 else [opponent, person]
    memories: list[Any] = [None, None]
    while not game.terminal(code):
        if solution is not None:
            rich.print(equilibrium_table(solution, code, seat))
        actions = [0, 0]
        turn = game.turn(code)
        both = [1 - seat, seat] if drive else [seat, 1 - seat]
        asked = both if turn == BOTH else [turn]
        for player in asked:
            action, memories[player] = players[player].predict(game.observe(code, player), memories[player])
            actions[player] = int(action)
            if actions[player] not in game.legal_actions(code, player):
                legal = game.legal_actions(code, player)
                forfeits = players[player].forfeits
                raise UsageError(forfeits[-1] if forfeits else illegal_action_message(game, player, int(action), legal))
            if drive and player != seat:
                rich.print(f"Play for it: [bold]{game.actions[actions[player]]}[/bold]")
        code = game.step(code, *actions)
        points += game.payoff(code) if seat == 0 else -game.payoff(code)
        told = [
            ("You" if player == seat else "The other") + f" played {game.actions[actions[player]]}." for player in asked
        ]
        rich.print(" ".join(told))
    return Result(code, points)


def equilibrium_table(solution: Solution, code: int, seat: int) -> Table:
    """Returns what perfect players would do at a state, and what it is worth to the person."""
    game = solution.game
    value = solution.value(code) if seat == 0 else -solution.value(code)
    table = Table("action", "you", "other", title=f"equilibrium, worth {round(value, 4) + 0.0:+.4f} to you")
    strategies = solution.strategies(np.array([code]))
    sides = [(player, strategies[player][0], game.legal_actions(code, player)) for player in (seat, 1 - seat)]
    for action, name in enumerate(game.actions):
        if any(action in legal for _, _, legal in sides):
            table.add_row(name, *(f"{mix[action]:.4f}" if action in legal else "" for _, mix, legal in sides))
    return table
