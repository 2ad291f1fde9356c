"""Train and evaluate language models by exact figures: bench, dataset, review."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import rich
from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import RUN_DIR, Json, Param, Quiet, be_quiet


def _dataset(
    game: Annotated[Positional[str], arg(metavar="GAME", help="Name of the game, its module or its file.")],
    /,
    states: Annotated[int, arg(help="The most choices; all of the game if it has no more, else those of self-play.")],
    out: Annotated[Path, arg(aliases=RUN_DIR, help="File of JSON lines to write.")],
    param: Param = (),
    seed: Annotated[int, arg(help="Seed of everything random.")] = 0,
    prompt: Annotated[Literal["text", "json"], arg(help="The form of what a player reads.")] = "text",
    disguise: Annotated[int | None, arg(help="Seed of a disguise, the game in invented words.")] = None,
    legal_actions: Annotated[bool, arg(help="Say which actions are legal, or leave it to the rules.")] = True,
    play: Annotated[
        Literal["equilibrium", "uniform"],
        arg(help="Self-play: the equilibrium with a quarter of uniform actions, or uniform ones alone."),
    ] = "equilibrium",
    quiet: Quiet = False,
) -> None:
    """Write choices in words, with the equilibrium, the value and the regret of each action.

    Example: nashzoo text dataset footsies_v0 --states 300 --out footsies.jsonl
    """
    import numpy as np

    from nashzoo.app.shared.parsing import game_of
    from nashzoo.app.text.dataset import PLAY, VAIN, all_choices, line_of, played_choices
    from nashzoo.baselines.store import solution_of
    from nashzoo.envs.base.files import check_file, written_whole
    from nashzoo.envs.base.json_text import finite
    from nashzoo.envs.base.words import counted
    from nashzoo.envs.core.checks import check_count, check_one_of, check_seed
    from nashzoo.envs.text.prompts import Prompts

    be_quiet(quiet)
    check_count("states", states)
    check_seed(seed)
    check_file(out)
    explored = PLAY[check_one_of("play", play, PLAY)]
    chosen = game_of(game, param)
    prompts = Prompts(chosen, prompt, disguise, legal_actions)
    solution, rng = solution_of(chosen), np.random.default_rng(seed)
    asked = list(itertools.islice(all_choices(solution), states + 1))
    whole = len(asked) <= states
    if not whole:
        asked = list(itertools.islice(played_choices(solution, explored, rng), states))
    with written_whole(out) as temporary, temporary.open("w", encoding="utf-8") as file:
        for one in asked:
            line = finite(line_of(solution, prompts, one, rng))
            file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")
    source = "all that there are" if whole else f"of self-play ({play})"
    more = "" if whole or len(asked) == states else f"; {VAIN:,} more matches met no other"
    rich.print(f"Written to {out}: {counted(len(asked), 'choice')}, {source}{more}.")


def _review(
    file: Annotated[Positional[Path], arg(metavar="FILE", help="JSON of an episode of Kaggle's.")],
    /,
    game: Annotated[str | None, arg(help="Name of the game; that of OpenSpiel in the file when left out.")] = None,
    param: Param = (),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print the exact regret of each action in a replay of Kaggle's Game Arena.

    Example: nashzoo text review episode.json --game tictactoe_v0
    """
    from nashzoo.app.shared.parsing import game_of
    from nashzoo.app.shared.words import sides
    from nashzoo.app.text.replays import forfeited, game_of_replay, replay_of, replayed
    from nashzoo.arena.review import review
    from nashzoo.baselines.store import solution_of
    from nashzoo.envs.base.json_text import json_text

    be_quiet(quiet)
    replay = replay_of(file)
    match = replayed(replay, game_of_replay(replay) if game is None else game_of(game, param))
    reviewed = review(match, solution_of(match.game)) | {"forfeited": forfeited(replay, match)}
    if as_json:
        print(json_text(reviewed))
        return
    print("step  player  regret   action")
    for move in reviewed["moves"]:
        loss = "     -" if move["loss"] is None else f"{move['loss']:.4f}"
        print(f"{move['step']:>4}  {move['player']:>6}  {loss}   {move['action']}")
    for player, total in enumerate(reviewed["totals"]):
        print(f"{sides(match.game)[player]} lost {total:.4f} points by its actions.")
    for player in reviewed["forfeited"]:
        print(f"{sides(match.game)[player]} gave no legal action in the end and forfeited; no regret counts that.")


def _bench(
    player: Annotated[Positional[str], arg(metavar="PLAYER", help="The player, such as llm(model=qwen,mode=samples).")],
    /,
    seed: Annotated[int, arg(help="Draws the games and their words.")] = 0,
    games: Annotated[int, arg(help="Number of games of each of the three families.")] = 4,
    disguises: Annotated[int, arg(help="Wordings in which a language model reads each game; 0 for the plain one.")] = 1,
    out: Annotated[Path | None, arg(aliases=RUN_DIR, help="Folder for the picture and bench.json.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure a player in games that nobody can have seen: matrix games, Markov games, games of cards.

    Example: nashzoo text bench random --seed 7 --games 1
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from nashzoo.agents.loading import called
    from nashzoo.app.text import bench
    from nashzoo.arena.pictures import need_matplotlib
    from nashzoo.envs.base.files import check_folder, write_text
    from nashzoo.envs.base.json_text import json_text
    from nashzoo.envs.base.progress import note, progress_bar
    from nashzoo.envs.base.words import wrapped
    from nashzoo.envs.core.checks import check_count, check_seed

    be_quiet(quiet)
    check_seed(seed)
    check_count("games", games)
    check_count("disguises", disguises, 0)
    if out is not None:
        need_matplotlib()
        check_folder(out)
    chosen = bench.Bench(player, seed, games, disguises)
    if asked := chosen.estimate():
        note(asked)
    outcomes = []
    with progress_bar("measuring") as show:
        for outcome in chosen.outcomes():
            outcomes.append(outcome)
            show(len(outcomes), len(chosen.games))
    text = json_text(bench.described(chosen, outcomes))
    paths: list[Path] = []
    if out is not None:
        paths = [*bench.draw(called(player), outcomes, out / "bench"), out / "bench.json"]
        write_text(paths[-1], text)
    if as_json:
        print(text)
        return
    heading, *rows = bench.table(called(player), outcomes)
    table = Table(*heading, box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for row in rows:
        table.add_row(*row)
    rich.print("Exploitability, share of the stake: the mean of each family")
    rich.print(table)
    if said := bench.unanswered(outcomes):
        print(wrapped(said))
    if paths:
        print(wrapped(f"Written to {', '.join(map(str, paths))}."))


SUBCOMMANDS: dict[str, Callable[..., Any]] = {"bench": _bench, "dataset": _dataset, "review": _review}
