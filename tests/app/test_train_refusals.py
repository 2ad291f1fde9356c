"""What training refuses, before it makes a folder."""

from pathlib import Path
from typing import Any

import pytest

from nashzoo.agents.registry import scripted
from nashzoo.envs import roshambo_v0
from nashzoo.envs.base.errors import UsageError
from training import trained

MINIMAX_Q = {"algorithm": "minimax_q"}
NASH_VI = {"algorithm": "nash_vi"}
BODEGA_BRAWL = {"game": "bodega_brawl_v0", "opponent": "random"}
ROSHAMBO = {"game": "roshambo_v0", "opponent": "population"}
SELF, PSRO, COUNTER = ({"opponent": name} for name in ("self", "psro", "counter"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timesteps": 0}, "timesteps must be a whole number of at least 1, not 0"),
        ({"num_envs": 0}, "num_envs must be a whole number from 1 to 100000, not 0"),
        ({"games": 0}, "games must be a whole number of at least 1, not 0"),
        ({"gamma": 1.5}, "gamma must be a number from 0 to 1, not 1.5"),
        ({"learning_rate": 0.0}, "learning_rate must be a number above 0, not 0.0"),
        ({"algorithm": "ppo", "setting": ("replay=0",)}, "settings are for minimax_q, .*; leave out --setting"),
        (MINIMAX_Q | COUNTER, "minimax_q has no opponent"),
        (MINIMAX_Q | {"player": "0"}, "against self the learner plays both seats, not 0 alone"),
        (MINIMAX_Q | {"ent_coef": 0.1}, "minimax_q does without --ent-coef; leave it out"),
        (MINIMAX_Q | {"num_envs": 8}, "minimax_q does without --num-envs; leave it out"),
        (MINIMAX_Q | {"generation": 5}, "minimax_q does without --generation; leave it out"),
        (MINIMAX_Q | {"oracle": "exact"}, "minimax_q does without --oracle; leave it out"),
        (MINIMAX_Q | {"setting": ("replay",)}, "'replay' should have the form name=value"),
        (MINIMAX_Q | {"gamma": 2.0}, "gamma must be"),
        (MINIMAX_Q | {"game": "bodega_brawl_v0", "param": ("preset=large",)}, "learn it with deep_minimax"),
        (NASH_VI | {"setting": ("alpha=1",)}, "nash_vi has no setting alpha; it has gamma, tolerance"),
        (NASH_VI | {"learning_rate": 0.1}, "nash_vi has no setting learning_rate; it has"),
        (SELF, "ppo learns one seat against an opponent; against self choose --algorithm policy_gradient"),
        (SELF | {"algorithm": "dqn"}, "dqn learns one seat against an opponent; against self choose --algorithm"),
        (PSRO | {"player": "0"}, "against psro the learner plays both seats, not 0 alone"),
        (SELF | {"oracle": "exact", "player": "0"}, "against self the learner plays both seats, not 0 alone"),
        (SELF | {"oracle": "exact", "ent_coef": 0.1}, "exact responses do without --ent-coef; leave it out"),
        (SELF | {"oracle": "exact", "algorithm": "dqn"}, "exact responses do without --algorithm; leave it out"),
        (PSRO | {"algorithm": "dqn", "ent_coef": 0.1}, "dqn has no entropy in what it learns; leave out --ent-coef"),
        (PSRO | {"ent_coef": -0.1}, "ent_coef must be a number from 0 to 1, not -0.1"),
        (PSRO | {"generation": 0}, "generation must be a whole number of at least 1, not 0"),
        (PSRO | {"iterations": 5}, "--iterations are of exact responses; choose --oracle exact, or leave it out"),
        (PSRO | {"algorithm": "recurrent_ppo"}, "against psro the learner cannot remember; choose"),
        (COUNTER | {"oracle": "exact"}, "exact responses are to self or psro, not to counter"),
        (COUNTER | {"generation": 5}, "there are past policies against psro alone; leave out"),
        (ROSHAMBO | {"held_out": ("nobody",)}, "it has no nobody to hold out"),
        (ROSHAMBO | {"held_out": scripted(roshambo_v0.game())}, "none is left to train against"),
        (ROSHAMBO | {"opponent": "copy", "held_out": ("pi",)}, "players are held out from --opponent population, not"),
        (ROSHAMBO | {"opponent": "random", "param": ("rounds=1048575",), "observation": "one_hot"},
         r"a one-hot observation of roshambo_v0\(.*\) would have 1,048,582 numbers"),
        (BODEGA_BRAWL | {"starts": "reachable"}, "has 28,807,600 states, more than the 2,000,000"),
        (BODEGA_BRAWL | {"starts": "nowhere.txt"}, r"nowhere\.txt cannot be read: No such file or directory"),
    ],
)  # fmt: skip
def test_what_is_refused_leaves_no_folder(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        trained(tmp_path / "run", **{"game": "footsies_v0"} | options)
    assert not (tmp_path / "run").exists()
