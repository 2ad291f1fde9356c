"""The program in which a third-party script plays one match of Roshambo, in a process of its own.

:mod:`nashzoo.agents.hosted.script_supervisor` starts it; it imports nothing of nashzoo. The first line of its input is
the task, in JSON; the answer is ``ready``. Every further line is the other's last throw (``null`` before the first);
the answer is a throw, ``0``, ``1`` or ``2``. Any answer may be ``lost CAUSE`` instead, after which the program ends.
The script itself has no terminal: its standard streams are the null device.
"""

import contextlib
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
PACKAGES = {  # by module; the advice names no others, since a missing file of the script may have any name
    "cv2": "opencv-python",
    "kaggle_environments": "kaggle-environments",
    "PIL": "pillow",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
    **{name: name for name in ("numba", "numpy", "pandas", "scipy", "tensorflow", "torch", "tqdm", "xgboost")},
}

Player = Callable[[int | None], int]


class WrongAnswer(Exception):
    """The answer of the script is no throw."""


def limit_resources(cpu_seconds: int | None, megabytes: int) -> None:
    """Sets the limits of the process, if the operating system has such limits."""
    try:
        import resource
    except ImportError:
        return
    with contextlib.suppress(ValueError, OSError):  # macOS refuses limits of memory
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE, megabytes * MEGABYTE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if cpu_seconds is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))


def get_score(left_move: int, right_move: int) -> float:
    """Returns the points of a throw against another one, 1 for a win; Kaggle's agents import this function."""
    return (0, 1.0, -1.0)[(left_move - right_move) % 3]


def provide_stand_in() -> None:
    """Lets scripts import ``get_score`` if Kaggle's own package is not installed."""
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
    """Returns a message about a missing module, with advice."""
    package = PACKAGES.get(module.partition(".")[0])
    advice = "a file of its author must be in its folder, where only scripts for Kaggle look for it"
    if package is not None:
        advice = f"pip install {package} is what usually helps"
    return f"it imports {module}, which is not installed; {advice}"


def seed_everything(seed: int, source: str) -> None:
    """Seeds the generators of scripts; NumPy's only if the script contains its name, since its import is slow."""
    random.seed(seed)
    if "numpy" in source:
        try:
            import numpy
        except ImportError:
            return
        numpy.random.seed(seed % (1 << 32))


def rpscontest_player(source: str, path: str) -> Player:
    """Returns a player that runs the script again for each throw; its variables are kept between throws."""
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
    """A dictionary whose entries are attributes too, as in the arguments of Kaggle's agents."""

    def __getattr__(self, name: str) -> Any:
        """Returns an entry."""
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def kaggle_player(source: str, path: str, rounds: int, seconds_a_move: float) -> Player:
    """Returns a player that calls the agent by Kaggle's rule: the last callable variable of the module.

    Raises:
        WrongAnswer: there is no callable.
    """
    provide_stand_in()
    sys.path.append(os.path.dirname(path))  # so that it can import modules in its folder, as on Kaggle
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
    """Returns one of OpenSpiel's bots. Their random numbers come from the C library's ``random``."""
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
    """Returns the ``repr`` of an object, with at most 40 characters."""
    text = repr(thing)
    return text if len(text) <= 40 else text[:37] + "..."


def cause_of(error: BaseException) -> str:
    """Returns the cause of an error, in one line."""
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
    """Returns the player of a task."""
    if task["format"] == "openspiel":
        return openspiel_player(task["name"], task["rounds"], task["seed"])
    with open(task["name"], "rb") as file:
        source = importlib.util.decode_source(file.read())
    seed_everything(task["seed"], source)
    if task["format"] == "rpscontest":
        return rpscontest_player(source, task["name"])
    return kaggle_player(source, task["name"], task["rounds"], task["seconds"])


def main() -> None:
    """Plays until the input ends, or an error occurs."""
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
        except BaseException as error:  # any exception of a script loses its match
            answer = f"lost {cause_of(error)[:LONGEST_CAUSE]}"
        os.write(writer, answer.encode(errors="replace") + b"\n")
        if answer.startswith("lost"):
            return


if __name__ == "__main__":
    main()
