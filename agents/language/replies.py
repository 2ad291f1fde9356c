"""Replies of a model that are kept, in memory and in a file: a question is paid for once."""

import hashlib
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from nashzoo.agents.language.server import Messages, Reply, are_chances
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.json_text import json_text, json_value

BEGINNING = b'{"question": '  # of each line


class Question(NamedTuple):
    """What a model is asked."""

    model: str  # its name
    messages: Messages
    temperature: float
    max_tokens: int  # the most tokens of the reply
    likeliest: int  # of how many first tokens the probability is asked for
    sample: int  # the number of the sample; the same question has another reply for each

    @property
    def most_tokens(self) -> int:
        """An upper bound of the tokens that it costs, one for each byte of the messages and the longest reply."""
        return sum(len(text.encode()) for message in self.messages for text in message.values()) + self.max_tokens

    @property
    def key(self) -> bytes:
        """A hash of all of it."""
        return hashlib.sha256(json_text(self._asdict(), None).encode()).digest()


class Replies:
    """Replies by question.

    The file has a line of JSON for each, with ``question`` and ``reply``, written when the reply comes. Several
    processes may write to it. An incomplete last line, of a killed writer, is removed.

    Args:
        path: The file, made with its folder if it does not exist; None to keep the replies in memory alone.

    Raises:
        UsageError: the file holds something else.
        OSError: it cannot be read or written.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._known: dict[bytes, Reply] = {}
        self._lock = Lock()
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._load(self.path)

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, question: Question) -> bool:
        return question.key in self._known

    def __getitem__(self, question: Question) -> Reply:
        return self._known[question.key]

    def add(self, question: Question, reply: Reply) -> None:
        """Keeps a reply; other threads may do so at the same time."""
        line = json_text({"question": question._asdict(), "reply": reply._asdict()}, None) + "\n"
        with self._lock:
            self._known[question.key] = reply
            if self.path is not None:
                with self.path.open("ab", buffering=0) as file:
                    file.write(line.encode())  # at once, so that the lines of several processes stay whole

    def _load(self, path: Path) -> None:
        with path.open("ab+") as file:
            file.seek(0)
            whole = 0
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n") and line.startswith(BEGINNING[: len(line)]):
                    file.truncate(whole)
                    break
                question, reply = self._read(path, number, line)
                self._known[question.key] = reply
                whole += len(line)

    def _read(self, path: Path, number: int, line: bytes) -> tuple[Question, Reply]:
        try:
            value: Any = json_value(line)
            question, reply = Question(**value["question"]), Reply(**value["reply"])
            counted = reply.tokens is None or (type(reply.tokens) is int and reply.tokens >= 0)
            if not (counted and isinstance(reply.text, str) and are_chances(reply.first)):
                raise TypeError
            return question, reply
        except (UsageError, AttributeError, TypeError, KeyError):
            raise UsageError(f"{path} holds no replies of a model, see line {number}; choose another file") from None
