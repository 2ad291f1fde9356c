"""Counterfactual regret minimization as players: planning with the rules, to compare learners with.

Every iteration passes over all information states of both players; the policy is the average strategy. The rules of
updating are those of :mod:`nashzoo.baselines.information.regret_minimization`, each under its name. All play is
explored at first, so these are no learners.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.self_play_learner import Arrays, SelfPlayLearner
from nashzoo.baselines.information import regret_minimization as rules
from nashzoo.baselines.information.measures import sequence_form_of
from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.envs.core.game import Features, Floats, Mask


class CFR(SelfPlayLearner):
    """Counterfactual regret minimization; it forgets nothing.

    Raises:
        UsageError: both players see the game's state, or a player has no perfect recall.
        TooManyStatesError: there are too many histories.
    """

    NAME = "cfr"
    GIVEN = "the rules"
    OPEN, HIDDEN = False, True
    UNIT = "iterations"
    TIMESTEPS = 20_000
    FIRST_POINT = 10
    RULE: ClassVar[rules.Rule] = rules.CFR

    def begin(self, seed: int) -> None:
        """Explores the game."""
        self._minimizer = rules.RegretMinimizer(sequence_form_of(self.game), self.RULE)
        self._policy: TabularPolicy | None = None

    def learn(self, timesteps: int) -> None:
        """Runs ``timesteps`` more iterations."""
        self._minimizer.run(timesteps)
        self.num_timesteps += timesteps
        self._policy = None

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the average strategy, the probability of each action ``[B, actions]``."""
        if self._policy is None:
            self._policy = self._minimizer.form.policy(self._minimizer.average())
        return self._policy.action_probabilities(observations, action_masks)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Returns what was learned of every sequence, and the information states."""
        codes = {f"codes{k}": plex.codes for k, plex in enumerate(self._minimizer.form.treeplexes)}
        return codes | self._minimizer.arrays()

    def restore(self, arrays: Arrays) -> None:
        """Copies a file's arrays.

        Raises:
            KeyError: an array is missing.
            ValueError: an array has another shape than it must have, or is of other information states.
        """
        for k, plex in enumerate(self._minimizer.form.treeplexes):
            if not np.array_equal(arrays[f"codes{k}"], plex.codes):
                raise ValueError("its information states are others than those of the game")
        super().restore(arrays)
        self._minimizer.iterations = self.num_timesteps


class CFRPlus(CFR):
    """CFR+ of Tammelin (2014)."""

    NAME = "cfr_plus"
    RULE = rules.CFR_PLUS


class DiscountedCFR(CFR):
    """Discounted CFR of Brown and Sandholm (2019)."""

    NAME = "dcfr"
    RULE = rules.DISCOUNTED


class PredictiveCFRPlus(CFR):
    """Predictive CFR+ of Farina, Kroer and Sandholm (2021)."""

    NAME = "pcfr_plus"
    RULE = rules.PREDICTIVE
