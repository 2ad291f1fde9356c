"""Players of Roshambo as single files that run without nashzoo: scripts for rpscontest.com and agents for Kaggle.

Players by the state alone are written as tables, players with a finite memory as automata, and players with a compiled
function as the Python source of it and of all that it uses. In all of them the rules are copied from the rules file,
so that a script throws what the player would throw with the same random numbers.
"""

import ast
import inspect
import math
import textwrap
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from nashzoo.agents.bots.roshambo import export_runtime
from nashzoo.agents.bots.roshambo.fixed import CompiledBot
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.core.agent import DRAWS, Agent, FiniteMemoryAgent, PolicyAgent
from nashzoo.envs.core.checks import check_one_of, name_of
from nashzoo.envs.core.seeds import streams
from nashzoo.envs.games.roshambo import rules as roshambo
from nashzoo.envs.jit.generated import source_of

FORMATS = ("rpscontest", "kaggle")
MARK = "a player of nashzoo"  # in the first line of every script
PROVIDED = (np, math)  # modules that the runtime replaces, with the same names

STEP = "lambda state, *throws: step(GAME_TABLES, state, *throws)"
OBSERVE = "lambda *seen: observe(PARAMS, GAME_TABLES, *seen)"

KERNEL = """
def decide(state, observation, memory, uniforms):
    actions = Row([0])
    {function}(Rows([observation]), memory, Rows([uniforms]), *ARGUMENTS, actions)
    return actions[0]
"""

AUTOMATON = """
def decide(state, observation, memory, uniforms):
    memory[0, 0] = REMEMBERED[int(memory[0, 0])][state.recalled if state.played else -1]
    return drawn(PROBABILITIES[memory[0, 0]], uniforms[0])
"""

TABLE = """
def decide(state, observation, memory, uniforms):
    return drawn(PROBABILITIES[CHOSEN[{key}]], uniforms[0])
"""

# Possible keys of a table, the one with the fewest values first.
KEYS: dict[str, Callable[[Any], Any]] = {
    "state.recalled if state.played else -1": lambda state: state.recalled if state.played else -1,
    "state.played": lambda state: state.played,
    "state": tuple,
}

RPSCONTEST = """
if input == '':
{definitions}

    match = {match}
    output = 'RPS'[match.throw(None)]
else:
    output = 'RPS'[match.throw('RPS'.index(input))]
"""

KAGGLE = """
{definitions}

match = None


def agent(observation, configuration):
    global match
    if observation.step == 0:
        match = {match}
        return match.throw(None)
    return match.throw(observation.lastOpponentAction)
"""


def export(agent: Agent, format: str, title: str, seed: int | None = None) -> str:
    """Returns a player as the text of a script.

    Args:
        agent: A player of Roshambo with three throws.
        format: ``"rpscontest"`` or ``"kaggle"``.
        title: The name of the player in the script.
        seed: Seed of its random numbers, those of ``streams(seed, 1)``; new ones in every match when None.

    Raises:
        UsageError: there is no such format, or the player plays another game.
        UsageTypeError: the player is of a kind that cannot be written as a script.
    """
    check_one_of("format", format, FORMATS)
    game = agent.game
    if game.name != roshambo.NAME or game.actions != roshambo.ACTIONS:
        raise UsageError(f"scripts throw rock, paper or scissors; {game} cannot be exported")
    source = Source()
    source.add("PARAMS", game.rules.params_of(game.params))
    source.add("GAME_TABLES", game.rules.tables_of(game.params))
    for piece in ("step", "observe", "State"):
        source.add(piece, getattr(roshambo, piece))
    runtime = inspect.getsource(export_runtime).split('"""', 2)[2]
    sizes = game.num_features, agent.memory_size, DRAWS
    state = None if seed is None else int(streams(seed, 1)[0])
    match = f"Match(({STEP}, {OBSERVE}), decide, {sizes}, {game.state(int(game.start_codes[0]))}, {state})"
    definitions = runtime.strip() + "\n\n\n" + _decision(agent, source).strip()
    heading = f"# {title}, {MARK}. It throws as there, with the same random numbers.\n"
    if format == "kaggle":
        return heading + KAGGLE.format(definitions=definitions, match=match)
    return heading + RPSCONTEST.format(definitions=textwrap.indent(definitions, "    "), match=match)


def _decision(agent: Agent, source: "Source") -> str:
    """Returns the definitions of the player's decisions, and of all that they use."""
    if isinstance(agent, CompiledBot):
        function, arguments = agent.decision
        source.add(function.__name__, function)
        source.add("ARGUMENTS", arguments)
        return source.text + KERNEL.format(function=function.__name__)
    if isinstance(agent, FiniteMemoryAgent):
        remembered, probabilities = _automaton(agent)
        source.add("REMEMBERED", remembered)
        source.add("PROBABILITIES", probabilities)
        return source.text + AUTOMATON
    if isinstance(agent, PolicyAgent):
        key, chosen, probabilities = _table(agent)
        source.add("CHOSEN", chosen)
        source.add("PROBABILITIES", probabilities)
        return source.text + TABLE.format(key=key)
    raise UsageTypeError(f"{name_of(agent)} cannot be written as a script")


def _automaton(agent: FiniteMemoryAgent) -> tuple[list[dict[int, int]], list[list[float]]]:
    """Returns the next memory state by memory state and joint throw (-1 for none), and the probabilities."""
    game = agent.game
    start = int(game.start_codes[0])
    joints = game.num_actions**2
    codes = [start, *(game.rules.encode(roshambo.State(1, joint)) for joint in range(joints))]
    observations = np.array([game.observe(code, 0) for code in codes])
    states = np.repeat(np.arange(agent.memory_states), len(codes))
    seen = np.tile(observations, (agent.memory_states, 1))
    masks = np.ones((len(states), game.num_actions), np.int8)
    following = agent.remember(states, seen).reshape(-1, len(codes))
    played = agent.memory_probabilities(states, seen, masks).reshape(agent.memory_states, len(codes), -1)
    if (played != played[:, :1]).any():
        raise UsageTypeError(f"{name_of(agent)} cannot be written as a script: it depends on more than its memory")
    return [dict(zip(range(-1, joints), row, strict=True)) for row in following.tolist()], played[:, 0].tolist()


def _table(agent: PolicyAgent) -> tuple[str, dict[int, int], list[list[float]]]:
    """Returns the expression of the table's key, the number of a row for each key, and the rows of probabilities."""
    codes = ListedStates(agent.game).codes
    observations = np.array([agent.game.observe(int(code), 0) for code in codes])
    masks = np.ones((len(codes), agent.game.num_actions), np.int8)
    rows, numbers = np.unique(agent.action_probabilities(observations, masks), axis=0, return_inverse=True)
    for key, key_of in KEYS.items():
        keys = [key_of(agent.game.state(int(code))) for code in codes]
        chosen = dict(zip(keys, numbers.tolist(), strict=True))
        if [chosen[k] for k in keys] == numbers.tolist():
            return key, chosen, rows.tolist()
    raise AssertionError("a state says all that there is to say about itself")


class Source:
    """Definitions in a valid order, from the source of compiled functions.

    Attributes:
        text: All definitions.
    """

    def __init__(self) -> None:
        self.text = ""
        self._things: dict[str, Any] = {}

    def add(self, name: str, thing: Any) -> None:
        """Adds a constant, a function or a named tuple, after all definitions that it uses.

        Raises:
            TypeError: it is of another kind.
            ValueError: another definition has the name.
        """
        if name in self._things:
            if self._things[name] is not thing and not np.array_equal(self._things[name], thing):
                raise ValueError(f"two different things in a script are called {name}")
            return
        self._things[name] = thing
        if isinstance(thing, type) and issubclass(thing, tuple):
            fields = ", ".join(f"{field!r}" for field in thing._fields)  # type: ignore[attr-defined]
            self.text += f"{name} = namedtuple({name!r}, [{fields}])\n"
        elif callable(thing):
            self._add_function(name, inspect.unwrap(getattr(thing, "py_func", thing)))
        elif isinstance(thing, tuple) and hasattr(thing, "_fields"):
            self.add(type(thing).__name__, type(thing))
            self.text += f"{name} = {type(thing).__name__}(*{literal(tuple(thing))})\n"
        else:
            self.text += f"{name} = {literal(thing)}\n"

    def _add_function(self, name: str, function: Any) -> None:
        definition = ast.parse(textwrap.dedent(source_of(function))).body[0]
        assert isinstance(definition, ast.FunctionDef)
        definition.decorator_list, definition.name = [], name
        definition.returns = None
        for argument in definition.args.args:
            argument.annotation = None
        if ast.get_docstring(definition) is not None:
            del definition.body[0]
        own = {node.arg for node in ast.walk(definition) if isinstance(node, ast.arg)}
        for node in ast.walk(definition):
            if isinstance(node, ast.Name) and node.id in function.__globals__ and node.id not in own:
                used = function.__globals__[node.id]
                if not (isinstance(used, ModuleType) and used in PROVIDED):
                    self.add(node.id, used)
        self.text += f"\n\n{ast.unparse(definition)}\n\n\n"


def literal(thing: Any) -> str:
    """Returns the Python source of a constant.

    >>> literal(np.array([[1.0, np.inf]]))
    'Rows([Row([1.0, math.inf])])'

    Raises:
        TypeError: it is no constant.
    """
    if isinstance(thing, np.ndarray) and thing.ndim == 2:
        return f"Rows([{', '.join(literal(row) for row in thing)}])"
    if isinstance(thing, np.ndarray):
        return f"Row([{', '.join(literal(number) for number in thing.tolist())}])"
    if isinstance(thing, list | tuple):
        inside = "".join(f"{literal(item)}, " for item in thing)
        return f"[{inside}]" if isinstance(thing, list) else f"({inside})"
    if isinstance(thing, dict):
        return "{" + ", ".join(f"{literal(key)}: {literal(value)}" for key, value in thing.items()) + "}"
    if isinstance(thing, np.generic):
        return literal(thing.item())
    if isinstance(thing, float) and not np.isfinite(thing):
        return {"inf": "math.inf", "-inf": "-math.inf"}.get(repr(thing), "math.nan")
    if thing is None or isinstance(thing, bool | int | float | str):
        return repr(thing)
    raise TypeError(f"{thing!r} cannot be written in a script")
