"""The program in which somebody else's script plays one match of Roshambo, in a process of its own.

It is started by :mod:`nashzoo.agents.hosted.script_supervisor` and imports nothing of nashzoo. The first line it reads
says what to play, in JSON, and is answered with ``ready``; every further one is the other's last throw (``null`` before
the first), and is answered with a throw, ``0``, ``1`` or ``2``. Instead of each it can answer ``lost CAUSE`` and end.
The script itself finds no terminal: its standard streams lead nowhere.
"""

import importlib.util
import json
import os
import random
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

THROWS = "RPS"
MEGABYTE = 1 << 20
LONGEST_CAUSE = 200  # characters
STAND_IN = "kaggle_environments.envs.rps.utils"
PACKAGES = {  # that are not called as the modules that they hold
    "cv2": "opencv-python",
    "kaggle_environments": "kaggle-environments",
    "PIL": "pillow",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}

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


def get_score(left_move: int, right_move: int) -> float:
    """Returns what a throw wins from another one, as the function that Kaggle's agents import; 1 for a win."""
    return (0, 1.0, -1.0)[(left_move - right_move) % 3]


def provide_stand_in() -> None:
    """Lets scripts import ``get_score`` where Kaggle's own package is not installed."""
    if importlib.util.find_spec("kaggle_environments") is not None:
        return

    def missing(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ModuleNotFoundError(f"the stand-in has no {name}", name="kaggle_environments")

    parts = STAND_IN.split(".")
    for end in range(1, len(parts) + 1):
        module = ModuleType(".".join(parts[:end]))
        module.__dict__.update(__path__=[], __getattr__=missing)
        sys.modules[module.__name__] = module
        if end > 1:
            setattr(sys.modules[".".join(parts[: end - 1])], parts[end - 1], module)
    module.__dict__["get_score"] = get_score


def not_installed(module: str) -> str:
    """Returns what to do about a module that a script imports and that is not there."""
    top = module.partition(".")[0]
    return f"it imports {module}, which is not installed; pip install {PACKAGES.get(top, top)} is what usually helps"


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
    code = compile(source, path, "exec", dont_inherit=True)
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
    """Returns a player who calls what Kaggle takes for the agent: the last variable of the module that can be called.

    Raises:
        WrongAnswer: there is none.
    """
    provide_stand_in()
    sys.path.append(os.path.dirname(path))  # files that lie beside it can be imported, as there
    variables: dict[str, Any] = {"__name__": "__kaggle__", "__file__": path}
    exec(compile(source, path, "exec", dont_inherit=True), variables)
    agents = [thing for thing in variables.values() if callable(thing)]
    if not agents:
        raise WrongAnswer("it defines no agent")
    agent = agents[-1]
    code = getattr(agent, "__code__", None)
    arguments = getattr(code, "co_argcount", 2)
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
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        return not_installed(error.name)
    return f"{type(error).__name__}: {error}".splitlines()[0]


def make_player(task: dict[str, Any]) -> Player:
    """Returns the player that the first line asks for."""
    if task["format"] == "openspiel":
        return openspiel_player(task["name"], task["rounds"], task["seed"])
    with open(task["name"], "rb") as file:
        source = importlib.util.decode_source(file.read())
    seed_everything(task["seed"], source)
    if task["format"] == "rpscontest":
        return rpscontest_player(source, task["name"])
    return kaggle_player(source, task["name"], task["rounds"], task["seconds"])


def main() -> None:
    """Plays until the other side closes the stream, or something goes wrong."""
    reader, writer = os.fdopen(os.dup(0)), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    player: Player | None = None
    for line in reader:
        said = json.loads(line)
        try:
            if player is None:
                limit_resources(said["cpu_seconds"], said["megabytes"])
                player = make_player(said)
                answer = "ready"
            else:
                answer = str(player(said))
        except BaseException as error:  # whatever a script raises is its own defeat
            answer = f"lost {cause_of(error)[:LONGEST_CAUSE]}"
        os.write(writer, answer.encode(errors="replace") + b"\n")
        if answer.startswith("lost"):
            return


if __name__ == "__main__":
    main()
