"""The files of a training of MENACE.

``boxes.json``: the settings, the lessons, their progress, and every box. ``games.csv``: a line for each game.
``positions.csv``: numbers of states. ``summary.txt``: the results. ``training.log``: the progress, with times.
"""

import dataclasses
import datetime
import itertools
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.agents.learning.menace.boxes import NO_BOX, read_json, shelf, write_json
from nashzoo.agents.learning.menace.training import Games, Lessons, Training
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import write_text, written_whole
from nashzoo.envs.base.words import differences
from nashzoo.envs.games.tictactoe.rules import CELLS
from nashzoo.envs.games.tictactoe.symmetry import canonical

HEADING = "game,crosses,noughts,epsilon,outcome,moves,resigned\n"
TRAINING, BY_HAND = "training", "by_hand"  # keys of boxes.json: games of training, and against a person
OUTCOMES = ("draw", "crosses won", "noughts won")  # indexed by the points of crosses: 0, 1, -1


class Folder:
    """The folder of a training."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.boxes = path / "boxes.json"
        self.games = path / "games.csv"
        self.positions = path / "positions.csv"
        self.summary = path / "summary.txt"
        self.log = path / "training.log"
        self.by_hand = 0  # games against a person that the boxes have learned from

    def save(self, training: Training, games: Games, summary: str) -> None:
        """Writes all files; the boxes last, since they contain the number of games that are valid."""
        with written_whole(self.games) as path, path.open("w", encoding="utf-8") as file:
            file.write(HEADING)
            file.writelines(self._before(games.first))
            file.writelines(game_lines(games, training.lessons.opponent))
        table = ["marks,moves,positions,reduced,boxes", *(",".join(map(str, row)) for row in positions()), ""]
        write_text(self.positions, "\n".join(table))
        write_text(self.summary, summary)
        progress = {"games": training.games, "random_state": training.random_state}
        by_hand = {BY_HAND: self.by_hand} if self.by_hand else {}
        lessons = {TRAINING: dataclasses.asdict(training.lessons) | progress}
        write_json(self.boxes, training.boxes.as_json() | lessons | by_hand)

    def note(self, line: str) -> None:
        """Adds a line to the log, with the time."""
        self._write([(time.time(), line)])

    def note_positions(self) -> None:
        """Adds to the log, for each number of marks, the number of states before and after removing symmetric ones."""
        for marks, moves, _, reduced, boxes in positions():
            if marks:
                self.note(f"next possible states: {moves}; without symmetric ones: {reduced}, {boxes} of them boxes")

    def note_games(self, games: Games, lessons: Lessons) -> None:
        """Adds a line for each game to the log, with its time, its players and their probabilities, and its outcome."""
        self._write(zip(games.times.tolist(), _games_in_words(games, lessons), strict=True))

    def _write(self, lines: Iterable[tuple[float, str]]) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        with self.log.open("a", encoding="utf-8") as file:
            file.writelines(
                f"{datetime.datetime.fromtimestamp(seconds).isoformat(' ', 'milliseconds')} {line}\n"
                for seconds, line in lines
            )

    def _before(self, games: int) -> Iterator[str]:
        """Returns the lines of the first games.

        Raises:
            UsageError: there are fewer, or the file is damaged.
        """
        if games == 0:
            return
        count = 0
        try:
            with self.games.open(encoding="utf-8") as file:
                for line in itertools.islice(file, 1, games + 1):
                    count += 1
                    yield line
        except UnicodeDecodeError as error:
            raise UsageError(f"{self.games} is damaged: put it back, or choose another folder ({error})") from None
        if count < games:
            raise UsageError(f"{self.games} has {count} games, but {self.boxes} has learned from {games}")

    def resume(self, training: Training) -> None:
        """Resumes a training, whose boxes must be those of the folder already.

        Raises:
            UsageError: the folder holds a training with other lessons, or a file is damaged.
        """
        everything = read_json(self.boxes)
        before, self.by_hand = everything.get(TRAINING), everything.get(BY_HAND, 0)
        numbers = ("games", "random_state")
        if not isinstance(before, dict) or not all(isinstance(before.get(name), int) for name in numbers):
            raise UsageError(f"{self.boxes} has no record of its training, so that it cannot be resumed")
        if changed := differences(before, dataclasses.asdict(training.lessons)):
            raise UsageError(f"the training in {self.path} has other lessons: {changed}")
        for _ in self._before(before["games"]):  # a damaged file must not fail after the training
            pass
        training.go_on_from(before["games"], before["random_state"])


def file_of(boxes: Path | None) -> Path | None:
    """Returns the file of boxes: the one in a folder of a training, else the path itself."""
    return Folder(boxes).boxes if boxes is not None and boxes.is_dir() else boxes


def game_lines(games: Games, opponent: str) -> Iterator[str]:
    """Returns a line for each game, as CSV."""
    for number, crosses, noughts, mistakes, outcome, plies, resigned in _rows(games, opponent):
        yield f"{number},{crosses},{noughts},{round(mistakes, 6):g},{outcome},{plies},{resigned}\n"


def _games_in_words(games: Games, lessons: Lessons) -> Iterator[str]:
    own = f"menace_agent_prob {lessons.menace_probability:g}"
    for number, crosses, noughts, mistakes, outcome, _, resigned in _rows(games, lessons.opponent):
        human = f", human_agent_prob {round(1 - mistakes, 6):g}" * (lessons.opponent == "human")
        yield f"game {number}: {crosses} against {noughts}, {own}{human}: {outcome}{', MENACE resigned' * resigned}"


def _rows(games: Games, opponent: str) -> Iterator[tuple[int, str, str, float, str, int, int]]:
    """Returns number, crosses, noughts, the trainer's mistakes, outcome, marks and resignation of each game."""
    columns: Iterable[Any] = (games.learners, games.mistakes, games.crosses_won, games.plies, games.resigned)
    rows = zip(*(np.asarray(column).tolist() for column in columns), strict=True)
    for number, (learners, mistakes, won, plies, resigned) in enumerate(rows, games.first):
        crosses, noughts = ("menace" if learners >> side & 1 else opponent for side in range(2))
        yield number, crosses, noughts, mistakes, OUTCOMES[won], plies, resigned


def positions() -> Iterator[tuple[int, int, int, int, int]]:
    """Yields numbers of states by their number of marks: marks, moves, positions, reduced, boxes.

    ``positions`` counts all reachable states, ``reduced`` those up to symmetry, ``boxes`` those of ``reduced`` at which
    the player to move has a choice. ``moves`` counts the moves from the states of ``reduced`` with one mark less.
    """
    known = shelf()
    game = known.states.game
    codes, moves = np.array(game.start_codes), 0
    for marks in range(CELLS + 1):
        reduced = np.unique(canonical(codes)[0])
        going_on = [int(code) for code in reduced if not game.terminal(int(code))]
        choices = [code for code in going_on if known.boxes[known.states.ids(code)] != NO_BOX]
        yield marks, moves, len(codes), len(reduced), len(choices)
        moves = len(going_on) * (CELLS - marks)
        following = {
            game.rules.step(game.params, code, cell, cell)
            for code in codes.tolist()
            if not game.terminal(code)
            for cell in game.legal_actions(code, marks % 2)
        }
        codes = np.array(sorted(following), np.int64)


def told_in_words(training: Training, exact: dict[str, Any], by_hand: int = 0) -> str:
    """Returns the summary of a training."""
    lessons, settings = training.lessons, training.boxes.settings
    who = lessons.opponent
    if who == "human":
        last = lessons.final_probability
        change = "" if last is None else f", rising or falling to {last:g} in {lessons.anneal:,} games"
        who = f"human (optimal with probability {lessons.probability:g}{change})"
    lines = [
        f"MENACE after {training.games:,} games against {who}"
        + (f", and {by_hand:,} against a person" if by_hand else ""),
        f"plays {'both sides' if lessons.opponent == 'self' else lessons.side}, seed {lessons.seed}"
        + (f", draws a bead with probability {own:g}" if (own := lessons.menace_probability) < 1 else ""),
        f"alpha {settings.alpha} per {settings.per}, beta {settings.beta}, gamma {settings.gamma}, "
        f"delta {settings.delta}, floor {settings.floor}",
        "",
        f"exploitability  {exact['exploitability']:.6f} points per game, exact",
    ]
    for name, chances in exact.items():
        if name != "exploitability":
            lines.append(f"against {name:12}  " + "  ".join(f"{way} {chance:.4f}" for way, chance in chances.items()))
    if empty := training.boxes.num_empty:
        lines.append(f"empty boxes     {empty}: MENACE resigns there; these figures play its first beads there")
    return "\n".join(lines) + "\n"
