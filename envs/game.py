"""What a game is: the pieces that a rules file gives, and :class:`Game`, rules with their parameters chosen.

Every game here is a two-player zero-sum stochastic game in which both players act at every step. In a turn-based
game the player who is not to move has one legal action, 0, which ``step`` ignores.
"""

import importlib
import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, Protocol, cast

import numpy as np

from nashzoo.envs.canvas import Canvas
from nashzoo.envs.compiled import TURN, Bools, CompiledGame, Features, Floats, Ints, Mask, compiled
from nashzoo.envs.errors import UsageError, UsageTypeError
from nashzoo.envs.kernel import interpreted

BOTH = 2  # what ``turn`` answers where both players choose
SAME_PROBABILITY = 1e-12  # what the chances of a start and of its mirror image may differ
MIRRORED = 16  # starts at which one step is checked when a game is made
MAX_CYCLES = 1000  # joint steps after which unfinished games are cut off, unless the game or its user says otherwise


class Rules(Protocol):
    """A rules file: the one place where a game's rules stand.

    A *position* is a ``State``, a named tuple of integers; ``encode`` packs it into one 64-bit integer, its
    *code*. Terminal positions have codes too. The functions from ``step`` to ``read`` are compiled, with the
    signatures of :mod:`nashzoo.envs.compiled`; ``params`` is what ``parameters`` returned.

    A symmetric game also has ``mirror(params, code) -> code``, the same position with the players exchanged.
    One with very many positions numbers them, see :class:`Numbered`. Where fields within their ranges can contradict
    each other, ``check(params, state)`` raises a ValueError for a position that cannot be. Where people have words for
    the numbers of a field, ``WORDS[field]`` are the words for 0, 1, 2, ...; where they spell several fields as one,
    ``spelled(params, field, text)`` returns the fields that ``field=text`` means as a dictionary of integers, empty
    where it means nothing, and raises a ValueError for text that is wrong. ``GROUPED_BY`` are the names of the fields
    by which positions are counted where all of them are reported on. Where the number of actions depends on the
    parameters, ``actions(params)`` returns their names, of which ``ACTIONS`` are the defaults. Where players are shown
    what has no bearing on what can still be won, ``strategic_state(params, code)`` returns the code of the position that
    stands for all that differ in nothing else, so that fewer are solved. Where unfinished games are to be cut off
    after another number of joint steps than 1000, ``MAX_CYCLES`` is that number.
    """

    NAME: str
    ACTIONS: tuple[str, ...]
    MASKED: bool  # whether some action is illegal somewhere
    State: type[Any]

    @property
    def parameters(self) -> Callable[..., Ints]:
        """Takes the game's documented keyword arguments, checks them, and returns them as int64 numbers."""

    def encode(self, state: Any, /) -> int:
        """Returns the code of a position."""

    def decode(self, code: int, /) -> Any:
        """Returns the position of a code."""

    def largest(self, params: Ints, /) -> Any:
        """Returns the largest value of each field of a position, as a ``State``; the smallest is 0."""

    def start(self, params: Ints, /) -> tuple[Ints, Floats]:
        """Returns the codes of the start positions ``[S]`` and their probabilities ``[S]``."""

    def step(self, params: Ints, code: int, action0: int, action1: int, /) -> int:
        """Returns the code of the position that two legal actions lead to."""

    def legal(self, params: Ints, code: int, player: int, /) -> int:
        """Returns the legal actions of ``player`` as a bit mask, bit ``a`` for action ``a``; never 0 before the end."""

    def turn(self, params: Ints, code: int, /) -> int:
        """Returns the player to move, or ``BOTH``."""

    def payoff(self, params: Ints, code: int, /) -> float:
        """Returns the reward to player 0 on entering this position, in points; player 1 gets the negative."""

    def terminal(self, params: Ints, code: int, /) -> bool:
        """Returns whether the game ends at this position."""

    def observe(self, params: Ints, code: int, player: int, out: Features, /) -> None:
        """Fills ``out`` ``[features]`` with the position as ``player`` sees it, own things first, lossless."""

    def read(self, params: Ints, observation: Features, /) -> tuple[int, int]:
        """Returns the code and the player of an observation, the inverse of ``observe``.

        In a symmetric game the observer is taken to be player 0, in the mirrored position if need be.
        """

    def features(self, params: Ints, /) -> tuple[str, ...]:
        """Returns what each number of an observation means; every number is within 0..1."""

    def text(self, params: Ints, code: int, /) -> str:
        """Returns the position as lines of text for people."""

    def draw(self, params: Ints, code: int, canvas: Canvas, /) -> None:
        """Draws the position."""


class Numbered(Protocol):
    """What a rules file also gives where the positions are too many to be listed: numbers for them.

    Only symmetric games have it. One of a position and its mirror image has a number, 0, 1, 2, ..., and positions
    are numbered in layers, such that play never leads from a layer to itself or to a later one.
    """

    def index(self, params: Ints, code: int, /) -> int:
        """Returns the number of a position at which play goes on, or ``~number`` where its mirror image has it.

        Of a code that is no such position it returns anything.
        """

    def code_at(self, params: Ints, number: int, /) -> int:
        """Returns the code of the position with this number, the inverse of ``index``."""

    def layer_sizes(self, params: Ints, /) -> Ints:
        """Returns how many numbers each layer has ``[layers]``, the one nearest to the end of the game first."""

    def num_states(self, params: Ints, /) -> int:
        """Returns at how many positions play goes on, mirror images counted."""


@compiled(TURN)
def _itself(params: Ints, code: int) -> int:
    """Stands for ``strategic_state`` where every position differs from every other."""
    return code


@compiled(TURN)
def _missing(params: Ints, code: int) -> int:
    """Stands where a game has no such function."""
    return -1


class Game:
    """A game with its parameters chosen; immutable, picklable, and compared by its rules and parameters.

    Args:
        rules: The rules file, a module that fulfils :class:`Rules`.
        **options: The keyword arguments of its ``parameters``.

    Raises:
        UsageTypeError: an option is unknown to the game.
        UsageError: an option's value is out of its range, or the game has a ``mirror`` but is not symmetric.
    """

    def __init__(self, rules: Rules | ModuleType, **options: Any) -> None:
        self.rules = cast(Rules, rules)
        self.name = self.rules.NAME
        self.masked = self.rules.MASKED
        self.words: dict[str, tuple[str, ...]] = getattr(self.rules, "WORDS", {})
        self.max_cycles: int = getattr(self.rules, "MAX_CYCLES", MAX_CYCLES)
        known = inspect.signature(self.rules.parameters).parameters
        unknown = sorted(options.keys() - known.keys())
        if unknown:
            raise UsageTypeError(
                f"{self.name} has no parameter {', '.join(unknown)}; it has {', '.join(known) or 'none'}"
            )
        self.options: dict[str, Any] = {key: options.get(key, known[key].default) for key in known}
        self.params = self.rules.parameters(**options)
        self.actions: tuple[str, ...] = getattr(self.rules, "actions", lambda params: self.rules.ACTIONS)(self.params)
        self.num_actions = len(self.actions)
        self.features = self.rules.features(self.params)
        self.num_features = len(self.features)
        self.start_codes, self.start_probabilities = self.rules.start(self.params)
        self._start_thresholds = np.cumsum(self.start_probabilities)[:-1]
        if self.symmetric:
            with interpreted():
                check_mirror(self)

    @cached_property
    def compiled(self) -> Any:
        """The rules and parameters as compiled kernels take them."""
        return CompiledGame(
            self.rules.step,
            self.rules.legal,
            self.rules.turn,
            self.rules.payoff,
            self.rules.terminal,
            self.rules.observe,
            self.rules.read,
            *(getattr(self.rules, name, _missing) for name in ("mirror", "index", "code_at")),
            getattr(self.rules, "strategic_state", _itself),
            self.params,
            self.num_actions,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (cast(ModuleType, self.rules).__name__, self.options)

    def __repr__(self) -> str:
        said = (f"{key}={value!r}" for key, value in self.options.items() if value is not None)
        return f"{self.name}({', '.join(said)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.rules is other.rules and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.name, self.params.tobytes()))

    def start(self, rng: np.random.Generator) -> int:
        """Returns the code of a start position drawn with ``rng``."""
        if len(self.start_codes) == 1:
            return int(self.start_codes[0])
        # What rng.choice does with probabilities, without summing them up every time.
        return int(self.start_codes[np.searchsorted(self._start_thresholds, rng.random(), side="right")])

    def code(self, **fields: int | str) -> int:
        """Returns the code of the position with these fields; those left out are as at the start.

        Fields are whole numbers, or text where the game spells positions, such as ``board="x...o...."``.

        Raises:
            UsageError: the game has no such field, its value is out of range, or there is no such position.
        """
        first = self.state(int(self.start_codes[0]))
        largest = self.rules.largest(self.params)
        numbers: dict[str, Any] = {}
        for field, value in fields.items():
            meant: dict[str, Any] = self._spelled(field, value) if isinstance(value, str) else {}
            for name, number in (meant or {field: value}).items():
                if name in numbers:
                    raise UsageError(f"{name} is given twice, by itself and by {field}")
                numbers[name] = number
        for field, value in numbers.items():
            if field not in first._fields:
                raise UsageError(f"{self.name} has no field {field}; it has {', '.join(first._fields)}")
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise UsageError(f"{field} must be a whole number, not {value!r}")
            if not 0 <= value <= getattr(largest, field):
                raise UsageError(f"{field} must be from 0 to {getattr(largest, field)}, not {value}")
        state = first._replace(**numbers)
        if hasattr(self.rules, "check"):
            self.rules.check(self.params, state)
        return int(self.rules.encode(state))

    def _spelled(self, field: str, text: str) -> dict[str, int]:
        if field in self.words:
            words = self.words[field]
            if text.lower() not in words:
                raise UsageError(f"{field} must be {', '.join(words[:-1])} or {words[-1]}, not {text!r}")
            return {field: words.index(text.lower())}
        spelled: Callable[[Ints, str, str], dict[str, int]] | None = getattr(self.rules, "spelled", None)
        return {} if spelled is None else spelled(self.params, field, text)

    def field_text(self, field: str, value: int) -> str:
        """Returns how people write the value of a field, as :meth:`code` reads it."""
        return self.words[field][value] if field in self.words else str(value)

    def state(self, code: int) -> Any:
        """Returns the position of a code, a named tuple."""
        return self.rules.decode(code)

    def legal_actions(self, code: int, player: int) -> tuple[int, ...]:
        """Returns the legal actions of ``player``."""
        mask = self.rules.legal(self.params, code, player)
        return tuple(action for action in range(self.num_actions) if mask >> action & 1)

    @property
    def turn_based(self) -> bool:
        """Whether the players move one at a time, judged by the first start position."""
        return self.rules.turn(self.params, int(self.start_codes[0])) != BOTH

    @property
    def symmetric(self) -> bool:
        """Whether exchanging the players gives the same game."""
        return hasattr(self.rules, "mirror")

    def mirror(self, codes: Ints) -> Ints:
        """Returns the codes ``[B]`` of the same positions with the players exchanged, in a symmetric game."""
        mirror: Callable[[Ints, int], int] = cast(Any, self.rules).mirror
        return np.fromiter((mirror(self.params, code) for code in codes), np.int64, len(codes))

    def step(self, code: int, action0: int, action1: int) -> int:
        """Returns the code of the position after both players' actions.

        Raises:
            ValueError: the game is over, or an action is illegal.
        """
        if self.terminal(code):
            raise ValueError(f"the game is over at {self.state(code)}; start a new one")
        for player, action in enumerate((action0, action1)):
            legal = self.legal_actions(code, player)
            if action not in legal:
                raise ValueError(illegal_action_message(self, player, action, legal))
        return self.rules.step(self.params, code, action0, action1)

    def payoff(self, code: int) -> float:
        """Returns the reward to player 0 on entering this position, in points."""
        return self.rules.payoff(self.params, code)

    def terminal(self, code: int) -> bool:
        """Returns whether the game ends at this position."""
        return self.rules.terminal(self.params, code)

    def observe(self, code: int, player: int) -> Features:
        """Returns the position as ``player`` sees it ``[features]``, numbers within 0..1.

        Raises:
            UsageError: ``player`` is neither 0 nor 1.
        """
        if player not in (0, 1):
            raise UsageError(f"a player is 0 or 1, not {player!r}")
        out = np.empty(self.num_features, np.float32)
        self.rules.observe(self.params, code, player, out)
        return out

    def text(self, code: int) -> str:
        """Returns the position as lines of text."""
        return self.rules.text(self.params, code)


def check_mirror(game: Game) -> None:
    """Checks that exchanging the players gives the same game: at the start, and one step on from the first of them.

    Raises:
        ValueError: it does not.
    """
    starts, likely = game.start_codes, dict(zip(game.start_codes.tolist(), game.start_probabilities, strict=True))
    mirrored = game.mirror(starts).tolist()
    wrong = ""
    for code, other in zip(starts.tolist(), mirrored, strict=True):
        if other not in likely or abs(likely[other] - likely[code]) > SAME_PROBABILITY:
            wrong = f"the start {game.state(code)} has no mirror image among the starts that is as likely"
            break
    else:
        for code, other in zip(starts[:MIRRORED].tolist(), mirrored, strict=False):
            if (wrong := _wrong_mirror(game, code, other)) != "":
                break
    if wrong:
        raise ValueError(f"{game.name} has a mirror, but exchanging the players does not give the same game: {wrong}")


def _wrong_mirror(game: Game, code: int, other: int) -> str:
    """Returns in what a position and its mirror image differ one step on, in words; nothing if they do not."""
    mirror = cast(Any, game.rules).mirror
    if mirror(game.params, other) != code:
        return f"the mirror image of the mirror image of {game.state(code)} is another position"
    actions0, actions1 = (game.legal_actions(code, player) for player in range(2))
    if (actions1, actions0) != tuple(game.legal_actions(other, player) for player in range(2)):
        return f"the legal actions at {game.state(code)} are not exchanged"
    for action0 in actions0:
        for action1 in actions1:
            after = game.rules.step(game.params, code, action0, action1)
            after_other = game.rules.step(game.params, other, action1, action0)
            played = f"actions {action0} and {action1} at {game.state(code)}"
            if mirror(game.params, after) != after_other or game.terminal(after) != game.terminal(after_other):
                return f"{played} lead elsewhere in the mirror"
            pays = game.payoff(after) + game.payoff(after_other)
            if abs(pays) > 0 and abs(pays) != np.inf:  # what is not finite is refused elsewhere
                return f"{played} pay other points in the mirror"
    return ""


def illegal_action_message(game: Game, player: int, action: int, legal: Sequence[int]) -> str:
    """Returns what to tell somebody who played an illegal action."""
    choices = ", ".join(f"{choice} ({game.actions[choice]})" for choice in legal)
    return f"player {player} played {action}; legal actions are {choices}"


def _rebuild(module: str, options: dict[str, Any]) -> Game:
    return Game(importlib.import_module(module), **options)


__all__ = ["BOTH", "Bools", "Features", "Floats", "Game", "Ints", "Mask", "Numbered", "Rules", "illegal_action_message"]
