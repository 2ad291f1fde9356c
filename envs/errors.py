"""Errors of whoever uses the project, told apart from errors in the project."""


class UsageError(ValueError):
    """What was given cannot be used; the message says why, in one sentence.

    Commands print the message alone. Every other ``ValueError`` is a bug, and they show where it was raised.
    """


class UsageTypeError(UsageError, TypeError):
    """What was given is of the wrong kind, or is an option that there is not."""


class MissingPackageError(UsageError, ImportError):
    """What was asked for needs a package that is not installed."""
