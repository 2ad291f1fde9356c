"""All players by name."""

import dataclasses
import difflib
import importlib
import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.core.checks import check_game
from nashzoo.envs.core.game import Game

if TYPE_CHECKING:
    from nashzoo.agents.learning.learner import Learner
    from nashzoo.agents.learning.self_play_learner import SelfPlayLearner


class Entry(NamedTuple):
    """A player who can be asked for by name."""

    title: str
    place: str  # module and class, imported when asked for
    game: str | None = None  # the one game it plays; None for all
    turn_based: bool = False  # whether it plays turn-based games alone
    scripted: bool = True  # whether it plays by a script of its own: no person, search, or exact solution
    self_play: bool = False  # whether it is a SelfPlayLearner, which can play nothing until it has learned


ENTRIES = {
    "manual": Entry("A person at the keyboard", "basic.keyboard:KeyboardAgent", scripted=False),
    "random": Entry("The Chaotic", "basic.random_agent:RandomAgent"),
    "counter": Entry("The Simple-Minded", "bots.footsies:CounterAgent", "footsies_v0"),
    "bayesian": Entry("The Statistician", "bots.footsies:BayesianAgent", "footsies_v0"),
    "bluff": Entry("The High Roller", "bots.footsies:BluffAgent", "footsies_v0"),
    "markov": Entry("Markov chain", "bots.footsies:MarkovAgent", "footsies_v0"),
    "roll": Entry("The Tree Predictor", "bots.roshambo.counting:RollAgent", "roshambo_v0"),
    "constant": Entry("The one with one idea", "bots.roshambo.fixed:ConstantAgent", "roshambo_v0"),
    "biased": Entry("The one with a favourite", "bots.roshambo.fixed:BiasedAgent", "roshambo_v0"),
    "rotating": Entry("Round and round", "bots.roshambo.fixed:RotatingAgent", "roshambo_v0"),
    "copy": Entry("The Echo", "bots.roshambo.fixed:CopyAgent", "roshambo_v0"),
    "debruijn": Entry("De Bruijn's sequence", "bots.roshambo.fixed:DeBruijnAgent", "roshambo_v0"),
    "pi": Entry("The digits of pi", "bots.roshambo.fixed:PiAgent", "roshambo_v0"),
    "frequency": Entry("Fictitious play", "bots.roshambo.counting:FrequencyAgent", "roshambo_v0"),
    "markov_k": Entry("Markov chain of any order", "bots.roshambo.counting:MarkovAgent", "roshambo_v0"),
    "antirotation": Entry("The one who sees circles", "bots.roshambo.counting:AntiRotationAgent", "roshambo_v0"),
    "recent": Entry("The short memory", "bots.roshambo.memory:RecentAgent", "roshambo_v0"),
    "habits": Entry("The creature of habit", "bots.roshambo.memory:HabitsAgent", "roshambo_v0"),
    "history": Entry("All this has happened before", "bots.roshambo.history:HistoryAgent", "roshambo_v0"),
    "iocaine": Entry("Iocaine", "bots.roshambo.history:IocaineAgent", "roshambo_v0"),
    "hedge": Entry("Multiplicative weights", "bots.roshambo.counting:HedgeAgent", "roshambo_v0"),
    "mixture": Entry("The Parliament", "bots.roshambo.mixture:MixtureAgent", "roshambo_v0"),
    "argmax_counter": Entry("The Counterpuncher", "bots.bodega_brawl:ArgmaxCounterAgent", "bodega_brawl_v0"),
    "menace": Entry("The learning matchboxes", "learning.menace.agent:MenaceAgent", "tictactoe_v0"),
    "mcts": Entry("The Clairvoyant", "search.mcts:MCTSAgent", scripted=False),
    "nash": Entry("The exact solution", "exact.nash:NashAgent", scripted=False),
    "greedy": Entry("One move ahead", "search.minimax:GreedyAgent", turn_based=True),
    "minimax": Entry("Everything some moves ahead", "search.minimax:MinimaxAgent", turn_based=True, scripted=False),
    "alphabeta": Entry("The same with less work", "search.minimax:AlphaBetaAgent", turn_based=True, scripted=False),
    "perfect": Entry("Every optimal move alike", "exact.perfect:PerfectAgent", turn_based=True, scripted=False),
    "human": Entry(
        "A person who plays the best move with a probability", "exact.perfect:NoisyOptimalAgent", turn_based=True
    ),
    "minimax_q": Entry("Minimax-Q", "learning.tabular.minimax_q:MinimaxQ", scripted=False, self_play=True),
    "regret_matching": Entry(
        "No regrets", "learning.tabular.regret_matching:RegretMatching", scripted=False, self_play=True
    ),
    "wolf_phc": Entry("Win or learn fast", "learning.tabular.wolf_phc:WolfPHC", scripted=False, self_play=True),
    "deep_minimax": Entry("Deep minimax", "learning.deep.deep_minimax:DeepMinimax", scripted=False, self_play=True),
    "distilled": Entry("Distilled", "learning.deep.distilled:Distilled", scripted=False, self_play=True),
    "nash_vi": Entry("Nash value iteration", "learning.tabular.nash_vi:NashVI", scripted=False, self_play=True),
}


def names(game: Game) -> tuple[str, ...]:
    """Returns the names of the players who can play ``game``, without those of :func:`self_play_learners`.

    Raises:
        UsageError: ``game`` is no game.
    """
    check_game(game)
    return tuple(name for name, entry in ENTRIES.items() if not entry.self_play and _plays(entry, game))


def learners(game: Game) -> tuple[str, ...]:
    """Returns the names of those who learn ``game`` from nothing: :class:`nashzoo.agents.learning.learner.Learner`."""
    from nashzoo.agents.learning.learner import Learner

    return tuple(name for name in names(game) if issubclass(_agent_class(name), Learner))


def self_play_learners() -> tuple[str, ...]:
    """Returns the names of those who learn any game by playing both seats, and are made with what they learned.

    See :class:`nashzoo.agents.learning.self_play_learner.SelfPlayLearner`.
    """
    return tuple(name for name, entry in ENTRIES.items() if entry.self_play)


def self_play_learner(name: str) -> "type[SelfPlayLearner]":
    """Returns the class of one of :func:`self_play_learners`."""
    learner: type[SelfPlayLearner] = _agent_class(name)
    return learner


def untaught(name: str, game: Game, opponent: Any, player: int | str, seed: int) -> "Learner":
    """Returns one of ``learners(game)`` that has played no game yet."""
    learner: Learner = _agent_class(name).untaught(game, opponent, player, seed)
    return learner


def title(name: str) -> str:
    """Returns what a player is called, for people.

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
    {'alpha': 1.0, 'risk_threshold': 0.2}
    """
    agent_class = _agent_class(name)
    settings = dataclasses.fields(agent_class.Settings) if _entry(name).self_play else ()
    parameters = inspect.signature(agent_class).parameters.values()
    return {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.name not in ("game", "seed") and parameter.kind is not parameter.VAR_KEYWORD
    } | {setting.name: getattr(agent_class.Settings(), setting.name) for setting in settings}


def make(name: str, game: Game, seed: int | None = None, **chosen: Any) -> Agent:
    """Returns a player by name.

    Args:
        name: One of ``names(game)`` or of ``self_play_learners()``.
        game: The game it shall play.
        seed: Seed of the random numbers that its ``predict`` draws.
        **chosen: The player's options.

    Raises:
        UsageError: there is no such player, it plays another game, or an option is out of its range.
        UsageTypeError: the player has no such option.
    """
    check_game(game)
    entry = _entry(name, game)
    if not _plays(entry, game):
        plays = entry.game or "turn-based games"
        raise UsageError(f"{name} plays {plays}, not {game.name}; its players are {', '.join(names(game))}")
    known = options(name)
    unknown = sorted(chosen.keys() - known.keys())
    if unknown:
        raise UsageTypeError(f"{name} has no option {', '.join(unknown)}; it has {', '.join(known) or 'none'}")
    agent: Agent = _agent_class(name)(game, seed, **chosen)
    return agent


def _plays(entry: Entry, game: Game) -> bool:
    return entry.game in (None, game.name) and (game.turn_based or not entry.turn_based)


def _entry(name: str, game: Game | None = None) -> Entry:
    if name not in ENTRIES:
        known, whose = (ENTRIES, "") if game is None else (names(game), f" of {game.name}")
        near = difflib.get_close_matches(name, known, 1)
        question = f" (did you mean {near[0]}?)" if near else ""
        raise UsageError(f"there is no player {name!r}{question}; the players{whose} are {', '.join(known)}")
    return ENTRIES[name]


def _agent_class(name: str) -> Any:
    module, class_name = _entry(name).place.split(":")
    return getattr(importlib.import_module(f"nashzoo.agents.{module}"), class_name)
