"""Where a policy loses, for people: states in the words of the game, with what is played there, and what should be."""

import math
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from nashzoo.app.shared.words import LEAST_OFTEN, mixture, sided, sides
from nashzoo.baselines import Weakness
from nashzoo.baselines.certificate.bounds import PROVEN
from nashzoo.envs.base.words import counted, either, figure, noun, often, points, wrapped
from nashzoo.envs.core.game import Game

INDENT = "   "
HANGING = 13  # letters, of the further lines of what is played
UNBROKEN = "\xa0"  # a space at which no line ends
LEAST = 0.01  # of all that is lost, for a mistake that is told
FEW_WRONG = 3  # wrong actions, at most, that have a row each
NAMED = 4  # right actions, at most, that a heading names
ROUNDED = 1.0 + 1e-9  # times the whole, for a share that is all of it
DIFFERING = 3  # fields, at most, that are named
DIGITS = 6  # after the point, of equal losses
MOST_SUMMED = 2.0  # times all that is lost: an opponent who comes back again and again gives the rest up elsewhere
NO_MOVE = "(no move)"
ALWAYS = 1.99  # difference of what is too much and too little where always one action is played, and another is right
WHEN = {None: "", 1: " in a good position", 0: " in an even position", -1: " in a bad position"}


class Spot(NamedTuple):
    """A state at which a policy loses points, or several states with the same mistake.

    Attributes:
        states: The states, the largest share first.
        decisions: The number of decisions that are recorded there; None for a policy that is known.
        right: The actions that lose nothing, where one player moves and the value of the state is known.
        when: After which actions it is, in words, where nothing else tells states apart; empty if it is always.
        answered: Where few answers of the other player to the costliest wrong action are right: this action, and they.
    """

    states: tuple[Weakness, ...]
    decisions: int | None = None
    right: tuple[str, ...] = ()
    when: str | None = None
    answered: tuple[str, tuple[str, ...]] | None = None

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

    @property
    def heading(self) -> str:
        """The mistake in words: what is right and what is played, or what is played too often or rarely, and when."""
        plays, best = self.worst.plays, self.worst.best
        off = {name: share - best.get(name, 0.0) for name, share in plays.items()}
        if not off:
            return "It has no move, and loses all the same"
        much, little = max(off, key=lambda name: off[name]), min(off, key=lambda name: off[name])
        if self.right:
            others, seen = tuple(name for name in plays if name not in self.right), self.decisions
            wrong = sum(plays[name] for name in others)
            times = often(wrong) if seen is None else f"{counted(round(wrong * seen), 'time')} of {seen}"
            mixed = sum(share >= LEAST_OFTEN for share in best.values()) > 1  # then no right action alone is best
            is_right = len(self.right) <= len(others) and not mixed
            played = tuple(name for name in others if plays[name] >= LEAST_OFTEN)
            named, what = (self.right, "best here: missed") if is_right else (played, "bad here: played")
            if is_right and len(played) <= FEW_WRONG:
                what = f"best here: it play{'s' if seen is None else 'ed'} {either(played)}"
            only = "Only " * (len(named) == 1 and is_right)
            names = either(named) if len(named) <= NAMED else f"{len(named)} of {len(plays)} actions"
            heading = f"{only}{names} is {what} {times}"
            return heading[:1].upper() + heading[1:]
        never = self._never
        if off[much] - off[little] > ALWAYS:
            mistake, shares = f"{much} instead of {little}", ""
        else:
            named = (much,) if off[much] >= -off[little] else (little,)
            if 1 < len(never) <= NAMED and sum(plays[name] for name in never) > max(off[much], -off[little]):
                named = tuple(never)
            own, perfect = (sum(of.get(name, 0.0) for name in named) for of in (plays, best))
            mistake = f"{either(named)} too {'often' if own > perfect else 'rarely'}"
            who = "a perfect mix" if self.worst.opponent is None else "a best reply"
            shares = f": {often(own)}, {who} {often(perfect)}"
        signs = {None if one.value is None else round(one.value / PROVEN / 2) for one in self.states}
        ahead = {None if sign is None else (sign > 0) - (sign < 0) for sign in signs}
        where = WHEN[ahead.pop()] if self.when is None and len(ahead) == 1 else ""
        it = f"{self.when[:1].upper()}{self.when[1:]} it" if self.when else "It"
        return f"{it} plays {mistake}{where}{shares}"

    @property
    def _never(self) -> list[str]:
        plays, best = self.worst.plays, self.worst.best
        good = {*self.right, *(name for name in plays if best.get(name, 0.0) >= LEAST_OFTEN)}
        return [name for name in plays if name not in good and plays[name] >= LEAST_OFTEN]

    @property
    def mix(self) -> list[tuple[str, float, float]]:
        """What is played and what should be, by action; many that are wrong, or right, are one row, ``others``."""
        plays, best = self.worst.plays, self.worst.best
        good = [name for name in plays if name in self.right or best.get(name, 0.0) >= LEAST_OFTEN]
        bad = self._never
        rows = [(name, plays[name], best.get(name, 0.0)) for name in plays if name in good or name in bad]
        folded = bad if len(bad) > FEW_WRONG else good if self.right and len(good) > max(NAMED, len(bad)) else []
        others = "others", sum(plays[name] for name in folded), sum(best.get(name, 0.0) for name in folded)
        return [row for row in rows if row[0] not in folded] + [others] * bool(folded)

    def happens(self, total: float, unit: str) -> str:
        """Returns what the spot costs per unit, what a visit costs, and how often there is one, in a sentence."""
        if self.share > MOST_SUMMED * total:
            return f"Costs {points(self.regret)} each time."
        each = f": {points(self.regret)} each time, {often(self.reach, unit)}" * (
            points(self.share) != points(self.regret)
        )
        return f"Costs {points(self.share)} per {unit}{each}."

    def labelled(self, game: Game) -> "Spot":
        """Returns the spot with the names of actions that people read."""
        labels = dict(zip(("", *game.actions), ("", *game.labels), strict=True))
        shares = {name: has for name, has in self.worst._asdict().items() if isinstance(has, dict)}
        named: dict[str, Any] = {name: {labels[one]: has[one] for one in has} for name, has in shares.items()}
        worst = self.worst._replace(**named, punished_by=labels[self.worst.punished_by])
        right, answered = tuple(labels[one] for one in self.right), self.answered
        if answered is not None:
            answered = labels[answered[0]], tuple(labels[one] for one in answered[1])
        return self._replace(states=(worst, *self.states[1:]), right=right, answered=answered)

    def as_json(self, game: Game) -> dict[str, Any]:
        """Returns the spot for JSON."""
        sums = {"reach": self.reach, "regret": self.regret, "share": self.share}
        same = {"states": len(self.states), "differing": self.differing}
        recorded = {} if self.decisions is None else {"decisions": self.decisions}
        state = {name: value for name, value in self.worst._asdict().items() if value is not None}
        words = {"words": game.text(self.worst.code), "heading": self.heading, "right": self.right, "mix": self.mix}
        answered = {} if self.answered is None else {"answered": self.answered}
        return state | words | sums | same | recorded | answered


def losing(spots: Iterable[Spot], total: float) -> list[Spot]:
    """Returns the spots at which much of all is lost: at some a best response gives points up, to win more later."""
    return [spot for spot in spots if spot.share > 0.0 and spot.share >= LEAST * total]


def merged(game: Game, losses: Iterable[Weakness]) -> list[Spot]:
    """Returns a spot for each mistake, those with the largest shares first.

    States have the same mistake if in the same seat the same is played, the equilibrium plays the same, and the same
    action wins from it, with probabilities to two digits; or if they are images of each other by the game's symmetries
    where as often the same is lost; or, where both move, if words for it are the same, and the largest shares are of
    visits that cost the same.
    """
    same: dict[object, list[Weakness]] = {}
    for each in losses:
        mistake = each.seat, _rounded(each.plays), _rounded(each.best), each.punished_by, _rounded(each.opponent or {})
        same.setdefault(mistake, []).append(each)
    groups: dict[object, list[Weakness]] = {}
    for key, states in same.items():
        worst = states[0]
        shares = tuple(sorted(share for _, share in _rounded(worst.plays)))
        image = worst.seat, game.canonical(worst.code)[0], shares, round(worst.regret, DIGITS)
        alike = (
            key
            if game.turn_based or worst.opponent
            else (worst.seat, Spot((worst,)).heading, round(worst.regret, DIGITS))
        )
        groups.setdefault(image if game.has_symmetries else alike, []).extend(states)
    for group in groups.values():
        group.sort(key=lambda each: (-round(each.share, DIGITS), each.code))
    return sorted(map(Spot, map(tuple, groups.values())), key=lambda spot: -spot.share)


def _rounded(probabilities: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple((name, round(probability, 2)) for name, probability in probabilities.items())


def titles(game: Game, spots: Iterable[Spot]) -> Iterator[str]:
    """Yields the number and the heading of each spot, and who plays there."""
    for number, spot in enumerate(spots, 1):
        mistake, colon, shares = spot.heading.partition(": ")
        yield f"{number}. {mistake}, as {sides(game)[spot.worst.seat]}{colon}{shares}"


def described(game: Game, spots: Sequence[Spot], total: float, unit: str) -> Iterator[str]:
    """Yields the text of each spot."""
    letters = shutil.get_terminal_size().columns - len(INDENT)
    for title, spot in zip(titles(game, spots), spots, strict=True):
        cost, state = wrapped(spot.happens(total, unit)[:-1]), sided(game, game.text(spot.worst.code))
        lines = f"{cost}\n{state}\n{choices(game, spot, letters)}"
        yield f"{wrapped(title)}\n{textwrap.indent(lines, INDENT)}"


def choices(game: Game, spot: Spot, letters: int) -> str:
    """Returns what is played at a spot, what the equilibrium plays, and what wins, in lines of so many letters."""
    worst = spot.worst
    best = "equilibrium" if worst.opponent is None else "best reply"
    lines = {"it plays": mixture({name: plays for name, plays, _ in spot.mix}) or NO_MOVE}
    lines |= {"right": either(spot.right)} if spot.right else {best: mixture(worst.best) or NO_MOVE}
    if worst.opponent:
        lines["opponent"] = mixture(worst.opponent)
    if worst.punished_by:
        lines["punished by"] = worst.punished_by
    if spot.answered:
        wrong, answers = spot.answered
        lines["answer"] = f"{either(answers)}, to {wrong}"
    if len(spot.states) > 1:
        others = counted(len(spot.states) - 1, "other state")
        names = [sided(game, name) for field in spot.differing if (name := game.view.field_name(field))]
        names[DIFFERING:] = [f"{len(names) - DIFFERING} more"] * (len(names) > DIFFERING)
        lines["the same at"] = f"{others}, they differ in {either(names, 'and')}" if names else others
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
    share = sum(spot.share for spot in spots)
    who = "This mistake costs" if len(spots) == 1 else f"These {len(spots)} mistakes cost"
    if share > MOST_SUMMED * total:
        return "To reach these positions, the opponent gives points up elsewhere."
    if share > total * ROUNDED:
        digits = max(2, math.ceil(-math.log10(share - total)))
        lost, whole = round(share, digits), round(total, digits)  # their difference is that of what is shown
        costs = f"{who} {figure(lost, digits)} {noun(lost, 'point')} per {unit}"
        return f"{costs}; to get there, the opponent gives {figure(lost - whole, digits)} up elsewhere."
    if share * ROUNDED >= total:
        return "No other mistake costs anything."
    return f"{who} {min(share / total, 0.99):.0%} of the {points(total)} per {unit}."
