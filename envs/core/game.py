""":class:`Game`: rules with their parameters. ``envs/rules/pieces.py`` lists the pieces of a rules file.

Every game here is a two-player zero-sum stochastic game in which both players act at every time step. In a turn-based
game the player who is not to move has one legal action, 0, which ``step`` ignores.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.base.modules import place_of, rules_at
from nashzoo.envs.core.kernels import ChanceError, Seeds, decide
from nashzoo.envs.jit.compiled import Bools, Features, Floats, Ints, Mask
from nashzoo.envs.rules.build import BuiltRules, build
from nashzoo.envs.rules.compiled_game import CompiledGame, absent
from nashzoo.envs.rules.pieces import BOTH, CHANCE, SIGNATURES
from nashzoo.envs.rules.proof import (
    MOST_ACTIONS,
    check_actions,
    check_start,
    check_symmetry,
    first_decisions,
    outcomes_of,
)
from nashzoo.envs.rules.trial import compare, first_use

if TYPE_CHECKING:  # only people need it
    from nashzoo.envs.drawing.canvas import Canvas
    from nashzoo.envs.drawing.view import View

OFFENDERS = {1: (0,), 2: (1,), 3: (0, 1)}  # players with illegal actions, by their bits, see kernels.play


class Starts(NamedTuple):
    """The distribution of start states."""

    codes: Ints  # [S], the states
    thresholds: Floats  # [S - 1], cumulative sums of their probabilities without the last

    def draw(self, rng: np.random.Generator) -> int:
        """Returns the code of a start state drawn with ``rng``; a single start needs no draw."""
        if len(self.codes) == 1:
            return int(self.codes[0])
        # Same result as rng.choice, without computing the cumulative sum every time.
        return int(self.codes[np.searchsorted(self.thresholds, rng.random(), side="right")])


class Game:
    """A game with its parameters; immutable, picklable, and compared by its rules and parameters.

    Args:
        rules: The rules file, a module or another object with :data:`nashzoo.envs.rules.pieces.PIECES`.
        **options: The keyword arguments of its ``Params``.

    Attributes:
        params: The numbers of the game, one array of parameters, largest values and tables, see
            :mod:`nashzoo.envs.rules.parameters`; the ``params`` of a rules file are read from it.

    Raises:
        UsageTypeError: an option is unknown to the game.
        UsageError: an option's value is out of its range; a function of the rules is missing, or returns an
            invalid value at a start; or the game has ``swap_players`` but is not symmetric.
    """

    def __init__(self, rules: Any, **options: Any) -> None:
        self.rules = build(rules)
        self.name = self.rules.NAME
        self.masked = self.rules.MASKED
        self.has_chance = self.rules.has_chance
        self.symmetric = self.rules.symmetric
        self.hides = self.rules.hides
        self.max_cycles = self.rules.MAX_CYCLES
        self.crossed = self.rules.CROSSED
        self.compared = self.rules.COMPARED
        known = self.rules.signature.parameters
        unknown = sorted(options.keys() - known.keys())
        if unknown:
            raise UsageTypeError(
                f"{self.name} has no parameter {', '.join(unknown)}; it has {', '.join(known) or 'none'}"
            )
        self.options: dict[str, Any] = {key: options.get(key, known[key].default) for key in known}
        self.params = self.rules.parameters(**options)
        self.rules = self.rules.holding(self.params, self.options)
        self.actions = self.rules.actions(self.params)
        self.num_actions = len(self.actions)
        check_actions(self)
        self.features = self.rules.features(self.params)
        self.num_features = len(self.features)
        self.levels = self.rules.levels(self.params)
        self.start_codes, self.start_probabilities = self.rules.start(self.params)
        check_start(self)
        if self.symmetric:
            check_symmetry(self)
        self.starts = Starts(self.start_codes, np.cumsum(self.start_probabilities)[:-1])

    def outcomes(self, code: int) -> tuple[Ints, Floats]:
        """Returns the codes of the outcomes of a chance state ``[k]``, and their probabilities ``[k]``.

        Raises:
            UsageError: the rules have no ``chance``, or its outcomes are no distribution.
        """
        return outcomes_of(self, code)

    def resolve_chance(self, code: int, seeds: Seeds) -> tuple[int, float]:
        """Draws chance events until a player is to move or the game is over.

        Args:
            code: The state.
            seeds: The stream of random numbers ``[1]`` of the draws; it advances with each draw.

        Returns:
            The code of the state reached, and the reward to player 0 on the way.

        Raises:
            UsageError: the outcomes of chance are no distribution.
        """
        if not self.has_chance:
            return code, 0.0
        try:
            after, reward = decide(self.compiled, code, seeds)
        except ChanceError as error:
            raise self.chance_error(error) from None
        return int(after), float(reward)

    def chance_error(self, error: ChanceError) -> UsageError:
        """Returns the error with a message for an error of chance in compiled code."""
        code = int(error.args[0])
        try:
            self.outcomes(code)
        except UsageError as cause:
            return cause
        return UsageError(f"chance goes on and on in {self.name}, from {self.spell(code)}, and nobody ever chooses")

    @cached_property
    def compiled(self) -> Any:
        """The rules and parameters as an argument of compiled kernels.

        Raises:
            UsageError: the rules fail their trial, see :func:`nashzoo.envs.rules.trial.first_use`.
        """
        functions = {name: getattr(self.rules, name, absent) for name in SIGNATURES}
        made = CompiledGame(
            partial(compare, self, first_use(self)),
            **functions,
            params=self.params,
            num_actions=self.num_actions,
            has_chance=int(self.has_chance),
        )
        return self.__dict__.setdefault("compiled", made)  # since Python 3.12 several threads can make it at once

    @cached_property
    def view(self) -> "View":
        """The display of states for people."""
        from nashzoo.envs.drawing.view import View

        return View(self.rules)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the actions for people."""
        return self.view.LABELS or self.actions

    def action_label(self, code: int, action: int) -> str:
        """Returns the name of an action in a state, for people."""
        return self.view.action_label(self.params, code, action)

    @property
    def indexed_rules(self) -> BuiltRules | None:
        """The rules, if they have a closed-form index of states; None without one."""
        return self.rules if self.rules.numbered else None

    def __reduce__(self) -> tuple[Any, ...]:
        rules = self.rules.written
        return _rebuild, (place_of(rules) if isinstance(rules, ModuleType) else rules, self.options)

    def __repr__(self) -> str:
        options = (f"{key}={value!r}" for key, value in self.options.items() if value is not None)
        return f"{self.name}({', '.join(options)})"

    def __str__(self) -> str:
        known = self.rules.signature.parameters
        options = [f"{key}={value!r}" for key, value in self.options.items() if value != known[key].default]
        return f"{self.name}({', '.join(options)})" if options else self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.rules == other.rules and self.options == other.options

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.params.tobytes()))

    def start(self, rng: np.random.Generator) -> int:
        """Returns the code of a start state drawn with ``rng``."""
        return self.starts.draw(rng)

    def code(self, **fields: int | str) -> int:
        """Returns the code of the state with these fields; other fields have their values at the start.

        Fields are whole numbers, or text if the game's view defines it, such as ``board="x...o...."``.

        Raises:
            UsageError: the game has no such field, its value is out of range, or there is no such state.
        """
        first, maxima = self.state(int(self.start_codes[0])), self.field_maxima
        numbers = self.view.numbers_of(self.params, fields)
        for field, value in numbers.items():
            if field not in first._fields:
                raise UsageError(f"{self.name} has no field {field}; it has {', '.join(first._fields)}")
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise UsageError(f"{field} must be a whole number, not {value!r}")
            if not 0 <= value <= getattr(maxima, field):
                raise UsageError(f"{field} must be from 0 to {getattr(maxima, field)}, not {value}")
        state = first._replace(**numbers)
        self.rules.check(self.params, state)
        return int(self.rules.encode(state))

    @property
    def field_maxima(self) -> Any:
        """The largest value of each field of a state, a named tuple."""
        return self.rules.field_maxima(self.params)

    def spell(self, code: int, seats: Sequence[int] = (0, 1)) -> str:
        """Returns a state as one line of text, with ``?`` for 0 in a field that one of ``seats`` does not see."""
        return self.view.spell(self.params, code, seats=seats)

    def changes(self, before: int, after: int, seats: Sequence[int] = (0, 1)) -> str:
        """Returns the fields of the state ``after`` that differ from those of ``before``, with ``?`` as in `spell`."""
        return self.view.changes(self.params, before, after, seats)

    def state(self, code: int) -> Any:
        """Returns the state of a code, a named tuple."""
        return self.rules.decode(code)

    def legal_actions(self, code: int, player: int) -> tuple[int, ...]:
        """Returns the legal actions of ``player``."""
        mask = self.rules.legal(self.params, code, player)
        return tuple(action for action in range(self.num_actions) if mask >> action & 1)

    @property
    def turn_based(self) -> bool:
        """Whether the players move one at a time, judged by the first start state."""
        return self.turn(self.first_decision) != BOTH

    @property
    def perfect_information(self) -> bool:
        """Whether one player moves at a time and nothing is hidden, so that it knows all that happened."""
        return self.turn_based and not self.hides

    @cached_property
    def first_decision(self) -> int:
        """The code of a state at which a player chooses, the first start or one that follows it by chance."""
        if not self.has_chance:
            return int(self.start_codes[0])
        return first_decisions(self)[0]

    def swap_players(self, codes: Ints) -> Ints:
        """Returns the codes ``[B]`` of the same states with the players swapped, in a symmetric game."""
        swap_players = self.rules.swap_players
        return np.fromiter((swap_players(self.params, code) for code in codes), np.int64, len(codes))

    @property
    def has_symmetries(self) -> bool:
        """Whether the rules name states that are the same up to the names of the actions."""
        return hasattr(self.rules.written, "symmetries")

    def images(self, code: int) -> list[tuple[int, tuple[int, ...]]]:
        """Returns the states that are the same up to the names of the actions, the state itself included.

        Each is a pair of its code and the new number of each action; one for each symmetry of the rules.
        """
        if not self.has_symmetries:
            return [(code, tuple(range(self.num_actions)))]
        return self.rules.images(self.params, code)

    def canonical(self, code: int) -> tuple[int, tuple[int, ...]]:
        """Returns the first of :meth:`images`, the same state for all of them, and the number of each action there."""
        return min(self.images(code))

    def step(self, code: int, action0: int, action1: int) -> int:
        """Returns the code of the state after both players' actions, before chance events.

        Raises:
            ValueError: the game is over, or an action is illegal.
        """
        if self.terminal(code):
            raise ValueError(f"the game is over at {self.spell(code)}; start a new one")
        if self.turn(code) == CHANCE:
            raise ValueError(f"nobody chooses at {self.spell(code)}: chance decides")
        for player, action in enumerate((action0, action1)):
            legal = self.legal_actions(code, player)
            if action not in legal:
                raise ValueError(illegal_action_message(self, player, action, legal))
        return self.rules.step(self.params, code, action0, action1)

    def turn(self, code: int) -> int:
        """Returns the player to move, or ``BOTH``, or ``CHANCE``."""
        return self.rules.turn(self.params, code)

    def movers(self, code: int) -> tuple[int, ...]:
        """Returns the players who choose at this state: none when the game is over or chance decides."""
        if self.terminal(code):
            return ()
        turn = self.turn(code)
        return (0, 1) if turn == BOTH else () if turn == CHANCE else (turn,)

    def payoff(self, code: int) -> float:
        """Returns the reward to player 0 on entering this state, in points."""
        return self.rules.payoff(self.params, code)

    def at_stake(self, code: int) -> float:
        """Returns the points that a player can still lose from this state, and loses by giving up there."""
        at_stake = getattr(self.rules.written, "at_stake", None)
        if at_stake is None:
            return abs(self.constant_sum) / 2 or 1.0
        said = self.rules.call(at_stake, self.params, code=code)
        if not isinstance(said, int | float | np.number) or not 0 <= said < math.inf:
            raise UsageError(f"at_stake of {self.name} must be a number from 0, not {said!r}, at {self.spell(code)}")
        return float(said)

    @property
    def constant_sum(self) -> float:
        """The sum of both players' payoffs in a play, points; rewards have half of it less, and 0 is a draw."""
        return self._taken_off(int(self.start_codes[0]))

    def points(self, rewards: float, code: int | None = None) -> float:
        """Returns a player's points in a play, or from a state on, or their mean, given those of its rewards."""
        return rewards + (self.constant_sum if code is None else self._taken_off(code)) / 2

    def half(self, before: int, after: int) -> float:
        """Returns what is taken off from each player's payoffs, points, in play from one state to another."""
        return (self._taken_off(before) - self._taken_off(after)) / 2

    def _taken_off(self, code: int) -> float:
        """Returns what is taken off from both players' payoffs together in play from a state."""
        written = self.rules.written
        if hasattr(written, "taken_off"):
            return float(self.rules.call(written.taken_off, self.params, code=code))
        if not hasattr(written, "constant_sum") or self.terminal(code):
            return 0.0
        return float(self.rules.call(written.constant_sum, self.params))

    def forfeited(self, code: int, points: float, by: Iterable[int]) -> float:
        """Returns player 0's points of a match that players give up at this state, by an illegal action or resignation.

        Such a player loses its lead, and all that it could still lose: nobody gains by giving up. If both do, both
        get 0.

        ``points`` are player 0's so far.
        """
        losers = tuple(by)
        if losers == (0,):
            return min(points, 0.0) - self.at_stake(code)
        return max(points, 0.0) + self.at_stake(code) if losers == (1,) else 0.0

    def terminal(self, code: int) -> bool:
        """Returns whether the game ends at this state."""
        return self.rules.terminal(self.params, code)

    def observe(self, code: int, player: int) -> Features:
        """Returns the observation of ``player`` ``[features]``, numbers within 0..1.

        Raises:
            UsageError: ``player`` is neither 0 nor 1.
        """
        if player not in (0, 1):
            raise UsageError(f"a player is 0 or 1, not {player!r}")
        out = np.empty(self.num_features, np.float32)
        self.rules.observe(self.params, code, player, out)
        return out

    def information_state(self, code: int, player: int) -> int:
        """Returns the code of the state as ``player`` sees it: fields that the player does not see are 0.

        Raises:
            UsageError: there is no such player.
        """
        if player not in (0, 1):
            raise UsageError(f"player must be 0 or 1, not {player!r}")
        return self.rules.information_state(self.params, code, player)

    def text(self, code: int, seats: Sequence[int] = (0, 1)) -> str:
        """Returns the state as lines of text, with ``?`` as in :meth:`spell`."""
        return self.view.text(self.params, code, seats=seats)

    def event(self, code: int, action0: int, action1: int, after: int | None = None) -> str:
        """Describes a step and the reason of its result in one line, in the past tense.

        Players have the names in ``view.PLAYERS``.

        Args:
            code: The state in which the players chose.
            action0: Player 0's action; ignored if it was not to move.
            action1: Player 1's action; ignored likewise.
            after: The next state, before chance events; computed when None.

        Raises:
            ValueError: the game was over, or an action is illegal.
        """
        if after is None:
            after = self.step(code, action0, action1)
        return self.view.event(self.params, code, action0, action1, after)

    def introduction(self, player: int) -> str:
        """Returns an introduction for a person in this seat."""
        return self.view.introduction(self.params, player)

    def legend(self, player: int) -> str:
        """Returns the meaning of the symbols in a state's text for a person in this seat, or nothing."""
        return self.view.legend(self.params, player)

    def draw(self, code: int, canvas: "Canvas") -> None:
        """Draws the state."""
        self.view.draw(self.params, code, canvas)

    def svg(self, code: int, theme: str = "light") -> str:
        """Returns the drawing of a state as an SVG document, 100 by 100 units, with the state's text as description.

        Args:
            code: The state.
            theme: ``"light"`` or ``"dark"``.

        Raises:
            UsageError: there is no such theme.
        """
        return self.view.svg(self.params, code, theme)


def illegal_action_message(game: Game, player: int, action: int, legal: Sequence[int]) -> str:
    """Returns the message for an illegal action."""
    return f"player {player} played {action}; legal actions are {named_actions(game, legal)}"


def named_actions(game: Game, actions: Sequence[int]) -> str:
    """Returns actions with their names, for messages."""
    return ", ".join(f"{action} ({game.actions[action]})" for action in actions)


def _rebuild(place: Any, options: dict[str, Any]) -> Game:
    """Returns the game of the module at a place, or of other rules, with these parameters."""
    if not isinstance(place, str):
        return Game(place, **options)
    package, _, name = place.rpartition(".")
    if package == "nashzoo.envs":  # the place of the rules when the oldest models were saved
        place = f"nashzoo.envs.games.{name}"
    return Game(rules_at(place), **options)


__all__ = [
    "BOTH",
    "CHANCE",
    "MOST_ACTIONS",
    "Bools",
    "Features",
    "Floats",
    "Game",
    "Ints",
    "Mask",
    "illegal_action_message",
    "named_actions",
]
