"""The learners with TorchRL and RLlib learn; ``make ecosystem`` runs this where these are installed."""

import re
from pathlib import Path
from typing import Any

import pytest

from examples import rllib_learner, torchrl_learner
from examples.games import kuhn
from nashzoo.arena.trainer_checks import check_trainer
from nashzoo.baselines import exploitability
from nashzoo.envs import Game

KUHN = Game(kuhn)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "coming_from.md"


@pytest.mark.parametrize("kind", [rllib_learner.RllibPPO, torchrl_learner.TorchRLPPO])
def test_play_of_kuhn_poker_becomes_less_exploitable(kind: Any) -> None:
    learner = kind(KUHN, seed=0)
    before = exploitability(KUHN, learner.policy)
    for decisions in (5_000, 10_000):
        learner.learn(5_000)
        assert decisions <= learner.num_timesteps < decisions + 5_000
    assert exploitability(KUHN, learner.policy) < before / 2


@pytest.mark.parametrize("probe", ["masks", "truncation"])
@pytest.mark.parametrize("example", [rllib_learner, torchrl_learner])
def test_the_training_functions_pass(example: Any, probe: str) -> None:
    (finding,) = check_trainer(example.train, names=[probe], factor=0.5)  # these learn from half the decisions
    assert finding.passed


@pytest.mark.parametrize("code", re.findall(r"^```py\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL))
def test_the_page_for_those_who_come_from_these_libraries_runs(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, PAGE.name, "exec"), {})
    assert 0 < float(capsys.readouterr().out) < 1
