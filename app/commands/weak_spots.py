"""Where a policy loses, for people: states in the words of the game, with what is played there, and what should be."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from nashzoo.app.commands.words import mixture
from nashzoo.baselines import Weakness
from nashzoo.envs.base.words import counted
from nashzoo.envs.core.game import Game

INDENT = "   "
NO_MOVE = "(no move)"


class Spot(NamedTuple):
    """A state at which a policy loses points, or several states with the same mistake.

    Attributes:
        states: The states, the largest share first.
        decisions: The number of decisions that are recorded there; None for a policy that is known.
    """

    states: tuple[Weakness, ...]
    decisions: int | None = None

    @property
    def worst(self) -> Weakness:
        """The state with the largest share."""
        return self.states[0]

    @property
    def reach(self) -> float:
        """The expected number of visits per game."""
        return sum(each.reach for each in self.states)

    @property
    def share(self) -> float:
        """Points per game."""
        return sum(each.share for each in self.states)

    @property
    def regret(self) -> float:
        """What a visit costs, points."""
        return self.share / self.reach

    @property
    def differing(self) -> list[str]:
        """The fields in which the states differ."""
        values: dict[str, set[str]] = {}
        for each in self.states:
            for field in each.situation.split(","):
                name, _, value = field.partition("=")
                values.setdefault(name, set()).add(value)
        return [name for name, several in values.items() if len(several) > 1]

    def as_json(self, game: Game) -> dict[str, Any]:
        """Returns the spot for JSON."""
        sums = {"reach": self.reach, "regret": self.regret, "share": self.share}
        same = {"states": len(self.states), "differing": self.differing}
        recorded = {} if self.decisions is None else {"decisions": self.decisions}
        return self.worst._asdict() | {"words": game.text(self.worst.code)} | sums | same | recorded


def merged(losses: Iterable[Weakness]) -> list[Spot]:
    """Returns a spot for each mistake, those with the largest shares first.

    States have the same mistake if in the same seat the same is played, the equilibrium plays the same, and the same
    action wins from it, with probabilities to two digits.
    """
    same: dict[object, list[Weakness]] = {}
    for each in losses:
        mistake = each.seat, _rounded(each.plays), _rounded(each.best), each.punished_by
        same.setdefault(mistake, []).append(each)
    return sorted((Spot(tuple(group)) for group in same.values()), key=lambda spot: -spot.share)


def _rounded(probabilities: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple((name, round(probability, 2)) for name, probability in probabilities.items())


def described(game: Game, spots: Sequence[Spot], total: float, unit: str = "game") -> Iterator[str]:
    """Yields the text of each spot; all states together lose ``total`` points per ``unit``."""
    so_far = 0.0
    for number, spot in enumerate(spots, 1):
        so_far += spot.share
        figures = f"reach {spot.reach:.4f} x regret {spot.regret:.4f} = {spot.share:.4f} points per {unit}"
        parts = f"{spot.share / total:.0%}, {so_far / total:.0%} so far"
        lines = [textwrap.indent(game.text(spot.worst.code), INDENT), *(INDENT + line for line in choices(spot))]
        yield "\n".join([f"{number}. {game.view.PLAYERS[spot.worst.seat]}: {figures}; {parts}", *lines])


def choices(spot: Spot) -> list[str]:
    """Returns lines on what is played, what the equilibrium plays, and what wins; and on further states."""
    worst, others = spot.worst, len(spot.states) - 1
    lines = [f"it plays     {mixture(worst.plays) or NO_MOVE}", f"equilibrium  {mixture(worst.best) or NO_MOVE}"]
    if worst.punished_by:
        lines.append(f"punished by  {worst.punished_by}")
    if spot.decisions is not None:
        lines.append(f"recorded     {counted(spot.decisions, 'decision')}")
    if others:
        lines.append(f"the same at {counted(others, 'other state')}, which differ in {', '.join(spot.differing)}")
    return lines


def explained(spots: Sequence[Spot], total: float, unit: str = "game") -> str:
    """Returns a sentence on what the spots explain together."""
    states = sum(len(spot.states) for spot in spots)
    part = sum(spot.share for spot in spots) / total
    who = "The state explains" if states == 1 else f"The {states:,} states explain"
    return f"{who} {part:.0%} of {total:.4f} points per {unit}."
