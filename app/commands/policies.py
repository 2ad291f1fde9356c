"""What commands say of the policy of a language model or a network: its cost beforehand, and what figures rest on."""

from collections.abc import Sequence
from math import log10
from typing import Any

from nashzoo.envs.base.progress import note
from nashzoo.envs.base.words import counted


def announce(policy: Any) -> None:
    """Says beforehand which questions to a language model a measure at all states takes; nothing of other policies.

    Raises:
        UsageError: they exceed its budget, and none has been sent.
    """
    if hasattr(policy, "estimate"):
        note(policy.estimate())


def basis(policy: Any, differences: Sequence[float] = ()) -> str:
    """Returns what exact figures of a policy are figures of, for their title.

    ``differences`` are those of its answers of single precision, see
    :func:`nashzoo.baselines.policies.tabular.differences`.
    """
    samples = getattr(policy, "samples", 0)
    alike = ", asked once for all states that are the same by symmetry" * getattr(policy, "by_symmetry", False)
    most = max(differences, default=0.0)
    rounding = f" up to the rounding of its probabilities, {most:.1g} when asked again" if most else ""
    return (f"of the frequencies of {counted(samples, 'sample')} a state" if samples else "exact") + alike + rounding


def rounded(figure: float, differences: Sequence[float] = ()) -> str:
    """Returns an exact figure with as many digits after the point as the differences leave to it, at most nine.

    >>> rounded(-1e-12), rounded(0.123456789, [2e-6, 0.0])
    ('0.000000000', '0.12346')
    """
    digits = min(9, int(-log10(max(*differences, 1e-9, 1e-9))))
    return f"{round(figure, digits) + 0.0:.{digits}f}"  # no negative zero


def invalid_share(policy: Any) -> str:
    """Returns the share of invalid answers of a language model, to be added to a sentence; empty if there are none."""
    invalid = getattr(policy, "invalid", 0.0)
    return f"; {invalid:.1%} of the answers were invalid" if invalid else ""


def answers(policy: Any, differences: Sequence[float] = ()) -> dict[str, float]:
    """Returns what is to be said of answers that a language model gave, or that differ by rounding, for JSON."""
    facts = {"samples": "samples", "by_symmetry": "by_symmetry", "invalid_answers": "invalid"}
    said = {name: getattr(policy, attribute, 0) for name, attribute in facts.items()}
    said["difference_when_asked_again"] = max(differences, default=0.0)
    return {name: fact for name, fact in said.items() if fact}
