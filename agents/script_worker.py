"""The program in which somebody else's script plays one match of Roshambo, in a process of its own.

It is started by :mod:`nashzoo.agents.script`, imports nothing of nashzoo, and speaks in lines of JSON. The first
line it reads says what to play; every further one holds ``last``, the other's last throw (null before the first).
It answers each with ``throw`` and the ``seconds`` of CPU time that took, or with ``error``. The script itself finds
no terminal: its standard streams lead nowhere.
"""

import ast
import inspect
import json
import os
import random
import time
from collections.abc import Callable
from typing import Any

THROWS = "RPS"
MEGABYTE = 1 << 20

Player = Callable[[int | None], int]


class WrongAnswer(Exception):
    """The script gave something that is no throw."""


def limit_resources(cpu_seconds: int | None, megabytes: int) -> None:
    """Sets what the process may use; nothing where the operating system has no such limits."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE, megabytes * MEGABYTE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if cpu_seconds is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))


def seed_everything(seed: int, source: str) -> None:
    """Seeds the generators that scripts draw from; NumPy's only where the script names it, for it loads slowly."""
    random.seed(seed)
    if "numpy" in source:
        try:
            import numpy
        except ImportError:
            return
        numpy.random.seed(seed % (1 << 32))


def rpscontest_player(source: str, path: str) -> Player:
    """Returns a player who runs the script anew for each throw, with its variables kept from throw to throw."""
    code = compile(source, path, "exec")
    variables: dict[str, Any] = {"__name__": "__main__", "__file__": path}

    def throw(last: int | None) -> int:
        variables["input"] = "" if last is None else THROWS[last]
        exec(code, variables)
        if "output" not in variables:
            raise WrongAnswer("it set no output")
        output = variables["output"]
        if not isinstance(output, str) or len(output) != 1 or output not in THROWS:
            raise WrongAnswer(f"its output was {shortened(output)}; it must be 'R', 'P' or 'S'")
        return THROWS.index(output)

    return throw


class Struct(dict[str, Any]):
    """A dictionary whose entries are attributes too, as Kaggle's agents are given."""

    def __getattr__(self, name: str) -> Any:
        """Returns an entry."""
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def kaggle_player(source: str, path: str, rounds: int, seconds_a_move: float) -> Player:
    """Returns a player who calls the last function that the script defines."""
    variables: dict[str, Any] = {"__name__": "__kaggle__", "__file__": path}
    exec(compile(source, path, "exec"), variables)
    functions = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    agent = variables[functions[-1]]
    arguments = len(inspect.signature(agent).parameters)
    configuration = Struct(
        episodeSteps=rounds, signs=3, tieRewardThreshold=0, actTimeout=seconds_a_move, agentTimeout=60, runTimeout=1200
    )
    observation = Struct(step=0, reward=0, lastOpponentAction=None, remainingOverageTime=60)
    own: list[int] = []

    def throw(last: int | None) -> int:
        if last is not None:
            lead = (own[-1] - last + 1) % 3 - 1
            observation.update(step=len(own), lastOpponentAction=last, reward=observation["reward"] + lead)
        answer = agent(*(Struct(observation), Struct(configuration))[:arguments])
        try:
            number = answer.__index__()
        except (AttributeError, TypeError):
            number = None
        if isinstance(answer, bool) or number not in range(3):
            raise WrongAnswer(f"it returned {shortened(answer)}; it must return 0, 1 or 2")
        own.append(number)
        return int(number)

    return throw


def openspiel_player(name: str, rounds: int, seed: int) -> Player:
    """Returns one of OpenSpiel's bots. They draw from the C library's ``random``."""
    import ctypes

    import pyspiel

    ctypes.CDLL(None).srandom(seed % (1 << 32))
    game = pyspiel.load_game(f"repeated_game(stage_game=matrix_rps(),num_repetitions={rounds},recall=1)")
    state = game.new_initial_state()
    bot = pyspiel.make_roshambo_bot(0, name, rounds)
    own: list[int] = []

    def throw(last: int | None) -> int:
        if last is not None:
            state.apply_actions([own[-1], last])
        own.append(int(bot.step(state)))
        return own[-1]

    return throw


def shortened(thing: Any) -> str:
    """Returns how something prints, not too long."""
    text = repr(thing)
    return text if len(text) <= 40 else text[:37] + "..."


def cause_of(error: BaseException) -> str:
    """Returns what went wrong, in a line."""
    if isinstance(error, WrongAnswer):
        return str(error)
    if isinstance(error, SystemExit):
        return "it ended the program"
    if isinstance(error, MemoryError):
        return "it ran out of memory"
    return f"{type(error).__name__}: {error}".splitlines()[0]


def make_player(task: dict[str, Any]) -> Player:
    """Returns the player that the first line asks for."""
    if task["format"] == "openspiel":
        return openspiel_player(task["name"], task["rounds"], task["seed"])
    with open(task["name"], encoding="utf-8") as file:
        source = file.read()
    seed_everything(task["seed"], source)
    if task["format"] == "rpscontest":
        return rpscontest_player(source, task["name"])
    return kaggle_player(source, task["name"], task["rounds"], task["seconds"])


def main() -> None:
    """Plays until the other side closes the stream, or something goes wrong."""
    reader, writer = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    player: Player | None = None
    for line in reader:
        said = json.loads(line)
        before = time.process_time()
        try:
            if player is None:
                limit_resources(said["cpu_seconds"], said["megabytes"])
                player = make_player(said)
                answer: dict[str, Any] = {"ready": True}
            else:
                answer = {"throw": player(said["last"])}
        except BaseException as error:  # whatever a script raises is its own defeat
            answer = {"error": cause_of(error)}
        answer["seconds"] = time.process_time() - before
        writer.write(json.dumps(answer) + "\n")
        writer.flush()
        if "error" in answer:
            return


if __name__ == "__main__":
    main()
