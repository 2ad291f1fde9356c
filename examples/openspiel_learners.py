"""Learners of OpenSpiel 2.0 in games of this package: NFSP, PSRO, Deep CFR and ESCHER, a class each.

nashzoo bench examples/openspiel_learners.py:NFSP --suite hidden     # how well it learns, measured exactly

A game is wrapped as OpenSpiel's algorithms ask for it: its players choose one after the other, who choose at once
without seeing what the other does; and what a player sees is the observation that other learners here get. A decision
is an action that is tried in a state, also in a state that a simulator comes back to. Settings are those of OpenSpiel's
examples, and the same in all games. In a symmetric game the policy of seat 0 plays both.

Sources: Heinrich and Silver (2016), "Deep reinforcement learning from self-play in imperfect-information games";
Lanctot et al. (2017), "A unified game-theoretic approach to multiagent reinforcement learning"; Brown et al. (2019),
"Deep counterfactual regret minimization"; McAleer et al. (2023), "ESCHER".
"""

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyspiel
import torch
from open_spiel.python import rl_environment
from open_spiel.python.pytorch import deep_cfr, dqn, escher, nfsp

from nashzoo.baselines.information.measures import sequence_form_of, weights_of
from nashzoo.baselines.information_mixes import SequenceAverage
from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.baselines.solvers.matrix import solve_matrix
from nashzoo.envs import Game
from nashzoo.envs.core.agent import states_of
from nashzoo.envs.core.game import BOTH, CHANCE

TREE, LIKELY = pyspiel.GameType.Dynamics.SEQUENTIAL, pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
NOBODY = -1  # in place of the action of a player who has not chosen yet
EVERYWHERE = 1_000_000_000  # iterations between two evaluations by ESCHER itself


class TurnBased:
    """A game for OpenSpiel's algorithms, with what they ask of :class:`pyspiel.Game`."""

    def __init__(self, game: Game) -> None:
        self.game, self.decisions = game, 0
        kind = {"dynamics": TREE, "chance_mode": LIKELY, "provides_information_state_tensor": True}
        self.get_type = lambda: SimpleNamespace(short_name=game.name, **kind)
        self.num_players = lambda: 2
        self.num_distinct_actions = lambda: game.num_actions
        self.waiting = 0 if game.turn_based else game.num_actions  # numbers for a choice that the other has not seen
        self.sizes = game.num_features + self.waiting, game.num_actions
        self.information_state_tensor_size = self.observation_tensor_size = lambda: self.sizes[0]
        self.new_initial_state = lambda: State(self, int(game.start_codes[0]))
        self.observe = cache(lambda code, player: game.observe(code, player).tolist())
        asked = game.terminal, game.turn, game.outcomes, game.legal_actions, game.payoff, game.step
        self.terminal, self.turn, self.outcomes, self.legal, self.payoff, self.step = map(cache, asked)


class State:
    """A state of such a game, with what they ask of :class:`pyspiel.State`."""

    def __init__(self, of: TurnBased, code: int, chosen: int = NOBODY, won: float = 0.0) -> None:
        self.of, self.code, self.chosen, self.won = of, code, chosen, won
        self.over = of.terminal(code)
        turn = CHANCE if self.over else of.turn(code)
        self.player = int(chosen != NOBODY) if turn == BOTH else turn
        self.waits = turn == BOTH and chosen == NOBODY

    def is_terminal(self) -> bool:
        """Returns whether the game is over."""
        return self.over

    def is_chance_node(self) -> bool:
        """Returns whether chance moves."""
        return not self.over and self.player == CHANCE

    def current_player(self) -> int:
        """Returns who moves, or a number of OpenSpiel for chance or nobody."""
        ends = pyspiel.PlayerId.TERMINAL if self.over else pyspiel.PlayerId.CHANCE
        return int(ends) if self.player == CHANCE else self.player

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the numbers of the outcomes of chance, and their probabilities."""
        return list(enumerate(self.of.outcomes(self.code)[1].tolist()))

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Returns the legal actions of the player to move; none of the other."""
        chooses = self.player != CHANCE and player in (None, self.player)
        return list(self.of.legal(self.code, self.player)) if chooses else []

    def legal_actions_mask(self) -> list[int]:
        """Returns 1 for each legal action, and 0 for others."""
        legal = self.legal_actions()
        return [int(action in legal) for action in range(self.of.game.num_actions)]

    def information_state_tensor(self, player: int | None = None) -> Any:
        """Returns what a player sees, and its choice that the other has not seen yet."""
        seat, waiting = self.player if player is None else player, [0.0] * self.of.waiting
        if seat == 0 and self.chosen != NOBODY:
            waiting[self.chosen] = 1.0
        return self.of.observe(self.code, seat) + waiting

    observation_tensor = information_state_tensor

    def returns(self) -> list[float]:
        """Returns what each player has won at the end."""
        return [self.won, -self.won] if self.over else [0.0, 0.0]

    rewards = returns

    def child(self, action: int) -> "State":
        """Returns what follows an action of the player to move, or an outcome of chance."""
        of, code = self.of, self.code
        if self.player == CHANCE:
            code = int(of.outcomes(code)[0][action])
            return State(of, code, won=self.won + of.payoff(code))
        of.decisions += 1
        if self.waits:
            return State(of, code, int(action), self.won)
        other = 1 - self.player
        by_other = of.legal(code, other)[0] if self.chosen == NOBODY else self.chosen  # the first is to wait
        code = of.step(code, *((action, by_other) if other else (by_other, action)))
        return State(of, code, won=self.won + of.payoff(code))

    def apply_action(self, action: int) -> None:
        """Becomes what follows."""
        self.__dict__ = vars(self.child(action))


class OfNetworks:
    """The policy of a network for each seat, or of one for both; logits, or values of actions, of which the best."""

    def __init__(self, of: TurnBased, networks: list[Any], greedy: bool = False) -> None:
        self.of, self.networks, self.greedy = of, networks, greedy

    @torch.no_grad()
    def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
        """Returns the probability of each action ``[B, actions]``."""
        legal = torch.as_tensor(action_masks) > 0
        seen = torch.nn.functional.pad(torch.as_tensor(observations), (0, self.of.waiting))
        said = [network(seen).masked_fill(~legal, -torch.inf) for network in self.networks]
        seats = np.zeros(len(seen), np.int64) if len(said) == 1 else states_of(self.of.game, observations)[1]
        numbers = torch.stack(said)[torch.as_tensor(seats), torch.arange(len(seen))]
        best = torch.nn.functional.one_hot(numbers.argmax(dim=1), legal.shape[1]).float()
        return (best if self.greedy else numbers.softmax(dim=1)).numpy()


class Learner:
    """What the learners have in common: pieces of learning until they have made so many decisions."""

    GIVEN = "transitions"

    def __init__(self, game: Game, seed: int) -> None:
        torch.set_num_threads(1)
        self.game, self.wrapped = game, TurnBased(game)
        self.begin(seed)
        np.random.seed(seed)  # OpenSpiel's algorithms draw from the global generators
        torch.manual_seed(seed)

    @property
    def num_timesteps(self) -> int:
        """The decisions learned from, of both players together."""
        return self.wrapped.decisions

    def learn(self, num_timesteps: int) -> None:
        """Learns from at least so many more decisions."""
        goal = self.num_timesteps + num_timesteps
        while self.num_timesteps < goal:
            self.piece()
        if num_timesteps:
            self.end()

    def begin(self, seed: int) -> None:
        """Makes the networks."""

    def piece(self) -> None:
        """Learns for a while."""

    def end(self) -> None:
        """Makes the policy from what was learned, where this takes time."""


class NFSP(Learner):
    """Neural fictitious self-play: deep Q-learning of best responses, and a network that averages them."""

    def begin(self, seed: int) -> None:
        """Makes the networks."""
        self.env = rl_environment.Environment(self.wrapped)
        self.agents = [
            nfsp.NFSP(
                seat, *self.wrapped.sizes, [128], reservoir_buffer_capacity=2_000_000, anticipatory_param=0.1,
                replay_buffer_capacity=200_000, epsilon_start=0.06, epsilon_end=0.001,
                epsilon_decay_duration=20_000_000, update_target_network_every=19_200, seed=seed + seat,
            )
            for seat in (0, 1)
        ]  # fmt: skip
        self.policy = OfNetworks(self.wrapped, [agent._avg_network for agent in self.agents])

    def piece(self) -> None:
        """Plays a game."""
        step = self.env.reset()
        while not step.last():
            step = self.env.step([self.agents[step.current_player()].step(step).action])
        for agent in self.agents:
            agent.step(step)


class PSRO(Learner):
    """Policy-space response oracles: deep Q-learning of responses to the equilibrium of all earlier ones.

    OpenSpiel's own needs CVXPY and JAX. This is its loop, with OpenSpiel's deep Q-learning.
    """

    EPISODES, SAMPLES = 1_000, 100  # of each response, and for each entry of the matrix of their values

    def begin(self, seed: int) -> None:
        """Makes the networks."""
        self.env, self.seeds = rl_environment.Environment(self.wrapped), np.random.default_rng(seed)
        self.responses: list[list[Any]] = [[self.response(seat)] for seat in (0, 1)]
        self.mixed, self.payoffs = [np.ones(1), np.ones(1)], np.zeros((0, 0))

    def response(self, seat: int) -> Any:
        """Returns an untaught response in a seat."""
        return dqn.DQN(
            seat, *self.wrapped.sizes, [128], batch_size=32, learning_rate=1e-3,
            epsilon_decay_duration=2_000, optimizer_str="adam", update_target_network_every=500,
            seed=int(self.seeds.integers(2**31)),
        )  # fmt: skip

    def played(self, agents: list[Any], learns: int | None = None) -> float:
        """Returns what player 0 wins in a game, from which one agent learns."""
        step = self.env.reset()
        while not step.last():
            seat = step.current_player()
            step = self.env.step([agents[seat].step(step, is_evaluation=seat != learns).action])
        if learns is not None:
            agents[learns].step(step)
        return float(step.rewards[0])

    def piece(self) -> None:
        """Adds a response in each seat."""
        new = [self.response(seat) for seat in (0, 1)]
        for seat in (0, 1):
            others = self.responses[1 - seat]
            for number in self.seeds.choice(len(others), self.EPISODES, p=self.mixed[1 - seat]):
                self.played([new[0], others[number]] if seat == 0 else [others[number], new[1]], seat)
        for seat in (0, 1):
            self.responses[seat].append(new[seat])
        rows, columns = self.responses
        known, self.payoffs = self.payoffs, np.zeros((len(rows), len(columns)))
        self.payoffs[: len(known), : len(known)] = known
        for i, j in np.ndindex(self.payoffs.shape):
            if max(i, j) >= len(known):
                self.payoffs[i, j] = np.mean([self.played([rows[i], columns[j]]) for _ in range(self.SAMPLES)])
        solved = solve_matrix(self.payoffs)
        self.mixed = [solved.row_strategy, solved.column_strategy]

    @property
    def policy(self) -> TabularPolicy:
        """The mixture of whole policies, as one policy."""
        form, weights = sequence_form_of(self.game), []
        for seat in (0, 1):
            played = [OfNetworks(self.wrapped, [one._q_network], greedy=True) for one in self.responses[seat]]
            weights.append(
                sum(p * weights_of(form, one, seat) for p, one in zip(self.mixed[seat], played, strict=True))
            )
        return SequenceAverage(self.game).played((weights[0], weights[1]))


class DeepCFR(Learner):
    """Deep counterfactual regret minimization: networks for regrets from sampled trees, and one for their average."""

    GIVEN = "a simulator"

    def begin(self, seed: int) -> None:
        """Makes the networks."""
        self.solver = deep_cfr.DeepCFRSolver(
            self.wrapped, (64, 64), (64, 64), num_traversals=40, learning_rate=1e-3, batch_size_advantage=256,
            batch_size_strategy=256, policy_network_train_steps=1_000, advantage_network_train_steps=200, seed=seed,
        )  # fmt: skip
        self.policy = OfNetworks(self.wrapped, [lambda seen: self.solver._policy_network(seen).log()])

    def piece(self) -> None:
        """An iteration, as in ``DeepCFRSolver.solve``, which fits the average after each."""
        for seat in (0, 1):
            for _ in range(self.solver._num_traversals):
                self.solver._traverse_game_tree(self.solver._root_node, seat)
            self.solver._reinitialize_advantage_network(seat)
            self.solver._learn_advantage_network(seat)
        self.solver._iteration += 1

    def end(self) -> None:
        """Fits the average policy."""
        self.solver._reinitialize_policy_network()
        self.solver._learn_strategy_network()


class ESCHER(Learner):
    """ESCHER: regrets from a value network that sees what both players see, without importance sampling."""

    GIVEN = "a simulator"

    def begin(self, seed: int) -> None:
        """Makes the networks."""
        self.about, config = escher.TrainConfig(self.wrapped), escher.Config()
        self.about.iterations, self.about.evaluation_interval = 1, EVERYWHERE
        self.agent = escher.Agent(self.wrapped, config)
        self.policy = OfNetworks(self.wrapped, [self.agent.avg_policy_net])

    def piece(self) -> None:
        """Does an iteration."""
        escher.train(self.about, self.agent)

    def end(self) -> None:
        """Fits the average policy."""
        escher._train_avg_policy(self.agent)
