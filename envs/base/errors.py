"""Errors of whoever uses the project, told apart from errors in the project."""

from gymnasium.error import ResetNeeded


class UsageError(ValueError):
    """What was given cannot be used; the message says why, in one sentence.

    Commands print the message alone. Every other ``ValueError`` is a bug, and they show where it was raised.
    """


class UsageTypeError(UsageError, TypeError):
    """What was given is of the wrong kind, or is an option that there is not."""


class NoGameRunningError(UsageError, ResetNeeded):
    """A step was asked for where no game is running: none has been started, or it is over."""


class MissingPackageError(UsageError, ImportError):
    """What was asked for needs a package that is not installed."""
