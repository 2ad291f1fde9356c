"""Games given by arrays, kept in files: exploring a large game of another program takes longer than reading one.

A file is named by a digest of all that its game depends on, so that no old one is taken for a new one.
"""

import contextlib
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import platformdirs

from nashzoo.envs.base.array_files import read_arrays, write_arrays
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import digest
from nashzoo.envs.base.progress import say
from nashzoo.envs.imported.graph_rules import Graph, GraphRules, Horizon
from nashzoo.envs.imported.shown import Shown

WORTH_KEEPING = 300_000  # successors; exploring fewer takes about a second
NARROW = np.int32  # numbers of states in files
CODE = [digest(path) for path in sorted(Path(__file__).parent.glob("*.py"))]  # that explores, as it is loaded


def cached(depends_on: Sequence[str], make: Callable[[], GraphRules], worth_keeping: int | None = None) -> GraphRules:
    """Returns the rules of a game from their file; if there is none, or it is damaged, makes and keeps them.

    Args:
        depends_on: All that they depend on, besides the code here that explores games.
        make: Makes them.
        worth_keeping: The least number of successors of a game that is kept. Default: ``WORTH_KEEPING``.
    """
    named = hashlib.sha256(json.dumps([*depends_on, *CODE]).encode()).hexdigest()[:16]
    path = platformdirs.user_cache_path("nashzoo") / "graphs" / f"{named}.safetensors"
    with contextlib.suppress(FileNotFoundError, UsageError, KeyError):
        return _read(path)
    rules = make()
    if len(rules.graph.following) >= (WORTH_KEEPING if worth_keeping is None else worth_keeping):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, rules)
        except OSError as error:
            say(f"the states of {rules.NAME} could not be kept in {path}: {error}")
    return rules


def _write(path: Path, rules: GraphRules) -> None:
    texts = [text.encode() for text in rules.texts or ()]
    metadata = {"name": rules.NAME, "actions": json.dumps(rules.ACTIONS), "seen": json.dumps(rules.seen)}
    metadata |= {name: json.dumps(getattr(rules, name)) for name in ("horizon", "total", "notes")}
    arrays = {field: np.asarray(array) for field, array in rules.graph._asdict().items()}
    if rules.environment is not None:
        arrays["observations"], metadata["blurred"] = rules.environment
    arrays["following"] = arrays["following"].astype(NARROW)
    if not arrays["probabilities"].any():
        arrays["probabilities"] = np.empty(0)  # as there is no chance
    arrays["seen"] = np.packbits(arrays["seen"])
    arrays["texts"] = np.frombuffer(b"".join(texts), np.uint8)
    arrays["text_ends"] = np.cumsum([len(text) for text in texts], dtype=np.int64)
    write_arrays(path, metadata, arrays)


def _read(path: Path) -> GraphRules:
    """Returns the rules in a file."""
    file = read_arrays(path, "no game")
    if not file.is_whole:
        raise UsageError(f"{path} is damaged")
    arrays = {name: np.array(array) for name, array in file.arrays.items()}
    ends, letters = arrays.pop("text_ends").tolist(), arrays.pop("texts").tobytes()
    texts = [letters[first:end].decode() for first, end in zip([0, *ends], ends, strict=False)]
    seen, states = json.loads(file.metadata["seen"]), len(arrays["turns"])
    bits = np.unpackbits(arrays["seen"], count=2 * states * len(seen)).astype(np.bool_)
    arrays["seen"] = bits.reshape(states, 2, len(seen))
    arrays["following"] = arrays["following"].astype(np.int64)
    if not len(arrays["probabilities"]):
        arrays["probabilities"] = np.zeros(len(arrays["following"]))
    shown = Shown(arrays.pop("observations"), file.metadata["blurred"]) if "observations" in arrays else None
    said = "actions", "horizon", "total", "notes"
    actions, horizon, total, notes = (json.loads(file.metadata[name]) for name in said)
    graph, limit = Graph(**arrays), Horizon(*horizon)
    return GraphRules(file.metadata["name"], actions, graph, texts or None, seen, limit, total, shown, notes=notes)
