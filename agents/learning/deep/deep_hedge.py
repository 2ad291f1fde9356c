"""Hedge at every information state, from sampled games: networks for games with hidden information.

Both players play the policy of Hedge, by which an action's probability grows with the mean of its advantages so far::

    pi(s, a) ~ exp(sqrt(t) * A(s, a) / temperature)

after ``t`` updates, with the temperature in proportion to the usual payoff. In every game one of them explores: half
of its choices are uniform, and it learns advantages. A critic, which sees what both players see, says what each action
of the explorer is worth; what it says of the action ``a_t`` that was taken is corrected by the return ``G``::

    q(a) + 1[a = a_t] (G - q(a_t)) / mu(a_t)

so that advantages are right in expectation, if ``G`` is, whatever the critic says, and noisy only by what it cannot
foresee. Returns are those of Retrace. What hidden cards are met at ``s`` depends on the other player and on chance
alone, so that the mean of advantages there is the counterfactual one, and Hedge everywhere is counterfactual regret
minimization, whose average policy approaches an equilibrium.

**The network is a prior.** The mean of advantages must follow each update at once and be free of noise, and steps of
gradient descent are either slow or noisy. So a table remembers the mean of the states that were met last, and what the
network says of a state counts as much as ``prior`` visits: it decides where a state is new, and it is overruled where
it is not. The average policy has no such need: it is one network, fitted to a reservoir of past decisions; the average
of its latest weights is played.

Sources: Freund and Schapire (1997), "A decision-theoretic generalization of on-line learning", for Hedge; Zinkevich et
al. (2007), "Regret minimization in games with incomplete information"; Brown et al. (2019), "Deep counterfactual regret
minimization", for the reservoir and linear weights; McAleer et al. (2023), "ESCHER", for a critic that sees all; Dudik,
Langford and Li (2011), "Doubly robust policy evaluation and learning"; Munos et al. (2016), "Safe and efficient
off-policy reinforcement learning", for Retrace; Duchi, Hazan and Singer (2011), "Adaptive subgradient methods"; Polyak
and Juditsky (1992) for the average of weights.
"""

import dataclasses
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.self_play_learner import Arrays, SelfPlayLearner, copy_into
from nashzoo.baselines.policies.outputs import softmax
from nashzoo.envs.core.agent import sample
from nashzoo.envs.core.game import Bools, Features, Floats, Ints, Mask
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.jit.numba import float64, int32, int64, types, void
from nashzoo.envs.vector.batch_arrays import BatchObservation
from nashzoo.envs.vector.both_seats import BothSeatsBatch

EXPLORING = 0.5  # share of uniform play of the player that explores
LEAST = 0.05  # probability by which an advantage is corrected
TABLE_STEP = 0.05  # of Adagrad, for the prior of advantages
KEPT = 0.98  # of the mean of weights that is played, after a gradient step


@dataclasses.dataclass(frozen=True)
class DeepHedgeSettings:
    """Settings of Hedge with networks.

    Attributes:
        num_envs: Games played side by side.
        n_steps: Joint actions in each game between two updates.
        batch_size: Decisions of one gradient step.
        learning_rate: Learning rate of the policy at the start, and twice the critic's; both fall with
            ``1 / (1 + updates / 2000)``.
        temperature: Of Hedge, as a multiple of the mean of what a game pays.
        prior: The network's estimate of advantages counts as so many visits of the state.
        states: Information states that the table remembers, a power of 2; a new one takes the place of an older one.
        memory: Decisions to which the average policy is fitted.
        hidden: Units of each hidden layer.
        layers: Number of hidden layers of critic and policy.
    """

    num_envs: int = 512
    n_steps: int = 8
    batch_size: int = 2048
    learning_rate: float = 0.002
    temperature: float = 1.6
    prior: float = 20.0
    states: int = 1 << 18
    memory: int = 200_000
    hidden: int = 128
    layers: int = 2


class Table(NamedTuple):
    """Means of advantages at information states, in places by fingerprint."""

    prints: Ints  # [S], of the states; 0 for an empty place
    visits: Floats  # [S]
    weights: Floats  # [S]
    sums: Floats  # [S, actions], of weighted advantages


class Decisions(NamedTuple):
    """Decisions ``[T, B]`` of running games."""

    observations: Features  # [T, B, features]
    others: Features  # [T, B, features], what the other player observes
    masks: Mask  # [T, B, actions]
    policies: Floats  # [T, B, actions]
    chances: Floats  # [T, B, actions], of being chosen
    values: Features  # [T, B, actions], by the critic
    actions: Ints
    rewards: Floats
    signs: Floats  # -1 where the turn passed to the other player after the step, else 1
    ends: Bools  # whether the game ended with the step
    explored: Bools  # whether the explorer decided


class DeepHedge(SelfPlayLearner):
    """Learns an average policy by playing both seats, see the module.

    Attributes:
        num_timesteps: Decisions that it has learned from.

    Raises:
        UsageError: a setting is out of its range.
    """

    NAME = "deep_hedge"
    GIVEN = "transitions, what both players see in training"
    OPEN = False
    HIDDEN = True
    UNIT = "decisions"
    TIMESTEPS = 10_000_000
    FIRST_POINT = 30_000
    Settings: ClassVar[type[Any]] = DeepHedgeSettings
    COUNTS = "num_envs", "n_steps", "batch_size", "states", "memory", "hidden", "layers"
    POSITIVE = "learning_rate", "temperature", "prior"

    def begin(self, seed: int) -> None:
        """Sets the untrained state."""
        from nashzoo.agents.learning.deep.networks import Network, Trainer

        chosen: DeepHedgeSettings = self.settings
        game, actions, rng = self.game, self.game.num_actions, np.random.default_rng([seed, 0])
        hidden = [chosen.hidden] * chosen.layers
        self._seed, self._updates = seed, 0
        self._paid = np.zeros(2)  # the sum of what games paid, and their number
        self._prior = Network(game, hidden[:1], actions, rng)
        self._squares = [np.zeros(tuple(weights.shape), np.float32) for weights in self._prior.parameters()]
        self._critic, self._policy, self._mean = (Network(game, hidden, actions, rng, views) for views in (2, 1, 1))
        self._trainers = {
            "critic": Trainer(self._critic, self._critic, 1.0),
            "policy": Trainer(self._policy, self._mean, KEPT),
        }
        size = 1 << (chosen.states - 1).bit_length()
        self._table = Table(np.zeros(size, np.int64), np.zeros(size), np.zeros(size), np.zeros((size, actions)))
        self._seen = 0  # decisions from which the reservoir was drawn
        rows = chosen.memory
        self._reservoir: tuple[NDArray[Any], ...] = (
            np.zeros((rows, game.num_features), np.float32), np.zeros((rows, actions), np.int8),
            np.zeros((rows, actions), np.float32), np.zeros(rows, np.float32),
        )  # fmt: skip
        self._batch = BothSeatsBatch(game, chosen.num_envs)
        self._batch.seed(seed)
        self._batch.restart()
        self._explorers = rng.integers(0, 2, chosen.num_envs)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the average policy ``[B, actions]``."""
        return softmax(self._mean.evaluated(observations), action_masks)

    def iterate(self) -> None:
        """Plays, and learns from it."""
        self._updates += 1
        rng = np.random.default_rng([self._seed, self._updates])
        self._update(*self._roll_out(rng), rng)

    def hedged(self, observations: Features, masks: Mask) -> Floats:
        """Returns the policy that is played at present ``[B, actions]``."""
        means = self._prior.evaluated(observations).astype(np.float64)
        overrule(_prints(observations), means, self._table, self.settings.prior)
        usual = self._paid[0] / max(self._paid[1], 1.0) or 1.0
        return softmax(means * (np.sqrt(self._updates) / (self.settings.temperature * usual)), masks)

    def _roll_out(self, rng: np.random.Generator) -> tuple[Decisions, Floats]:
        """Plays, and returns the decisions, and the values after the last ones ``[B]``."""
        batch, rows = self._batch, list[tuple[NDArray[Any], ...]]()
        for _ in range(self.settings.n_steps):
            view, others, policy, values = self._assessed()
            explored = view.seats == np.resize(self._explorers, batch.num_rows)
            uniform = view.masks / np.maximum(view.masks.sum(axis=1, keepdims=True), 1)
            chances = policy + EXPLORING * explored[:, None] * (uniform - policy)
            actions = sample(chances, rng.random(batch.num_rows))
            outcome = batch.step_and_restart(actions).outcome
            ends = outcome.terminated | outcome.truncated
            signs = np.where(batch.turned, -1.0, 1.0)
            rows.append(
                (view.observations, others, view.masks, policy, chances, values, actions, outcome.rewards, signs, ends,
                 explored)
            )  # fmt: skip
            over = ends[: batch.num_games]
            self._paid += np.abs(outcome.rewards[: batch.num_games]).sum(), over.sum()
            self._explorers[over] = rng.integers(0, 2, int(over.sum()))
            self.num_games += int(over.sum())
        *_, policy, values = self._assessed()
        return Decisions._make(map(np.stack, zip(*rows, strict=True))), (policy * values).sum(axis=1)

    def _assessed(self) -> tuple[BatchObservation, Features, Floats, Features]:
        """Returns what the players of the rows see, and the others, and the policy and the critic's values there."""
        view, others = self._batch.view(), self._batch.others()
        values = self._critic.evaluated(np.hstack((view.observations, others)))
        return view, others, self.hedged(view.observations, view.masks), values

    def _update(self, played: Decisions, last: Floats, rng: np.random.Generator) -> None:
        import torch

        from nashzoo.agents.learning.deep.networks import log_softmax

        chosen = self.settings
        returned = returns_of(played, last).reshape(-1)
        flat = Decisions._make(array.reshape(-1, *array.shape[2:]) for array in played)
        self._remember(flat, advantages_of(flat, returned))
        self._keep(flat, rng)
        both, wanted = np.hstack((flat.observations, flat.others)), torch.from_numpy(returned.astype(np.float32))
        taken = torch.from_numpy(flat.actions)

        def critic_loss(rows: Ints) -> torch.Tensor:
            said = self._critic(both[rows]).gather(1, taken[rows, None])[:, 0]
            mean: torch.Tensor = ((said - wanted[rows]) ** 2).mean()
            return mean

        observations, masks, policies, weights = self._reservoir
        legal, target, weight = torch.from_numpy(masks) > 0, torch.from_numpy(policies), torch.from_numpy(weights)

        def policy_loss(rows: Ints) -> torch.Tensor:
            logits = log_softmax(self._policy(observations[rows]), legal[rows])
            mean: torch.Tensor = -((target[rows] * logits).sum(dim=1) * weight[rows]).mean() / self._updates
            return mean

        rate = chosen.learning_rate / (1.0 + self._updates / 2000)
        full = min(self._seen, chosen.memory)
        self._trainers["critic"].fit(critic_loss, len(returned), chosen.batch_size, lambda _: rate / 2, 0, rng)
        for _ in range(2 if full else 0):
            self._trainers["policy"].step(policy_loss, rng.integers(0, full, chosen.batch_size), rate)
        self.num_timesteps += len(returned)

    def _remember(self, played: Decisions, advantages: Floats) -> None:
        """Adds advantages of the explorers to the table and to its prior."""
        import torch

        own = np.flatnonzero(played.explored)
        observations, wanted = played.observations[own], advantages[own]
        remember(_prints(observations), wanted, float(self._updates), self._table)
        legal = torch.from_numpy(played.masks[own].astype(np.float32))
        errors = self._prior(observations) - torch.from_numpy(wanted.astype(np.float32))
        parameters = list(self._prior.parameters())
        gradients = torch.autograd.grad((errors**2 * legal).sum() / max(len(own), 1), parameters)
        for weights, gradient, squares in zip(parameters, gradients, self._squares, strict=True):
            total = torch.from_numpy(squares).addcmul_(gradient, gradient)
            weights.data.addcdiv_(gradient, total.sqrt().add_(1e-10), value=-TABLE_STEP)

    def _keep(self, played: Decisions, rng: np.random.Generator) -> None:
        """Puts decisions of those who did not explore into the reservoir. Source: Vitter (1985), algorithm R."""
        own = np.flatnonzero(~played.explored)
        numbers = np.arange(self._seen, self._seen + len(own))
        places = np.where(numbers < self.settings.memory, numbers, (rng.random(len(own)) * (numbers + 1)).astype(int))
        kept = places < self.settings.memory
        weights = np.full(len(played.actions), self._updates, np.float32)
        columns: tuple[NDArray[Any], ...] = played.observations, played.masks, played.policies, weights
        for array, column in zip(self._reservoir, columns, strict=True):
            array[places[kept]] = column[own[kept]]
        self._seen += len(own)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Returns the networks, the states of their optimizers, what is remembered, the running games, the progress."""
        trainers = {f"{name}_{key}": one for name, fit in self._trainers.items() for key, one in fit.arrays().items()}
        return trainers | self._own_arrays() | {"updates": np.array([self._updates, self._seed, self._seen])}

    def _own_arrays(self) -> dict[str, NDArray[Any]]:
        return {
            **self._prior.arrays("prior"),
            **self._critic.arrays("critic"),
            **self._policy.arrays("policy"),
            **self._mean.arrays("mean"),
            **{f"squares_{number}": one for number, one in enumerate(self._squares)},
            **self._table._asdict(),
            **{f"reservoir_{number}": one for number, one in enumerate(self._reservoir)},
            **self._batch.arrays(),
            "explorers": self._explorers,
            "paid": self._paid,
        }

    def restore(self, arrays: Arrays) -> None:
        """Sets the state that :meth:`arrays` returned."""
        copy_into(self._own_arrays(), arrays)
        for name, trainer in self._trainers.items():
            start = f"{name}_"
            trainer.restore({key.removeprefix(start): one for key, one in arrays.items() if key.startswith(start)})
        self._updates, self._seed, self._seen = map(int, arrays["updates"])


def returns_of(played: Decisions, last: Floats) -> Floats:
    """Returns the returns ``[T, B]`` of Retrace, to the player who decided; the last values are ``[B]``."""
    returned, following, correction = np.empty(played.rewards.shape), last, np.zeros_like(last)
    for step in reversed(range(len(returned))):
        passed_on = np.where(played.ends[step], 0.0, played.signs[step])
        returned[step] = played.rewards[step] + passed_on * (following + correction)
        taken = np.arange(len(last)), played.actions[step]
        policy, values = played.policies[step], played.values[step]
        traced = np.minimum(policy[taken] / played.chances[step][taken], 1.0)
        following, correction = (policy * values).sum(axis=1), traced * (returned[step] - values[taken])
    return returned


def advantages_of(played: Decisions, returned: Floats) -> Floats:
    """Returns the advantage of every action ``[N, actions]``, see the module, by decisions and returns ``[N]``."""
    taken = np.arange(len(returned)), played.actions
    values = played.values.astype(np.float64)
    values[taken] += (returned - values[taken]) / np.maximum(played.chances[taken], LEAST)
    advantages: Floats = values - (played.policies * values).sum(axis=1, keepdims=True)
    return advantages * played.masks


def _prints(observations: Features) -> Ints:
    """Returns numbers ``[B]`` that tell observations ``[B, features]`` apart, but for two in about ``2**63``."""
    prints = np.empty(len(observations), np.int64)
    fingerprint(np.ascontiguousarray(observations, np.float32).view(np.int32), prints)
    return prints


@compiled(void(int32[:, ::1], int64[::1]))
def fingerprint(words: NDArray[np.int32], out: Ints) -> None:
    """Fills ``out`` ``[B]`` with a hash of each row ``[B, n]``, never 0. Source: Steele et al. (2014), SplitMix."""
    for i in range(len(words)):
        value = np.int64(0)
        for j in range(words.shape[1]):
            value = (value ^ np.int64(words[i, j])) * np.int64(-7046029254386353131)
            value ^= value >> 31
        out[i] = value if value != 0 else np.int64(1)


TABLE = types.NamedTuple((int64[::1], float64[::1], float64[::1], float64[:, ::1]), Table)


@compiled(void(int64[::1], float64[:, ::1], TABLE, float64))
def overrule(prints: Ints, means: Floats, table: Table, prior: float) -> None:
    """Mixes what a network says of states, ``means`` ``[B, actions]``, with what the table remembers of them."""
    last = len(table.prints) - 1
    for i in range(len(prints)):
        place = prints[i] & last
        if table.prints[place] == prints[i]:
            visits, weight = table.visits[place], table.weights[place]
            for a in range(means.shape[1]):
                means[i, a] = (prior * means[i, a] + visits * table.sums[place, a] / weight) / (prior + visits)


@compiled(void(int64[::1], float64[:, ::1], float64, TABLE))
def remember(prints: Ints, advantages: Floats, weight: float, table: Table) -> None:
    """Adds advantages ``[B, actions]`` of states; a state that is new takes the place of another."""
    last = len(table.prints) - 1
    for i in range(len(prints)):
        place = prints[i] & last
        if table.prints[place] != prints[i]:
            table.prints[place] = prints[i]
            table.visits[place] = table.weights[place] = 0.0
            table.sums[place] = 0.0
        table.visits[place] += 1.0
        table.weights[place] += weight
        for a in range(advantages.shape[1]):
            table.sums[place, a] += weight * advantages[i, a]
