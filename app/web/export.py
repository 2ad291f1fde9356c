"""Static pages for small games, which need no server: the responses for every state are computed beforehand."""

import base64
import gzip
import itertools
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.app.shared.weaknesses import next_states
from nashzoo.app.web import information
from nashzoo.app.web.ladder import ladder
from nashzoo.app.web.library import PERSON, Library
from nashzoo.app.web.pages import Page, navigation, sample_certificate
from nashzoo.app.web.states import solution_json, state_json, viewers
from nashzoo.app.web.weaknesses import spots_json
from nashzoo.arena import review
from nashzoo.arena.trajectory import Trajectory
from nashzoo.baselines import Solution, solve
from nashzoo.baselines.even_solution import evened
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.baselines.policies.tabular import asked, observed
from nashzoo.baselines.practice import PLAYED
from nashzoo.envs import Game, games
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import check_folder
from nashzoo.envs.base.progress import progress_bar
from nashzoo.envs.core.agent import NoPolicyError, PolicyAgent
from nashzoo.envs.drawing.palette import ROLES, THEMES
from nashzoo.envs.drawing.svg import SVGCanvas
from nashzoo.envs.text.steps import Step, moves

STATIC = Path(__file__).parent / "static"
# In order of execution.
SCRIPTS = (
    "api", "parts", "random", "motion", "navigation", "sound", "board", "truth", "chart", "equilibrium", "ladder",
    "hints", "locks", "review", "weaknesses", "practise", "lobby", "play", "explore", "watch", "matrix_game",
    "certificate", "results", "offline", "app",
)  # fmt: skip
PROGRAM = "nashzoo.js"
# Of reviews, which pages make too.
SHARED = ("FEWEST", "ALONE", "RARE", "FINE", "NO_LOSS", "REAL", "SAME",
          "SENTENCES", "AVERAGE", "REASONS", "WHOSE", "RESULTS")  # fmt: skip
MOST_STATES = 20_000
TOGETHER = 100  # states in a file
DIGITS = 9  # after the decimal point

Followed = dict[int, list[tuple[tuple[int, int] | None, int]]]  # by the code of a state: see _next
Seen = dict[int, dict[int, int]]  # by the code of what players see: for each who sees it, the code of such a state


def main(games: Sequence[str], named_agents: Sequence[str], folder: Path, pages: Sequence[Page] = ()) -> None:
    """Writes the pages and prints their address; see :func:`write`."""
    paths = write(games, named_agents, folder, pages)
    size = sum(path.stat().st_size for path in folder.rglob("*.*"))
    print(f"Open {folder / 'index.html'} in a browser; {len(paths)} entries, {size / 1e6:.1f} MB.")


def write(games: Sequence[str], named_agents: Sequence[str], folder: Path, pages: Sequence[Page] = ()) -> list[Path]:
    """Writes the pages with all data of these games; returns the entries of the folder.

    The folder is created after all of it is written. An earlier export of the same name is replaced.

    Args:
        games: Games with parameters, modules or files of rules; where parameters are not given, those of a person.
        named_agents: Models and classes to play against, besides the game's own players; each must be a policy of the
            state alone, or of what a player sees of it.
        folder: The folder to write.
        pages: Further pages, each included if its game is.

    Raises:
        UsageError: no game is given, a game is unknown or has too many states, a player has no policy, or the folder
            holds something else.
    """
    if not games:
        raise UsageError("name the games to export, as in nashzoo web --export site/ tictactoe_v0")
    if folder.exists() and not (folder / PROGRAM).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} holds something else; choose an empty or new folder for the pages")
    check_folder(folder.parent)
    library = Library(games, named_agents)
    games = [library.short(text) for text in games]
    codes = {text: _codes(library.game(text)) for text in games}
    included = [page for page in pages if page.game in {library.game(text).name for text in games}]
    seen = {text: _seen(library.game(text), codes[text]) for text in games}
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".nashzoo-", dir=folder.parent) as temporary:
        made = Path(temporary) / "site"
        (made / "data").mkdir(parents=True)
        _write_pages(made, included)
        with progress_bar("exporting") as tell:
            total, done = sum(len({*codes[text], *seen[text]}) for text in codes), itertools.count(1)
            for page in included:
                _write_data(made / "data", page.name, page.data())
            abouts = [
                _write_game(
                    library, text, codes[text], seen[text], made / "data", number, lambda: tell(next(done), total)
                )
                for number, text in enumerate(codes)
            ]
        home = {"version": version("nashzoo"), "games": abouts, "saved": [], "folders": [], "offline": True}
        known = {"person": PERSON, "most_histories": information.MOST_HISTORIES, "played": PLAYED, "themes": THEMES}
        known["certificate"] = sample_certificate()
        known["review"] = {name.lower(): getattr(review, name) for name in SHARED}
        _write_data(made / "data", "home", {**home, **known, "pages": navigation(included)})
        if folder.exists():
            shutil.rmtree(folder)
        made.replace(folder)
    return sorted(folder.iterdir())


def _codes(game: Game) -> Followed:
    """Returns what follows all reachable states, terminal ones and those that show ends included, by codes in order.

    Raises:
        UsageError: they are too many.
    """
    waiting = [int(code) for code in game.start_codes]
    seen = set(waiting)
    followed: Followed = {}
    while waiting:
        code = waiting.pop()
        followed[code] = list(next_states(game, code))
        following = {after for _, after in followed[code]}
        new = following - seen
        seen |= new | {game.view.shown(game.params, code, after) for after in following if game.terminal(after)}
        waiting += new
        if len(seen) > MOST_STATES:
            raise UsageError(
                f"{game!r} has more than {MOST_STATES:,} states, too many for pages without a server; choose smaller "
                "parameters"
            )
    return {code: followed[code] if code in followed else list(next_states(game, code)) for code in sorted(seen)}


def _seen(game: Game, codes: Followed) -> Seen:
    """Returns what players see of states in which play goes on, by its code: for each player, such a state.

    Without a player it is what one sees of the end of a step.
    """
    seen: Seen = {}
    for code in filter(game.movers, codes):
        for player in (0, 1):
            known = game.information_state(code, player)
            seen.setdefault(known, {}).setdefault(player, code)
            for _, after in codes[code] if viewers(game, code) else ():
                seen.setdefault(game.view.shown(game.params, known, game.information_state(after, player)), {})
    return seen


def _write_pages(folder: Path, further: Sequence[Page]) -> None:
    """Writes the page, its style, and all modules as one script, since browsers load no modules from files."""
    parts = [_without_imports(STATIC / f"{name}.js") for name in SCRIPTS]
    for page in further:
        modules = sorted(page.static.glob("*.js"), key=lambda module: module.stem == page.name)  # it needs the others
        text = "".join(map(_without_imports, modules))
        parts.append(f"pages.{page.name} = (() => {{\n{text}return {{ show }};\n}})();\n")
        shutil.copytree(page.static, folder / "pages" / page.name, ignore=shutil.ignore_patterns("*.js"))
    (folder / PROGRAM).write_text("(() => {\n" + "\n".join(parts) + "})();\n", encoding="utf-8")
    start = (STATIC / "index.html").read_text(encoding="utf-8")
    start = start.replace('<script type="module" src="app.js"></script>', f'<script defer src="{PROGRAM}"></script>')
    (folder / "index.html").write_text(start, encoding="utf-8")
    shutil.copy(STATIC / "style.css", folder)


def _without_imports(module: Path) -> str:
    """Returns the text of a module for a script that has all modules."""
    text = re.sub(r"^import .*?;\n", "", module.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^export (?=async|function|class|const)", "", text, flags=re.MULTILINE)


def _write_game(
    library: Library, text: str, codes: Followed, seen: Seen, folder: Path, number: int, advance: Callable[[], None]
) -> dict[str, Any]:
    """Writes the data of a game's states, and of what players see of them; returns the data of the game."""
    game = library.game(text)
    solution = evened(solve(game))
    policies = _policies(library, solution, seen)
    about = library.about(text)
    about["agents"] = [one | {"options": {}} for one in about["agents"] if one["name"] in policies]
    plain = [one["name"] for one in about["agents"]]
    opponents = [
        group | {"players": [one for one in group["players"] if one["name"] in policies]}
        for group in library.opponents(game, plain)
    ]
    about["opponents"] = [group for group in opponents if group["players"]]
    about["short"] = text
    about["offers"] = [one for one in about["offers"] if one != "practice"]  # of weaknesses, which need a server
    rungs = [one for one in ladder(library, game, solution, plain) if one["name"] in policies]
    about |= {"spots": spots_json(solution), "ladder": rungs}
    if game.name in games():
        about["name"] = text  # among the games, for it is the only size here, and not among those of one's own
    listed, first = sorted({*codes, *seen}), []
    for place in range(0, len(listed), TOGETHER):
        together = listed[place : place + TOGETHER]
        first.append(str(together[0]))
        entries = {
            str(code): (_entry(solution, code, codes[code]) if code in codes else {})
            | (_view(solution, code, seen[code], policies) if code in seen else {})
            for code in together
        }
        _write_data(folder, f"{number}-{len(first) - 1}", _apart(entries))
        for _ in together:
            advance()
    names = [field["name"] for field in about["fields"]]
    table = {
        "codes": [str(code) for code in listed],
        "fields": [[int(getattr(game.state(code), name)) for name in names] for code in listed],
    }
    if not solution.has_values:
        about["solution"] = {
            "certificate": solution.certificate,
            "states": solution.num_states,
            "start_value": solution.start_value,
        }
    _write_data(folder, f"{number}-table", table)
    starts = zip(game.start_codes, game.start_probabilities, strict=True)
    about["starts"] = [{"code": str(int(code)), "probability": float(share)} for code, share in starts]
    return about | {"number": number, "first": first, "max_cycles": game.max_cycles}


def _apart(entries: dict[str, Any]) -> dict[str, Any]:
    """Returns entries with their drawings apart, and each line of these once: so they compress to half of it."""
    lines: dict[str, int] = {}
    drawn = {code: entry.pop("board").split("\n") for code, entry in entries.items()}
    boards = {code: [lines.setdefault(line, len(lines)) for line in board] for code, board in drawn.items()}
    return {"states": entries, "boards": boards, "lines": list(lines)}


def _policies(library: Library, solution: Solution, seen: Seen) -> dict[str, Any]:
    """Returns the action probabilities of agents that choose by what they see alone, by name, player and its code.

    Raises:
        UsageError: an agent named on the command line is not such a policy, or its probabilities are no distribution.
    """
    game, policies = solution.game, dict[str, Any]()
    places = [[known for known, codes in seen.items() if player in _choosers(game, codes)] for player in (0, 1)]
    at = [observed(game, np.array(known, np.int64), player) for player, known in enumerate(places)]
    names = [one["name"] for one in library.agents(game)]
    levels = [one["name"] for group in library.opponents(game, names) for one in group["players"]]
    for name in dict.fromkeys((*names, *levels)):
        agent = library.player(name, game, 0, solution)
        try:
            if not isinstance(agent, PolicyAgent):
                raise NoPolicyError("it remembers, or draws by itself")
            shares = [asked(agent, one) for one in at]
            policies[name] = [dict(zip(*pair, strict=True)) for pair in zip(places, shares, strict=True)]
        except NoPolicyError as error:
            policies.pop(name, None)
            if name in library.named_players:
                raise UsageError(f"{name} cannot be exported: it is no policy of the state alone ({error})") from None
    return policies


def _choosers(game: Game, codes: dict[int, int]) -> list[int]:
    """Returns the players who choose at their states."""
    return [player for player, code in codes.items() if player in game.movers(code)]


def _entry(solution: Solution, code: int, followed: list[tuple[tuple[int, int] | None, int]]) -> dict[str, Any]:
    """Returns all data of a state that the pages request; ``followed`` is what follows it."""
    game, movers = solution.game, solution.game.movers(code)
    entry: dict[str, Any] = {
        "state": state_json(game, code), "board": _board(game, code), "payoff": game.payoff(code), "next": {}
    }  # fmt: skip
    if not game.terminal(code) and (solution.has_values or not movers):
        entry["solution"] = _rounded(solution_json(solution, code))
    for outcome in entry.get("solution", {}).get("outcomes", ()) if not solution.has_values else ():
        outcome["seen"] = [_change(game, code, int(outcome["code"]), player) for player in (0, 1)]
    if not movers:
        return entry
    if not solution.has_values:
        entry["seen"] = [str(game.information_state(code, player)) for player in (0, 1)]
    for legal, after in followed:
        assert legal is not None
        actions = legal[0] if 0 in movers else 0, legal[1] if 1 in movers else 0
        entry["next"][f"{actions[0]},{actions[1]}"] = _step(game, code, actions, after)
    return entry


def _step(game: Game, code: int, actions: tuple[int, int], after: int) -> list[Any]:
    """Returns a step: the state after it, what happened, and the state to show.

    With hidden information also what each player sees: what happened, the actions, and the state to show.
    """
    made = Step(code, actions, after, after, game.payoff(after))
    step: list[Any] = [str(after), moves(game, made, ()), str(game.view.shown(game.params, code, after))]
    for player in viewers(game, code):
        seen, visible, _ = information.seen(Trajectory(game, code), made, [player])
        shown = game.view.shown(game.params, seen.before, seen.after)
        step.append([moves(game, made, [player]), visible, str(shown)])
    return step


def _change(game: Game, before: int, after: int, player: int) -> str:
    """Returns what a player sees of an outcome of chance, in words; empty if nothing."""
    before, after = game.information_state(before, player), game.information_state(after, player)
    return "" if before == after else game.view.told(game.params, before, after, [player])


def _view(solution: Solution, known: int, codes: dict[int, int], policies: dict[str, Any]) -> dict[str, Any]:
    """Returns all data that the pages request of what players see, by its code and for each player a state."""
    game, choosers = solution.game, _choosers(solution.game, codes)
    entry: dict[str, Any] = {
        "policies": {
            name: {str(player): _rounded(shares[player][known].tolist()) for player in choosers}
            for name, shares in policies.items()
        }
    }
    if isinstance(solution, InformationSolution):
        entry["board"] = _board(game, known)
        entry["views"] = {player: state_json(game, code, [player]) for player, code in codes.items()}
        sides = {player: information.information_json(solution, known, player, most=None) for player in choosers}
        entry["sides"] = _rounded(sides)
    return entry


def _board(game: Game, code: int) -> str:
    """Returns the drawing of a state, with names of roles in the place of its colours; the page describes it."""
    canvas = SVGCanvas(ROLES)
    game.draw(code, canvas)
    return canvas.svg(game.name, "")


def _rounded(data: Any) -> Any:
    """Returns the same with its floats rounded."""
    if isinstance(data, float):
        return round(data, DIGITS) if abs(data) >= 10**-DIGITS or data == 0 else data
    if isinstance(data, dict):
        return {name: _rounded(value) for name, value in data.items()}
    return [_rounded(value) for value in data] if isinstance(data, list) else data


def _write_data(folder: Path, name: str, value: Any) -> None:
    """Writes a compressed value as a script that passes it on; from files browsers load data only as scripts."""
    packed = base64.b64encode(gzip.compress(json.dumps(value, ensure_ascii=False).encode(), 6, mtime=0)).decode()
    (folder / f"{name}.js").write_text(f'nashzooData("{name}", "{packed}");\n', encoding="utf-8")
