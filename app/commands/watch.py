"""Watch two players: every turn, and what happened in it.

Example: nashzoo watch footsies_v0 'mcts(simulations=1000)' bayesian --games 3 --seed 1
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import PLAYER, Delay, GameName, LuckAdjusted, Param

if TYPE_CHECKING:  # the help does without them
    from nashzoo.app.shared.pace import Pace
    from nashzoo.arena.live_match import LiveMatch


def main(
    game: GameName,
    agent: Annotated[Positional[str], arg(metavar="PLAYER", help=f"Player 0: {PLAYER}.")],
    other: Annotated[Positional[str], arg(metavar="PLAYER", help="Player 1.")],
    /,
    param: Param = (),
    games: Annotated[int, arg(help="Matches to play.")] = 1,
    delay: Delay = None,
    seed: Annotated[int | None, arg(help="Seed of everything random.")] = None,
    verbose: Annotated[bool, arg(help="Show why searches choose: the value that they find.")] = False,
    save: Annotated[Path | None, arg(help="File that records of the matches are added to.")] = None,
    luck_adjusted: LuckAdjusted = False,
) -> None:
    """Plays matches, shows them, and counts their results."""
    import numpy as np

    from nashzoo import agents
    from nashzoo.agents.basic.keyboard import InputEnded
    from nashzoo.app.matches.pages import ending, heading, luck_text
    from nashzoo.app.shared.pace import HELP, Pace
    from nashzoo.app.shared.parsing import game_of
    from nashzoo.app.shared.words import Tally
    from nashzoo.arena import records
    from nashzoo.arena.live_match import LiveMatch
    from nashzoo.arena.luck import luck_of, ready
    from nashzoo.envs.base.words import signed, wrapped
    from nashzoo.envs.core.checks import check_count, check_seed
    from nashzoo.envs.core.seeds import derived

    players = agent, other
    check_count("games", games)
    check_seed(seed)
    chosen = game_of(game, param)
    seeds = [None, None] if seed is None else [derived(seed, player) for player in (0, 1)]
    seated = [agents.as_agent(*each) for each in zip(players, (chosen, chosen), seeds, strict=True)]
    solution = ready(chosen) if luck_adjusted else None
    pace = Pace(delay)
    if save is not None:
        records.check_target(save)
    rng, tallies = np.random.default_rng(seed), [Tally(f"{player}: ") for player in players]
    adjusted: list[float] = []
    try:
        for number in range(games):
            print(("\n" if number else "") + heading(chosen, players, number + 1, games))
            if number == 0 and pace.keys:
                print(wrapped(HELP))
            match = LiveMatch(chosen, seated, rng)
            try:
                go_on = _watched(match, players, pace, verbose)
            finally:
                if save is not None and (match.trajectory.steps or match.ended):
                    records.append(save, [match.record(players, seed, number, game)])
            if match.ended is not None:
                print(wrapped(ending(match.record(players), match.reason)))
                if solution is not None:
                    luck = luck_of(solution, seated, match.trajectory)
                    adjusted.append(chosen.points(match.points - luck.points))
                    print(wrapped(luck_text(chosen, match.points, *luck)))
                for tally, sign in zip(tallies, (1, -1), strict=True):
                    tally.add(sign * match.points, chosen.points(0.0))
            if not go_on:
                break
    except InputEnded:
        print("\nThe game was left unfinished.")
    except KeyboardInterrupt:
        kept = "" if save is None else f" What was played is kept: nashzoo replay {save}"
        raise KeyboardInterrupt(f"The game was left unfinished.{kept}") from None
    finally:
        if len(tallies[0].points) > 1:
            print("\n".join(["", *map(str, tallies)]))
            if adjusted:
                print(wrapped(f"Luck-adjusted points of {players[0]}: {signed(sum(adjusted))}."))


def _watched(match: "LiveMatch", players: tuple[str, str], pace: "Pace", verbose: bool) -> bool:
    """Plays a match page by page, to its end or until it is skipped; returns whether to play the next one.

    While people play it shows what they see.
    """
    from nashzoo.app.matches.pages import page
    from nashzoo.app.shared.pace import BACK, QUIT, SKIP
    from nashzoo.envs.base.words import wrapped

    people = [seat for seat, player in enumerate(match.players) if player.asks_person]
    print(page(match.trajectory, 0, people))
    while match.ended is None:
        with pace:
            asked: Any = pace.wait()
        if asked in (SKIP, QUIT):
            print("The game was left unfinished.")
            return bool(asked == SKIP)
        if asked == BACK:
            print(wrapped("A game in progress can only go forward; with --save, nashzoo replay can go back."))
        elif (step := match.step()) is not None:
            seats = people if match.ended is None else ()
            text = page(match.trajectory, len(match.trajectory.steps), seats, players)
            print(text, end="\n" if text else "")
            for line in match.explanations(step) if verbose and not match.hidden_from else ():
                print(wrapped(line))
    return True
