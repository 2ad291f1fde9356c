"""What a game is: :class:`Game`, rules with their parameters chosen. What rules give stands in ``envs/core/rules.py``.

Every game here is a two-player zero-sum stochastic game in which both players act at every step. In a turn-based
game the player who is not to move has one legal action, 0, which ``step`` ignores.
"""

import importlib
import inspect
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, NamedTuple, cast

import numpy as np

from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.compilation.compiled import SIGNATURES, Bools, CompiledGame, Features, Floats, Ints, Mask
from nashzoo.envs.compilation.lazy_compilation import interpreted
from nashzoo.envs.core.canvas import Canvas
from nashzoo.envs.core.rules import BOTH, Numbered, OptionalRules, Rules, Symmetric, check_pieces, gives
from nashzoo.envs.core.view import View

SAME_PROBABILITY = 1e-12  # what the chances of a start and of its mirror image may differ
CHECKED_STARTS = 16  # starts that are checked when a game is made


class Starts(NamedTuple):
    """Where games start."""

    codes: Ints  # [S], the states
    thresholds: Floats  # [S - 1], the sums of their probabilities but the last

    def draw(self, rng: np.random.Generator) -> int:
        """Returns the code of a start state drawn with ``rng``, which is not asked where there is one alone."""
        if len(self.codes) == 1:
            return int(self.codes[0])
        # What rng.choice does with probabilities, without summing them up every time.
        return int(self.codes[np.searchsorted(self.thresholds, rng.random(), side="right")])


class Game:
    """A game with its parameters chosen; immutable, picklable, and compared by its rules and parameters.

    Args:
        rules: The rules file, a module that fulfils :class:`nashzoo.envs.core.rules.Rules`.
        **options: The keyword arguments of its ``parameters``.

    Raises:
        UsageTypeError: an option is unknown to the game.
        UsageError: an option's value is out of its range; a function of the rules is missing, or returns at a start
            what it must not; or the game has ``swap_players`` but is not symmetric.
    """

    def __init__(self, rules: Rules | ModuleType, **options: Any) -> None:
        check_pieces(rules)
        self.rules = cast(Rules, rules)
        self._optional = OptionalRules(self.rules)
        self.name = self.rules.NAME
        self.masked = self.rules.MASKED
        self.max_cycles = self._optional.MAX_CYCLES
        self.crossed = self._optional.CROSSED
        known = inspect.signature(self.rules.parameters).parameters
        unknown = sorted(options.keys() - known.keys())
        if unknown:
            raise UsageTypeError(
                f"{self.name} has no parameter {', '.join(unknown)}; it has {', '.join(known) or 'none'}"
            )
        self.options: dict[str, Any] = {key: options.get(key, known[key].default) for key in known}
        without = [key for key in known if known[key].default is inspect.Parameter.empty]
        if without:
            raise UsageError(f"every parameter of {self.name} needs a default; {', '.join(without)} has none")
        self.params = self.rules.parameters(**options)
        if getattr(self.params, "dtype", None) != np.int64 or self.params.ndim != 1:
            raise UsageError(f"parameters of {self.name} must return int64 numbers [n], not {self.params!r}")
        self.actions = self._optional.actions(self.params)
        self.num_actions = len(self.actions)
        self.features = self.rules.features(self.params)
        self.num_features = len(self.features)
        self.levels = self._optional.levels(self.params)
        self.start_codes, self.start_probabilities = self.rules.start(self.params)
        with interpreted():
            self._check_start()
        self.starts = Starts(self.start_codes, np.cumsum(self.start_probabilities)[:-1])
        if self.symmetric:
            with interpreted():
                check_symmetry(self)

    def _check_start(self) -> None:
        """Checks what rules return where a game starts, before compiled code relies on it."""
        shapes = np.shape(self.start_codes), np.shape(self.start_probabilities)
        if shapes[0] != shapes[1] or len(shapes[0]) != 1 or not shapes[0][0]:
            raise UsageError(f"start of {self.name} must return codes [S] and probabilities [S], not {shapes}")
        maxima = self.field_maxima
        if self.rules.decode(self.rules.encode(maxima)) != maxima:
            raise UsageError(f"{self.name}: the largest state {maxima} does not fit into its code")
        everything = (1 << self.num_actions) - 1
        for code in self.start_codes[:CHECKED_STARTS].tolist():
            if self.terminal(code):
                raise UsageError(f"{self.name} is over where it starts, at {self.state(code)}")
            for player in (0, 1):
                legal = self.rules.legal(self.params, code, player)
                if not 0 < legal <= everything or not (self.masked or legal == everything):
                    least = "a bit" if self.masked else "every bit, as MASKED is False,"
                    raise UsageError(
                        f"legal of {self.name} must have {least} of its {self.num_actions} actions and no other, "
                        f"not {legal:#b}, for player {player} at {self.state(code)}"
                    )

    @cached_property
    def compiled(self) -> Any:
        """The rules and parameters as compiled kernels take them."""
        optional = {name: getattr(self._optional, name) for name in SIGNATURES if hasattr(OptionalRules, name)}
        required = {name: getattr(self.rules, name) for name in SIGNATURES if name not in optional}
        return CompiledGame(**required, **optional, params=self.params, num_actions=self.num_actions)

    @cached_property
    def view(self) -> View:
        """How states are shown to people."""
        return View(self.rules)

    @cached_property
    def numbers(self) -> Numbered | None:
        """The numbers that the rules give the states, if they do."""
        return cast(Numbered, self.rules) if gives(self.rules, Numbered) else None

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
        """Returns the code of a start state drawn with ``rng``."""
        return self.starts.draw(rng)

    def code(self, **fields: int | str) -> int:
        """Returns the code of the state with these fields; those left out are as at the start.

        Fields are whole numbers, or text where the game spells states, such as ``board="x...o...."``.

        Raises:
            UsageError: the game has no such field, its value is out of range, or there is no such state.
        """
        first = self.state(int(self.start_codes[0]))
        maxima = self.field_maxima
        numbers: dict[str, Any] = {}
        for field, value in fields.items():
            meant: Mapping[str, Any] = self._spelled(field, value) if isinstance(value, str) else {}
            for name, number in (meant or {field: value}).items():
                if name in numbers:
                    raise UsageError(f"{name} is given twice, by itself and by {field}")
                numbers[name] = number
        for field, value in numbers.items():
            if field not in first._fields:
                raise UsageError(f"{self.name} has no field {field}; it has {', '.join(first._fields)}")
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise UsageError(f"{field} must be a whole number, not {value!r}")
            if not 0 <= value <= getattr(maxima, field):
                raise UsageError(f"{field} must be from 0 to {getattr(maxima, field)}, not {value}")
        state = first._replace(**numbers)
        self._optional.check(self.params, state)
        return int(self.rules.encode(state))

    def _spelled(self, field: str, text: str) -> Mapping[str, int]:
        if field in self.view.WORDS:
            words = self.view.WORDS[field]
            if text.lower() not in words:
                raise UsageError(f"{field} must be {', '.join(words[:-1])} or {words[-1]}, not {text!r}")
            return {field: words.index(text.lower())}
        return self.view.spelled(self.params, field, text)

    @property
    def field_maxima(self) -> Any:
        """The largest value of each field of a state, a named tuple."""
        return self.rules.field_maxima(self.params)

    def spell(self, code: int) -> str:
        """Returns a state in one line, as people write it."""
        return self.view.spell(self.state(code))

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
        return self.turn(int(self.start_codes[0])) != BOTH

    @cached_property
    def symmetric(self) -> bool:
        """Whether swapping the players gives the same game."""
        return gives(self.rules, Symmetric)

    def swap_players(self, codes: Ints) -> Ints:
        """Returns the codes ``[B]`` of the same states with the players swapped, in a symmetric game."""
        swap_players = cast(Symmetric, self.rules).swap_players
        return np.fromiter((swap_players(self.params, code) for code in codes), np.int64, len(codes))

    def step(self, code: int, action0: int, action1: int) -> int:
        """Returns the code of the state after both players' actions.

        Raises:
            ValueError: the game is over, or an action is illegal.
        """
        if self.terminal(code):
            raise ValueError(f"the game is over at {self.spell(code)}; start a new one")
        for player, action in enumerate((action0, action1)):
            legal = self.legal_actions(code, player)
            if action not in legal:
                raise ValueError(illegal_action_message(self, player, action, legal))
        return self.rules.step(self.params, code, action0, action1)

    def turn(self, code: int) -> int:
        """Returns the player to move, or ``BOTH``."""
        return self._optional.turn(self.params, code)

    def payoff(self, code: int) -> float:
        """Returns the reward to player 0 on entering this state, in points."""
        return self.rules.payoff(self.params, code)

    def terminal(self, code: int) -> bool:
        """Returns whether the game ends at this state."""
        return self.rules.terminal(self.params, code)

    def observe(self, code: int, player: int) -> Features:
        """Returns the state as ``player`` sees it ``[features]``, numbers within 0..1.

        Raises:
            UsageError: ``player`` is neither 0 nor 1.
        """
        if player not in (0, 1):
            raise UsageError(f"a player is 0 or 1, not {player!r}")
        out = np.empty(self.num_features, np.float32)
        self.rules.observe(self.params, code, player, out)
        return out

    def text(self, code: int) -> str:
        """Returns the state as lines of text."""
        return self.view.text(self.params, code)

    def draw(self, code: int, canvas: Canvas) -> None:
        """Draws the state."""
        self.view.draw(self.params, code, canvas)


def check_symmetry(game: Game) -> None:
    """Checks that swapping the players gives the same game: at the start, and one step on from the first of them.

    Raises:
        ValueError: it does not.
    """
    starts, likely = game.start_codes, dict(zip(game.start_codes.tolist(), game.start_probabilities, strict=True))
    mirrored = game.swap_players(starts).tolist()
    wrong = ""
    for code, other in zip(starts.tolist(), mirrored, strict=True):
        if other not in likely or abs(likely[other] - likely[code]) > SAME_PROBABILITY:
            wrong = f"the start {game.spell(code)} has no mirror image among the starts that is as likely"
            break
    else:
        for code, other in zip(starts[:CHECKED_STARTS].tolist(), mirrored, strict=False):
            if (wrong := _asymmetry(game, code, other)) != "":
                break
    if wrong:
        raise ValueError(f"{game.name} has swap_players, but swapping the players does not give the same game: {wrong}")


def _asymmetry(game: Game, code: int, other: int) -> str:
    """Returns in what a state and its mirror image differ one step on, in words; nothing if they do not."""
    swap_players = cast(Symmetric, game.rules).swap_players
    if swap_players(game.params, other) != code:
        return f"the mirror image of the mirror image of {game.spell(code)} is another state"
    actions0, actions1 = (game.legal_actions(code, player) for player in range(2))
    if (actions1, actions0) != tuple(game.legal_actions(other, player) for player in range(2)):
        return f"the legal actions at {game.spell(code)} are not swapped"
    for action0 in actions0:
        for action1 in actions1:
            after = game.rules.step(game.params, code, action0, action1)
            after_other = game.rules.step(game.params, other, action1, action0)
            played = f"actions {action0} and {action1} at {game.spell(code)}"
            if swap_players(game.params, after) != after_other or game.terminal(after) != game.terminal(after_other):
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
    package, _, name = module.rpartition(".")
    if package == "nashzoo.envs":  # where rules were when the oldest models were saved
        module = f"nashzoo.envs.games.{name}"
    return Game(importlib.import_module(module), **options)


__all__ = ["BOTH", "Bools", "Features", "Floats", "Game", "Ints", "Mask", "Rules", "illegal_action_message"]
