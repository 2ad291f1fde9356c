"""Options that are given several times on a command line."""

import dataclasses
import inspect
import re
import shutil
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NoReturn, get_args, get_type_hints


def run(work: Callable[..., Any], words: Iterable[str], program: str) -> Any:
    """Returns what ``work`` returns with the options among ``words``, by tyro.

    Args:
        work: A function, or a dataclass, whose arguments are the options.
        words: The words of the command line.
        program: The name of the command, for messages.

    Raises:
        UsageError: an option that takes no list is given twice.
        SystemExit: the words are not understood, or ask for help.
    """
    import tyro

    words = list(words)
    odd = [word for word in words if re.search(r"[\0\ud800-\udfff]", word)]
    if odd:
        _refuse(f"{odd[0]!r} is no text: it has a byte that is none, or NUL; files need other names here")
    args = gathered(words, list(list_options(work)))
    config = (tyro.conf.FlagCreatePairsOff,)
    return tyro.cli(work, prog=program, description=_description(work), args=args, config=config)


def _description(work: Callable[..., Any]) -> str:
    """Returns what ``work`` says of itself, in lines no wider than the terminal; examples can be copied."""
    width = shutil.get_terminal_size().columns
    paragraphs = []
    for text in inspect.cleandoc(work.__doc__ or "").split("\n\n"):
        end = " \\" if text.startswith("Example: ") else ""
        lines = textwrap.wrap(text, width - 2, break_long_words=False, break_on_hyphens=False)
        paragraphs.append(f"{end}\n  ".join(lines))  # tyro joins lines, unless they are indented
    return "\n\n".join(paragraphs)


def list_options(work: Callable[..., Any]) -> Iterator[str]:
    """Yields the arguments of a function, or the fields of a dataclass, that are tuples of any length."""
    for name, kind in get_type_hints(work).items():
        if dataclasses.is_dataclass(kind):
            yield from list_options(kind)  # type: ignore[arg-type]  # a class
        elif any(... in get_args(one) for one in (kind, *get_args(kind))):
            yield name


def gathered(words: Iterable[str], lists: Collection[str]) -> list[str]:
    """Returns words in which each option occurs once, with all its values.

    Args:
        words: The words of a command line.
        lists: The options that take any number of values, with underscores.

    Raises:
        UsageError: another option occurs twice.

    >>> gathered(["solve", "--param", "rounds=3", "--json", "--param", "blocks=2"], ["param"])
    ['solve', '--param', 'rounds=3', 'blocks=2', '--json']
    """
    first: list[str] = []
    values, options = first, {"": first}
    for word in words:
        if not word.startswith("--"):
            values.append(word)
            continue
        option, equals, value = word.partition("=")
        name = option.removeprefix("--").replace("-", "_")
        if name in options and name not in lists:
            _refuse(f"{option} is given twice")
        values = options.setdefault(name, [option if name in lists else word])
        if equals:
            values += [value] if name in lists else []
            values = first  # what follows is no value of the option
    return [word for words in options.values() for word in words]


def _refuse(message: str) -> NoReturn:
    from nashzoo.envs.base.errors import UsageError  # this imports the games, which the help does not need

    raise UsageError(message)
