"""Searches for settings of PPO, game by game: against itself, and against the population of scripted players.

python -m studies.ppo_defaults            # resumes; a run takes a minute or more
python -m studies.ppo_defaults --only soccer --seeds 3
python -m studies.ppo_defaults --timesteps 0   # prints the table of what is there

The best settings are in ``app/training/ppo_config.py``.
"""

import dataclasses
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
import tyro
from rich.progress import Progress

from nashzoo import agents
from nashzoo.agents import Agent
from nashzoo.agents.basic.deterministic import DeterministicAgent
from nashzoo.agents.learning.past_policies import KINDS, SELF
from nashzoo.app.commands.parsing import game_of
from nashzoo.app.training import train
from nashzoo.app.training.options import Options
from nashzoo.app.training.ppo_config import POPULATION, PPOConfig, config_of
from nashzoo.arena.match import play_seats
from nashzoo.baselines.measures import exploitability_or_none, tabulated, value_or_none
from nashzoo.envs import Game
from studies.tables import markdown, write_page

RESULTS = Path(__file__).with_name("ppo_defaults.json")
GAMES_PLAYED = 2_000  # against each player without an exact value
BOTH = (0, 1)


@dataclasses.dataclass(frozen=True)
class Problem:
    """A learning problem.

    Attributes:
        title: Its title in the table.
        game: The game's name.
        param: Its parameters.
        opponent: The training opponent of PPO.
        tried: The settings to try: changes of the tuned ones.
    """

    title: str
    game: str
    opponent: str
    param: tuple[str, ...] = ()
    tried: tuple[dict[str, Any], ...] = ({},)

    def options(self, seed: int, **more: Any) -> Options:
        """Returns the options of a run."""
        held_out: tuple[str, ...] | None = () if self.opponent == POPULATION else None
        return Options(self.game, param=self.param, opponent=self.opponent, held_out=held_out, seed=seed, **more)

    def settings(self, change: dict[str, Any]) -> PPOConfig:
        """Returns the tuned settings with a change."""
        options = self.options(0)
        tuned = config_of(self.game, self.opponent, options.entry, options.both_seats)
        return dataclasses.replace(tuned, **change)


PROBLEMS = (
    Problem("Footsies", "footsies_v0", SELF, (), (
        {}, {"clip_range": 0.05}, {"ent_coef": 0.1}, {"learning_rate": 2e-3}, {"observation": "one_hot"},
        {"magnet": "copy"}, {"magnet": "average"}, {"starts": "reachable"},
    )),
    Problem("Bodega Brawl, small", "bodega_brawl_v0", SELF, ("preset=small",), (
        {}, {"ent_coef": 0.1}, {"ent_coef": 0.1, "learning_rate": 2.5e-4, "clip_range": 0.05}, {"ent_coef": 0.35},
        {"learning_rate": 2e-3}, {"observation": "compact"}, {"magnet": "copy"}, {"magnet": "average"},
        {"starts": "game"},
    )),
    Problem("tic-tac-toe", "tictactoe_v0", SELF, (), (
        {}, {"ent_coef": 0.05}, {"ent_coef": 0.05, "width": 128}, {"ent_coef": 0.2, "starts": "game"},
        {"magnet": "average"},
    )),
    Problem("Footsies", "footsies_v0", POPULATION),
    Problem("Bodega Brawl, small", "bodega_brawl_v0", POPULATION, ("preset=small",)),
    Problem("tic-tac-toe", "tictactoe_v0", POPULATION),
    Problem("soccer", "soccer_v0", POPULATION, (), ({}, {"starts": "game"})),
    Problem("Roshambo", "roshambo_v0", POPULATION, ("rounds=100",), (
        {}, {"ent_coef": 0.1}, {"observation": "compact"},
    )),
)  # fmt: skip


@dataclasses.dataclass
class Search:
    """Search for settings of PPO."""

    only: str = ""
    """A part of the problem's title; all problems when left out."""
    opponent: str = ""
    """self or population; both when left out."""
    seeds: int = 1
    """Number of seeds for the tuned settings; changed ones are tried with one."""
    timesteps: int | None = None
    """Decisions of each run; the tuned number when left out, and 0 for no runs."""


def trained(problem: Problem, settings: PPOConfig, seed: int) -> dict[str, Any]:
    """Trains once, and returns the measurements."""

    class Trial(Options):
        def settings(self) -> PPOConfig:
            return settings

    game = game_of(problem.game, problem.param)
    options = problem.options(seed)
    fields = {field.name: getattr(options, field.name) for field in dataclasses.fields(Options)}
    with tempfile.TemporaryDirectory() as folder:
        fields |= {"run_dir": Path(folder), "measure_every": max(1, settings.timesteps // 4)}
        fields |= {"checkpoint_every": settings.timesteps}
        if options.opponent_name() in KINDS:
            fields |= {"generation": max(1, settings.timesteps // 20)}
        torch.set_num_threads(1)
        begun = time.process_time()
        learned = train.learn(Trial(**fields), Progress(disable=True))
        cpu = time.process_time() - begun
    result: dict[str, Any] = {"timesteps": learned.timesteps, "seconds": learned.seconds, "cpu": cpu}
    result["rate"] = learned.timesteps / cpu  # per processor second, with the time of measuring
    policy = tabulated(game, learned.policy)
    result["exploitability"] = exploitability_or_none(game, policy)
    if learned.evaluator.self_play is not None:
        result["mixed"] = learned.evaluator.self_play.exploitability
    else:
        met, _ = options.population(game)
        result["values"] = {}
        for name in met:
            rival = agents.make(name, game)
            result["values"][name] = won(game, learned.policy, rival, seed)
        if game.turn_based:
            likeliest = DeterministicAgent(learned.policy)
            result["deterministic"] = {name: won(game, likeliest, agents.make(name, game), seed) for name in met}
    return result


def won(game: Game, player: Agent, rival: Agent, seed: int) -> float:
    """Returns the points per game of a player against a rival, on average over both seats: exact, or else sampled."""
    exact = value_or_none(game, tabulated(game, player), tabulated(game, rival), BOTH)
    return play_seats(game, player, rival, GAMES_PLAYED, seed, BOTH).mean if exact is None else exact


def key_of(problem: Problem, change: dict[str, Any], timesteps: int, seed: int) -> str:
    """Returns the key of a result."""
    changed = ",".join(f"{name}={value}" for name, value in sorted(change.items()))
    return f"{problem.title} {problem.opponent} [{changed}] {timesteps} {seed}"


def rows(results: dict[str, Any]) -> Iterator[Sequence[str]]:
    """Yields the rows of the table, one for each result."""
    yield (
        "settings, decisions, seed", "seconds", "decisions/s", "exploitability of the last, of the mixed", "won from",
        "won by the most likely actions",
    )  # fmt: skip
    for key, result in sorted(results.items()):
        pair = [f"{result[name]:.3f}" for name in ("exploitability", "mixed") if result.get(name) is not None]
        values = (
            ", ".join(f"{name} {value:+.3f}" for name, value in result.get(kind, {}).items())
            for kind in ("values", "deterministic")
        )
        yield key, f"{result['cpu']:.0f}", f"{result['rate']:,.0f}", ", ".join(pair), *values


def main(search: Search) -> None:
    """Does the missing runs, and prints the table."""
    results: dict[str, Any] = json.loads(RESULTS.read_text())
    for problem in PROBLEMS:
        if search.only not in problem.title or search.opponent not in problem.opponent or search.timesteps == 0:
            continue
        for change in problem.tried:
            settings = problem.settings(change)
            if search.timesteps is not None:
                settings = dataclasses.replace(settings, timesteps=search.timesteps)
            for seed in range(1 if change else search.seeds):
                key = key_of(problem, change, settings.timesteps, seed)
                if key in results:
                    continue
                result = trained(problem, settings, seed)
                results = json.loads(RESULTS.read_text())  # another process may have written
                results[key] = result | {"settings": dataclasses.asdict(settings)}
                write_page(RESULTS, json.dumps(results, indent=1) + "\n")
                print(markdown(rows({key: results[key]})).splitlines()[-1], flush=True)
    print(markdown(rows(results)))


if __name__ == "__main__":
    main(tyro.cli(Search))
