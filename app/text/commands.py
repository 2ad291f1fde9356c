"""The commands of ``nashzoo text``."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, Union

from tyro.conf import Positional, arg, subcommand

from nashzoo.app.menace.commands import RUN_DIR, Quiet, be_quiet
from nashzoo.app.shared.arguments import Param


def _dataset(
    game: Annotated[Positional[str], arg(metavar="GAME", help="Name of the game, its module or its file.")],
    /,
    states: Annotated[int, arg(help="The most choices; all of the game if it has no more, else those of self-play.")],
    out: Annotated[Path, arg(aliases=RUN_DIR, help="File of JSON lines to write.")],
    param: Param = (),
    seed: Annotated[int, arg(help="Seed of everything random.")] = 0,
    prompt: Annotated[Literal["text", "json"], arg(help="The form of what a player reads.")] = "text",
    disguise: Annotated[int | None, arg(help="Seed of a disguise, the game in invented words.")] = None,
    play: Annotated[
        Literal["equilibrium", "uniform"],
        arg(help="Self-play: the equilibrium with a quarter of uniform actions, or uniform ones alone."),
    ] = "equilibrium",
    quiet: Quiet = False,
) -> None:
    """Write choices in words, with the equilibrium, the value and the regret of each action.

    Example: nashzoo text dataset footsies_v0 --states 300 --out footsies.jsonl
    """
    from nashzoo.app.text import dataset

    be_quiet(quiet)
    dataset.main(game, param, states, out, seed, prompt, disguise, play)


def _review(
    file: Annotated[Positional[Path], arg(metavar="FILE", help="JSON of an episode of Kaggle's.")],
    /,
    game: Annotated[str | None, arg(help="Name of the game; that of OpenSpiel in the file when left out.")] = None,
    param: Param = (),
    json: Annotated[bool, arg(help="Print JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Print the exact regret of each action in a replay of Kaggle's Game Arena.

    Example: nashzoo text review episode.json --game tictactoe_v0
    """
    from nashzoo.app.text import replays

    be_quiet(quiet)
    replays.main(file, game, param, json)


SUBCOMMANDS: dict[str, Callable[..., Any]] = {"dataset": _dataset, "review": _review}


def commands(
    command: Annotated[
        Union[  # noqa: UP007  # tyro needs this form
            Annotated[Any, subcommand("dataset", constructor=SUBCOMMANDS["dataset"])],
            Annotated[Any, subcommand("review", constructor=SUBCOMMANDS["review"])],
        ],
        arg(name=""),
    ],
) -> None:
    """Train and evaluate language models by exact regret: dataset, review."""
