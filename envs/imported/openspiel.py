"""Games of OpenSpiel, explored once: two players, zero-sum, with perfect or with hidden information.

A state is OpenSpiel's text of it together with the player to move, so histories with the same text are one
state. Random games, played both in OpenSpiel and with these rules, test that the text determines the state. Limits to
the length of a game are left out, as the text does not count moves; but with a ``horizon``, as in
``"markov_soccer(horizon=20)"``, the number of moves is part of the state. It is a clock beside the states without it
if random games show that the horizon does no more.

With hidden information a state is a history, and what a player sees there is OpenSpiel's text of the information state:
a state more, a copy of the first history in which the player sees it.

Source: Lanctot et al. (2019), "OpenSpiel: a framework for reinforcement learning in games".
"""

import contextlib
import importlib
import itertools
import re
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nashzoo.envs.base.errors import MissingPackageError, UsageError
from nashzoo.envs.base.files import digest
from nashzoo.envs.base.words import suggestion
from nashzoo.envs.core.game import MOST_ACTIONS, Game
from nashzoo.envs.imported.explorer import MOST_SEEN, MOST_STATES, OVER, Explored, Source, compare
from nashzoo.envs.imported.graph_files import cached
from nashzoo.envs.imported.graph_rules import GraphRules, Horizon
from nashzoo.envs.imported.large_matrix import LargeMatrix, LargeMatrixError
from nashzoo.envs.rules.pieces import BOTH, CHANCE

COUNTED = "horizon="  # the parameter that limits the length of a game
SOON, LATE = 20, 1_000_000  # horizons that random games reach, and never reach
OFTEN = 1_000  # random games up to the first
PACKAGES = "pyspiel", "open_spiel"  # of OpenSpiel
MESSAGE = 100  # letters of OpenSpiel's messages in errors


def from_openspiel(game: Any, most_states: int = MOST_STATES) -> Game:
    """Returns a game of OpenSpiel, such as ``"tic_tac_toe"``, ``"leduc_poker"`` or ``"markov_soccer(horizon=50)"``.

    Args:
        game: Its name, with parameters in OpenSpiel's notation, also of a game that you registered with it; or a game
            of it. With ``horizon=...`` states include the move number.
        most_states: The largest number of states to explore, with hidden information of histories.

    Raises:
        UsageError: there is no such game; it is not of two players and zero-sum; or it has too many states or actions.
        MissingPackageError: OpenSpiel is not installed.
    """
    return Game(openspiel_rules(game, most_states))


def openspiel_rules(named: Any, most_states: int = MOST_STATES) -> GraphRules:
    """Returns the rules of :func:`from_openspiel`.

    They are compared with OpenSpiel by random games.

    Raises:
        UsageError: as there; or different states have the same text in OpenSpiel.
        MissingPackageError: OpenSpiel is not installed.
    """
    game = loaded(named)
    name = named if isinstance(named, str) else str(game).removesuffix("()")
    if type(game).__module__.partition(".")[0] not in PACKAGES:  # somebody's code, which may be another tomorrow
        return _made(game, name, most_states).told()
    files = [Path(value) for key, value in game.get_parameters().items() if "file" in key and Path(value).is_file()]
    depends_on = name, str(most_states), version("open_spiel"), *map(digest, files)
    return cached(depends_on, lambda: _made(game, name, most_states)).told()


def _made(game: Any, name: str, most_states: int) -> GraphRules:
    """Returns the rules of a game, explored; with a clock beside its states if they can do with it."""
    title, source = f"openspiel:{name}", OpenSpielSource(game, name, counts_moves=COUNTED in name)
    start = source.start()
    legal = start.legal if start.turn == BOTH and game.max_game_length() == 1 else [[], []]
    if max(map(len, legal)) > MOST_ACTIONS:
        rows, columns = ([source.action_name(start, k, action) for action in legal[k]] for k in range(2))
        half = source.half
        matrix = LargeMatrix(lambda i, j: start.after((legal[0][i], legal[1][j])).won + half, rows, columns, title)
        raise LargeMatrixError(matrix)
    limited = "horizon" in game.get_parameters() and type(game).__module__ == "pyspiel"
    if limited and not _hides(game):
        endless = OpenSpielSource(_with_horizon(game, LATE), name)
        explored = Explored(endless, most_states)
        if COUNTED not in name:
            compare(endless, explored)
            return explored.rules(title, whose="OpenSpiel")
        for before, pays in itertools.product((0, 1), (True, False)):  # the first outcome of chance may be a move
            with contextlib.suppress(UsageError):
                soon = OpenSpielSource(_with_horizon(game, SOON), name)
                compare(soon, explored, Horizon(SOON - before, pays), OFTEN)
                horizon = Horizon(game.get_parameters()["horizon"] - before, pays)
                compare(OpenSpielSource(game, name), explored, horizon)
                return explored.rules(title, horizon, "OpenSpiel")
    explored = Explored(source, most_states)
    compare(source, explored)
    return explored.rules(title, whose="OpenSpiel", total=explored.take_off(2 * source.half))


def is_openspiel(thing: Any) -> bool:
    """Returns whether an object is a game of OpenSpiel, also one that somebody wrote in Python."""
    return any(kind.__module__ == "pyspiel" and kind.__name__ == "Game" for kind in type(thing).__mro__)


def loaded(name: Any) -> Any:
    """Returns a game of OpenSpiel by its name, checked."""
    if not isinstance(name, str) and not is_openspiel(name):
        raise UsageError(f"a game of OpenSpiel is made by its name, such as 'tic_tac_toe', or is one, not {name!r}")
    try:
        import pyspiel

        if str(name).startswith("python_"):
            importlib.import_module("open_spiel.python.games")  # registers them
    except ImportError as error:
        raise MissingPackageError(
            f"{error}; its games need OpenSpiel: pip install '.[openspiel]' in nashzoo's folder"
        ) from error
    game = name if is_openspiel(name) else _by_name(name)
    kind = game.get_type()
    if game.num_players() != 2:
        raise UsageError(f"{name} has {game.num_players()} players; a game here has two")
    if kind.utility not in (pyspiel.GameType.Utility.ZERO_SUM, pyspiel.GameType.Utility.CONSTANT_SUM):
        raise UsageError(f"{name} is not zero-sum, as a game here is")
    if _hides(game) and not kind.provides_information_state_string:
        raise UsageError(f"{name} has hidden information, and OpenSpiel does not write what a player sees of it")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise UsageError(f"{name} does not say how likely what happens by chance is")
    return game


def _by_name(name: str) -> Any:
    """Returns a game by its name."""
    import pyspiel

    short_name = name.partition("(")[0]
    if short_name not in pyspiel.registered_names():  # checked here, as OpenSpiel prints the names of all its games
        raise UsageError(f"OpenSpiel has no game {short_name}{suggestion(short_name, pyspiel.registered_names())}")
    try:
        return pyspiel.load_game(name)
    except (pyspiel.SpielError, ValueError, TypeError) as error:  # a game in Python has errors of its own
        raise UsageError(f"OpenSpiel cannot make {name}: {str(error).splitlines()[0][:MESSAGE]}") from None


def _with_horizon(game: Any, horizon: int) -> Any:
    """Returns a game with another limit of its length."""
    import pyspiel

    return pyspiel.load_game(game.get_type().short_name, {**game.get_parameters(), "horizon": horizon})


def _hides(game: Any) -> bool:
    """Returns whether a game has hidden information."""
    kind = game.get_type()
    return bool(kind.information == type(kind).Information.IMPERFECT_INFORMATION)


class OpenSpielSource(Source):
    """A game of OpenSpiel.

    Args:
        name: Its name in messages.
        counts_moves: Whether the number of moves is part of the state.
    """

    tells_chance = False  # its text of a state of chance leaves out the actions before it

    def __init__(self, game: Any, name: str, counts_moves: bool = False) -> None:
        self.game, self.name, self.counts_moves = game, name, counts_moves
        self.told = f"what OpenSpiel writes of states of {name}"
        self.hides = _hides(game)
        kind = game.get_type()
        self.paid = "REWARDS" in str(kind.reward_model)  # at every step; else at the end
        self.half = (game.utility_sum() or 0.0) / 2
        tensor = "information_state_tensor" if self.hides else "observation_tensor"
        small = getattr(kind, f"provides_{tensor}") and getattr(game, f"{tensor}_size")() <= MOST_SEEN
        self.tensor = tensor if small else ""
        limit = game.get_parameters().get("horizon")
        self.count = None if limit is None else re.compile(rf"\d+/{limit}\b")  # of moves, written in some states

    def start(self, play: int = 0) -> "OpenSpielState":
        """Returns the initial state."""
        return OpenSpielState(self, self.game.new_initial_state())

    def action_name(self, state: "OpenSpielState", player: int, action: Any) -> str:
        """Returns OpenSpiel's name and number."""
        return f"{state.state.action_to_string(player, action)} ({action})"


class OpenSpielState:
    """A state of OpenSpiel; attributes are those of :class:`nashzoo.envs.imported.explorer.State`."""

    sign, shown, label = None, (None, None), ""

    def __init__(self, source: OpenSpielSource, state: Any) -> None:
        self.source, self.state = source, state
        player = int(state.current_player())
        self.turn = (
            OVER if state.is_terminal() else CHANCE if state.is_chance_node() else player if player >= 0 else BOTH
        )
        if source.paid:
            self.payoff = 0.0 if self.turn == CHANCE else float(state.rewards()[0])
        else:
            self.payoff = self.won if self.turn == OVER else 0.0

    won = property(lambda self: float(self.state.returns()[0]) - self.source.half)
    outcomes = property(lambda self: self.state.chance_outcomes())
    legal = cached_property(lambda self: [self.state.legal_actions(player) for player in range(2)])
    key = property(lambda self: (self.text, self.state.move_number()) if self.source.counts_moves else self.text)
    seen = property(lambda self: [self.state.information_state_string(player) for player in range(2)])

    @property
    def identity(self) -> Any:
        """What tells the state from others, which is its history where something is hidden and where chance moves."""
        return self.state.history_str() if self.source.hides or self.turn == CHANCE else (self.text, self.turn)

    def told(self, player: int) -> str:
        """Returns OpenSpiel's text of what a player sees."""
        return str(self.seen[player] if self.source.hides else self.text)

    @cached_property
    def text(self) -> str:
        """OpenSpiel's text, without a count of moves if that is no part of the state."""
        count = None if self.source.counts_moves else self.source.count
        return str(self.state) if count is None else count.sub("", str(self.state))

    @property
    def bits(self) -> Any:
        """The tensors of what the players see."""
        return [getattr(self.state, self.source.tensor)(k) if self.source.tensor else () for k in range(2)]

    def after(self, choice: Any) -> "OpenSpielState":
        """Returns a clone with a choice applied."""
        after = self.state.clone()
        if self.turn == BOTH:
            after.apply_actions([*choice])
        else:
            after.apply_action(choice if self.turn == CHANCE else choice[self.turn])
        return OpenSpielState(self.source, after)

    onward = after
