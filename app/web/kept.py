"""Objects that the server keeps between requests, a bounded number of each kind."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from nashzoo.envs.base.errors import UsageError

Thing = TypeVar("Thing")
MOST = 200


class UnknownError(UsageError):
    """There is no object with this id, or no longer."""


class Kept(Generic[Thing]):
    """Objects by their ids; the least recently used one is dropped first.

    Args:
        what: The name of such an object, in messages.
        end: Releases the resources of one that is removed.
    """

    def __init__(self, what: str, end: Callable[[Thing], None]) -> None:
        self.what, self.most, self.end = what, MOST, end
        self._things: OrderedDict[str, Thing] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, thing: Thing) -> str:
        """Adds an object; returns its id."""
        name = secrets.token_urlsafe(9)
        with self._lock:
            self._things[name] = thing
            while len(self._things) > self.most:
                self.end(self._things.popitem(last=False)[1])
        return name

    def __getitem__(self, name: str) -> Thing:
        with self._lock:
            if name not in self._things:
                raise UnknownError(f"there is no such {self.what}, or it was not looked at for long; begin another")
            self._things.move_to_end(name)
            return self._things[name]

    def close(self) -> None:
        """Removes all objects."""
        with self._lock:
            while self._things:
                self.end(self._things.popitem()[1])
