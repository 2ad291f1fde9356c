"""The entrants of the table of results, by game: learners, searches, scripted players, and the exact solution."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nashzoo import agents
from nashzoo.agents.learning.past_policies import PSRO, SELF
from nashzoo.agents.registry import self_play_learner, self_play_learners
from nashzoo.app.command_line.parsing import game_of
from nashzoo.app.training.options import POPULATION
from nashzoo.arena.population import members_of
from nashzoo.baselines.states.indexed import numbering
from nashzoo.envs import Game

PSRO_LEARNER = "PPO, PSRO"
PSRO_STATES = 20_000  # in larger games each equilibrium among past policies takes too long


@dataclasses.dataclass(frozen=True)
class Setting:
    """A game with its parameters and its entrants.

    Attributes:
        title: Its title in the table.
        game: Its name.
        param: Its parameters, as on the command line.
        learning: Options of ``train.py`` for models of Stable-Baselines3.
        simulations: Budgets of Monte Carlo tree search.
        depths: Depths of alpha-beta search.
        learners: The learners that play both seats themselves; all of them when left out.
        longer: Those of them that are also in the table with :data:`LONGER` times the budget, since they still improve.
        stake: The largest possible gain in points; figures are divided by it.
    """

    title: str
    game: str
    param: tuple[str, ...] = ()
    learning: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    simulations: tuple[int, ...] = (100, 1_000, 10_000)
    depths: tuple[int, ...] = ()
    learners: tuple[str, ...] = ()
    longer: tuple[str, ...] = ()
    stake: float = 1.0

    @property
    def name(self) -> str:
        """Its name on the command line: the game, and the parameters if it has any."""
        return ":".join([self.game, *([",".join(self.param)] if self.param else [])])

    def make(self) -> Game:
        """Returns the game."""
        return game_of(self.game, self.param)


SETTINGS = (
    Setting("Footsies", "footsies_v0"),
    Setting("Roshambo", "roshambo_v0", ("rounds=100",), {"gamma": 0.9}, (100, 1_000), stake=100.0),
    Setting("Bodega Brawl, small", "bodega_brawl_v0", ("preset=small",)),
    Setting(
        "Bodega Brawl, large",
        "bodega_brawl_v0",
        ("preset=large",),
        simulations=(),
        learners=("deep_minimax", "distilled"),
        longer=("deep_minimax",),
    ),
    Setting("tic-tac-toe", "tictactoe_v0", depths=(2, 4, 6)),
    Setting(
        "soccer, 11 x 5",
        "soccer_v0",
        ("width=11", "height=5", "goal_height=3"),
        simulations=(10, 100),
        depths=(2, 4, 8),
    ),
    Setting("soccer", "soccer_v0", simulations=(10, 100), depths=(2, 4, 8), longer=("deep_minimax",)),
)
LONGER = 10
NAMED = "named"  # kind of a player that the user named


@dataclasses.dataclass(frozen=True)
class Entrant:
    """One way to play a game.

    Attributes:
        name: Its name in the table.
        kind: ``"learned"``, ``"searched"``, ``"scripted"``, ``"named"`` or ``"exact"``.
        player: The name of an agent; if ``kind`` is ``"learned"``, of a learner, see :func:`nashzoo.agents.learners`;
            None for those that are trained by ``train.py``.
        options: Options of the player, or of ``train.py``.
        seeded: Whether its figures depend on the seed.
        given: The information about the game that it uses.
        times: Its budget as a multiple of the learners' budget.
    """

    name: str
    kind: str
    player: str | None
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    seeded: bool = True
    given: str = "transitions"
    times: int = 1


def entrants(setting: Setting, named: Iterable[str] = ()) -> tuple[Entrant, ...]:
    """Returns the entrants of a game: learners, searches by budget, scripted players, the exact solution.

    And those that are ``named``, with options or as files.
    """
    game = setting.make()
    learners = agents.learners(game)
    scripted = [name for name in members_of(game, "scripted") if name not in learners]
    return (
        *_models(setting, game),
        *(Entrant(_title(name), "learned", name) for name in learners),
        *_self_play_learners(setting),
        *(
            Entrant(f"MCTS, {number:,} simulations", "searched", "mcts", {"simulations": number}, given="a simulator")
            for number in setting.simulations
        ),
        *(
            Entrant(f"alpha-beta, depth {depth}", "searched", "alphabeta", {"depth": depth}, False, "a simulator")
            for depth in setting.depths
        ),
        *(Entrant(name, "scripted", name, seeded=False, given="by hand") for name in scripted),
        *(Entrant(name, NAMED, name, seeded=False, given="unknown") for name in named),
        Entrant("exact solution", "exact", "nash", seeded=False, given="the rules"),
    )


def _models(setting: Setting, game: Game) -> list[Entrant]:
    """Returns models of Stable-Baselines3, trained against the scripted players and in self-play."""
    maskable = "maskable_" if game.masked else ""
    trained: dict[str, dict[str, Any]] = {
        name.upper(): {"algorithm": maskable + name, "opponent": POPULATION, "held_out": ()}
        for name in ("ppo", "a2c", "dqn")
    }
    trained["PPO, self-play"] = {"algorithm": f"{maskable}ppo", "opponent": SELF}
    if len(numbering(game)) <= PSRO_STATES:
        trained[PSRO_LEARNER] = {"algorithm": f"{maskable}ppo", "opponent": PSRO, "ent_coef": 0.1}
    return [Entrant(name, "learned", None, {**setting.learning, **options}) for name, options in trained.items()]


def _self_play_learners(setting: Setting) -> Iterator[Entrant]:
    for name in setting.learners or self_play_learners():
        kind = self_play_learner(name)
        for times in (1, LONGER) if name in setting.longer else (1,):
            title = name if times == 1 else f"{name}, {times} times the budget"
            yield Entrant(title, "learned", None, {"algorithm": name}, given=kind.GIVEN, times=times)


def _title(name: str) -> str:
    return name.upper() if name == "menace" else name
