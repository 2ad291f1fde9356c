"""Hosted scripts: they play as where they come from, and whatever they do harms nobody but themselves."""

import gc
import itertools
import textwrap
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.agents.hosted import script_process
from nashzoo.agents.hosted.script_agent import NO_ACTION, ScriptAgent
from nashzoo.agents.hosted.script_source import format_of
from nashzoo.agents.hosted.script_worker import get_score
from nashzoo.arena.match import play_match
from nashzoo.envs import Game, footsies_v0, roshambo_v0
from nashzoo.envs.games.roshambo import rules as roshambo
from nashzoo.envs.vector.game_batch import GameBatch
from opponents import Always

Write = Callable[..., ScriptAgent]

GAME = roshambo_v0.game(rounds=6)
ROCK, PAPER, SCISSORS = range(3)


@pytest.fixture
def script(tmp_path: Path) -> Write:
    def write(source: str, name: str = "bot.py", **options: Any) -> ScriptAgent:
        path = tmp_path / name
        path.write_text(textwrap.dedent(source))
        return ScriptAgent(GAME, file=path, **options)

    return write


COUNTS = """
    if input == '':
        throws = 0
    else:
        throws += 1
    output = 'RPS'[throws % 3]
"""
COPIES = """
    def agent(observation, configuration):
        if observation.step == 0:
            assert observation.lastOpponentAction is None
            return 2
        return observation["lastOpponentAction"]
"""


def throws_against(agent: ScriptAgent, others: list[int]) -> list[int]:
    """Plays one match against fixed throws; returns the agent's."""
    own: list[int] = []
    memory = np.zeros((1, 1))
    code = int(GAME.start_codes[0])
    for other in others:
        actions, memory = agent.act(GAME.observe(code, 0)[None], memory, np.ones((1, 3), np.int8), np.full((1, 2), 0.5))
        own.append(int(actions[0]))
        code = GAME.step(code, own[-1], other)
    return own


def loss_of(agent: ScriptAgent) -> str:
    """Plays one match, which is lost; returns the line that says why."""
    assert play_match(GAME, agent, Always(ROCK), 1, seed=0).points.tolist() == [-6]
    (line,) = agent.forfeits
    return line


def test_an_rpscontest_script_keeps_its_variables_from_throw_to_throw(script: Write) -> None:
    assert throws_against(script(COUNTS), [0] * 6) == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize("source", ["output = input or 'S'", COPIES], ids=["rpscontest", "kaggle"])
def test_a_script_is_told_the_others_last_throw(script: Write, source: str) -> None:
    assert throws_against(script(source), [1, 0, 2, 2, 1, 0]) == [2, 1, 0, 2, 2, 1]


def test_a_kaggle_agent_is_told_step_reward_and_configuration(script: Write) -> None:
    told = script("""
        REWARDS = [0, 1, 1, 0, 1, 1]  # of rock against scissors, rock, paper, scissors, rock, paper

        def agent(observation):
            assert observation.reward == REWARDS[observation.step]
            return 0
    """)
    assert throws_against(told, [2, 0, 1, 2, 0, 1]) == [0] * 6
    told = script("""
        import numpy as np

        def agent(observation, configuration):
            assert (configuration.episodeSteps, configuration["signs"]) == (6, 3)
            return np.int64(1)
    """)
    assert throws_against(told, [0] * 6) == [1] * 6


def test_kaggles_agent_is_the_last_variable_that_can_be_called(script: Write) -> None:
    sources = [
        "agent = lambda observation, configuration: 1",
        "try:\n    import no_such_module\nexcept ImportError:\n    def agent(observation):\n        return 1",
        "if True:\n    def agent(observation):\n        return 1\nelse:\n    agent = None",
        "class Player:\n    def __call__(self, observation, configuration):\n        return 1\nagent = Player()",
        "class Player:\n    def throw(self, observation, configuration):\n        return 1\nagent = Player().throw",
        "def make():\n    return lambda observation: 1\nagent = make()",
        "import functools\nagent = functools.partial(lambda throw, o, c: throw, 1)",
        "def agent():\n    return 1",
        "def agent(observation, *, output=1):\n    return output",
        "def first(observation):\n    return first.throw\nfirst.throw = 1",
    ]
    for source in sources:
        assert throws_against(script(source), [0, 0]) == [1, 1], source


def test_a_kaggle_agent_imports_what_lies_beside_it(script: Write, tmp_path: Path) -> None:
    (tmp_path / "strategy_of_mine.py").write_text("throw = 2")
    agent = script("from strategy_of_mine import throw\ndef agent(observation):\n    return throw")
    assert throws_against(agent, [0, 0]) == [2, 2]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("output = 'R'", "rpscontest"),
        ("if input == '':\n    output = 'R'", "rpscontest"),
        ("(output := 'R')", "rpscontest"),
        ("def f():\n    global output\n    output = 'R'\nf()", "rpscontest"),
        ("code = 'out' + 'put = 5'\nif input: exec(code)", "rpscontest"),
        ("print 'python 2'", "rpscontest"),
        ("(" * 10_000, "rpscontest"),
        ("1 / 0", "rpscontest"),
        ("def agent(observation, configuration):\n    return 0", "kaggle"),
        ("def agent(observation, configuration):\n    output = 0\n    return output", "kaggle"),
        ("class A:\n    output = 0\n    def f(self, output): self.output = output", "kaggle"),
        ("throws = [output for output in range(3)]\nagent = lambda observation: 0", "kaggle"),
        (
            "throws = {0: {output for output in range(3)} for input in range(3)}\nagent = lambda observation: 0",
            "kaggle",
        ),
        ("[output := 'R' for throw in range(3)]\nagent = lambda observation: 0", "rpscontest"),
        ("def agent(observation):\n    input = observation.step\n    return input % 3", "kaggle"),
        ("if True:\n    def agent(observation): return 0", "kaggle"),
        ("from math import gcd as agent", "kaggle"),
    ],
    ids=lambda text: text[:60],
)
def test_formats_are_told_apart_by_the_variables_of_the_module(source: str, said: str) -> None:
    assert format_of(source.encode()) == said


@pytest.mark.parametrize(
    "start", [b"# -*- coding: latin-1 -*-\nletter = '\xe9'", b"\xef\xbb\xbfletter = '\xc3\xa9'", b"letter = '\xc3\xa9'"]
)
@pytest.mark.parametrize(
    "rest", [b"output = 'P' if letter == '\\xe9' else 'R'", b"agent = lambda observation: int(letter == '\\xe9')"]
)
def test_a_file_is_read_in_the_encoding_that_python_finds(tmp_path: Path, start: bytes, rest: bytes) -> None:
    path = tmp_path / "bot.py"
    path.write_bytes(start + b"\r\n" + rest)
    assert throws_against(ScriptAgent(GAME, file=path), [0, 0]) == [PAPER, PAPER]
    path.write_bytes(b"output = 'R' # \xe9")  # an encoding that it does not name
    assert loss_of(ScriptAgent(GAME, file=path)).endswith("SyntaxError: invalid or missing encoding declaration")


def test_an_agent_that_returns_no_throw_loses(script: Write) -> None:
    for source, cause in [
        ("async def agent(observation): return 0", "it returned <coroutine object agent at 0x"),
        ("class agent:\n    def __init__(self, observation, configuration): pass", "it returned <__kaggle__.agent"),
        ("import math", "it defines no agent"),
    ]:
        assert cause in loss_of(script(source))


def test_the_score_that_kaggles_agents_import_is_the_games_payoff() -> None:
    game = roshambo_v0.game(rounds=1)
    for own, other in itertools.product(range(3), repeat=2):
        assert get_score(own, other) == play_match(game, Always(own), Always(other), 1, 0).points[0]


def test_kaggles_score_can_be_imported_where_its_package_is_not_installed(script: Write) -> None:
    for line in (
        "from kaggle_environments.envs.rps.utils import get_score",
        "import kaggle_environments.envs.rps.utils as u; get_score = u.get_score",
        "from kaggle_environments.envs.rps import utils; get_score = utils.get_score",
    ):
        agent = script(f"{line}\ndef agent(observation):\n    return int(get_score(2, 1) + get_score(1, 1))")
        assert throws_against(agent, [0, 0]) == [1, 1], line


MISSING = "it imports {}, which is not installed; {}"
AUTHORS = "a file of its author must be in its folder, where only scripts for Kaggle look for it"
PIP = "pip install {} is what usually helps"


@pytest.mark.parametrize(
    ("source", "module", "advice"),
    [
        ("import no_such_module\noutput = 'R'", "no_such_module", AUTHORS),
        ("import os, no_such.part as p\ndef agent(o): return 0", "no_such.part", AUTHORS),
        ("from no_such.part import thing\ndef agent(o): return 0", "no_such.part", AUTHORS),
        ("import cv2\ndef agent(o): return 0", "cv2", PIP.format("opencv-python")),
    ],
)
def test_a_script_whose_imports_are_not_installed_is_refused(
    script: Write, source: str, module: str, advice: str
) -> None:
    with pytest.raises(ImportError) as error:
        script(source)
    assert str(error.value) == f"bot.py cannot play: {MISSING.format(module, advice)}"


@pytest.mark.parametrize(
    ("source", "module", "advice"),
    [
        ("def agent(o):\n    import no_such_module", "no_such_module", AUTHORS),
        ("raise ModuleNotFoundError(name='no_such_name')\noutput = 'R'", "no_such_name", AUTHORS),
        (
            "from kaggle_environments import make\nagent = make",
            "kaggle_environments",
            PIP.format("kaggle-environments"),
        ),
        ("import kaggle_environments.utils\nx = 1", "kaggle_environments.utils", PIP.format("kaggle-environments")),
    ],
)
def test_a_module_that_turns_out_to_be_missing_is_told(script: Write, source: str, module: str, advice: str) -> None:
    assert loss_of(script(source)) == f"bot.py lost a match in round 1: {MISSING.format(module, advice)}"


BAD = [  # what it does in round 3, after two rocks, and the cause told
    ("crash", "1 / 0", "ZeroDivisionError: division by zero"),
    ("word", "output = 'rock'", "its output was 'rock'; it must be 'R', 'P' or 'S'"),
    ("number", "output = 0", "its output was 0; it must be 'R', 'P' or 'S'"),
    ("missing", "del output", "it set no output"),
    ("exit", "import sys; sys.exit()", "it ended the program"),
    ("signal", "import os; os.kill(os.getpid(), 11)", "its process crashed (SIGSEGV)"),
    ("memory", "x = bytearray(1 << 31)", "it ran out of memory"),
    ("flood", "import os\nwhile True: os.write(4, b'x' * 1000)", "garbled answer without end"),
]


@pytest.mark.parametrize(("name", "act", "cause"), BAD, ids=[name for name, _, _ in BAD])
def test_what_a_script_does_wrong_loses_its_match_and_is_told(script: Write, name: str, act: str, cause: str) -> None:
    body = textwrap.indent(act, "    ")
    agent = script(f"n = 1 if input == '' else n + 1\noutput = 'R'\nif n == 3:\n{body}\n", f"{name}.py")
    result = play_match(GAME, agent, Always(SCISSORS), 2, seed=0)
    assert result.points.tolist() == [-4, -4], "Two points ahead, it lost its lead and all other rounds."
    assert len(agent.forfeits) == 2
    for line in agent.forfeits:
        assert line.startswith(f"{name}.py lost a match in round 3: ") and cause in line
    assert not agent._matches


@pytest.mark.slow
def test_too_much_cpu_time_for_a_match(script: Write) -> None:
    agent = script("output = 'R'\nwhile input: pass", "busy.py", cpu_seconds=1)
    assert play_match(GAME, agent, Always(ROCK), 1, seed=0).points.tolist() == [-5]
    assert agent.forfeits == ["busy.py lost a match in round 2: took more than 1 s of CPU time for the match"]


def test_a_script_that_sleeps_is_not_waited_for(script: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_process, "WALL_SECONDS_PER_CPU_SECOND", 10)
    agent = script(
        "import time\ndef agent(observation):\n    time.sleep(60)\n    return 0", "idle.py", cpu_seconds=0.05
    )
    assert play_match(GAME, agent, Always(ROCK), 1, seed=0).points.tolist() == [-6]
    assert agent.forfeits == ["idle.py lost a match in round 1: gave no answer within 0.5 s"]


def test_both_lose_nothing_when_both_fail_at_once(script: Write) -> None:
    assert play_match(GAME, script("1 / 0"), script("output = 'X'"), 1, seed=0).points.tolist() == [0]


def test_what_a_script_prints_is_not_seen(script: Write, capfd: pytest.CaptureFixture[str]) -> None:
    agent = script(
        "import os, sys\nprint('hello')\nprint('hello', file=sys.stderr)\nos.system('echo hello')\noutput='R'"
    )
    assert throws_against(agent, [0] * 6) == [0] * 6
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_script_draws_from_the_seed(script: Write) -> None:
    for source in (
        "import random\noutput = random.choice('RPS')",
        "import numpy\noutput = 'RPS'[numpy.random.randint(3)]",
    ):
        first, again, other = (play_match(GAME, script(source), Always(ROCK), 8, seed).points for seed in (1, 1, 2))
        assert first.tolist() == again.tolist() != other.tolist()


@pytest.mark.slow
def test_matches_in_portions_are_the_same_matches(script: Write) -> None:
    agent = script("import random\noutput = random.choice('RPS')")
    together = play_match(GAME, agent, Always(ROCK), 7, 5)
    agent.most_games = 3
    assert play_match(GAME, agent, Always(ROCK), 7, 5).points.tolist() == together.points.tolist()
    with pytest.raises(ValueError, match=r"bot\.py is hosted at up to 3 games at once, not 4"):
        agent.predict(np.zeros((4, GAME.num_features), np.float32))


def test_in_a_game_that_starts_in_the_middle_a_script_begins(script: Write) -> None:
    agent = script("output = 'R' if input == '' else 'S'")
    start = GAME.rules.encode(roshambo.State(3, 1))  # the other's last throw was Paper
    batch = GameBatch(GAME, 1, agent, starts=[start], illegal_action="raise")
    batch.restart(np.arange(1))
    batch.step(np.array([ROCK]))
    assert batch.codes[0] == GAME.rules.encode(roshambo.State(4, 3 * ROCK + ROCK))
    batch.step(np.array([ROCK]))
    assert batch.codes[0] == GAME.rules.encode(roshambo.State(5, 3 * ROCK + 2))
    assert not agent.forfeits
    agent.close()


@pytest.mark.slow
def test_no_process_is_left_behind(script: Write) -> None:
    agent = script(COUNTS)
    agent.most_games = 2
    batch = GameBatch(GAME, 2, agent)
    processes = []
    for _ in range(4):  # each abandons two matches
        batch.restart(np.arange(2))
        batch.step(np.zeros(2, np.int64))
        processes += [match._process for match in agent._matches.values() if match._process not in processes]
    assert len(processes) == 8 and len(agent._matches) == 2
    ended = weakref.ref(agent)
    del agent, batch
    gc.collect()
    assert ended() is None
    assert all(process.returncode is not None for process in processes)


def test_after_it_has_lost_a_script_is_not_asked_again(script: Write) -> None:
    agent = script("1 / 0")
    batch = GameBatch(GAME, 1, agent, illegal_action="noop")
    batch.restart(np.arange(1))
    for _ in range(3):
        assert batch.step(np.zeros(1, np.int64)).rewards.tolist() == [0]
    assert len(agent.forfeits) == 1
    assert agent.predict(GAME.observe(int(GAME.start_codes[0]), 0), state=np.array([[1.0]]))[0] == NO_ACTION


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        (footsies_v0.game(), {}, "hosted players throw rock, paper or scissors; they do not play footsies_v0"),
        (roshambo_v0.game(payoff="rpsls"), {}, "hosted players throw rock, paper or scissors; they do not play"),
        (GAME, {"format": "lisp"}, "format must be 'rpscontest' or 'kaggle', not 'lisp'"),
        (GAME, {"cpu_seconds": 0}, "cpu_seconds must be a whole number of at least 1, not 0"),
        (GAME, {"format": "kaggle", "cpu_seconds": 0}, "cpu_seconds must be a number above 0, not 0"),
        (GAME, {"megabytes": 0}, "megabytes must be a whole number of at least 1, not 0"),
    ],
)
def test_what_cannot_be_hosted_is_refused(tmp_path: Path, game: Game, options: dict[str, Any], message: str) -> None:
    path = tmp_path / "bot.py"
    with pytest.raises(FileNotFoundError, match=r"there is no file .*bot\.py"):
        ScriptAgent(GAME, file=path)
    path.write_text("output = 'R'")
    with pytest.raises(ValueError, match=message):
        ScriptAgent(game, file=path, **options)


@pytest.mark.slow
def test_openspiels_bots_play_and_repeat_themselves() -> None:
    from nashzoo.agents.hosted.script_agent import OpenSpielAgent, openspiel_bots

    assert len(openspiel_bots()) == 43  # Billings (1999) gives 25 of them as programs of the organisers
    game = roshambo_v0.game(rounds=1000)
    rock = OpenSpielAgent(game, bot="rockbot")
    assert play_match(game, rock, Always(PAPER), 1, 0).points.tolist() == [-1000]
    first, again, other = (
        play_match(game, OpenSpielAgent(game, bot="randbot"), Always(ROCK), 2, seed).points for seed in (0, 0, 1)
    )
    assert first.tolist() == again.tolist() != other.tolist()
    assert play_match(game, OpenSpielAgent(game, bot="copybot"), Always(ROCK), 1, 0).points[0] >= 998
    assert play_match(game, OpenSpielAgent(game, bot="greenberg"), Always(SCISSORS), 1, 0).points[0] >= 900


def test_a_bot_of_openspiel_that_crashes_loses_alone() -> None:
    """In matches of few throws this one ends its process, in OpenSpiel 2.0.2."""
    from nashzoo.agents.hosted.script_agent import OpenSpielAgent

    game = roshambo_v0.game(rounds=20)
    agent = OpenSpielAgent(game, bot="greenberg")
    assert play_match(game, agent, Always(ROCK), 2, 0).points.tolist() == [-20, -20]
    assert all("greenberg lost a match in round 1: its process crashed" in line for line in agent.forfeits)


def test_bots_that_openspiel_does_not_have() -> None:
    with pytest.raises(ValueError, match="OpenSpiel has no bot 'deepblue'; it has actr_lag2_decay"):
        agents.as_agent("openspiel:deepblue", GAME)


def test_scripts_are_players_by_their_path(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text("output = 'R'")
    for thing in (path, str(path)):
        agent = agents.as_agent(thing, GAME, cpu_seconds=2)
        assert isinstance(agent, ScriptAgent) and agent.limits.match_seconds == 2


def test_the_log_tells_the_first_times_why_a_match_was_lost(script: Write, caplog: pytest.LogCaptureFixture) -> None:
    agent = script("output = input or 'R")  # no Python
    play_match(GAME, agent, Always(ROCK), 5, seed=1)
    assert len(agent.forfeits) == 5
    assert [record.getMessage() for record in caplog.records] == agent.forfeits[:3]
    assert "SyntaxError" in agent.forfeits[0]
