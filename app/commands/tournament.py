"""Let players play each other.

Prints the standings (points per game, Elo ratings, the Nash average, shares of games) and the cross table, with
95 % intervals, and writes both as CSV and as pictures.

Example: nashzoo tournament footsies_v0 --agents random counter bayesian nash --games 10000 --seed 1
"""

from pathlib import Path
from typing import Annotated

import rich
from rich.markup import escape
from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import PLAYER, RUN_DIR, GameName, Json, Param, Quiet, Ray, be_quiet

GAMES = 10_000  # of each pair
MOST_GAMES = 10_000_000  # of each pair that plays until its points are known


def main(
    game: GameName,
    players: Annotated[Positional[tuple[str, ...]], arg(metavar="[PLAYER ...]", help="The same as --agents.")] = (),
    /,
    agents: Annotated[
        tuple[str, ...],
        arg(help=f"Players, with options as in 'mcts(simulations=10)'; all scripted ones if none. Each is {PLAYER}."),
    ] = (),
    games: Annotated[
        int | None, arg(help="Games of every pair, half in each seat; when left out 10,000, with --until 10,000,000.")
    ] = None,
    seed: Annotated[int, arg(help="Seed of everything random.")] = 0,
    param: Param = (),
    out: Annotated[
        Path, arg(aliases=RUN_DIR, help="Folder for CSV files and pictures; an interrupted tournament resumes.")
    ] = Path("tournament"),
    exact: Annotated[bool, arg(help="Compute exact points and exploitability of players without a memory.")] = False,
    luck_adjusted: Annotated[
        bool, arg(help="Subtract luck: good players need far fewer games for an interval.")
    ] = False,
    until: Annotated[float | None, arg(help="Play until points are known to ± this, in a 95 % interval.")] = None,
    processes: Annotated[int | None, arg(help="Number of processes; one when left out.")] = None,
    ray: Ray = None,
    as_json: Json = False,
    save_games: Annotated[
        Path | None, arg(help="Folder for records of all games, or one file, GAMES.jsonl. Slows playing down.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Plays the tournament, prints its tables, and writes the files.

    Raises:
        UsageError: the folder holds another tournament.
    """
    from nashzoo.agents import names
    from nashzoo.agents.loading import called
    from nashzoo.app.shared import tournament_tables as tables
    from nashzoo.app.shared.interruption import continued_in
    from nashzoo.app.shared.parsing import game_of
    from nashzoo.arena.records import SUFFIX, gather
    from nashzoo.arena.standings import standings
    from nashzoo.arena.tasks import RESULTS
    from nashzoo.arena.tournament import tournament
    from nashzoo.envs.base.errors import UsageError
    from nashzoo.envs.base.json_text import json_text
    from nashzoo.envs.base.progress import progress_bar

    be_quiet(quiet)
    chosen = game_of(game, param)
    games = (GAMES if until is None else MOST_GAMES) if games is None else games
    entered = (*players, *agents) or tuple(name for name in names(chosen) if name != "manual")
    settings = {"game": repr(chosen), "agents": entered, "games": games, "seed": seed, "exact": exact}
    settings |= {"luck_adjusted": luck_adjusted, "until": until}
    titles = [called(name) for name in entered]
    if twice := [title for title in titles if titles.count(title) > 1]:
        raise UsageError(
            f"{twice[0]} takes part twice; name it once, or with other options, a language model with name="
        )
    parts = save_games
    if save_games is not None and save_games.suffix == SUFFIX:
        if save_games.exists():
            raise UsageError(f"{save_games} is there already; choose another --save-games")
        parts = save_games.with_name(f"{save_games.name}.parts")
    with continued_in(out):
        tables.check_free(out, settings)
        with progress_bar("playing") as show:
            played = tournament(
                chosen, dict(zip(titles, entered, strict=True)), games, seed, show,
                exact=exact, processes=processes, ray=ray, folder=out, records=parts, source=game,
                luck_adjusted=luck_adjusted, until=until,
            )  # fmt: skip
        if save_games is not None and parts is not None and parts != save_games:
            gather(parts, save_games)
        everyone = standings(played)
        tables.write_settings(out, settings)  # first, so that every table has its settings beside it
        paths = tables.write_tables(played, everyone, out)
        if as_json:
            print(json_text(tables.as_dictionary(played, everyone), None))
        else:
            rich.print(tables.standings_table(played, everyone))
            if len(played.names) <= tables.SHOWN:
                rich.print(tables.cross_table(played))
            else:
                rich.print(f"The cross table of {len(played.names)} players is in the files.")
            if played.wide:
                rich.print(escape(tables.not_reached(played)))
        paths += tables.cross_table_picture(played, out / "cross_table")  # last, since matplotlib may not be installed
        paths += tables.ratings_picture(everyone, repr(chosen), out / "ratings")
        if not as_json:
            rich.print("Written to " + ", ".join(map(str, paths[:-1])) + f" and {paths[-1]}.")
        (out / RESULTS).unlink()  # only an interrupted tournament needs it
