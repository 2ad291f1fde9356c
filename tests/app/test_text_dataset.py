"""Choices in words with the exact solution: ``nashzoo text dataset``."""

import json
from pathlib import Path
from typing import Any

import pytest

import nim
from command import Command
from nashzoo.app.text.dataset import VAIN
from nashzoo.baselines import solve
from nashzoo.baselines.choices import choice_at
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs import footsies_v0
from nashzoo.envs.text.situation import as_json, as_text, situation
from nashzoo.envs.text.wording import disguise

EXACT = 1e-9
FOOTSIES, SMALL = footsies_v0.game(), footsies_v0.game(blocks=0)
FIELDS = ["game", "state", "player", "prompt", "completion", "actions", "equilibrium", "value", "regrets"]


def written(nashzoo: Command, line: str) -> tuple[list[dict[str, Any]], str]:
    """Returns the lines that the command writes, and what it says."""
    said = nashzoo.prints(f"text dataset {line} --out lines.jsonl")
    return [json.loads(text) for text in Path("lines.jsonl").read_text().splitlines()], said


def test_all_choices_have_the_exact_solution(nashzoo: Command) -> None:
    lines, said = written(nashzoo, "footsies_v0 --param blocks=0 --states 18")
    assert said == "Written to lines.jsonl: 18 choices, all that there are."
    assert len({(line["state"], line["player"]) for line in lines}) == len(lines) == 2 * 9
    solution = solve(SMALL)
    codes = {SMALL.spell(code): code for code in ListedStates(SMALL).codes.tolist()}
    for line in lines:
        assert list(line) == FIELDS
        code = codes[line["state"]]
        choice = choice_at(solution, code, line["player"])
        assert line["prompt"] == [{"role": "user", "content": as_text(situation(SMALL, code, line["player"]))}]
        assert line["actions"] == [SMALL.actions[action] for action in choice.actions]
        assert line["value"] == pytest.approx(choice.value, abs=EXACT)
        assert line["equilibrium"] == pytest.approx(choice.probabilities.tolist(), abs=EXACT)
        assert line["regrets"] == pytest.approx(choice.regrets.tolist(), abs=EXACT)
        (answer,) = line["completion"]
        assert answer["role"] == "assistant"
        assert line["equilibrium"][line["actions"].index(answer["content"])] > 0
    drawn = [line["actions"].index(line["completion"][0]["content"]) for line in lines]
    assert len(set(drawn)) > 1


def test_nim_is_played_as_bouton_says_and_a_forced_move_is_no_choice(nashzoo: Command) -> None:
    lines, _ = written(nashzoo, f"{nim.__file__} --param heap=6 first=random --states 99")
    heaps = [int(line["state"].removeprefix("heap=")[0]) for line in lines]
    assert sorted(heaps) == [2, 2, 3, 3, 4, 4, 5, 5, 6, 6]  # with 1 left there is nothing to choose
    for heap, line in zip(heaps, lines, strict=True):
        assert line["value"] == (-1 if heap == 4 else 1)
        if heap != 4:
            assert line["completion"][0]["content"] == f"take {heap % 4}"
            assert line["regrets"] == [0 if taken == heap % 4 else 2 for taken in range(1, min(3, heap) + 1)]


def test_self_play_is_drawn_by_the_seed(nashzoo: Command) -> None:
    line = "tictactoe_v0 --states 60 --seed"
    first, said = written(nashzoo, f"{line} 1")
    assert said == "Written to lines.jsonl: 60 choices, of self-play (equilibrium)."
    kept = Path("lines.jsonl").read_bytes()
    assert len(first) == 60 == len({one["state"] for one in first})
    assert first[0]["state"] == "board=........."
    written(nashzoo, f"{line} 1")
    assert Path("lines.jsonl").read_bytes() == kept
    written(nashzoo, f"{line} 2")
    assert Path("lines.jsonl").read_bytes() != kept


def test_uniform_play_meets_what_the_equilibrium_avoids(nashzoo: Command) -> None:
    def lost(play: str) -> int:
        lines, _ = written(nashzoo, f"tictactoe_v0 --states 200 --play {play}")
        return sum(line["value"] != 0 for line in lines)

    assert lost("equilibrium") < lost("uniform")


@pytest.mark.slow
def test_it_says_when_play_meets_no_more(nashzoo: Command) -> None:
    lines, said = written(nashzoo, "footsies_v0 --states 257")
    assert len(lines) < 257
    play = f"{len(lines)} choices, of self-play (equilibrium)"
    assert said == f"Written to lines.jsonl: {play}; {VAIN:,} more matches met no other."


def test_hidden_information_is_not_read(nashzoo: Command) -> None:
    lines, _ = written(nashzoo, "nashzoo.examples.kuhn --states 12")
    assert len(lines) == 12 and all("?" in line["state"] for line in lines)
    for line in lines:
        assert f"player {1 - line['player']}: card ?" in line["prompt"][0]["content"]
    opening = [line for line in lines if line["player"] == 0 and "moves=0" in line["state"]]
    assert sum(line["value"] for line in opening) / 3 == pytest.approx(-1 / 18, abs=EXACT)  # Kuhn (1950)
    some, said = written(nashzoo, "nashzoo.examples.kuhn --states 5 --play uniform")
    assert len(some) == 5 and "of self-play (uniform)" in said
    known = {(line["state"], line["player"]): line["regrets"] for line in lines}
    assert all(known[line["state"], line["player"]] == line["regrets"] for line in some)


def test_the_form_and_the_words_can_be_chosen(nashzoo: Command) -> None:
    lines, _ = written(nashzoo, "footsies_v0 --states 3 --prompt json --disguise 4")
    other = disguise(FOOTSIES, 4)
    assert lines[0]["actions"] == list(other.actions)
    assert lines[0]["completion"][0]["content"] in other.actions
    assert lines[0]["prompt"][0]["content"] == as_json(situation(other, FOOTSIES.first_decision, 0))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("footsies_v0 --states 0", "states must be a whole number of at least 1, not 0"),
        ("footsies_v0 --states 3 --seed=-1", "seed must be a whole number of at least 0, not -1"),
        ("footsies_v0 --states 3 --disguise=-1", "disguise must be a whole number of at least 0, not -1"),
        ("footsies_v0 --states 3 --param blocks=x", "blocks must be a whole number from 0 to 63, not 'x'"),
    ],
)
def test_mistakes_are_sentences_and_leave_the_file(nashzoo: Command, line: str, message: str) -> None:
    Path("lines.jsonl").write_text("old")
    assert nashzoo.refused(f"text dataset {line} --out lines.jsonl").startswith(message)
    assert Path("lines.jsonl").read_text() == "old" and len(list(Path().iterdir())) == 1


def test_the_file_is_whole_or_the_old_one(nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("lines.jsonl").write_text("old")
    monkeypatch.setattr("nashzoo.app.commands.text.json.dumps", _fails)
    with pytest.raises(ArithmeticError):
        nashzoo("text dataset footsies_v0 --states 3 --out lines.jsonl")
    assert Path("lines.jsonl").read_text() == "old" and len(list(Path().iterdir())) == 1


def _fails(*_: Any, **__: Any) -> str:
    raise ArithmeticError
