"""Kinds of environments, asked in one way: PettingZoo's two, those that step as Gymnasium's do, and plain classes."""

import copy
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.imported.explorer import OVER
from nashzoo.envs.imported.shown import fields, prints
from nashzoo.envs.rules.pieces import BOTH, CHANCE

LEGAL = "legal_actions", "possible_moves", "legal_moves", "get_legal_actions"
STEP = "apply_action", "play_move", "step", "make_move"
ENDED = "is_terminal", "is_over", "game_over", "done", "terminal"
PLAYER = "current_player", "to_play", "player", "turn"
PAID = "rewards", "returns", "scoring"
SEEN = "information_state_string", "observation_string", "observe", "observation"
TOLD = "to from_environment, which a function of yours can return"
MASK, OBSERVATION = "action_mask", "observation"
MOST_LETTERS = 200  # of fields that stand for a text


class Options(NamedTuple):
    """What the user says, see :func:`nashzoo.envs.from_environment`."""

    hidden: bool
    recall: bool
    players: Sequence[Any] | None
    reward_to: str | None
    name: str | None
    most_states: int


class Live:
    """An environment, asked in one way whatever its kind is; a kind is a subclass."""

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
            wants = f"a method {LEGAL[0]}, or an action_space that is Discrete"
            raise UsageError(f"{name_of(self.env)} must say its actions by {wants}, not {space}")
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
            f"nothing else: players=({label!r}, ...), in the order of their rewards, {TOLD}; a game here has two"
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
            if reward.keys() - set(self.names):
                raise UsageError(f"{name_of(self.env)} pays {reward}; a game here has two players, {self.names}")
            return _pair(reward, self.names)
        if np.ndim(reward) == 1:
            if len(reward) != 2:
                raise UsageError(f"{name_of(self.env)} pays {len(reward)} players, {reward}; a game here has two")
            return float(reward[0]), float(reward[1])
        if reward is None:
            raise UsageError(f"{name_of(self.env)} pays None; its reward is a pair, or a number with reward_to")
        if seat is None and reward != 0.0:
            if self.options.reward_to not in ("mover", "player_0"):
                raise UsageError(
                    f"the reward {reward:g} of a single player may be the mover's or always player 0's: say "
                    f"reward_to='mover' or reward_to='player_0', {TOLD}"
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


def live_of(env: Any, options: Options) -> Live:
    """Returns an environment as one of the known kinds.

    Raises:
        UsageError: it has not two agents.
        UsageTypeError: it is of none of these kinds.
    """
    if hasattr(env, "possible_agents"):
        if len(env.possible_agents) != 2:
            raise UsageError(f"{name_of(env)} has {len(env.possible_agents)} agents; a game here has two")
        return (_Aec if hasattr(env, "agent_iter") else _Parallel)(env, options)
    if (players := getattr(env, "num_players", 2)) != 2 and (not callable(players) or players() != 2):
        raise UsageError(f"{name_of(env)} has {_said(env, ['num_players'])} players; a game here has two")
    lacks = [names[0] for names in (PLAYER, LEGAL, STEP, ENDED, PAID) if not any(hasattr(env, name) for name in names)]
    if not lacks:
        return _Plain(env, options)
    if all(hasattr(env, name) for name in ("step", "reset")) and PLAYER[0] not in lacks:
        return _Stepping(env, options)
    raise UsageTypeError(
        f"{type(env).__name__} is no environment of two players: it lacks {', '.join(lacks)}; PettingZoo's have "
        f"possible_agents instead, and those of Gymnasium's kind {PLAYER[0]}, reset and step"
    )


def makers_in(module: Any) -> list[str]:
    """Returns the names of what makes environments in a module: PettingZoo's functions, and classes with a step."""
    own = [thing for thing in vars(module).values() if getattr(thing, "__module__", None) == module.__name__]
    kinds = [kind.__name__ for kind in own if isinstance(kind, type) and any(hasattr(kind, name) for name in STEP)]
    return [name for name in ("env", "parallel_env") if hasattr(module, name)] or kinds


def _said(env: Any, names: Sequence[str]) -> Any:
    """Returns the first of some attributes that an environment has, or what it returns."""
    value = getattr(env, next(name for name in names if hasattr(env, name)))
    return value() if callable(value) else value


def _plain(value: Any) -> Any:
    """Returns a number of NumPy as Python's, and a list as a tuple."""
    value = value.item() if isinstance(value, np.generic) else value
    return tuple(map(_plain, value)) if isinstance(value, list) else value


def name_of(env: Any) -> str:
    """Returns the name that an environment gives itself, or of its class."""
    metadata = getattr(env, "metadata", None)
    said = metadata.get("name") if isinstance(metadata, Mapping) else None
    return str(said or type(getattr(env, "unwrapped", env)).__name__)


def _copied(env: Any) -> Any:
    """Returns a deep copy of an environment, of its wrappers and of the one in them, as they are.

    Copying as pickling does would make new environments of many, by their arguments (``EzPickle``). Spaces do not
    change, and are shared.
    """
    layers = layers_of(env)
    memo: dict[int, Any] = {id(layer): object.__new__(type(layer)) for layer in layers}
    for value in (value for layer in layers for value in vars(layer).values()):
        shared = value.values() if isinstance(value, dict) else (value,)
        memo.update((id(item), item) for item in shared if isinstance(item, spaces.Space))
    for layer in layers:
        memo[id(layer)].__dict__.update({name: copy.deepcopy(value, memo) for name, value in vars(layer).items()})
    return memo[id(env)]


def layers_of(env: Any) -> list[Any]:
    """Returns an environment and those in it."""
    layers = {id(env): env}
    todo = [env]
    while todo:
        for value in getattr(todo.pop(), "__dict__", {}).values():
            steps = callable(getattr(value, "step", None)) and callable(getattr(value, "reset", None))
            if steps and not isinstance(value, spaces.Space | dict) and id(value) not in layers:
                layers[id(value)] = value
                todo.append(value)
    return [*layers.values()]
