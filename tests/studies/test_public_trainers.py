"""The public ways of training that were written anew do what the page says of them."""

import re
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
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


@pytest.mark.parametrize(("seat", "rewards"), [(0, (0.0, -1.0)), (1, (-1.0, 0.0))])
def test_the_opponent_moves_inside_a_step(seat: int, rewards: tuple[float, float]) -> None:
    games = public_trainers.OneSeat(FORMS["module"].make(seats()), (seat,), np.random.default_rng(0))
    opponent = SimpleNamespace(get_action=lambda seen, *rest: np.full(len(seen), 1 - seat))
    for number in range(len(games.envs)):
        games.reset(number)
    games.step([], opponent)
    for action, reward in enumerate(rewards):
        given, over = games.step(np.full(len(games.envs), action), opponent)
        assert (given == reward).all() and over.all()


@pytest.mark.slow
def test_every_way_can_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_trainers, "STEPS", 200)
    ways = {**public_trainers.TRAINERS}
    for package, needs_it in (("tree", {"openspiel_nfsp"}), ("agilerl", {"agilerl", "agilerl_mended"})):
        if find_spec(package) is None:
            ways = {name: train for name, train in ways.items() if name not in needs_it}
    for train in ways.values():
        (finding,) = check_trainer(train, names=["masks"], factor=0.01)
        assert len(finding.losses) == 2 and not finding.error


def test_the_texts_for_maintainers_name_what_was_measured() -> None:
    text = Path(public_trainers.__file__).with_suffix(".markdown").read_text()
    assert re.search(rf"{public_trainers.STEPS:,} steps", text)
