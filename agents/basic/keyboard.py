"""A person at the keyboard."""

import sys
from typing import TextIO

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask


class InputEnded(UsageError, EOFError):
    """The person closed the input instead of choosing an action."""


class KeyboardAgent(Agent):
    """Shows the state and asks a person for each action, again after a wrong answer.

    An action is chosen by its key (the initials of its name, or its number where initials are not distinct) or by
    its name or a beginning of it; capitals do not matter.

    Args:
        game: The game.
        seed: As for every player; nothing is drawn.
        source: Where answers are read from, line by line; standard input when None.
        target: Where questions are written to; standard output when None.
    """

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        *,
        source: TextIO | None = None,
        target: TextIO | None = None,
    ) -> None:
        super().__init__(game, seed)
        self._source = source
        self._target = target
        self.keys = action_keys(game.actions)

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Asks about one game after the other.

        Raises:
            InputEnded: the input ended.
        """
        actions = [
            self._ask(self.view(observation), np.flatnonzero(mask).tolist())
            for observation, mask in zip(observations, masks, strict=True)
        ]
        return np.array(actions, np.int64), memory

    def view(self, observation: Features) -> str:
        """Returns a state as lines of text that speak of the person as "you"."""
        codes, players = self.states_of(observation[None])
        player = int(players[0])
        return self.game.text(int(codes[0])).replace(f"player {player}", "you").replace(f"player {1 - player}", "other")

    def _ask(self, text: str, legal: list[int]) -> int:
        target = sys.stdout if self._target is None else self._target
        source = sys.stdin if self._source is None else self._source
        choices = "   ".join(self._named(action, "[{key}] {name}") for action in legal)
        print(f"\n{text}\n{choices}", file=target)
        while True:
            print("Your move: ", end="", file=target, flush=True)
            line = source.readline()
            if not line:
                raise InputEnded("the input ended before an action was chosen")
            meant = self._meant(line.strip().lower(), legal)
            if len(meant) == 1:
                return meant[0]
            problem = "could be any of" if meant else "is none of"
            choices = ", ".join(self._named(action, "{key} ({name})") for action in meant or legal)
            print(f"{line.strip()!r} {problem} {choices}", file=target)

    def _named(self, action: int, form: str) -> str:
        """Returns key and name of an action, once where they are the same."""
        key, name = self.keys[action], self.game.actions[action]
        return key if key == name else form.format(key=key, name=name)

    def _meant(self, answer: str, legal: list[int]) -> list[int]:
        """Returns the legal actions that an answer may stand for."""
        named = [a for a in legal if answer in (self.keys[a], self.game.actions[a].lower())]
        return named or [a for a in legal if answer and self.game.actions[a].lower().startswith(answer)]


def action_keys(actions: tuple[str, ...]) -> tuple[str, ...]:
    """Returns what to type for each action.

    >>> action_keys(("Attack", "Block", "Grab", "Dragon Punch"))
    ('a', 'b', 'g', 'dp')
    >>> action_keys(("a1", "a2"))
    ('1', '2')
    """
    initials = tuple("".join(word[0] for word in action.lower().split()) for action in actions)
    if len(set(initials)) == len(actions):
        return initials
    return tuple(str(1 + number) for number in range(len(actions)))
