"""Policy-space response oracles with models of Stable-Baselines3: the learner's past policies, its opponent.

The learner's policy is saved periodically. The opponent is the equilibrium among the likeliest actions of past
policies, mixed at each state and measured exactly.

Sources: Lanctot et al. (2017), "A unified game-theoretic approach to multiagent reinforcement learning";
:mod:`nashzoo.baselines.policy_average` describes how mixing at each state differs from it.
"""

from pathlib import Path
from typing import Any, NamedTuple

from nashzoo.agents.basic.adapted import AdaptedAgent
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.baselines.forms import form_of
from nashzoo.envs.base.files import written_whole
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.core.game import Floats, Game

SELF, PSRO = "self", "psro"
KINDS = {SELF: "the average of past policies", PSRO: "the equilibrium of past policies"}


class PolicyMixture(NamedTuple):
    """The mixture of past policies, and its exploitability in points per game; None if that is unknown."""

    mixed: Agent
    exploitability: float | None


class SelfPlay:
    """A learner's past policies, saved in a folder, and their equilibrium, its opponent.

    Args:
        folder: Folder of the past policies, each a file whose name is its number of decisions.
        every: Decisions between them.

    Attributes:
        mixed: The equilibrium of past policies.
        timesteps: Decisions after which each past policy was saved.

    Raises:
        TooManyStatesError: the game has too many states for tables of policies.
    """

    _tables: tuple[Floats, Floats]  # of the equilibrium, once there are past policies

    def __init__(self, game: Game, folder: Path, every: int) -> None:
        self.game = game
        self.folder = folder
        self.every = every
        self.timesteps: list[int] = []
        self.mixed = AdaptedAgent(RandomAgent(game), game)  # uniformly random at first
        self._mix = form_of(game).population()
        self._exploitability: float | None = None

    @property
    def exploitability(self) -> float | None:
        """Exploitability of ``mixed``, in points per game; None without past policies."""
        if self._exploitability is None and self.timesteps:
            self._exploitability = self._mix.best_responses(self._tables).exploitability
        return self._exploitability

    def due(self, timesteps: int) -> bool:
        """Returns whether the learner's policy is due to be saved."""
        return timesteps >= (self.timesteps[-1] if self.timesteps else 0) + self.every

    def add(self, model: Any) -> None:
        """Saves a model's policy, and updates the opponent."""
        path = self.folder / f"{model.num_timesteps:012d}.zip"
        self.folder.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as unfinished:
            model.save(unfinished)
        self._join([path])

    def begin(self, model: Any) -> None:
        """Begins with a model and its past policies; policies that were saved later are deleted."""
        files = sorted(self.folder.glob("[0-9]*.zip"))
        for path in files:
            if int(path.stem) > model.num_timesteps:
                path.unlink()
        self._join([path for path in files if int(path.stem) <= model.num_timesteps])

    def _join(self, paths: list[Path]) -> None:
        from nashzoo.agents.learning import sb3

        for path in paths:
            self.timesteps.append(int(path.stem))
            self._mix.add(self._mix.tables(sb3.load(path, self.game)))
        if paths:
            self._tables = self._mix.policies()
            self.mixed.policy = self._mix.played(self._tables)
            self._exploitability = None  # computed on demand
