"""``nashzoo menace play``: a person against the matchboxes, which may learn from the games."""

from pathlib import Path

import numpy as np

from nashzoo.agents.basic.keyboard import InputEnded, KeyboardAgent
from nashzoo.agents.learning.menace.agent import MenaceAgent
from nashzoo.agents.learning.menace.boxes import NO_BOX, Boxes, Settings, load_with, read_json, write_json
from nashzoo.agents.learning.menace.training import Lessons, Training
from nashzoo.app.matches.play import Sides, play
from nashzoo.app.menace.log import BY_HAND, TRAINING
from nashzoo.app.shared.words import Tally
from nashzoo.arena.live_match import LiveMatch
from nashzoo.envs import tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_count

RESIGNS = "MENACE's box is empty: it resigns"
UNTIL_NOW = 1000  # games of training of the boxes that are used without a file


def main(boxes: Path | None, learn: bool, first: bool, games: int, settings: Settings | None, seed: int | None) -> None:
    """Plays games; with ``learn`` the boxes change after each and are saved.

    Raises:
        UsageError: a number is out of its range, ``learn`` has no file, or the file has other settings.
    """
    check_count("games", games)
    if learn and boxes is None:
        raise UsageError("--learn needs --boxes: the file that the boxes are written to")
    agent = MenaceAgent(tictactoe_v0.game(), seed, boxes=seated(boxes, learn, settings))
    before = read_json(boxes) if boxes is not None and boxes.exists() else {}
    kept = {name: before[name] for name in (TRAINING, BY_HAND) if name in before}
    sides = Sides(0 if first else 1, other="MENACE")
    person, rng, tally = KeyboardAgent(agent.game), np.random.default_rng(seed), Tally("You have ")
    players = [person, agent] if first else [agent, person]
    print(f"You play {'crosses and begin' if first else 'noughts; MENACE begins'}. Type help for what you can enter.")
    match = None
    try:
        for number in range(games):
            print(f"\nGame {number + 1}")
            match = LiveMatch(agent.game, players, rng)
            play(match, sides, resigns=lambda match: RESIGNS * resigns(agent, match, 1 - sides.seat))
            points = match.points if first else -match.points
            tally.add(points)
            if games > 1:
                print(f"{tally}.")
            if learn and boxes is not None:
                reward(agent, match, 1 - sides.seat)
                kept[BY_HAND] = kept.get(BY_HAND, 0) + 1
                write_json(boxes, agent.boxes.as_json() | kept)
    except (InputEnded, KeyboardInterrupt) as end:
        unfinished = f"The game was left unfinished{', and taught MENACE nothing' if learn else ''}."
        if isinstance(end, KeyboardInterrupt):
            raise KeyboardInterrupt(unfinished) from None
        print(f"\n{unfinished}")


def seated(boxes: Path | None, learn: bool, settings: Settings | None) -> Boxes:
    """Returns the boxes to play with: those of the file; without one new boxes to learn with, or trained ones.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it has other settings.
    """
    if boxes is not None and (boxes.exists() or not learn):
        return load_with(boxes, settings)
    new = Boxes(settings or Settings())
    if not learn:
        Training(new, Lessons(side="both")).run(UNTIL_NOW)
    return new


def resigns(agent: MenaceAgent, match: LiveMatch, seat: int) -> bool:
    """Returns whether MENACE, in a seat, is to move and its box is empty."""
    box = agent.boxes.find(match.code)[0] if seat in match.movers else NO_BOX
    return box != NO_BOX and not agent.boxes.beads[box].any()


def reward(agent: MenaceAgent, match: LiveMatch, seat: int) -> None:
    """Changes the beads of the boxes that MENACE, in a seat, has opened in a match."""
    moves = [
        (step.before, step.actions[seat]) for step in match.trajectory.steps if agent.game.turn(step.before) == seat
    ]
    agent.boxes.reward(moves, int(np.sign(match.points)) * (1 if seat == 0 else -1))
