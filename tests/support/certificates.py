"""Certificates that are changed so that they prove nothing, or not what they say."""

import copy
import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

NO_NUMBERS = (None, True, 0.5, "0.5", "1/0", "", "x", "1e3", [], {}, "1/-2", "\N{ARABIC-INDIC DIGIT THREE}")
NOWHERE = ("x", -5, 10**9, [], {}, 0.5)  # no number of a state or a sequence
PLACES = {  # what is changed: where it is in a line, and what it becomes
    "format": [((), ("nashzoo-certificate 2", None, 1))],
    "value": [((0,), (1, *NO_NUMBERS)), ((1,), (-1, *NO_NUMBERS)), ((), (None, [], [0], 0))],
    "start": [((0, 1), (2, -1, "1/7", *NO_NUMBERS)), ((0, 0), NOWHERE), ((), (None, []))],
    "strategy": [((), (None, [], 1))],
    "chance": [((0,), (2, -1, "1/7", *NO_NUMBERS)), ((), (None, [], 1))],
    "bounds": [((0, 0), (9, *NO_NUMBERS)), ((1, 0), (-9, *NO_NUMBERS)), ((0, 1), (-1, *NO_NUMBERS)), ((), (None, []))],
    "next": [((0, 0, 0), NOWHERE), ((0, 0, 1), NO_NUMBERS), ((0,), (None, [], [[None, 0]] * 9)), ((), (None, []))],
    "parent": [((), (None, *NOWHERE))],
    "player": [((), (None, 2, *NOWHERE))],
    "payoff": [((0,), NOWHERE), ((1,), NOWHERE), ((2,), NO_NUMBERS), ((), (None, [], [0, 0]))],
}  # fmt: skip
STRATEGIES = {"state": (0, 0), "player": (0,)}  # where the first probability is, by the kind of line


def lines_of(path: Path) -> list[Any]:
    """Returns the lines of a certificate but for the last one."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:-1]]


def written(lines: Sequence[Any]) -> bytes:
    """Returns the content of a certificate with these lines, whose checksum is right."""
    content = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    return content + json.dumps({"sha256": hashlib.sha256(content).hexdigest()}).encode() + b"\n"


def mutants(lines: Sequence[Any]) -> Iterator[tuple[str, bytes]]:
    """Yields certificates that are not to be accepted, one of each kind of change, with the names of the kinds.

    Every probability of the first strategy in the lines is to be positive, and every bound tight.
    """
    content = written(lines)
    yield "another name", content.replace(b'"game": "', b'"game": "x', 1)
    yield from (("cut", content[:-10]), ("without its checksum", content[: content.rindex(b"{")]), ("empty", b""))
    yield from (("bytes", b"\x00\xff" + content), ("no line has a name", written([*lines, 1])))
    done = set()
    for k, line in enumerate(lines):
        places = {name: PLACES[name] for name in PLACES if name in line}
        for kind, first in STRATEGIES.items():
            if kind in line and "strategy" in line and "1/" in json.dumps(line["strategy"]):
                places["strategy"] = [*PLACES["strategy"], (first, (2, -1, "1/7", *NO_NUMBERS))]
        if "next" in places and "chance" not in line and "1/" not in json.dumps(line["strategy"]):
            del places["next"]
        for name, changes in places.items():
            kinds = [(path, to) for path, others in changes for to in others]
            for path, to in kinds:
                if (name, path, repr(to)) in done:
                    continue
                done.add((name, path, repr(to)))
                changed = copy.deepcopy(list(lines))
                place = changed[k]
                for key in (name, *path)[:-1]:
                    place = place[key]
                place[(name, *path)[-1]] = to
                yield f"{name}{list(path)} = {to!r}", written(changed)
            if (name,) not in done and not (name == "chance" and "strategy" in line):
                done.add((name,))
                yield (
                    f"no {name}",
                    written([*lines[:k], {one: line[one] for one in line if one != name}, *lines[k + 1 :]]),
                )
