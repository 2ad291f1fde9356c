"""The commands of ``nashzoo menace``."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from tyro.conf import OmitArgPrefixes, arg, subcommand

if TYPE_CHECKING:  # loading them would slow every other command down
    from nashzoo.agents.learning.menace.boxes import Settings
    from nashzoo.agents.learning.menace.training import Lessons

Side = Annotated[Literal["crosses", "noughts", "both"], arg(help="What MENACE plays; both in turns.")]


@dataclasses.dataclass(frozen=True)
class Beads:
    """What is left out is as in the preset."""

    preset: Annotated[str, arg(help="classroom or michie.")] = "classroom"
    alpha: Annotated[
        tuple[int, ...], arg(help="Beads of a move at first: one number, or four for a side's first to fourth move.")
    ] = ()
    per: Annotated[
        Literal["cell", "kind"] | None, arg(help="What has them: every empty cell, or every kind of move.")
    ] = None
    beta: Annotated[int | None, arg(help="Beads added for every move of a won game.")] = None
    gamma: Annotated[int | None, arg(help="Beads taken for every move of a lost game.")] = None
    delta: Annotated[int | None, arg(help="Beads added for every move of a drawn game.")] = None
    floor: Annotated[
        int | None, arg(help="Beads that every move keeps; with 0 a box may run empty, and MENACE resigns there.")
    ] = None

    def settings(self) -> "Settings":
        """Returns the settings that are meant.

        Raises:
            ValueError: there is no such preset, or a number is out of its range.
        """
        from nashzoo.agents.learning.menace.boxes import settings_of

        said = {name: value for name, value in vars(self).items() if name != "preset" and value not in (None, ())}
        if len(self.alpha) == 1:
            said["alpha"] = self.alpha[0]
        return dataclasses.replace(settings_of(self.preset), **said)


@dataclasses.dataclass(frozen=True)
class School:
    """Who trains MENACE, and how."""

    opponent: Annotated[
        str, arg(help="human; self, another MENACE on the other side; or any agent who chooses by the state.")
    ] = "human"
    probability: Annotated[float, arg(help="Of an optimal move by the human, who else marks any empty cell.")] = 0.7
    final_probability: Annotated[float | None, arg(help="The same after --anneal games; it changes steadily.")] = None
    anneal: Annotated[int, arg(help="Games until the final probability.")] = 1000
    side: Side = "crosses"
    seed: Annotated[int, arg(help="Seed of everything random.")] = 0

    def lessons(self) -> "Lessons":
        """Returns the lessons that are meant.

        Raises:
            ValueError: a number is out of its range.
        """
        from nashzoo.agents.learning.menace.training import Lessons

        return Lessons(**vars(self))


FileOfBoxes = Annotated[Path | None, arg(help="File of boxes, as train writes it.")]


def _train(
    school: OmitArgPrefixes[School],
    beads: OmitArgPrefixes[Beads],
    iterations: Annotated[int, arg(help="Games to play in all.")] = 1000,
    out: Annotated[Path, arg(help="Folder for boxes.json, games.csv, positions.csv and summary.txt.")] = Path("menace"),
    resume: Annotated[bool, arg(help="Go on with the training in the folder, if there is one.")] = False,
) -> None:
    """Train MENACE.

    Example: nashzoo menace train --opponent human --probability 0.7 --iterations 1000 --seed 0 --out menace
    """
    from nashzoo.app.menace import train

    train.main(beads.settings(), school.lessons(), iterations, out, resume)


def _show(
    beads: OmitArgPrefixes[Beads],
    board: Annotated[str, arg(help="Nine characters of . x o, row by row.")] = ".........",
    boxes: FileOfBoxes = None,
) -> None:
    """Show the beads of a box; of one that has learned nothing when no file is given.

    Example: nashzoo menace show --board x...o.... --boxes menace/boxes.json
    """
    from nashzoo.app.menace import show

    show.main(board, boxes, beads.settings())


def _play(
    beads: OmitArgPrefixes[Beads],
    boxes: FileOfBoxes = None,
    learn: Annotated[bool, arg(help="Change the beads after every game and write them to --boxes.")] = False,
    first: Annotated[bool, arg(help="You play crosses and begin.")] = False,
    games: Annotated[int, arg(help="Games to play.")] = 1,
    seed: Annotated[int | None, arg(help="Seed of its draws.")] = None,
) -> None:
    """Play against MENACE in the terminal.

    Without a file it has been taught a little; with --learn and a new file it begins with nothing.

    Example: nashzoo menace play --boxes menace/boxes.json --learn
    """
    from nashzoo.app.menace import play

    play.main(boxes, learn, first, games, beads.settings(), seed)


def _plot(
    beads: OmitArgPrefixes[Beads],
    probabilities: Annotated[tuple[float, ...], arg(help="Of an optimal move by the human, a curve each.")] = (
        0.3,
        0.5,
        0.7,
        0.9,
        1.0,
    ),
    side: Side = "crosses",
    seeds: Annotated[int, arg(help="Trainings to average over.")] = 10,
    iterations: Annotated[int, arg(help="Games of each training.")] = 2000,
    out: Annotated[Path, arg(help="Folder for the pictures and tables.")] = Path("menace-plots"),
) -> None:
    """Draw how MENACE learns: games won, drawn and lost, exploitability, exact chances.

    Example: nashzoo menace plot --probabilities 0.5 0.7 1.0 --seeds 20 --out menace-plots
    """
    from nashzoo.app.menace import plot

    plot.main(beads.settings(), School(side=side).lessons(), probabilities, seeds, iterations, out)


def commands(
    command: Annotated[
        Union[  # noqa: UP007  # as tyro wants it
            Annotated[Any, subcommand("train", constructor=_train)],
            Annotated[Any, subcommand("show", constructor=_show)],
            Annotated[Any, subcommand("play", constructor=_play)],
            Annotated[Any, subcommand("plot", constructor=_plot)],
        ],
        arg(name=""),
    ],
) -> None:
    """The learning matchboxes of tic-tac-toe: train, show, play, plot."""
