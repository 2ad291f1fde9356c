"""All players by name."""

import dataclasses
import inspect
import os
import re
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, TypeVar

from nashzoo.agents.basic.entry import Entry
from nashzoo.agents.learning.registry import LEARNERS, LearnerEntry
from nashzoo.agents.notation import split_options
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.base.modules import CLASS, class_at, modules_in
from nashzoo.envs.base.words import suggestion
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.core.checks import check_game
from nashzoo.envs.core.game import Game

if TYPE_CHECKING:
    from nashzoo.agents.learning.learner import Learner
    from nashzoo.agents.learning.self_play_learner import SelfPlayLearner

T = TypeVar("T")

BASIC, SEARCH = "nashzoo.agents.basic", "nashzoo.agents.search"

# Players of every game; those of one game are in ``PLAYERS`` of its module in ``agents/bots``.
ENTRIES = {
    "manual": Entry("A person at the keyboard", f"{BASIC}.keyboard:KeyboardAgent", scripted=False),
    "random": Entry("Random moves", f"{BASIC}.random_agent:RandomAgent", does="Moves at random."),
    "mcts": Entry(
        "Monte Carlo tree search",
        f"{SEARCH}.mcts:MCTSAgent",
        hidden=False,
        scripted=False,
        does="Tries {simulations} games in its head before each move.",
    ),
    "prefers": Entry(
        "An order of choice",
        f"{BASIC}.preferring:PreferringAgent",
        scripted=False,
        listed=False,
        does="Its first choice is {actions}.",
    ),
    "resolving": Entry(
        "A policy with search", "nashzoo.agents.resolving:ResolvingAgent", open=False, scripted=False, listed=False
    ),
    "exploiter": Entry(
        "Beats one opponent for a risk", "nashzoo.agents.exploiter:exploiter", scripted=False, listed=False
    ),
    "nash": Entry(
        "The exact solution", f"{BASIC}.nash:NashAgent", scripted=False, does="Makes no mistake, and has no habit."
    ),
    "greedy": Entry(
        "One move ahead",
        f"{SEARCH}.minimax:GreedyAgent",
        turn_based=True,
        hidden=False,
        does="Takes what looks best at once, and always the same.",
    ),
    "minimax": Entry(
        "Some moves ahead",
        f"{SEARCH}.minimax:MinimaxAgent",
        turn_based=True,
        hidden=False,
        scripted=False,
        does="Looks {depth} moves ahead, at every line of play.",
    ),
    "alphabeta": Entry(
        "Some moves ahead, faster",
        f"{SEARCH}.minimax:AlphaBetaAgent",
        turn_based=True,
        hidden=False,
        scripted=False,
        does="Looks {depth} moves ahead, and skips what cannot matter.",
    ),
    "perfect": Entry(
        "A random best move",
        f"{BASIC}.perfect:PerfectAgent",
        turn_based=True,
        chance=False,
        hidden=False,
        scripted=False,
        does="Makes no mistake.",
    ),
    "human": Entry(
        "A person who makes mistakes",
        f"{BASIC}.perfect:NoisyOptimalAgent",
        turn_based=True,
        chance=False,
        hidden=False,
        does="Plays perfectly, but now and then at random.",
    ),
    "llm": Entry(
        "A language model",
        "nashzoo.agents.language.agent:LanguageAgent",
        scripted=False,
        called_by=("name", "model"),
        listed=False,
    ),
}


LEVELS = {  # of strength: the first of these players that plays the game
    "Beginner": ("biased", "random"),  # where all play alike against a random one, a habit is the weakness
    "Casual": ("frequency", "mcts(simulations=20)", "nash(mistakes=0.5)"),
    "Strong": ("iocaine", "mcts", "nash(mistakes=0.2)"),
    "Perfect": ("perfect", "nash"),
}

ENTRY_POINTS, LEARNER_ENTRY_POINTS = "nashzoo.agents", "nashzoo.learners"


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
    if known is not None and known.entry_point is not agent:
        raise UsageError(f"there is a player {name} already; choose another name")
    ENTRIES[name] = Entry(title or name, agent, game, turn_based, scripted=scripted)


@cache
def _bots() -> dict[str, Entry]:
    """Returns the players of single games in this package."""
    bots: dict[str, Entry] = {}
    for module in modules_in("nashzoo.agents.bots"):
        bots |= module.PLAYERS
    return bots


def register_learner(cls: type[Any], name: str | None = None, title: str | None = None) -> None:
    """Registers a learner by name, also for the command line and for its files.

    Classes of other packages are found by their entry points, group ``nashzoo.learners``: a name and ``module:Class``.

    Args:
        cls: A subclass of :class:`nashzoo.agents.learning.self_play_learner.SelfPlayLearner`, or a class with
            ``learn(num_timesteps)`` and a policy, see ``agents/learning/own_class.py``.
        name: The name; it becomes the class's ``NAME``, which its files have. ``NAME`` when left out.
        title: Its title, for people; its name when left out.

    Raises:
        UsageTypeError: it is no such class.
        UsageError: another learner or player has this name, or it has other characters than letters and digits.
    """
    entry = _checked_learner(cls, name, title)
    entry.load().NAME = entry.name
    LEARNERS[entry.name] = entry


def _checked_learner(cls: Any, name: str | None = None, title: str | None = None) -> LearnerEntry:
    from nashzoo.agents.learning.own_class import learner_of

    kind, cls = cls, learner_of(cls)
    if inspect.isabstract(cls):
        raise UsageTypeError(f"{cls.__name__} lacks {', '.join(sorted(cls.__abstractmethods__))}")
    if name is None:
        name = cls.NAME if kind is cls else kind.__name__  # the NAME of a class of others is one for tables alone
    if not re.fullmatch(r"\w[\w.+-]*", name):
        raise UsageError(f"the name of a learner has letters, digits and _ alone, not {name!r}")
    known = LEARNERS.get(name)
    taken = name in (_bots() | ENTRIES) if known is None else known.load() is not cls
    if taken:
        raise UsageError(f"there is a {'player' if known is None else 'learner'} {name} already; choose another NAME")
    return LearnerEntry(name, title or name, cls)


def _installed(group: str, what: str, entry_of: Callable[[str, Any], T]) -> dict[str, T]:
    """Returns the players or learners of other packages."""
    installed = {}
    for point in entry_points(group=group):
        try:
            installed[point.name] = entry_of(point.name, point.load())
        except Exception as error:  # another package's code can raise anything
            warnings.warn(f"the {what} {point.name} of {point.value} is left out: {error}", stacklevel=2)
    return installed


@cache
def _others() -> dict[str, Entry]:
    """Returns the players of other packages."""

    def entry_of(name: str, loaded: Any) -> Entry:
        if name in ENTRIES or name in _bots() or name in LEARNERS:
            raise UsageError(f"there is a player {name} already")
        attributes = {"title": "TITLE", "game": "GAME", "turn_based": "TURN_BASED", "scripted": "SCRIPTED"}
        facts = {field: getattr(loaded, what) for field, what in attributes.items() if hasattr(loaded, what)}
        return Entry(**{"title": name, "entry_point": loaded} | facts)

    return _installed(ENTRY_POINTS, "player", entry_of)


@cache
def _learners_of_others() -> dict[str, LearnerEntry]:
    """Returns the learners of other packages."""

    def entry_of(name: str, loaded: Any) -> LearnerEntry:
        entry = _checked_learner(loaded, name)
        entry.load().NAME = name
        return entry

    return _installed(LEARNER_ENTRY_POINTS, "learner", entry_of)


def learner_entries() -> dict[str, LearnerEntry]:
    """Returns all learners by name."""
    return LEARNERS | _learners_of_others()


def learner_entry(name: str) -> LearnerEntry:
    """Returns what is known of a learner.

    Args:
        name: Its name; or its class or training function, ``module:Class`` or ``./file.py:train``, whose module is
            imported.

    Raises:
        UsageError: there is no such learner, or it has the name of another one.
        UsageTypeError: the class is no learner.
    """
    known = learner_entries()
    if name in known:
        return known[name]
    if CLASS.fullmatch(name):
        return _checked_learner(class_at(name, functions=True))
    raise UsageError(
        f"there is no learner {name!r}{suggestion(name, known)}; the learners are {', '.join(known)}, and one of your "
        "own is named by its class, such as my_package.learners:MyLearner or ./learner.py:MyLearner"
    )


@cache
def _taught(learner: LearnerEntry) -> Entry:
    """Returns a learner that plays both seats as a player."""
    return Entry(learner.title, learner.entry_point, scripted=False, self_play=True)


def entries() -> dict[str, Entry]:
    """Returns all players by name."""
    first = {name: ENTRIES[name] for name in ("manual", "random")}
    learned = {name: _taught(entry) for name, entry in learner_entries().items() if entry.plays_both_seats}
    return first | _bots() | ENTRIES | learned | _others()


def names(game: Game) -> tuple[str, ...]:
    """Returns the names of the players of ``game``, without those of :func:`self_play_learners` and ``llm``.

    Raises:
        UsageError: ``game`` is no game.
    """
    check_game(game)
    listed = {name: entry for name, entry in entries().items() if entry.listed and not entry.self_play}
    return tuple(name for name, entry in listed.items() if _plays(entry, game))


def levels(game: Game) -> dict[str, str]:
    """Returns players of ``game`` as people choose them: their names by :data:`LEVELS`, the weakest first."""
    known = names(game)
    plays = {level: [one for one in some if one.partition("(")[0] in known] for level, some in LEVELS.items()}
    return {level: some[0] for level, some in plays.items() if some}


def scripted(game: Game) -> tuple[str, ...]:
    """Returns the names of the scripted players of ``game``."""
    return tuple(name for name in names(game) if entries()[name].scripted)


def learners(game: Game) -> tuple[str, ...]:
    """Returns the names of the learners of ``game``, see :class:`nashzoo.agents.learning.learner.Learner`."""
    from nashzoo.agents.learning.learner import Learner

    return tuple(name for name in names(game) if issubclass(_agent_class(name), Learner))


def self_play_learners(game: Game | None = None) -> tuple[str, ...]:
    """Returns the names of the learners that play both seats; they play from their saved files.

    See :class:`nashzoo.agents.learning.self_play_learner.SelfPlayLearner`.

    Args:
        game: A game, for those that learn games with hidden information or games without, as this one is.
    """
    names = tuple(name for name, entry in learner_entries().items() if entry.plays_both_seats)
    return names if game is None else tuple(name for name in names if self_play_learner(name).learns(game))


def self_play_learner(name: str) -> "type[SelfPlayLearner]":
    """Returns the class of a learner that plays both seats, see :func:`learner_entry`.

    Raises:
        UsageError: there is no such learner, or it is a model of Stable-Baselines3.
    """
    entry = learner_entry(name)
    if not entry.plays_both_seats:
        raise UsageError(f"{name} does not play both seats itself; those are {', '.join(self_play_learners())}")
    return entry.load()


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


def does(player: str) -> str:
    """Returns what a player does, in a line to its opponent; empty if it is no player with a name.

    >>> does("mcts(simulations=20)")
    'Tries 20 games in its head before each move.'
    >>> does("prefers(actions=bet;raise;call)")
    'Its first choice is bet, then raise, then call.'
    """
    name, chosen = split_options(player)
    entry = entries().get(name)
    if entry is None:
        return ""
    if chosen.get("mistakes"):
        return f"{100 * chosen['mistakes']:g} % of its moves are random, the others perfect."
    if order := chosen.get("actions"):
        chosen["actions"] = ", then ".join(part.strip() for part in order.split(";"))
    return entry.does.format(**options(name) | chosen) or (entry.load().__doc__ or "").partition("\n")[0]


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


def class_options(agent_class: Callable[..., Any]) -> dict[str, Any]:
    """Returns the options of a class of players, or of what makes them: its parameters besides game and seed."""
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


def make(name: str, /, game: Game, seed: int | None = None, **chosen: Any) -> Agent:
    """Returns a player by name.

    Args:
        name: One of ``names(game)`` or of ``self_play_learners()``, or ``llm``.
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
        kinds = " with hidden information", " whose state both players see"
        plays += kinds[game.hides] * (not entry.sees_enough(game))
        plays += f" with the actions {', '.join(entry.actions)}" * bool(entry.actions)
        other = repr(game) if entry.game == game.name else game.name
        raise UsageError(f"{name} plays {plays}, not {other}; its players are {', '.join(names(game))}")
    check_options(name, chosen, options(name))
    agent: Agent = _agent_class(name)(game, seed, **chosen)
    if isinstance(agent, Agent) and not agent.name:
        agent.name = name
    return agent


def _plays(entry: Entry, game: Game) -> bool:
    if (game.has_chance and not entry.chance) or not entry.sees_enough(game):
        return False
    if entry.actions and entry.actions != tuple(game.actions):
        return False
    return entry.game in (None, game.name) and (game.turn_based or not entry.turn_based)


def _entry(name: str, game: Game | None = None) -> Entry:
    every = entries()
    if name not in every:
        files = sorted(os.listdir(name)) if os.path.isdir(name) else []
        if models := [os.path.join(name, file) for file in files if file.endswith((".zip", ".safetensors"))]:
            raise UsageError(f"{name} is a folder; name the model in it, {' or '.join(models)}")
        known, whose = (every, "") if game is None else (names(game), f" of {game.name}")
        raise UsageError(
            f"there is no player {name!r}{suggestion(name, known)}; the players{whose} are {', '.join(known)}"
        )
    return every[name]


def _agent_class(name: str) -> Any:
    return _entry(name).load()
