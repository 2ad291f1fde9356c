"""The contents of folders of training runs, tournaments and ``nashzoo results``, for the pages."""

import csv
import itertools
import json
import math
import re
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scipy.special import stdtrit

from nashzoo.agents.learning.past_policies import KINDS
from nashzoo.agents.learning.registry import models
from nashzoo.agents.loading import located
from nashzoo.agents.notation import split_options
from nashzoo.app.shared.tournament_tables import CROSS_TABLE, SETTINGS
from nashzoo.app.shared.words import NOT_COMPUTED
from nashzoo.app.training.ppo_config import POPULATION
from nashzoo.app.training.report import FEWEST
from nashzoo.arena.match import Z
from nashzoo.arena.measurement.checkpoints import FILE as RUN
from nashzoo.arena.measurement.checkpoints import content_of
from nashzoo.arena.measurement.points import BOUNDS, EXPLOITED, LEARNED, LEARNED_BOUNDS, MIXED
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.json_text import finite

REPORT, PICTURES = "report.json", "report.[ps]*"
BOXES, GAMES, TICTACTOE = "boxes.json", "games.csv", "tictactoe_v0"  # of MENACE
STANDINGS, RESULTS = "standings.csv", "results.csv"
KIND_OF = {RUN: "run", CROSS_TABLE: "tournament", RESULTS: "results", GAMES: "matchboxes"}  # by a file that it has
PLAYERS = "*.zip", "*.safetensors", BOXES  # the files that may be what a run has learned
POINTS = 300  # at most, of the curve of MENACE
WON_OR_LOST = [-1, 1]  # points: a smaller axis would make much of little
OPPONENTS = "its training opponents"
WON = {"crosses won": 1, "draw": 0, "noughts won": -1}  # points of crosses
CONFIDENCE = 0.95


def kind(folder: Path) -> str:
    """Returns the kind of a folder: ``"run"``, ``"tournament"``, ``"results"`` or ``"matchboxes"``.

    Raises:
        UsageError: it is none of them.
    """
    kinds = [kind for name, kind in KIND_OF.items() if (folder / name).is_file()]
    if not kinds:
        raise UsageError(
            f"{folder} holds no training run ({RUN}), games of MENACE ({GAMES}), tournament ({CROSS_TABLE}) or "
            f"table of results ({RESULTS})"
        )
    return kinds[0]


def inside(folder: Path) -> list[Path]:
    """Returns the folder, or, where it is of no kind, those in it that are.

    Raises:
        UsageError: there are none.
    """
    below = sorted({path.parent for name in KIND_OF for path in folder.glob(f"*/{name}")})
    if below and not any((folder / name).is_file() for name in KIND_OF):
        return below
    return [folder] * bool(kind(folder))


def learned(folder: Path) -> list[str]:
    """Returns the path of what a run has learned, if it can be played."""
    return [str(path) for pattern in PLAYERS for path in sorted(folder.glob(pattern))][:1]


def learned_in(player: str) -> str | None:
    """Returns the name or place of the game that a file has learned, by the run beside it; None if there is none."""
    file = Path(split_options(player)[0])
    beside, other = file.with_name(RUN), TICTACTOE if file.name == BOXES else None
    return located(content_of(beside)["about"]["game"]) if beside.is_file() else other


def shown(folder: Path) -> dict[str, Any]:
    """Returns the contents of a folder: a title, charts of curves, and tables of cells with their intervals.

    Raises:
        UsageError: it is of no known kind, or its files are damaged.
    """
    what = kind(folder)
    try:
        contents = {"run": _run, "tournament": _tournament, "results": _results, "matchboxes": _menace}[what](folder)
    except UsageError:
        raise
    except (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError) as error:
        raise UsageError(f"a file in {folder} is damaged: {error!r}") from error
    return {"folder": str(folder), "kind": what, **finite(contents)}


def _run(folder: Path) -> dict[str, Any]:
    run = content_of(folder / RUN)
    options, curve = run["about"], run["curve"]
    report = json.loads((folder / REPORT).read_text(encoding="utf-8")) if (folder / REPORT).exists() else None
    opponent, algorithm = options["opponent"], options["algorithm"]
    titles = {} if report is None else {name: _called(name, row["title"]) for name, row in report["rows"].items()}
    who = f" {OPPONENTS}" if opponent in (None, POPULATION) else f" {titles.get(opponent, opponent)}"
    who = who.replace(" The ", " the ")
    against = "in self-play" if opponent in KINDS else f"against{who}"
    last = curve[-1]["timesteps"] if curve else 0
    name = models()[algorithm].title if algorithm in models() else algorithm
    contents: dict[str, Any] = {
        "title": f"{name} {against} in {options['game']}",
        "live": report is None or report["timesteps"] != last,
        "facts": {"timesteps": f"{last:,}", **{name: str(value) for name, value in options.items() if value}},
        "charts": _charts(_measured_again(curve, report), report),
        "tables": [],
    }
    game = f"{options['game']}({','.join(options['param'])})" if options.get("param") else options["game"]
    contents["play"] = [{"game": game, f"p{int(options.get('player') != '0')}": name} for name in learned(folder)]
    if report is not None:
        told = re.sub(rf"\b(from|to) {re.escape(str(opponent))}\b", rf"\1{who}", report["headline"])
        told = re.sub(rf"^{re.escape(name)} (\w)", lambda found: found[1].upper(), told)  # the title has the name
        contents["headline"], *sampled = re.split(r" \((sampled: [^)]*)\)", told)
        if sampled:
            contents["headline"] += sampled[1]
            contents["title"] = f"{name} {against} ({sampled[0]}) in {options['game']}"
        contents["facts"]["pictures"] = ", ".join(one.name for one in sorted(folder.glob(PICTURES)))
        contents["tables"].append(_against_everyone(report))
    return contents


def _measured_again(curve: Sequence[dict[str, Any]], report: dict[str, Any] | None) -> Sequence[dict[str, Any]]:
    """Returns a curve whose last value is that of the report, which has more games."""
    row = None if report is None else report["rows"].get(report["opponent"])
    if report is None or row is None or not curve or curve[-1]["timesteps"] != report["timesteps"]:
        return curve
    value = row["points_per_game"] if row["exact_value"] is None else row["exact_value"]
    return [*curve[:-1], curve[-1] | ({"value": value} if "value" in curve[-1] else {})]


def _menace(folder: Path) -> dict[str, Any]:
    about = json.loads((folder / BOXES).read_text(encoding="utf-8"))["training"]
    won = [WON[line["outcome"]] * (1 if line["crosses"] == "menace" else -1) for line in _lines(folder / GAMES)]
    apart = max(1, len(won) // POINTS)
    series = {
        "name": "crosses" if about["opponent"] == "self" else "MENACE",
        "y": [*itertools.accumulate(won)][::apart],
    }
    curve = {"title": "points so far", "across": "games", "x": [*range(0, len(won), apart)], "lines": []}
    return {
        "title": f"MENACE after {about['games']:,} games",
        "live": False,
        "facts": {name: str(value) for name, value in about.items() if name != "random_state"},
        "charts": [curve | {"series": [series]}],
        "tables": [],
        "play": [{"game": TICTACTOE, "p1" if about["side"] == "noughts" else "p0": str(folder / BOXES)}],
    }


def _charts(curve: Sequence[dict[str, Any]], report: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Returns charts: points per game or bounds of the value, and exploitability, by decisions."""
    if not curve:
        return []
    names = dict.fromkeys(name for point in curve for name in point)
    bounds = [name for name in (*BOUNDS, *LEARNED_BOUNDS) if name in names]
    points = {name: name.replace("_", " ") for name in bounds} or {"value": "learned policy"}
    exploited = {"exploitability": "learned policy", MIXED: "mixture of past policies"}
    exploited |= {name: f"proven {name.removeprefix('exploitability_')} bound" for name in EXPLOITED}
    exploited |= {name: f"{name.removeprefix(LEARNED)}, as many games" for name in names if name.startswith(LEARNED)}
    optimum = None if report is None or bounds else report["optimum"]
    lines: list[list[Any]] = [] if optimum is None else [["best response", optimum]]
    panels: list[tuple[str, dict[str, str], list[list[Any]]]] = [
        ("points per game", points, lines),
        ("exploitability, points per game", exploited, [["equilibrium", 0]]),
    ]
    across = [point["timesteps"] for point in curve]
    return [
        {
            "title": title,
            "across": "decisions" if report is None else report.get("unit", "decisions"),
            "x": across,
            "lines": straight,
            "series": drawn,
            "within": WON_OR_LOST if series is points and not bounds else [],
        }
        for title, series, straight in panels
        if (
            drawn := [
                {"name": label, "y": [point.get(name) for point in curve]}
                for name, label in series.items()
                if any(point.get(name) is not None for point in curve)
            ]
        )
    ]


def _against_everyone(report: dict[str, Any]) -> dict[str, Any]:
    columns = ["opponent", "won, %", "drawn, %", "lost, %", "points per game", "exact", "best response", "regret"]
    rows = [
        [
            _called(name, row["title"]),
            *(
                _cell(*(100 * end for end in (row[one]["share"], *row[one]["interval"]))) | {"digits": 1}
                for one in ("wins", "draws", "losses")
            ),
            _around(row["points_per_game"], None if row["games"] < FEWEST else Z * row["standard_error"]),
            *(_cell(row[one]) for one in ("exact_value", "best_response_value", "regret")),
        ]
        for name, row in report["rows"].items()
    ]
    late = any(what.startswith("exact figures") for what in report["late"])
    why = f"{'not measured in time, or ' * late}{NOT_COMPUTED}"
    note = f" \N{EN DASH}: {why}" * any(row["exact_value"] is None for row in report["rows"].values())
    about = (
        "Points per game of the learned policy and shares of games, with 95 % intervals. Best response: what the best "
        f"play against this opponent wins. Regret: how much less the learned policy wins.{note}"
    )
    extra = [columns.index("drawn, %"), columns.index("best response")]  # from the others
    return {"title": "Against everyone", "about": about, "columns": columns, "rows": rows, "extra": extra}


def _called(name: str, title: str) -> str:
    """Returns how people and the command line call a player."""
    return OPPONENTS if name == POPULATION else title if name == title else f"{title} ({name})"


def _tournament(folder: Path) -> dict[str, Any]:
    settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8")) if (folder / SETTINGS).exists() else {}
    standings = list(_lines(folder / STANDINGS))
    players = [line["player"] for line in standings]
    ranked = [
        [
            int(line["rank"]),
            line["player"],
            _cell(line["points_per_game"]),
            _cell(line["rating"], line["rating_low"], line["rating_high"], digits=0),
            _cell(line["nash"], line["nash_low"], line["nash_high"]),
            *(_cell(line[f"{name}_share"]) for name in ("win", "draw", "loss")),
            _cell(line["exploitability"]),
        ]
        for line in standings
    ]
    met = {
        (line["player"], line["opponent"]): _cell(line["win_share"], line["win_low"], line["win_high"])
        for line in _lines(folder / CROSS_TABLE)
    }
    return {
        "title": f"Tournament in {settings.get('game', 'a game')}",
        "facts": {name: str(settings[name]) for name in ("games", "seed") if name in settings},
        "charts": [],
        "tables": [
            {
                "title": "Standings",
                "about": "Points per game, where a draw is 0; Elo and share of the Nash average with 95 % intervals.",
                "columns": ["rank", "player", "points", "Elo", "Nash average", "won", "drawn", "lost",
                            "exploitability"],
                "rows": ranked,
            },
            {
                "title": "Cross table",
                "about": "Share of games that the player on the left won, with 95 % intervals.",
                "columns": ["player", *players],
                "rows": [[player, *(met.get((player, other), _cell(None)) for other in players)] for player in players],
                "shade": 0.5,
            },
        ],
    }  # fmt: skip


def _results(folder: Path) -> dict[str, Any]:
    games: dict[str, dict[str, list[dict[str, str]]]] = {}
    for line in _lines(folder / RESULTS):
        games.setdefault(line["game"], {}).setdefault(line["player"], []).append(line)
    tables = []
    for game, players in games.items():
        opponents = list(dict.fromkeys(line["opponent"] for lines in players.values() for line in lines))
        rows = [
            [
                player,
                lines[0]["kind"],
                lines[0]["given"],
                _over_seeds({line["seed"]: line["exploitability"] for line in lines}, least=0.0),
                *(_against(lines, opponent) for opponent in opponents),
                _mean({line["seed"]: line["seconds"] for line in lines}),
            ]
            for player, lines in players.items()
        ]
        columns = ["player", "kind", "given", "exploitability", *(f"against {name}" for name in opponents), "seconds"]
        about = "Points per game: mean over seeds, with 95 % interval where it is not one exact figure."
        grouped = {"group": columns.index("given"), "aside": [columns.index("kind")]}
        tables.append({"title": game, "about": about, "columns": columns, "rows": rows, **grouped})
    return {"title": "Results", "facts": {}, "charts": [], "tables": tables}


def _against(lines: Sequence[dict[str, str]], opponent: str) -> dict[str, Any]:
    met = [line for line in lines if line["opponent"] == opponent]
    if len(met) == 1:
        return _around(float(met[0]["points_per_game"]), Z * float(met[0]["standard_error"]))
    return _over_seeds({line["seed"]: line["points_per_game"] for line in met})


def _over_seeds(by_seed: dict[str, str], least: float = -math.inf) -> dict[str, Any]:
    """Returns the mean over seeds with Student's interval, cut off below at ``least``; empty if a seed is unknown."""
    figures = [float(text) for text in by_seed.values() if text]
    if len(figures) < len(by_seed) or not figures:
        return _cell(None)
    mean = statistics.fmean(figures)
    if len(figures) == 1:
        return _cell(mean)
    error = statistics.stdev(figures) / len(figures) ** 0.5
    error *= float(stdtrit(len(figures) - 1, (1 + CONFIDENCE) / 2))  # Student's t
    return _cell(mean, max(mean - error, least), mean + error) if error else _cell(mean)


def _mean(by_seed: dict[str, str]) -> dict[str, Any]:
    figures = [float(text) for text in by_seed.values() if text]
    return _cell(statistics.fmean(figures) if figures else None, digits=1)


def _around(value: float | None, error: float | None) -> dict[str, Any]:
    return _cell(value, value - error, value + error) if value is not None and error else _cell(value)


def _cell(
    value: float | str | None, low: float | str | None = None, high: float | str | None = None, digits: int = 3
) -> dict[str, Any]:
    """Returns a figure, the ends of its interval if it has one, and the number of digits to show."""
    numbers = [None if one in (None, "") else float(one) for one in (value, low, high)]
    return dict(zip(("value", "low", "high"), numbers, strict=True)) | {"digits": digits}


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)
