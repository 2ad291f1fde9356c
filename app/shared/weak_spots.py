"""Where a policy loses, for people: states in the words of the game, with what is played there, and what should be."""

import itertools
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from nashzoo.app.shared.words import mixture
from nashzoo.baselines import Weakness
from nashzoo.envs.base.words import counted, wrapped
from nashzoo.envs.core.game import Game

INDENT = "   "
HANGING = 13  # letters, of the further lines of what is played
UNBROKEN = "\xa0"  # a space at which no line ends
ROUNDED = 1.0 + 1e-9  # times the whole, for a share that is all of it
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
        state = {name: value for name, value in self.worst._asdict().items() if value is not None}
        return state | {"words": game.text(self.worst.code)} | sums | same | recorded


def merged(losses: Iterable[Weakness]) -> list[Spot]:
    """Returns a spot for each mistake, those with the largest shares first.

    States have the same mistake if in the same seat the same is played, the equilibrium plays the same, and the same
    action wins from it, with probabilities to two digits.
    """
    same: dict[object, list[Weakness]] = {}
    for each in losses:
        mistake = each.seat, _rounded(each.plays), _rounded(each.best), each.punished_by, _rounded(each.opponent or {})
        same.setdefault(mistake, []).append(each)
    return sorted((Spot(tuple(group)) for group in same.values()), key=lambda spot: -spot.share)


def _rounded(probabilities: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple((name, round(probability, 2)) for name, probability in probabilities.items())


def are_parts(shares: Iterable[float], total: float) -> bool:
    """Returns whether shares, those before each one included, are at most the whole.

    Where the best response gives points up elsewhere, and above all where states recur, single shares are larger than
    their sum, and percentages of it would mislead.
    """
    return max(itertools.accumulate(shares), default=0.0) <= total * ROUNDED


def described(game: Game, spots: Sequence[Spot], total: float) -> Iterator[str]:
    """Yields the text of each spot; all states together lose ``total`` points."""
    has_parts = are_parts((spot.share for spot in spots), total)
    letters = shutil.get_terminal_size().columns - len(INDENT)
    so_far = 0.0
    for number, spot in enumerate(spots, 1):
        so_far += spot.share
        figures = f"reach {spot.reach:.4f} x regret {spot.regret:.4f} = {spot.share:.4f} points"
        figures += f", {spot.share / total:.0%}; {so_far / total:.0%} so far" * has_parts
        first = wrapped(f"{number}. {game.view.PLAYERS[spot.worst.seat]}: {figures}")
        lines = f"{game.text(spot.worst.code)}\n{choices(spot, letters)}"
        yield f"{first}\n{textwrap.indent(lines, INDENT)}"


def choices(spot: Spot, letters: int) -> str:
    """Returns what is played at a spot, what the equilibrium plays, and what wins, in lines of so many letters."""
    worst = spot.worst
    right = "equilibrium" if worst.opponent is None else "best reply"
    lines = {"it plays": mixture(worst.plays) or NO_MOVE, right: mixture(worst.best) or NO_MOVE}
    if worst.opponent:
        lines["opponent"] = mixture(worst.opponent)
    if worst.punished_by:
        lines["punished by"] = worst.punished_by
    if len(spot.states) > 1:
        others = counted(len(spot.states) - 1, "other state")
        lines["the same at"] = f"{others}, they differ in {', '.join(spot.differing)}"
    if spot.decisions is not None:
        lines["recorded"] = counted(spot.decisions, "decision")
    return "\n".join(_hanging(about.ljust(HANGING) + text, letters) for about, text in lines.items())


def _hanging(line: str, letters: int) -> str:
    """Returns a line broken after commas, the further lines with an indent."""
    unbroken = line.replace(" ", UNBROKEN).replace(f",{UNBROKEN}", ", ")
    filled = textwrap.fill(unbroken, letters, subsequent_indent=UNBROKEN * HANGING, break_long_words=False)
    return filled.replace(UNBROKEN, " ")


def explained(spots: Sequence[Spot], total: float, unit: str) -> str:
    """Returns a sentence on what the spots explain together."""
    states, share = sum(len(spot.states) for spot in spots), sum(spot.share for spot in spots)
    if not are_parts([share], total):
        whole = f"{total:.4f} points per {unit}"
        return f"That is more than the whole, {whole}: a best response gives points up at other states."
    who = "The state explains" if states == 1 else f"The {states:,} states explain"
    return f"{who} {share / total:.0%} of {total:.4f} points per {unit}."
