"""Checks of arguments."""

from collections.abc import Collection, Iterable, Mapping
from operator import index
from typing import Any

import numpy as np

from nashzoo.envs.base.errors import NotSeenError, UsageError
from nashzoo.envs.core import kernels
from nashzoo.envs.core.game import Game, Ints

MOST_SEEDS = 10_000  # of a command; it lists its runs before the first


def check_whole(name: str, value: Any, low: int, high: int, kind: str = "a whole number", why: str = "") -> int:
    """Returns a whole number; ``kind`` and ``why`` stand before and after the range in the message.

    Raises:
        UsageError: it is not a whole number from ``low`` to ``high``.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise UsageError(f"{name} must be {kind} from {low} to {high}{why}, not {value!r}")
    return int(value)


def check_count(name: str, value: Any, least: int = 1) -> int:
    """Returns a whole number.

    Raises:
        UsageError: it is not a whole number of at least ``least``.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise UsageError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return int(value)


def check_flag(name: str, value: Any) -> bool:
    """Returns True or False.

    Raises:
        UsageError: it is neither.
    """
    if not isinstance(value, bool):
        raise UsageError(f"{name} must be True or False, not {value!r}")
    return value


def check_one_of(name: str, value: Any, choices: Iterable[str]) -> str:
    """Returns a text that is one of ``choices``.

    Raises:
        UsageError: it is none of them.
    """
    if not isinstance(value, str) or value not in choices:
        raise UsageError(f"{name} must be {' or '.join(map(repr, choices))}, not {value!r}")
    return value


ON_ILLEGAL = {"lose": kernels.LOSE, "noop": kernels.NOOP, "raise": kernels.NOOP}
MOST_CYCLES = 2**63 - 1  # of the kernels, which count in 64 bits
RENDER_MODES = ("ansi", "svg", "rgb_array", "human")


def check_options(game: Game, max_cycles: int | None, illegal_action: str, render_mode: str | None) -> int:
    """Checks the options of all environments; returns ``max_cycles``, that of the game if it is None.

    Raises:
        UsageError: an option has an invalid value.
    """
    max_cycles = min(check_count("max_cycles", game.max_cycles if max_cycles is None else max_cycles), MOST_CYCLES)
    if illegal_action not in ON_ILLEGAL:
        raise UsageError(f"illegal_action must be one of {', '.join(ON_ILLEGAL)}, not {illegal_action!r}")
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise UsageError(f"render_mode must be None or one of {', '.join(RENDER_MODES)}, not {render_mode!r}")
    return max_cycles


def check_reset_options(options: Any, known: Collection[str] | None = ()) -> Mapping[str, Any]:
    """Returns the options of ``reset``, by name.

    Args:
        options: The options; None for none.
        known: The names of the options there are; None to take all, as PettingZoo's own tests of environments require.

    Raises:
        UsageError: they are no dictionary, or one has another name.
    """
    if options is None:
        return {}
    names = "there are none" if not known else f"there is {', '.join(known)}"
    if not isinstance(options, Mapping):
        raise UsageError(f"the options of reset must be a dictionary ({names}), not {options!r}")
    if known is not None and (others := [name for name in options if name not in known]):
        raise UsageError(f"reset has no option {', '.join(map(repr, others))}: {names}")
    return options


def check_game(game: Any) -> Game:
    """Returns a game.

    Raises:
        UsageError: it is none.
    """
    if not isinstance(game, Game):
        raise UsageError(f"{game!r} is no game; footsies_v0.game() is one, and make_game('footsies_v0') the same")
    return game


def check_seen(game: Game, what: str) -> None:
    """Checks that both players see the whole state, so that actions have values of their own there.

    Args:
        game: The game.
        what: What cannot be had otherwise, as a clause.

    Raises:
        NotSeenError: they do not.
    """
    if check_game(game).hides:
        raise NotSeenError(
            f"{what}: the players of {game.name} see a part of the state each, and what an action is worth depends on "
            "what they believe of the rest"
        )


def name_of(player: Any) -> str:
    """Returns the name of a player for messages: its name, or that of its algorithm, or its class if it has none."""
    names = getattr(player, "name", ""), getattr(player, "NAME", "")
    return next((name for name in names if isinstance(name, str) and name), type(player).__name__)


def check_plays(game: Game, policy: Any) -> None:
    """Checks that a policy for one game is for this game.

    Raises:
        UsageError: it plays another one, or the game with other parameters.
    """
    plays = getattr(policy, "game", game)
    if isinstance(plays, Game) and (plays.name, plays.options) != (game.name, game.options):
        raise UsageError(f"{name_of(policy)} plays {plays}, not {game}")


def check_action(action: Any) -> int:
    """Returns an action as an ``int``; does not check whether it is legal.

    Raises:
        UsageError: it is not a whole number, or has more than 64 bits.
    """
    try:
        number = index(action)
    except TypeError:
        raise UsageError(f"an action is a whole number, not {action!r}") from None
    if not -(2**63) <= number < 2**63:
        raise UsageError(f"an action is a whole number of 64 bits, not {action!r}")
    return number


def check_actions(actions: Any, num_games: int) -> Ints:
    """Returns an action for each game ``[B]``; does not check whether they are legal.

    Raises:
        UsageError: they are not whole numbers, have more than 64 bits, or their number differs.
    """
    array = np.asarray(actions)
    if array.shape != (num_games,):
        raise UsageError(f"actions must have shape ({num_games},), not {array.shape}")
    if array.dtype.kind not in "iu" or (array.dtype == np.uint64 and array.max(initial=0) >= 2**63):
        raise UsageError(f"actions are whole numbers of 64 bits, not {array.dtype} as in {array.tolist()[:3]}")
    return np.ascontiguousarray(array, np.int64)


def check_seed(seed: Any) -> int | None:
    """Returns a seed; None for random numbers of the operating system.

    Raises:
        UsageError: it is not a whole number of at least 0.
    """
    return None if seed is None else check_count("seed", seed, 0)
