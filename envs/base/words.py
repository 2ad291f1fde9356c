"""Numbers of things in words, names that are near to others, and settings that differ."""

import difflib
import math
import re
import shutil
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any
from unicodedata import category

MINUS = "\N{MINUS SIGN}"
DIGITS = 9  # of a number of times
FEW = 10  # the largest number of games in which something is said to happen some times, if it is not rare
NEAR = 1e-6  # of a number of times, that are not said to be about so many
QUOTED, NO_BREAK = re.compile(r"""(?<!\w)(['"])[^\n]+?\1(?!\w)"""), "\0"
UNPRINTABLE = ("Cc", "Cf", "Cs", "Zl", "Zp")  # categories of Unicode


def counted(number: float, word: str) -> str:
    """Returns a number of things in words.

    >>> counted(1, "move"), counted(8953, "state"), counted(2, "match"), counted(2.5, "point")
    ('1 move', '8,953 states', '2 matches', '2.5 points')
    """
    return f"{number:g} {noun(number, word)}" if isinstance(number, float) else f"{number:,} {noun(number, word)}"


def lasting(seconds: float) -> str:
    """Returns a time, in minutes from two of them on.

    >>> lasting(119.6), lasting(119.4), lasting(6600)
    ('2 min', '119 s', '110 min')
    """
    return f"{seconds:.0f} s" if seconds < 119.5 else f"{seconds / 60:,.0f} min"


def noun(number: float, word: str) -> str:
    """Returns the singular or the plural of a word.

    >>> noun(-1.0, "point"), noun(0.5, "point"), noun(2, "history")
    ('point', 'points', 'histories')
    """
    many = re.sub("ry$", "rie", word) + "e" * word.endswith(("ch", "ss")) + "s"
    return word if abs(number) == 1 else many


def with_minus(number: str) -> str:
    """Returns a number with a minus sign in the place of a hyphen."""
    return number.replace("-", MINUS)


def figure(points: float, least: int = 2) -> str:
    """Returns points with at most ``least`` digits after the point; where these are 0, with one that is not.

    >>> figure(0.5), figure(1 / 3), figure(1.5e-5), figure(-0.0)
    ('0.5', '0.33', '0.00002', '0')
    """
    digits = max(least, math.ceil(-math.log10(abs(points)))) if points else 0
    return with_minus(f"{points + 0.0:.{digits}f}".rstrip("0").rstrip(".")) if digits else "0"


def signed(number: float, form: str = ".4f") -> str:
    r"""Returns a number with its sign.

    >>> signed(3.0, "g"), signed(-0.5, ".2f") == "\N{MINUS SIGN}0.50"
    ('+3', True)
    """
    written = f"{number:+{form}}"
    return with_minus(written if written.strip("+-0.") else written.replace("-", "+"))  # no negative zero


def either(names: Sequence[str], word: str = "or", most: int | None = None) -> str:
    """Returns names as a choice between them; of more than ``most`` the first, and how many others there are.

    >>> either(["0"]), either(["0", "2", "6"]), either(["a", "b"], "and"), either(["a", "b", "c", "d"], most=3)
    ('0', '0, 2 or 6', 'a and b', 'a, b or 2 others')
    """
    if most is not None and len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} others"]
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def points(number: float) -> str:
    """Returns a number of points in words."""
    return f"{figure(number)} point{'s' * (figure(number) != '1')}"


def often(times: float, unit: str = "") -> str:
    """Returns how often something happens, in words: in so many units, or of all times that it could.

    >>> often(0.25), often(1.0), often(1 / 3, "game"), often(0.7501, "game"), often(0.0104, "game"), \
often(19.0, "game"), often(4 / 3, "game"), often(0.055), often(0.96)
    ('1 time in 4', 'every time', '1 time in 3 games', 'about 3 times in 4 games', 'about 1 time in 96 games', \
'19 times a game', 'about 1.3 times a game', 'about 1 time in 18', '24 times in 25')
    """
    times = round(times, DIGITS)
    near, rare = Fraction(times).limit_denominator(FEW), min(times, 1.0 - times)
    if 0.0 < rare < 1 / FEW:
        one = Fraction(1, round(1 / rare))
        near = one if times == rare else 1 - one
    about = "about " * (abs(times - near) > times * NEAR)
    if near in (0, 1) and not unit:
        return "every time" if near else "never"
    if near.denominator == 1:
        return f"{about}{counted(near.numerator, 'time')}{f' a {unit}' * bool(unit)}"
    if near > 1:
        return f"{about or 'about '}{figure(times, 1)} times{f' a {unit}' * bool(unit)}"
    games = f" {unit}s" if unit else ""
    return f"{about}{counted(near.numerator, 'time')} in {near.denominator:,}{games}"


def of_hundred(share: float) -> str:
    """Returns how many of 100 a share is.

    >>> of_hundred(4 / 9), of_hundred(0.002)
    ('44 of 100', 'less than 1 of 100')
    """
    return f"{'less than ' * (share < 0.005)}{max(1, round(100 * share))} of 100"


def suggestion(name: str, known: Iterable[str]) -> str:
    """Returns the question whether a known name was meant; empty if none is near. Versions bring no names nearer.

    >>> suggestion("nash_iv", ["minimax_q", "nash_vi"]), suggestion("nosuchgame_v0", ["roshambo_v0"])
    (' (did you mean nash_vi?)', '')
    """
    plain = {re.sub(r"_v\d+$", "", one): one for one in known}
    near = difflib.get_close_matches(re.sub(r"_v\d+$", "", name), plain, 1)
    return f" (did you mean {plain[near[0]]}?)" if near else ""


def with_suits(text: str) -> str:
    """Returns a text with the signs of playing cards.

    >>> with_suits("card Jh, then 10s; paid 2")
    'card J♥, then 10♠; paid 2'
    """
    return re.sub(r"\b(\d+|[TJQKA])([shdc])\b", lambda card: card[1] + "♠♥♦♣"["shdc".index(card[2])], text)


def what_beats_what(names: Sequence[str], beats: Callable[[int, int], bool]) -> list[str]:
    """Returns a line for each action that beats others.

    >>> what_beats_what(("Rock", "Paper", "Scissors"), lambda one, other: (one - other) % 3 == 1)
    ['[Rock] beats [Scissors]', '[Paper] beats [Rock]', '[Scissors] beats [Paper]']
    """
    beaten = [[f"[{name}]" for other, name in enumerate(names) if beats(one, other)] for one in range(len(names))]
    return [f"[{name}] beats {either(others, 'and')}" for name, others in zip(names, beaten, strict=True) if others]


def printable(text: str) -> str:
    r"""Returns a text from elsewhere for a terminal, with ? for what controls it, or hides or reverses characters.

    Line feeds and tabs stay.

    >>> printable("red \x1b[31m, \r, \u202e, grün")
    'red ?[31m, ?, ?, grün'
    """
    return "".join("?" if category(one) in UNPRINTABLE and one not in "\n\t" else one for one in text)


def in_one_line(error: BaseException | None) -> str:
    """Returns what an error of another library says, in one line; of a traceback in it, as TorchScript's, the last."""
    said = str(error).strip()
    return said.rpartition("\n")[2].removeprefix("RuntimeError: ") if "Traceback" in said else " ".join(said.split())


def wrapped(text: str, width: int | None = None, indent: str = "") -> str:
    """Returns the text with its lines broken between words, but not within quotes, to a width, or the terminal's."""
    kept = QUOTED.sub(lambda quoted: quoted[0].replace(" ", NO_BREAK), text)
    lines = textwrap.TextWrapper(width or shutil.get_terminal_size().columns, subsequent_indent=indent)
    lines.break_long_words = lines.break_on_hyphens = False
    return "\n".join(map(lines.fill, kept.splitlines())).replace(NO_BREAK, " ")


def command(text: str) -> str:
    """Returns a command that can be copied, in lines as wide as the terminal at most."""
    return wrapped(text, shutil.get_terminal_size().columns - 2, "  ").replace("\n", " \\\n")


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Returns what ``now`` has and ``before`` has not, or has with other values; empty if there is nothing.

    >>> differences({"games": 10, "seed": 0}, {"games": 20, "seed": 0})
    'games was 10, not 20'
    """
    pairs = {name: (before.get(name), value) for name, value in now.items()}
    changed = [name for name, (was, value) in pairs.items() if was != value and repr(was) != repr(value)]  # as NaN is
    return ", ".join(f"{name} was {before.get(name)!r}, not {now[name]!r}" for name in changed)
