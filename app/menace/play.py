"""``nashzoo menace play``: a person against the matchboxes, which may learn from it."""

from pathlib import Path

import numpy as np
import rich

from nashzoo.agents.basic.keyboard import InputEnded, KeyboardAgent
from nashzoo.agents.learning.menace.agent import MenaceAgent
from nashzoo.agents.learning.menace.boxes import NO_BOX, Boxes, Settings, load, write_json
from nashzoo.envs import tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_count

WORDS = {1: "MENACE wins.", 0: "A draw.", -1: "You win."}


def main(boxes: Path | None, learn: bool, first: bool, games: int, settings: Settings, seed: int | None) -> None:
    """Plays games; with ``learn`` the boxes change after each and are saved.

    Raises:
        UsageError: a number is out of its range, or there is no file to learn into.
    """
    check_count("games", games)
    if learn and boxes is None:
        raise UsageError("--learn needs --boxes: the file that what is learned is written to")
    agent = MenaceAgent(tictactoe_v0.game(), seed, boxes=seated(boxes, learn, settings))
    person = KeyboardAgent(agent.game)
    seat = 1 if first else 0
    rich.print(f"You play {'crosses and begin' if first else 'noughts; MENACE begins'}.")
    try:
        for number in range(games):
            rich.print(f"\nGame {number + 1}")
            points = play(agent, person, seat, learn)
            rich.print(WORDS[points])
            if learn and boxes is not None:
                write_json(boxes, agent.boxes.as_json())  # and no lessons: they can no longer be gone on with
    except InputEnded:
        rich.print("\nThe game was left unfinished.")


def seated(boxes: Path | None, learn: bool, settings: Settings) -> Boxes:
    """Returns the boxes to play with: those of the file; new ones to be filled by learning; or else taught ones."""
    if boxes is not None and (boxes.exists() or not learn):
        return load(boxes)
    return Boxes(settings) if learn else MenaceAgent(tictactoe_v0.game()).boxes


def play(agent: MenaceAgent, person: KeyboardAgent, seat: int, learn: bool) -> int:
    """Plays a game, MENACE in ``seat``; returns what MENACE won."""
    game = agent.game
    code, moves = int(game.start_codes[0]), []
    while not game.terminal(code):
        mover = game.turn(code)
        player = agent if mover == seat else person
        if mover == seat:
            box, _ = agent.boxes.find(code)
            if box != NO_BOX and not agent.boxes.beads[box].any():
                rich.print("Its box is empty: MENACE resigns.")
                points = -1
                break
        action = int(player.predict(game.observe(code, mover))[0])
        if mover == seat:
            moves.append((code, action))
            rich.print(f"MENACE marks {action}.")
        code = game.step(code, *((action, 0) if mover == 0 else (0, action)))
    else:
        points = int(np.sign(game.payoff(code))) * (1 if seat == 0 else -1)
        print(f"\n{person.view(game.observe(code, 1 - seat))}")
    if learn:
        agent.boxes.reward(moves, points)
    return points
