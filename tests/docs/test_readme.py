"""What README.md and docs/ say is so: their code runs, their tables are the program's."""

import contextlib
import importlib.util
import io
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.app import main
from nashzoo.app.training.options import Options
from nashzoo.baselines import exploitability, outcomes, solve
from nashzoo.envs import Game, footsies_v0, games, make_game
from typed import blocks_of, typed

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("**/*.md"))]
GAME_PAGES = {name: ROOT / "docs" / f"{name.rsplit('_v', 1)[0]}.md" for name in games()}

EXACT = 1e-9

SHORTER = "--timesteps 10000 --games 20"  # a training run; README.md's is whole in tests/foreign/firsthand_check.py
FILES = re.compile(r"train|replay|export| --(out|save|boxes|records)\b")

# What takes many seconds.
LONG = (
    "import ExploitabilityCallback",
    "menace plot --prob",
    "picture soccer_v0",
    "nashzoo train",
    "DeepMinimax(game",
    "picture --replay",
    "solve soccer_v0",
)


def blocks(language: str) -> list[Any]:
    """Returns every block of code in this language, as parameters of a test."""
    computed = []
    for page in PAGES:
        if page.parent.name == "tutorials":  # their blocks belong together, see test_tutorials.py
            continue
        for block, line in blocks_of(page.read_text(), language):
            marks = pytest.mark.slow if any(words in block for words in LONG) else ()
            computed.append(pytest.param(block, id=f"{page.relative_to(ROOT)}:{line}", marks=marks))
    return computed


def table(page: Path, first: str) -> list[list[str]]:
    """Returns the cells of the table whose first heading is ``first``, without its heading."""
    lines = page.read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"| {first} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


@pytest.mark.parametrize("code", blocks("python"))
def test_python_runs_and_prints_what_its_comments_say(
    code: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "documentation", "exec"), {"__name__": "documentation"})
    prints = [line for line in code.splitlines() if line.startswith("print(")]
    for source, line in zip(prints, printed.getvalue().splitlines(), strict=True):
        promised = re.search(r"  # (-?[\d.]+)\b", source)
        if promised is not None:
            assert float(line) == pytest.approx(float(promised[1]), abs=EXACT)


def run(lines: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the commands of a block in this folder."""
    for words in typed(lines):
        if words[0] == "nashzoo":
            monkeypatch.setattr("sys.argv", words)
            monkeypatch.setattr("sys.stdin", io.StringIO())
            assert main.main() == 0, words
        elif words[0] == "make" and not words[1].startswith("."):
            assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("lines", [block for block in blocks("console") if not block.marks])
def test_commands_run(lines: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    run(lines, monkeypatch)


@pytest.mark.slow
def test_the_commands_run_one_after_the_other_in_one_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    # Which takes two seconds each; the runs of tests/foreign/firsthand_check.py and tests/app/test_train.py draw it.
    monkeypatch.setattr("nashzoo.app.training.train.write_picture", lambda report, path: None)
    for block in blocks("console"):
        lines = re.sub(r" --timesteps \d+", "", block.values[0])
        if not block.marks:  # what has neither files nor long work runs above
            lines = "".join(line for line in lines.splitlines(keepends=True) if FILES.search(line))
        run(re.sub(r"^(\$ nashzoo train .*?)( *#.*)?$", rf"\1 {SHORTER}", lines, flags=re.M), monkeypatch)
    # Python looks first in the folder in which it is called: no file of a command stands there for a module.
    written = {path.stem for path in tmp_path.glob("*.py")}
    assert written and not [name for name in written if importlib.util.find_spec(name)]


def test_the_files_of_the_readmes_commands_are_there_after_the_commands_above_them() -> None:
    made = set()
    (commands,) = (block.values[0] for block in blocks("sh") if block.id.startswith("README.md:"))
    for words in typed(commands):
        for word in words[2:]:
            assert not word.endswith((".py", ".zip")) or (ROOT / word).exists() or Path(word) in made, words
        if words[1] == "train":
            made.add(Options(words[2], opponent=words[4]).folder() / "model.zip")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith("https://"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"


@pytest.mark.parametrize("name", games())
def test_every_game_has_a_page_that_the_readme_links_to(name: str) -> None:
    page = GAME_PAGES[name].name
    assert GAME_PAGES[name].exists(), f"{name} has no page docs/{page}"
    assert f"](docs/{page})" in (ROOT / "README.md").read_text(), f"README.md has no link to docs/{page}"


@pytest.mark.parametrize(("name", "page"), [(name, page) for name, page in GAME_PAGES.items() if page.exists()])
class TestGamePages:
    def test_the_observation_is_as_the_page_says(self, name: str, page: Path) -> None:
        features = make_game(name).features
        covered = []
        for index, meaning in table(page, "index"):
            first, _, last = index.partition(" to ")
            numbers = range(int(first), int(last or first) + 1)
            covered += numbers
            assert [features[number] for number in numbers] == self.spread(meaning, len(numbers))
        assert covered == list(range(len(features)))

    def spread(self, meaning: str, numbers: int) -> list[str]:
        """Returns the meanings that a row states at once: ``is -2 to 2``, or ``was Rock, Paper, Scissors``."""
        if numbers == 1:
            return [meaning]
        if counted := re.fullmatch(r"(.* )(-?\d+) to (-?\d+)", meaning):
            return [f"{counted[1]}{value}" for value in range(int(counted[2]), int(counted[3]) + 1)]
        head, _, words = meaning.partition(" was ")
        return [f"{head} was {word}" for word in words.split(", ")]

    def test_the_parameters_and_their_defaults_are(self, name: str, page: Path) -> None:
        stated = {row[0].strip("`"): row[1].replace("`", "").replace('"', "'") for row in table(page, "parameter")}
        assert stated == {key: repr(value) for key, value in make_game(name).options.items()}

    def test_the_actions_are(self, name: str, page: Path) -> None:
        text = page.read_text()
        for number, action in enumerate(make_game(name).actions):
            assert (action if action == str(number) else f"{number} {action}") in text

    def test_the_players_are(self, name: str, page: Path) -> None:
        stated = {row[0].strip("`"): row[1] for row in table(page, "name")}
        assert stated == {agent: agents.title(agent) for agent in agents.names(make_game(name))}

    def test_the_players_options_are(self, name: str, page: Path) -> None:
        for row in table(page, "name"):
            known = agents.options(row[0].strip("`"))
            for option, value in re.findall(r"`(\w+)=([^`]+)`", row[2]):
                assert repr(known[option]) == value


class TestFootsiesPage:
    PAGE = ROOT / "docs" / "footsies.md"

    def test_the_table_of_moves_is_the_rules(self) -> None:
        game = footsies_v0.game()
        rows = table(self.PAGE, r"red \ blue")
        assert [row[0].strip("*") for row in rows] == list(game.actions)
        for move0, row in enumerate(rows):
            for move1, stated in enumerate(row[1:]):
                assert stated == self.outcome(game, move0, move1)

    def outcome(self, game: Game, move0: int, move1: int) -> str:
        code = game.step(int(game.start_codes[0]), move0, move1)
        state = game.state(code)
        sides = ("red", "blue")
        if game.terminal(code):
            return f"{sides[int(game.payoff(code) < 0)]} wins"
        if state.hits0 or state.hits1:
            return f"{sides[int(state.hits1)]} lands a hit"
        if state.blocks0 + state.blocks1 < 6:
            return f"blocked, costs {sides[int(state.blocks1 < 3)]} a block"
        return "nothing"

    def test_the_equilibrium_is_as_the_table_says(self) -> None:
        # Player 1 has landed no hit, as is so wherever player 0 has landed the last one.
        game = footsies_v0.game()
        solution = solve(game)
        places = {"1 or more": (1, 2, 3), "0 or 1": (0, 1), "0": (0,), "1": (1,)}
        seen = set()
        for blocks_told, hits_told, value, strategy0, strategy1 in table(self.PAGE, "blue's blocks"):
            for blocks1 in places[blocks_told]:
                for hits0 in places[hits_told]:
                    last = {"last0": 1, "last1": 3} if hits0 else {"last0": 2, "last1": 2}
                    code = game.code(blocks1=blocks1, hits0=hits0, **last)
                    assert solution.value(code) == pytest.approx(fraction(value), abs=EXACT)
                    computed = [strategy[0] for strategy in solution.strategies(np.array([code]))]
                    assert computed[0] == pytest.approx(mix(strategy0), abs=EXACT)
                    assert computed[1] == pytest.approx(mix(strategy1), abs=EXACT)
                    seen.add((blocks1, hits0))
        assert seen == {(blocks1, hits0) for blocks1 in range(4) for hits0 in range(2)}

    def test_with_free_blocks_every_state_is_worth_nothing(self) -> None:
        solution = solve(footsies_v0.game(exhausted_block="free"))
        assert np.abs(solution.values).max() < EXACT


class TestTicTacToePage:
    PAGE = ROOT / "docs" / "tictactoe.md"
    GAME = make_game("tictactoe_v0")

    def test_the_chances_are_as_the_table_says(self) -> None:
        players = {name: agents.make(name, self.GAME) for name in ("random", "human", "perfect")}
        rows = table(self.PAGE, r"crosses \ noughts")
        assert [row[0] for row in rows] == list(players)
        for crosses, *cells in rows:
            for noughts, stated in zip(players, cells, strict=True):
                computed = outcomes(self.GAME, players[crosses], players[noughts])
                assert stated == ", ".join(f"{chance:.3f}" for chance in computed)

    def test_so_many_states_are_won_and_drawn(self) -> None:
        worth = Counter(solve(self.GAME).values.round().astype(int).tolist())
        assert worth == {1: 2310, -1: 1158, 0: 1052}

    @pytest.mark.parametrize("player", [0, 1])
    def test_how_far_ahead_a_search_must_look(self, player: int) -> None:
        for depth, lost in ((4, 1), (6, 0), (7, 0), (8, 0), (9, 0)):
            search = agents.make("alphabeta", self.GAME, depth=depth)
            assert exploitability(self.GAME, search, player=player) == lost


def fraction(text: str) -> float:
    numerator, _, denominator = text.partition("/")
    return int(numerator) / int(denominator or 1)


def mix(text: str) -> list[float]:
    """Returns the probabilities in "A 3/9, B 4/9, D 2/9", of Attack, Block, Grab and Dragon Punch."""
    stated = dict(part.split() for part in text.split(", "))
    return [fraction(stated.get(move, "0")) for move in "ABGD"]
