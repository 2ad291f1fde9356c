"""The table of OpenSpiel's two-player zero-sum games, in ``docs/reference/openspiel.md``.

``python -m studies.openspiel_table`` tries all of them, or those named after it, each in a process of its own, and
writes the page. What was found is kept in ``docs/results/openspiel.csv``.
"""

import csv
import resource
import subprocess
import sys
from operator import itemgetter
from pathlib import Path

from nashzoo.envs.base.files import written_whole
from studies.tables import DOCS, markdown, with_block, write_page

PAGE, KEPT = DOCS / "reference" / "openspiel.md", DOCS / "results" / "openspiel.csv"
SECONDS, BYTES = 60, 3 << 30  # of processor time and of memory, for each game
MOST_LETTERS = 220  # of a sentence that is kept
FIELDS = "game", "result", "states", "value", "says"
SOLVED, LARGE, REFUSED = RESULTS = "solved", "too large", "refused"
PARAMETERS = {"zerosum": "zerosum(game=matrix_pd())"}  # of games that need some


def names() -> list[str]:
    """Returns the names of the games that two players can play, and whose payoffs add up to a constant."""
    import open_spiel.python.games  # noqa: F401 - registers its games
    import pyspiel

    sums = pyspiel.GameType.Utility.ZERO_SUM, pyspiel.GameType.Utility.CONSTANT_SUM
    kinds = [kind for kind in pyspiel.registered_games() if kind.utility in sums]
    return sorted(kind.short_name for kind in kinds if kind.min_num_players <= 2 <= kind.max_num_players)


def tried(name: str) -> dict[str, object]:
    """Returns the row of a game."""
    from nashzoo.baselines import solve, solve_matrix
    from nashzoo.envs import from_openspiel
    from nashzoo.envs.imported.large_matrix import LargeMatrixError

    row: dict[str, object] = {"game": name}
    try:
        game = from_openspiel(PARAMETERS.get(name, name))
    except LargeMatrixError as error:
        return row | {"result": SOLVED, "value": f"{round(solve_matrix(error.game).value, 9) + 0.0:.9g}"}
    except ValueError as error:
        return row | {"result": LARGE if " leads to more than " in str(error) else REFUSED, "says": error}
    row["states"] = len(game.rules.written.graph.turns)
    try:
        return row | {"result": SOLVED, "value": f"{round(solve(game).start_value, 9) + 0.0:.9g}"}
    except ValueError as error:
        return row | {"result": REFUSED, "says": error}


def limited(name: str) -> dict[str, str]:
    """Returns the row of a game, found in a process with limits."""
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name, "--try", name], capture_output=True, text=True, check=False
    )
    rows = list(csv.DictReader(done.stdout.splitlines(), FIELDS))
    if done.returncode == 0 and rows:
        return rows[-1] | {"says": " ".join(rows[-1]["says"].split()).replace("|", "/")[:MOST_LETTERS]}
    memory = "MemoryError" in done.stderr or "bad_alloc" in done.stderr
    limit = f"{BYTES >> 30} GB of memory" if memory else f"{SECONDS} s of processor time"
    return dict.fromkeys(FIELDS, "") | {"game": name, "result": LARGE, "says": f"not explored in {limit}"}


def page(rows: list[dict[str, str]]) -> str:
    """Returns the page's tables; of games that are too large it has the names alone."""
    found = {name: sorted((row for row in rows if row["result"] == name), key=itemgetter("game")) for name in RESULTS}
    said = ", ".join(f"{len(some)} {name}" for name, some in found.items())
    columns = {SOLVED: ("game", "states", "value"), REFUSED: ("game", "says")}
    parts = [f"Of {len(rows)} games {said}.\n"]
    for name, some in found.items():
        if some and name == LARGE:
            parts.append(f"**Too large:** {', '.join(row['game'] for row in some)}.\n")
        elif some:
            lines = [columns[name], *([row[field] for field in columns[name]] for row in some)]
            table = markdown(lines, left=2 if name == REFUSED else 1)
            parts.append(f"**{name.capitalize()}:**\n\n{table}\n")
    return "\n".join(parts)


def main(*arguments: str) -> None:
    """Tries games, and writes their rows and the page."""
    if arguments[:1] == ("--try",):
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        csv.DictWriter(sys.stdout, FIELDS).writerow(tried(arguments[1]))
        return
    kept = {row["game"]: row for row in csv.DictReader(KEPT.read_text().splitlines())} if KEPT.is_file() else {}
    for name in arguments or names():
        kept[name] = limited(name)
        with written_whole(KEPT) as unfinished, Path(unfinished).open("w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows(kept.values())
    write_page(PAGE, with_block(PAGE.read_text(), "table", page([*kept.values()])))


if __name__ == "__main__":
    main(*sys.argv[1:])
