"""Options of a training run."""

import dataclasses
import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from nashzoo.agents.basic.checks import check_positive, check_probability
from nashzoo.agents.learning.past_policies import KINDS, PSRO, SELF
from nashzoo.agents.learning.registry import LearnerEntry, model_of
from nashzoo.agents.learning.self_play_learner import SelfPlayLearner
from nashzoo.agents.loading import short_name
from nashzoo.agents.registry import learner_entry, self_play_learners
from nashzoo.app.shared.parsing import game_of
from nashzoo.app.training.ppo_config import POPULATION, Observation, PPOConfig, config_of
from nashzoo.arena.measure import scripts
from nashzoo.baselines.measures import EITHER
from nashzoo.envs import Game
from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import file_name
from nashzoo.envs.base.modules import is_path
from nashzoo.envs.core.checks import check_count, check_whole
from nashzoo.envs.registry import MATRICES

HELD_OUT_EVERY = 4
CHECKPOINT_EVERY = 50_000

GENERATION = 10_000  # decisions
MOST_PAST_SELVES = 50  # by default

LARGEST_SEED = 2**32 - 1  # of Stable-Baselines3
MOST_THREADS, MOST_ENVS = 1_024, 100_000

# Options that may change when a run is resumed.
CHANGING = (
    "timesteps", "resume", "run_dir", "stop_at", "checkpoint_every", "measure_every", "generation", "games", "threads",
    "iterations", "report_seconds",
)  # fmt: skip


CHECKS = {
    "stop_at": check_positive, "gamma": check_probability, "learning_rate": check_positive,
    "ent_coef": check_probability,
}  # fmt: skip

# Options of learners of Stable-Baselines3.
OF_LEARNERS = "num_envs", "ent_coef", "observation", "starts", "generation"


@dataclasses.dataclass(kw_only=True)
class Learning:
    """What learns."""

    #: ppo, a2c or dqn; maskable_ppo, maskable_a2c or maskable_dqn, which choose among the legal actions only;
    #: recurrent_ppo, which has a memory; one that learns an equilibrium, such as minimax_q (see nashzoo list); or a
    #: learner of your own: a class, my_module:MyLearner or ./file.py:MyLearner, a function, a script. When left out,
    #: maskable_ppo in games in which actions can be illegal, and ppo in others.
    algorithm: str | None = None
    #: Settings of learners that play both seats, such as replay=0 of minimax_q; nashzoo list minimax_q shows them.
    setting: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME=VALUE ...")] = ()
    #: The learner's seat; random draws it anew for every game.
    player: Literal["0", "1", "random"] = "random"


@dataclasses.dataclass(kw_only=True)
class Against:
    """Whom it learns from. Learners such as minimax_q play both seats themselves."""

    #: A player's name; a model saved by an earlier run (a .zip or .pt runs code when it is loaded: load only what you
    #: trust); "population", one of the game's scripted players, drawn for every game; or "psro", the equilibrium among
    #: the learner's past policies. When left out, population.
    opponent: str | None = None
    #: Players that are not in the population; every fourth of them when left out.
    held_out: Annotated[tuple[str, ...] | None, tyro.conf.arg(metavar="PLAYER ...")] = None
    #: Against psro: decisions from one past policy to the next. When left out 10,000, or a fiftieth of the run.
    generation: int | None = None
    #: Against psro: who responds, the learner or the exact best response, without learning. With exact ones and
    #: --opponent self it is fictitious play.
    oracle: Literal["learner", "exact"] = "learner"
    #: Largest number of exact responses.
    iterations: int = 100


@dataclasses.dataclass(kw_only=True)
class Run:
    """How long it learns, and where it is kept."""

    #: Decisions to learn from; when left out 500,000, and more for minimax_q and others that learn millions a second.
    timesteps: int | None = None
    #: End when the exploitability is at most this, in points per game; it is measured at the points of the curve.
    stop_at: float | None = None
    #: Folder of the run; runs/GAME-ALGORITHM-OPPONENT-SEED when left out.
    run_dir: Annotated[Path | None, tyro.conf.arg(aliases=("--out",))] = None
    #: Resume the run in the folder, if there is one; its game, opponent and settings must be the same.
    resume: bool = False
    #: Decisions between checkpoints, which a killed run may lose; when left out 50,000, or 30 seconds of minimax_q.
    checkpoint_every: int | None = None


@dataclasses.dataclass(kw_only=True)
class Tuning:
    """How it learns. What is left out is what we measured to be best in the game; else observations are compact."""

    #: Learning rate; when left out the algorithm's own, or one that falls to 0 over the run.
    learning_rate: float | None = None
    #: Discount factor for each decision; games with frequent rewards are easier to learn if it is below 1. When left
    #: out, it is 1 in most games, but 0.99 for dqn, whose values can diverge where states recur.
    gamma: float | None = None
    #: Weight of the entropy in the loss, not for dqn; when left out 0.005. More of it keeps a policy mixed.
    ent_coef: float | None = None
    #: Games played side by side, not for minimax_q and similar learners; when left out 64, or 512 or 1024.
    num_envs: int | None = None
    #: The learner's observations: compact, or one_hot, from which networks learn faster.
    observation: Observation | None = None
    #: Where training games start: game, as its rules say; reachable, at a reachable state, drawn uniformly; or a text
    #: file with the code of a state on each line. Figures are of games that start as the rules say.
    starts: str | None = None
    #: Threads of the network's arithmetic; for networks this small more are slower.
    threads: int = 1


@dataclasses.dataclass(kw_only=True)
class Reporting:
    """What is measured."""

    #: Decisions between the points of the learning curve, which are exact; when left out 5,000, and more in long runs
    #: and large games. For minimax_q and similar learners the distance grows with time.
    measure_every: int | None = None
    #: Games against every scripted agent; when left out 10,000, or fewer, as the time for the report allows.
    games: int | None = None
    #: Seconds on the clock for the report, inf for no limit, without compilation at the first use; what is not measured
    #: by then is left out, and the report says so. When left out 60, or the time of learning if that is longer.
    report_seconds: float | None = None


@dataclasses.dataclass
class Options(Reporting, Tuning, Run, Against, Learning):
    """Options of a run: the game, its parameters, the seed of everything random, and those of the groups."""

    game: str
    param: tuple[str, ...] = ()
    seed: int = 0

    def check(self) -> None:
        """Checks the options.

        Raises:
            UsageError: a number is out of its range, or two options exclude each other.
        """
        entry = self.entry
        if not entry.trained:
            raise UsageError(f"{entry.name} is not trained here, models of it play from their files; choose another")
        check_whole("threads", self.threads, 1, MOST_THREADS)
        check_count("iterations", self.iterations)
        check_whole("seed", self.seed, 0, LARGEST_SEED)
        if self.num_envs is not None:
            check_whole("num_envs", self.num_envs, 1, MOST_ENVS)
        for name in ("timesteps", "generation", "checkpoint_every", "measure_every", "games"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name))
        if self.report_seconds is not None and not self.report_seconds > 0:
            raise UsageError(f"report_seconds must be a number above 0, or inf, not {self.report_seconds}")
        for name, check in CHECKS.items():
            if getattr(self, name) is not None:
                check(name, getattr(self, name))
        if self.stop_at is not None and self.oracle == "exact":
            raise UsageError("exact responses end at an equilibrium; leave out --stop-at")
        if self.ent_coef is not None and entry.family and not entry.actor_critic:
            raise UsageError("dqn has no entropy in what it learns; leave out --ent-coef, or choose another")
        opponent = self.opponent_name()
        if self.held_out is not None and opponent != POPULATION:
            raise UsageError(f"players are held out from --opponent {POPULATION}, not from {opponent}")
        if self.is_self_play_learner:
            if opponent != SELF:
                raise UsageError(
                    f"{entry.name} has no opponent: it finds the policies of both seats; leave out --opponent"
                )
            self._do_without((*OF_LEARNERS, "oracle"), f"{entry.name} does")
            self.learner_settings()
        elif self.setting:
            raise UsageError(f"settings are for {', '.join(self_play_learners())}; leave out --setting")
        if self.iterations != Options.iterations and self.oracle != "exact":
            raise UsageError("--iterations are of exact responses; choose --oracle exact, or leave it out")
        if self.oracle == "exact":
            if opponent not in KINDS:
                raise UsageError(f"exact responses are to {' or '.join(KINDS)}, not to {opponent}")
            self._do_without((*OF_LEARNERS, "gamma", "learning_rate", "algorithm"), "exact responses do")
        elif opponent == SELF and not self.is_self_play_learner:
            raise UsageError(
                f"{entry.name} learns one seat against an opponent; against {SELF} choose --algorithm policy_gradient, "
                "which learns both"
            )
        if self.generation is not None and opponent != PSRO:
            raise UsageError(f"there are past policies against {PSRO} alone; leave out --generation")
        if opponent not in KINDS:
            return
        if self.player != "random":
            raise UsageError(f"against {opponent} the learner plays both seats, not {self.player} alone")
        if entry.remembers:
            raise UsageError(f"against {opponent} the learner cannot remember; choose another than {entry.name}")

    def _do_without(self, names: tuple[str, ...], who: str) -> None:
        """Checks that options which ``who`` does not have are not given."""
        for name in names:
            if getattr(self, name) != getattr(Options, name):
                raise UsageError(f"{who} without --{name.replace('_', '-')}; leave it out")

    def population(self, game: Game) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Returns the players to train against in the population, and those held out.

        Raises:
            UsageError: a player to hold out is not in the population, or no player is left.
        """
        if self.opponent_name() != POPULATION:
            return (), ()
        members = scripts(game)
        held_out = members[HELD_OUT_EVERY - 1 :: HELD_OUT_EVERY] if self.held_out is None else self.held_out
        unknown = sorted(set(held_out) - set(members))
        if unknown:
            raise UsageError(f"the population is {', '.join(members)}; it has no {', '.join(unknown)} to hold out")
        met = tuple(name for name in members if name not in held_out)
        if not met:
            raise UsageError("all players are held out; none is left to train against")
        return met, held_out

    @property
    def entry(self) -> LearnerEntry:
        """What is known of the learning algorithm."""
        if self.algorithm is None:
            return model_of("ppo", game_of(self.game, self.param).masked)
        if is_path(self.algorithm):  # a script
            name = Path(self.algorithm).stem
            return LearnerEntry(name, name, type(name, (SelfPlayLearner,), {}))
        return learner_entry(self.algorithm)

    @property
    def is_self_play_learner(self) -> bool:
        """Whether the algorithm is a :class:`nashzoo.agents.learning.self_play_learner.SelfPlayLearner`."""
        return self.algorithm is not None and self.entry.plays_both_seats

    @property
    def seat(self) -> int | str:
        """The learner's seat, 0, 1 or ``"random"``."""
        return "random" if self.player == "random" else int(self.player)

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that are learned."""
        return EITHER if self.player == "random" else (int(self.player),)

    def opponent_name(self) -> str:
        """Returns the training opponent."""
        return self.opponent or (SELF if self.is_self_play_learner else POPULATION)

    def budget(self) -> int:
        """Returns the number of decisions to learn from."""
        if self.is_self_play_learner:
            return self.timesteps or int(self.entry.load().TIMESTEPS)
        return self.settings().timesteps

    def settings(self) -> PPOConfig:
        """Returns the settings of a model of Stable-Baselines3: those given, and the game's defaults for the others."""
        names = [field.name for field in dataclasses.fields(PPOConfig)]
        chosen = {name: getattr(self, name, None) for name in names}
        settings = config_of(self.game, self.opponent_name(), self.entry)
        return dataclasses.replace(settings, **{name: value for name, value in chosen.items() if value is not None})

    def learner_settings(self) -> dict[str, Any]:
        """Returns the settings of a self-play learner.

        Raises:
            UsageError: one is not of the form ``name=value``.
            UsageTypeError: the learner has no such setting.
        """
        chosen = assignments(self.setting)
        common = {"gamma": self.gamma, "learning_rate": self.learning_rate}
        chosen |= {name: value for name, value in common.items() if value is not None}
        self.entry.load().check_names(chosen)
        return chosen

    def past_selves_every(self) -> int:
        """Returns the number of decisions after which the learner's policy is added to its past policies."""
        return self.generation or max(GENERATION, self.settings().timesteps // MOST_PAST_SELVES)

    def folder(self) -> Path:
        """Returns the folder of the run."""
        opponent = "-".join(re.findall(r"\w[\w.+]*", short_name(self.opponent_name())))
        learner = "exact" if self.oracle == "exact" else self.entry.name
        game = Path(self.game).stem if is_path(self.game) or self.game.endswith(MATRICES) else file_name(self.game)
        return self.run_dir or Path("runs") / f"{game}-{learner}-{opponent}-{self.seed}"

    def resume_key(self) -> dict[str, Any]:
        """Returns the options that cannot change when a run is resumed."""
        options = dataclasses.asdict(self) | {"algorithm": self.entry.name, "opponent": self.opponent_name()}
        if not self.is_self_play_learner:
            settings = self.settings()
            options |= {"num_envs": settings.num_envs, "gamma": settings.gamma}
            options |= {"observation": settings.observation, "starts": settings.starts}
        kept = {name: value for name, value in options.items() if name not in CHANGING}
        return json.loads(json.dumps(kept))  # type: ignore[no-any-return]  # tuples become lists, as in the file
