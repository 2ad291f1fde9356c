"""Who is in the table of results, game by game: learners, searches, scripted players, and the exact solution."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from nashzoo import agents
from nashzoo.agents.learning.past_policies import PSRO, SELF
from nashzoo.app.command_line.parsing import game_of
from nashzoo.app.training.evaluator import QUICK
from nashzoo.app.training.options import POPULATION
from nashzoo.arena.population import members_of
from nashzoo.baselines.states.indexed import numbering
from nashzoo.envs import Game

PSRO_LEARNER = "PPO, PSRO"


@dataclasses.dataclass(frozen=True)
class Setting:
    """A game as it is played for the table.

    Attributes:
        title: What it is called there.
        game: Its name.
        param: Its parameters, as on the command line.
        learning: Options of ``train.py`` that everyone who learns it has.
        simulations: Budgets of Monte Carlo tree search.
        depths: Of alpha-beta search, in games in which players move in turn.
        stake: The most that can be won in it, in points: figures are divided by it.
    """

    title: str
    game: str
    param: tuple[str, ...] = ()
    learning: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    simulations: tuple[int, ...] = (100, 1_000, 10_000)
    depths: tuple[int, ...] = ()
    stake: float = 1.0

    def make(self) -> Game:
        """Returns the game."""
        return game_of(self.game, self.param)


SETTINGS = (
    Setting("Footsies", "footsies_v0"),
    Setting("Roshambo", "roshambo_v0", ("rounds=100",), {"gamma": 0.9}, (100, 1_000), stake=100.0),
    Setting("Bodega Brawl, small", "bodega_brawl_v0", ("preset=small",)),
    Setting("tic-tac-toe", "tictactoe_v0", depths=(2, 4, 6)),
    Setting("soccer", "soccer_v0", simulations=(10, 100), depths=(2, 4, 8)),
)


@dataclasses.dataclass(frozen=True)
class Entrant:
    """One way to play a game.

    Attributes:
        name: What it is called in the table.
        kind: ``"learned"``, ``"searched"``, ``"scripted"`` or ``"exact"``.
        player: The name of a player, whose games are not learned from; or of one who learns, see
            :func:`nashzoo.agents.learners`; None for who is trained by ``train.py``.
        options: Options of the player, or of ``train.py``.
        seeded: Whether it comes out differently with other seeds.
    """

    name: str
    kind: str
    player: str | None
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    seeded: bool = True


def entrants(setting: Setting) -> tuple[Entrant, ...]:
    """Returns who is in the table of a game."""
    game = setting.make()
    maskable = "maskable_" if game.masked else ""
    trained: dict[str, dict[str, Any]] = {
        name.upper(): {"algorithm": maskable + name, "opponent": POPULATION, "held_out": ()}
        for name in ("ppo", "a2c", "dqn")
    }
    trained["PPO, self-play"] = {"algorithm": f"{maskable}ppo", "opponent": SELF}
    if len(numbering(game)) <= QUICK:  # else each game among its past selves would take a minute to solve
        trained[PSRO_LEARNER] = {"algorithm": f"{maskable}ppo", "opponent": PSRO, "ent_coef": 0.1}
    return (
        *(Entrant(name, "learned", None, {**setting.learning, **options}) for name, options in trained.items()),
        *(Entrant(_title(name), "learned", name) for name in agents.learners(game)),
        *(
            Entrant(f"MCTS, {number:,} simulations", "searched", "mcts", {"simulations": number})
            for number in setting.simulations
        ),
        *(
            Entrant(f"alpha-beta, depth {depth}", "searched", "alphabeta", {"depth": depth}, seeded=False)
            for depth in setting.depths
        ),
        *(
            Entrant(name, "scripted", name, seeded=False)
            for name in members_of(game, "scripted")
            if name not in agents.learners(game)
        ),
        Entrant("exact solution", "exact", "nash", seeded=False),
    )


def _title(name: str) -> str:
    return name.upper() if name == "menace" else name
