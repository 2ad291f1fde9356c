"""Two agents learn against each other in PettingZoo's two plain loops, with NumPy alone.

In Roshambo, where both throw at once, both use multiplicative weights: the weight of a throw grows with the points that
it would have won. The average of their mixtures approaches the equilibrium; its exploitability is computed exactly.

In tic-tac-toe, where they take turns, both learn the values of their moves by Monte Carlo. The first player's points
against a random opponent are then computed exactly.

python examples/two_agents.py
"""

from typing import Any

import numpy as np

from nashzoo import agents
from nashzoo.baselines import evaluate, exploitability
from nashzoo.envs import roshambo_v0, tictactoe_v0

PAYOFFS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])  # to the row: Rock, Paper, Scissors


class Average:
    """A mix of throws, the same everywhere."""

    def __init__(self, mix: Any) -> None:
        self.mix = mix

    def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
        """Returns the mix ``[B, actions]`` at each observation."""
        return np.tile(self.mix, (len(observations), 1))


def parallel_loop(games: int = 3_000, rate: float = 0.05, seed: int = 0) -> float:
    """Returns the exploitability of the average mix, in points a throw; that of any single throw is 1."""
    rng = np.random.default_rng(seed)
    env = roshambo_v0.parallel_env(rounds=1)
    gains = {agent: 20 * rng.random(3) for agent in env.possible_agents}  # far from the equilibrium
    played = np.zeros(3)
    for _ in range(games):
        env.reset()
        while env.agents:
            weights = {agent: np.exp(rate * gains[agent]) for agent in env.agents}
            mixes = {agent: weight / weight.sum() for agent, weight in weights.items()}
            actions = {agent: int(rng.choice(3, p=mix)) for agent, mix in mixes.items()}
            _, rewards, _, _, _ = env.step(actions)
            one, other = actions
            assert rewards[one] == PAYOFFS[actions[one], actions[other]] == -rewards[other]
            gains[one] += PAYOFFS[:, actions[other]]
            gains[other] += PAYOFFS[:, actions[one]]
            played += mixes[one] + mixes[other]
    return exploitability(roshambo_v0.game(rounds=1), Average(played / played.sum()))


class Memory:
    """The moves at each observation: the number of times each was made, and the sum of its points."""

    def __init__(self) -> None:
        self.tried: dict[bytes, Any] = {}
        self.won: dict[bytes, Any] = {}

    def best(self, observation: Any, mask: Any) -> int:
        """Returns the legal move with the best mean of points; that of an untried move is 0."""
        key = observation.tobytes()
        if key not in self.tried:
            return int(mask.argmax())
        mean = self.won[key] / np.maximum(self.tried[key], 1)
        return int(np.where(mask == 1, mean, -np.inf).argmax())

    def learn(self, observation: Any, action: int, points: float) -> None:
        """Adds the points of a move."""
        key = observation.tobytes()
        self.tried.setdefault(key, np.zeros(9))[action] += 1
        self.won.setdefault(key, np.zeros(9))[action] += points

    def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
        """Returns the probabilities ``[B, actions]``: 1 for the best move."""
        return np.eye(9)[[self.best(seen, mask) for seen, mask in zip(observations, action_masks, strict=True)]]


def aec_loop(games: int = 10_000, explore: float = 0.2, seed: int = 0) -> float:
    """Returns the first player's points a game against random moves; at most 0.9948."""
    rng = np.random.default_rng(seed)
    env = tictactoe_v0.env()
    memories = {agent: Memory() for agent in env.possible_agents}
    for _ in range(games):
        env.reset()
        moves = []
        points = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, _ = env.last()
            points[agent] += reward
            if terminated or truncated:
                env.step(None)
                continue
            observation, mask = seen["observation"], seen["action_mask"]
            if rng.random() < explore:
                action = int(rng.choice(np.flatnonzero(mask)))
            else:
                action = memories[agent].best(observation, mask)
            moves.append((agent, observation, action))
            env.step(action)
        for agent, observation, action in moves:
            memories[agent].learn(observation, action, points[agent])
    game = tictactoe_v0.game()
    return evaluate(game, memories["player_0"], agents.make("random", game))


if __name__ == "__main__":
    print(f"Roshambo: exploitability of the average of {parallel_loop():.3f}")
    print(f"tic-tac-toe: {aec_loop():.3f} points a game from an opponent who moves at random")
