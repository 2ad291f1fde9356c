"""Self-play: the learner's past policies, and the opponent made of them.

The learner's policy is saved periodically. Against ``"self"`` the opponent is the current policy, or a past one, drawn
for every game; the average of all past policies is meant to converge, and with an entropy bonus also the last one.
Against ``"psro"`` the opponent is the equilibrium among the likeliest actions of past policies. Average and equilibrium
are computed at each state, and measured exactly.

Sources: Heinrich, Lanctot and Silver (2015), "Fictitious self-play in extensive-form games"; Lanctot et al. (2017),
"A unified game-theoretic approach to multiagent reinforcement learning";
:mod:`nashzoo.baselines.policy_average` describes how mixing at each state differs from both. Sokota et al.
(2023), "A unified approach to reinforcement learning, quantal response equilibria, and two-player zero-sum games";
Rudolph et al. (2025), "Reevaluating policy gradient methods for imperfect-information games".
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nashzoo.agents.basic.mixed import MixedAgent
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.baselines.fictitious import average_of
from nashzoo.baselines.oracles import population_of
from nashzoo.baselines.policy_average import Mix
from nashzoo.baselines.states.listed import TooManyStatesError
from nashzoo.envs.base.files import written_whole
from nashzoo.envs.core.agent import Agent, PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Mask

SELF, PSRO = "self", "psro"
KINDS = {SELF: "the average of past policies", PSRO: "the equilibrium of past policies"}


class PolicyMixture(NamedTuple):
    """The mixture of past policies, and its exploitability in points per game; None if that is unknown."""

    mixed: Agent
    exploitability: float | None


class PastSelves(MixedAgent):
    """Draws one of the past policies for every game; a uniformly random player while there are none.

    Args:
        game: The game.
        seed: As for every player.
    """

    def __init__(self, game: Game, seed: int | None = None) -> None:
        super().__init__(game, [RandomAgent(game)], seed=seed)

    def add(self, player: Agent, keep: int) -> None:
        """Adds a past policy; from then on new games are against one of the latest ``keep``, 0 for all.

        Games that have begun continue against the same policy.
        """
        self.players = (*self.players, player)
        first = max(1, len(self.players) - keep) if keep else 1  # player 0 is the random one
        drawn = np.arange(len(self.players)) >= first
        self.chances = drawn / drawn.sum()


class ReplaceablePolicy(PolicyAgent):
    """A policy that can be replaced; uniformly random at first.

    Attributes:
        policy: The current policy.
    """

    def __init__(self, game: Game, seed: int | None = None) -> None:
        super().__init__(game, seed)
        self.policy: PolicyAgent = RandomAgent(game)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]``."""
        return self.policy.action_probabilities(observations, action_masks)


class SelfPlay:
    """A learner's past policies, saved in a folder, and the opponent made of them.

    Args:
        kind: ``"self"`` or ``"psro"``.
        game: The game.
        folder: Folder of the past policies, each a file whose name is its number of decisions.
        every: Decisions between them.
        keep: Number of the latest of them to draw from against ``"self"``; 0 to play against the current policy.

    Attributes:
        opponent: The learner's opponent.
        mixed: Past policies mixed at each state: with ``"psro"`` the opponent, with ``"self"`` their average. In games
            with too many states the mixture that draws one of them for every game.
        timesteps: Decisions after which each past policy was saved.

    Raises:
        TooManyStatesError: the game has too many states for ``"psro"``.
    """

    opponent: Agent
    mixed: Agent
    _tables: tuple[Floats, Floats]  # of the mixture of past policies, once there are any

    def __init__(self, kind: str, game: Game, folder: Path, every: int, keep: int) -> None:
        self.game = game
        self.folder = folder
        self.every = every
        self.keep = keep
        self.timesteps: list[int] = []
        self._exploitability: float | None = None
        self._mix: Mix | None = None
        self._mixed_policy = ReplaceablePolicy(game)
        self._present = ReplaceablePolicy(game)
        self._past = PastSelves(game)
        if kind == PSRO:
            self._mix = population_of(game)
            self.opponent = self.mixed = self._mixed_policy
            return
        self.opponent = self._past if keep else self._present
        try:
            self._mix = average_of(game)
            self.mixed = self._mixed_policy
        except TooManyStatesError:
            self.mixed = self._past

    @property
    def exploitability(self) -> float | None:
        """Exploitability of ``mixed``, in points per game; None without past policies, and for too many states."""
        if self._exploitability is None and self._mix is not None and self.timesteps:
            self._exploitability = self._mix.best_responses(self._batch).exploitability
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
        from nashzoo.agents.learning import sb3

        self._present.policy = sb3.ModelAgent(model, self.game)
        files = sorted(self.folder.glob("[0-9]*.zip"))
        for path in files:
            if int(path.stem) > model.num_timesteps:
                path.unlink()
        self._join([path for path in files if int(path.stem) <= model.num_timesteps])

    def _join(self, paths: list[Path]) -> None:
        from nashzoo.agents.learning import sb3

        for path in paths:
            past = sb3.load(path, self.game)
            self.timesteps.append(int(path.stem))
            self._past.add(past, self.keep)
            if self._mix is not None and isinstance(past, PolicyAgent):
                self._mix.add(self._mix.tables(past))
        if paths and self._mix is not None:
            self._batch = self._mix.policies()
            self._mixed_policy.policy = self._mix.played(self._batch)
            self._exploitability = None  # computed on demand
