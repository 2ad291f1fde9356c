"""A script of somebody who has installed the wheel: ``make wheel`` checks its types, strictly, and runs it."""

from typing import Any

import gymnasium
import numpy as np

from nashzoo import agents
from nashzoo.agents.gym_factory import gymnasium_env
from nashzoo.arena.match import MatchResult, play_match
from nashzoo.baselines import best_response, evaluate, exploitability, nash_conv, solve
from nashzoo.envs import Game, footsies_v0, games, make_game, matrix_game, soccer_v0, tictactoe_v0
from nashzoo.envs.vector.game_batch import GameBatch

EXACT = 1e-9

names: tuple[str, ...] = games()
assert "footsies_v0" in names

env = footsies_v0.parallel_env(rounds=3, render_mode="ansi")
observations, infos = env.reset(seed=1)
total = 0.0
while env.agents:
    actions = {agent: int(env.action_space(agent).sample(infos[agent]["action_mask"])) for agent in env.agents}
    observations, rewards, terminations, truncations, infos = env.step(actions)
    total += sum(rewards.values())
assert total == 0

turns = tictactoe_v0.env()
turns.reset(seed=1)
for agent in turns.agent_iter():
    observation, reward, terminated, truncated, info = turns.last()
    turns.step(None if terminated or truncated else int(turns.action_space(agent).sample(info["action_mask"])))

game: Game = footsies_v0.game()
solution = solve(game)
value: float = solution.start_value
certificate: float = solution.certificate
assert abs(value) < EXACT and certificate < EXACT

counter = agents.make("counter", game)
lost: float = exploitability(game, counter)
won: float = best_response(game, counter, player=0).value
both: float = nash_conv(game, counter)
points: float = evaluate(game, counter, agents.make("nash", game))
assert abs(lost - 0.5) < EXACT and abs(won - 0.5) < EXACT and abs(both - 2 * lost) < EXACT and points < EXACT
action, state = counter.predict(game.observe(int(game.start_codes[0]), 0))
result: MatchResult = play_match(game, counter, agents.make("random", game), games=4, seed=1)

pennies: Game = matrix_game([[1.0, -1.0], [-1.0, 1.0]])
assert abs(solve(pennies).start_value) < EXACT
assert make_game("soccer_v0", width=13).name == soccer_v0.game(width=13).name

single: gymnasium.Env[Any, Any] = gymnasium_env(game, "counter")
single.reset(seed=1)

batch = GameBatch(game, 16, counter)
batch.seed(1)
batch.restart(np.arange(16))
first_legal = batch.masks().argmax(axis=1)
outcome = batch.step(first_legal)
assert batch.observations().shape[0] == 16
