"""MENACE, the learning matchboxes, as a player."""

from typing import Any, Self, cast

import numpy as np

from nashzoo.agents.basic.mixed import MixedAgent
from nashzoo.agents.learning.learner import Learner
from nashzoo.agents.learning.menace.boxes import Boxes, load, settings_of, shelf
from nashzoo.agents.learning.menace.training import Lessons, Side, Training
from nashzoo.agents.loading import as_agent
from nashzoo.baselines.policies.tabular import Policy
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_count
from nashzoo.envs.core.game import Features, Floats, Game, Mask
from nashzoo.envs.core.seeds import derived
from nashzoo.envs.games.tictactoe import rules as tictactoe

SIDES: dict[int | str, Side] = {0: "crosses", 1: "noughts", "random": "both"}


class MenaceAgent(Learner):
    """Draws beads from matchboxes (Michie's Matchbox Educable Noughts And Crosses Engine).

    It is trained when it is made, on both sides in turns and always in the same way, unless it is given boxes. Its
    boxes do not change while it plays as an opponent.

    Args:
        seed: As for every player; its training does not depend on it.
        file: A file of boxes, as ``nashzoo menace train`` writes it; the options below are for one without a file.
        games: Games of training; 0 for the initial beads.
        opponent: Its trainer, see :class:`nashzoo.agents.learning.menace.training.Lessons`.
        probability: Of an optimal move by the human.
        preset: Its settings, ``"classroom"`` or ``"michie"``.
        boxes: The boxes themselves, not copied; they are not trained.

    Raises:
        UsageError: the game is not tic-tac-toe, or an option is out of its range.
        FileNotFoundError: there is no such file.
    """

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        *,
        file: str | None = None,
        games: int = 1000,
        opponent: str = "human",
        probability: float = 0.7,
        preset: str = "classroom",
        boxes: Boxes | None = None,
    ) -> None:
        if game.name != tictactoe.NAME:
            raise UsageError(f"{type(self).__name__} plays {tictactoe.NAME}, not {game.name}")
        if not isinstance(file, str | None):
            raise UsageError(f"file must be the path of a file of boxes, not {file!r}")
        if not isinstance(boxes, Boxes | None):
            raise UsageError(f"boxes must be {Boxes.__module__}.Boxes, not {boxes!r}; a file is given with file=")
        super().__init__(game, seed)
        check_count("games", games, 0)
        self.boxes = boxes or (Boxes(settings_of(preset)) if file is None else load(file))
        self._classes: list[Training] = []  # one for each teacher
        self._teachers = np.random.default_rng(0), np.ones(1)  # to draw the trainer of each game
        if boxes is None and file is None:
            self._classes = [Training(self.boxes, Lessons(opponent, probability, side="both"))]
        self.learn(games)

    @classmethod
    def untaught(cls, game: Game, opponent: Any, player: int | str, seed: int) -> Self:
        """Returns one with the initial beads, see :class:`nashzoo.agents.learning.learner.Learner`."""
        agent = cls(game, seed, games=0)
        trainer = as_agent(opponent, game)
        teachers, chances = (trainer.players, trainer.chances) if isinstance(trainer, MixedAgent) else ((trainer,), [1])
        agent._classes = [
            Training(agent.boxes, Lessons("opponent", side=SIDES[player], seed=derived(seed, k)), cast(Policy, teacher))
            for k, teacher in enumerate(teachers)
        ]
        agent._teachers = np.random.default_rng(seed), np.asarray(chances, np.float64)
        return agent

    def learn(self, games: int) -> int:
        """Plays more games and learns from them; not if it was made with given boxes."""
        if len(self._classes) < 2:
            return sum(training.run(games).decisions for training in self._classes)
        rng, chances = self._teachers
        drawn = np.searchsorted(chances.cumsum(), rng.random(games), side="right").clip(max=len(chances) - 1)
        return sum(self._classes[teacher].run(1).decisions for teacher in drawn)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the chances of drawing a bead of each move ``[B, actions]``.

        Raises:
            KeyError: an observation is of an unreachable state.
        """
        codes, players = self.states_of(observations)
        numbers = shelf().states.ids(codes)
        moves = shelf().movers[numbers] == players
        return np.where(moves[:, None], self.boxes.policy(numbers), action_masks)
