"""A request as the handlers read it: its query and its body, whose types are checked here."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.json_text import json_value
from nashzoo.envs.core.checks import check_whole

LARGEST_SEED = 2**53 - 1  # JavaScript's largest safe integer


def body_of(sent: bytes) -> dict[str, Any]:
    """Returns the values of a body by their names.

    Raises:
        UsageError: it is no JSON object.
    """
    try:
        body = json_value(sent)
    except ValueError as error:
        raise UsageError(f"this is no JSON: {error}") from None
    if not isinstance(body, dict):
        raise UsageError("a request is a JSON object")
    return body


@dataclass(frozen=True)
class ApiRequest:
    """A request. A value that is missing, or not what a method returns, is a :class:`UsageError`."""

    query: Mapping[str, str]  # the values in its address
    body: Mapping[str, Any]  # those in its body, see body_of
    id: str = ""  # in its path; empty if it has none

    def text(self, name: str) -> str:
        """Returns a text that is not empty by its name, from the body or the query."""
        value = self.body.get(name, self.query.get(name))
        if not isinstance(value, str) or not value:
            raise UsageError(f"{name} is missing, or is no text")
        return value

    def number(self, name: str, otherwise: int) -> int:
        """Returns a whole number by its name, of up to six digits, from the query; ``otherwise`` if it is missing."""
        text = self.query.get(name, str(otherwise))
        if not text.isdecimal() or len(text) > 6:
            raise UsageError(f"{name} must be a whole number, not {text!r}")
        return int(text)

    def player(self) -> int:
        """Returns the number ``player``, 0 or 1."""
        player = self.number("player", 0)
        if player not in (0, 1):
            raise UsageError(f"player must be 0 or 1, not {player}")
        return player

    def seats(self) -> tuple[int, ...]:
        """Returns the number ``player``, 0 or 1; nothing if it is missing."""
        return (self.player(),) if "player" in self.query else ()

    def seed(self) -> int:
        """Returns ``seed`` from the body, from 0 to ``LARGEST_SEED``; a random one if it is missing or null."""
        seed = self.body.get("seed")
        return secrets.randbelow(1_000_000) if seed is None else check_whole("seed", seed, 0, LARGEST_SEED)

    def players(self) -> list[str]:
        """Returns ``players`` from the body, two names."""
        players = self.body.get("players")
        if not isinstance(players, list) or len(players) != 2 or not all(isinstance(one, str) for one in players):
            raise UsageError("players must be a list of two names")
        return players

    def actions(self) -> dict[int, int]:
        """Returns ``actions`` from the body, by player, 0 or 1."""
        chosen = self.body.get("actions", {})
        if not isinstance(chosen, dict) or not all(
            player in ("0", "1") and type(action) is int for player, action in chosen.items()
        ):
            raise UsageError('actions must be as in {"0": 3}: by player, the number of the action')
        return {int(player): action for player, action in chosen.items()}
