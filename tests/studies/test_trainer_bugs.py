"""Mistakes put into the example are found, and the example without them passes, with other settings, too."""

import re
from pathlib import Path

import pytest

pytest.importorskip("torch")

from examples.ppo_self_play import train_aec
from nashzoo.arena.trainer_checks import check_trainer
from nashzoo.arena.trainer_suspects import SUSPECTS
from studies import trainer_bugs
from studies.trainer_bugs import BUGS, Bug

PAGE = Path(__file__).resolve().parents[2] / "docs" / "check_trainer.md"
TEXTS = Path(trainer_bugs.__file__).with_name("public_trainers.markdown")
FOUND = [mistake for mistake in BUGS if mistake.name in SUSPECTS]


def by_name(mistake: Bug) -> str:
    return mistake.name


def test_every_mistake_is_made_somewhere_in_the_example() -> None:
    for mistake in BUGS:
        assert callable(trainer_bugs.trainer_with(mistake))
    with pytest.raises(ValueError, match="no such text' stands in the example 0 times"):
        trainer_bugs.trainer_with(trainer_bugs.bug("none", "no such text", ""))


def test_more_than_nine_in_ten_mistakes_are_found_and_the_page_names_the_others() -> None:
    assert len(FOUND) == len(SUSPECTS) >= 0.9 * len(BUGS)
    text = " ".join(PAGE.read_text().split())
    passing = text[text.index("**What is not found**") : text.index("## Sources")]
    assert re.findall(r"\*([^*]+)\*[,;.]", passing) == [bug.name for bug in BUGS if bug.name not in SUSPECTS]


def test_the_mistakes_of_public_threads_are_known() -> None:
    rows = re.findall(r"^\| (.+) \| \[.*\]\(https://github.com/.*\) \|$", TEXTS.read_text(), re.MULTILINE)
    assert len(rows) > 10 and set(rows) <= {mistake.name for mistake in BUGS}


@pytest.mark.slow
@pytest.mark.parametrize("mistake", FOUND, ids=by_name)
def test_a_mistake_is_found(mistake: Bug) -> None:
    probes = dict.fromkeys(word.partition(":")[0] for word in SUSPECTS[mistake.name].failed.split(" or ")[0].split())
    factor = trainer_bugs.factor_of(mistake)
    findings = check_trainer(trainer_bugs.trainer_with(mistake), names=list(probes), factor=factor)
    assert not all(finding.passed for finding in findings)


@pytest.mark.slow
def test_a_right_trainer_passes_with_other_settings() -> None:
    findings = list(check_trainer(trainer_bugs.right_trainer(10), 10, factor=1))
    assert trainer_bugs.pattern(findings) == ""
    assert all(finding.passed for finding in findings)


@pytest.mark.slow
def test_a_right_trainer_of_an_aec_env_passes() -> None:
    findings = list(check_trainer(train_aec, names=["seats", "masks", "reply", "truncation"], factor=0.25))
    assert all(finding.passed for finding in findings)


@pytest.mark.slow
@pytest.mark.parametrize("probe", ["one_state", "masks", "reply"])
def test_the_example_with_stable_baselines3_passes(probe: str) -> None:
    sb3 = pytest.importorskip("examples.sb3_self_play")
    (finding,) = check_trainer(sb3.train, names=[probe])
    assert finding.passed
