"""What commands say of a policy: a language model's cost beforehand, and what its figures rest on."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from math import log10
from typing import Any

from nashzoo.agents.registry import entries, names
from nashzoo.envs.base.progress import note
from nashzoo.envs.base.words import counted, either
from nashzoo.envs.core.agent import NoPolicyError, PolicyAgent
from nashzoo.envs.core.game import Game

SEED = "search_seed"  # the option that makes a search a policy


@contextmanager
def others_named(game: Game) -> Iterator[None]:
    """Adds to the error that a player cannot be measured which players of the game can."""
    try:
        yield
    except NoPolicyError as error:
        kinds = {name: kind for name in names(game) if issubclass(kind := entries()[name].load(), PolicyAgent)}
        known = [name + f"({SEED}=0)" * (SEED in inspect.signature(kind).parameters) for name, kind in kinds.items()]
        raise NoPolicyError(f"{error}; of the players of {game.name}, {either(known, 'and')} can be measured") from None


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
    return (
        (f"of the frequencies of {counted(samples, 'sample')} a state" if samples else "exact") + alike + up_to(policy)
    )


def up_to(policy: Any) -> str:
    """Returns how much the probabilities of a policy differ when it is asked again, to be added; mostly nothing."""
    most = getattr(policy, "noticed_rounding", 0)
    return f" up to rounding probabilities by {most:.1g}" if most else ""


def rounded(figure: float, *policies: Any) -> str:
    """Returns a figure with the digits after the point that the rounding of policies leaves to it, at most nine."""
    digits = int(-log10(max([1e-9, *(getattr(policy, "noticed_rounding", 0.0) for policy in policies)])))
    return f"{round(figure, digits) + 0.0:#.{digits}f}".rstrip("0").rstrip(".")  # no negative zero


def invalid_share(policy: Any) -> str:
    """Returns the share of invalid answers of a language model, to be added to a sentence; empty if there are none."""
    invalid, unanswered = getattr(policy, "invalid", 0.0), getattr(policy, "unanswered", 0)
    uniform = f", and {counted(unanswered, 'choice')} without a legal one count as uniform play" if unanswered else ""
    return f"; {invalid:.1%} of the answers were invalid{uniform}" if invalid else ""


def answers(policy: Any) -> dict[str, float]:
    """Returns what is to be said of the answers of a policy, for JSON; of most nothing."""
    facts = {"invalid_answers": "invalid", "rounding": "noticed_rounding"}
    facts |= {name: name for name in ("samples", "by_symmetry", "unanswered")}
    said = {name: getattr(policy, attribute, 0) for name, attribute in facts.items()}
    return {name: fact for name, fact in said.items() if fact}
