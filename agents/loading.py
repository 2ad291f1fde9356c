"""Makes players from names, files, models, and objects with ``predict``."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from nashzoo.agents.basic.adapted import JSON, TABLES, adapted, is_table_file, network_in, table_in
from nashzoo.agents.basic.deterministic import DeterministicAgent
from nashzoo.agents.learning.self_play_learner import SUFFIX as LEARNER_SUFFIX
from nashzoo.agents.learning.self_play_learner import algorithm_of
from nashzoo.agents.notation import split_options
from nashzoo.agents.registry import (
    check_options,
    class_options,
    entries,
    make,
    self_play_learner,
    self_play_learners,
    title,
)
from nashzoo.baselines.bounded.measure import SUFFIX as RESPONSE_SUFFIX
from nashzoo.baselines.bounded.measure import saved_response
from nashzoo.baselines.policies.adapters import Policy, check_keyed, is_table, kind_or_none
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.base.files import digest
from nashzoo.envs.base.modules import CLASS, class_at, is_path, module_at
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.core.checks import check_plays
from nashzoo.envs.core.game import Game

MODEL_SUFFIX = ".zip"  # of files that Stable-Baselines3 saves
SCRIPT_SUFFIX = ".py"
NETWORK_SUFFIXES = ".pt", ".onnx"
FILE_SUFFIXES = (
    SCRIPT_SUFFIX,
    MODEL_SUFFIX,
    LEARNER_SUFFIX,
    RESPONSE_SUFFIX,
)  # of files that hold players and nothing else
SUFFIXES = *FILE_SUFFIXES, *NETWORK_SUFFIXES, *TABLES
OPENSPIEL_PREFIX = "openspiel:"


def as_agent(thing: Any, game: Game, seed: int | None = None, **chosen: Any) -> Agent:
    """Returns a player of ``game`` from its name, file, model or object.

    Args:
        thing: A player's name; a class of agents as ``my_package.bots:MyAgent`` or ``./bots.py:MyAgent``, whose module
            is imported; the path, ending in ``.zip``, of a model that Stable-Baselines3 saved (loading it runs
            code from the file); the path, ending in ``.py``, of a script for rpscontest.com or Kaggle, which
            runs in a process of its own; ``openspiel:NAME`` for one of OpenSpiel's Roshambo bots; the path, ending in
            ``.json``, of MENACE's boxes; the path of a table of probabilities (``.json``, ``.csv``, ``.npz``), or of a
            network (``.onnx``; TorchScript, ``.pt``, which is code that PyTorch runs); the path, ending in
            ``.safetensors``, of a saved :class:`nashzoo.agents.learning.self_play_learner.SelfPlayLearner`; ending in
            ``.response``, of a :class:`nashzoo.baselines.ExploitabilitySearch`, whose best response is played; an
            :class:`Agent`; a Stable-Baselines3 model; any object with ``predict(observations, deterministic=False)``
            and without memory; a policy of any kind that measures take, see
            :mod:`nashzoo.baselines.policies.adapters`; or a dictionary of these with weights, of which one is drawn for
            every game. Options may follow in brackets after a name or file that has some: ``mcts(simulations=1000)``.
        game: The game.
        seed: As in :func:`nashzoo.agents.make`; an :class:`Agent` keeps its own.
        **chosen: Options of a player given by name, or of :class:`nashzoo.agents.hosted.script_agent.ScriptAgent`; of a
            model ``deterministic``: whether it plays its most likely action instead of drawing one. Default: False. Of
            a learner's file ``algorithm``: the learner, if it is not registered, such as ``./learner.py:MyLearner``. Of
            a network or function ``outputs``: ``"logits"`` or ``"probabilities"``. Of weights ``architecture``: the
            class of the network, ``./net.py:Net``. Of a table those of
            :class:`nashzoo.baselines.policies.keyed.KeyedPolicy`.

    Raises:
        UsageError: there is no such player, or it plays another game.
        UsageTypeError: ``thing`` is none of these, or has no such option.
        FileNotFoundError: there is no such file.
        ImportError: a script, or OpenSpiel's bot, needs a package that is not installed.
    """
    if isinstance(thing, str):
        thing, said = split_options(thing)
        fixed = sorted(said.keys() & {"game", "seed"}) or sorted(said.keys() & chosen.keys())
        if fixed:
            raise UsageError(f"{fixed[0]} is given already; it cannot stand in {thing}(...) too")
        chosen |= said
    kind = next(kind for kind in _KINDS if kind.includes(thing))
    if chosen and kind.without_options is not None:
        what = kind.without_options or type(thing).__name__
        raise UsageTypeError(
            f"options are for players given by name; {what} takes none, not {', '.join(sorted(chosen))}"
        )
    agent = kind.load(thing, game, seed, **chosen)
    if isinstance(thing, str) and not agent.name:
        agent.name = thing
    return agent


def check_exists(player: str) -> None:
    """Checks that the file, class or name of a player exists, for games that are not known yet.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: there is no such class or name.
    """
    name = split_options(player)[0]
    if name.endswith(SUFFIXES):
        if not Path(name).is_file():
            raise FileNotFoundError(f"there is no file {name}")
    elif not name.startswith(OPENSPIEL_PREFIX):
        class_at(name, functions=True) if CLASS.fullmatch(name) else title(name)


def located(player: str) -> str:
    """Returns a player's or a learner's place that is the same in every folder: the path of its file is made absolute.

    >>> located("markov")
    'markov'
    """
    match = CLASS.fullmatch(split_options(player)[0])
    file = _file(player) if match is None else match["module"] if is_path(match["module"]) else None
    return player if file is None else f"{Path(file).resolve()}{player.removeprefix(file)}"


def fingerprint(player: str) -> str:
    """Returns a player's name with a hash of its file or module, so that results of an earlier one are not reused.

    >>> fingerprint("markov"), fingerprint("openspiel:greenberg")
    ('markov', 'openspiel:greenberg')
    """
    match = None if player.startswith(OPENSPIEL_PREFIX) else CLASS.fullmatch(split_options(player)[0])
    file = _file(player) if match is None else getattr(module_at(match["module"]), "__file__", None)
    files = [file, *(_file(one) for one in split_options(player)[1].values() if isinstance(one, str))]
    return "#".join([player, *(digest(Path(one)) for one in files if one is not None)])


def called(player: str) -> str:
    """Returns what a player is called in tables and pictures: as it is written, a language model by its name.

    >>> called("mcts(simulations=10)"), called("llm(model=qwen,url=http://127.0.0.1:1)"), called("llm(model=a,name=b)")
    ('mcts(simulations=10)', 'qwen', 'b')
    """
    name, options = split_options(player)
    names = [options[option] for option in getattr(entries().get(name), "called_by", ()) if options.get(option)]
    return str(names[0]) if names else player


def short_name(player: str) -> str:
    """Returns what a player is called, without prefix, folder and suffix, but with its options.

    >>> short_name("openspiel:greenberg"), short_name("bots/copy.py"), short_name("bots/copy.py(cpu_seconds=1)")
    ('greenberg', 'copy', 'copy(cpu_seconds=1)')
    """
    player = called(player)
    name = split_options(player)[0]
    short = Path(name).stem if name.endswith(SUFFIXES) else name.removeprefix(OPENSPIEL_PREFIX)
    return short + player.removeprefix(name)


def _file(player: str) -> str | None:
    """Returns the file of a player, or None."""
    name = split_options(player)[0]
    return name if name.endswith(SUFFIXES) and Path(name).is_file() else None


class _Kind(NamedTuple):
    """One kind of argument of :func:`as_agent`."""

    includes: Callable[[Any], bool]
    load: Callable[..., Agent]  # called with the thing, the game, the seed, and options
    without_options: str | None  # its name in messages if it has no options, the type's if empty; None if it has some


def _script(thing: str | Path, game: Game, seed: int | None, **chosen: Any) -> Agent:
    from nashzoo.agents.hosted.script_agent import ScriptAgent

    check_options(str(thing), chosen, [option for option in class_options(ScriptAgent) if option != "file"])
    return ScriptAgent(game, seed, file=thing, **chosen)


def _boxes(thing: str | Path, game: Game, seed: int | None) -> Agent:
    return make("menace", game, seed, file=str(thing))


def _learned(thing: str | Path, game: Game, seed: int | None, **chosen: Any) -> Agent:
    if "architecture" in chosen:
        return _network(thing, game, seed, **chosen)
    check_options(str(thing), chosen, ["algorithm"])
    algorithm = algorithm_of(thing)
    if not chosen and algorithm not in self_play_learners():
        raise UsageError(
            f"{thing} was learned by {algorithm or 'nobody'}, which is not registered; register it, or say its class: "
            f"'{thing}(algorithm=my_package.learners:MyLearner)'"
        )
    return self_play_learner(chosen.get("algorithm", algorithm)).load(thing, game, seed)


def _model(thing: Any, game: Game, seed: int | None, **chosen: Any) -> Agent:
    from nashzoo.agents.learning import sb3

    is_file = isinstance(thing, str | Path)
    name = str(thing) if is_file else type(thing).__name__
    check_options(name, chosen, ["deterministic"])
    deterministic = chosen.get("deterministic", False)
    if not isinstance(deterministic, bool):
        raise UsageTypeError(f"deterministic of {name} must be True or False, not {deterministic!r}")
    model = sb3.load(thing, game, seed) if is_file else sb3.wrap(thing, game, seed)
    return DeterministicAgent(model, seed) if deterministic else model


def _openspiel_bot(thing: str, game: Game, seed: int | None) -> Agent:
    from nashzoo.agents.hosted.script_agent import OpenSpielAgent

    return OpenSpielAgent(game, seed, bot=thing.removeprefix(OPENSPIEL_PREFIX))


def _network(thing: str | Path, game: Game, seed: int | None, **chosen: Any) -> Agent:
    check_options(str(thing), chosen, ["outputs"] if str(thing).endswith(".onnx") else ["architecture", "outputs"])
    return network_in(thing, game, seed, **chosen)


def _table(thing: str | Path, game: Game, seed: int | None, **chosen: Any) -> Agent:
    check_options(str(thing), chosen, ["key", "missing", "locks"])
    return table_in(thing, game, seed, **chosen)


def _policy(thing: Any, game: Game, seed: int | None, **chosen: Any) -> Agent:
    kind = kind_or_none(thing)
    assert kind is not None
    check_options(type(thing).__name__, chosen, kind.options)
    return adapted(thing, kind, game, seed, **chosen)


def _mixture(thing: Mapping[Any, float], game: Game, seed: int | None) -> Agent:
    from nashzoo.agents.basic.mixed import MixedAgent

    return MixedAgent(game, [as_agent(player, game) for player in thing], list(thing.values()), seed)


def _agent(thing: Agent, game: Game, seed: int | None) -> Agent:
    check_plays(game, thing)
    return thing


def _predictor(thing: Any, game: Game, seed: int | None) -> Agent:
    from nashzoo.agents.basic.predictor import PredictorAgent

    return PredictorAgent(thing, game, seed)


def _class(thing: str, game: Game, seed: int | None, **chosen: Any) -> Agent:
    kind = class_at(thing, functions=True)
    if not isinstance(kind, type):
        return as_agent(kind, game, seed, **chosen)
    try:
        made = kind(game, seed, **chosen)
    except TypeError as error:
        raise UsageTypeError(
            f"{thing} makes no player: {error}; a player is made from a game and a seed, and one derived from "
            "PolicyAgent has action_probabilities(observations, action_masks)"
        ) from error
    return as_agent(made, game, seed)


def _refuse_class(thing: type[Any], game: Game, seed: int | None) -> Agent:
    raise UsageTypeError(f"a player is an object; {thing.__name__} is a class, {thing.__name__}(game) makes one")


def _refuse(thing: Any, game: Game, seed: int | None) -> Agent:
    check_keyed(thing, game)
    raise UsageTypeError(f"a player is a name, an Agent, has predict(), or is a policy; {thing!r} is none of these")


def _is_path(thing: Any, *suffixes: str) -> bool:
    return isinstance(thing, str | Path) and str(thing).endswith(suffixes)


def _is_model(thing: Any) -> bool:
    stable_baselines3 = sys.modules.get("stable_baselines3.common.base_class")  # imported already if there is a model
    return stable_baselines3 is not None and isinstance(thing, stable_baselines3.BaseAlgorithm)


_KINDS = (  # the first that includes the argument is used
    _Kind(lambda thing: _is_path(thing, SCRIPT_SUFFIX), _script, None),
    _Kind(lambda thing: isinstance(thing, str | Path) and is_table_file(thing), _table, None),
    _Kind(lambda thing: _is_path(thing, *NETWORK_SUFFIXES), _network, None),
    _Kind(lambda thing: _is_path(thing, JSON), _boxes, "a file of boxes"),
    _Kind(lambda thing: _is_path(thing, LEARNER_SUFFIX), _learned, None),
    _Kind(lambda thing: _is_path(thing, RESPONSE_SUFFIX), saved_response, "a response"),
    _Kind(lambda thing: isinstance(thing, Path) or _is_path(thing, MODEL_SUFFIX), _model, None),
    _Kind(
        lambda thing: isinstance(thing, str) and thing.startswith(OPENSPIEL_PREFIX),
        _openspiel_bot,
        "a bot of OpenSpiel",
    ),
    _Kind(lambda thing: isinstance(thing, str) and CLASS.fullmatch(thing) is not None, _class, None),
    _Kind(lambda thing: isinstance(thing, str), make, None),
    _Kind(lambda thing: isinstance(thing, Mapping) and not is_table(thing), _mixture, "a mixture"),
    _Kind(lambda thing: isinstance(thing, Agent), _agent, ""),
    _Kind(_is_model, _model, None),
    _Kind(lambda thing: isinstance(thing, type), _refuse_class, ""),
    _Kind(lambda thing: callable(getattr(thing, "predict", None)) and not isinstance(thing, Policy), _predictor, ""),
    _Kind(lambda thing: kind_or_none(thing) is not None, _policy, None),
    _Kind(lambda thing: True, _refuse, ""),
)
