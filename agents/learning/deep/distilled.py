"""Distilled: a policy network fitted to the policy of deep minimax; it plays without a simulator.

First a teacher learns, see :mod:`nashzoo.agents.learning.deep.deep_minimax`. Then states are drawn as by the teacher,
from its pool and from games, and at each the teacher's matrix game gives the targets of the policy network, which is
fitted to them by cross-entropy:

- where both players choose, the equilibrium strategy of each player;
- where one player moves alone, the softmax of its action values, divided by the temperature: many actions may be worth
  the same, and which of them the teacher takes depends on rounding.

Two strategies with the same cross-entropy can lose different amounts to a best response. So the loss also contains the
worst-case payoff of the network's strategy, its payoff in the matrix game against a best response:
``(1 - worst_case) * cross-entropy - worst_case * worst-case payoff``.

In turn-based games the likeliest action is played: a patient opponent would wait for mistakes of small probability. For
the same reason small probabilities are played as 0 in other games with recurring states.

Sources: Silver et al. (2018), "A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play", and Anthony, Tian and Barber (2017), "Thinking fast and slow with deep learning and tree search", for
networks that are fitted to what a search plays; Hinton, Vinyals and Dean (2015), "Distilling the knowledge in a neural
network"; Lockhart et al. (2019), "Computing approximate equilibria in sequential adversarial games by exploitability
descent", for gradients of the payoff against a best response.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.deep.backups import BackedUp
from nashzoo.agents.learning.deep.deep_minimax import DeepMinimax, falling
from nashzoo.agents.learning.deep.states import observed
from nashzoo.agents.learning.self_play_learner import Arrays, SelfPlayLearner, copy_into
from nashzoo.baselines.policies.outputs import greedy
from nashzoo.baselines.solvers.backup import action_values
from nashzoo.baselines.states.space import NEVER
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.core import kernels
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.reachable import turns_of

NEVER_PLAYED = 1e9  # points in the place of an illegal joint action's
LEAST = 0.01  # of the probability of the likeliest action: what is played at all where an opponent can wait


@dataclasses.dataclass(frozen=True)
class DistilledSettings:
    """Settings of distillation.

    Attributes:
        total_timesteps: Fitted states, the teacher's and the policy network's together.
        teaching: Share of them for the teacher, unless its settings contain their number.
        teacher: Settings of the teacher.
        hidden: Units of each hidden layer of the policy network.
        layers: Number of hidden layers.
        learning_rate: Learning rate at the start; it falls to 0.
        batch_size: Fitted states of one gradient step.
        polyak: Factor of the average of the latest weights in every step; the average plays.
        states: States drawn at once.
        depth: Joint actions that the teacher looks ahead.
        worst_case: Weight of the worst-case payoff, in points, in the loss; the cross-entropy has 1 minus this weight.
        temperature: Temperature of the softmax in turn-based games, in points.
    """

    total_timesteps: int = 4_000_000
    teaching: float = 0.5
    teacher: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    hidden: int = 128
    layers: int = 3
    learning_rate: float = 0.003
    batch_size: int = 512
    polyak: float = 0.98
    states: int = 32_768
    depth: int = 1
    worst_case: float = 0.75
    temperature: float = 0.01


class Distilled(SelfPlayLearner):
    """A policy network that is fitted to a teacher's policy, see the module.

    Attributes:
        teacher: The teacher, a :class:`nashzoo.agents.learning.deep.deep_minimax.DeepMinimax`.
        num_timesteps: Fitted states of the teacher, and of the policy network; where both players choose, a state
            counts twice, once for each player's observation.
        num_games: 0, as the teacher's.

    Raises:
        UsageError: a setting is out of its range.
    """

    NAME = "distilled"
    GIVEN = "a simulator"
    UNIT = "fitted states"
    TIMESTEPS = 8_000_000
    Settings: ClassVar[type[Any]] = DistilledSettings
    COUNTS = "total_timesteps", "hidden", "layers", "batch_size", "states", "depth"
    PROBABILITIES = "teaching", "polyak", "worst_case"
    POSITIVE = "learning_rate", "temperature"

    def begin(self, seed: int) -> None:
        """Sets the untrained state."""
        from nashzoo.agents.learning.deep.networks import Network, Trainer

        chosen: DistilledSettings = self.settings
        if not isinstance(chosen.teacher, Mapping):
            raise UsageTypeError(
                f"teacher must be settings of deep_minimax by name, as {{'gamma': 1}}, not {chosen.teacher!r}"
            )
        timesteps = max(round(chosen.teaching * chosen.total_timesteps), 1)
        self.teacher = DeepMinimax(self.game, seed, **{"total_timesteps": timesteps, **chosen.teacher})
        self.teacher.depth = chosen.depth
        self.settings = dataclasses.replace(chosen, teacher=dataclasses.asdict(self.teacher.settings))
        self._own = chosen.total_timesteps - self.teacher.settings.total_timesteps
        if self._own <= 0:
            raise UsageError(
                f"total_timesteps must be more than the teacher's, which are "
                f"{self.teacher.settings.total_timesteps}, not {chosen.total_timesteps}"
            )
        self._fitted = self._iterations = 0
        self._seed = seed
        rng = np.random.default_rng([seed, 0])
        hidden = [chosen.hidden] * chosen.layers
        self._network, self._mean = (Network(self.game, hidden, self.game.num_actions, rng) for _ in range(2))
        self._trainer = Trainer(self._network, self._mean, chosen.polyak)
        self._greedy = self.game.turn_based
        self._least = LEAST if self.teacher.waits else 0.0

    @classmethod
    def of(cls, teacher: DeepMinimax, timesteps: int, seed: int | None = None, **settings: Any) -> Self:
        """Returns a policy network to be fitted to a teacher that has been trained already.

        Args:
            teacher: The teacher; it is not changed.
            timesteps: Fitted states of the policy network.
            seed: The seed.
            **settings: Fields of ``Settings``.
        """
        taught = dataclasses.asdict(teacher.settings) | {"total_timesteps": max(teacher.num_timesteps, 1)}
        learner = cls(
            teacher.game, seed, total_timesteps=taught["total_timesteps"] + timesteps, teacher=taught, **settings
        )
        learner.teacher.copy_from(teacher)
        learner.num_timesteps = teacher.num_timesteps
        return learner

    def iterate(self) -> None:
        """Lets the teacher learn, until it has learned; then fits the policy network."""
        if self.teacher.num_timesteps < self.teacher.settings.total_timesteps:
            self.teacher.learn(1)
        else:
            self._iterations += 1
            self._distil(np.random.default_rng([self._seed, 0, self._iterations]))
        self.num_timesteps = self.teacher.num_timesteps + self._fitted

    def _distil(self, rng: np.random.Generator) -> None:
        import torch

        from nashzoo.agents.learning.deep.networks import log_softmax

        chosen: DistilledSettings = self.settings
        self.teacher.forget()  # rounding depends on the batch, and must not depend on cached values
        codes, backed_up = self.teacher.draw(chosen.states, rng, self.teacher.equilibria)
        seen, masks, wanted, states, players = _examples(self.game, codes, backed_up, chosen.temperature)
        legal, targets = torch.from_numpy(masks).bool(), torch.from_numpy(wanted.astype(np.float32))

        def loss(rows: Ints) -> torch.Tensor:
            logarithms = log_softmax(self._network(seen[rows]), legal[rows])
            cross_entropy = -(targets[rows] * logarithms).sum(1).mean()
            if chosen.worst_case == 0.0:
                return cross_entropy
            payoffs = torch.from_numpy(_payoffs(backed_up, states[rows], players[rows], self.game.num_actions))
            worst = torch.bmm(logarithms.exp()[:, None], payoffs).amin(2).mean()
            return (1.0 - chosen.worst_case) * cross_entropy - chosen.worst_case * worst

        rate = falling(chosen.learning_rate, self._own)
        self._fitted, _ = self._trainer.fit(loss, len(seen), chosen.batch_size, rate, self._fitted, rng)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the softmax of the network's logits ``[B, actions]``; see the module for what is left out of it."""
        logits = np.where(action_masks == 1, self._mean.evaluated(observations).astype(np.float64), -np.inf)
        if self._greedy:
            return greedy(logits)
        likely = np.exp(logits - logits.max(axis=1, keepdims=True))
        likely[likely < self._least] = 0.0
        probabilities: Floats = likely / likely.sum(axis=1, keepdims=True)
        return probabilities

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Returns the networks, the teacher's arrays, and the progress."""
        return {
            **self._network.arrays("network"),
            **self._mean.arrays("mean"),
            **self._trainer.arrays(),
            "iterations": np.array([self._iterations, self._seed, self._fitted]),
            "teacher_timesteps": np.array([self.teacher.num_timesteps]),
            **{f"teacher_{name}": array for name, array in self.teacher.arrays().items()},
        }

    def restore(self, arrays: Arrays) -> None:
        """Sets the state that :meth:`arrays` returned."""
        copy_into(self._network.arrays("network") | self._mean.arrays("mean"), arrays)
        self._trainer.restore(arrays)
        self._iterations, self._seed, self._fitted = map(int, arrays["iterations"])
        self.teacher.num_timesteps = int(arrays["teacher_timesteps"][0])
        self.teacher.restore(
            {name.removeprefix("teacher_"): array for name, array in arrays.items() if name.startswith("teacher_")}
        )


class _Examples(NamedTuple):
    """What the network is fitted to: an example for each player to move, so two where both move."""

    observations: Features  # [L, features]
    masks: Mask  # [L, actions]
    targets: Floats  # [L, actions], probabilities
    states: Ints  # [L], numbers of the states
    players: Ints  # [L]


def _examples(game: Game, codes: Ints, backed_up: BackedUp, temperature: float) -> _Examples:
    """Returns the examples of states ``[B]``; the temperature is that of the softmax in turn-based games."""
    movers, examples = turns_of(game, codes), []
    for player in range(2):
        rows = np.flatnonzero(movers != 1 - player)
        players = np.full(len(rows), player)
        masks = np.empty((len(rows), game.num_actions), np.int8)
        kernels.legal_all(game.compiled, codes[rows], players, masks)
        wanted = backed_up.strategies[player][rows]
        if game.turn_based:
            other = backed_up.strategies[1 - player][rows]
            worth = action_values(backed_up.after.successors.at(rows), backed_up.after_values, other, player)
            likely = np.exp((worth - worth.max(axis=1, keepdims=True)) / temperature)
            wanted = likely / likely.sum(axis=1, keepdims=True)
        examples.append(_Examples(observed(game, codes[rows], players), masks, wanted, rows, players))
    return _Examples(*map(np.concatenate, zip(*examples, strict=True)))


def _payoffs(backed_up: BackedUp, states: Ints, players: Ints, num_actions: int) -> NDArray[np.float32]:
    """Returns players' matrix games ``[n, own actions, other's actions]``; illegal entries are above all others.

    ``states`` ``[n]`` are numbers among the backed-up ones.
    """
    following, rewards = backed_up.after.successors.at(states).by_action(num_actions)
    payoffs = rewards + np.where(following < 0, 0.0, backed_up.after_values[following])
    first = (players == 0)[:, None, None]
    own = np.where(first, payoffs, -payoffs.transpose(0, 2, 1))
    never = np.where(first, following, following.transpose(0, 2, 1)) == NEVER
    return np.where(never, NEVER_PLAYED, own).astype(np.float32)
