"""Players that learn an equilibrium by playing both seats, without the training loop of a library.

Each is a policy at any time, so that it can be measured, played against and saved during training. Its state is a few
arrays, in a file with the names of game and algorithm, the settings and a checksum.
"""

import dataclasses
import json
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.basic.checks import check_positive, check_probability
from nashzoo.envs.base.array_files import ArrayFile, read_arrays, write_arrays
from nashzoo.envs.base.array_files import Arrays as Arrays
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.checks import check_count, check_flag, check_seen, name_of
from nashzoo.envs.core.game import Game

FORMAT = "nashzoo learner 2"
SUFFIX = ".safetensors"


@dataclasses.dataclass(frozen=True)
class NoSettings:
    """The settings of a learner that has none."""


class SelfPlayLearner(PolicyAgent):
    """A policy that learns by playing both seats.

    It is made from the game, a seed and the fields of ``Settings``; with the same ones the result is the same.
    A subclass has :meth:`begin`, :meth:`learn` or :meth:`iterate`, :meth:`arrays` and ``action_probabilities``;
    :meth:`restore` is its own if the sizes of its arrays change. See
    :class:`nashzoo.agents.learning.tabular.learner.TabularLearner` for tables.
    :class:`nashzoo.arena.contract.LearnerContract` tests it, :func:`nashzoo.agents.register_learner` registers it.

    Args:
        seed: Seed of everything random in training, and of the actions of ``predict``.
        file: A file that :meth:`save` wrote, to resume from; the settings are then those in the file.
        **settings: Fields of ``Settings``.

    Attributes:
        settings: The settings.
        num_timesteps: Joint actions that it has learned from.
        num_games: Games that it has finished.

    Raises:
        UsageTypeError: there is no such setting.
        UsageError: a setting is out of its range; or the file is damaged, or of another game or algorithm.
        FileNotFoundError: there is no such file.
    """

    NAME: ClassVar[str]  # of the algorithm, also in files; the name of the class by default
    GIVEN: ClassVar[str] = "unknown"  # the information about the game that it uses by default
    OPEN: ClassVar[bool] = True  # whether it learns games whose state both players see
    HIDDEN: ClassVar[bool] = False  # whether it learns games with hidden information
    UNIT: ClassVar[str] = "joint actions"  # that num_timesteps counts
    TIMESTEPS: ClassVar[int] = 1_000_000  # joint actions after which it has converged in most games, except large ones
    FIRST_POINT: ClassVar[int] = 1_000  # of them, before the first point of a learning curve
    Settings: ClassVar[type[Any]] = NoSettings  # a frozen dataclass
    COUNTS: ClassVar[tuple[str, ...]] = ()  # its fields that are whole numbers of at least 1
    PROBABILITIES: ClassVar[tuple[str, ...]] = ()  # those from 0 to 1
    POSITIVE: ClassVar[tuple[str, ...]] = ()  # those above 0
    FLAGS: ClassVar[tuple[str, ...]] = ()  # those that are True or False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "NAME" not in vars(cls):
            cls.NAME = cls.__name__

    def __init__(self, game: Game, seed: int | None = None, *, file: str | Path | None = None, **settings: Any) -> None:
        super().__init__(game, seed)
        if not self.HIDDEN:
            check_seen(game, f"{name_of(self)} needs the whole state")
        if not self.learns(game):
            raise UsageError(
                f"{self.NAME} learns games with hidden information, and both players see the state of {game.name}: "
                "learn it with regret_matching"
            )
        self.check_names(settings)
        if file is not None and settings:
            raise UsageTypeError(f"a learner from a file has the file's settings; leave out {', '.join(settings)}")
        arrays: Arrays | None = None
        if file is not None:
            settings, arrays = self._read(Path(file))
        self.settings = self.Settings(**settings)
        self._check_settings()
        self.num_timesteps = 0
        self.num_games = 0
        self.begin(0 if seed is None else seed)
        if arrays is not None:
            try:
                self.num_timesteps, self.num_games = map(int, arrays["progress"])
                self.restore(arrays)
            except (LookupError, TypeError, ValueError) as error:
                raise UsageError(f"{file} is damaged: {error}; a learner wrote other arrays into it") from None

    @classmethod
    def learns(cls, game: Game) -> bool:
        """Returns whether it learns games whose states are seen as those of this one are."""
        return cls.HIDDEN if game.hides else cls.OPEN

    @classmethod
    def setting_names(cls) -> tuple[str, ...]:
        """Returns the names of the fields of ``Settings``."""
        return tuple(field.name for field in dataclasses.fields(cls.Settings))

    @classmethod
    def check_names(cls, settings: Iterable[str]) -> None:
        """Checks the names of settings.

        Raises:
            UsageTypeError: there is no such setting.
        """
        unknown = sorted(set(settings) - set(cls.setting_names()))
        if unknown:
            known = ", ".join(cls.setting_names()) or "none"
            raise UsageTypeError(f"{cls.NAME} has no setting {', '.join(unknown)}; it has {known}")

    def _check_settings(self) -> None:
        checks: tuple[tuple[tuple[str, ...], Callable[[str, Any], object]], ...] = (
            (self.COUNTS, check_count),
            (self.PROBABILITIES, check_probability),
            (self.POSITIVE, check_positive),
            (self.FLAGS, check_flag),
        )
        defaults = self.Settings()
        for names, check in checks:
            for name in names:
                value = getattr(self.settings, name)
                if value is not None or getattr(defaults, name) is not None:
                    check(name, value)

    def learn(self, timesteps: int) -> None:
        """Learns from at least ``timesteps`` more of ``UNIT``, to the end of a game or iteration.

        The division of training into calls does not change the result.
        """
        until = self.num_timesteps + timesteps
        while self.num_timesteps < until:
            self.iterate()

    def iterate(self) -> None:
        """Learns in one iteration, for :meth:`learn`; a learner whose ``learn`` is its own needs none."""
        raise NotImplementedError(f"{name_of(self)} needs a method learn or iterate")

    @property
    def value_bounds(self) -> tuple[float, float] | None:
        """Bounds of the game's value to player 0, points per game, if the learner proves any.

        They are those of the game with the learner's discount factor.
        """
        return None

    @abstractmethod
    def begin(self, seed: int) -> None:
        """Sets the untrained state. The seed is not the same when a file is loaded: what it is needed for is saved.

        Raises:
            UsageError: it cannot learn this game, or a setting is out of its range.
        """

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Returns the state that is needed to play and to resume training: the learner's own arrays, not copies."""

    def restore(self, arrays: Arrays) -> None:
        """Sets the state that :meth:`arrays` returned: copies the arrays of a file into those of the learner.

        Raises:
            KeyError: an array is missing.
            ValueError: an array has another shape than it must have.
        """
        copy_into(self.arrays(), arrays)

    def save(self, path: str | Path) -> None:
        """Writes a file from which an equal learner can be made; if the process is killed, an earlier file stays."""
        metadata = {
            "format": FORMAT,
            "algorithm": self.NAME,
            "game": repr(self.game),
            "settings": json.dumps(dataclasses.asdict(self.settings)),
            "made_by": f"nashzoo {version('nashzoo')}",
        }
        arrays = self.arrays() | {"progress": np.array([self.num_timesteps, self.num_games])}
        write_arrays(path, metadata, arrays)

    def _read(self, path: Path) -> tuple[dict[str, Any], Arrays]:
        """Returns the settings and the arrays of a file."""
        metadata, arrays = _content(path)
        made_for, algorithm = metadata.get("game"), metadata.get("algorithm")
        if algorithm != self.NAME:
            raise UsageError(f"{path} was learned by {algorithm}, not by {self.NAME}")
        if made_for != repr(self.game):
            raise UsageError(f"{path} was learned in {made_for}, not in {self.game!r}")
        try:
            settings = dict(json.loads(metadata["settings"]))
            self.check_names(settings)
        except (LookupError, TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"{path} is damaged: its settings cannot be read ({error})") from None
        return settings, arrays

    @classmethod
    def load(cls, path: str | Path, game: Game, seed: int | None = None) -> Self:
        """Returns the learner of a file, see the class for errors."""
        return cls(game, seed, file=path)


def copy_into(into: Arrays, arrays: Arrays) -> None:
    """Copies the arrays of a file into a learner's, in place.

    Raises:
        KeyError: one is missing.
        ValueError: one has another shape or type.
    """
    for name, array in into.items():
        if arrays[name].shape != array.shape:
            raise ValueError(f"{name} has the shape {arrays[name].shape}, not {array.shape}")
        if arrays[name].dtype != array.dtype:
            raise ValueError(f"{name} has the type {arrays[name].dtype}, not {array.dtype}")
        array[...] = arrays[name]


def algorithm_of(path: str | Path) -> str:
    """Returns the algorithm of a learner's file.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: no learner wrote it, or it is damaged.
    """
    return _opened(Path(path)).metadata.get("algorithm", "")


def _opened(path: Path) -> ArrayFile:
    content = read_arrays(path, "no file of a learner")
    if content.metadata.get("format") != FORMAT:
        raise UsageError(f"{path} is no file of a learner of this version ({FORMAT})")
    return content


def _content(path: Path) -> tuple[Mapping[str, str], Arrays]:
    """Returns the metadata of a learner's file, and copies of its arrays."""
    content = _opened(path)
    if not content.is_whole:
        raise UsageError(f"{path} is damaged: it is not what was written; put a copy back, or train anew")
    for name, array in content.arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise UsageError(f"{path} is damaged: {name} has entries that are not finite")
    return content.metadata, {name: np.array(array) for name, array in content.arrays.items()}
