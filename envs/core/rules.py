"""The parts of a rules file: required ones, and optional ones with their defaults.

A rules file is a module with the functions and values of :class:`Rules`. It may have all of :class:`Symmetric`, all of
:class:`Numbered`, and any of :class:`OptionalRules`. A :class:`nashzoo.envs.core.view.View` shows states to people.

A *state* is a ``State``, a named tuple of non-negative integers; ``encode`` packs it into one 64-bit integer, its
*code*. Terminal states have codes too. ``params`` is the result of ``parameters``. Functions that take ``params``
and codes, and that are named in :data:`nashzoo.envs.compilation.compiled.SIGNATURES`, are decorated with ``@rule``.
"""

import inspect
from collections.abc import Callable
from typing import Any, Protocol, cast

from numba import config

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.compilation.compiled import SIGNATURES, Bools, Features, Floats, Ints, Mask, compiled, rule
from nashzoo.envs.compilation.lazy_compilation import Kernel
from nashzoo.envs.derivation.codes import packing
from nashzoo.envs.derivation.observation import bits, flag, observing, one_hot, parameter, scaled, seat, unseen
from nashzoo.envs.derivation.plain_rules import PlainRules, problems, with_compiled_pieces, written_on_states

BOTH = 2  # result of ``turn`` if both players choose
CHANCE = 3  # and if chance decides
MAX_OUTCOMES = 62  # of a chance state


class Rules(Protocol):
    """The functions and values that every rules file has."""

    NAME: str
    ACTIONS: tuple[str, ...]
    MASKED: bool  # whether some action is illegal somewhere
    State: type[Any]

    @property
    def parameters(self) -> Callable[..., Ints]:
        """Checks the game's documented keyword arguments, and returns them as int64 numbers."""

    def encode(self, state: Any, /) -> int:
        """Returns the code of a state; with ``decode`` from :func:`nashzoo.envs.derivation.codes.packing`."""

    def decode(self, code: int, /) -> Any:
        """Returns the state of a code."""

    def field_maxima(self, params: Ints, /) -> Any:
        """Returns the largest value of each field of a state, as a ``State``; the smallest is 0."""

    def start(self, params: Ints, /) -> tuple[Ints, Floats]:
        """Returns the codes of the start states ``[S]`` and their probabilities ``[S]``."""

    def step(self, params: Ints, code: int, action0: int, action1: int, /) -> int:
        """Returns the code of the state that two legal actions lead to."""

    def legal(self, params: Ints, code: int, player: int, /) -> int:
        """Returns the legal actions of ``player`` as a bit mask, bit ``a`` for action ``a``; never 0 before the end."""

    def payoff(self, params: Ints, code: int, /) -> float:
        """Returns the reward to player 0 on entering this state, in points; player 1 gets the negative."""

    def terminal(self, params: Ints, code: int, /) -> bool:
        """Returns whether the game ends at this state."""

    def observe(self, params: Ints, code: int, player: int, out: Features, /) -> None:
        """Fills ``out`` ``[features]`` with the observation of ``player``, its own fields first, lossless.

        With ``decode_observation`` and ``features`` from :func:`nashzoo.envs.derivation.observation.observing`, or
        written by hand.
        """

    def decode_observation(self, params: Ints, observation: Features, /) -> tuple[int, int]:
        """Returns the code and the player of an observation, the inverse of ``observe``.

        In a symmetric game the observer is always player 0, if necessary of the mirror image.
        """

    def features(self, params: Ints, /) -> tuple[str, ...]:
        """Returns the meaning of each number of an observation; every number is within 0..1."""


class Symmetric(Protocol):
    """Additional function of the rules of a symmetric game."""

    def swap_players(self, params: Ints, code: int, /) -> int:
        """Returns the code of the same state with the players swapped: its mirror image."""


class Numbered(Protocol):
    """Additional functions of rules with too many states for a list of all codes in memory: a closed-form index.

    Only symmetric games have it. One of a state and its mirror image has a number, 0, 1, 2, ... Numbers
    are grouped in layers, such that play never leads from a layer to itself or to a later one.
    """

    def index(self, params: Ints, code: int, /) -> int:
        """Returns the number of a non-terminal state, or ``~number`` if its mirror image has it.

        The result is undefined if the code is not such a state.
        """

    def code_at(self, params: Ints, number: int, /) -> int:
        """Returns the code of the state with this number, the inverse of ``index``."""

    def layer_sizes(self, params: Ints, /) -> Ints:
        """Returns the number of states of each layer ``[layers]``, the one nearest to the end of the game first."""

    def num_states(self, params: Ints, /) -> int:
        """Returns the number of non-terminal states, mirror images included."""


@compiled(SIGNATURES["chance"])
def _no_chance(params: Ints, code: int, outcomes: Ints, probabilities: Floats) -> int:
    """Replaces ``chance`` in games without chance."""
    return 0


_of_a_state = compiled(SIGNATURES["turn"])  # the signature of all functions of the parameters and one number


@_of_a_state
def _both(params: Ints, code: int) -> int:
    """Replaces ``turn`` if both players always choose."""
    return BOTH


@_of_a_state
def _itself(params: Ints, code: int) -> int:
    """Replaces ``strategic_state`` if every state is its own representative."""
    return code


@_of_a_state
def _absent(params: Ints, code: int) -> int:
    """Replaces a missing function, and is never called: kernels take all functions of a game at once."""
    return -1


class OptionalRules:
    """The optional functions and values of a rules file, each independent of the others, and their defaults.

    Args:
        rules: The rules file.

    Attributes:
        turn: ``turn(params, code)``, compiled: the player to move, or ``BOTH``, or ``CHANCE``, which needs ``chance``.
            Default: ``BOTH`` everywhere.
        chance: ``chance(params, code, outcomes, probabilities)``, compiled: fills the codes of the outcomes of a chance
            state and their probabilities, all above 0 with the sum 1, and returns their number, at most
            ``MAX_OUTCOMES``. Players never observe such a state: ``step``, ``legal`` and ``observe`` are not called.
        strategic_state: ``strategic_state(params, code)``, compiled: the representative of all states that have the
            same actions and future payoffs; representatives alone are solved. Default: the state itself.
        MAX_CYCLES: Number of joint steps after which unfinished games are truncated. Default: 1000.
        CROSSED: Pairs of fields, such as column and row, for which a one-hot observation has a number for each
            pair of values. Default: none.
        COMPARED: Pairs of fields, such as the columns of two things, for which the networks of ``deep_minimax`` and
            ``distilled`` have an additional input for each pair of values. A field may be in several pairs.
            Default: none.
    """

    turn: Callable[[Ints, int], int] = staticmethod(_both)
    strategic_state: Callable[[Ints, int], int] = staticmethod(_itself)
    chance: Callable[[Ints, int, Ints, Floats], int] = staticmethod(_no_chance)
    MAX_CYCLES: int = 1000
    CROSSED: tuple[tuple[str, str], ...] = ()
    COMPARED: tuple[tuple[str, str], ...] = ()
    swap_players = index = code_at = staticmethod(_absent)  # unless the game is Symmetric, and Numbered

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        take_over(self, rules)

    def actions(self, params: Ints) -> tuple[str, ...]:
        """Returns the names of the actions, for games whose parameters determine their number.

        Default: ``ACTIONS``.
        """
        return self._rules.ACTIONS

    def levels(self, params: Ints) -> tuple[int, ...] | None:
        """Returns the number of values of each number of an observation, evenly spaced from 0 to 1.

        Default: computed from ``OBSERVATION``; None, and so no one-hot observations, for rules without it.
        """
        parts = getattr(self._rules, "OBSERVATION", None)
        return None if parts is None else tuple(part.levels(params) for part in parts for _ in part.names)

    def check(self, params: Ints, state: Any) -> None:
        """Raises a UsageError for an impossible state whose fields are in their ranges.

        Default: accepts every state.
        """

    def at_stake(self, params: Ints, state: Any) -> float:
        """Returns the points that a player can still lose from a non-terminal state, and loses by giving up there.

        Default: 1, as in games that are won or lost.
        """
        return 1.0


def take_over(defaults: object, *givers: object) -> None:
    """Overwrites attributes of ``defaults`` by those of the givers, if its class has them; the last giver wins."""
    for giver in givers:
        for name in _members(type(defaults)):
            if hasattr(giver, name):
                setattr(defaults, name, getattr(giver, name))


def gives(rules: object, pieces: type) -> bool:
    """Returns whether a rules file has all members of a protocol."""
    return not _missing(rules, pieces)


def has_chance(rules: object) -> bool:
    """Returns whether a rules file has chance states, that is, a function ``chance``."""
    return hasattr(rules, "chance")


def check_pieces(rules: object) -> None:
    """Checks that a rules file is complete and its rules are compiled.

    Raises:
        UsageError: a part is missing, is not decorated with ``@rule``, or takes another number of arguments.
    """
    name = _name(rules)
    if missing := _missing(rules, Rules):
        raise UsageError(f"the rules of {name} lack {', '.join(missing)}; see nashzoo.envs.core.rules.Rules")
    missing = _missing(rules, Numbered)
    if missing and len(missing) < len(_members(Numbered)):
        given = ", ".join(piece for piece in _members(Numbered) if piece not in missing)
        raise UsageError(
            f"the rules of {name} have {given} but lack {', '.join(missing)}; see nashzoo.envs.core.rules.Numbered"
        )
    if not missing and not gives(rules, Symmetric):
        raise UsageError(f"{name} numbers its states but is not symmetric: its rules lack swap_players")
    if not missing and has_chance(rules):
        raise UsageError(f"{name} numbers its states and has chance: only states of games without chance are numbered")
    for piece, signature in SIGNATURES.items():
        function = getattr(rules, piece, None)
        if function is None:
            continue
        if not config.DISABLE_JIT and (not isinstance(function, Kernel) or function.signature != signature):
            raise UsageError(f"{piece} in the rules of {name} must be decorated with @rule")
        taken = list(inspect.signature(getattr(function, "py_func", function)).parameters)
        if len(taken) != len(signature.args):
            raise UsageError(
                f"{piece} in the rules of {name} must take {len(signature.args)} arguments, not ({', '.join(taken)})"
            )


_completed: dict[int, tuple[object, Rules]] = {}  # by id of the rules, kept so that no other object gets the id


def completed(rules: Any) -> Rules:
    """Returns a complete rules file: as it is, or derived if its functions take states (plain rules).

    Raises:
        UsageError: a part is missing or invalid.
    """
    if id(rules) not in _completed:
        found = rules
        if written_on_states(rules):
            if wrong := problems(rules):
                raise UsageError(f"the rules of {_name(rules)} are not complete:\n- " + "\n- ".join(wrong))
            found = PlainRules(rules)
        elif _missing(rules, Rules) == []:
            found = with_compiled_pieces(rules)
        check_pieces(found)
        _completed[id(rules)] = rules, cast(Rules, found)
    return _completed[id(rules)][1]


def _name(rules: object) -> str:
    return str(getattr(rules, "NAME", getattr(rules, "__name__", repr(rules))))


def _members(pieces: type) -> list[str]:
    """Returns the names of a protocol's members or of a class's public attributes."""
    return [name for name in dict.fromkeys([*pieces.__annotations__, *vars(pieces)]) if not name.startswith("_")]


def _missing(rules: object, pieces: type) -> list[str]:
    return [name for name in _members(pieces) if not hasattr(rules, name)]


__all__ = [
    "BOTH",
    "CHANCE",
    "MAX_OUTCOMES",
    "Bools",
    "Features",
    "Floats",
    "Ints",
    "Mask",
    "Numbered",
    "OptionalRules",
    "Rules",
    "Symmetric",
    "bits",
    "check_pieces",
    "compiled",
    "flag",
    "gives",
    "has_chance",
    "observing",
    "one_hot",
    "packing",
    "parameter",
    "rule",
    "scaled",
    "seat",
    "take_over",
    "unseen",
]
