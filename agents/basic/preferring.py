"""The player with an order of choice, in any game: what it prefers of what it may do."""

import numpy as np

from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Mask


class PreferringAgent(PolicyAgent):
    """Plays the first legal action of an order; where none is of it, the first that is legal.

    Args:
        actions: The order, ``;`` between: how names of actions begin, as the game has them in the state for people.
    """

    def __init__(self, game: Game, seed: int | None = None, *, actions: str = "") -> None:
        super().__init__(game, seed)
        self.order = [name.strip().lower() for name in actions.split(";")]

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns 1 for the action that it plays, 0 for the others ``[B, actions]``."""
        codes, _ = self.states_of(observations)
        shares = np.zeros(action_masks.shape)
        for row, code in enumerate(codes.tolist()):
            legal = np.flatnonzero(action_masks[row]).tolist()
            shares[row, min(legal, key=lambda action: self._place(code, action))] = 1.0
        return shares

    def _place(self, code: int, action: int) -> int:
        name = self.game.action_label(code, action).lower()
        return next((k for k, begins in enumerate(self.order) if name.startswith(begins)), len(self.order))
