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
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.base.files import digest
from nashzoo.envs.base.memory import started
from nashzoo.envs.base.progress import note
from nashzoo.envs.core.game import Game
from nashzoo.envs.imported.explorer import (
    MOST_STATES,
    OVER,
    PLAYED,
    WAITS,
    Explored,
    Source,
    compare,
    likely,
    pairs,
    spoken,
)
from nashzoo.envs.imported.graph_files import cached
from nashzoo.envs.imported.graph_rules import NO_LIMIT, GraphRules, Horizon
from nashzoo.envs.imported.openspiel import is_openspiel, openspiel_rules
from nashzoo.envs.imported.shown import Shown, fields, frozen, hidden_pair, prints
from nashzoo.envs.rules.pieces import BOTH, CHANCE

LEGAL = "legal_actions", "possible_moves", "legal_moves", "get_legal_actions"
STEP = "apply_action", "play_move", "step", "make_move"
ENDED = "is_terminal", "is_over", "game_over", "done", "terminal"
PLAYER = "current_player", "to_play", "player", "turn"
PAID = "rewards", "returns", "scoring"
SEEN = "information_state_string", "observation_string", "observe", "observation"
MASK, OBSERVATION = "action_mask", "observation"
FIRST_PLAYS, LAST_PLAYS, MOST_COPIED = 20, 3, 11  # random games that look for truncation; that test copies; states
MOST_LETTERS = 200  # of fields that stand for a text
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
    rewards at the end is taken off, half of it from each player.

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
    return Game(explore() if depends_on is None else cached([*depends_on, repr(options)], explore, WORTH_KEEPING))


class Options(NamedTuple):
    """What the user says, see :func:`from_environment`."""

    hidden: bool
    recall: bool
    players: Sequence[Any] | None
    reward_to: str | None
    name: str | None
    most_states: int


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
        note(f"{source.name} cuts play off after {limit} moves; what was paid until then counts, and nothing more")
    if source.end_sum:
        note(
            f"{source.name} pays {source.end_sum:g} to both players in all; half of it is taken off from each, so that "
            f"a value of 0 here is {source.end_sum / 2:g} there"
        )
    rules = explored.rules(source.name, horizon)
    rules.environment = Shown.of(explored) if source.observes else None
    pair = None if source.hides or not source.observes else hidden_pair(explored, rules.graph)
    if pair is not None:
        player, *paths = pair
        raise UsageError(
            f"player {player} of {source.name} sees the same after {paths[0]} and after {paths[1]}, where play goes on "
            "differently: say hidden=True, so that states are histories"
        )
    return rules


class Position:
    """A state of an environment; other attributes are those of :class:`nashzoo.envs.imported.explorer.State`.

    Args:
        source: The game.
        live: The environment in this state.
        path: The choices that lead to it.
        said: These for people.
        known: What the players have seen and done before, where something is hidden.
    """

    won = None

    def __init__(
        self,
        source: "EnvironmentSource",
        live: "Live",
        path: tuple[Any, ...] = (),
        said: tuple[str, ...] = (),
        known: tuple[str, ...] = ("", ""),
    ) -> None:
        self.source, self.path, self.said = source, path, said
        self.live: Live | None = live  # None if it is to be made again by its path
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
        self.text = live.text() or (f"as after {' '.join(said)}" if said else "the start")

    def after(self, choice: Any) -> "Position":
        """Returns the state after a choice, in a copy or in an environment that is made again."""
        if self.source.copies and self.live is not None:
            return self.onward(choice, self.live.copied())
        live = self.source.new(0)
        for earlier in self.path:
            live.step(earlier)
        after = self.onward(choice, live)
        after.live = None
        return after

    def onward(self, choice: Any, live: "Live | None" = None) -> "Position":
        """Returns the state after a choice, in the same environment, or in another one that is in the same state.

        Raises:
            UsageError: the environment fails.
        """
        live, said = live or self.live, (*self.said, spoken(self.turn, choice))
        assert live is not None
        try:
            live.step(choice)
        except UsageError:
            raise
        except Exception as error:  # of the user's code, whatever it is
            raise UsageError(
                f"{self.source.name} fails after {' '.join(said)}: {type(error).__name__}: {error}"
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


class Live:
    """An environment, asked in one way whatever its kind is; a kind is a subclass.

    Args:
        env: The environment.
        options: What the user says of it.
    """

    shows = True  # whether it has observations
    truncated = False  # whether play was cut off
    rewards = 0.0, 0.0  # of the last step

    def __init__(self, env: Any, options: Options) -> None:
        self.env, self.options = env, options
        self.names = [*getattr(env, "possible_agents", ())]

    def reset(self, seed: int) -> None:
        """Begins a game."""
        raise NotImplementedError

    def turn(self) -> int:
        """Returns who chooses."""
        raise NotImplementedError

    def step(self, choice: Any) -> None:
        """Applies a pair of actions, or an outcome of chance."""
        raise NotImplementedError

    def space(self, player: int) -> Any:
        """Returns the space of a player's actions; None without one."""
        return self.env.action_space(self.names[player])

    def raw(self, player: int) -> tuple[Any, Mapping[str, Any]]:
        """Returns the observation of a player as it is given, perhaps with a mask, and the info."""
        raise NotImplementedError

    def shown(self, player: int) -> Any:
        """Returns the observation of a player."""
        seen, _ = self.raw(player)
        return seen[OBSERVATION] if isinstance(seen, Mapping) and OBSERVATION in seen else seen

    def legal(self, player: int) -> Sequence[Any]:
        """Returns the actions of a player who chooses: those of its mask, or all of its space."""
        space, (seen, info) = self.space(player), self.raw(player)
        if not isinstance(space, spaces.Discrete):
            raise UsageError(f"actions must be numbered, a Discrete space, not {space}")
        mask = seen.get(MASK) if isinstance(seen, Mapping) else None
        mask = info.get(MASK) if mask is None else mask
        allowed = range(int(space.n)) if mask is None else np.flatnonzero(mask).tolist()
        return [int(space.start) + k for k in allowed]

    def num_actions(self) -> int:
        """Returns the number of actions of the larger space."""
        found = [self.space(player) for player in range(2)]
        return max(int(space.start + space.n) if isinstance(space, spaces.Discrete) else 0 for space in found)

    def text(self) -> str:
        """Returns the state for people; empty for none."""
        return str(self.env.render() or "") if getattr(self.env, "render_mode", None) == "ansi" else ""

    def outcomes(self) -> Sequence[tuple[Any, float]]:
        """Returns the outcomes of chance that are declared, where chance decides."""
        told = getattr(self.env, "chance_outcomes", None)
        if told is None or ("is_chance_node" in dir(self.env) and not self.env.is_chance_node()):
            return ()
        return tuple(told())

    def copied(self) -> "Live":
        """Returns a copy."""
        other, known = copy.copy(self), type(self.env)
        if hasattr(known, "clone"):
            other.env = self.env.clone()
        else:
            other.env = copy.deepcopy(self.env) if hasattr(known, "__deepcopy__") else _copied(self.env)
        return other


class _Aec(Live):
    """An AEC environment of PettingZoo."""

    def reset(self, seed: int) -> None:
        self.env.reset(seed=seed)

    def _over(self, agent: Any) -> bool:
        env = self.env
        return agent not in env.agents or env.terminations[agent] or env.truncations[agent]

    def turn(self) -> int:
        if all(map(self._over, self.names)):
            return OVER
        return CHANCE if self.outcomes() else self.names.index(self.env.agent_selection)

    def step(self, choice: Any) -> None:
        turn, env = self.turn(), self.env
        env.step(choice if turn == CHANCE else choice[turn])
        self.rewards = _pair(env.rewards, self.names)
        while self.turn() != OVER and self._over(env.agent_selection):
            env.step(None)
            own, other = _pair(env.rewards, self.names)
            self.rewards = self.rewards[0] + own, self.rewards[1] + other
        self.truncated = any(env.truncations.values()) and not any(env.terminations.values())

    def raw(self, player: int) -> tuple[Any, Mapping[str, Any]]:
        agent = self.names[player]
        return self.env.observe(agent), self.env.infos.get(agent, {})


class _Parallel(Live):
    """A parallel environment of PettingZoo."""

    def reset(self, seed: int) -> None:
        self._seen, self._infos = copy.deepcopy(self.env.reset(seed=seed))
        self._over: set[Any] = set()

    def turn(self) -> int:
        left = [k for k, agent in enumerate(self.names) if agent in self.env.agents and agent not in self._over]
        if left and self.outcomes():
            return CHANCE
        return BOTH if len(left) == 2 else left[0] if left else OVER

    def step(self, choice: Any) -> None:
        turn = self.turn()
        if turn != CHANCE:
            choice = {self.names[k]: action for k, action in enumerate(choice) if turn in (k, BOTH)}
        self._seen, rewards, ends, cuts, self._infos = copy.deepcopy(self.env.step(choice))
        self.rewards = _pair(rewards, self.names)
        self._over = {agent for agent in self.names if ends.get(agent) or cuts.get(agent)}
        self.truncated = any(cuts.values()) and not any(ends.values())

    def raw(self, player: int) -> tuple[Any, Mapping[str, Any]]:
        return self._seen.get(self.names[player]), self._infos.get(self.names[player], {})


class _Plain(Live):
    """A class with ``legal_actions`` and ``step`` or ``apply_action``, such as a state of OpenSpiel or easyAI's."""

    _mover = 0

    def __init__(self, env: Any, options: Options) -> None:
        super().__init__(env, options)
        self.shows = any(callable(getattr(type(env), name, None)) for name in SEEN)
        self.names = [*(options.players or ((1, 2) if hasattr(env, "play_move") else (0, 1)))]

    def reset(self, seed: int) -> None:
        if hasattr(self.env, "reset"):
            self._begun(seed)

    def _begun(self, seed: int) -> Any:
        takes = inspect.signature(self.env.reset).parameters
        return self.env.reset(**({"seed": seed} if "seed" in takes else {}))

    def _over(self) -> bool:
        return bool(_said(self.env, ENDED))

    def _seat(self) -> int:
        label = _plain(_said(self.env, PLAYER))
        if label in self.names:
            return self.names.index(label)
        raise UsageError(
            f"the player to move is {label!r}, and players are {self.names[0]!r} and {self.names[1]!r} if you say "
            f"nothing else: players=({label!r}, ...), in the order of their rewards"
        )

    def turn(self) -> int:
        if self._over():
            return OVER
        if self.outcomes():
            return CHANCE
        both = getattr(self.env, "is_simultaneous_node", None)
        return BOTH if both is not None and both() else self._seat()

    def space(self, player: int) -> Any:
        return getattr(self.env, "action_space", None)

    def legal(self, player: int) -> Sequence[Any]:
        """Returns the actions that a method or an attribute says, or those of the space."""
        if (function := next((name for name in LEGAL if hasattr(self.env, name)), None)) is None:
            return super().legal(player)
        actions = getattr(self.env, function)
        if callable(actions):
            takes = [p for p in inspect.signature(actions).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
            actions = actions(self.names[player]) if takes else actions()
        actions = [_plain(action) for action in actions]
        return sorted(actions) if all(isinstance(action, int) for action in actions) else actions

    def step(self, choice: Any) -> None:
        """Applies a choice, in place or by a new object."""
        turn = self._mover = self.turn()
        step = getattr(self.env, next(name for name in STEP if hasattr(self.env, name)))
        if turn == BOTH:
            result = getattr(self.env, "apply_actions", step)([*choice])
        else:
            result = step(choice if turn == CHANCE else choice[turn])
        self.env = result if isinstance(result, type(self.env)) else self.env
        self.rewards = self._paid(result)

    def _paid(self, result: Any) -> tuple[float, float]:
        name = next(name for name in PAID if hasattr(self.env, name))
        if name != "rewards" and not self._over():
            return 0.0, 0.0
        return self._split(_said(self.env, (name,)), self._seat() if name == "scoring" else None)

    def _split(self, reward: Any, seat: int | None = None) -> tuple[float, float]:
        """Returns rewards of both players, of a list or dictionary, or of the reward of one of them."""
        if isinstance(reward, Mapping):
            return _pair(reward, self.names)
        if np.ndim(reward) == 1:
            if len(reward) != 2:
                raise UsageError(f"{_name(self.env)} pays {len(reward)} players, {reward}; a game here has two")
            return float(reward[0]), float(reward[1])
        if reward is None:
            raise UsageError(f"{_name(self.env)} pays None; its reward is a pair, or a number with reward_to")
        if seat is None and reward != 0.0:
            if self.options.reward_to not in ("mover", "player_0"):
                raise UsageError(
                    f"the reward {reward:g} of a single player may be the mover's or always player 0's: say "
                    "reward_to='mover' or reward_to='player_0'"
                )
            seat = 0 if self.options.reward_to == "player_0" else self._mover
        return (-float(reward), float(reward)) if seat == 1 else (float(reward), -float(reward))

    def raw(self, player: int) -> tuple[Any, Mapping[str, Any]]:
        function = next((getattr(self.env, name) for name in SEEN if callable(getattr(self.env, name, None))), None)
        if function is None:
            return None, {}
        return (function(self.names[player]) if inspect.signature(function).parameters else function()), {}

    def text(self) -> str:
        """Returns what the object prints; its fields if it prints nothing of its own."""
        if prints(self.env):
            return str(self.env)
        text = ", ".join(f"{name} {value}" for name, value in fields(self.env).items())
        return text if len(text) <= MOST_LETTERS else ""


class _Stepping(_Plain):
    """A class whose ``step`` returns observation, reward, and whether play is over, as Gymnasium's environments do."""

    _ended = False
    _info: Mapping[str, Any]

    def __init__(self, env: Any, options: Options) -> None:
        super().__init__(env, options)
        self.shows = True

    def reset(self, seed: int) -> None:
        seen = self._begun(seed)
        self._seen, self._info = seen if isinstance(seen, tuple) and len(seen) == 2 else (seen, {})
        self._ended = False

    def _over(self) -> bool:
        return self._ended

    def _paid(self, result: Any) -> tuple[float, float]:
        self._seen, reward, *ends, self._info = result
        self._ended, self.truncated = bool(any(ends)), len(ends) == 2 and bool(ends[1]) and not ends[0]
        return self._split(reward)

    def raw(self, player: int) -> tuple[Any, Mapping[str, Any]]:
        info = self._info
        if MASK not in info and hasattr(self.env, "action_masks"):
            info = {**info, MASK: self.env.action_masks()}
        return self._seen, info


def _pair(rewards: Mapping[Any, Any], names: Sequence[Any]) -> tuple[float, float]:
    """Returns the rewards of both players, 0 for one who is not there any more."""
    return float(rewards.get(names[0], 0.0)), float(rewards.get(names[1], 0.0))


def _live(env: Any, options: Options) -> Live:
    """Returns an environment as one of the known kinds.

    Raises:
        UsageError: it has not two agents.
        UsageTypeError: it is of none of these kinds.
    """
    if hasattr(env, "possible_agents"):
        if len(env.possible_agents) != 2:
            raise UsageError(f"{_name(env)} has {len(env.possible_agents)} agents; a game here has two")
        return (_Aec if hasattr(env, "agent_iter") else _Parallel)(env, options)
    if any(hasattr(env, name) for name in PLAYER):
        if all(any(hasattr(env, name) for name in names) for names in (ENDED, LEGAL, STEP, PAID)):
            return _Plain(env, options)
        if hasattr(env, "step") and hasattr(env, "reset"):
            return _Stepping(env, options)
    raise UsageTypeError(
        f"{type(env).__name__} is no environment of two players: it needs possible_agents; or {PLAYER[0]}, "
        f"{LEGAL[0]}, {STEP[0]} or step, {ENDED[0]}, and {PAID[0]} or {PAID[1]}; or {PLAYER[0]}, and reset and step as "
        "Gymnasium's"
    )


class EnvironmentSource(Source):
    """An environment as a game to explore; see :class:`nashzoo.envs.imported.explorer.Source`.

    Args:
        make: Makes the environment.
        key: Returns what determines its state; None for what players see, or all fields.
        options: What else the user says.
    """

    advice = " (give a key that tells more, or hidden=True if players do not see all)"

    def __init__(self, make: Callable[[], Any], key: Callable[[Any], Any] | None, options: Options) -> None:
        self._make, self.key, self.options = make, key, options
        live = self.new(0)
        self.name = options.name or _name(live.env)
        self.hides, self.observes = options.hidden, live.shows
        if self.hides and not live.shows:
            raise UsageError(f"{self.name} does not say what players see: with hidden=True it needs {SEEN[2]}(player)")
        self._end_sum: float | None = None
        self.tells_chance = key is not None or not live.shows
        self.told = "the key" if key else "what both players see" if live.shows else "the key of states"
        self.num_actions = live.num_actions()
        self.copies = self._copies_right()

    def new(self, seed: int) -> Live:
        """Returns the environment at the start."""
        env = self._make()
        if hasattr(env, "reset") and not hasattr(env, "possible_agents"):
            env.reset()  # before which some have no player to move
        live = _live(env, self.options)
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
            if position.turn == OVER and position.live is not None and position.live.truncated:
                limits.add(moves)
        return limits.pop() if len(limits) == 1 else None

    def _random(self, play: int, rng: np.random.Generator) -> Iterator[tuple[int, Position, list[Any]]]:
        """Yields the moves so far and the states of a random game, and what can follow, what does follow first."""
        position, moves = self.start(play), 0
        for _ in range(PLAYED):
            options = [choice for choice, _ in likely(position)]
            if position.turn not in (CHANCE, OVER):
                one, other = (legal or WAITS for legal in position.legal)
                options = list(pairs((one, other)))
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
                assert position.live is not None
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
    layers = _layers(env) if hasattr(env, "__dict__") else []
    kinds = [make, *([key] if key else []), *(kind for layer in layers for kind in type(layer).__mro__[:-1])]
    if not layers or not all(inspect.isfunction(kind) or inspect.isclass(kind) for kind in kinds):
        return None
    modules = [sys.modules.get(kind.__module__) for kind in kinds]
    files = [getattr(module, "__file__", None) for module in modules]
    if None in files or any("<" in kind.__qualname__ for kind in kinds):
        return None
    paths = {Path(str(file)) for file in files}
    loaded = {Path(file) for module in [*sys.modules.values()] if (file := getattr(module, "__file__", None))}
    own = {path for path in loaded if path.is_file() and not any(path.is_relative_to(folder) for folder in INSTALLED)}
    sources = sorted(own.union(paths, *(path.parent.glob("*.py") for path in paths)))
    if max(path.stat().st_mtime for path in sources) >= (started() or 0.0):
        return None
    names = [f"{kind.__module__}:{kind.__qualname__}" for kind in kinds]
    data = [*map(fields, layers), *(_data(vars(one)) for one in (*kinds, *modules))]
    told = re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(frozen(data)))
    return [*names, hashlib.sha256(told.encode()).hexdigest(), *(f"{path} {digest(path)}" for path in sources)]


def _data(names: Mapping[str, Any]) -> dict[str, Any]:
    """Returns those of some names that are data."""
    return {name: item for name, item in names.items() if isinstance(item, DATA) and not name.startswith("__")}


def _said(env: Any, names: Sequence[str]) -> Any:
    """Returns the first of some attributes that an environment has, or what it returns."""
    value = getattr(env, next(name for name in names if hasattr(env, name)))
    return value() if callable(value) else value


def _plain(value: Any) -> Any:
    """Returns a number of NumPy as Python's, and a list as a tuple."""
    value = value.item() if isinstance(value, np.generic) else value
    return tuple(map(_plain, value)) if isinstance(value, list) else value


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


def _name(env: Any) -> str:
    metadata = getattr(env, "metadata", None)
    said = metadata.get("name") if isinstance(metadata, Mapping) else None
    return str(said or type(getattr(env, "unwrapped", env)).__name__)


def _copied(env: Any) -> Any:
    """Returns a deep copy of an environment, of its wrappers and of the one in them, as they are.

    Copying as pickling does would make new environments of many, by their arguments (``EzPickle``). Spaces do not
    change, and are shared.
    """
    layers = _layers(env)
    memo: dict[int, Any] = {id(layer): object.__new__(type(layer)) for layer in layers}
    for value in (value for layer in layers for value in vars(layer).values()):
        shared = value.values() if isinstance(value, dict) else (value,)
        memo.update((id(item), item) for item in shared if isinstance(item, spaces.Space))
    for layer in layers:
        memo[id(layer)].__dict__.update({name: copy.deepcopy(value, memo) for name, value in vars(layer).items()})
    return memo[id(env)]


def _layers(env: Any) -> list[Any]:
    """Returns an environment and those in it."""
    layers = {id(env): env}
    todo = [env]
    while todo:
        for value in vars(todo.pop()).values():
            steps = callable(getattr(value, "step", None)) and callable(getattr(value, "reset", None))
            if steps and not isinstance(value, spaces.Space | dict) and id(value) not in layers:
                layers[id(value)] = value
                todo.append(value)
    return [*layers.values()]
