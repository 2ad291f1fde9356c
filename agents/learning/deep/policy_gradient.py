"""Policy gradient in self-play: an actor and a critic in one network, with steps of magnetic mirror descent.

Both players of many games play the policy ``pi``, and every decision is learned from. The network gives a logit and an
action value for every action. The critic ``q`` is fitted to returns ``G``, by squared error; the advantage of an action
is what the critic says, corrected by the return of the action ``a_t`` that was taken::

    A(a) = q(a) - v + 1[a = a_t] (G - q(a_t)) / pi(a_t)        v = sum_a pi(a) q(a)

In expectation it is that of the returns whatever the critic says, and it has a value for every action, so that the
gradient is not that of the taken action alone. The actor maximizes::

    sum_a pi'(a) A(a)  -  magnet * KL(pi' || rho)  -  KL(pi' || pi) / step_size

where ``rho`` is the magnet: the policy of an average of the latest weights, which begins as uniform play. Without a
magnet, self-play cycles. With a uniform one, which adds the entropy to the objective, it converges to another policy
than the equilibrium. A magnet that follows adds nothing where policy and magnet are equal. The average is also the
policy that is played; in games in turn with nothing hidden, where some equilibrium is pure, its most likely actions
are, as an opponent can wait for a rare mistake.

Returns are those of generalised advantage estimation, see ``generalized_advantages.py``.

Sources: Sokota et al. (2023), "A unified approach to reinforcement learning, quantal response equilibria, and
two-player zero-sum games", for magnetic mirror descent; Perolat et al. (2021), "From Poincare recurrence to convergence
in imperfect information games: finding equilibrium via regularization", for magnets that follow; Rudolph et al. (2025),
"Reevaluating policy gradient methods for imperfect-information games"; Schulman et al. (2016), "High-dimensional
continuous control using generalized advantage estimation"; Dudik, Langford and Li (2011), "Doubly robust policy
evaluation and learning", for the corrected advantages; Polyak and Juditsky (1992) for the average of weights.
"""

import dataclasses
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.generalized_advantages import Decisions, advantages, advantages_apart
from nashzoo.agents.learning.self_play_learner import Arrays, SelfPlayLearner, copy_into
from nashzoo.baselines.policies.outputs import greedy, softmax
from nashzoo.envs.core.agent import sample
from nashzoo.envs.core.game import Bools, Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.reachable import reachable_or_none
from nashzoo.envs.core.starts import REACHABLE, starts_of
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.jit.numba import float32, float64, int8, int64
from nashzoo.envs.vector.both_seats import BothSeatsBatch

LIMIT = 25.0  # of the weight 1 / pi(a_t) in an advantage: rare actions would make it noisy
LEAST = 1e-12  # probability in a logarithm


@dataclasses.dataclass(frozen=True)
class PolicyGradientSettings:
    """Settings of policy gradient.

    Attributes:
        total_timesteps: Decisions over which the learning rate falls to 0.
        num_envs: Games played side by side.
        n_steps: Joint actions in each game between two updates.
        batch_size: Decisions of one gradient step.
        learning_rate: Learning rate at the start.
        gamma: Discount factor for each joint action.
        gae_lambda: Weight of longer returns, from 0 for one joint action to 1 for the whole game.
        magnet: Weight of the divergence from the magnet at the start, as a share of the largest payoff met.
        final_magnet: The same at the end; None for the same weight always, a tenth of it in turn-based games, whose
            equilibria need not mix.
        step_size: Step size of mirror descent, for payoffs up to 1: the larger, the farther may a policy go at once.
        averaged: Share of the training over which weights are averaged; None for 0.2, or for 0.3 if the states are too
            many to be listed.
        hidden: Units of each hidden layer.
        layers: Number of hidden layers.
        exploring_starts: Whether half of all games start at a state drawn from all that play can reach, if they can be
            listed. Never with hidden information, where it would change what players must believe.
    """

    total_timesteps: int = 10_000_000
    num_envs: int = 1024
    n_steps: int = 16
    batch_size: int = 2048
    learning_rate: float = 0.003
    gamma: float = 1.0
    gae_lambda: float = 0.85
    magnet: float = 0.2
    final_magnet: float | None = None
    step_size: float = 1.0
    averaged: float | None = None
    hidden: int = 128
    layers: int = 2
    exploring_starts: bool = True


class Rollout(NamedTuple):
    """Decisions ``[T, B]`` of running games: ``T`` steps in ``B`` rows, and what followed."""

    observations: Features  # [T, B, features]
    masks: Mask  # [T, B, actions]
    actions: Ints
    policies: Features  # [T, B, actions]
    action_values: Features  # [T, B, actions]
    rewards: Features
    signs: Features  # -1 where the turn passed to the other player after the step, else 1
    ends: Bools  # whether the game ended with the step

    @classmethod
    def empty(cls, game: Game, steps: int, rows: int) -> "Rollout":
        """Returns arrays to be filled."""
        shape, numbers = (steps, rows), (steps, rows, game.num_actions)
        observations = np.empty((steps, rows, game.num_features), np.float32)
        policies, action_values = np.empty((2, *numbers), np.float32)
        rewards, signs = np.ones((2, *shape), np.float32)
        masks, actions, ends = np.empty(numbers, np.int8), np.empty(shape, np.int64), np.empty(shape, np.bool_)
        return cls(observations, masks, actions, policies, action_values, rewards, signs, ends)

    @property
    def values(self) -> Features:
        """The values of the states to the player of the row ``[T, B]``."""
        values: Features = (self.policies * self.action_values).sum(axis=2)
        return values


class PolicyGradient(SelfPlayLearner):
    """Learns a policy network by playing both seats, see the module.

    Attributes:
        num_timesteps: Decisions that it has learned from.
        scale: The largest payoff that it has met ``[1]``, in points.

    Raises:
        UsageError: a setting is out of its range.
    """

    NAME = "policy_gradient"
    GIVEN = "transitions, exploring starts"
    HIDDEN = True
    UNIT = "decisions"
    TIMESTEPS = 10_000_000
    FIRST_POINT = 30_000
    Settings: ClassVar[type[Any]] = PolicyGradientSettings
    COUNTS = "total_timesteps", "num_envs", "n_steps", "batch_size", "hidden", "layers"
    PROBABILITIES = "gamma", "gae_lambda", "averaged"
    POSITIVE = "learning_rate", "magnet", "final_magnet", "step_size"
    FLAGS = ("exploring_starts",)

    def begin(self, seed: int) -> None:
        """Sets the untrained state."""
        from nashzoo.agents.learning.deep.networks import Network, Trainer

        chosen: PolicyGradientSettings = self.settings
        if chosen.final_magnet is None:
            last = 0.1 * chosen.magnet if self.game.perfect_information else chosen.magnet
            self.settings = chosen = dataclasses.replace(chosen, final_magnet=last)
        if self.game.hides:  # values are of what each player sees, and what it believes follows from the rules' starts
            self._advantages, listed, exploring = advantages_apart, True, False
        else:
            listed = reachable_or_none(self.game) is not None
            self._advantages, exploring = advantages, listed and chosen.exploring_starts
        averaged = chosen.averaged
        if averaged is None:
            averaged = 0.2 if listed else 0.3
            self.settings = dataclasses.replace(chosen, averaged=averaged)
        self._seed, self._updates, self.scale = seed, 0, np.zeros(1)
        rng = np.random.default_rng([seed, 0])
        hidden = [chosen.hidden] * chosen.layers
        self._network, self._mean = (Network(self.game, hidden, 2 * self.game.num_actions, rng) for _ in range(2))
        forgotten = min(chosen.batch_size / max(averaged * chosen.total_timesteps, 1.0), 1.0)
        self._trainer = Trainer(self._network, self._mean, 1.0 - forgotten)
        starts = starts_of(self.game, REACHABLE).codes if exploring else None
        self._batch = BothSeatsBatch(self.game, chosen.num_envs, exploring=starts)
        self._batch.seed(seed)
        self._batch.restart()

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the policy of the averaged weights ``[B, actions]``, or its most likely actions, see the module."""
        policy = self._averaged(observations, action_masks)
        if self.game.perfect_information:
            policy = greedy(policy)
        return policy

    def _averaged(self, observations: Features, masks: Mask) -> Floats:
        return softmax(self._mean.evaluated(observations)[:, : self.game.num_actions], masks)

    def iterate(self) -> None:
        """Plays, and learns from it."""
        self._updates += 1
        rng = np.random.default_rng([self._seed, self._updates])
        self._update(*self._roll_out(rng), rng)

    def _evaluated(self, observations: Features, masks: Mask) -> tuple[Floats, Features]:
        """Returns the policy and the action values ``[B, actions]``."""
        logits, values = np.hsplit(self._network.evaluated(observations), 2)
        return softmax(logits, masks), values

    def _roll_out(self, rng: np.random.Generator) -> tuple[Rollout, Features]:
        """Plays, and returns the decisions, and the values after the last ones ``[B]``."""
        chosen, batch = self.settings, self._batch
        played = Rollout.empty(self.game, chosen.n_steps, batch.num_rows)
        view = batch.view()
        for step in range(chosen.n_steps):
            policy, values = self._evaluated(view.observations, view.masks)
            actions = sample(policy, rng.random(batch.num_rows))
            outcome, ended, last, following = batch.step_and_restart(actions)
            row = view.observations, view.masks, actions, policy, values, outcome.rewards
            arrays: tuple[NDArray[Any], ...] = played
            for array, new in zip(arrays, row, strict=False):
                array[step] = new
            self.scale[0] = max(self.scale[0], np.abs(outcome.rewards).max())
            played.ends[step] = outcome.terminated | outcome.truncated
            if batch.turn_based:
                played.signs[step] = np.where(batch.turned, -1, 1)
            cut = outcome.truncated[ended] & ~outcome.terminated[ended]
            if cut.any():  # a truncated game would have gone on
                policy, values = self._evaluated(last.observations[cut], last.masks[cut])
                rows = ended[cut]
                played.rewards[step, rows] += chosen.gamma * played.signs[step, rows] * (policy * values).sum(axis=1)
            self.num_games += int(played.ends[step, : batch.num_games].sum())
            view = following
        policy, values = self._evaluated(view.observations, view.masks)
        return played, (policy * values).sum(axis=1, dtype=np.float32)

    def _update(self, played: Rollout, last: Features, rng: np.random.Generator) -> None:
        import torch

        chosen = self.settings
        left = max(1.0 - self.num_timesteps / chosen.total_timesteps, 0.0)
        magnet = float(self.scale[0]) * (chosen.final_magnet + (chosen.magnet - chosen.final_magnet) * left)
        step = float(self.scale[0]) / chosen.step_size
        values = played.values
        decisions = Decisions(played.rewards, values, played.signs, played.ends.astype(np.float32), last)
        returned = (self._advantages(decisions, chosen.gamma, chosen.gae_lambda) + values).reshape(-1)
        flat = Rollout._make(array.reshape(-1, *array.shape[2:]) for array in played)
        objective = advantages_of(flat, values.reshape(-1), returned)
        averaged = self._averaged(flat.observations, flat.masks).astype(np.float32)
        for weight, near in (magnet, averaged), (step, flat.policies):  # what the new policy stays near to
            objective += np.float32(weight) * np.log(np.maximum(near, np.float32(LEAST)))

        def loss(rows: Ints) -> torch.Tensor:
            outputs = self._network(flat.observations[rows])
            arguments = flat.masks, objective, magnet + step, flat.actions, returned
            gradients = gradients_of(outputs.detach().numpy(), rows, *arguments)
            mean: torch.Tensor = (outputs * torch.from_numpy(gradients)).sum() / len(rows)
            return mean  # which has the gradient of the loss, and is not the loss itself

        rate = chosen.learning_rate * left
        self._trainer.fit(loss, len(returned), chosen.batch_size, lambda _: rate, 0, rng)
        self.num_timesteps += len(returned)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Returns the networks, the state of the optimizer, the running games, and the progress."""
        return {
            **self._network.arrays("network"),
            **self._mean.arrays("mean"),
            **self._trainer.arrays(),
            **self._batch.arrays(),
            "scale": self.scale,
            "updates": np.array([self._updates, self._seed]),
        }

    def restore(self, arrays: Arrays) -> None:
        """Sets the state that :meth:`arrays` returned."""
        networks = self._network.arrays("network") | self._mean.arrays("mean")
        copy_into(networks | self._batch.arrays() | {"scale": self.scale}, arrays)
        self._trainer.restore(arrays)
        self._updates, self._seed = map(int, arrays["updates"])


def advantages_of(played: Rollout, values: Features, returned: Features) -> Features:
    """Returns the advantage of every action ``[N, actions]``, see the module.

    Of the decisions there are also the values of their states and the returns ``[N]``.
    """
    advantages = played.action_values - values[:, None]
    taken = np.arange(len(values)), played.actions
    errors = returned - played.action_values[taken]
    advantages[taken] += errors / np.maximum(played.policies[taken], np.float32(1.0 / LIMIT))
    return advantages


@compiled(
    float32[:, ::1](float32[:, ::1], int64[::1], int8[:, ::1], float32[:, ::1], float64, int64[::1], float32[::1])
)
def gradients_of(
    outputs: Features, rows: Ints, masks: Mask, objective: Features, weight: float, actions: Ints, returned: Features
) -> Features:
    """Returns the gradient of the loss of decisions ``rows`` by the network's outputs ``[B, 2 * actions]``.

    With ``o`` the objective, the advantages and the weighted logarithms of what the new policy stays near to, and ``c``
    the sum of these weights, the loss is::

        (q(a_t) - G)^2 - sum_a pi'(a) (o(a) - c log pi'(a))

    and its gradient by the logit of an action ``pi'(a)`` times what ``o(a) - c log pi'(a)`` is below its mean.
    """
    count = masks.shape[1]
    gradients, policy, gains = np.zeros_like(outputs), np.empty(count), np.empty(count)
    for i in range(len(rows)):
        row = rows[i]
        legal = masks[row]
        top, total, mean = -np.inf, 0.0, 0.0
        for a in range(count):
            if legal[a]:
                top = max(top, outputs[i, a])
        for a in range(count):
            policy[a] = np.exp(outputs[i, a] - top) if legal[a] else 0.0
            total += policy[a]
        for a in range(count):
            policy[a] /= total
            gains[a] = objective[row, a] - weight * (outputs[i, a] - top - np.log(total))
            mean += policy[a] * gains[a]
        for a in range(count):
            gradients[i, a] = policy[a] * (mean - gains[a])
        taken = count + actions[row]
        gradients[i, taken] = 2.0 * (outputs[i, taken] - returned[row])
    return gradients
