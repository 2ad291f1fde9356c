"""The player with an order of choice, in any game: what it prefers of what it may do."""

import contextlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.code_index import Numbering
from nashzoo.envs.core.game import Features, Floats, Game, Mask
from nashzoo.envs.core.reachable import TooManyStatesError, explore

MOST_SEARCHED, KEPT = 20_000, 8  # states in which the names of actions are looked up; games whose names are kept


class PreferringAgent(PolicyAgent):
    """Plays the first legal action of an order; where none is of it, the first that is legal.

    Args:
        actions: The order, ``;`` between: how names of actions begin, as the game has them in the state for people.

    Raises:
        UsageError: no action has such a name.
    """

    def __init__(self, game: Game, seed: int | None = None, *, actions: str = "") -> None:
        super().__init__(game, seed)
        self.order = [name.strip().lower() for name in actions.split(";")]
        if not all(_fits(name, game.labels) for name in self.order):
            known = _labels(game)
            for name in self.order:
                if not _fits(name, known):
                    raise UsageError(f"no action of {game.name} begins with {name!r}; they are {', '.join(known)}")

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


def _fits(begins: str, names: Sequence[str]) -> bool:
    return begins != "" and any(name.lower().startswith(begins) for name in names)


@lru_cache(KEPT)
def _labels(game: Game) -> list[str]:
    """Returns the names that actions have in the states that play leads to first."""
    numbering = Numbering()
    numbering.number(game.start_codes)
    with contextlib.suppress(TooManyStatesError):
        for _ in explore(game, numbering, most_states=MOST_SEARCHED):
            pass
    codes = numbering.codes[:MOST_SEARCHED].tolist()
    pairs = [(code, player) for code in codes for player in game.movers(code)]
    return sorted({game.action_label(code, a) for code, player in pairs for a in game.legal_actions(code, player)})
