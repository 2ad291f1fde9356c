"""The arguments of the commands, for tyro. Each command imports its implementation when it is called."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from tyro.conf import Positional, arg

from nashzoo.app.menace import commands as menace
from nashzoo.app.menace.commands import RUN_DIR, Quiet, be_quiet
from nashzoo.app.shared.arguments import LOADS_CODE, PLAYER, Param
from nashzoo.app.text import commands as text

Option = Annotated[
    tuple[str, ...], arg(metavar="NAME=VALUE ...", help="Options of the agent, such as simulations=1000.")
]
Ray = Annotated[str | None, arg(metavar="HOST:PORT", help="Ray cluster to work on instead; also auto, or local.")]
Json = Annotated[bool, arg(help="Print JSON.")]
NAMED = arg(metavar="GAME", help="Name of the game, such as footsies_v0; or its module, or its file: ./goofspiel.py")
GameName = Annotated[Positional[str], NAMED]
GameOfFile = Annotated[
    str | None, arg(metavar="GAME", help="Module or file of the file's game, if the game has no registered name.")
]


def _train() -> Callable[..., Any]:
    """Returns the command with its options, whose import is slow."""
    from nashzoo.app.training.options import Options

    def train(options: Annotated[Options, arg(name="")], quiet: Quiet = False, json: Json = False) -> None:
        """Train an agent in a game against an opponent, and compare it with the exact solution.

        Example: nashzoo train footsies_v0 --opponent counter
        """
        from nashzoo.app.training.train import main

        be_quiet(quiet)
        main(options, json)

    return train


def _solve(
    game: Annotated[Positional[str | None], NAMED] = None,
    /,
    matrix: Annotated[Path | None, arg(metavar="FILE", help="A matrix, .csv, .tsv or .nfg, for a game.")] = None,
    param: Param = (),
    at: Annotated[
        str | None, arg(metavar="FIELD=VALUE,...", help="State, such as blocks1=0,hits0=1; the start when left out.")
    ] = None,
    json: Json = False,
    out: Annotated[
        Path | None, arg(aliases=RUN_DIR, help="File of a large solution; one in the user's cache when left out.")
    ] = None,
    tolerance: Annotated[
        float | None, arg(help="Points, the largest certificate with hidden information; 1e-9 when left out.")
    ] = None,
    ray: Ray = None,
    num_procs: Annotated[int | None, arg(help="Processors to solve with, at most; all when left out.")] = None,
    quiet: Quiet = False,
) -> None:
    """Solve a game exactly.

    Prints the value, the certificate, and both equilibrium strategies at a state. A large solution is kept in a
    file, and taken from there the next time; after an interruption the work goes on.

    Example: nashzoo solve footsies_v0 --at blocks1=0,hits0=1
    """
    from nashzoo.app.commands import solve
    from nashzoo.envs.base.threads import at_most
    from nashzoo.envs.core.checks import check_count

    be_quiet(quiet)
    with at_most(None if num_procs is None else check_count("num_procs", num_procs)):
        solve.main(solve.chosen(game, matrix), param, at, json, out, tolerance, ray)


def _verify(
    target: Annotated[Positional[str], arg(metavar="FILE|GAME", help="File of a large solution, or name of a game.")],
    /,
    param: Param = (),
    game: GameOfFile = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Prove that a solution is right, by the rules of the game alone.

    Checks every state, uses no result of the solver, and prints the certificate. If the solution does not hold,
    prints a state where it fails; the exit code is 1.

    Example: nashzoo verify footsies_v0
    """
    from nashzoo.app.commands import verify

    be_quiet(quiet)
    verify.main(target, param, json, game)


def _check(
    game: GameName,
    /,
    param: Param = (),
    states: Annotated[int, arg(help="Largest number of states to list.")] = 2_000_000,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look for what is wrong with the rules of a game.

    Lists all reachable states and checks their codes, observations, legal actions, rewards and mirror images, and
    whether the game can end. Prints a sentence for each kind of problem; the exit code is 1 if there is any.

    Example: nashzoo check footsies_v0
    """
    from nashzoo.app.commands import check

    be_quiet(quiet)
    check.main(game, param, states, json)


def _check_trainer(
    trainer: Annotated[
        Positional[str],
        arg(
            metavar="MODULE:FUNCTION",
            help="Your training function: ./ppo.py:train, or my_package.ppo:train; or a learner, ./mine.py:Mine.",
        ),
    ],
    /,
    probe: Annotated[tuple[str, ...], arg(metavar="NAME ...", help="Probes to run; all when left out.")] = (),
    seed: Annotated[int, arg(help="Seed that the training function is given.")] = 0,
    factor: Annotated[float, arg(help="Multiplies the numbers of decisions, for learners that need more.")] = 1.0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look for mistakes in code for self-play, on tiny games whose right play is known.

    The function is called as train(game, decisions, seed), and returns a policy, which is measured exactly. Prints what
    it loses in each game, and which known mistakes look like that; the exit code is 1 if it loses too much.

    Example: nashzoo check-trainer ./ppo.py:train --probe one_state seats
    """
    from nashzoo.app.commands import check_trainer

    be_quiet(quiet)
    check_trainer.main(trainer, probe, seed, factor, json)


def _play(
    game: GameName,
    /,
    against: Annotated[str, arg(help=f"Your opponent: {PLAYER}.")] = "nash",
    param: Param = (),
    option: Option = (),
    seat: Annotated[int, arg(help="Your seat, 0 or 1.")] = 0,
    seed: Annotated[int | None, arg(help="Seed of the opponent's choices.")] = None,
    verbose: Annotated[bool, arg(help="Show the equilibrium before every choice.")] = False,
    drive: Annotated[
        bool, arg(help="Have the agent play in your seat: play its moves in a game elsewhere, enter the other's.")
    ] = False,
    games: Annotated[int, arg(help="Games to play; wins, draws and losses are counted.")] = 1,
    save: Annotated[Path | None, arg(help="File that records of the games are added to.")] = None,
) -> None:
    """Play a game in the terminal.

    Type help for what can be entered besides moves: hint, undo, draw, quit.

    Example: nashzoo play footsies_v0 --against bayesian --verbose
    """
    from nashzoo.app.matches import play

    play.main(game, against, param, option, seat, seed, verbose, drive, games, save)


def _watch(
    game: GameName,
    agent: Annotated[Positional[str], arg(metavar="AGENT", help=f"Player 0: {PLAYER}.")],
    other: Annotated[Positional[str], arg(metavar="AGENT", help="Player 1.")],
    /,
    param: Param = (),
    games: Annotated[int, arg(help="Matches to play.")] = 1,
    delay: Annotated[
        float | None, arg(help="Seconds between time steps; when left out half a second at a terminal, else none.")
    ] = None,
    seed: Annotated[int | None, arg(help="Seed of everything random.")] = None,
    verbose: Annotated[
        bool, arg(help="Show why agents choose, if they say: searches, the value that they find.")
    ] = False,
    save: Annotated[Path | None, arg(help="File that records of the matches are added to.")] = None,
    luck_adjusted: Annotated[
        bool, arg(help="Solve the game, and say after each match what of its points was luck.")
    ] = False,
) -> None:
    """Watch two agents play: every turn, and what happened in it.

    Example: nashzoo watch footsies_v0 'mcts(simulations=1000)' bayesian --games 3 --seed 1
    """
    from nashzoo.app.matches import watch

    watch.main(game, (agent, other), param, games, delay, seed, save, verbose, luck_adjusted)


def _replay(
    file: Annotated[Positional[Path], arg(metavar="FILE", help="Records of matches, as --save writes them.")],
    /,
    match: Annotated[int | None, arg(help="Number of the match in the file, from 1; all when left out.")] = None,
    delay: Annotated[
        float | None, arg(help="Seconds between time steps; when left out half a second at a terminal, else none.")
    ] = None,
    step: Annotated[bool, arg(help="Wait for Enter after every time step.")] = False,
    game: GameOfFile = None,
    luck_adjusted: Annotated[
        bool, arg(help="Solve the game, and say after each match what of its points was luck.")
    ] = False,
) -> None:
    """Play back matches that were recorded, in the terminal.

    Keys: space pauses and goes on, Enter next, b back, + and - faster and slower, m next match, q quits.

    Example: nashzoo replay games.jsonl --match 2
    """
    from nashzoo.app.matches import replay

    replay.main(file, match, delay, step, game, luck_adjusted)


def _tournament(
    game: GameName,
    /,
    agents: Annotated[
        tuple[str, ...],
        arg(
            help=f"Agents, also with options as in 'mcts(simulations=10)'; all scripted ones if none. Each is {PLAYER}."
        ),
    ] = (),
    games: Annotated[
        int | None,
        arg(
            help="Games for every pair, half with the seats swapped; 10,000 when left out. With --until the maximum; "
            "10,000,000 when left out."
        ),
    ] = None,
    seed: Annotated[int, arg(help="Seed of everything random.")] = 0,
    param: Param = (),
    out: Annotated[
        Path, arg(aliases=RUN_DIR, help="Folder for CSV files and pictures; an interrupted tournament resumes.")
    ] = Path("tournament"),
    exact: Annotated[
        bool, arg(help="Also compute exact points and exploitability of agents that choose by the state alone.")
    ] = False,
    luck_adjusted: Annotated[
        bool,
        arg(help="Solve the game, and subtract luck from scores: good players need far fewer games for an interval."),
    ] = False,
    until: Annotated[
        float | None,
        arg(
            help="Every pair plays until its points per game are known to ± this, in a 95 % interval valid at any "
            "time; the first look is after 200 games."
        ),
    ] = None,
    processes: Annotated[int | None, arg(help="Number of processes; one when left out.")] = None,
    ray: Ray = None,
    json: Json = False,
    save_games: Annotated[
        Path | None,
        arg(
            help="Folder for records of all games, a file for each pair, with --until several numbered in the "
            "order of play; or one file, GAMES.jsonl. Slows playing down."
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Let agents play each other.

    Prints the standings (points per game, Elo ratings, the Nash average, shares of games) and the cross table, with
    95 % intervals, and writes both as CSV and as pictures.

    Example: nashzoo tournament footsies_v0 --agents random counter bayesian nash --games 10000 --seed 1
    """
    from nashzoo.app.commands import tournament

    be_quiet(quiet)
    tournament.main(
        game, agents, games, seed, param, out, exact, processes, ray, json, save_games, luck_adjusted, until
    )


def _exploitability(
    game: GameName,
    agent: Annotated[Positional[str], arg(metavar="AGENT", help=f"The agent: {PLAYER}.")],
    /,
    param: Param = (),
    option: Option = (),
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure exactly how much perfect opponents win from an agent.

    Example: nashzoo exploitability footsies_v0 mcts --option simulations=1000 search_seed=0
    """
    from nashzoo.app.commands import exploitability

    be_quiet(quiet)
    exploitability.main(game, agent, param, option, json)


def _weaknesses(
    game: GameName,
    player: Annotated[
        Positional[str], arg(metavar="PLAYER", help=f"The player: {PLAYER}; with --records a player's name there.")
    ],
    /,
    param: Param = (),
    option: Option = (),
    most: Annotated[int, arg(help="Largest number of states.")] = 10,
    merge: Annotated[bool, arg(help="Put states with the same mistake together.")] = False,
    states: Annotated[
        int | None, arg(help="Ask the player at so many decisions only, drawn from games of the equilibrium.")
    ] = None,
    seed: Annotated[int, arg(help="Seed of these games.")] = 0,
    against: Annotated[
        str | None, arg(metavar="PLAYER", help="Measure what it wins less from this opponent than a best response.")
    ] = None,
    records: Annotated[
        Path | None, arg(metavar="FILE|FOLDER", help="Measure how a player played in matches recorded by --save.")
    ] = None,
    out: Annotated[Path | None, arg(aliases=RUN_DIR, help="File to draw the states into: .png, .svg or .pdf.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show where a player loses points, and why: the states with the largest shares.

    The shares of all states add up to the exploitability. At each state it prints what the player does, what the
    equilibrium does, and the action that punishes it. With --against they add up to what a best response to the
    opponent wins more.

    Example: nashzoo weaknesses footsies_v0 counter
    """
    from nashzoo.app.commands import weaknesses

    be_quiet(quiet)
    weaknesses.main(game, player, param, option, most, merge, states, seed, records, out, json, against)


def _picture(
    game: Annotated[
        Positional[str | None],
        arg(metavar="GAME", help="Name of the game, its module or file; with --replay if not registered."),
    ] = None,
    /,
    param: Param = (),
    at: Annotated[
        str, arg(metavar="FIELD=VALUE,...", help="State, such as board=x...o....; fields left out as at the start.")
    ] = "",
    over: Annotated[
        str | None, arg(metavar="FIELD,FIELD", help="Draw a map: the value of the state for every value of two fields.")
    ] = None,
    line: Annotated[bool, arg(help="Draw perfect play from the state to the end, board by board.")] = False,
    replay: Annotated[Path | None, arg(metavar="FILE", help="Draw a match of this file of records instead.")] = None,
    match: Annotated[int, arg(help="Number of the match in the file, from 1.")] = 1,
    move: Annotated[int | None, arg(help="Draw the state after so many moves; all, as a GIF, when left out.")] = None,
    board: Annotated[bool, arg(help="Draw the state alone, as environments render it.")] = False,
    theme: Annotated[Literal["light", "dark"], arg(help="Colours of --board.")] = "light",
    out: Annotated[Path, arg(aliases=RUN_DIR, help="File to write: .png, .svg or .pdf; for a match .gif.")] = Path(
        "picture.png"
    ),
    quiet: Quiet = False,
) -> None:
    """Draw the exact solution, a state, or a match that was recorded.

    Of the solution either a map over two fields, one across and one up, with the others fixed; or a line of perfect
    play. Of a match all states as an animated GIF, or one of them. --board draws any state.

    Example: nashzoo picture footsies_v0 --over blocks0,blocks1 --at hits0=1
    """
    from nashzoo.app.matches import picture

    be_quiet(quiet)
    picture.main(game, param, at, over, line, out, replay, match, move, board, theme)


def _results(
    games: Annotated[
        Positional[tuple[str, ...]],
        arg(
            metavar="GAME ...",
            help="Names, modules or files of games, with parameters as in footsies_v0:rounds=3; this package's games "
            "when left out.",
        ),
    ] = (),
    /,
    agents: Annotated[
        tuple[str, ...], arg(help=f"More agents to measure, also 'mcts(simulations=50)'. Each is {PLAYER}.")
    ] = (),
    learner: Annotated[
        tuple[str, ...],
        arg(help="More learners that play both seats, by name or by class: my_module:MyLearner, ./file.py:MyLearner."),
    ] = (),
    seeds: Annotated[int, arg(help="Number of seeds for each entrant that depends on chance.")] = 3,
    timesteps: Annotated[int | None, arg(help="Decisions each learner learns from; 300,000 when left out.")] = None,
    seconds: Annotated[float | None, arg(help="Learning time of each learner, in the place of --timesteps.")] = None,
    processes: Annotated[int | None, arg(help="Number of processes; all processors when left out.")] = None,
    ray: Ray = None,
    out: Annotated[Path, arg(aliases=RUN_DIR, help="Folder for results, tables and pictures; resumes.")] = Path(
        "results"
    ),
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure all learners, searches and scripted players of each game: the table of results.

    Prints the exploitability of each, and writes all figures as CSV, as text and as pictures.

    Example: nashzoo results tictactoe_v0 --seeds 2 --timesteps 20000
    """
    from nashzoo.app.results import results

    be_quiet(quiet)
    results.main(games, seeds, timesteps, processes, ray, out, seconds, json, agents, learner)


def _bench(
    learner: Annotated[
        Positional[str],
        arg(
            metavar="LEARNER",
            help="Your learner: a class, my_module:MyLearner or ./file.py:MyLearner; a script, ./train.py; or a name.",
        ),
    ],
    games: Annotated[
        Positional[tuple[str, ...]],
        arg(metavar="GAME ...", help="Games of the protocol, or titles of their sizes; the small ones when left out."),
    ] = (),
    /,
    all: Annotated[bool, arg(help="Run the large games too.")] = False,
    held_out: Annotated[
        int | None, arg(metavar="SEED", help="Also run sizes and games outside the protocol, drawn by this seed.")
    ] = None,
    seeds: Annotated[int, arg(help="Number of seeds; the protocol has 10.")] = 10,
    seconds: Annotated[float, arg(help="Processor seconds of learning in a run; the protocol has 60.")] = 60.0,
    processes: Annotated[int | None, arg(help="Number of processes; all processors when left out.")] = None,
    ray: Ray = None,
    out: Annotated[Path, arg(aliases=RUN_DIR, help="Folder for results and scorecard; resumes.")] = Path("bench"),
    compare: Annotated[
        tuple[Path, ...], arg(metavar="FILE ...", help="What --json printed of other learners, to compare with.")
    ] = (),
    retry: Annotated[bool, arg(help="Do runs that ended with an error again.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a learner of your own by the benchmark's protocol, and make its scorecard.

    It learns in every game with every seed, and is measured exactly while it does. The scorecard shows it beside the
    learners of this package.

    Example: nashzoo bench policy_gradient footsies_v0 --seeds 2 --seconds 2
    """
    from nashzoo.app.bench import bench

    be_quiet(quiet)
    bench.main(learner, games, all, held_out, seeds, seconds, processes, ray, out, compare, retry, json)


def _export(
    game: GameName,
    agent: Annotated[Positional[str], arg(metavar="AGENT", help="The player's name.")],
    /,
    format: Annotated[str, arg(help="rpscontest or kaggle.")] = "rpscontest",
    param: Param = (),
    option: Option = (),
    seed: Annotated[int | None, arg(help="Seed of its random numbers; a new one in every match when left out.")] = None,
    out: Annotated[Path | None, arg(aliases=RUN_DIR, help="File to write; AGENT_player.py when left out.")] = None,
) -> None:
    """Write a Roshambo player as a single file that runs without nashzoo.

    With the same random numbers it makes the same throws as the player.

    Example: nashzoo export roshambo_v0 random --format kaggle
    """
    from nashzoo.app.commands import export

    export.main(game, agent, format, param, option, seed, out)


def _web(
    games: Annotated[
        Positional[tuple[str, ...]],
        arg(
            metavar="GAME|FOLDER ...",
            help="Modules or files with rules of your own (named games are always included), and folders of "
            "training runs, tournaments and results to show.",
        ),
    ] = (),
    /,
    agents: Annotated[
        tuple[str, ...], arg(help=f"Models ({LOADS_CODE}), scripts and classes of your own that may be played.")
    ] = (),
    matches: Annotated[tuple[Path, ...], arg(help="Files of recorded matches that may be watched.")] = (),
    port: Annotated[int, arg(help="Port to listen at; a free one when 0.")] = 0,
    host: Annotated[str, arg(help="Address to listen at; others than 127.0.0.1 let other machines in.")] = "127.0.0.1",
    no_browser: Annotated[bool, arg(help="Open no browser.")] = False,
    export: Annotated[
        Path | None, arg(help="Folder to write static pages to, which play and explore small games without a server.")
    ] = None,
) -> None:
    """Play, watch and look up games in the browser.

    Example: nashzoo web --no-browser --port 8000
    """
    from nashzoo.app.menace.web import menace_page

    if export is not None:
        from nashzoo.app.web import export as static

        static.main(games, agents, export, [menace_page()])
        return
    from nashzoo.app.web import server

    server.main(games, agents, matches, host, port, not no_browser, [menace_page()])


def _mcp(
    games: Annotated[
        Positional[tuple[str, ...]],
        arg(metavar="GAME ...", help="Modules or files with rules of your own; named games are always included."),
    ] = (),
    /,
    agents: Annotated[
        tuple[str, ...], arg(help=f"Models ({LOADS_CODE}), scripts and classes of your own that may be played.")
    ] = (),
    no_oracle: Annotated[bool, arg(help="Leave out the tools that know the exact solution.")] = False,
) -> None:
    """Let language models play and look up games, as tools of the Model Context Protocol.

    A program with a language model starts it, and speaks to it on standard input and output.

    Example: nashzoo mcp --no-oracle
    """
    try:
        import mcp  # noqa: F401
    except ImportError as error:
        from nashzoo.envs.base.errors import MissingPackageError

        raise MissingPackageError(
            "nashzoo mcp needs the package mcp: pip install '.[mcp]' in nashzoo's folder"
        ) from error
    from nashzoo.app.mcp import server

    server.serve(games, agents, not no_oracle)


def _list(
    name: Annotated[
        Positional[str | None], arg(metavar="GAME|LEARNER", help="Say all of a game, or of a learner; else an index.")
    ] = None,
    /,
    json: Json = False,
) -> None:
    """List the games, their parameters, and their agents.

    Example: nashzoo list footsies_v0
    """
    from nashzoo.app.commands import catalogue

    catalogue.main(name, json)


COMMANDS: dict[str, Callable[..., Any]] = {
    "train": _train,
    "solve": _solve,
    "verify": _verify,
    "check": _check,
    "check-trainer": _check_trainer,
    "play": _play,
    "watch": _watch,
    "replay": _replay,
    "tournament": _tournament,
    "exploitability": _exploitability,
    "weaknesses": _weaknesses,
    "results": _results,
    "bench": _bench,
    "export": _export,
    "picture": _picture,
    "menace": menace.commands,
    "text": text.commands,
    "web": _web,
    "mcp": _mcp,
    "list": _list,
}

SUBCOMMANDS = {"menace": menace.SUBCOMMANDS, "text": text.SUBCOMMANDS}


def command(name: str) -> Callable[..., Any]:
    """Returns a command, with all its options."""
    return _train() if name == "train" else COMMANDS[name]
