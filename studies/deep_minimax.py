"""Deep minimax and distilled networks: prints the rows of the table of ``docs/deep_minimax.md``.

python -m studies.deep_minimax
python -m studies.deep_minimax --only tic-tac-toe --seeds 0 --distil
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import tyro

from nashzoo.agents.learning.deep.deep_minimax import DeepMinimax
from nashzoo.agents.learning.deep.distilled import Distilled
from nashzoo.agents.learning.self_play_learner import SelfPlayLearner
from nashzoo.baselines import exploitability
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, make_game, soccer_v0, tictactoe_v0

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "games"  # these three have chance


class Lesson(NamedTuple):
    """A game, and the settings of learning."""

    game: Game
    settings: dict[str, Any]
    depths: tuple[int, ...] = (1,)
    student: dict[str, Any] | None = None  # settings of the distilled network; its teacher has ``settings``


LESSONS = {
    "Footsies": Lesson(footsies_v0.game(), {"total_timesteps": 60_000}, student={"total_timesteps": 1_060_000}),
    "tic-tac-toe": Lesson(tictactoe_v0.game(), {"total_timesteps": 1_200_000}, student={"total_timesteps": 2_400_000}),
    "Bodega Brawl, small": Lesson(
        bodega_brawl_v0.game(preset="small"),
        {"total_timesteps": 1_000_000},
        student={"total_timesteps": 5_000_000},
    ),
    "Bodega Brawl, medium": Lesson(bodega_brawl_v0.game(preset="medium"), {"total_timesteps": 12_000_000}),
    "soccer, 11 x 5": Lesson(
        soccer_v0.game(width=11, height=5, goal_height=3),
        {"total_timesteps": 1_000_000},
        depths=(1, 3),
    ),
    "soccer": Lesson(
        soccer_v0.game(),
        {"total_timesteps": 10_000_000},
        depths=(1, 3),
        student={"total_timesteps": 16_000_000},
    ),
    "pursuit": Lesson(
        make_game(str(EXAMPLES / "pursuit.py")), {"total_timesteps": 400_000}, student={"total_timesteps": 1_200_000}
    ),
    "Littman's soccer": Lesson(make_game(str(EXAMPLES / "littman_soccer.py")), {"total_timesteps": 1_000_000}),
    "Pig, to 50": Lesson(make_game(str(EXAMPLES / "pig.py"), target=50), {"total_timesteps": 4_000_000, "gamma": 1.0}),
}


@dataclass
class Options:
    """Print the rows of the table on deep minimax."""

    only: tuple[str, ...] = tuple(LESSONS)
    """The games."""
    seeds: tuple[int, ...] = (0, 1, 2)
    """Seeds."""
    distil: bool = False
    """Whether to measure distilled networks, in the games that have settings for them, in place of deep minimax."""


def learned(learner: SelfPlayLearner) -> float:
    """Trains a learner for the timesteps of its settings; returns the processor seconds."""
    begun = time.process_time()
    learner.learn(learner.settings.total_timesteps)
    return time.process_time() - begun


def main(options: Options) -> None:
    """Prints a row for each game and seed."""
    for name in options.only:
        game, settings, depths, student = LESSONS[name]
        for seed in options.seeds:
            if options.distil and student is None:
                continue
            learner: SelfPlayLearner
            if options.distil:
                assert student is not None
                learner, looked = Distilled(game, seed, teacher=settings, **student), (1,)
            else:
                learner, looked = DeepMinimax(game, seed, **settings), depths
            seconds = learned(learner)
            figures = []
            for depth in looked:
                if isinstance(learner, DeepMinimax):
                    learner.depth = depth
                figures.append(f"{abs(exploitability(game, learner)):.5f}")
            row = name, learner.NAME, seed, f"{learner.num_timesteps:,}", f"{seconds:.0f}", *figures
            print("|", " | ".join(map(str, row)), "|", flush=True)


if __name__ == "__main__":
    main(tyro.cli(Options))
