"""What every environment of a game with chance promises: the contract, where rules alone say what follows once more."""

from typing import Any

import numpy as np
import pytest

from contract import LONG, SEEDS, EnvironmentContract
from nashzoo.envs.api.gymnasium_env import GameEnv
from nashzoo.envs.api.pettingzoo_base import AGENTS
from nashzoo.envs.core.game import Game
from opponents import Uniform
from traces import choices, choose, ways_by_chance


class ChanceContract(EnvironmentContract):
    """The tests; of those that follow play by the rules, versions that know that several states may follow."""

    @pytest.mark.parametrize("mode", ["lose"])
    def test_whatever_is_played(self, game: Game, options: dict[str, Any], mode: str) -> None:  # type: ignore[override]
        """Legal actions alone lead to what may follow by the rules."""
        env = self.public.parallel_env(**options, max_cycles=LONG)
        seen = sum(len(ways_by_chance(game, start)) > 1 for start in game.start_codes.tolist())
        for seed in range(20):
            rng = choices(seed)
            _, infos = env.reset(seed=seed)
            while env.agents:
                code, actions = env.code, [choose(rng, infos[agent]["action_mask"]) for agent in AGENTS]
                _, rewards, over, _, infos = env.step(dict(zip(AGENTS, actions, strict=True)))
                middle = game.step(code, *actions)
                ways = {(after, paid + game.payoff(middle)) for after, paid in ways_by_chance(game, middle)}
                assert (env.code, rewards[AGENTS[0]]) in ways, f"Play led from {game.spell(code)} elsewhere."
                assert over[AGENTS[0]] == game.terminal(env.code), "The game ends otherwise than the rules say."
                seen += len(ways) > 1
        assert seen, "Chance never had a choice."

    @pytest.mark.parametrize("player", [0, 1])
    def test_gymnasium_plays_by_the_rules(self, game: Game, player: int) -> None:
        """The learner is asked where it has a choice, sees that state, and has its mask."""
        env = GameEnv(game, Uniform(), player=player, max_cycles=LONG)
        for seed in SEEDS:
            rng = choices(seed)
            seen, info = env.reset(seed=seed)
            while True:
                code = int(env.batch.codes[0])
                over = game.terminal(code)
                assert over or game.turn(code) in (player, 2), "The learner is asked out of turn."
                assert (seen == game.observe(code, player)).all(), "The learner sees another state."
                legal = () if over else game.legal_actions(code, player)
                assert tuple(np.flatnonzero(info["action_mask"])) == legal, "The learner's mask is wrong."
                if over:
                    break
                seen, reward, over, late, info = env.step(choose(rng, info["action_mask"]))
                assert over == game.terminal(int(env.batch.codes[0]))
                assert reward == (game.payoff(int(env.batch.codes[0])) * (1 - 2 * player) if over else 0.0)
                if late:
                    break
