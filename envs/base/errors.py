"""Errors of users, as distinct from bugs of the project."""

from gymnasium.error import ResetNeeded


class UsageError(ValueError):
    """The input cannot be used; the message gives the reason, in one sentence.

    Commands print only the message. Every other ``ValueError`` is a bug, and commands print its traceback.
    """


class UsageTypeError(UsageError, TypeError):
    """An input has the wrong type, or an option does not exist."""


class NoGameRunningError(UsageError, ResetNeeded):
    """``step`` was called without a running game: none has been started, or it is over."""


class OutOfBoundsError(UsageError, AssertionError):
    """An action is not in its action space, for which PettingZoo's wrapper raises an ``AssertionError``."""


class MissingPackageError(UsageError, ImportError):
    """A feature needs a package that is not installed."""


class NotSeenError(UsageError):
    """The players do not see the whole state, so that states have no values."""


class BusyError(UsageError):
    """Another process is making the file."""
