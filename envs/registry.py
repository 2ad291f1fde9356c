"""The games by name, and their registration with Gymnasium and PettingZoo.

Games of other packages are found by their entry points in the group ``nashzoo.games``: a name such as ``goofspiel_v0``
and the module of its rules. Others are registered with :func:`register`, or given by their module or file.
"""

import re
import warnings
from functools import cache, partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium
import pettingzoo

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import digest
from nashzoo.envs.base.modules import CLASS, class_at, is_path, rules_at
from nashzoo.envs.base.threads import one_at_a_time
from nashzoo.envs.base.words import suggestion
from nashzoo.envs.core.game import Game

if TYPE_CHECKING:
    from nashzoo.envs.api.module import EnvironmentModule
    from nashzoo.envs.imported.large_matrix import LargeMatrix

NAMESPACE = "nashzoo"
ENTRY_POINTS = "nashzoo.games"
OPENSPIEL = "openspiel:"  # prefix of the names of its games
CALLED = re.compile(r"([^()]+)\((.*)\)")  # a name with arguments
MATRICES = (".csv", ".tsv", ".nfg")  # suffixes of files with matrix games
GAME_FILES = (*MATRICES, ".efg", ".gbt", ".game")  # and with others


class Entry(NamedTuple):
    """A game with a registered name."""

    rules: Any  # the rules file, or the name of its module, imported at first use
    identifier: str  # its id for Gymnasium and PettingZoo


_entries: dict[str, Entry] = {}


def register(rules: Any, name: str | None = None, title: str | None = None) -> str:
    """Registers a game by name, for the ``nashzoo`` command, ``make_game``, ``gym.make`` and ``pettingzoo.make``.

    Args:
        rules: The rules file; or the name of its module, which is imported at first use.
        name: The game's name, equal to ``NAME`` of the rules; required only if the module is given by name.
        title: Its name in Gymnasium's and PettingZoo's ids, such as ``"TicTacToe"`` for ``nashzoo/TicTacToe-v0``; by
            default derived from the name.

    Returns:
        The name.

    Raises:
        UsageError: the rules are not complete, the name is missing, or another game has it, or has the id.
    """
    if isinstance(rules, str):
        if name is None:
            raise UsageError(f"a game that is registered by its module, {rules}, needs a name")
    else:
        game = Game(rules)
        if name not in (None, game.name):
            raise UsageError(f"the game is called {game.name} in its rules, and cannot be registered as {name}")
        name = game.name
    known = _entries.get(name)
    if known is not None:
        if known.rules is rules or (isinstance(rules, str) and known.rules == rules):
            return name
        raise UsageError(f"there is a game {name} already; choose another NAME")
    identifier = _identifier(name, title)
    same = [other for other, entry in _entries.items() if entry.identifier == identifier]
    if same:
        raise UsageError(f"{name} would have the id {identifier}, as {same[0]} has; choose another title")
    _entries[name] = Entry(rules, identifier)
    _register_environments(name, identifier)
    return name


def _identifier(name: str, title: str | None = None) -> str:
    """Returns a game's id for Gymnasium and PettingZoo.

    >>> _identifier("goofspiel_v2")
    'nashzoo/Goofspiel-v2'
    """
    base, _, version = name.rpartition("_v")
    if not version.isdigit():
        base, version = name, "0"
    title = title or "".join(word.capitalize() for word in re.split(r"[^A-Za-z0-9]+", base))
    return f"{NAMESPACE}/{title}-v{version}"


def games() -> tuple[str, ...]:
    """Returns the names of all games."""
    return tuple(_entries)


def make_game(name: str | Path, **options: Any) -> Game:
    """Returns a game, with its parameters.

    Args:
        name: The name of a game; the name of the module of its rules; the path, ending in ``.py``, of their file, whose
            code is run; the path, ending in one of ``GAME_FILES``, of a game without code; ``openspiel:`` and the name
            of a game of OpenSpiel; or a class or function that makes an environment, as ``my_package:MyEnv`` or
            ``./my_env.py:MyEnv``, whose code is run, see :func:`nashzoo.envs.from_environment`.
        **options: The game's parameters.

    Raises:
        UsageError: there is no such game, its rules are not complete, or a parameter's value is out of its range.
        UsageTypeError: the game has no such parameter.
    """
    if options and CLASS.fullmatch(str(name)):
        raise _by_function(str(name), ", ".join(f"{option}={value!r}" for option, value in options.items()))
    return Game(rules_of(name), **options)


def _by_function(place: str, arguments: str) -> UsageError:
    """Returns the error of a name with arguments: a game's parameters are apart, and a class gets none."""
    if (match := CLASS.fullmatch(place)) is None:
        return UsageError(f"parameters do not stand in the name of a game, but apart: {place} --param {arguments}")
    return UsageError(
        f"{place} is called without arguments: write a function, def mine(): return {match['name']}({arguments}), and "
        f"name it, as {match['module']}:mine"
    )


def large_matrix(name: str | Path) -> "LargeMatrix | None":
    """Returns the matrix game in a file with too many actions for :func:`make_game`; None for any other game.

    Raises:
        UsageError: as there.
    """
    from nashzoo.envs.imported.large_matrix import LargeMatrixError

    try:
        rules_of(name)
    except LargeMatrixError as error:
        return error.game
    return None


def registered_game(name: str, **options: Any) -> Game:
    """Returns a game that a file names. A file must not have code loaded: the name must be one of :func:`games`.

    Raises:
        UsageError: it is none of them, or a parameter's value is out of its range.
        UsageTypeError: the game has no such parameter.
    """
    if name not in games():
        raise UsageError(
            f"there is no game {name!r} with a registered name, and files cannot have rules loaded; if you trust the "
            "rules, name the game with --game"
        )
    return make_game(name, **options)


def rules_of(name: str | Path) -> Any:
    """Returns the rules file of a game, see :func:`make_game`, and registers it if its name is free.

    Raises:
        UsageError: there is no such game, or its rules are not complete.
    """
    if not isinstance(name, str | Path):
        raise UsageError(f"a game is made by its name or path, not by {name!r}; env.unwrapped.game is that of env")
    name = str(name)
    if name in _entries:
        rules = _entries[name].rules
        if not isinstance(rules, str):
            return rules
        module = rules_at(rules)
        if getattr(module, "NAME", None) != name:
            raise UsageError(f"{rules} is registered as {name}, but its NAME is {getattr(module, 'NAME', 'missing')}")
        return module
    if name.startswith(OPENSPIEL):
        return _imported(name, "")
    if match := CLASS.fullmatch(name):
        place = match["module"]
        return _imported(f"{Path(place).resolve() if is_path(place) else place}:{match['name']}", "")
    if name.endswith(GAME_FILES) and (not name.endswith(".game") or "/" in name or Path(name).is_file()):
        # another file may have the name later, or the file other payoffs; my_package.game is a module
        return _imported(str(Path(name).resolve()), digest(Path(name)))
    if called := CALLED.fullmatch(name):
        raise _by_function(*called.groups())
    if is_path(name) or "." in name:
        module = rules_at(name)
        if not any(hasattr(module, piece) for piece in ("NAME", "ACTIONS", "State", "terminal", "payoff")):
            from nashzoo.envs.imported.environment_kinds import makers_in

            makers = " or ".join(f"{name}:{maker}" for maker in makers_in(module))
            found = f"; what makes an environment in it is named as {makers}" if makers else ", and no environment"
            raise UsageError(f"{name} holds no rules of a game, such as State and step{found}")
        named = Game(module).name
        if named not in _entries and _identifier(named) not in {entry.identifier for entry in _entries.values()}:
            register(module)
        return module
    raise UsageError(
        f"there is no game {name!r}{suggestion(name, _entries)}; the games are {', '.join(_entries)} (nashzoo list), "
        "and one of your own is named by its module, as my_package.goofspiel, or by its file, as ./goofspiel.py"
    )


@one_at_a_time
@cache
def _imported(name: str, content: str) -> Any:
    """Returns the rules of a game without a rules file, the same object each time while its file is the same."""
    if name.startswith(OPENSPIEL):
        from nashzoo.envs.imported.openspiel import openspiel_rules

        return openspiel_rules(name.removeprefix(OPENSPIEL))
    if CLASS.fullmatch(name):
        from nashzoo.envs.imported.environments import from_environment

        return from_environment(class_at(name, functions=True), name=name).rules.written
    from nashzoo.envs.imported.game_files import rules_in

    return rules_in(Path(name))


def environments(name: str) -> "EnvironmentModule":
    """Returns the functions that make environments of a game, as ``footsies_v0`` has them.

    Raises:
        UsageError: there is no such game, or its rules are not complete.
    """
    from nashzoo.envs.api.module import make_module

    return make_module(rules_of(name))


def _environment(name: str, function: str, **options: Any) -> Any:
    return getattr(environments(name), function)(**options)


def _register_environments(name: str, identifier: str) -> None:
    """Registers a game with Gymnasium and with PettingZoo, by the same name, such as ``nashzoo/Footsies-v0``.

    A Gymnasium environment contains its opponent. The package of opponents imports this one, so the entry point
    is a name that Gymnasium looks up when an environment is made.
    """
    gymnasium.registry.pop(identifier, None)  # left by this module, if it is imported a second time
    gymnasium.register(
        identifier,
        entry_point="nashzoo.agents.gym_factory:gymnasium_env",
        vector_entry_point="nashzoo.agents.gym_factory:gymnasium_vector_env",
        kwargs={"game": name},
    )
    if hasattr(pettingzoo, "register"):  # since PettingZoo 1.27
        for env_type, function in (("parallel", "parallel_env"), ("aec", "env")):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Overriding environment")
                pettingzoo.register(env_type, identifier, partial(_environment, name, function))


def register_all() -> None:
    """Registers the games of this package and of other installed packages."""
    for game, title in (
        ("footsies", "Footsies"),
        ("roshambo", "Roshambo"),
        ("bodega_brawl", "BodegaBrawl"),
        ("tictactoe", "TicTacToe"),
        ("soccer", "Soccer"),
    ):
        register(f"nashzoo.envs.games.{game}", f"{game}_v0", title)
    for point in entry_points(group=ENTRY_POINTS):
        try:
            register(point.value, point.name)
        except UsageError as error:
            warnings.warn(f"the game {point.name} of {point.value} is left out: {error}", stacklevel=2)
