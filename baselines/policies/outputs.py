"""What a function or a network returns, as probabilities of actions.

An answer is an array ``[B, actions]``, an action for each observation ``[B]``, a tuple with exactly one such array, as
``(logits, value)``, or an object or a dictionary with ``logits`` or ``probs``, as distributions and the outputs of
language models are. What an array without a name is, all answers at a sample of states decide: rows that are
distributions are probabilities, as logits at all states cannot add up to 1 by chance; negative numbers elsewhere are
logits; other numbers may be logits, or weights that nobody has divided by their sum: those of networks are logits by
convention, those of functions are refused.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core import kernels
from nashzoo.envs.core.agent import SUM_TOLERANCE, legal_actions
from nashzoo.envs.core.game import Features, Floats, Game, Mask
from nashzoo.envs.core.reachable import OVER, expand, moves_of
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.jit.numba import float64, int8, void

LOGITS, PROBABILITIES = OUTPUTS = "logits", "probabilities"
SAMPLE, LONGEST, KEPT = 32, 8, 8  # states of one length of play, at most; moves up to them; games whose sample is kept
NAMES = {"logits": LOGITS, "probs": PROBABILITIES, "probabilities": PROBABILITIES}  # of attributes, and of keys


class Answer(NamedTuple):
    """Numbers of an answer."""

    numbers: Floats  # an array [B, actions]
    kind: str | None  # what they are, by their name; None if they have none


def array_of(part: Any) -> Floats:
    """Returns a tensor of any library as an array of double precision; whole numbers stay whole."""
    if hasattr(part, "detach"):  # PyTorch
        part = part.detach().cpu()
        part = (part.double() if part.is_floating_point() else part).numpy()
    array = np.asarray(part)
    return array if array.dtype.kind in "biu" else array.astype(np.float64, order="C")


def answer_of(said: Any, shape: tuple[int, ...], whose: str) -> Answer:
    """Returns the numbers in what a policy said.

    Args:
        said: The answer.
        shape: The number of observations and of actions; of an answer to one observation the latter alone.
        whose: The name of the policy, for messages.

    Raises:
        UsageError: there are none of this shape, or more than one.
    """
    has = said if isinstance(said, Mapping) else getattr(said, "__dict__", {})
    # A distribution that was made of probabilities has them alone; its logits would have no zeros.
    for name in ("probs", *NAMES) if "probs" in has else NAMES:
        part = said.get(name) if isinstance(said, Mapping) else getattr(said, name, None)
        if part is not None and not callable(part):
            return Answer(answer_of(part, shape, whose).numbers, NAMES[name])
    parts = said if isinstance(said, tuple) else (said,)
    try:
        arrays = [array_of(part) for part in parts]
    except (TypeError, ValueError):
        arrays = []
    if len(arrays) == 1 and arrays[0].shape == shape[:-1] and arrays[0].dtype.kind in "iu":
        if (others := arrays[0][(arrays[0] < 0) | (arrays[0] >= shape[-1])]).size:
            raise UsageError(f"{whose} chooses action {others[0]}; actions are 0 to {shape[-1] - 1}")
        return Answer(np.eye(shape[-1])[arrays[0]], PROBABILITIES)
    fitting = [array for array in arrays if array.shape == shape]
    if len(fitting) > 1:
        raise UsageError(f"{whose} returned {len(fitting)} arrays of shape {shape}: its logits must be the only one")
    if not fitting:
        shapes = " and ".join(str(array.shape) for array in arrays if array.dtype != object and array.shape)
        returned = shapes or f"a {type(said).__name__}"
        raise UsageError(f"{whose} must return logits or probabilities of shape {shape}, not {returned}")
    return Answer(fitting[0].astype(np.float64), None)


@lru_cache(KEPT)
def some_decisions(game: Game) -> tuple[Features, Mask]:
    """Returns a sample of what players observe where they choose ``[n, features]``, and their legal actions."""
    codes, parts = game.start_codes[:SAMPLE], []
    for _ in range(LONGEST):
        for player in range(2):
            moves = moves_of(game, codes, player)
            parts.append(np.empty((len(moves), game.num_features), np.float32))
            kernels.observe_all(game.compiled, moves, np.full(len(moves), player), parts[-1])
        after = np.unique(expand(game, codes)[2])
        after = after[after != OVER]
        codes = np.ascontiguousarray(after[:: -(-len(after) // SAMPLE) or 1])
        if not len(codes):
            break
    seen = np.concatenate(parts)
    return seen, legal_actions(game, seen)


def kind_of(answer: Answer, whose: str, default: str | None = None) -> str:
    """Returns what the numbers of an answer at a sample of states are, ``"logits"`` or ``"probabilities"``.

    Raises:
        UsageError: they may be either, and there is no default.
    """
    numbers = answer.numbers
    if answer.kind is not None:
        return answer.kind
    if not (numbers < np.inf).all():
        raise UsageError(f"{whose} returned {default or 'answers'} that are no numbers, or infinite")
    sums_to_1 = (np.abs(numbers.sum(axis=1) - 1.0) <= SUM_TOLERANCE).all()
    negative = (numbers < 0.0).any()
    if sums_to_1 and not negative:
        return PROBABILITIES
    if default is None and (sums_to_1 or not negative):
        row = numbers[(numbers < 0.0).any(axis=1).argmax() if negative else np.abs(numbers.sum(axis=1) - 1.0).argmax()]
        raise UsageError(
            f"{whose} returns {np.round(row, 6).tolist()}: logits, or probabilities that are "
            f"{'negative' if negative else 'not divided by their sum'}? as_agent(policy, game, outputs='logits') says "
            "the first, outputs='probabilities' the second"
        )
    return default or LOGITS


def masked(probabilities: Floats, masks: Mask) -> Floats:
    """Returns probabilities without those of illegal actions, divided by their sum; unchanged where it is 0."""
    legal: Floats = np.where(masks == 1, probabilities, 0.0)
    sums = legal.sum(axis=1, keepdims=True)
    return np.where(sums > 0.0, legal / np.where(sums > 0.0, sums, 1.0), probabilities)


def checked_softmax(numbers: Floats, masks: Mask, whose: str, kind: str = LOGITS) -> Floats:
    """Returns the probabilities of legal actions by what a policy said, logits or probabilities.

    Raises:
        UsageError: these are no numbers, or infinite, or all minus infinity.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        logits = numbers if kind == LOGITS else np.log(numbers)
    if not (logits < np.inf).all():
        raise UsageError(f"{whose} returned {kind} that are no numbers, or infinite")
    if logits.min(initial=0.0) == -np.inf and (logits.max(axis=1) == -np.inf).any():
        raise UsageError(f"{whose} returned logits that are all minus infinity")
    return softmax(logits, masks)


@compiled(void(float64[:, ::1], int8[:, ::1]))
def _subtract_top(logits: Floats, masks: Mask) -> None:
    """Subtracts the largest logit of a legal action; illegal ones become minus infinity."""
    rows, num_actions = logits.shape
    for k in range(rows):
        top = -np.inf
        for a in range(num_actions):
            if masks[k, a] and logits[k, a] > top:
                top = logits[k, a]
        for a in range(num_actions):
            logits[k, a] = logits[k, a] - top if masks[k, a] and top > -np.inf else -np.inf


def softmax(logits: Floats | Features, masks: Mask) -> Floats:
    """Returns the probabilities of legal actions ``[B, actions]``; equal ones if none is possible."""
    probabilities, masks = np.array(logits, np.float64, order="C"), np.ascontiguousarray(masks, np.int8)
    _subtract_top(probabilities, masks)
    np.exp(probabilities, out=probabilities)
    _keep_legal(probabilities, masks)
    return probabilities


def greedy(values: Floats) -> Floats:
    """Returns 1 for the action with the largest value, the first of several, and 0 for others ``[B, actions]``."""
    chosen: Floats = np.eye(values.shape[1])[values.argmax(axis=1)]
    return chosen


@compiled(void(float64[:, ::1], int8[:, ::1]))
def _keep_legal(probabilities: Floats, masks: Mask) -> None:
    rows, num_actions = probabilities.shape
    for k in range(rows):
        total = count = 0.0
        for a in range(num_actions):
            probabilities[k, a] *= masks[k, a]
            total += probabilities[k, a]
            count += masks[k, a]
        for a in range(num_actions):
            probabilities[k, a] = probabilities[k, a] / total if total > 0.0 else masks[k, a] / count
