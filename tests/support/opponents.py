"""Small opponents for the tests, see ``nashzoo.envs.core.agent.Opponent``."""

from typing import Any

import numpy as np

import nim
from nashzoo.envs.core.agent import Opponent
from nashzoo.envs.core.compiled_opponent import CHOOSE, choose_all, pack_opponent
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.kernels import count_actions, nth_action
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.rules.build import build


class Uniform(Opponent):
    """Plays each legal action with the same probability, and keeps a list of what it played."""

    memory_size = 0

    def __init__(self) -> None:
        self.played: list[int] = []

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        choices = [np.flatnonzero(mask) for mask in masks]
        actions = [int(legal[int(u * len(legal))]) for legal, u in zip(choices, uniforms[:, 0], strict=True)]
        self.played += actions
        return np.array(actions, np.int64), memory


class Counting(Opponent):
    """Plays the number of its decisions so far in this game, modulo the number of its legal actions."""

    memory_size = 1

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        counts = memory[:, 0].astype(np.int64)
        choices = [np.flatnonzero(mask) for mask in masks]
        actions = [legal[count % len(legal)] for legal, count in zip(choices, counts, strict=True)]
        return np.array(actions, np.int64), memory + 1


class CountingInPlace(Counting):
    """The same, in the memory that it was given."""

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        actions, memory[:] = super().act(observations, memory, masks, uniforms)
        return actions, memory


class Always(Opponent):
    """Plays one action, legal or not."""

    memory_size = 0

    def __init__(self, action: int) -> None:
        self.action = action

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        return np.full(len(observations), self.action, np.int64), memory


LEGAL = build(nim).legal


@compiled(CHOOSE)
def _roam(params: Ints, code: int, player: int, numbers: Floats, memory: Floats, uniforms: Floats) -> int:
    legal = LEGAL(params, code, player)
    memory[0] += numbers[0] + int(7 * uniforms[0]) + 2 * player
    return nth_action(legal, (int(memory[0]) + int(3 * uniforms[1])) % count_actions(legal))


class Roaming(Opponent):
    """Plays nim by everything that a compiled opponent is given."""

    memory_size = 1
    thread_safe = True

    def __init__(self, game: Game) -> None:
        self.game = game

    @property
    def compiled(self) -> Any:
        return pack_opponent(_roam, 5.0)

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        actions = np.empty(len(observations), np.int64)
        choose_all(self.game.compiled, self.compiled, observations, memory, uniforms, actions)
        return actions, memory


@compiled(CHOOSE)
def _take_3(params: Ints, code: int, player: int, numbers: Floats, memory: Floats, uniforms: Floats) -> int:
    return 2


class TakesThree(Always):
    """Takes three in nim, legal or not, as a compiled opponent."""

    def __init__(self) -> None:
        super().__init__(2)

    @property
    def compiled(self) -> Any:
        return pack_opponent(_take_3)


class Uncompiled(Opponent):
    """Another opponent, who is asked in Python."""

    def __init__(self, opponent: Any) -> None:
        self.opponent = opponent
        self.memory_size = opponent.memory_size

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        actions: Ints
        actions, memory = self.opponent.act(observations, memory, masks, uniforms)
        return actions, memory
