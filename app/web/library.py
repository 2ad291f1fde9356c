"""The games and agents that the browser may load: those with names, and those given on the command line."""

import inspect
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo import agents
from nashzoo.agents import registry
from nashzoo.agents.basic.nash import NashAgent
from nashzoo.agents.loading import check_exists
from nashzoo.agents.notation import split_options
from nashzoo.app.shared.parsing import for_a_person
from nashzoo.app.shared.policies import SEED
from nashzoo.app.shared.words import introduced, meanings, sides
from nashzoo.app.web.folders import learned_in
from nashzoo.arena.records import source_of
from nashzoo.baselines import Solution
from nashzoo.baselines.even_solution import evened
from nashzoo.envs import Game, games, make_game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import with_suits
from nashzoo.envs.core.agent import Agent, FiniteMemoryAgent, PolicyAgent
from nashzoo.envs.drawing.palette import ROLES
from nashzoo.envs.drawing.svg import SVGCanvas
from nashzoo.envs.registry import OPENSPIEL

PERSON = "human player"  # in the place of an agent
GAMES_KEPT = 64
MOST_OPTION = 20_000  # largest number among an agent's options, so that no move takes minutes
REFUSED = ("file", "policy", "opponent")  # options of agents
PLAIN = bool | int | float | str | None  # options that can be typed
UNLISTED = ("mistakes",)  # options that would make another player of this one
LEARNED = "model", "policy"  # files of a run, without what they end with
OF_STATES = "values", "practice"  # what the pages show of a game whose states have values
MOST_LISTED = 64  # values of a field: larger numbers are codes, which people do not know
WALKS, PICTURED = 8, 4  # random plays for the picture of a game, and their steps
BRIEF = 10  # most steps of random plays of a game that is short


class NotAllowedError(UsageError):
    """The request is for something that was not named on the command line."""


class Library:
    """The games and players that the pages may load.

    Args:
        named_games: Modules and files of rules that were named on the command line.
        named_players: Models, scripts and classes that were named on the command line.
        examples: Modules of rules that come last among the games.

    Raises:
        FileNotFoundError: there is no file of this name.
        UsageError: there is no class or player of this name.
    """

    def __init__(
        self, named_games: Sequence[str] = (), named_players: Sequence[str] = (), examples: Sequence[str] = ()
    ) -> None:
        self.named_games = tuple(named_games)
        self.examples = tuple(examples)
        self.named_players = tuple(named_players)
        for player in named_players:
            check_exists(player)
        self._places = {_parted(named)[0] for named in (*named_games, *examples)}
        self.game = lru_cache(GAMES_KEPT)(self._game)

    def _game(self, text: str) -> Game:
        """Returns the game that a text such as ``footsies_v0(rounds=3)`` describes.

        Raises:
            NotAllowedError: it has no name, and was not named on the command line.
            UsageError: its parameters are wrong.
        """
        name, options = _parted(text)
        if name not in games() and name not in self._places:
            known = ", ".join((*self.named_games, *games(), *self.examples))
            raise NotAllowedError(f"there is no game {name!r} here; the games are {known}")
        game = make_game(name, **options)
        self._places.add(source_of(game))  # which can be another name of the same module
        return game

    def game_in_file(self, name: str, **parameters: Any) -> Game:
        """Returns the game of a record.

        Raises:
            NotAllowedError: it has no name, and was not named on the command line.
            UsageError: its parameters are wrong.
        """
        self.game(name)
        return make_game(name, **parameters)

    def games(self) -> list[dict[str, Any]]:
        """Returns the available games, those of the command line first."""
        named, last = ({self.game(name).name for name in given} for given in (self.named_games, self.examples))
        rest = [name for name in games() if name not in named | last]  # a module that is loaded is among them
        rest += [name for name in self.examples if self.game(name).name not in named]
        return [self.about(name) for name in (*self.named_games, *rest)]

    def about(self, text: str) -> dict[str, Any]:
        """Returns the description of a game for the pages."""
        game = self.game(text)
        title, sentence = introduced(game)
        size = _parted(text)[1].get("preset")
        players = self.agents(game)
        return {
            "game": text,
            "short": self.short(text),
            "name": game.name,
            "title": f"{title}, {size}" if size else title,
            "about": sentence,
            "rules": re.sub("[{}]", "", game.view.rules_text(game.params)),
            "in_short": list(game.view.in_short(game.params)),
            "picture": str(_pictured(self.game(self.short(text)))),
            "rows": game.view.rows(game.params),
            "icons": _icons(game),
            "brief": _is_brief(game),
            "graded": _is_graded(game),
            "parameters": {name: value for name, value in game.options.items() if value is not None},
            "settings": _settings(game),
            "actions": list(game.actions),
            "labels": list(game.labels),
            "players": list(sides(game)),
            "written": list(game.view.PLAYERS),  # their names in texts and drawings
            "introduction": [game.introduction(player) for player in (0, 1)],
            "turn_based": game.turn_based,
            "chance": game.has_chance,
            "symmetric": game.symmetric,
            "offers": [] if game.hides else list(OF_STATES),
            "fields": [] if game.hides else _fields(game),
            "start": str(int(game.start_codes[0])),
            "half": game.points(0.0),  # each player's points of a draw, from which rewards are counted
            "agents": players,
            "opponents": self.opponents(game, [one["name"] for one in players]),
        }

    def short(self, text: str) -> str:
        """Returns a game as a person plays it, with its parameters for that where others are not given."""
        name, options = _parted(text)
        short = ",".join(f"{one}={value}" for one, value in for_a_person(self.game(text), options).items())
        return text if not short else f"{text.removesuffix(')')},{short})" if options else f"{name}({short})"

    def agents(self, game: Game) -> list[dict[str, Any]]:
        """Returns the agents of a game: name, title and options for people, with their defaults."""
        known = [name for name in agents.names(game) if name != "manual"]
        fitting = [name for name in self.named_players if learned_in(name) in (None, game.name, source_of(game))]
        return [
            {"name": name, "title": agents.title(name), "options": _for_people(agents.options(name))} for name in known
        ] + [{"name": name, "title": _titled(name), "options": {}} for name in fitting]

    def opponents(self, game: Game, names: Sequence[str]) -> list[dict[str, Any]]:
        """Returns players of a game in groups, as a person chooses among them: name, title, and what each does."""
        levels = {name: level for level, name in registry.levels(game).items()}
        entries, learners = registry.entries(), [name for name in registry.learners(game) if name in names]
        scripted = [name for name in names if name in entries and entries[name].scripted]
        bots = [name for name in scripted if name not in (*learners, *levels)]
        others = [name for name in names if name not in (*bots, *learners, *self.named_players, *levels)]
        groups = {
            "By strength": levels,
            "Characters": {name: agents.title(name) for name in sorted(bots, key=agents.title)} | _characters(game),
            "Learners": {name: agents.title(name) for name in learners},
            "Programs that search or solve": {name: agents.title(name) for name in others},
            "Models": {name: _titled(name) for name in self.named_players if name in names},
        }
        return [
            {
                "group": group,
                "players": [
                    {"name": name, "title": title, "does": registry.does(name), "unlisted": _unlisted(name)}
                    for name, title in players.items()
                ],
            }
            for group, players in groups.items()
            if players
        ]

    def agent(self, text: str, game: Game, seed: int | None) -> Agent:
        """Returns the player of a game that a text such as ``mcts(simulations=100)`` describes.

        Raises:
            NotAllowedError: it has no name, and was not named on the command line.
            UsageError: it plays another game, or its options are wrong.
        """
        if text in _characters(game):
            return agents.as_agent(text, game, seed)
        name, options = (text, {}) if text in self.named_players else split_options(text)
        allowed = [one["name"] for one in self.agents(game)]
        entry = registry.entries().get(name)
        if name not in self.named_players and (entry is None or not entry.listed):
            raise NotAllowedError(
                f"there is no player {name!r} here; the players of this game are {', '.join(allowed)}"
            )
        if name not in allowed:
            raise UsageError(f"{name} does not play {game.name}; its players are {', '.join(allowed)}")
        for option, value in options.items():
            if isinstance(value, int | float) and abs(value) > MOST_OPTION:
                raise UsageError(f"{option} is at most {MOST_OPTION:,} here, not {value:,}")
            if option in REFUSED:
                raise NotAllowedError(f"{option} of {name} can be chosen on the command line alone")
        return agents.as_agent(text, game, seed)

    def player(self, text: str, game: Game, seed: int | None, solution: Solution | None = None) -> Agent:
        """Returns a player for matches, see :meth:`agent`: perfect play mixes as the pages show it.

        Args:
            text: The player's name, with options.
            game: The game.
            seed: The player's seed.
            solution: The solution that the pages show, if it is at hand.
        """
        made = self.agent(text, game, seed)
        if isinstance(made, NashAgent):
            made.solution = evened(made.solution) if solution is None else solution
        return made


def _characters(game: Game) -> dict[str, str]:
    """Returns the titles of the opponents that a game's view names by an order of choice, by the players' names."""
    return {f"prefers(actions={'; '.join(order)})": title for title, order in game.view.CHARACTERS.items()}


def _unlisted(player: str) -> str:
    """Returns why a player has no policy, with the usual options; nothing is supposed of those of the command line."""
    entry = registry.entries().get(split_options(player)[0])
    kind = entry and entry.load()
    if kind and not issubclass(kind, PolicyAgent | FiniteMemoryAgent):
        return "remembers earlier moves"
    return "searches afresh each time" if kind and SEED in inspect.signature(kind).parameters else ""


def _for_people(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options that a person can choose: not those refused, nor empty ones, which programs fill."""
    left_out = (*REFUSED, *UNLISTED)
    plain = {name: value for name, value in options.items() if isinstance(value, PLAIN) and name not in left_out}
    return {name: value for name, value in plain.items() if value not in (None, "")}


def _titled(player: str) -> str:
    """Returns the name of a player of the command line: of a run the folder's, of another long path the end."""
    name = split_options(player)[0]
    path, options = Path(name), player.removeprefix(name)
    learned = path.stem in LEARNED and path.parent.name
    return (f"{path.parent.name}, as trained" if learned else "/".join(path.parts[-2:])) + options


def _fields(game: Game) -> list[dict[str, Any]]:
    """Returns the fields by which a person can set a state up, with their values in words; none if one is a code."""
    maxima, silent = game.field_maxima._asdict(), getattr(game.rules.written, "UNSEEN_FIELDS", ())
    named = {name: int(maxima[name]) for name in maxima if maxima[name] and name not in silent}
    named = {name: most for name, most in named.items() if game.view.field_name(name)}
    if any(most > MOST_LISTED for most in named.values()):
        return []
    sets = getattr(game.rules.written, "BIT_FIELDS", ())

    def word(name: str, value: int) -> str:
        members = ", ".join(str(k + 1) for k in range(value.bit_length()) if value >> k & 1)
        return (members or "none") if name in sets else with_suits(game.view.field_text(game.params, name, value, ()))

    return [
        {"name": name, "title": game.view.field_name(name), "values": [word(name, value) for value in range(most + 1)]}
        for name, most in named.items()
    ]


def _settings(game: Game) -> list[dict[str, Any]]:
    """Returns the parameters of a game for people: name, default, meaning, and whether a person has another default.

    Those that are None follow from the others, and are left out.
    """
    known, told = game.rules.signature.parameters, meanings(getattr(game.rules, "Params", None))
    plain = {name: one.default for name, one in known.items() if isinstance(one.default, PLAIN)}
    return [
        {"name": name, "default": value, "meaning": told.get(name, ""), "short": name in game.view.SHORT}
        for name, value in plain.items()
        if value is not None or game.options[name] is not None
    ]


@lru_cache(GAMES_KEPT)
def _pictured(game: Game) -> int:
    """Returns the code of a state for a picture of the game: the one of several random plays that differs most."""
    try:
        start = game.state(game.first_decision)
        walks = [_states_of_play(game, np.random.default_rng(seed), PICTURED)[-1] for seed in range(WALKS)]
    except Exception:  # of its rules; whoever plays the game reads it, and the other games have their pictures
        return int(game.start_codes[0])
    most = max(walks, key=lambda code: sum(one != other for one, other in zip(game.state(code), start, strict=True)))
    return game.information_state(most, 0)


def _states_of_play(game: Game, rng: np.random.Generator, most: int) -> list[int]:
    """Returns the states of random play in which a player chooses, so many at most; before, that of the start."""
    code, states = game.start(rng), list[int]()
    while len(states) < most:
        while not game.terminal(code) and not game.movers(code):
            outcomes, probabilities = game.outcomes(code)
            code = int(rng.choice(outcomes, p=probabilities))
        if game.terminal(code):
            break
        states.append(code)
        code = game.step(code, *(int(rng.choice(game.legal_actions(code, player))) for player in (0, 1)))
    return states or [code]


@lru_cache(GAMES_KEPT)
def _is_brief(game: Game) -> bool:
    """Returns whether random plays end within ``BRIEF`` steps."""
    try:
        return all(len(_states_of_play(game, np.random.default_rng(seed), BRIEF + 1)) <= BRIEF for seed in range(WALKS))
    except Exception:  # of its rules, see _pictured
        return False


def _is_graded(game: Game) -> bool:
    """Returns whether more than 1 point can be won in a game that is short, so that matches are for points."""
    try:
        return _is_brief(game) and game.at_stake(int(game.start_codes[0])) > 1.0
    except UsageError:  # of its rules, see _pictured
        return False


@lru_cache(GAMES_KEPT)
def _icons(game: Game) -> list[list[str]]:
    """Returns the view's pictures of each player's actions, with names of roles as colours; empty if it has none."""
    if "draw_action" not in vars(game.view):
        return []
    return [[_icon(game, player, action) for action in range(game.num_actions)] for player in (0, 1)]


def _icon(game: Game, player: int, action: int) -> str:
    canvas = SVGCanvas(ROLES)
    canvas.shapes.clear()  # no ground: it lies on a button
    game.view.draw_action(game.params, player, action, canvas)
    return canvas.svg(game.name, game.actions[action])


def _parted(game: str) -> tuple[str, dict[str, Any]]:
    """Returns a game's name and its parameters; those of a game of OpenSpiel belong to its name."""
    return (game, {}) if game.startswith(OPENSPIEL) else split_options(game)
