"""Environments and classes of other people as games: explored once, as they are, by copying or by replaying.

Four kinds of objects are known, each by the names of its methods: PettingZoo's AEC and parallel environments,
environments whose ``step`` returns what Gymnasium's does, and plain classes as OpenSpiel and easyAI have them. A state
is known by the user's key, else by what both players see, else by all fields of the object.
"""

import copy
import hashlib
import inspect
import itertools
import re
import sys
import sysconfig
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.base.files import digest
from nashzoo.envs.base.memory import started
from nashzoo.envs.base.modules import failing_line
from nashzoo.envs.base.words import in_one_line
from nashzoo.envs.core.game import Game
from nashzoo.envs.imported.discount import discount_of, discounted
from nashzoo.envs.imported.environment_kinds import LEGAL, MASK, SEEN, TOLD, Live, Options, layers_of, live_of, name_of
from nashzoo.envs.imported.explorer import MOST_STATES, OVER, PLAYED, Explored, Source, choices, compare, spoken
from nashzoo.envs.imported.graph_files import cached
from nashzoo.envs.imported.graph_rules import NO_LIMIT, GraphRules, Horizon
from nashzoo.envs.imported.openspiel import is_openspiel, openspiel_rules
from nashzoo.envs.imported.shown import Shown, check_seen, fields, frozen, prints
from nashzoo.envs.rules.pieces import BOTH, CHANCE

FIRST_PLAYS, LAST_PLAYS, MOST_COPIED = 20, 3, 11  # random games that look for truncation; that test copies; states
WORTH_KEEPING = 5_000  # successors; exploring fewer takes about a second
PLAIN = int, float, str, bytes, np.generic
DATA = *PLAIN, tuple, list, dict, set, np.ndarray
INSTALLED = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")]
INSTALLED += [Path(__file__).parents[2]]  # our own
FEW = 60  # numbers of an observation that are written out
SAME = 1e-9


def from_environment(
    make: Callable[[], Any],
    key: Callable[[Any], Any] | None = None,
    *,
    hidden: bool = False,
    recall: bool = True,
    players: Sequence[Any] | None = None,
    reward_to: str | None = None,
    name: str | None = None,
    most_states: int = MOST_STATES,
) -> Game:
    """Returns an environment of PettingZoo, or a class with ``legal_actions`` and ``step``, as a game.

    Its code is run. It is explored once, and compared with random games in it, with other seeds. A constant sum of
    rewards at the end is taken off, half of it from each player. If it has a ``DISCOUNT``, later rewards count less:
    each move multiplies all that follow.

    Args:
        make: Makes the environment: its class, or a function without arguments; or a game, which is returned.
        key: Returns what determines the state of an environment. By default that is what both players see, with the
            legal actions, the player to move and the last reward; of a plain class its ``ttentry()`` or all its fields.
        hidden: Whether players see less than the state: then states are histories, and a player knows its observations.
        recall: Whether it also remembers its earlier observations and actions.
        players: What a class calls its players, in the order of their rewards. Default: 0 and 1; 1 and 2 as in easyAI.
        reward_to: Whose the single reward is that ``step`` returns: ``"mover"`` or ``"player_0"``.
        name: The name of the game.
        most_states: The largest number of states to explore, with hidden information of histories.

    Raises:
        UsageError: it has not two players, is not zero-sum, depends on more than the key says, or has too many states.
        UsageTypeError: it is no environment of a known kind.
    """
    if not callable(make):
        raise UsageTypeError(f"give what makes the environment, a class or a function, not {make!r}")
    try:
        inspect.signature(make).bind()
    except TypeError as error:
        raise UsageTypeError(
            f"{getattr(make, '__name__', make)} needs arguments ({error}); give a function without any that makes it"
        ) from None
    except ValueError:  # of a built-in function nothing is known
        pass
    if isinstance(made := make(), Game):
        return made
    if is_openspiel(made):
        return Game(openspiel_rules(made, most_states))
    options = Options(hidden, recall, players, reward_to, name, most_states)
    explore = partial(_explored, make, key, options)
    depends_on = _depends_on(make, key, made)
    rules = explore() if depends_on is None else cached([*depends_on, repr(options)], explore, WORTH_KEEPING)
    return Game(rules.told())


def _explored(make: Callable[[], Any], key: Callable[[Any], Any] | None, options: Options) -> GraphRules:
    """Returns the rules of an environment, explored and compared with it."""
    source = EnvironmentSource(make, key, options)
    limit = source.truncation()
    explored = Explored(source, options.most_states)
    horizon = NO_LIMIT
    try:
        compare(source, explored)
    except UsageError:
        if limit is None or source.hides:
            raise
        horizon = Horizon(limit)
        compare(source, explored, horizon)
    if limit is not None:
        cut = f"{source.name} cuts play off after {limit} moves; what was paid until then counts, and nothing more"
        explored.notes.append(cut)
    rules = explored.rules(source.name, horizon, total=explored.take_off(source.end_sum))
    if source.observes:
        rules.environment = Shown.of(explored)
    if source.observes and not source.hides:
        check_seen(explored, rules.graph)
    if source.discount == 1.0:
        return rules
    if source.end_sum:
        raise UsageError(
            f"{source.name} pays {source.end_sum:g} in all, and by its DISCOUNT less the later play ends: that is no "
            "constant sum; pay both players 0 together"
        )
    if explored.forgets:
        raise UsageError(
            f"{source.name} has a DISCOUNT, and players forget what they saw: what they forget may tell how much later "
            "rewards count; leave out recall=False"
        )
    return discounted(rules, source.discount)


class Position:
    """A state of an environment; other attributes are those of :class:`nashzoo.envs.imported.explorer.State`.

    Args:
        source: The game.
        live: The environment in this state.
        path: The choices that lead to it.
        said: These for people.
        known: What the players have seen and done before, where something is hidden.
    """

    won, label = None, ""

    def __init__(
        self,
        source: "EnvironmentSource",
        live: Live,
        path: tuple[Any, ...] = (),
        said: tuple[str, ...] = (),
        known: tuple[str, ...] = ("", ""),
    ) -> None:
        self.source, self.live, self.path, self.said = source, live, path, said
        self.turn = turn = live.turn()
        moves = [turn in (player, BOTH) for player in (0, 1)]
        self.legal = tuple(tuple(live.legal(player)) if moves[player] else () for player in (0, 1))
        self.outcomes = live.outcomes() if turn == CHANCE else ()
        shows = live.shows and turn != CHANCE
        self.shown = copy.deepcopy((live.shown(0), live.shown(1))) if shows else (None, None)
        self.bits = [own if isinstance(own, np.ndarray) and own.dtype != object else () for own in self.shown]
        self.seen = known
        if source.hides and turn not in (CHANCE, OVER):
            self.seen = tuple(
                (before if source.options.recall else "") + (f"sees {_written(own)}" if chooses else "waits")
                for before, own, chooses in zip(known, self.shown, moves, strict=True)
            )
        self.key: Hashable = None
        self.sign: Hashable = None
        if source.key is not None:
            self.key, self.sign = frozen(source.key(live.env)), frozen(self.shown)
        elif live.shows:
            self.key = frozen(self.shown), self.legal
        else:
            self.key = frozen(live.env.ttentry() if hasattr(live.env, "ttentry") else fields(live.env))
        self.payoff = source.payoff(live.rewards, turn == OVER, said)
        self.text = live.text() or (f"after {', '.join(said)}" if said else "the start")

    def after(self, choice: Any) -> "Position":
        """Returns the state after a choice, in a copy or in an environment that is made again."""
        if self.source.copies:
            return self.onward(choice, self.live.copied())
        live = self.source.new(0)
        for earlier in self.path:
            live.step(earlier)
        return self.onward(choice, live)

    def onward(self, choice: Any, live: Live | None = None) -> "Position":
        """Returns the state after a choice, in the same environment, or in another one that is in the same state.

        Raises:
            UsageError: the environment fails.
        """
        live, said = live or self.live, (*self.said, spoken(self.turn, choice))
        try:
            live.step(choice)
        except UsageError:
            raise
        except Exception as error:  # of the user's code, whatever it is
            raise UsageError(
                f"{self.source.name} fails after {' '.join(said)}: {type(error).__name__}: {in_one_line(error)}"
                + f", in {failing_line(error)}" * (failing_line(error) is not None)
                + f"; an environment in which not all actions are legal shows {MASK}"
                * (not any(hasattr(live.env, function) for function in LEGAL))
            ) from error
        known = self.seen
        if self.source.hides and self.turn != CHANCE:
            known = tuple(
                f"{before}; plays {action}; " if self.turn in (player, BOTH) else before.removesuffix("waits")
                for player, before, action in zip((0, 1), known, choice, strict=True)
            )
        return Position(self.source, live, (*self.path, choice), said, known)


class EnvironmentSource(Source):
    """An environment as a game to explore; see :class:`nashzoo.envs.imported.explorer.Source`.

    Args:
        make: Makes the environment.
        key: Returns what determines its state; None for what players see, or all fields.
        options: What else the user says.
    """

    advice = f" (give a key that tells more, or hidden=True if players do not see all, {TOLD})"

    def __init__(self, make: Callable[[], Any], key: Callable[[Any], Any] | None, options: Options) -> None:
        self._make, self.key, self.options = make, key, options
        live = self.new(0)
        self.name = options.name or name_of(live.env)
        self.hides, self.observes = options.hidden, live.shows
        if self.hides and not live.shows:
            raise UsageError(f"{self.name} does not say what players see: with hidden=True it needs {SEEN[2]}(player)")
        self._end_sum: float | None = None
        self.discount = discount_of(live.env, layers_of(live.env), self.name)
        self.tells_chance = key is not None or not live.shows
        self.told = "the key" if key else "what both players see" if live.shows else "the key of states"
        self.num_actions = live.num_actions()
        self.copies = self._copies_right()

    def new(self, seed: int) -> Live:
        """Returns the environment at the start."""
        env = self._make()
        if hasattr(env, "reset") and not hasattr(env, "possible_agents"):
            env.reset()  # before which some have no player to move
        live = live_of(env, self.options)
        live.reset(seed)
        return live

    def start(self, play: int = 0) -> Position:
        """Returns the state at the start, with the number of the play as seed."""
        return Position(self, self.new(play))

    def payoff(self, paid: tuple[float, float], over: bool, said: Sequence[str]) -> float:
        """Returns the reward of player 0, if both rewards add up to 0, or to the same number wherever play ends."""
        total = sum(paid)
        if over and np.isfinite(total):
            self._end_sum = total if self._end_sum is None else self._end_sum
        if not abs(total - self.end_sum * over) <= SAME:  # NaN is refused too
            raise UsageError(
                f"{self.name} is not zero-sum, as a game here is: it pays {paid[0]:g} and {paid[1]:g} after "
                f"{' '.join(said)}"
            )
        return (paid[0] - paid[1]) / 2

    @property
    def end_sum(self) -> float:
        """The sum of both rewards wherever play ends."""
        return self._end_sum or 0.0

    def truncation(self) -> int | None:
        """Returns the number of moves after which play is cut off, if random games always are after the same."""
        limits, rng = set(), np.random.default_rng(0)
        for play in range(FIRST_PLAYS):
            *_, (moves, position, _) = self._random(play, rng)
            if position.turn == OVER and position.live.truncated:
                limits.add(moves)
        return limits.pop() if len(limits) == 1 else None

    def _random(self, play: int, rng: np.random.Generator) -> Iterator[tuple[int, Position, list[Any]]]:
        """Yields the moves so far and the states of a random game, and what can follow, what does follow first."""
        position, moves = self.start(play), 0
        for _ in range(PLAYED):
            options = choices(position)
            rng.shuffle(options)
            yield moves, position, options
            if not options:
                return
            moves += position.turn != CHANCE
            position = position.onward(options[0])

    def _copies_right(self) -> bool:
        """Returns whether copies of the environment go on as it does, and leave it as it was."""
        rng, compared = np.random.default_rng(0), ("turn", "legal", "payoff", "shown", "key")
        for _ in range(LAST_PLAYS):
            copied: Position | None = None
            for _, position, options in itertools.islice(self._random(0, rng), MOST_COPIED):
                parts = [[frozen(getattr(one, name)) for name in compared] for one in (copied or position, position)]
                if parts[0] != parts[1]:
                    return False
                if not options:
                    break
                try:
                    one, another = position.live.copied(), position.live.copied()
                    copied = position.onward(options[0], one)
                    position.onward(options[-1], another)
                except Exception:  # a copy that is not whole fails anywhere; what fails without copies fails again
                    return False
        return True


def _depends_on(make: Any, key: Any, env: Any) -> list[str] | None:
    """Returns the names of what makes an environment, its data, and digests of all code; None if these are not known.

    The data are those of its fields as it is made, of its classes and of their modules. The code is all beside it, and
    all that is loaded and not installed. They are not known for methods of objects and functions within others, which
    depend on more than their code, and for files that are younger than this process, which may have loaded an earlier
    one.
    """
    layers = layers_of(env)
    kinds = [make, *([key] if key else []), *(kind for layer in layers for kind in type(layer).__mro__[:-1])]
    if not hasattr(env, "__dict__") or not all(inspect.isfunction(kind) or inspect.isclass(kind) for kind in kinds):
        return None
    modules = [sys.modules.get(kind.__module__) for kind in kinds]
    files = {Path(getattr(module, "__file__", None) or "") for module in modules}
    if not all(map(Path.is_file, files)) or any("<" in kind.__qualname__ for kind in kinds):
        return None
    loaded = {Path(file) for module in [*sys.modules.values()] if (file := getattr(module, "__file__", None))}
    own = {path for path in loaded if path.is_file() and not any(path.is_relative_to(folder) for folder in INSTALLED)}
    sources = sorted(own.union(files, *(path.parent.glob("*.py") for path in files)))
    if max(path.stat().st_mtime for path in sources) >= (started() or 0.0):
        return None
    names = [f"{kind.__module__}:{kind.__qualname__}" for kind in kinds]
    data = [*map(fields, layers), *(_data(vars(one)) for one in (*kinds, *modules))]
    told = re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(frozen(data)))
    return [*names, hashlib.sha256(told.encode()).hexdigest(), *(f"{path} {digest(path)}" for path in sources)]


def _data(names: Mapping[str, Any]) -> dict[str, Any]:
    """Returns those of some names that are data."""
    return {name: item for name, item in names.items() if isinstance(item, DATA) and not name.startswith("__")}


def _written(seen: Any) -> str:
    """Returns an observation as text, a long one by its digest, and one in parts part by part."""
    if isinstance(seen, Mapping):
        return f"{{{', '.join(f'{name!r}: {_within(part)}' for name, part in seen.items())}}}"
    if isinstance(seen, list | tuple):
        return f"[{', '.join(map(_within, seen))}]"
    if not isinstance(seen, np.ndarray):
        return str(seen) if seen is None or prints(seen) or isinstance(seen, PLAIN) else str(frozen(seen))
    if seen.size <= FEW:
        return str(seen.ravel().tolist())
    return f"{seen.dtype}{[*seen.shape]} {hashlib.sha256(np.ascontiguousarray(seen).tobytes()).hexdigest()[:16]}"


def _within(part: Any) -> str:
    return repr(part) if isinstance(part, str) else _written(part)
