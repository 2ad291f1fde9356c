"""Play a game in the terminal.

Type help for what can be entered besides moves: hint, undo, draw, quit.

Example: nashzoo play footsies_v0 --against bayesian --verbose
"""

from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import PLAYER, GameName, Option, Param


def main(
    game: GameName,
    others: Annotated[Positional[tuple[str, ...]], arg(metavar="[PLAYER ...]", help="None: see nashzoo watch.")] = (),
    /,
    against: Annotated[str, arg(help=f"Your opponent: {PLAYER}.")] = "nash",
    param: Param = (),
    option: Option = (),
    seat: Annotated[int, arg(help="Your seat, 0 or 1.")] = 0,
    seed: Annotated[int | None, arg(help="Seed of the opponent's choices.")] = None,
    verbose: Annotated[bool, arg(help="Show the equilibrium before every choice.")] = False,
    drive: Annotated[bool, arg(help="In a game elsewhere --against says your moves; enter the other's.")] = False,
    games: Annotated[int, arg(help="Games to play; wins, draws and losses are counted.")] = 1,
    save: Annotated[Path | None, arg(help="File that records of the games are added to.")] = None,
) -> None:
    """Plays games and prints their results."""
    import numpy as np

    from nashzoo import agents
    from nashzoo.agents.basic.keyboard import InputEnded, KeyboardAgent
    from nashzoo.app.matches.play import Sides, game_for_a_person, greeting, play, unfinished
    from nashzoo.app.shared.parsing import game_of
    from nashzoo.app.shared.words import Tally
    from nashzoo.arena import records
    from nashzoo.arena.live_match import LiveMatch
    from nashzoo.baselines.even_solution import evened
    from nashzoo.baselines.store import solution_of
    from nashzoo.envs.base.assignments import assignments
    from nashzoo.envs.base.errors import UsageError
    from nashzoo.envs.base.words import wrapped
    from nashzoo.envs.core.checks import check_count

    if others:
        advice = f"two players without you: nashzoo watch {game} {others[0]} {others[-1]}"
        raise UsageError(f"you play yourself, and your opponent is --against {others[0]}; {advice}")
    if seat not in (0, 1):
        raise UsageError(f"the seat must be 0 or 1, not {seat}")
    check_count("games", games)
    chosen = game_for_a_person(game, param, against)
    if drive and chosen.has_chance:
        raise UsageError(
            f"chance decides in {chosen.name}, and what it decides elsewhere cannot be entered with --drive"
        )
    opponent = agents.as_agent(against, chosen, seed=seed, **assignments(option))
    if save is not None:
        records.check_target(save)
    solution = evened(solution_of(chosen)) if verbose else None
    print(greeting(chosen, against, Sides(seat, drive)))
    whole = game_of(game, param).options
    short = [name for name in whole if whole[name] != chosen.options[name]]
    if short:
        here, usual = (", ".join(f"{name}={options[name]}" for name in short) for options in (chosen.options, whole))
        print(wrapped(f"It is played with {here} here; its usual length is --param {usual}."))
    person, rng, tally = KeyboardAgent(chosen), np.random.default_rng(seed), Tally("You have ")
    players: list[Any] = [person, opponent] if (seat == 0) != drive else [opponent, person]
    other = records.called({"name": against, "options": assignments(option)}) if option else against
    names = ("manual", other) if players[0] is person else (other, "manual")
    match = None
    try:
        for number in range(games):
            if games > 1:
                print(f"\nGame {number + 1} of {games}")
            match = LiveMatch(chosen, players, rng)
            try:
                play(match, Sides(seat, drive), solution)
            finally:
                if save is not None and (match.trajectory.steps or match.ended):
                    records.append(save, [match.record(names, seed, number, game)])
            tally.add(match.points if seat == 0 else -match.points, chosen.points(0.0))
            if games > 1:
                print(f"{tally}.")
    except InputEnded:
        print(unfinished(match, seat, tally, save))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(unfinished(match, seat, tally, save).lstrip()) from None
