"""A time step in words, with no more than players see of it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from nashzoo.envs.base.words import counted
from nashzoo.envs.core.game import Game

COUNTS = re.compile(r" \(\d+/\d+,[^)]*\)")


class Step(NamedTuple):
    """A time step."""

    before: int  # code of the state in which the players chose
    actions: tuple[int, int]  # 0 for a player who was not to move
    stepped: int  # code of the next state, before chance
    after: int  # code of the state after chance, in which a player chooses or which is terminal
    reward: float  # player 0's, points


def seen_by(game: Game, code: int, seats: Sequence[int]) -> int:
    """Returns the code of a state with what all players in ``seats`` see of it; the state itself if there are none."""
    for seat in seats:
        code = game.information_state(code, seat)
    return code


def step_lines(game: Game, step: Step, seats: Sequence[int] = (), fields: bool = False) -> list[str]:
    """Returns lines on a time step; where both players choose, also their actions.

    With ``seats`` they have only what all these players see; there are none where they see nothing happen. ``fields``
    is that of :func:`described`.
    """
    event = described(game, step, seats, fields=fields)
    if len(game.movers(step.before)) == 1 or None in visible_actions(game, step, seats):
        return [event] if event else []
    played = moves_by_name(game, step, seats)
    return [event] if event.startswith(played) else [played, event]


def described(game: Game, step: Step, seats: Sequence[int] = (), by_name: bool = False, fields: bool = False) -> str:
    """Returns a description of a time step and of its outcome of chance, in one line.

    Args:
        game: The game.
        step: The time step.
        seats: The players for whom it is described: it has only what all of them see, and is empty where they see
            nothing happen; all that happened if there are none.
        fields: Whether chance is told as fields, for programs, and not in words for people; also with ``by_name``.
        by_name: Whether it has the names of the actions and the reward alone, and not the words of the game's view.
    """
    before, stepped, after = (seen_by(game, code, seats) for code in (step.before, step.stepped, step.after))
    if seats and before == after and not set(seats) & set(game.movers(step.before)):
        return ""
    text = moves_by_name(game, step, seats) if by_name else moves(game, step, seats, fields)
    if after != stepped:
        for_programs = f"then by chance {game.changes(stepped, after, seats)}"
        text += "; " + (
            for_programs if fields or by_name else f"by chance {game.view.told(game.params, stepped, after, seats)}"
        )
    if by_name and step.reward:
        points = abs(float(step.reward)) + game.half(step.before, step.after)
        text += f"; {game.view.PLAYERS[int(step.reward < 0)]} won {counted(points, 'point')}"
    return text


def moves(game: Game, step: Step, seats: Sequence[int], fields: bool = False) -> str:
    """Returns what the players did in a time step, before chance, as all players in ``seats`` see it, in words.

    Without ``fields`` it leaves out counts in parentheses, ``(1/2, ...)``, which people see on the board, and actions
    have their labels.
    """
    if None in visible_actions(game, step, seats):
        return moves_by_name(game, step, seats)
    text = game.event(seen_by(game, step.before, seats), *step.actions, seen_by(game, step.stepped, seats))
    if fields:
        return text
    for player in game.movers(step.before) if game.labels != game.actions else ():
        name, label = (names[step.actions[player]] for names in (game.actions, game.labels))
        text = re.sub(rf"\b{re.escape(name)}\b", label, text)
    return COUNTS.sub("", text)


def moves_by_name(game: Game, step: Step, seats: Sequence[int]) -> str:
    """Returns the actions of a time step by name, as far as all players in ``seats`` see them."""
    actions = visible_actions(game, step, seats)
    names = ["moved" if action is None else f"played {game.actions[action]}" for action in actions]
    return ", ".join(f"{game.view.PLAYERS[player]} {names[player]}" for player in game.movers(step.before))


def visible_actions(game: Game, step: Step, seats: Sequence[int]) -> list[int | None]:
    """Returns the actions of a time step that all players in ``seats`` know; None for those that one does not know.

    A player knows the own action, and another's if it alone leads to what the player sees after the step.
    """
    known: list[int | None] = list(step.actions)
    for seat, other in ((seat, 1 - seat) for seat in seats if 1 - seat in game.movers(step.before)):
        before, stepped = (game.information_state(code, seat) for code in (step.before, step.stepped))
        pairs = [list(step.actions) for _ in range(game.num_actions)]
        for action, pair in enumerate(pairs):
            pair[other] = action
        after = (game.information_state(game.rules.step(game.params, before, *pair), seat) for pair in pairs)
        alike = [pair[other] for pair, seen in zip(pairs, after, strict=True) if seen == stepped]
        if alike != [step.actions[other]]:
            known[other] = None
    return known
