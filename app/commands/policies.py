"""What commands say of the policy of a language model: its cost beforehand, and what its figures rest on."""

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


def basis(policy: Any) -> str:
    """Returns what exact figures of a policy are figures of, for their title."""
    samples = getattr(policy, "samples", 0)
    alike = ", asked once for all states that are the same by symmetry" * getattr(policy, "by_symmetry", False)
    return (f"of the frequencies of {counted(samples, 'sample')} a state" if samples else "exact") + alike


def invalid_share(policy: Any) -> str:
    """Returns the share of invalid answers of a language model, to be added to a sentence; empty if there are none."""
    invalid = getattr(policy, "invalid", 0.0)
    return f"; {invalid:.1%} of the answers were invalid" if invalid else ""


def answers(policy: Any) -> dict[str, float]:
    """Returns what is to be said of the answers of a language model, for JSON; nothing of other policies."""
    facts = {"samples": "samples", "by_symmetry": "by_symmetry", "invalid_answers": "invalid"}
    said = {name: getattr(policy, attribute, 0) for name, attribute in facts.items()}
    return {name: fact for name, fact in said.items() if fact}
