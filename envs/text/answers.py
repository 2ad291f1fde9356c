"""Answers in words: which legal action a text names, or a sentence on why it names none."""

import re
import textwrap
from collections.abc import Sequence
from typing import Any

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.json_text import json_value
from nashzoo.envs.core.game import Game
from nashzoo.envs.text.wording import Wording

LINE = re.compile(r"[\s*_`>#-]*(?:action|(?:final )?answer)[\s*_`]*[:\uff1a](.*)", re.IGNORECASE)  # also as Markdown
MARKED = re.compile(r".*(?:\\boxed\{(?:\\text\{)?([^{}]+)\}+|<answer>([^<>]+)</answer>)[.$ ]*", re.IGNORECASE)
AROUND = " \t\"'`*_-!()[]\u201c\u201d\u2018\u2019"  # forgiven around a name: spaces, marks, and quotes of all kinds

LONGEST = 60  # characters of a name in a message


class AnswerError(UsageError):
    """An answer names no legal action, or several; the message can be told to the player."""


def parse_action(game: Game | Wording, legal: Sequence[int], answer: str, listed: bool = True) -> int:
    r"""Returns the action that an answer names, in the words of a game or of a disguise.

    The answer is the name of a legal action, or ends with a line ``Action: NAME``, ``Answer: NAME``, ``\boxed{NAME}``,
    ``<answer>NAME</answer>`` or ``{"action": "NAME"}``, and then may have anything before, such as reasons. Capitals,
    hyphens and spaces do not matter, nor marks around the name.

    Args:
        game: The game, or a disguise.
        legal: The legal actions.
        answer: The answer.
        listed: Whether the player was told which actions are legal. If not, errors do not tell it either.

    Raises:
        AnswerError: the answer names no legal action, or several.
    """
    among = legal if listed else range(len(game.actions))
    which = "legal actions are" if listed else "the actions of the game are"
    told = f"{which} {', '.join(game.actions[action] for action in among)}"
    names = stated(answer)
    if not names:
        raise AnswerError(f"the answer is neither the name of an action nor ends with a line Action: NAME; {told}")
    if len({_plain(name) for name in names}) > 1:
        raise AnswerError(f"the answer names several actions, {' and '.join(map(_brief, names))}; {told}")
    for form in (str.strip, _bare, _plain):  # the strictest first, for names that differ in capitals alone
        named = [action for action in among if form(game.actions[action]) == form(names[-1])]
        if len(named) == 1 and named[0] in legal:
            return named[0]
        if len(named) == 1:
            raise AnswerError(f"{_brief(names[-1])} is not legal here")
    wrong = "the name of several actions" if named else "no legal action" if listed else "no action of the game"
    raise AnswerError(f"{_brief(names[-1])} is {wrong}; {told}")


def stated(answer: str) -> list[str]:
    """Returns the names that an answer states, those of its last line last; none if there are none there."""
    lines = [line for line in answer.strip().removesuffix("```").splitlines() if line.strip()]
    whole = _of_json(re.sub(r"^```(json)?", "", "\n".join(lines)))
    if whole is not None:
        return whole
    by_line = [_of_json(line) or _of_line(line) for line in lines]
    if by_line and by_line[-1]:
        return [name for names in by_line for name in names]
    return lines if len(lines) == 1 else []


def _of_line(line: str) -> list[str]:
    """Returns the name that a line states; none if it states none."""
    match = MARKED.fullmatch(line) or LINE.fullmatch(line)
    return [one for one in match.groups() if one is not None] if match else []


def _of_json(text: str) -> list[str] | None:
    """Returns the name in a JSON object with one action; None if the text is anything else."""
    if len(re.findall(r'"action"\s*:', text)) != 1:
        return None
    try:
        value: Any = json_value(text)
    except UsageError:
        return None
    name = value.get("action") if isinstance(value, dict) else None
    return [str(name)] if isinstance(name, str | int) and not isinstance(name, bool) else None


def _bare(name: str) -> str:
    """Returns a name without what is forgiven around it."""
    return name.strip(AROUND).removesuffix(".").rstrip(AROUND) or name.strip()


def _plain(name: str) -> str:
    """Returns a name without what is forgiven around it, in small letters and with single spaces."""
    return " ".join(re.sub("[-_]", " ", _bare(name)).casefold().split())


def _brief(name: str) -> str:
    """Returns the beginning of a name, for messages."""
    return repr(textwrap.shorten(name, LONGEST, placeholder="...") or name.strip()[:LONGEST])
