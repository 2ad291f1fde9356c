"""Games as strangers write them, each in the dialect of another library, none of which knows this package."""

import random
from copy import deepcopy
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv


class TwoPlayerGame:
    """What easyAI's class of this name does: ``play_move`` makes a move and passes the turn; players are 1 and 2."""

    current_player: int

    def play_move(self, move: Any) -> Any:
        result = self.make_move(move)  # type: ignore[attr-defined]
        self.current_player = 3 - self.current_player
        return result

    def copy(self) -> Any:
        return deepcopy(self)


class Sticks(TwoPlayerGame):
    """Players take 1, 2 or 3 of 12 sticks; who takes the last one loses."""

    def __init__(self, players: Any = None) -> None:
        self.players = players
        self.pile = 12
        self.current_player = 1

    def possible_moves(self) -> list[str]:
        return [move for move in ("1", "2", "3") if int(move) <= self.pile]

    def make_move(self, move: str) -> None:
        self.pile -= int(move)

    def win(self) -> bool:
        return self.pile <= 0

    def is_over(self) -> bool:
        return self.win()

    def scoring(self) -> int:
        return 100 if self.win() else 0


class CountedSticks(Sticks):
    """The same, with a count of moves that ends it."""

    def __init__(self) -> None:
        super().__init__()
        self.moves = 0

    def make_move(self, move: str) -> None:
        super().make_move(move)
        self.moves += 1

    def is_over(self) -> bool:
        return self.pile <= 0 or self.moves >= 7

    def ttentry(self) -> tuple[int, int]:
        return self.pile, self.current_player


class Dice(Sticks):
    """Each move takes one stick more by chance, which nobody declares."""

    def possible_moves(self) -> list[str]:
        return ["1", "2"]

    def make_move(self, move: str) -> None:
        self.pile = max(self.pile - int(move) - random.randint(0, 1), 0)


class RaceWithDice:
    """Two players toss one coin, or two, in turn: the first to take 3 steps wins. Chance is declared."""

    def __init__(self) -> None:
        self.at, self.player, self.tossed = [0, 0], 0, False

    def current_player(self) -> int:
        return self.player

    def legal_actions(self) -> list[int]:
        return [0, 1]  # toss one coin for one step, or two coins, which must agree, for two

    def chance_outcomes(self) -> list[tuple[str, float]]:
        if not self.tossed:
            return []
        heads = 0.5 if self.choice == 0 else 0.25
        return [("heads", heads), ("tails", 1.0 - heads)]

    def step(self, action: Any) -> None:
        if self.tossed:
            self.tossed = False
            if action == "heads":
                self.at[self.player] = min(self.at[self.player] + self.choice + 1, 3)
            self.player = 1 - self.player
        else:
            self.tossed, self.choice = True, action

    def is_terminal(self) -> bool:
        return 3 in self.at

    def returns(self) -> list[float]:
        return [0.0, 0.0] if 3 not in self.at else [1.0, -1.0] if self.at[0] == 3 else [-1.0, 1.0]


class GymTicTacToe:
    """Tic-tac-toe with a ``step`` as Gymnasium's, the reward to the mover, and an observation by the mover's view."""

    action_space = spaces.Discrete(9)

    def reset(self, seed: int | None = None) -> Any:
        self.board, self.player = np.zeros(9, np.int8), 1
        return self.board * self.player, {"action_mask": self.board == 0}

    def step(self, action: int) -> Any:
        self.board[action] = self.player
        lines = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]])
        won = bool((self.board[lines] == self.player).all(axis=1).any())
        self.player = -self.player
        over = won or bool((self.board != 0).all())
        return self.board * self.player, float(won), over, False, {"action_mask": self.board == 0}


class HiddenCoin(AECEnv[str, Any, Any]):
    """Player 0 puts a coin heads or tails up, player 1 guesses: a field that nobody sees decides. It has no masks."""

    metadata: ClassVar[dict[str, Any]] = {"name": "hidden_coin_v0"}

    def __init__(self) -> None:
        self.possible_agents = ["hides", "guesses"]

    def observation_space(self, agent: str) -> Any:
        return spaces.Discrete(1)

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(2)

    def observe(self, agent: str) -> int:
        return 0

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict(self.rewards)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}

    def step(self, action: Any) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if self.agent_selection == "hides":
            self.coin, self.agent_selection = action, "guesses"
            return
        won = 3.0 if action == self.coin == 1 else 1.0 if action == self.coin else -1.0
        self.rewards = {"hides": -won, "guesses": won}
        self.terminations = dict.fromkeys(self.agents, True)


class KuhnPoker(AECEnv[str, Any, Any]):
    """Kuhn poker; the cards are dealt by ``chance_outcomes``, and a player sees its card and the bets so far."""

    metadata: ClassVar[dict[str, Any]] = {"name": "kuhn_v0"}

    def __init__(self) -> None:
        self.possible_agents = ["first", "second"]

    def observation_space(self, agent: str) -> Any:
        return spaces.Dict(observation=spaces.Box(0, 1, (5,), np.int8), action_mask=spaces.Box(0, 1, (2,), np.int8))

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(2)

    def observe(self, agent: str) -> Any:
        seen = np.zeros(5, np.int8)
        if self.cards:
            seen[self.cards[self.possible_agents.index(agent)]] = 1
        for k, bet in enumerate(self.bets[:2]):
            seen[3 + k] = bet
        mover = agent == self.agent_selection and bool(self.cards)
        return {"observation": seen, "action_mask": np.full(2, int(mover), np.int8)}

    def chance_outcomes(self) -> list[tuple[tuple[int, int], float]]:
        return [] if self.cards else [((i, j), 1 / 6) for i in range(3) for j in range(3) if i != j]

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        HiddenCoin.reset(self, seed)  # type: ignore[arg-type]
        self.cards: tuple[int, ...] = ()
        self.bets: list[int] = []

    def step(self, action: Any) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if not self.cards:
            self.cards = action
            return
        self.bets.append(action)
        better = 1.0 if self.cards[0] > self.cards[1] else -1.0
        ends = {(0, 0): better, (1, 1): 2 * better, (1, 0): 1.0, (0, 1, 0): -1.0, (0, 1, 1): 2 * better}
        if (won := ends.get(tuple(self.bets))) is None:
            self.agent_selection = self.possible_agents[len(self.bets) % 2]
            return
        self.rewards = {"first": won, "second": -won}
        self.terminations = dict.fromkeys(self.agents, True)


class MatchingPennies(ParallelEnv[str, Any, Any]):
    """Three rounds of matching pennies, of which the last counts double; a third action is illegal and loses."""

    metadata: ClassVar[dict[str, Any]] = {"name": "pennies_v0"}
    possible_agents: ClassVar[list[str]] = ["even", "odd"]

    def observation_space(self, agent: str) -> Any:
        return spaces.Box(0, 1, (3,), np.int8)

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(3)

    def _seen(self) -> Any:
        return {agent: np.eye(4, dtype=np.int8)[self.round][:3] for agent in self.possible_agents}

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.agents, self.round = self.possible_agents[:], 0
        return self._seen(), {agent: {} for agent in self.agents}

    def step(self, actions: Any) -> Any:
        even, odd = actions["even"], actions["odd"]
        self.round += 1
        won = 1.0 if even == odd else -1.0
        won *= 2.0 if self.round == 3 else 1.0
        over = self.round == 3
        if 2 in (even, odd):
            won, over = float(odd == 2) - float(even == 2), True
        agents = self.agents
        if over:
            self.agents = []
        return (
            self._seen(),
            {"even": won, "odd": -won},
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            {agent: {} for agent in agents},
        )
