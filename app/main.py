"""The ``nashzoo`` command."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import tyro
from tyro.conf import Positional, arg

from nashzoo.app.command_line.errors import run_program
from nashzoo.app.menace import commands
from nashzoo.app.training.options import Options

Param = Annotated[
    tuple[str, ...], arg(metavar="NAME=VALUE ...", help="Parameters of the game, such as rounds=3 blocks=2.")
]
Option = Annotated[
    tuple[str, ...], arg(metavar="NAME=VALUE ...", help="Options of the agent, such as simulations=1000.")
]
Ray = Annotated[str | None, arg(metavar="HOST:PORT", help="Ray cluster to work on instead; also auto, or local.")]
GameName = Annotated[Positional[str], arg(metavar="GAME", help="Name of the game, such as footsies_v0.")]


def _train(options: Annotated[Options, arg(name="")]) -> None:
    """Train an agent in a game against an opponent, and compare it with the exact solution.

    Example: nashzoo train footsies_v0 --opponent counter
    """
    from nashzoo.app.training import train

    train.main(options)


def _solve(
    game: GameName,
    /,
    param: Param = (),
    at: Annotated[
        str | None, arg(metavar="FIELD=VALUE,...", help="State, such as blocks1=0,hits0=1; the start when left out.")
    ] = None,
    json: Annotated[bool, arg(help="Print JSON.")] = False,
    out: Annotated[Path | None, arg(help="File of a large solution; one in the user's cache when left out.")] = None,
) -> None:
    """Solve a game exactly.

    Prints the value, the certificate, and both equilibrium strategies at a state. A large solution is kept in a
    file, and taken from there the next time.

    Example: nashzoo solve footsies_v0 --at blocks1=0,hits0=1
    """
    from nashzoo.app.commands import solve

    solve.main(game, param, at, json, out)


def _verify(
    target: Annotated[Positional[str], arg(metavar="FILE|GAME", help="File of a large solution, or name of a game.")],
    /,
    param: Param = (),
    json: Annotated[bool, arg(help="Print JSON.")] = False,
) -> None:
    """Prove that a solution is right, by the rules of the game alone.

    Looks at every state, trusts nothing that the solver says, and prints the certificate that it finds. Exit code 1
    and a state where it fails, if the solution does not hold.

    Example: nashzoo verify footsies_v0
    """
    from nashzoo.app.commands import verify

    verify.main(target, param, json)


def _play(
    game: GameName,
    /,
    against: Annotated[str, arg(help="Who to play against: an agent's name, or a saved model.")] = "nash",
    param: Param = (),
    option: Option = (),
    seat: Annotated[int, arg(help="Your seat, 0 or 1.")] = 0,
    seed: Annotated[int | None, arg(help="Seed of the opponent's choices.")] = None,
    verbose: Annotated[bool, arg(help="Show the equilibrium before every choice.")] = False,
    drive: Annotated[bool, arg(help="Show the agent's move first, to play it in a game elsewhere.")] = False,
) -> None:
    """Play a game in the terminal.

    Example: nashzoo play footsies_v0 --against bayesian --verbose
    """
    from nashzoo.app.commands import play

    play.main(game, against, param, option, seat, seed, verbose, drive)


def _tournament(
    game: GameName,
    /,
    agents: Annotated[tuple[str, ...], arg(help="Names of agents or saved models; all scripted ones if none.")] = (),
    games: Annotated[int, arg(help="Games for every pair, half of them with the seats swapped.")] = 10_000,
    seed: Annotated[int, arg(help="Seed of everything random.")] = 0,
    param: Param = (),
    out: Annotated[Path, arg(help="Folder for CSV file and picture; an interrupted one goes on.")] = Path("tournament"),
    exact: Annotated[bool, arg(help="Also compute points per game of pairs who choose by the state alone.")] = False,
    processes: Annotated[int | None, arg(help="How many to play in; one when left out.")] = None,
    ray: Ray = None,
) -> None:
    """Let agents play each other, all against all.

    Prints a cross table with confidence intervals, and writes it as CSV and as a picture.

    Example: nashzoo tournament footsies_v0 --agents random counter bayesian nash --games 10000 --seed 1
    """
    from nashzoo.app.commands import tournament

    tournament.main(game, agents, games, seed, param, out, exact, processes, ray)


def _exploitability(
    game: GameName,
    agent: Annotated[Positional[str], arg(metavar="AGENT", help="An agent's name, or a saved model.")],
    /,
    param: Param = (),
    option: Option = (),
    json: Annotated[bool, arg(help="Print JSON.")] = False,
) -> None:
    """Measure exactly how much perfect opponents win from an agent.

    Example: nashzoo exploitability footsies_v0 mcts --option simulations=1000 search_seed=0
    """
    from nashzoo.app.commands import exploitability

    exploitability.main(game, agent, param, option, json)


def _picture(
    game: GameName,
    /,
    param: Param = (),
    at: Annotated[
        str, arg(metavar="FIELD=VALUE,...", help="State, such as board=x...o....; fields left out as at the start.")
    ] = "",
    over: Annotated[
        str | None, arg(metavar="FIELD,FIELD", help="Draw a map: what it is worth for every value of two fields.")
    ] = None,
    line: Annotated[bool, arg(help="Draw perfect play from the state to the end, board by board.")] = False,
    out: Annotated[Path, arg(help="File to write: .png, .svg or .pdf.")] = Path("picture.png"),
) -> None:
    """Draw the exact solution.

    Either a map over two fields, one across and one up, with the others fixed; or a line of perfect play.

    Example: nashzoo picture footsies_v0 --over blocks0,blocks1 --at hits0=1
    """
    from nashzoo.app.commands import picture

    picture.main(game, param, at, over, line, out)


def _population(
    game: GameName,
    /,
    agent: Annotated[tuple[str, ...], arg(metavar="AGENT ...", help="Whom to evaluate: names, scripts, saved models.")],
    population: Annotated[
        str, arg(help="openspiel (its Roshambo bots), scripted (ours), or a folder of scripts and saved models.")
    ] = "scripted",
    matches: Annotated[int, arg(help="Matches with each member of the population.")] = 20,
    seed: Annotated[int, arg(help="Seed of everything random.")] = 0,
    param: Param = (),
    processes: Annotated[int | None, arg(help="How many to play in; all processors when left out.")] = None,
    ray: Ray = None,
    out: Annotated[Path, arg(help="Folder for results, CSV file and picture; goes on where it was.")] = Path(
        "population"
    ),
) -> None:
    """Measure players against a population, on average and at worst.

    Prints population return, within-population exploitability and aggregate score (Lanctot et al. 2023), and writes
    the cross table as CSV and as a picture.

    Example: nashzoo population footsies_v0 --agent nash mcts --population scripted --matches 40
    """
    from nashzoo.app.commands import population as command

    command.main(game, agent, population, matches, seed, param, processes, ray, out)


def _results(
    games: Annotated[
        Positional[tuple[str, ...]], arg(metavar="GAME ...", help="Names of games; all when left out.")
    ] = (),
    /,
    seeds: Annotated[int, arg(help="How often whoever depends on chance is made anew.")] = 3,
    timesteps: Annotated[int | None, arg(help="Decisions that everyone learns from; 300,000 when left out.")] = None,
    seconds: Annotated[float | None, arg(help="How long everyone learns instead.")] = None,
    processes: Annotated[int | None, arg(help="How many to work in; all processors when left out.")] = None,
    ray: Ray = None,
    out: Annotated[Path, arg(help="Folder for results, tables and pictures; goes on where it was.")] = Path("results"),
) -> None:
    """Measure everyone who learns, searches or plays each game: the table of results.

    Prints how exploitable everyone is, and writes all figures as CSV, as text and as pictures.

    Example: nashzoo results tictactoe_v0 --seeds 3 --timesteps 300000
    """
    from nashzoo.app.results import results

    results.main(games, seeds, timesteps, processes, ray, out, seconds)


def _export(
    game: GameName,
    agent: Annotated[Positional[str], arg(metavar="AGENT", help="The player's name.")],
    /,
    format: Annotated[str, arg(help="rpscontest or kaggle.")] = "rpscontest",
    param: Param = (),
    option: Option = (),
    seed: Annotated[
        int | None, arg(help="Seed of its random numbers; other ones in every match when left out.")
    ] = None,
    out: Annotated[Path | None, arg(help="File to write; AGENT_player.py when left out.")] = None,
) -> None:
    """Write a Roshambo player as a single file that runs without nashzoo.

    It throws move for move what the player throws with the same random numbers.

    Example: nashzoo export roshambo_v0 random --format kaggle
    """
    from nashzoo.app.commands import export

    export.main(game, agent, format, param, option, seed, out)


def _list() -> None:
    """List the games, their parameters, and who plays them.

    Example: nashzoo list
    """
    from nashzoo.app.commands import catalogue

    catalogue.main()


DESCRIPTION = "Two-player zero-sum games whose exact solution is known: solve them, play them, measure players."

COMMANDS: dict[str, Callable[..., Any]] = {
    "train": _train,
    "solve": _solve,
    "verify": _verify,
    "play": _play,
    "tournament": _tournament,
    "exploitability": _exploitability,
    "population": _population,
    "results": _results,
    "export": _export,
    "picture": _picture,
    "menace": commands.commands,
    "list": _list,
}


def main() -> int:
    """Runs the command; returns its exit code."""
    config = (tyro.conf.FlagCreatePairsOff,)
    return run_program(
        "nashzoo",
        lambda: tyro.extras.subcommand_cli_from_dict(COMMANDS, prog="nashzoo", description=DESCRIPTION, config=config),
    )


if __name__ == "__main__":
    sys.exit(main())
