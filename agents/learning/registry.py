"""The learners of this package by name; those of others enter by :func:`nashzoo.agents.register_learner`."""

from typing import Any, NamedTuple

from nashzoo.agents.basic.entry import loaded

TABULAR, DEEP = "nashzoo.agents.learning.tabular", "nashzoo.agents.learning.deep"
INFORMATION = "nashzoo.agents.learning.information"


class LearnerEntry(NamedTuple):
    """A learner with a name: a model of Stable-Baselines3, or one that plays both seats itself."""

    name: str
    title: str
    entry_point: str | type[Any]  # module:Class, as Gymnasium has them, imported on demand; or the class
    family: str = ""  # of a model: the algorithm that it is a form of; empty for learners that play both seats
    masks: bool = False  # whether a model chooses among the legal actions alone
    actor_critic: bool = False  # whether a model learns a network that gives a distribution
    remembers: bool = False  # whether a model has a memory
    trained: bool = True  # whether ``nashzoo train`` has it; others play from files
    modules: tuple[str, ...] = ()  # of the policies in a model's files

    @property
    def plays_both_seats(self) -> bool:
        """Whether it is a :class:`nashzoo.agents.learning.self_play_learner.SelfPlayLearner`."""
        return not self.family

    @property
    def gives_distributions(self) -> bool:
        """Whether it is a model whose network gives a distribution over actions by state alone."""
        return self.actor_critic and not self.remembers

    def load(self) -> type[Any]:
        """Returns the class."""
        return loaded(self.entry_point)


_SB3, _MASKED = ("stable_baselines3.common.policies",), ("sb3_contrib.common.maskable.policies",)
_DQN = "nashzoo.agents.learning.maskable_dqn", "nashzoo.agents.maskable_dqn"  # the second in version 0.1.0

_ENTRIES = (
    LearnerEntry("ppo", "PPO", "stable_baselines3:PPO", "ppo", actor_critic=True, modules=_SB3),
    LearnerEntry("a2c", "A2C", "stable_baselines3:A2C", "a2c", actor_critic=True, modules=_SB3),
    LearnerEntry("dqn", "DQN", "stable_baselines3:DQN", "dqn", modules=("stable_baselines3.dqn.policies",)),
    LearnerEntry(
        "maskable_ppo", "PPO among legal actions", "sb3_contrib:MaskablePPO", "ppo", True, True, modules=_MASKED
    ),
    # A2C is PPO with one gradient step on the whole rollout; its files are those of PPO.
    LearnerEntry("maskable_a2c", "A2C among legal actions", "sb3_contrib:MaskablePPO", "a2c", True, True),
    LearnerEntry("maskable_dqn", "DQN among legal actions", f"{_DQN[0]}:MaskableDQN", "dqn", True, modules=_DQN),
    LearnerEntry(
        "recurrent_ppo", "PPO with a memory", "sb3_contrib:RecurrentPPO", "ppo", actor_critic=True, remembers=True,
        modules=("sb3_contrib.common.recurrent.policies",),
    ),
    LearnerEntry(
        "qrdqn", "QR-DQN", "sb3_contrib:QRDQN", "qrdqn", trained=False, modules=("sb3_contrib.qrdqn.policies",)
    ),
    LearnerEntry("minimax_q", "Minimax-Q", f"{TABULAR}.minimax_q:MinimaxQ"),
    LearnerEntry("nash_vi", "Nash value iteration", f"{TABULAR}.nash_vi:NashVI"),
    LearnerEntry("regret_matching", "Regret matching", f"{TABULAR}.regret_matching:RegretMatching"),
    LearnerEntry("wolf_phc", "WoLF-PHC", f"{TABULAR}.wolf_phc:WolfPHC"),
    LearnerEntry("value_iteration", "Value iteration in a table", f"{TABULAR}.value_iteration:ValueIteration"),
    LearnerEntry("deep_minimax", "Value iteration with a network", f"{DEEP}.deep_minimax:DeepMinimax"),
    LearnerEntry("distilled", "A policy network taught by deep minimax", f"{DEEP}.distilled:Distilled"),
    LearnerEntry("policy_gradient", "Policy gradient", f"{DEEP}.policy_gradient:PolicyGradient"),
    LearnerEntry("deep_hedge", "Hedge with networks", f"{DEEP}.deep_hedge:DeepHedge"),
    LearnerEntry("mccfr", "Monte Carlo CFR", f"{INFORMATION}.mccfr:MCCFR"),
    LearnerEntry("cfr", "Counterfactual regret minimization", f"{INFORMATION}.planners:CFR"),
    LearnerEntry("cfr_plus", "CFR+, no regret below zero", f"{INFORMATION}.planners:CFRPlus"),
    LearnerEntry("dcfr", "Discounted CFR, early regrets fade", f"{INFORMATION}.planners:DiscountedCFR"),
    LearnerEntry("pcfr_plus", "Predictive CFR+, guesses the next regret", f"{INFORMATION}.planners:PredictiveCFRPlus"),
)  # fmt: skip
LEARNERS = {entry.name: entry for entry in _ENTRIES}


def models() -> dict[str, LearnerEntry]:
    """Returns the algorithms of Stable-Baselines3."""
    return {name: entry for name, entry in LEARNERS.items() if not entry.plays_both_seats}


def model_of(family: str, masks: bool) -> LearnerEntry:
    """Returns the form of an algorithm without memory for games in which all actions are legal, or are not."""
    return next(
        entry for entry in LEARNERS.values() if entry.family == family and entry.masks == masks and not entry.remembers
    )
