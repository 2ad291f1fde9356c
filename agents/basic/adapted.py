"""Policies of other libraries and forms as players: objects that can be measured, and files of networks and tables."""

import inspect
import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.baselines.policies.adapters import FunctionPolicy, Kind, Policy, kind_or_none
from nashzoo.baselines.policies.keyed import KeyedPolicy
from nashzoo.baselines.policies.outputs import NAMES
from nashzoo.envs.base.errors import MissingPackageError, UsageError
from nashzoo.envs.base.files import csv_lines, text_in
from nashzoo.envs.base.json_text import json_value
from nashzoo.envs.base.modules import class_at
from nashzoo.envs.base.progress import note
from nashzoo.envs.base.words import in_one_line
from nashzoo.envs.core.agent import Agent, PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Mask
from nashzoo.envs.imported.exact_numbers import number_in
from nashzoo.envs.imported.profiles import MARK, read_profile

TABLES = JSON, CSV, NPZ = ".json", ".csv", ".npz"  # suffixes of files; JSON may be boxes of MENACE too
LONG = "action", "probability"  # the last columns of a CSV file with a line for each action
SEATED = ["player", "state"]  # the first ones if it says the seat, as what the command writes
ROWS = "keys", "probabilities"  # arrays of an NPZ file
ONNX_TYPES = {"float": np.float32, "double": np.float64, "float16": np.float16, "int64": np.int64, "bool": np.bool_}


class AdaptedAgent(PolicyAgent):
    """A policy of another form as a player.

    Args:
        policy: What has its probabilities.
    """

    def __init__(self, policy: Policy, game: Game, seed: int | None = None) -> None:
        super().__init__(game, seed)
        self.policy = policy

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]``."""
        probabilities: Floats = self.policy.action_probabilities(observations, action_masks)
        return probabilities


def adapted(thing: Any, kind: Kind, game: Game, seed: int | None = None, **options: Any) -> Agent:
    """Returns a policy of a known kind as a player."""
    policy = kind.make(thing, game, **options)
    return policy if isinstance(policy, Agent) else AdaptedAgent(policy, game, seed)


def _existing(path: str | Path) -> Path:
    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no file {path}")
    return Path(path)


def network_in(path: str | Path, game: Game, seed: int | None = None, **options: Any) -> Agent:
    """Returns the network in a file as a player.

    Args:
        path: A ``.onnx`` file; TorchScript, ``.pt``; or with an ``architecture`` weights, ``.pt`` or ``.safetensors``.
        game: The game.
        seed: As for every player.
        **options: ``architecture``: the network's class, ``module:Class`` or ``./file.py:Class``, which is called with
            nothing, the game, or the numbers of features and actions; ``outputs``: what the network returns.

    Raises:
        FileNotFoundError: there is no such file.
        MissingPackageError: a library is not installed.
        UsageError: the file holds something else.
    """
    path = _existing(path)
    if path.suffix == ".onnx":
        return FunctionPolicy(_onnx(path), game, seed, **options)
    try:
        import torch
    except ImportError as error:
        raise MissingPackageError(f"{path} needs PyTorch: pip install torch") from error
    place = options.pop("architecture", None)
    if place is None:
        note(f"{path} is TorchScript, which PyTorch runs: load only what you trust")
        try:
            with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
                network = torch.jit.load(path, map_location="cpu")  # type: ignore[no-untyped-call]
        except RuntimeError as error:
            raise UsageError(
                f"{path} is no TorchScript, which torch.jit.script(network).save(path) writes; weights need the "
                f"class of the network too, as in {path}(architecture=./net.py:Net)"
            ) from error
    else:
        network = _made(class_at(place), game)
        try:
            if path.suffix == ".safetensors":
                from safetensors.torch import load_file

                weights = load_file(path)
            else:
                weights = torch.load(path, map_location="cpu", weights_only=True)
            network.load_state_dict(weights)
        except Exception as error:  # several of several libraries, all on the file
            raise UsageError(f"{path} does not hold the weights of {place} alone: {in_one_line(error)}") from error
    kind = kind_or_none(network)
    if kind is None:
        raise UsageError(f"{place} is no class of torch.nn.Module")
    return adapted(network, kind, game, seed, **options)


def _made(kind: type[Any], game: Game) -> Any:
    needed = [one for one in inspect.signature(kind).parameters.values() if one.default is one.empty]
    needed = [one for one in needed if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    sizes = (), (game,), (game.num_features, game.num_actions)
    if len(needed) >= len(sizes):
        raise UsageError(
            f"{kind.__name__} must be made from nothing, the game, or the numbers of features and actions, not from "
            f"{', '.join(one.name for one in needed)}"
        )
    return kind(*sizes[len(needed)])


def _onnx(path: Path) -> Any:
    """Returns the function of a network by onnxruntime, of observations and of masks if it takes these too."""
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingPackageError(f"{path} needs onnxruntime: pip install '.[onnx]' in nashzoo's folder") from error
    try:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's have no class of their own
        raise UsageError(f"{path} is no network that onnxruntime reads: {in_one_line(error)}") from error
    inputs = sorted(session.get_inputs(), key=lambda one: "mask" in one.name)
    if len(inputs) > 2:
        raise UsageError(f"{path} takes {', '.join(one.name for one in inputs)}, not observations, and masks at most")
    kinds = [ONNX_TYPES.get(one.type.removeprefix("tensor(").removesuffix(")"), np.float32) for one in inputs]
    names = [output.name for output in session.get_outputs()]

    def answer(*arrays: Any) -> Any:
        alone = arrays[0].ndim < len(inputs[0].shape or ())  # one observation, as for a network that takes no more
        rows = [(array[None] if alone else array).astype(kind) for array, kind in zip(arrays, kinds, strict=True)]
        said = session.run(None, {one.name: row for one, row in zip(inputs, rows, strict=True)})
        said = tuple(part[0] for part in said) if alone else tuple(said)
        return dict(zip(names, said, strict=True)) if NAMES.keys() & set(names) else said

    def of_both(observations: Any, action_masks: Any) -> Any:
        return answer(observations, action_masks)

    function = of_both if len(inputs) == 2 else lambda observations: answer(observations)
    function.__name__ = path.name
    return function


def is_table_file(path: str | Path) -> bool:
    """Returns whether a file is a table of probabilities, by its suffix; MENACE's boxes, JSON too, have a format."""
    path = Path(path)
    boxes = path.suffix == JSON and path.is_file() and b'"format"' in path.read_bytes()[:1000]
    return path.suffix in TABLES and not boxes


def table_in(path: str | Path, game: Game, seed: int | None = None, **options: Any) -> KeyedPolicy:
    """Returns the table in a file as a player; the options are those of :class:`KeyedPolicy`.

    JSON is an object of rows. CSV has the key in the first column, and a column for each action; or a line for each
    ``action``, with its ``probability``; or it is a line that Gambit's programs print. NPZ has arrays ``keys`` and
    ``probabilities``, or one for each key.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it is no such file, or no policy of the game.
    """
    path = _existing(path)
    try:
        lines = csv_lines(path) if path.suffix == CSV else []
        if lines and all(line[0].strip() == MARK for line in lines):
            if len(lines) > 1:
                raise UsageError(f"it has {len(lines)} lists of Gambit; keep the line of one")
            rows, options["key"] = read_profile(lines[0], game.rules.written, game.num_actions), "code"
        else:
            rows = {JSON: _json_rows, CSV: _csv_rows, NPZ: _npz_rows}[path.suffix](path)
        return KeyedPolicy(rows, game, seed, **options)
    except UsageError as error:
        raise UsageError(str(error) if str(error).startswith(str(path)) else f"{path}: {error}") from error


def _json_rows(path: Path) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        first = dict(reversed(pairs))
        if doubled := [name for name, value in pairs if value != first[name]]:
            raise UsageError(f"the key {doubled[0]!r} stands there twice, with other values")
        return dict(pairs)

    text = text_in(path)
    if not isinstance(json_value(text), dict):
        raise UsageError('a table is an object of rows, as in {"1": {"pass": 0.5, "bet": 0.5}}')
    return json.loads(text, object_pairs_hook=once)


def _csv_rows(path: Path) -> list[tuple[Any, Any]]:
    heading, *rows = csv_lines(path) or [[]]
    heading = [name.strip() for name in heading]
    if len(heading) < 2 or any(len(line) != len(heading) for line in rows):
        raise UsageError("a table has a heading, and in every line a key and a number for each action")
    if tuple(heading[-2:]) != LONG:
        return [(key, _numbers(zip(heading[1:], cells, strict=True))) for key, *cells in rows]
    found: dict[Any, dict[str, float]] = {}
    seated = heading[:2] == SEATED
    for first, *more, action, cell in rows:
        if seated and first not in ("0", "1"):
            raise UsageError(f"the column player has the seats 0 and 1, and no {first!r}")
        key = (int(first), more[0]) if seated else first
        if action in found.setdefault(key, {}):
            raise UsageError(f"the key {key!r} has the action {action} twice")
        found[key] |= _numbers([(action, cell)])
    return list(found.items())


def _numbers(cells: Any) -> dict[str, float]:
    numbers = {}
    for name, cell in cells:
        if cell.strip():
            if (number := number_in(cell.strip(), "probabilities")) is None:
                raise UsageError(f"{cell!r} in the column {name} is no number")
            numbers[name] = float(number)
    return numbers


def _npz_rows(path: Path) -> list[tuple[Any, Any]]:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            if set(ROWS) <= set(arrays.files):
                return list(zip(arrays[ROWS[0]].tolist(), arrays[ROWS[1]].tolist(), strict=True))
            return [(name, arrays[name].tolist()) for name in arrays.files]
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise UsageError(f"it holds no arrays of numbers and texts: {error}") from error
