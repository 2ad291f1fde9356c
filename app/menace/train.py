"""``nashzoo menace train``: trains the matchboxes."""

import json
from pathlib import Path

import numpy as np
import rich

from nashzoo.agents.learning.menace.boxes import Boxes, Settings, load
from nashzoo.agents.learning.menace.training import Games, Lessons, Training
from nashzoo.app.menace.log import Folder, told_in_words
from nashzoo.app.menace.measures import measure, rivals, seats_of
from nashzoo.app.shared.interruption import stoppable
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import locked
from nashzoo.envs.base.progress import progress_bar
from nashzoo.envs.core.checks import check_count


def main(settings: Settings, lessons: Lessons, iterations: int, out: Path, resume: bool, as_json: bool = False) -> None:
    """Trains, writes the folder, and prints the results.

    Raises:
        UsageError: a number is out of its range, or the folder holds another training.
        KeyboardInterrupt: training was interrupted; the folder holds the boxes so far.
    """
    check_count("iterations", iterations)
    with locked(out):
        _train(settings, lessons, iterations, Folder(out), resume, as_json)


def _train(settings: Settings, lessons: Lessons, iterations: int, folder: Folder, resume: bool, as_json: bool) -> None:
    out = folder.path
    training = Training(opened(folder, settings, resume), lessons)
    if folder.boxes.exists():
        folder.resume(training)
    if training.games > iterations:
        raise UsageError(
            f"the training in {out} has played {training.games:,} games; --iterations says how many in all, so that it "
            f"must be at least as many, not {iterations:,}"
        )
    if not training.games:
        folder.note_positions()
    folder.note(f"begins after {training.games:,} games: {lessons}, {settings}")
    with progress_bar("games") as show, stoppable() as came:
        show(training.games, iterations)

        def tell(games: Games) -> bool:
            show(training.games, iterations)
            folder.note_games(games, lessons)
            folder.note(f"has played {training.games:,} of {iterations:,} games")
            return bool(came)

        played = training.run(iterations - training.games, tell)
        human = float(lessons.probability_after(training.games))
        exact = measure(training.boxes, seats_of(lessons), rivals(human))
        summary = told_in_words(training, exact, folder.by_hand)
        folder.save(training, played, summary)
        folder.note(f"ends after {training.games:,} games: {played_in_words(played)}")
    if came:
        raise KeyboardInterrupt(f"{training.games:,} games are in {out}. Go on with the same command and --resume.")
    if as_json:
        counts = {"games": training.games, "games_by_hand": folder.by_hand, "empty_boxes": training.boxes.num_empty}
        print(json.dumps(counts | exact, indent=2))
        return
    print(f"{summary}played          {played_in_words(played)}")
    rich.print(f"Boxes, games, positions and this summary are in {out}.")


def opened(folder: Folder, settings: Settings, resume: bool) -> Boxes:
    """Returns the boxes of a folder, or new ones where there are none.

    Raises:
        UsageError: the folder holds boxes that are not to be resumed, or have other settings.
    """
    if not folder.boxes.exists():
        return Boxes(settings)
    if not resume:
        raise UsageError(f"{folder.path} holds boxes: go on with --resume, or choose another --out")
    boxes = load(folder.boxes)
    if boxes.settings != settings:
        differences = boxes.settings.differences(settings)
        raise UsageError(
            f"the boxes in {folder.path} have other settings: {differences}; leave out those, or choose another --out"
        )
    return boxes


def played_in_words(games: Games) -> str:
    """Returns the numbers of games won, drawn, lost and resigned."""
    won, drawn, lost = (np.count_nonzero(games.points == points) for points in (1, 0, -1))
    resigned = games.resigned.sum(dtype=np.int64)
    return f"won {won:,}  drawn {drawn:,}  lost {lost:,}" + (f"  resigned {resigned:,}" if resigned else "")
