"""Tabular learners, one core: joint actions a second, in tic-tac-toe beside OpenSpiel's tabular learners."""

from collections.abc import Iterator
from typing import Any

from open_spiel.python import rl_environment
from open_spiel.python.algorithms import tabular_qlearner, wolf_phc

from benchmarks.report import Row, row_of_rates
from benchmarks.timing import Work, compare, median_rate, rates
from nashzoo import agents
from nashzoo.agents.learning.registry import LEARNERS, TABULAR
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, soccer_v0, tictactoe_v0

OURS = 1_000_000  # joint actions of one measurement
PEER_GAMES = 100
TIMES_PEER = 50
LEAST = {  # joint actions a second
    tictactoe_v0.game(): 1_000_000,
    soccer_v0.game(width=11, height=5): 1_000_000,
    bodega_brawl_v0.game(preset="small"): 500_000,
    footsies_v0.game(): 0,
}


def learning(name: str, game: Game) -> Work:
    """Returns a work that goes on learning."""
    learner: Any = agents.make(name, game, seed=0)

    def work() -> int:
        before = learner.num_timesteps
        learner.learn(OURS)
        return int(learner.num_timesteps - before)

    return work


def openspiel(kind: Any) -> Work:
    """Returns a work that has two of OpenSpiel's learners play tic-tac-toe against each other."""
    env = rl_environment.Environment("tic_tac_toe")
    players = [kind(player_id=player, num_actions=env.action_spec()["num_actions"]) for player in (0, 1)]

    def work() -> int:
        steps = 0
        for _ in range(PEER_GAMES):
            now = env.reset()
            while not now.last():
                action = players[now.observations["current_player"]].step(now).action
                now = env.step([action])
                steps += 1
            for player in players:
                player.step(now)
        return steps

    return work


def run(repetitions: int) -> Iterator[Row]:
    """Measures what each learner learns from in a second."""
    game = tictactoe_v0.game()
    for name, peer, kind in (
        ("minimax_q", "OpenSpiel's tabular_qlearner", tabular_qlearner.QLearner),
        ("wolf_phc", "OpenSpiel's wolf_phc", wolf_phc.WoLFPHC),
    ):
        ours, theirs = rates([learning(name, game), openspiel(kind)], repetitions)
        yield row_of_rates(f"{name} in tic-tac-toe", compare(ours, theirs), "actions/s", peer, TIMES_PEER)
    for name in (entry.name for entry in LEARNERS.values() if str(entry.entry_point).startswith(TABULAR)):
        for other, least in LEAST.items():
            speed = median_rate(learning(name, other), repetitions)
            yield Row(f"{name} in {other.name}", speed, "actions/s", least=least or None)
