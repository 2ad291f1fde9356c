"""A person against an agent, in the terminal."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nashzoo import agents
from nashzoo.agents.basic.keyboard import Commands, InputEnded, KeyboardAgent, addressed_state
from nashzoo.agents.notation import split_options
from nashzoo.app.matches.perfect_play import advice, move_notes, page_of, quick_solution, worth_to
from nashzoo.app.shared.parsing import for_a_person, game_of
from nashzoo.app.shared.words import Tally, happened, points_text, sided, titled
from nashzoo.arena import records
from nashzoo.arena.live_match import LiveMatch
from nashzoo.arena.review import lesson
from nashzoo.baselines import Solution
from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.words import counted, wrapped
from nashzoo.envs.core.game import Game
from nashzoo.envs.text.steps import step_lines

CLAIMED = 3  # occurrences of a state after which a player may claim a draw
WARNINGS = (20, 10, 5, 2, 1)  # moves before the cut-off at which the player is warned
NEUTRAL = 1e-9  # points, below which the value of a state counts as 0


class TakenBack(Exception):
    """The person takes back a move."""


class DrawAgreed(Exception):
    """The person has claimed a draw, or has offered one and the opponent agrees."""


class Sides(NamedTuple):
    """The seats of the person and the agent.

    Attributes:
        seat: The person's seat; with ``drive`` the agent's.
        drive: Whether the agent chooses the person's moves, and the person enters those of an opponent elsewhere.
        other: The name of the other player.
    """

    seat: int
    drive: bool = False
    other: str = "the other"


def game_for_a_person(game: str, param: tuple[str, ...], against: str) -> Game:
    """Returns the game with the short parameters of its view, unless others are given or the opponent is a file.

    A saved model or script may play only the length that it was made for.
    """
    chosen = game_of(game, param)
    parameters = assignments(param)
    short = for_a_person(chosen, parameters)
    by_name = split_options(against)[0] in agents.registry.entries()
    return game_of(game, (*param, *(f"{name}={value}" for name, value in short.items()))) if by_name else chosen


def greeting(game: Game, against: str, sides: Sides) -> str:
    """Returns the introduction to the game and the opponent's name."""
    introduction = sided(game, game.introduction(sides.seat))
    lines = [titled(game), "\n".join(filter(None, (introduction, game.legend(sides.seat))))]
    if sides.drive:
        lines += [f"{against} plays for you: play what it says, then enter what the other played."]
    else:
        lines += [f"The other: {agents.title(against) if against in agents.registry.entries() else against}."]
    lines += [f"A game is cut off after {counted(game.max_cycles, 'move')}."] if game.max_cycles < 1000 else []
    return wrapped("\n".join([*lines, "Type help for what else you can enter, quit to leave."]))


def unfinished(match: LiveMatch | None, seat: int, tally: Tally, save: Path | None) -> str:
    """Returns a message on a match that was interrupted: its score, its record, and the tally of those before."""
    lines = ["", "The game was left unfinished."]
    if match is not None and paid(match):
        lines[1] += f" {score(match, seat)}"
    if save is None:
        lines.append("It is not saved; with --save FILE it would be.")
    elif match is not None and match.trajectory.steps:
        lines.append(f"What was played is kept: nashzoo replay {save}")
    return "\n".join([*lines, *([f"Of games before: {tally}."] if tally.points else [])])


def play(
    match: LiveMatch,
    sides: Sides,
    solution: Solution | None = None,
    resigns: Callable[[LiveMatch], str] = lambda match: "",
) -> None:
    """Plays a match to its end and prints every move.

    Args:
        match: The match.
        sides: The seats of the person and the agent.
        solution: The solution, to show perfect play before every choice; None to show nothing.
        resigns: Returns why the other player resigns now; empty if it does not.
    """
    game = match.game
    while not _over(match, sides):
        if why := resigns(match):
            match.end(records.RESIGNED, (1 - sides.seat,), why)
            continue
        try:
            step = match.act(*_choices(match, sides, solution))
        except TakenBack:
            print("Taken back.")
            continue
        except DrawAgreed:
            match.end(records.AGREED)
            continue
        if step is None:
            continue
        people = [seat for seat, player in enumerate(match.players) if isinstance(player, KeyboardAgent)]
        lines = step_lines(game, step, people if match.ended is None else ())
        if lines:
            print(happened(game, lines, sides.seat, sides.other))
        if match.ended is None and paid(match):
            print(score(match, sides.seat))
        if match.ended is None and match.steps_left in WARNINGS and game.max_cycles >= CLAIMED * match.steps_left:
            print(f"Moves until the game is cut off: {match.steps_left}.")


def _over(match: LiveMatch, sides: Sides) -> bool:
    """Returns whether a match has ended, and prints its result; with ``drive`` a wrong last entry can be taken back."""
    if match.ended is None:
        return False
    print(f"\n{seen(match, sides.seat, last=True)}\n{result(match, sides.seat)}")
    if not sides.drive and (told := learnt(match, sides.seat)):
        print(wrapped(told))
    person = match.players[1 - sides.seat]
    if not sides.drive or not isinstance(person, KeyboardAgent):
        return True
    undo = {"undo": _commands(match, 1 - sides.seat, sides, None)["undo"]}
    try:
        person.ask([], prompt="Is that right? (quit or undo) ", commands=undo)
    except InputEnded:
        return True
    except TakenBack:
        print("Taken back.")
    return False


def learnt(match: LiveMatch, seat: int) -> str:
    """Returns what the person in a seat can learn from a match; empty where perfect play is not known at once."""
    solution = quick_solution(match.game)
    if isinstance(solution, str) or not match.trajectory.steps:
        return ""
    alone = not all(isinstance(player, KeyboardAgent) for player in match.players)
    told = lesson(match.trajectory, solution, match.points, seat if alone else None, match.players)
    return f"{told['headline']} {told['better']}".rstrip()


def _choices(match: LiveMatch, sides: Sides, solution: Solution | None) -> list[int]:
    """Returns the actions of both players, 0 for a player who is not to move."""
    actions, seat = [0, 0], sides.seat
    page = f"\n{seen(match, seat)}"
    for player in (player for player in (seat, 1 - seat) if player in match.movers):
        asked = match.players[player]
        if not isinstance(asked, KeyboardAgent):
            actions[player] = match.ask_once(player) if sides.drive else match.ask(player)
            if sides.drive and player == seat:
                print(f"{page}\nPlay: {match.game.action_label(match.code, actions[player])}")
                page = ""
            continue
        if match.hidden_from and not sides.drive:
            page = f"\n{seen(match, player)}"
        notes = None
        if solution is not None:
            notes = move_notes(solution, match.code, player)
            page += f"\n{page_of(solution, match.code, player, seat)}"
        legal = list(match.game.legal_actions(match.code, player))
        prompt = "Your move: " if player == seat else "The other's move: "
        actions[player] = asked.ask(legal, page, prompt, notes, _commands(match, player, sides, solution), match.code)
        page = ""
    return actions


def _commands(match: LiveMatch, player: int, sides: Sides, solution: Solution | None) -> Commands:
    """Returns the commands that a person can enter besides moves."""

    def perfect() -> Solution | str:
        return quick_solution(match.game) if solution is None else solution

    def hint() -> str:
        perfect_play = perfect()
        return wrapped(perfect_play if isinstance(perfect_play, str) else advice(perfect_play, match.code, player))

    def undo() -> str:
        stubborn = [each for each in match.players if not getattr(each, "takes_back", True)]
        if stubborn:
            return "The other plays in a process of its own, which cannot take moves back."
        if match.ended == records.AGREED:
            match.ended = None
        elif not match.take_back(player):
            return "There is no move to take back."
        raise TakenBack

    def draw() -> str:
        if match.repetitions() >= CLAIMED:
            print(f"The game has been here {CLAIMED} times: you claim a draw.")
            raise DrawAgreed
        if sides.drive or all(isinstance(each, KeyboardAgent) for each in match.players):
            raise DrawAgreed  # the other is a person, who has agreed elsewhere
        perfect_play = perfect()
        if isinstance(perfect_play, str):
            return f"The other does not say: {perfect_play}"
        if not perfect_play.has_values or worth_to(perfect_play, match.code, player) < -NEUTRAL:
            return "The other declines."
        print("The other agrees.")
        raise DrawAgreed

    game, codes = match.game, match.trajectory.codes
    claim = f", or claim one once the state has occurred {CLAIMED} times"
    return {
        "rules": (
            "the rules in short",  # without the brackets in which pages show pictures of actions
            lambda: re.sub(r"[\[\]]", "", "\n".join(game.view.in_short(game.params))) or game.introduction(player),
        ),
        "hint": ("what a perfect player would play", hint),
        "undo": ("take back your last move", undo),
        "draw": ("offer a draw" + claim * (len(set(codes)) < len(codes)), draw),  # where states have recurred
    }


def seen(match: LiveMatch, seat: int, last: bool = False) -> str:
    """Returns the state as the player in a seat observes it; with ``last`` the final state as the last move left it."""
    game, steps = match.game, len(match.trajectory.steps)
    code = match.trajectory.shown(steps) if last else game.information_state(match.code, seat)
    return addressed_state(game, code, seat)


def paid(match: LiveMatch) -> bool:
    """Returns whether a match has had a reward other than 0 so far."""
    return any(step.reward for step in match.trajectory.steps)


def score(match: LiveMatch, seat: int) -> str:
    """Returns the score so far."""
    tally = Tally("You have ")
    for step in match.trajectory.steps:
        tally.add(step.reward if seat == 0 else -step.reward, match.game.half(step.before, step.after))
    return f"{tally}."


def result(match: LiveMatch, seat: int) -> str:
    """Returns the result of a match, for the person in a seat."""
    points = match.points if seat == 0 else -match.points
    words = {1: "You win.", 0: "A draw.", -1: "You lose."}[int(np.sign(points))]
    if match.ended == records.AGREED:
        words = "A draw is agreed."
    cut = f"The game is cut off after {counted(match.game.max_cycles, 'move')}" * (match.ended == records.TRUNCATED)
    why = f"{match.reason or cut}. " if match.reason or cut else ""
    return f"{why}{words} ({points_text(match.game.points(points))})"
