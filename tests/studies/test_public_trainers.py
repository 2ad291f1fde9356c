"""The public ways of training that were written anew do what the page says of them."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

import torch

from nashzoo.arena.trainer_checks import check_trainer
from nashzoo.arena.trainer_forms import FORMS
from nashzoo.arena.trainer_probes import one_state, seats
from studies import public_trainers


def test_one_environment_for_both_players_pays_who_has_moved() -> None:
    env = public_trainers.BothInOne(FORMS["aec"].make(seats()))
    env.reset(seed=0)
    _, first, over, _, _ = env.step(1)
    assert (first, over) == (0.0, False)
    _, second, over, _, _ = env.step(1)
    assert (second, over) == (1.0, True)  # player 1 wins a point by action 1


def test_without_the_last_step_an_episode_of_one_step_teaches_nothing() -> None:
    outputs = []
    for decisions, right in ((0, False), (20, False), (20, True)):
        network = public_trainers.cleanrl(FORMS["parallel"].make(one_state()), decisions, 0, right)
        outputs.append(torch.cat([part.flatten() for part in network.parameters()]))
    assert torch.equal(outputs[0], outputs[1]) and not torch.equal(outputs[0], outputs[2])


@pytest.mark.slow
def test_every_way_can_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_trainers, "STEPS", 200)
    ways = {**public_trainers.TRAINERS}
    if find_spec("tree") is None:  # which OpenSpiel's learners need
        del ways["openspiel_nfsp"]
    for train in ways.values():
        (finding,) = check_trainer(train, names=["masks"], factor=0.01)
        assert len(finding.losses) == 2 and not finding.error


def test_the_texts_for_maintainers_name_what_was_measured() -> None:
    text = Path(public_trainers.__file__).with_suffix(".markdown").read_text()
    assert re.search(rf"{public_trainers.STEPS:,} steps", text)
