"""Small opponents for the tests, see ``nashzoo.envs.tables.Opponent``."""

import numpy as np

from nashzoo.envs.game import Features, Floats, Ints, Mask


class Uniform:
    """Plays each legal action with the same probability, and keeps a list of what it played."""

    memory_size = 0

    def __init__(self) -> None:
        self.played: list[int] = []

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        choices = [np.flatnonzero(mask) for mask in masks]
        actions = [int(legal[int(u * len(legal))]) for legal, u in zip(choices, uniforms[:, 0], strict=True)]
        self.played += actions
        return np.array(actions, np.int64), memory


class Counting:
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


class Always:
    """Plays one action, legal or not."""

    memory_size = 0

    def __init__(self, action: int) -> None:
        self.action = action

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        return np.full(len(observations), self.action, np.int64), memory
