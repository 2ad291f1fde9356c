"""Mistakes of self-play code, put into ``examples/ppo_self_play.py``, and what ``nashzoo check-trainer`` says to them.

python -m studies.trainer_bugs    # what fails with each, as in arena/trainer_suspects.py, and in 50 runs without
"""

import argparse
import sys
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from examples.ppo_self_play import Options, train
from nashzoo.arena.trainer_checks import SEATS, Finding, check_trainer, failures
from nashzoo.arena.trainer_probes import PROBES

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "ppo_self_play.py"


class Bug(NamedTuple):
    """A mistake."""

    name: str
    changes: tuple[tuple[str, str], ...]  # texts that stand in the example once, and what stands there instead
    aec: bool  # whether it is a mistake of the example's loop over an AECEnv


def bug(name: str, *texts: str, aec: bool = False) -> Bug:
    """Returns a mistake, from texts of the example and what stands there instead, in turn."""
    return Bug(name, tuple(zip(texts[::2], texts[1::2], strict=True)), aec)


SEEN = "seen[step] = torch.from_numpy(games.view.observations)"
MASKS = "masks[step] = torch.from_numpy(games.view.masks)"
LEARNS = "learns[step] = torch.from_numpy(games.players_of_rows() == LEARNER)"
REWARDS = "rewards[step] = torch.from_numpy(outcome.rewards)"
ACTS = "policy = network.policy(seen[step], masks[step])"
UPDATES = "policy = network.policy(looked, legal)"
ON = "on = (1 - ends[step]) * signs[step]"
SURPRISE = "surprise = rewards[step] + options.gamma * on * later - values[step]"
AHEAD = "ahead = surprise + options.gamma * options.gae_lambda * on * ahead"
LAST = "last = network.value(torch.from_numpy(result.last.observations))"
ROLLOUT = "for step in range(options.num_steps):\n            seen"
RETURNS = "    return learner.policy\n"
LEARN = "    learner.learn(decisions)\n"
ARRAYS = "rewards, ends, signs, values = (torch.zeros(size) for _ in range(4))"
OTHER = "(np.arange(batch.num_rows) + options.num_games) % batch.num_rows"
PLAYED = "policy.sample().numpy()"
STEP = "result = games.step(played[step].numpy())"
MASKED = "self(observations).masked_fill(masks == 0, -1e9)"
AEC_STEP = "env.step(int(action))"
AEC_REWARD = "            rewards[agent].append(reward)\n"
AEC_BREAK = "            if terminated or truncated:\n                break\n"
AEC_GAME = "rewards[agent][1:], later"
AEC_LATE = (AEC_GAME, "(rewards[agent] + [0.0])[1 : len(steps[agent]) + 1], later")  # without the last reward
FIRST = "env.possible_agents[0]"
DATA = "return seen, masks, played, logprobs, learns, advantages, advantages + values"

BUGS = (
    bug("the reward is not negated for player 1", REWARDS,
        "rewards[step] = torch.from_numpy(np.where(acted_in == 1, -outcome.rewards, outcome.rewards))",
        LEARNS, LEARNS + "; acted_in = batch.seats.copy()"),
    bug("each seat has the other's reward", REWARDS, "rewards[step] = torch.from_numpy(-outcome.rewards)"),
    bug("rewards are clipped to -1..1", REWARDS, "rewards[step] = torch.from_numpy(outcome.rewards.clip(-1, 1))"),
    bug("the reward is stored a step late", REWARDS,
        "rewards[step] = delayed if step else 0.0; delayed = torch.from_numpy(outcome.rewards).float()"),
    bug("rewards are added to those of the last rollout", REWARDS, REWARDS.replace("] =", "] +="),
        ARRAYS, ARRAYS + "; rewards = vars(self).setdefault('kept', rewards)"),
    bug("the observation stored is that of the step before", SEEN,
        "now = torch.from_numpy(games.view.observations); seen[step] = before_now if step else now; before_now = now",
        ACTS, "policy = network.policy(now, masks[step])"),
    bug("players act on the observation of the step before", SEEN,
        "now = torch.from_numpy(games.view.observations); seen[step] = before_now if step else now; before_now = now"),
    bug("every seat has the other's observation", SEEN,
        f"seen[step] = torch.from_numpy(games.view.observations[{OTHER}])"),
    bug("all stored observations are the last, in one buffer", DATA, f"seen[:] = seen[-1].clone()\n        {DATA}"),
    bug("the action stored is not the one that was played", "result = games.step(played[step].numpy())",
        "result = games.step(policy.sample().numpy())"),
    bug("the log-probability stored is that of another action", "policy.log_prob(played[step]), network",
        "policy.log_prob(policy.sample()), network"),
    bug("actions are drawn without the mask", "policy.sample()", "Categorical(logits=network(seen[step])).sample()"),
    bug("the update is without the mask", UPDATES, "policy = network.policy(looked, torch.ones_like(legal))"),
    bug("every seat has the other's mask", MASKS, f"masks[step] = torch.from_numpy(games.view.masks[{OTHER}])"),
    bug("the mask is that of the step before", MASKS,
        "allowed = torch.from_numpy(games.view.masks); masks[step] = allowed_before if step else allowed; "
        "allowed_before = allowed"),
    bug("only seat 0 learns", LEARNS, LEARNS + " * torch.from_numpy(batch.seats == 0)"),
    bug("the value is bootstrapped over the end of a game", SURPRISE, SURPRISE.replace("on *", "signs[step] *")),
    bug("advantages are summed over the end of a game", AHEAD, AHEAD.replace("on *", "signs[step] *")),
    bug("the done flag is ignored", ON, "on = signs[step]"),
    bug("the done flag is stored a step late", ON, "on = (1 - ends[step - 1] * (step > 0)) * signs[step]"),
    bug("truncation counts as termination", " * last * cut_off", " * 0 * last * cut_off"),
    bug("a truncated game is bootstrapped from the start of the next", LAST,
        "last = network.value(torch.from_numpy(games.view.observations))[torch.from_numpy(ended)]"),
    bug("the rollout is not bootstrapped at its end",
        "later, ahead = network.value(torch.from_numpy(games.view.observations))",
        "later, ahead = torch.zeros(batch.num_rows)"),
    bug("the value is not negated where the turn passes", "np.where(batch.turned, -1.0, 1.0)",
        "np.where(batch.turned, 1.0, 1.0)"),
    bug("gamma is 0", "gamma: float = 0.99", "gamma: float = 0.0"),
    bug("advantages are summed forwards", "for step in reversed(range(options.num_steps)):",
        "for step in range(options.num_steps):"),
    bug("advantages have the wrong sign", "torch.min(ratio * advantage, clipped * advantage)",
        "torch.min(-ratio * advantage, -clipped * advantage)"),
    bug("the ratio is inverted", "ratio = (policy.log_prob(acted) - before).exp()",
        "ratio = (before - policy.log_prob(acted)).exp()"),
    bug("the clipped objective takes the maximum", "torch.min(ratio", "torch.max(ratio"),
    bug("the entropy bonus has the wrong sign", "gain - options.entropy", "gain + options.entropy"),
    bug("the value loss is missing", "loss = options.value_weight * error - gain", "loss = -gain"),
    bug("the target of the value is its own prediction", "advantages, advantages + values", "advantages, values"),
    bug("the optimizer lacks the parameters of the actor",
        "Adam(self.policy.parameters()", "Adam(self.policy.critic.parameters()"),
    bug("the policy loss is detached",
        "gain = (own * torch.min(ratio * advantage, clipped * advantage)).mean()",
        "gain = (own * torch.min(ratio * advantage, clipped * advantage)).detach().mean()"),
    bug("actions are in another order than observations", "flat = [part.flatten(0, 1) for part in data]",
        "flat = [part.flatten(0, 1) for part in data]; flat[2] = data[2].T.flatten()"),
    bug("the learning rate decays at once", "max(1 - self.num_timesteps / self.total_timesteps, 0)",
        "0.1 ** (self.num_timesteps / 300)"),
    bug("zero_grad is missing", "self.optimizer.zero_grad()", "pass"),
    bug("softmax is applied twice", "logits: torch.Tensor = self.actor(observations)",
        "logits: torch.Tensor = self.actor(observations).softmax(-1)"),
    bug("the policy returned is greedy", RETURNS,
        f"    learner.policy.forward = lambda seen: 1e3 * learner.policy.actor(seen)\n{RETURNS}"),
    bug("the policy returned is the one before training", LEARN,
        f"    first = copy.deepcopy(learner.policy)\n{LEARN}",
        RETURNS, "    return first\n"),
    bug("opponents are ignored, as by equilibrium play", "[as_policy(opponent, game) for opponent in opponents], rng",
        "[], rng"),
    bug("the opponent is drawn anew at every move", "np.unique(self.game_of_row[result.ended])",
        "np.arange(len(self.players))"),
    bug("the opponent is drawn anew at every rollout", ROLLOUT,
        f"games.draw_players(np.arange(options.num_games))\n        {ROLLOUT}"),
    bug("the opponent learns, too", "self.policy = copy.deepcopy(opponents[-1])", "self.policy = opponents[-1]"),
    bug("the update includes the opponent's actions", LEARNS, "learns[step] = 1.0"),
    bug("only one opponent is met", "len(self.opponents), size=len(games)", "1, size=len(games)"),
    bug("the learner has only seat 0 against opponents", "self.players[games, self.rng.integers(2, size=len(games))]",
        "self.players[games, 1]"),
    bug("observations are normalized in training alone", SEEN,
        f"{SEEN}; seen[step] = (seen[step] - seen[step].mean(0)) / (seen[step].std(0, correction=0) + 0.01)"),
    bug("observations of one seat are normalized", SEEN,
        f"{SEEN}; own = torch.from_numpy(batch.seats == 1); some = seen[step, own]; "
        "seen[step, own] = (some - some.mean(0)) / (some.std(0, correction=0) + 0.01)"),
    bug("the observation stored is that of the next step", STEP, f"{STEP}; {SEEN}"),
    bug("both seats see player 0's observation", SEEN,
        SEEN.replace("observations", "observations[np.arange(batch.num_rows) % options.num_games]")),
    bug("the mask is inverted", MASKED, MASKED.replace("==", "!=")),
    bug("the logits are multiplied by the mask", MASKED, "self(observations) * masks"),
    bug("illegal choices are replaced, and stored as they were",
        ACTS, ACTS.replace("masks[step]", "torch.ones_like(masks[step])"),
        STEP, "good = masks[step].gather(1, played[step][:, None])[:, 0] > 0; "
        "result = games.step(torch.where(good, played[step], Categorical(masks[step]).sample()).numpy())",
        UPDATES, "policy = network.policy(looked, torch.ones_like(legal))"),
    bug("games of training are played greedily", PLAYED, "policy.probs.argmax(-1).numpy()"),
    bug("both seats draw with the same random numbers", PLAYED, "(policy.probs.cumsum(-1)[:, :-1] <= "
        "torch.rand(options.num_games).repeat(len(policy.probs) // options.num_games)[:, None]).sum(-1).numpy()"),
    bug("the target of the value is player 0's in both seats", ROLLOUT, f"of = []\n        {ROLLOUT}",
        LEARNS, f"{LEARNS}; of.append(torch.from_numpy(np.where(batch.seats == 1, -1, 1)))",
        "advantages, advantages + values", "advantages, (advantages + values) * torch.stack(of)"),
    bug("the next value is the other seat's", SURPRISE, SURPRISE.replace("later", f"later[{OTHER}]")),
    bug("both seats have the sum of their rewards", REWARDS,
        f"rewards[step] = torch.from_numpy(outcome.rewards + outcome.rewards[{OTHER}])"),
    bug("rewards are reduced to their sign", REWARDS, "rewards[step] = torch.from_numpy(np.sign(outcome.rewards))"),
    bug("a truncated game goes on into the next", "outcome.terminated | outcome.truncated", "outcome.terminated"),
    bug("the opponent stays untrained", "decisions, opponents, options",
        "decisions, opponents or [Network(game.num_features, game.num_actions, 64)], options"),
    bug("the next seat's observation comes with the mover's reward", AEC_REWARD, "", AEC_GAME, "rewards[agent], later",
        "steps[agent].append", f"steps[{FIRST}].append",
        AEC_STEP, f"{AEC_STEP}; rewards[{FIRST}].append(env.rewards[agent])", aec=True),
    bug("the reward is that of the seat to move next", AEC_REWARD, "", AEC_GAME, "rewards[agent], later",
        "steps[agent].append", f"steps[{FIRST}].append",
        AEC_STEP, f"{AEC_STEP}; rewards[{FIRST}].append(env.last()[1])", aec=True),
    bug("the reward is read before the other has replied", AEC_REWARD, "", AEC_GAME, "rewards[agent], later",
        AEC_STEP, f"{AEC_STEP}; rewards[agent].append(env.rewards[agent])", aec=True),
    bug("the last reward is lost", AEC_REWARD, f"{AEC_BREAK}{AEC_REWARD}", *AEC_LATE, aec=True),
    bug("the last reward of who leaves the game second is lost", AEC_REWARD, f"{AEC_REWARD}{AEC_BREAK}", *AEC_LATE,
        aec=True),
    bug("every game has the same seed", "env.reset()", "env.reset(seed=1)", aec=True),
)  # fmt: skip


def trainer_with(mistake: Bug) -> Any:
    """Returns the ``train`` or ``train_aec`` of the example with a mistake."""
    text = EXAMPLE.read_text()
    for old, new in mistake.changes:
        if text.count(old) != 1:
            raise ValueError(f"{mistake.name}: {old!r} stands in the example {text.count(old)} times")
        text = text.replace(old, new)
    module = ModuleType("ppo_with_a_mistake")
    sys.modules[module.__name__] = module  # where dataclasses look for it
    exec(compile(text, module.__name__, "exec"), vars(module))
    return module.train_aec if mistake.aec else module.train


def factor_of(mistake: Bug) -> float:
    """Returns what multiplies the decisions of the probes: one game at a time is slow, and learns from fewer."""
    return 0.25 if mistake.aec else 1.0


def settings(seed: int) -> Options:
    """Returns settings with which the example learns, drawn at random."""
    rng = np.random.default_rng(seed)
    values = {
        "num_games": (32, 64),
        "num_steps": (8, 16),
        "epochs": (4, 8),
        "minibatches": (4, 8),
        "learning_rate": (2.5e-3, 5e-3, 1e-2),
        "gamma": (0.97, 0.99, 1.0),
        "gae_lambda": (0.9, 0.95, 1.0),
        "clip": (0.2, 0.3),
        "entropy": (0.1, 0.15, 0.2),
        "width": (32, 64, 128),
    }
    return Options(**{name: some[rng.integers(len(some))] for name, some in values.items()})


def right_trainer(seed: int) -> Any:
    """Returns the ``train`` of the example without a mistake, with settings drawn at random."""
    return partial(train, options=settings(seed))


def pattern(findings: Iterable[Finding]) -> str:
    """Returns the failures in some findings, as in ``SUSPECTS``: a probe without a seat fails in both."""
    failed = failures(findings)
    words = []
    for probe in PROBES:
        seats = [seat for seat in SEATS if f"{probe.name}:{seat}" in failed]
        words += [probe.name] if len(seats) == 2 else [f"{probe.name}:{seat}" for seat in seats]
        words += sorted({f"{probe.name}:opposite", f"{probe.name}:changed"} & failed)
    return " ".join(words)


def main() -> None:
    """Prints what fails with each mistake, and in runs with none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--right", type=int, default=50, help="runs without a mistake, each with settings of its own")
    options = parser.parse_args()
    trainers = [(mistake.name, trainer_with(mistake), 0, factor_of(mistake)) for mistake in BUGS]
    trainers += [(f"right, settings {seed}", right_trainer(seed), seed, 1.0) for seed in range(options.right)]
    for name, trainer, seed, factor in trainers:
        started = time.process_time()
        failed = pattern(check_trainer(trainer, seed, factor=factor))
        print(f"{name}: {failed or 'all passed'} ({time.process_time() - started:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
