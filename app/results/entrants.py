"""The entrants of the table of results, by game: learners, searches, scripted players, and the exact solution."""

import dataclasses
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nashzoo import agents
from nashzoo.agents.learning.past_policies import PSRO
from nashzoo.agents.learning.registry import model_of
from nashzoo.agents.registry import self_play_learner, self_play_learners
from nashzoo.app.results.rows import ROWS, ResultsRow
from nashzoo.app.results.table import BUDGET
from nashzoo.app.training.ppo_config import POPULATION
from nashzoo.arena.measure import scripts
from nashzoo.arena.measurement.contestants import contestant
from nashzoo.baselines.measures import can_keep, states_measured
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import digest
from nashzoo.envs.base.progress import say
from nashzoo.envs.registry import rules_of

PSRO_LEARNER = "PPO, PSRO"
PSRO_STATES = 20_000  # in larger games each equilibrium among past policies takes too long
LONGER = 10
NAMED = "named"  # kind of a player that the user named
PARAMETER = r"[A-Za-z_]\w*="  # the beginning of a parameter, such as preset=small


@dataclasses.dataclass(frozen=True)
class Entrant:
    """One way to play a game.

    Attributes:
        name: Its name in the table.
        kind: ``"learned"``, ``"searched"``, ``"scripted"``, ``"named"`` or ``"exact"``.
        player: The name of an agent; if ``kind`` is ``"learned"``, of a learner of one seat, see
            :func:`nashzoo.agents.learners`; None for models and learners of both seats.
        options: Options of the player; or of ``train.py`` for a model; or the name of a learner as ``algorithm``.
        seeded: Whether its figures depend on the seed.
        given: The information about the game that it uses.
        unit: What its budget counts.
        times: Its budget as a multiple of the learners' budget.
        named: Whether the user named it.
    """

    name: str
    kind: str
    player: str | None
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    seeded: bool = True
    given: str = "transitions"
    unit: str = "decisions"
    times: int = 1
    named: bool = False


def rows_of(names: Sequence[str]) -> list[ResultsRow]:
    """Returns the rows of games.

    Args:
        names: Names, modules or files of games, which may have parameters: ``bodega_brawl_v0:preset=small``. A game of
            the table without parameters stands for all its rows there.

    Raises:
        UsageError: there is no such game, or a parameter has no such value.
        UsageTypeError: the game has no such parameter.
    """
    chosen = [row for row in ROWS if {row.game, row.name} & set(names)]
    known = {name for row in ROWS for name in (row.game, row.name)}
    return chosen + [_own(name) for name in dict.fromkeys(names) if name not in known]


def _own(name: str) -> ResultsRow:
    """Returns a row for a game that is not in the table, with default entrants and figures in points."""
    with_parameters = re.fullmatch(rf"(.+):({PARAMETER}.*)", name)
    game, parameters = with_parameters.groups() if with_parameters else (name, "")
    row = ResultsRow(name, game, tuple(re.split(rf",(?={PARAMETER})", parameters)) if parameters else ())
    made = row.make()
    players = agents.names(made)
    simulations, depths = (100, 1_000) if "mcts" in players else (), (2, 4) if "alphabeta" in players else ()
    learners = tuple(learner for learner in self_play_learners() if _learns(learner, made))
    title = f"{made.name}({parameters})" if parameters else made.name
    file = game if Path(game).is_file() else getattr(rules_of(game), "__file__", None)
    hashed = digest(Path(file)) if file else ""
    return dataclasses.replace(
        row, title=title, simulations=simulations, depths=depths, learners=learners, digest=hashed
    )


def _learns(learner: str, game: Game) -> bool:
    """Returns whether a learner learns a game: one so open, whose states fit its table, with bounded returns."""
    try:
        kind = self_play_learner(learner)
        if kind.learns(game):
            kind(game)
        return kind.learns(game)
    except UsageError as error:
        say(f"{learner} is left out: {error}")
        return False


def entrants(row: ResultsRow, named: Iterable[str] = (), others: Collection[str] = ()) -> tuple[Entrant, ...]:
    """Returns the entrants of a game: learners, searches by budget, scripted players, the exact solution.

    And those that are ``named``, with options or as files, and ``others``, learners by name or class.
    """
    game = row.make()
    learners = agents.learners(game)
    by_hand = [name for name in scripts(game) if name not in learners]
    return (
        *_models(row, game),
        *(Entrant(name.upper() if name == "menace" else name, "learned", name) for name in learners),
        *_self_play_learners(row, game, others),
        *(
            Entrant(f"MCTS, {number:,} simulations", "searched", "mcts", {"simulations": number}, given="a simulator")
            for number in row.simulations
        ),
        *(
            Entrant(f"alpha-beta, depth {depth}", "searched", "alphabeta", {"depth": depth}, False, "a simulator")
            for depth in row.depths
        ),
        *(Entrant(name, "scripted", name, seeded=False, given="by hand") for name in by_hand),
        *(Entrant(name, NAMED, name, seeded=False, given="unknown", named=True) for name in named),
        *[Entrant("exact solution", "exact", "nash", seeded=False, given="the rules")] * can_keep(game),
    )


def _models(row: ResultsRow, game: Game) -> list[Entrant]:
    fitting = {name: model_of(name, game.masked).name for name in ("ppo", "a2c", "dqn")}
    trained: dict[str, dict[str, Any]] = {
        name.upper(): {"algorithm": algorithm, "opponent": POPULATION, "held_out": ()}
        for name, algorithm in fitting.items()
    }
    if states_measured(game) <= PSRO_STATES:
        trained[PSRO_LEARNER] = {"algorithm": fitting["ppo"], "opponent": PSRO, "ent_coef": 0.1}
    return [Entrant(name, "learned", None, {**row.learning, **options}) for name, options in trained.items()]


def _self_play_learners(row: ResultsRow, game: Game, others: Collection[str]) -> Iterator[Entrant]:
    ours = self_play_learners(game) if row.learners is None else row.learners
    for name in dict.fromkeys([*ours, *others]):
        one = contestant(name)
        for times in (1, LONGER) if name in row.longer else (1,):
            title = one.name if times == 1 else f"{one.name}, {times}{BUDGET}"
            options = {"algorithm": name}
            yield Entrant(title, "learned", None, options, True, one.given, one.unit, times, name in others)
