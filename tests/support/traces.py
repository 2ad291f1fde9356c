"""Playing a game behind each of its faces in the same way, and the rules in plain words to compare with."""

import copy
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from nashzoo.envs.api.pettingzoo_base import AGENTS
from nashzoo.envs.core.game import CHANCE, Game
from nashzoo.envs.drawing.canvas import Align, Point
from nashzoo.envs.drawing.palette import INK

LETTER = 0.56  # of the size, the width of most small letters and digits in a Helvetica's bold

MOST_STATES = 1500  # more are not visited


@lru_cache
def reachable(game: Game) -> tuple[int, ...]:
    """Returns the codes of the states nearest to the start that players see, about ``MOST_STATES`` at most."""
    seen = dict.fromkeys(game.start_codes.tolist())
    queue = list(seen)
    for code in queue:
        if game.terminal(code) or len(seen) > MOST_STATES:
            continue
        if game.turn(code) == CHANCE:
            new = [after for after in game.outcomes(code)[0].tolist() if after not in seen]
            seen.update(dict.fromkeys(new))
            queue += new
            continue
        for action0 in game.legal_actions(code, 0):
            for action1 in game.legal_actions(code, 1):
                following = game.step(code, action0, action1)
                if following not in seen:
                    seen[following] = None
                    queue.append(following)
    return tuple(code for code in seen if game.terminal(code) or game.turn(code) != CHANCE)


def ways_by_chance(game: Game, code: int) -> set[tuple[int, float]]:
    """Returns where chance may lead from a state, the state itself without it, and what that pays player 0."""
    ends, ways = set(), [(code, 0.0)]
    while ways:
        here, paid = ways.pop()
        if game.terminal(here) or game.turn(here) != CHANCE:
            ends.add((here, paid))
        else:
            ways += [(after, paid + game.payoff(after)) for after in game.outcomes(here)[0].tolist()]
    return ends


def running(game: Game) -> list[int]:
    """Returns the reachable states at which the game goes on."""
    return [code for code in reachable(game) if not game.terminal(code)]


def expected_step(game: Game, code: int, action0: int, action1: int, mode: str) -> tuple[int, float, bool] | None:
    """Returns what a joint action does: the next code, the reward to player 0, whether it ends the game.

    None stands for an error. ``mode`` is the option ``illegal_action``.
    """
    offends0 = action0 not in game.legal_actions(code, 0)
    offends1 = action1 not in game.legal_actions(code, 1)
    if not offends0 and not offends1:
        following = game.step(code, action0, action1)
        return following, game.payoff(following), game.terminal(following)
    if mode == "raise":
        return None
    if mode == "noop":
        return code, 0.0, False
    return code, float(offends1) - float(offends0), True


def choices(seed: int) -> np.random.Generator:
    """Returns a generator for the players' choices, apart from the environments' own randomness."""
    return np.random.default_rng([7, seed])


def choose(rng: np.random.Generator, mask: Any) -> int:
    """Returns a legal action."""
    return int(rng.choice(np.flatnonzero(mask)))


class ParallelGame:
    """A game in a ``ParallelEnv``; like the others it returns what it is shown uncopied, and keeps the last masks."""

    over, ended = False, (False, False)  # nothing can be played any more; terminated, truncated

    def __init__(self, env: Any) -> None:
        self.env = env

    def start(self, seed: int | None) -> Any:
        self.over, self.ended = False, (False, False)
        observations, infos = self.env.reset(seed=seed)
        self.masks = {agent: infos[agent]["action_mask"].copy() for agent in AGENTS}
        return observations, infos, self.env.state()

    def step(self, rng: np.random.Generator, action: int | None = None) -> Any:
        """Plays at random, or an action; returns the actions, what the environment answered, and its state."""
        actions = {agent: choose(rng, mask) if action is None else action for agent, mask in self.masks.items()}
        result = self.env.step(actions)
        self.over, self.ended = not self.env.agents, (result[2][AGENTS[0]], result[3][AGENTS[0]])
        self.masks = {agent: result[4][agent]["action_mask"].copy() for agent in AGENTS}
        return actions, result, self.env.state()


class AECGame:
    """A game in an ``AECEnv``; a step is one agent's turn, also that in which it is told of the end."""

    over, ended = False, (False, False)

    def __init__(self, env: Any) -> None:
        self.env = env

    def start(self, seed: int | None) -> Any:
        self.env.reset(seed=seed)
        return self.seen()

    def step(self, rng: np.random.Generator, action: int | None = None) -> Any:
        """Returns the action, and what is seen after it."""
        (mask,) = self.masks.values()
        chosen = None if any(self.ended) else choose(rng, mask) if action is None else action
        self.env.step(chosen)
        return chosen, self.seen()

    def seen(self) -> Any:
        """Returns the agent that is asked, what it is told, and what the environment holds."""
        env, last = self.env, None
        self.over = not env.agents
        if not self.over:
            last = env.last()
            self.ended, self.masks = last[2:4], {env.agent_selection: last[4]["action_mask"].copy()}
        held = env.rewards, env.terminations, env.truncations, env.infos
        if any(self.ended):  # PettingZoo takes agents out of these once they have been told of the end
            held = copy.deepcopy(held)
        return env.agent_selection, last, held, env.state()


class SingleGame:
    """A game in a Gymnasium environment with the opponent inside."""

    over, ended = False, (False, False)

    def __init__(self, env: Any) -> None:
        self.env = env

    def start(self, seed: int | None) -> Any:
        self.over, self.ended = False, (False, False)
        observation, info = self.env.reset(seed=seed)
        self.masks = {"learner": info["action_mask"].copy()}
        return observation, info

    def step(self, rng: np.random.Generator, action: int | None = None) -> Any:
        """Returns the learner's action and what the environment answered."""
        action = choose(rng, self.masks["learner"]) if action is None else action
        result = self.env.step(action)
        self.masks, self.ended = {"learner": result[4]["action_mask"].copy()}, result[2:4]
        self.over = any(self.ended)
        return action, result


def rest(game: Any, rng: np.random.Generator, keep: Callable[[Any], Any] = copy.deepcopy) -> list[Any]:
    """Plays on to the end; returns everything that was seen and done, copies of it or what ``keep`` makes of it."""
    seen = []
    while not game.over:
        seen.append(keep(game.step(rng)))
    return seen


def trace(game: Any, seed: int | None, rng: np.random.Generator, keep: Callable[[Any], Any] = copy.deepcopy) -> Any:
    """Plays an episode; returns everything that was seen and done, as ``rest`` does."""
    return [keep(game.start(seed)), *rest(game, rng, keep)]


def spoil(tree: Any, emptied: bool) -> None:
    """Fills arrays within nested dictionaries and tuples with zeros, and empties the dictionaries."""
    if isinstance(tree, np.ndarray):
        tree[...] = 0
    elif isinstance(tree, dict | tuple):
        for part in tree.values() if isinstance(tree, dict) else tree:
            spoil(part, emptied)
        if emptied and isinstance(tree, dict):
            tree.clear()


class Sheet:
    """A canvas that keeps what was drawn, and where."""

    def __init__(self) -> None:
        self.points: list[tuple[float, float]] = []
        self.calls: list[tuple[Any, ...]] = []

    def rectangle(self, left: float, top: float, width: float, height: float, colour: str, corner: float = 0.0) -> None:
        assert min(width, height, corner) >= 0
        self.points += [(left, top), (left + width, top + height)]
        self.calls.append(("rectangle", left, top, width, height, colour, corner))

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        assert radius > 0
        self.points += [(x - radius, y - radius), (x + radius, y + radius)]
        self.calls.append(("circle", x, y, radius, colour))

    def polygon(self, points: Sequence[Point], colour: str) -> None:
        assert len(points) > 2
        self.points += points
        self.calls.append(("polygon", tuple(points), colour))

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float, colour: str) -> None:
        self.points += [(x0, y0), (x1, y1)]
        self.calls.append(("line", x0, y0, x1, y1, width, colour))

    def stroke(self, points: Sequence[Point], width: float, colour: str) -> None:
        assert len(points) > 1
        for x, y in points:
            self.points += [(x - width / 2, y - width / 2), (x + width / 2, y + width / 2)]
        self.calls.append(("stroke", tuple(points), width, colour))

    def text(self, x: float, y: float, text: str, size: float, colour: str = INK, align: Align = "middle") -> None:
        assert text, "An empty text was drawn."
        width = size * LETTER * len(text)
        left = x - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[align]
        self.points += [(left, y - size / 2), (left + width, y + size / 2)]
        self.calls.append(("text", x, y, text, size, colour, align))
