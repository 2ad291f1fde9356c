"""The learning matchboxes of tic-tac-toe: train, show, play, plot."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tyro.conf import OmitArgPrefixes, arg

from nashzoo.app.shared.arguments import PLAYER, RUN_DIR, Json, Quiet, be_quiet

if TYPE_CHECKING:  # the help does without them
    from nashzoo.agents.learning.menace.boxes import Settings
    from nashzoo.agents.learning.menace.training import Lessons

PLOTTED = (0.3, 0.5, 0.7, 0.9, 1.0)
Side = Literal["crosses", "noughts", "both"]


@dataclasses.dataclass(frozen=True)
class Beads:
    """Options that are left out have the values of the preset."""

    preset: Annotated[str | None, arg(help="classroom or michie; classroom when left out.")] = None
    alpha: Annotated[
        tuple[int, ...], arg(help="Beads of a move at first: one number, or four for a side's first to fourth move.")
    ] = ()
    per: Annotated[
        Literal["cell", "kind"] | None, arg(help="What these beads are for: every empty cell, or every kind of move.")
    ] = None
    beta: Annotated[int | None, arg(help="Beads added for every move of a won game.")] = None
    gamma: Annotated[int | None, arg(help="Beads taken for every move of a lost game.")] = None
    delta: Annotated[int | None, arg(help="Beads added for every move of a drawn game.")] = None
    floor: Annotated[
        int | None, arg(help="Beads that every move keeps; with 0 a box may run empty, and MENACE resigns there.")
    ] = None

    def settings(self) -> "Settings":
        """Returns the settings that these options describe.

        Raises:
            ValueError: there is no such preset, or a number is out of its range.
        """
        from nashzoo.agents.learning.menace.boxes import settings_of

        said = {name: value for name, value in vars(self).items() if name != "preset" and value not in (None, ())}
        preset = settings_of("classroom" if self.preset is None else self.preset)
        if len(self.alpha) == 1:
            said["alpha"] = self.alpha[0]
        return dataclasses.replace(preset, **said)

    def settings_or_none(self) -> "Settings | None":
        """Returns the settings that these options describe, None if there are no options."""
        return None if self == Beads() else self.settings()


@dataclasses.dataclass(frozen=True)
class School:
    """The trainer of MENACE, and its options."""

    opponent: Annotated[
        str, arg(help=f"human; self, another MENACE; or any agent that chooses by the state: {PLAYER}.")
    ] = "human"
    probability: Annotated[float, arg(help="Of an optimal move by the human, who else marks any empty cell.")] = 0.7
    final_probability: Annotated[float | None, arg(help="The same after --anneal games; it changes steadily.")] = None
    anneal: Annotated[int | None, arg(help="Games until the final probability; 1000 when left out.")] = None
    side: Annotated[
        Side | None, arg(help="What MENACE plays, both in turns; crosses when left out. Against self it plays both.")
    ] = None
    menace_probability: Annotated[
        float, arg(help="Of a move by a bead, the source's menace_agent_prob; else MENACE too marks any empty cell.")
    ] = 1.0
    seed: Annotated[int, arg(help="Seed of everything random.")] = 0

    def lessons(self) -> "Lessons":
        """Returns the lessons that these options describe.

        Raises:
            ValueError: a number is out of its range, or an option would change nothing.
        """
        from nashzoo.agents.learning.menace.training import SELF, Lessons
        from nashzoo.envs.base.errors import UsageError

        if self.anneal is not None and self.final_probability is None:
            raise UsageError("--anneal says when --final-probability is reached; give that too, or leave out --anneal")
        if self.side is not None and self.opponent == SELF:
            raise UsageError(f"against {SELF} MENACE plays both sides; leave out --side")
        return Lessons(**{name: value for name, value in vars(self).items() if value is not None})


FileOfBoxes = Annotated[
    Path | None, arg(aliases=("--out", *RUN_DIR), help="File of boxes, as train writes it, or the folder with it.")
]


def _train(
    school: OmitArgPrefixes[School],
    beads: OmitArgPrefixes[Beads],
    iterations: Annotated[int, arg(help="Games to play in all.")] = 1000,
    out: Annotated[
        Path, arg(aliases=RUN_DIR, help="Folder for boxes.json, games.csv, positions.csv and summary.txt.")
    ] = Path("menace"),
    resume: Annotated[bool, arg(help="Go on with the training in the folder, if there is one.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train MENACE.

    Example: nashzoo menace train --opponent human --probability 0.7 --iterations 1000 --seed 0 --out menace
    """
    from nashzoo.app.menace import train

    be_quiet(quiet)
    train.main(beads.settings(), school.lessons(), iterations, out, resume, as_json)


def _show(
    beads: OmitArgPrefixes[Beads],
    board: Annotated[str, arg(help="Nine characters of . x o, row by row.")] = ".........",
    boxes: FileOfBoxes = None,
) -> None:
    """Show the beads of a box; of an untrained one when no file is given.

    Example: nashzoo menace show --board x...o.... --boxes menace/boxes.json
    """
    from nashzoo.app.menace import show
    from nashzoo.app.menace.log import file_of

    show.main(board, file_of(boxes), beads.settings_or_none())


def _play(
    beads: OmitArgPrefixes[Beads],
    boxes: FileOfBoxes = None,
    learn: Annotated[bool, arg(help="Change the beads after every game and write them to --boxes.")] = False,
    first: Annotated[bool, arg(help="You play crosses and begin.")] = False,
    games: Annotated[int, arg(help="Games to play.")] = 1,
    seed: Annotated[int | None, arg(help="Seed of its draws.")] = None,
) -> None:
    """Play against MENACE in the terminal.

    Without a file it has learned from a short training; with --learn and a new file it begins untrained. A file keeps
    its settings, and a training that wrote the file can be resumed.

    Example: nashzoo menace play --boxes menace/boxes.json --learn
    """
    from nashzoo.app.menace import play
    from nashzoo.app.menace.log import file_of

    play.main(file_of(boxes), learn, first, games, beads.settings_or_none(), seed)


def _plot(
    beads: OmitArgPrefixes[Beads],
    probabilities: Annotated[tuple[float, ...], arg(help="Of an optimal move by the human, a curve each.")] = PLOTTED,
    rising: Annotated[
        tuple[float, float] | None,
        arg(metavar="FROM TO", help="One more curve: the human's probability rises so over all games; None for none."),
    ] = (0.7, 1.0),
    side: Annotated[Side, arg(help="What MENACE plays; both in turns.")] = "crosses",
    seeds: Annotated[int, arg(help="Trainings to average over.")] = 10,
    iterations: Annotated[int, arg(help="Games of each training.")] = 2000,
    out: Annotated[Path, arg(aliases=RUN_DIR, help="Folder for the pictures and tables.")] = Path("menace-plots"),
    quiet: Quiet = False,
) -> None:
    """Draw learning curves of MENACE: games won, drawn and lost, exploitability, exact chances.

    Example: nashzoo menace plot --probabilities 0.5 0.7 1.0 --rising 0.7 1.0 --seeds 2 --out menace-plots
    """
    from nashzoo.app.menace import plot

    be_quiet(quiet)
    plot.main(beads.settings(), School(side=side).lessons(), probabilities, rising, seeds, iterations, out)


SUBCOMMANDS: dict[str, Callable[..., Any]] = {"train": _train, "show": _show, "play": _play, "plot": _plot}
