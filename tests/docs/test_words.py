"""The words of the field stand in pages, docstrings and messages, and none that a reader would stumble over."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
FOLDERS = ("envs", "baselines", "agents", "arena", "app", "studies", "examples")
SOURCES = [ROOT / "train.py", *sorted(file for folder in FOLDERS for file in (ROOT / folder).glob("**/*.py"))]

# What is not to be written, and what is to be written in its place.
INSTEAD = {
    r"worth nothing": "has the value 0",
    r"s[ia]ts? (down )?at (a|the) table": "plays, implements",
    r"(not|nothing is) waited for": "is ignored, has a limit",
    r"positions are taken together|components? (are|is)?( )?taken together": "are merged, are collapsed",
    r"what (they|states) are worth solves": "the values solve",
    r"the own (policies|things|cards|marks)": "the player's policies, egocentric",
    r"it returns anything": "the result is undefined",
    r"comes? to rest": "converges",
    r"what remains\b": "the rest, the residual",
    r"(?<![\w-])for who\b(?! knows)": "for the player who",
    r"reckon": "compute, take account of",
}


@cache
def texts(file: Path) -> list[tuple[int, str]]:
    """Returns what people read in a file, with its line: pages outside of code, and all strings of a module."""
    written = file.read_text()
    if file.suffix == ".md":
        return [(1, re.sub(r"^```.*?^```$", lambda code: "\n" * code[0].count("\n"), written, flags=re.M | re.S))]
    nodes = (node for node in ast.walk(ast.parse(written)) if isinstance(node, ast.Constant))
    return [(node.lineno, node.value) for node in nodes if isinstance(node.value, str)]


def found(file: Path, phrase: str) -> list[str]:
    """Returns where a file has a phrase, also across the end of a line."""
    pattern = re.compile(phrase.replace(" ", r"\s+"), re.IGNORECASE)
    name = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
    return [
        f"{name}:{first + text.count(chr(10), 0, match.start())}: {match[0]}"
        for first, text in texts(file)
        for match in pattern.finditer(text)
    ]


@pytest.mark.parametrize("phrase", INSTEAD)
def test_a_discouraged_phrase_stands_nowhere(phrase: str) -> None:
    places = [place for file in (*PAGES, *SOURCES) for place in found(file, phrase)]
    assert not places, f"write rather: {INSTEAD[phrase]}\n" + "\n".join(places)
