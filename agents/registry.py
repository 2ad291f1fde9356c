"""All players by name."""

import dataclasses
import difflib
import importlib
import inspect
import warnings
from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from nashzoo.agents.basic.entry import Entry
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.base.modules import modules_in
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.core.checks import check_game
from nashzoo.envs.core.game import Game

if TYPE_CHECKING:
    from nashzoo.agents.learning.learner import Learner
    from nashzoo.agents.learning.self_play_learner import SelfPlayLearner


# Players of every game; those of one game are in ``PLAYERS`` of its module in ``agents/bots``.
ENTRIES = {
    "manual": Entry("A person at the keyboard", "basic.keyboard:KeyboardAgent", scripted=False),
    "random": Entry("The Chaotic", "basic.random_agent:RandomAgent"),
    "mcts": Entry("The Clairvoyant", "search.mcts:MCTSAgent", scripted=False),
    "nash": Entry("The exact solution", "exact.nash:NashAgent", scripted=False),
    "greedy": Entry("One move ahead", "search.minimax:GreedyAgent", turn_based=True),
    "minimax": Entry("Everything some moves ahead", "search.minimax:MinimaxAgent", turn_based=True, scripted=False),
    "alphabeta": Entry("The same with less work", "search.minimax:AlphaBetaAgent", turn_based=True, scripted=False),
    "perfect": Entry(
        "Every optimal move alike", "exact.perfect:PerfectAgent", turn_based=True, chance=False, scripted=False
    ),
    "human": Entry(
        "A person who plays the best move with a probability",
        "exact.perfect:NoisyOptimalAgent",
        turn_based=True,
        chance=False,
    ),
    "minimax_q": Entry("Minimax-Q", "learning.tabular.minimax_q:MinimaxQ", scripted=False, self_play=True),
    "nash_vi": Entry("Nash value iteration", "learning.tabular.nash_vi:NashVI", scripted=False, self_play=True),
    "regret_matching": Entry(
        "No regrets", "learning.tabular.regret_matching:RegretMatching", scripted=False, self_play=True
    ),
    "wolf_phc": Entry("Win or learn fast", "learning.tabular.wolf_phc:WolfPHC", scripted=False, self_play=True),
    "value_iteration": Entry(
        "Value iteration", "learning.tabular.value_iteration:ValueIteration", scripted=False, self_play=True
    ),
    "deep_minimax": Entry("Deep minimax", "learning.deep.deep_minimax:DeepMinimax", scripted=False, self_play=True),
    "distilled": Entry("Distilled", "learning.deep.distilled:Distilled", scripted=False, self_play=True),
}


ENTRY_POINTS = "nashzoo.agents"


def register(
    agent: type[Any],
    name: str,
    title: str | None = None,
    game: str | None = None,
    turn_based: bool = False,
    scripted: bool = True,
) -> None:
    """Registers a player by name, also for the command line.

    Classes of other packages are found by their entry points, group ``nashzoo.agents``: a name and
    ``module:Class``. The other arguments are then attributes of the class: ``TITLE``, ``GAME``, ``TURN_BASED`` and
    ``SCRIPTED``.

    Args:
        agent: A class that is called with a game, a seed and options, and makes an
            :class:`nashzoo.envs.core.agent.Agent`.
        name: The name.
        title: Its title, for people; its name when left out.
        game: The one game that it plays; None for all.
        turn_based: Whether it plays only turn-based games.
        scripted: Whether it is a scripted player, and so a member of the population of its game.

    Raises:
        UsageTypeError: it is no class.
        UsageError: another player has this name.
    """
    if not isinstance(agent, type):
        raise UsageTypeError(f"a player is registered by its class, not by {agent!r}")
    known = entries().get(name)
    if known is not None and known.place is not agent:
        raise UsageError(f"there is a player {name} already; choose another name")
    ENTRIES[name] = Entry(title or name, agent, game, turn_based, scripted=scripted)


@cache
def _bots() -> dict[str, Entry]:
    """Returns the players of single games in this package."""
    found: dict[str, Entry] = {}
    for module in modules_in("nashzoo.agents.bots"):
        found |= module.PLAYERS
    return found


@cache
def _others() -> dict[str, Entry]:
    """Returns the players of other packages."""
    found = {}
    for point in entry_points(group=ENTRY_POINTS):
        try:
            if point.name in ENTRIES or point.name in _bots():
                raise UsageError(f"there is a player {point.name} already")
            loaded = point.load()
        except Exception as error:  # another package's code can raise anything
            warnings.warn(f"the player {point.name} of {point.value} is left out: {error}", stacklevel=2)
            continue
        attributes = {"title": "TITLE", "game": "GAME", "turn_based": "TURN_BASED", "scripted": "SCRIPTED"}
        given = {name: getattr(loaded, what) for name, what in attributes.items() if hasattr(loaded, what)}
        found[point.name] = Entry(**{"title": point.name, "place": loaded} | given)
    return found


def entries() -> dict[str, Entry]:
    """Returns all players by name."""
    first = {name: ENTRIES[name] for name in ("manual", "random")}
    return first | _bots() | ENTRIES | _others()


def names(game: Game) -> tuple[str, ...]:
    """Returns the names of the players of ``game``, without those of :func:`self_play_learners`.

    Raises:
        UsageError: ``game`` is no game.
    """
    check_game(game)
    return tuple(name for name, entry in entries().items() if not entry.self_play and _plays(entry, game))


def scripted(game: Game) -> tuple[str, ...]:
    """Returns the names of the scripted players of ``game``."""
    return tuple(name for name in names(game) if entries()[name].scripted)


def learners(game: Game) -> tuple[str, ...]:
    """Returns the names of the learners of ``game``, see :class:`nashzoo.agents.learning.learner.Learner`."""
    from nashzoo.agents.learning.learner import Learner

    return tuple(name for name in names(game) if issubclass(_agent_class(name), Learner))


def self_play_learners() -> tuple[str, ...]:
    """Returns the names of the learners of any game that play both seats; they play from their saved files.

    See :class:`nashzoo.agents.learning.self_play_learner.SelfPlayLearner`.
    """
    return tuple(name for name, entry in entries().items() if entry.self_play)


def self_play_learner(name: str) -> "type[SelfPlayLearner]":
    """Returns the class of one of :func:`self_play_learners`."""
    learner: type[SelfPlayLearner] = _agent_class(name)
    return learner


def untaught(name: str, game: Game, opponent: Any, player: int | str, seed: int) -> "Learner":
    """Returns one of ``learners(game)``, untrained."""
    learner: Learner = _agent_class(name).untaught(game, opponent, player, seed)
    return learner


def title(name: str) -> str:
    """Returns the title of a player, for people.

    Raises:
        UsageError: there is no such player.

    >>> title("bayesian")
    'The Statistician'
    """
    return _entry(name).title


def options(name: str) -> dict[str, Any]:
    """Returns the options of a player and their defaults.

    Raises:
        UsageError: there is no such player.

    >>> options("bayesian")
    {'alpha': 1.0, 'risk_threshold': 0.2, 'ties': 'actions', 'memory': 'match'}
    """
    agent_class = _agent_class(name)
    settings = dataclasses.fields(agent_class.Settings) if _entry(name).self_play else ()
    return class_options(agent_class) | {
        setting.name: getattr(agent_class.Settings(), setting.name) for setting in settings
    }


def class_options(agent_class: type[Any]) -> dict[str, Any]:
    """Returns the options of a class of players, its parameters besides game and seed, with their defaults."""
    parameters = inspect.signature(agent_class).parameters.values()
    return {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.name not in ("game", "seed") and parameter.kind is not parameter.VAR_KEYWORD
    }


def check_options(name: str, chosen: Iterable[str], known: Iterable[str]) -> None:
    """Checks that a player has the options chosen.

    Raises:
        UsageTypeError: it has no such option.
    """
    unknown = sorted(set(chosen) - set(known))
    if unknown:
        raise UsageTypeError(f"{name} has no option {', '.join(unknown)}; it has {', '.join(known) or 'none'}")


def make(name: str, game: Game, seed: int | None = None, **chosen: Any) -> Agent:
    """Returns a player by name.

    Args:
        name: One of ``names(game)`` or of ``self_play_learners()``.
        game: The game.
        seed: Seed of the random numbers of its ``predict``.
        **chosen: The player's options.

    Raises:
        UsageError: there is no such player, it plays another game, or an option is out of its range.
        UsageTypeError: the player has no such option.
    """
    check_game(game)
    entry = _entry(name, game)
    if not _plays(entry, game):
        kind = "turn-based games" if entry.turn_based else "games"
        plays = entry.game or kind + " without chance" * (game.has_chance and not entry.chance)
        raise UsageError(f"{name} plays {plays}, not {game.name}; its players are {', '.join(names(game))}")
    check_options(name, chosen, options(name))
    agent: Agent = _agent_class(name)(game, seed, **chosen)
    if isinstance(agent, Agent) and not agent.name:
        agent.name = name
    return agent


def _plays(entry: Entry, game: Game) -> bool:
    if game.has_chance and not entry.chance:
        return False
    return entry.game in (None, game.name) and (game.turn_based or not entry.turn_based)


def _entry(name: str, game: Game | None = None) -> Entry:
    if name not in entries():
        known, whose = (entries(), "") if game is None else (names(game), f" of {game.name}")
        near = difflib.get_close_matches(name, known, 1)
        question = f" (did you mean {near[0]}?)" if near else ""
        raise UsageError(f"there is no player {name!r}{question}; the players{whose} are {', '.join(known)}")
    return entries()[name]


def _agent_class(name: str) -> Any:
    place = _entry(name).place
    if not isinstance(place, str):
        return place
    module, class_name = place.split(":")
    return getattr(importlib.import_module(f"nashzoo.agents.{module}"), class_name)
