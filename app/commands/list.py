"""List the games, their parameters, and their players.

Example: nashzoo list footsies_v0
"""

import json
import shutil
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import Json
from nashzoo.envs.base.words import wrapped

if TYPE_CHECKING:  # the help does without them
    from nashzoo.agents.basic.entry import Entry
    from nashzoo.envs import Game

LEARNERS = "Learners. Begin here: nashzoo train footsies_v0 --algorithm minimax_q"
GIVEN = {  # what a learner is given, for people
    "transitions": "from self-play",
    "transitions, exploring starts": "from self-play that starts at any state",
    "transitions, exploring starts, without the other's actions": (
        "from self-play that starts at any state, the other's actions unseen"
    ),
    "transitions, what both players see in training": "from self-play, all cards open in training",
    "a simulator": "from a simulator",
    "the rules": "from the whole game tree",
}
LEAST = 54  # columns of the text beside a name


def main(
    name: Annotated[
        Positional[str | None], arg(metavar="GAME|LEARNER", help="What to say all of; an index when left out.")
    ] = None,
    /,
    as_json: Json = False,
) -> None:
    """Prints an index of the games and the learners, or everything about one of them.

    Raises:
        UsageError: there is no such game or learner.
    """
    from nashzoo import agents
    from nashzoo.agents.registry import learner_entries, self_play_learner, self_play_learners
    from nashzoo.app.shared.parsing import game_of
    from nashzoo.app.shared.words import introduced, meanings
    from nashzoo.envs import games
    from nashzoo.envs.base.errors import UsageError

    if name in [each for each, entry in learner_entries().items() if entry.trained and not entry.plays_both_seats]:
        raise UsageError(f"the settings of {name} are options of nashzoo train GAME --algorithm {name}, see its --help")
    if name in {*agents.registry.entries()} - {*self_play_learners()}:
        raise UsageError(f"{name} is a player; nashzoo list GAME has the players of a game with their options")
    learners = [each for each in self_play_learners() if name in (None, each)]
    chosen = [] if name in learners else list(map(game_of, games() if name is None else [name]))
    known = {game.name: _players(game) for game in chosen}
    learning = {each: _learner(each) for each in learners}
    if as_json:
        print(json.dumps({"games": known, "learners": learning}, indent=2))
    elif name is None:
        index = ((game.name, introduced(game)[1]) for game in chosen)
        _print("Games. Begin here: nashzoo play footsies_v0, or nashzoo web for the browser.", index)
        print(wrapped("nashzoo list GAME: its parameters and players. Poker: nashzoo.examples.kuhn."))
        for heading, hidden in ((LEARNERS, False), ("Learners of games with hidden cards:", True)):
            kinds = [each for each in learners if (learning[each]["games"] == "hidden") is hidden]
            _print(f"\n{heading}", ((each, _learns(learning[each]).partition(": ")[0]) for each in kinds))
        print(wrapped("nashzoo list LEARNER: its settings. PPO and others of SB3: nashzoo train --help."))
    elif learning:
        told = {} if learning[name]["missing"] else meanings(self_play_learner(str(name)).Settings)
        options = ((f"{key}={value}", told.get(key, "")) for key, value in learning[name]["settings"].items())
        _print(f"{name}: {_learns(learning[name])}", options)
    else:
        told = meanings(getattr(chosen[0].rules, "Params", None))
        options = ((f"{key}={value}", told.get(key, "")) for key, value in chosen[0].options.items())
        _print(": ".join(filter(None, (chosen[0].name, introduced(chosen[0])[1]))), options)
        players = known[chosen[0].name]["agents"].items()
        entries = agents.registry.entries()
        _print("\nPlayers, with their options:", ((each, _titled(each, entries[each], one)) for each, one in players))
        for each, entry in entries.items():
            if not entry.listed and entry.sees_enough(chosen[0]):
                print(wrapped(f"There is also the player {each}: {entry.title[0].lower()}{entry.title[1:]}."))
        levels = (f"{level} ({each})" for level, each in agents.registry.levels(chosen[0]).items())
        print(wrapped(f"\nIn the browser: {', '.join(levels)}."))


def _print(title: str, rows: Iterable[tuple[str, Any]]) -> None:
    """Prints a title, and a line for each row, or more where the terminal is narrow."""
    print(wrapped(title))
    listed = list(rows)
    width = max((len(name) for name, _ in listed), default=0)
    indent = min(width + 4, max(shutil.get_terminal_size().columns - LEAST, 10)) * " "
    for name, text in listed:
        print(wrapped(f"  {name:<{width}}  {text}", indent=indent))


def _players(game: "Game") -> dict[str, Any]:
    from nashzoo import agents

    known = {name: {"title": agents.title(name), "options": agents.options(name)} for name in agents.names(game)}
    return {"parameters": game.options, "agents": known}


def _learner(name: str) -> dict[str, Any]:
    """Returns the input that a learner learns from, and its settings, unless a package is missing."""
    from nashzoo import agents
    from nashzoo.agents.registry import self_play_learner
    from nashzoo.envs.base.errors import MissingPackageError

    about: dict[str, Any] = {"title": agents.title(name), "games": "", "learns_from": "", "settings": {}}
    about["missing"] = None
    try:
        settings = {key: value for key, value in agents.options(name).items() if key != "file"}
        kind = self_play_learner(name)
        kinds = " and ".join(word for word, learns in (("open", kind.OPEN), ("hidden", kind.HIDDEN)) if learns)
        return about | {"games": kinds, "learns_from": kind.GIVEN, "settings": settings}
    except MissingPackageError as error:
        return about | {"missing": str(error)}


def _learns(learner: dict[str, Any]) -> str:
    given, too = learner["learns_from"], "; hidden cards too" * (learner["games"] == "open and hidden")
    return f"{learner['title']}; {learner['missing'] or GIVEN.get(given, f'from {given}')}{too}"


def _titled(name: str, entry: "Entry", agent: dict[str, Any]) -> str:
    from nashzoo.agents.registry import does

    options = ", ".join(f"{key}={value!r}" for key, value in agent["options"].items())
    return ". ".join(filter(None, (agent["title"] + f" ({options})" * bool(options), entry.game and does(name))))
