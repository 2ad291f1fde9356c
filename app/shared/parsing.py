"""Parsing of games with their parameters, and of states, on the command line."""

from collections.abc import Callable, Container, Iterable
from typing import Any

from nashzoo.baselines.policies.keyed import decisions, has_labels, place
from nashzoo.envs import Game, games, make_game
from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.registry import registered_game


def game_of(name: str, parameters: Iterable[str] = ()) -> Game:
    """Returns a game by its name, its module or its file, with parameters given as ``name=value``.

    Raises:
        UsageError: there is no such game, a parameter is not of this form, or its value is out of range.
        UsageTypeError: the game has no such parameter.

    >>> game_of("footsies_v0", ["rounds=3"]).options["rounds"]
    3
    """
    return make_game(name, **assignments(parameters))


def for_a_person(game: Game, given: Container[str]) -> dict[str, Any]:
    """Returns the parameters that a person plays a game with, without those that are given.

    >>> for_a_person(game_of("roshambo_v0"), ["payoff"])
    {'rounds': 20}
    """
    return {name: value for name, value in game.view.SHORT.items() if name not in given}


def game_in_file(named: str | None) -> Callable[..., Game]:
    """Returns the function that makes the game that a file names: a registered one, or the user's ``named``."""
    if named is None:
        return registered_game

    def make(name: str, **parameters: Any) -> Game:
        if name in games():
            raise UsageError(f"the file says that its game is {name}; leave out {named}")
        return make_game(named, **parameters)

    return make


def code_of(game: Game, state: str) -> int:
    """Returns the code of a state given as ``field=value,field=value``; fields left out are as at the start.

    It may also be the name of what the player to move sees there, in the file of the game.

    Raises:
        UsageError: a field is unknown, out of its range, or not a whole number; or two states have the name.
    """
    if named := [at.code for at in decisions(game) if place(game, *at) == state] if has_labels(game) else []:
        if len(named) > 1:
            raise UsageError(f"{state} is the name of {' and of '.join(map(game.spell, named))}: say which")
        return named[0]
    fields = assignments(state.split(",")) if state else {}
    code = game.code(**fields)
    if game.terminal(code):
        raise UsageError(f"the game is over at {game.spell(code)}")
    return code
