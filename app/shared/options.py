"""Options that are given several times on a command line."""

import inspect
import re
import shlex
import shutil
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, get_args, get_origin, get_type_hints

import tyro

CONFIG = (tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes)  # options of a group have no prefix


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
    words = list(words)
    if {"-h", "--help"} & {*words}:  # tyro leaves out what stands before it
        words = ["--help"]
        _leave_unsaid(work)
    if odd := [word for word in words if re.search(r"[\0\ud800-\udfff]", word)]:
        _refuse(f"{odd[0]!r} is no text: it has a byte that is none, or NUL; files need other names here")
    others = {other: name for name, kind in _options(work) for other in _other_names(kind)}
    args = gathered(words, list(list_options(work)), others)
    for name, kind in _options(work):
        for option in (name, *(other for other in others if others[other] == name)):
            spelled, parts = f"--{option.replace('_', '-')}", {kind, *_parts(kind)}
            given = [value for word, value in pairwise([*args, "-"]) if word == spelled and not value.startswith("-")]
            given += [word.partition("=")[2] for word in args if word.startswith(f"{spelled}=")]
            if Path in parts and "" in given:
                _refuse(f"{spelled} is the name of a file or folder, and must not be empty")
            if int in parts and (wrong := [word for word in given if not re.fullmatch(r"[+-]?[\d_]+|None", word)]):
                _refuse(f"{spelled} must be a whole number, not {wrong[0]!r}")
            choices = [str(one) for part in parts if get_origin(part) is Literal for one in get_args(part)]
            if choices and (wrong := [word for word in given if word not in (*choices, "None")]):
                _refuse(f"{spelled} must be {' or '.join(choices)}, not {wrong[0]!r}")
    _check_given(work, args, program)
    return tyro.cli(work, prog=program, description=_description(work), args=args, config=CONFIG)


def _check_given(work: Callable[..., Any], args: list[str], program: str) -> None:
    """Checks that the arguments that have no default are given, if no word can be the value of an option."""
    kinds, arguments = dict(_options(work)), inspect.signature(work).parameters.values()
    needed = [one.name for one in arguments if one.kind is one.POSITIONAL_ONLY and one.default is one.empty]
    given = [word for word in args if not word.startswith("-")]
    missing = needed[len(given) :]
    if missing and args != ["--help"]:
        from nashzoo import agents, envs  # the help does without them

        names = [part.metavar for name in missing for part in get_args(kinds[name]) if hasattr(part, "metavar")]
        example, players = (work.__doc__ or "").partition("Example: ")[2].splitlines()[0], names.count("PLAYER")
        if players and args[:1] == given[:1] != [] and envs.registry.large_matrix(given[0]) is None:
            known = agents.names(envs.make_game(given[0]))
            example = f"{program} {shlex.join([*given, *known[1 : 1 + players]])}"
            example += f"; the players of {given[0]} are {', '.join(known)}"
        elif players:
            example += "; nashzoo list GAME shows its players"
        _refuse(f"name {' and '.join(names)}, as in: {example}".replace("PLAYER and PLAYER", "two players"))


def _leave_unsaid(work: Callable[..., Any]) -> None:
    """Takes from the help that a default is None, or empty: the text of an option says what then happens."""
    kinds, unsaid = get_type_hints(work, include_extras=True), tyro.conf.arg(help_behavior_hint="")
    for name, one in inspect.signature(work).parameters.items():
        if (group := _group(kinds[name])) is not None:
            _leave_unsaid(group)
        elif one.default in (None, ()):
            work.__annotations__[name] = Annotated[kinds[name], tyro.conf.DisallowNone, unsaid]


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
    return (name for name, kind in _options(work) if any(... in get_args(one) for one in (kind, *_parts(kind))))


def _options(work: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Yields the arguments of a function, or the fields of a dataclass, with their types and annotations."""
    for name, kind in get_type_hints(work, include_extras=True).items():
        yield from _options(group) if (group := _group(kind)) is not None else [(name, kind)]


def _group(kind: Any) -> type[Any] | None:
    """Returns the dataclass whose fields are options, if a type is one."""
    return next((one for one in (kind, *get_args(kind)) if isinstance(one, type) and is_dataclass(one)), None)


def _parts(kind: Any) -> Iterator[Any]:
    """Yields the types that a type consists of, at any depth."""
    for one in get_args(kind):
        yield from (one, *_parts(one))


def _other_names(kind: Any) -> list[str]:
    """Returns the aliases of an option, with underscores."""
    names = (name for one in get_args(kind) for name in getattr(one, "aliases", None) or ())
    return [name.removeprefix("--").replace("-", "_") for name in names]


def gathered(words: Iterable[str], lists: Collection[str], aliases: Mapping[str, str] | None = None) -> list[str]:
    """Returns words in which each option occurs once, with all its values.

    Args:
        words: The words of a command line.
        lists: The options that take any number of values, with underscores.
        aliases: Options by their other names, with underscores.

    Raises:
        UsageError: another option occurs twice, under one name or under two.

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
        name = (aliases or {}).get(name, name)
        if name in options and name not in lists:
            before = options[name][0].partition("=")[0]
            same = before.replace("_", "-") == option.replace("_", "-")
            _refuse(f"{option} is given twice" if same else f"{before} and {option} are one: give either")
        values = options.setdefault(name, [option if name in lists else word])
        if equals:
            values += [value] if name in lists else []
            values = first  # what follows is no value of the option
    return [word for words in options.values() for word in words]


def _refuse(message: str) -> NoReturn:
    from nashzoo.envs.base.errors import UsageError  # this imports the games, which the help does not need

    raise UsageError(message)
