"""Options of a training run."""

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from nashzoo.agents.basic.checks import check_positive, check_probability
from nashzoo.agents.learning.past_policies import KINDS
from nashzoo.app.command_line.parsing import game_of
from nashzoo.arena.population import members_of
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_count, check_whole

Algorithm = Literal["ppo", "a2c", "dqn", "maskable_ppo", "maskable_a2c", "maskable_dqn", "recurrent_ppo"]

POPULATION = "population"  # in the place of an opponent's name
HELD_OUT_EVERY = 4

LARGEST_SEED = 2**32 - 1  # that Stable-Baselines3 takes

# Options that may be others when a run is resumed.
CHANGING = ("timesteps", "resume", "run_dir", "checkpoint_every", "measure_every", "games", "threads", "iterations")


@dataclasses.dataclass
class Options:
    """Train an agent in a game against an opponent, and compare it with the exact solution.

    Example: python train.py footsies_v0 --opponent counter
    """

    game: Annotated[str, tyro.conf.Positional]
    """Name of the game, such as footsies_v0."""
    opponent: str = "counter"
    """Who to train against: an agent's name, the path of a model saved by an earlier run, or "population" for all
    scripted players of the game but those held out, of whom one is drawn for every game; "self" for the learner itself,
    or with --selves its past selves; or "psro" for the equilibrium among all that past selves do."""
    held_out: tuple[str, ...] | None = None
    """Players that are not met in training against the population; every fourth of them when left out."""
    algorithm: Algorithm | None = None
    """Learning algorithm; the maskable ones know which actions are legal, recurrent_ppo remembers. When left out, it is
    maskable_ppo in games in which actions can be illegal, and ppo in others."""
    player: Literal["0", "1", "random"] = "random"
    """The learner's seat; random draws it anew for every game."""
    timesteps: int = 500_000
    """Decisions to learn from."""
    observation: Literal["compact", "one_hot"] = "compact"
    """What the learner sees: a number for each field of a state, or one_hot, a 1 among 0s for each, of which networks
    learn faster."""
    starts: str | None = None
    """Where training games start: reachable for any state that play can reach, each alike, or a text file with the code
    of a state on each line; as the rules say when left out. Figures are of games that start as the rules say."""
    num_envs: int = 64
    """Games played side by side."""
    seed: int = 0
    """Seed of everything random."""
    param: tuple[str, ...] = ()
    """Parameters of the game, such as rounds=3 blocks=2."""
    run_dir: Path | None = None
    """Folder of the run; runs/GAME-ALGORITHM-OPPONENT-SEED when left out."""
    resume: bool = False
    """Go on with the run in the folder, if there is one; what it learns and from whom must be the same."""
    checkpoint_every: int = 50_000
    """Decisions between checkpoints: at most what an interruption loses."""
    measure_every: int | None = None
    """Decisions between the points of the learning curve, which are exact. When left out, 5,000; but in a game of more
    than 100,000 states, where a point takes some seconds, a tenth of the run, and of more than a million states
    only the end of the curve."""
    threads: int = 1
    """Threads of the network's arithmetic; for networks this small more are slower."""
    gamma: float | None = None
    """What a point is worth a decision later; below 1 games that pay all the time are easier to learn. When left out,
    it is 1, but 0.99 for dqn: where play can recur, what it hopes for would feed on itself."""
    ent_coef: float | None = None
    """Weight of the entropy in what is learned, not for dqn; when left out 0.005, and 0.2 against self: the larger it
    is, the surer play comes to rest, and the further from perfect. Against psro a larger one keeps the learner from
    settling on what its past selves no longer do."""
    learning_rate: float | None = None
    """Size of the steps of learning; when left out the algorithm's own, and 0.001 against self, where all but dqn let
    it fall to 0 over the run."""
    generation: int = 10_000
    """Against self and psro: decisions after which the learner becomes one more of its past selves."""
    selves: int = 0
    """Against self: how many past selves, the latest ones, it plays against, one drawn for every game; 0 for the
    learner as it is now."""
    oracle: Literal["learner", "exact"] = "learner"
    """Against self and psro: who answers, the learner or the exact best response. With exact ones self is fictitious
    play, and nothing is learned by reinforcement."""
    iterations: int = 100
    """Exact responses at most."""
    games: int | None = None
    """Games against every scripted agent for the report; when left out 10,000, and fewer where games are long."""

    def check(self) -> None:
        """Checks the numbers.

        Raises:
            UsageError: one is out of its range, or two options do not go together.
        """
        for name in ("timesteps", "num_envs", "checkpoint_every", "threads", "generation", "iterations"):
            check_count(name, getattr(self, name))
        check_count("selves", self.selves, least=0)
        check_whole("seed", self.seed, 0, LARGEST_SEED)
        for name in ("measure_every", "games"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name))
        check_probability("gamma", self.discount())
        if self.learning_rate is not None:
            check_positive("learning_rate", self.learning_rate)
        if self.ent_coef is not None:
            check_probability("ent_coef", self.ent_coef)
            if self.learner().endswith("dqn"):
                raise UsageError("dqn has no entropy in what it learns; leave out --ent-coef, or choose another")
        if self.held_out is not None and self.opponent != POPULATION:
            raise UsageError(f"players are held out from --opponent {POPULATION}, not from {self.opponent}")
        if self.opponent not in KINDS:
            if self.oracle == "exact":
                raise UsageError(f"exact responses are to {' or '.join(KINDS)}, not to {self.opponent}")
        elif self.player != "random":
            raise UsageError(f"against {self.opponent} the learner plays both seats, not {self.player} alone")
        elif self.learner() == "recurrent_ppo":
            raise UsageError(f"against {self.opponent} the learner cannot remember; choose another than recurrent_ppo")

    def population(self, game: Game) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Returns who is met in training against the population, and who is held out.

        Raises:
            UsageError: somebody to be held out is not in the population, or nobody is left.
        """
        if self.opponent != POPULATION:
            return (), ()
        members = members_of(game, "scripted")
        held_out = members[HELD_OUT_EVERY - 1 :: HELD_OUT_EVERY] if self.held_out is None else self.held_out
        strange = sorted(set(held_out) - set(members))
        if strange:
            raise UsageError(f"the population is {', '.join(members)}; it has no {', '.join(strange)} to hold out")
        met = tuple(name for name in members if name not in held_out)
        if not met:
            raise UsageError("everybody is held out; nobody is left to train against")
        return met, held_out

    def learner(self) -> Algorithm:
        """Returns the learning algorithm."""
        return self.algorithm or ("maskable_ppo" if game_of(self.game, self.param).masked else "ppo")

    def discount(self) -> float:
        """Returns what a point is worth a decision later."""
        if self.gamma is not None:
            return self.gamma
        return 0.99 if self.learner().endswith("dqn") else 1.0

    def folder(self) -> Path:
        """Returns the folder of the run."""
        opponent = Path(self.opponent).stem if self.opponent.endswith(".zip") else self.opponent
        learner = "exact" if self.oracle == "exact" else self.learner()
        return self.run_dir or Path("runs") / f"{self.game}-{learner}-{opponent}-{self.seed}"

    def lasting(self) -> dict[str, Any]:
        """Returns the options that cannot change when a run is resumed."""
        options = dataclasses.asdict(self) | {"algorithm": self.learner(), "gamma": self.discount()}
        kept = {name: value for name, value in options.items() if name not in CHANGING}
        return json.loads(json.dumps(kept))  # type: ignore[no-any-return]  # tuples become lists, as in the file
