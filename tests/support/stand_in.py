"""A scripted stand-in of a language model, whose policy in plain words and in disguise is known."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from chat_server import ACTIONS, Asked, Behaviour, Says, Speaker
from nashzoo import agents
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Mask
from nashzoo.envs.text.wording import Wording, disguise

FIRST = 0.4  # the probability with which it chooses the first action of the list in any case


class LikesTheFirst(PolicyAgent):
    """Plays the first legal action with the probability ``FIRST``, and else as another player."""

    def __init__(self, game: Game, other: str) -> None:
        super().__init__(game)
        self.other = agents.make(other, game)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        first = np.eye(self.game.num_actions)[action_masks.argmax(axis=1)]
        rows: Floats = FIRST * first + (1 - FIRST) * self.other.action_probabilities(observations, action_masks)
        return rows


class StandIn(NamedTuple):
    """The policies of the stand-in in a game."""

    plain: PolicyAgent  # it knows the equilibrium
    disguised: PolicyAgent  # it knows nothing


def stand_in(game: Game) -> StandIn:
    """Returns the policies of the stand-in."""
    return StandIn(LikesTheFirst(game, "nash"), LikesTheFirst(game, "random"))


def speaking(games: Iterable[Game], seed: int) -> Behaviour:
    """Returns the replies of the stand-in, in the words of several games and in their disguises."""
    speakers = [
        Speaker(game, policy, wording)
        for game in games
        for policy, wording in zip(stand_in(game), (Wording(game), disguise(game, seed)), strict=True)
    ]

    def reply(asked: Asked) -> Says:
        place = asked["messages"][0]["content"].partition(ACTIONS)[0]
        return next(speaker for speaker in speakers if place in speaker.probabilities)(asked)

    return reply
