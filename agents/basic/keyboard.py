"""A person at the keyboard."""

import contextlib
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TextIO

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import with_suits
from nashzoo.envs.core.agent import Agent, Opponent
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask

GAP = "   "  # between choices
LONGEST_KEY = 3  # letters
MOST_NUMBERED = 9  # actions that have their own numbers as keys; of more, the legal ones are counted
Commands = Mapping[str, tuple[str, Callable[[], str]]]


class InputEnded(UsageError, EOFError):
    """The person closed the input, or quit, instead of choosing an action."""


class KeyboardAgent(Agent):
    """Shows the state and asks a person for each action, again after a wrong answer.

    An action is chosen by its number, as in the browser, its initials, its name, or a beginning of it; capitals do not
    matter. ``help``, ``?``, ``quit`` and ``q`` are answers everywhere. At a terminal, arrow keys edit the line and
    recall earlier ones.

    Args:
        seed: As for every player; nothing is drawn.
        source: The stream that answers are read from, line by line; standard input when None.
        target: The stream that questions are written to; standard output when None.
    """

    asks_person = True

    def __init__(
        self, game: Game, seed: int | None = None, *, source: TextIO | None = None, target: TextIO | None = None
    ) -> None:
        super().__init__(game, seed)
        self._source = source
        self._target = target
        self.initials = initials(game.actions)

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Asks for the action of each game in order.

        Raises:
            InputEnded: the input ended.
        """
        actions = [
            self.ask(np.flatnonzero(mask).tolist(), f"\n{addressed_state(self.game, code, player)}", code=code)
            for code, player, mask in zip(*(each.tolist() for each in self.states_of(observations)), masks, strict=True)
        ]
        return np.array(actions, np.int64), memory

    def ask(
        self,
        legal: list[int],
        page: str = "",
        prompt: str = "Your move: ",
        notes: Mapping[int, str] | None = None,
        commands: Commands | None = None,
        code: int | None = None,
    ) -> int:
        """Returns the action that a person chooses.

        Args:
            legal: The legal actions.
            page: Text to print first.
            prompt: The prompt.
            notes: Notes to print after the actions; if it is empty, the actions are not listed.
            commands: Further answers: by word, a short description and a function. The function returns the text to
                print, and may raise any exception to end the question.
            code: The state, in which actions may have names of their own.

        Raises:
            InputEnded: the input ended, or the person quits.
        """
        names = {one: self.game.actions[one] for one in legal}
        if code is not None:
            names |= {one: self.game.action_label(code, one) for one, name in names.items() if not name.isdigit()}
        known = dict(commands or {})
        known["help"] = "this", lambda: self._help(known)
        known["quit"] = "leave", self._quit
        self._print(page)
        if notes is None or notes:
            self._print(in_lines(self._named(names, "[{key}] {name}", notes)))
        while True:
            line = self._answer(prompt).strip()
            meant = self._meant(line.lower(), names)
            if len(meant) == 1:
                return meant[0]
            word = {"?": "help", "exit": "quit"}.get(line.lower(), line.lower())
            words = [word] if word in known else [one for one in known if word and one.startswith(word)]
            if len(words) == 1:
                self._print(known[words[0]][1]())
                continue
            problem = "could be any of" if meant else "is none of"
            choices = ", ".join(
                self._named({one: names[one] for one in meant} or names, "{key} ({name})")
            ) or ", ".join(known)
            self._print(f"{line!r} {problem} {choices}")

    def _help(self, commands: Commands) -> str:
        """Returns a description of the possible answers."""
        lines = [f"{word:6} {meaning}" for word, (meaning, _) in sorted(commands.items())]
        return "\n".join(["Enter the number of a move, its initials, its name, or a beginning of it. Or:", *lines])

    def _quit(self) -> str:
        raise InputEnded("the person quit before an action was chosen")

    def _answer(self, prompt: str) -> str:
        if self._source is None and self._target is None and sys.stdin.isatty():
            with contextlib.suppress(ImportError):  # not on Windows, whose terminal edits lines itself
                import readline  # noqa: F401  # input() uses it after the import
            try:
                return input(prompt)
            except EOFError:
                raise InputEnded("the input ended before an action was chosen") from None
        print(prompt, end="", file=sys.stdout if self._target is None else self._target, flush=True)
        line = (sys.stdin if self._source is None else self._source).readline()
        if not line:
            raise InputEnded("the input ended before an action was chosen")
        return line

    def _print(self, text: str) -> None:
        if text:
            print(text, file=sys.stdout if self._target is None else self._target)

    def _named(self, names: Mapping[int, str], form: str, notes: Mapping[int, str] | None = None) -> Iterator[str]:
        """Yields the key and the name of each action, once if they are the same, and its note."""
        for action, key in action_keys(self.game.actions, names).items():
            name = names[action]
            named = key if key == name else form.format(key=key, name=name)
            yield f"{named} {notes[action]}" if notes and notes.get(action) else named

    def _meant(self, answer: str, names: Mapping[int, str]) -> list[int]:
        """Returns the legal actions that match an answer."""
        if not answer:
            return []
        keys = action_keys(self.game.actions, names)
        words = {one: (name.lower(), self.game.actions[one].lower()) for one, name in names.items()}
        named = [one for one in names if answer in (keys[one], self.initials[one], *words[one])]
        return named or [one for one in names if any(word.startswith(answer) for word in words[one])]


def addressed_state(game: Game, code: int, player: int) -> str:
    """Returns a state as lines of text, with "you" for the player, who comes first in a symmetric game."""
    if player == 1 and game.symmetric:
        code, player = int(game.swap_players(np.array([code]))[0]), 0
    return with_suits(game.text(code)).replace(f"player {player}", "you").replace(f"player {1 - player}", "other")


def check_unattended(player: Opponent, name: str, here: bool = False) -> None:
    """Checks that a player needs no keyboard, which other processes and games side by side do not have.

    Raises:
        UsageError: the player asks a person.
    """
    if player.asks_person and not here:
        raise UsageError(f"{name} is a person at the keyboard, who cannot play here; choose another, or nashzoo play")


def in_lines(words: Iterable[str], width: int | None = None) -> str:
    r"""Returns words in lines no wider than the terminal; no word is broken.

    >>> in_lines(["[a] Attack", "[b] Block", "[g] Grab"], width=25)
    '[a] Attack   [b] Block\n[g] Grab'
    """
    width = shutil.get_terminal_size().columns if width is None else width
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + len(GAP) + len(word) <= width:
            lines[-1] += GAP + word
        else:
            lines.append(word)
    return "\n".join(lines)


def action_keys(actions: tuple[str, ...], legal: Iterable[int]) -> dict[int, str]:
    """Returns the key of each legal action, as in the browser: its name where that is a number, else its number.

    Directions have their places on a number pad.

    >>> action_keys(("Attack", "Block", "Grab"), [0, 2]), action_keys(("Left", "Right", "Up", "Down"), range(4))
    ({0: '1', 2: '3'}, {3: '2', 0: '4', 1: '6', 2: '8'})
    """
    words = [re.split("[ _-]", action.lower()) for action in actions]
    pad = [5 - ("left" in one) + ("right" in one) + 3 * (("up" in one) - ("down" in one)) for one in words]
    if all([side] in words for side in ("left", "right", "up", "down")) and len(set(pad)) == len(pad):
        return {action: str(pad[action]) for action in sorted(legal, key=pad.__getitem__)}
    few = len(actions) <= MOST_NUMBERED
    numbers = {action: str(1 + (action if few else place)) for place, action in enumerate(legal)}
    return {action: actions[action] if actions[action].isdigit() else number for action, number in numbers.items()}


def initials(actions: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the initials of each action; empty where they are long or not distinct.

    >>> initials(("Attack", "Block", "Grab", "Dragon Punch"))
    ('a', 'b', 'g', 'dp')
    """
    letters = tuple("".join(word[0] for word in action.lower().split()) for action in actions)
    distinct = len(set(letters)) == len(actions) and max(map(len, letters)) <= LONGEST_KEY
    return letters if distinct else ("",) * len(actions)
