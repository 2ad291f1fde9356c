"""``nashzoo check-trainer``: perfect play passes every probe, other play fails those in which it is wrong."""

import json
import pickle
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import gymnasium
import numpy as np
import pytest

from command import Command
from nashzoo import agents
from nashzoo.arena import trainer_probes
from nashzoo.arena.trainer_checks import Finding, check_trainer, expanded, failures, nothing_learned, suspects
from nashzoo.arena.trainer_forms import FORMS
from nashzoo.arena.trainer_probes import PROBES, Probe
from nashzoo.arena.trainer_suspects import SUSPECTS
from nashzoo.baselines import best_response, exploitability, solve
from nashzoo.baselines.game_problems import game_problems
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Features, Floats, Mask

EXACT = 1e-9
SELF_PLAY = [probe for probe in PROBES if probe.opponents is None]


def nash(game: Game, decisions: int, seed: int) -> Any:
    """A training function that learns perfect play."""
    return agents.make("nash", game)


def uniform(game: Game, decisions: int, seed: int, opponents: Any = ()) -> Any:
    """A training function that learns nothing."""
    return agents.make("random", game)


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_nothing_is_wrong_with_a_tiny_game(probe: Probe) -> None:
    assert list(game_problems(probe.game(), 10_000)) == []


@pytest.mark.parametrize(
    "name, value",
    [
        ("one_state", 0.0),
        ("seats", 0.0),
        ("card", 0.0),
        ("chance", 0.0),
        ("delay", 0.0),
        ("masks", 0.0),
        ("reply", 0.0),  # each leads as often, and then loses a quarter of a point
        ("ending", (1.0 + 0.4) / 2),  # player 0 waits for the whole point, player 1 ends the game
        ("truncation", 0.0),
        ("cycle", 0.0),
        ("opponents", 0.0),  # the last step is matching pennies
    ],
)
def test_a_tiny_game_has_the_value_that_its_rules_say(name: str, value: float) -> None:
    (game,) = (probe.game() for probe in PROBES if probe.name == name)
    assert solve(game).start_value == pytest.approx(value, abs=EXACT)


def test_a_tiny_game_goes_to_another_process_whole() -> None:
    game = trainer_probes.truncation()
    copy = pickle.loads(pickle.dumps(game))
    assert copy == game and copy.max_cycles == game.max_cycles == 2


def test_perfect_play_passes_and_loses_nothing() -> None:
    findings = list(check_trainer(nash))
    assert [finding.probe for finding in findings] == SELF_PLAY  # it takes no opponents
    assert all(finding.passed and max(finding.losses) < EXACT for finding in findings)
    assert suspects(findings) == {}


def test_uniform_play_fails_but_where_play_must_be_mixed() -> None:
    findings = list(check_trainer(uniform))
    assert {finding.probe.name for finding in findings if finding.failed_seats != (0, 1)} == {"cycle"}
    for finding in findings:
        assert finding.losses == pytest.approx((finding.probe.uniform,) * 2, abs=EXACT), finding.probe.name
    assert nothing_learned(findings)


def test_something_is_learned_if_one_seat_or_one_probe_is() -> None:
    halves = lambda game, decisions, seed: (agents.make("nash", game), agents.make("random", game))  # noqa: E731
    assert not nothing_learned(check_trainer(halves, names=["seats"]))
    assert not nothing_learned([*check_trainer(uniform, names=["seats"]), *check_trainer(nash, names=["card"])])
    assert not nothing_learned(check_trainer(uniform, names=["cycle"]))  # where uniform play is optimal


def test_an_equilibrium_learns_nothing_of_the_opponents_and_fails_their_probe_alone() -> None:
    optimal = lambda game, decisions, seed, opponents=(): agents.make("nash", game)  # noqa: E731
    findings = list(check_trainer(optimal))
    assert [finding.probe.name for finding in findings if not finding.passed] == ["opponents"]
    assert next(iter(suspects(findings))) == "opponents are ignored, as by equilibrium play"
    assert not nothing_learned(findings)


def test_the_opposite_of_right_play_is_told_from_untrained_play() -> None:
    lowest = lambda game, decisions, seed: trainer_probes.Always(0)  # noqa: E731
    for train, opposite in ((lowest, {"one_state:opposite"}), (uniform, set())):
        assert failures(check_trainer(train, names=["one_state"])) == {"one_state:0", "one_state:1"} | opposite


def test_pure_play_fails_where_play_must_be_mixed() -> None:
    pure = lambda game, decisions, seed: trainer_probes.Always(0)  # noqa: E731
    (finding,) = check_trainer(pure, names=["cycle"])
    assert finding.losses == pytest.approx((1.0, 1.0), abs=EXACT) and finding.failed_seats == (0, 1)


def test_the_seats_can_have_policies_of_their_own() -> None:
    def pair(game: Game, decisions: int, seed: int) -> tuple[Any, Any]:
        return agents.make("nash", game), agents.make("random", game)

    for finding in check_trainer(pair, names=["one_state", "card", "reply"]):
        assert finding.failed_seats == (1,)


def against(learn: Callable[[Game, list[Any]], Any]) -> Callable[..., Any]:
    """Returns a training function that learns something from opponents, and nothing without."""

    def train(game: Game, decisions: int, seed: int, opponents: Any = ()) -> Any:
        return learn(game, list(opponents)) if opponents else agents.make("random", game)

    return train


def test_against_opponents_a_policy_is_compared_with_the_best_response() -> None:
    def responses(game: Game, opponents: list[Any]) -> tuple[Any, Any]:
        return best_response(game, opponents[0], 0).policy, best_response(game, opponents[0], 1).policy

    signal, frozen = check_trainer(against(responses), names=["opponents", "frozen"])
    assert signal.losses == (2.0, 2.0) and not signal.passed  # it takes the second opponent for the first
    assert frozen.losses == (0.0, 0.0) and frozen.passed


def test_an_opponent_that_changes_is_noticed() -> None:
    class Growing:
        weight = 1.0

        def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
            weights = action_masks * np.array([1.0, 1.0, self.weight])
            rows: Floats = weights / weights.sum(axis=1, keepdims=True)
            return rows

    def train(game: Game, decisions: int, seed: int, opponents: Any = ()) -> Any:
        for opponent in opponents:
            opponent.weight = 5.0
        return agents.make("nash", game) if opponents else Growing()

    (finding,) = check_trainer(train, names=["frozen"])
    assert finding.failed_seats == () and not finding.passed
    assert finding.error == "the opponent's probabilities changed while the learner trained"
    assert next(iter(suspects([finding]))) == "the opponent learns, too"


def test_what_a_training_function_raises_is_a_failure_of_the_probe_and_of_no_known_kind() -> None:
    def broken(game: Game, decisions: int, seed: int) -> Any:
        raise RuntimeError("no luck\nbut a second line")

    findings = list(check_trainer(broken, names=["seats", "card"]))
    assert [finding.error for finding in findings] == ["RuntimeError: no luck"] * 2
    assert not any(finding.passed for finding in findings) and suspects(findings) == {}


def test_a_training_function_that_ends_the_program_fails_the_probe() -> None:
    def ends(game: Game, decisions: int, seed: int) -> Any:
        raise SystemExit(3)

    findings = list(check_trainer(ends, names=["seats", "card"]))
    assert [finding.error for finding in findings] == ["SystemExit: 3"] * 2


@pytest.mark.parametrize(
    "learned, message",
    [
        ("random", "a policy is an object, not a name"),
        (None, "the training function returned None, not a policy"),
        ((1, 2, 3), "returned a tuple of length 3, not a policy or a tuple of two"),
        ((1,), "returned a tuple of length 1, not a policy or a tuple of two"),
        ([1, 2], "returned a list of length 2, not a policy or a tuple of two"),
    ],
)
def test_what_is_no_policy_is_said_so(learned: Any, message: str) -> None:
    (finding,) = check_trainer(lambda game, decisions, seed: learned, names=["seats"])
    assert message in finding.error and not finding.passed


@pytest.mark.parametrize(
    "train",
    [
        lambda game, decisions: None,
        lambda game, decisions, seed, opponents: None,
        lambda *, game, decisions, seed: None,
    ],
)
def test_a_function_of_another_signature_is_refused_before_any_probe(train: Any) -> None:
    with pytest.raises(UsageError, match=r"called as train\(game, decisions, seed\)"):
        check_trainer(train)


def test_the_number_of_decisions_can_be_multiplied() -> None:
    asked = []

    def train(game: Game, decisions: int, seed: int) -> Any:
        asked.append((decisions, seed))
        return agents.make("nash", game)

    list(check_trainer(train, seed=3, names=["seats"], factor=0.5))
    assert asked == [(10_000, 3)]


@pytest.mark.parametrize("needed, times", [(0, [1, 1]), (80_000, [1, 4, 4]), (10**9, [1, 4, 16, 1])])
def test_slow_learners_get_more_decisions_and_those_who_learn_nothing_do_not(needed: int, times: list[int]) -> None:
    asked = []

    def slow(game: Game, decisions: int, seed: int) -> Any:
        asked.append(decisions)
        return agents.make("nash" if decisions >= needed else "random", game)

    findings = list(check_trainer(slow, names=["one_state", "seats"]))
    assert asked == [20_000 * number for number in times]
    assert [finding.decisions for finding in findings] == asked[-2:]


def test_a_seat_that_learns_shows_that_the_decisions_are_enough() -> None:
    halves = lambda game, decisions, seed: (agents.make("nash", game), agents.make("random", game))  # noqa: E731
    assert [finding.decisions for finding in check_trainer(halves, names=["seats", "card"])] == [20_000] * 2


def plays(env: Any) -> dict[str, float]:
    """Returns the points of a game of AEC in which all play the first legal action."""
    env.reset(seed=1)
    points = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        points[agent] += reward
        env.step(None if terminated or truncated else int(np.argmax(seen["action_mask"])))
    return points


def of_aec(aec_env: Any, decisions: int, seed: int) -> Any:
    assert plays(aec_env) == {"player_0": 1.0, "player_1": -1.0}
    return agents.make("nash", aec_env.unwrapped.game)


def of_module(env_fn: Any, steps: int = 1, seed: int = 0, **options: Any) -> Any:
    assert plays(env_fn.env(render_mode=None)) == plays(env_fn.raw_env())
    return agents.make("nash", env_fn.parallel_env().game)


def of_parallel(env: "pettingzoo.ParallelEnv", decisions: int, seed: int) -> Any:  # noqa: F821  # a name suffices
    seen, _ = env.reset(seed=1)
    assert all(set(view) == {"observation", "action_mask"} for view in seen.values())
    return agents.make("nash", env.game)


def of_gymnasium(env: gymnasium.Env[Any, Any], decisions: int, seed: int) -> Any:
    env.reset(seed=1)
    assert env.step(0)[2] and env.unwrapped.batch.opponent is not None  # type: ignore[attr-defined]
    return agents.make("nash", env.unwrapped.game)  # type: ignore[attr-defined]


def of_vec_env(sb3_env: Any, decisions: int, seed: int) -> Any:
    assert len(sb3_env.reset()) == sb3_env.num_envs == 8
    return agents.make("nash", sb3_env.batch.game)


@pytest.mark.parametrize("train", [of_aec, of_module, of_parallel, of_gymnasium, of_vec_env])
def test_a_training_function_is_given_the_environment_that_it_expects(train: Any) -> None:
    (finding,) = check_trainer(train, names=["seats"])
    assert finding.passed, finding.error


def test_the_form_can_be_chosen_and_has_to_be_known() -> None:
    def train(env: Any, decisions: int, seed: int) -> Any:
        return agents.make("nash", env.unwrapped.game)

    (finding,) = check_trainer(train, names=["seats"], form="parallel")
    assert finding.passed
    with pytest.raises(UsageError, match="which environment env is does not show: name it game_env, "):
        check_trainer(train)
    with pytest.raises(UsageError, match="form must be 'game' or"):
        check_trainer(train, form="vector")


def test_a_form_of_a_library_that_is_missing_fails_the_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = FORMS["puffer"]._replace(make=partial(FORMS["puffer"].make.func, "no_such_library.envs", "Env"))  # type: ignore[attr-defined]
    monkeypatch.setitem(FORMS, "puffer", missing)
    (finding,) = check_trainer(lambda puffer_env, decisions, seed: None, names=["seats"])
    assert "this form needs no_such_library installed" in finding.error


def test_a_function_that_saves_its_model_need_not_return_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sb3 = pytest.importorskip("stable_baselines3")

    def train(sb3_env: Any, decisions: int, seed: int) -> None:
        sb3.PPO("MlpPolicy", sb3_env, n_steps=8, device="cpu", seed=seed).save(f"seed{seed}_{decisions}")

    monkeypatch.chdir(tmp_path)
    (finding,) = check_trainer(train, names=["seats"], factor=1)
    assert not finding.error and all(0 < loss < 1 for loss in finding.losses)


def test_only_probes_that_there_are_can_be_named() -> None:
    with pytest.raises(UsageError, match="there is no probe 'seat'"):
        check_trainer(nash, names=["seat"])


@pytest.mark.parametrize("train", [nash, lambda game, decisions, seed, **others: None])
def test_a_probe_with_opponents_needs_a_parameter_of_that_name(train: Any) -> None:
    with pytest.raises(UsageError, match="'opponents' needs a training function with a parameter named opponents"):
        check_trainer(train, names=["opponents"])


PATTERNS = [(mistake, each) for mistake, suspect in SUSPECTS.items() for each in suspect.failed.split(" or ")]


@pytest.mark.parametrize(("mistake", "pattern"), PATTERNS)
def test_a_known_mistake_is_named_for_its_own_failures(mistake: str, pattern: str) -> None:
    failed = expanded(pattern)
    findings = []
    for probe in PROBES:
        much = 2.0 if f"{probe.name}:opposite" in failed else probe.most + 0.01
        losses = tuple(much * (f"{probe.name}:{seat}" in failed) for seat in (0, 1))
        changed = "changed" * (f"{probe.name}:changed" in failed)
        findings.append(Finding(probe, losses, changed, 0.0))
    named = suspects(findings)
    assert (mistake in suspects(findings, in_turn=False)) != SUSPECTS[mistake].in_turn
    assert named[mistake] == max(named.values()) and sum(named.values()) < 1 + EXACT and failures(findings) == failed
    assert {name.partition(":")[0] for name in failed} <= {probe.name for probe in PROBES}


TRAINER = """
from nashzoo import agents

def train(game, decisions, seed):
    print("at work")
    return agents.make("nash", game), agents.make("random", game)
"""


def test_the_command_prints_what_a_training_function_reached(nashzoo: Command, tmp_path: Path) -> None:
    file = tmp_path / "halves.py"
    file.write_text(TRAINER)
    code, out, err = nashzoo(f"check-trainer {file}:train --probe seats reply")
    assert code == 1 and "at work" in err and "at work" not in out
    assert "seats 0.000 0.500 0.2" in out and "FAILED" in out and "2 of 2 probes failed." in out
    lines = " ".join(out.split()).partition("This looks like, of the known mistakes: ")[2]
    assert "%: the reward is not negated for player 1. Give each player its own reward" in lines
    code, out, _ = nashzoo(f"check-trainer {file}:train --probe cycle")
    assert code == 0 and out.endswith("The probe passed.")


def test_the_command_says_first_that_nothing_was_learned(nashzoo: Command) -> None:
    Path("uniform.py").write_text(TRAINER.replace('agents.make("nash", game), ', ""))
    code, out, _ = nashzoo("check-trainer ./uniform.py:train --probe one_state masks --factor 0.001")
    summary = out[out.index("2 of 2 probes failed.") :]
    nothing = summary.index("Nothing was learned: the losses are about those of uniform play.")
    few = summary.index("There may have been too few decisions in one_state and masks, with --factor 0.001.")
    assert code == 1 and nothing < few < summary.index("This looks like, ")
    code, out, _ = nashzoo("check-trainer ./uniform.py:train --probe seats --json")
    assert code == 1 and json.loads(out)["nothing_learned"]


def test_findings_are_written_for_ci(nashzoo: Command) -> None:
    Path("halves.py").write_text(TRAINER)
    Path("summary.md").write_text("before\n")
    code, _, _ = nashzoo(
        "check-trainer ./halves.py:train --probe seats cycle --junit ci/junit.xml --summary summary.md"
    )
    suite = ElementTree.parse("ci/junit.xml").getroot()
    assert code == 1 and (suite.get("tests"), suite.get("failures")) == ("2", "1")
    seats, cycle = suite
    assert seats.get("name") == "seats" and not list(cycle)
    (failure,) = seats
    assert failure.get("message") == "loses 0.000 and 0.500 in seats 0 and 1, more than 0.2"
    assert "This looks like" in str(failure.text)
    before, head, *lines = Path("summary.md").read_text().splitlines()
    assert (before, head) == ("before", "### Self-play of `./halves.py:train`")
    assert "| ❌ `seats` | 0.000  0.500 | 0.2 | another right action in each seat |" in lines
    assert "1 of 2 probes failed." in lines


def test_an_interruption_keeps_what_was_found(nashzoo: Command) -> None:
    Path("late.py").write_text(
        "from nashzoo import agents\ncalls = []\n\n\ndef train(game, decisions, seed):\n    calls.append(0)\n"
        "    if len(calls) == 2:\n        raise KeyboardInterrupt\n    return agents.make('nash', game)\n"
    )
    code, out, _ = nashzoo("check-trainer ./late.py:train --probe reply cycle --junit late.xml")
    assert code == 130 and out.endswith("Interrupted; of the probes until then: The probe passed.")
    assert [case.get("name") for case in ElementTree.parse("late.xml").iter("testcase")] == ["reply"]


def test_the_table_begins_when_the_first_probe_is_done(nashzoo: Command) -> None:
    Path("stopped.py").write_text(TRAINER.replace('print("at work")', "raise KeyboardInterrupt"))
    code, out, _ = nashzoo("check-trainer ./stopped.py:train --probe cycle")
    assert code == 130 and out == ""


@pytest.mark.slow
def test_the_example_of_the_page_passes(nashzoo: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "check_trainer.md").read_text()
    (example,) = re.findall(r"^```py\n# perfect\.py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "perfect.py").write_text(example)
    monkeypatch.chdir(tmp_path)
    (line,) = re.findall(r"^nashzoo (check-trainer \./perfect.*)$", page, re.MULTILINE)
    code, out, _ = nashzoo(line)
    assert code == 0 and out.endswith("All 10 probes passed.")


@pytest.mark.parametrize(
    "words, message",
    [
        ("halves:train:now", "there is no learner 'halves:train:now'; the learners are "),
        ("nashzoo.envs:nothing", "nashzoo.envs has no class or function nothing"),
        ("nashzoo.envs:make_game --junit .", ". is a folder, and a file is to be written"),
        ("nashzoo.envs:make_game --summary .", ". is a folder, and a file is to be written"),
        ("nashzoo.envs:make_game --factor 0", "factor must be a positive number"),
        ("nashzoo.envs:Game", "cannot be called as train(game, decisions, seed)"),
        ("ends_at_once:train", "there is no module ends_at_once; did you mean the file ./ends_at_once.py?"),
        ("./ends_at_once.py:train", "./ends_at_once.py ends the program when it is imported"),
    ],
)
def test_what_cannot_be_checked_is_refused(words: str, message: str, nashzoo: Command) -> None:
    Path("ends_at_once.py").write_text("raise SystemExit(3)\n")
    assert message in nashzoo.refused(f"check-trainer {words}")


def test_exploitability_of_a_probe_is_that_of_the_measures() -> None:
    game = trainer_probes.one_state()
    (finding,) = check_trainer(uniform, names=["one_state"])
    assert finding.losses == tuple(exploitability(game, agents.make("random", game), player=seat) for seat in (0, 1))
    assert finding.losses == pytest.approx((0.5, 0.5), abs=EXACT)  # a step and a half, a third of the time each
