"""The ratings of all five games, from tournaments of the command: writes ``docs/ratings.md`` and its pictures.

python -m studies.ratings    # resumes in runs/ratings
"""

import csv
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from studies.tables import DOCS, markdown, run, write_page

PAGE = DOCS / "ratings.md"
RUNS = Path("runs/ratings")
TOURNAMENTS = {
    "Footsies": "footsies_v0 --agents random counter bayesian bluff markov nash 'mcts(simulations=10)' "
    "'mcts(simulations=100)' 'mcts(simulations=1000)' --games 2000",
    "Roshambo, 1,000 rounds": "roshambo_v0 --agents random roll constant biased rotating copy debruijn pi frequency "
    "markov_k antirotation recent habits history iocaine hedge mixture nash --games 200",
    "Bodega Brawl, small": "bodega_brawl_v0 --param preset=small --agents random argmax_counter nash "
    "'mcts(simulations=100)' --games 400",
    "tic-tac-toe": "tictactoe_v0 --agents random menace greedy human nash 'minimax(depth=2)' 'minimax(depth=4)' "
    "perfect 'mcts(simulations=10)' 'mcts(simulations=100)' --games 2000",
    "soccer, 11 x 5": "soccer_v0 --param width=11 height=5 goal_height=3 --agents random greedy human nash "
    "'alphabeta(depth=2)' 'alphabeta(depth=4)' 'mcts(simulations=100)' --games 100",
}  # by title; the games of a pair are fewer in slow games


def command(title: str) -> str:
    """Returns the command of a tournament, without its folder."""
    return f"nashzoo tournament {TOURNAMENTS[title]} --seed 0 --exact"


def rows(standings: Path) -> Iterator[Sequence[str]]:
    """Yields the rows of a table, from the standings that the command has written."""
    yield "", "player", "points per game", "Elo", "Nash average", "exploitability"
    with standings.open(newline="") as file:
        for row in csv.DictReader(file):
            name, exploitability = row.pop("player"), row.pop("exploitability")
            one = {column: float(cell) for column, cell in row.items()}
            error = (one["rating_high"] - one["rating_low"]) / 2
            low, high = one["nash_low"], one["nash_high"]
            interval = "" if low == high else f", {100 * low:.0f} to {100 * high:.0f}"
            yield (
                row["rank"], f"`{name}`", f"{one['points_per_game']:+.3f}", f"{one['rating']:+.0f} ± {error:.0f}",
                f"{100 * one['nash']:.1f} %{interval}",
                f"{float(exploitability):.4f}" if exploitability else "",
            )  # fmt: skip


def main() -> None:
    """Plays the missing games, and writes the page."""
    parts = [
        "# Ratings\n",
        "How strong all players are, by tournaments. [Tournaments](tournaments.md) defines the columns and pictures;",
        "intervals are of 95 %. Exploitability is empty where the player has a memory or its search is random.",
        "`python -m studies.ratings` runs the tournaments.\n",
    ]
    for title in TOURNAMENTS:
        game = TOURNAMENTS[title].split("_v0")[0]
        folder, picture = RUNS / game, f"images/ratings-{game}.png"
        run(f"{command(title)} --out {folder}")
        shutil.copy(folder / "ratings.png", DOCS / picture)
        games = int(TOURNAMENTS[title].split("--games ")[1])
        parts += [f"## {title}\n", f"{games:,} games a pair.\n", markdown(rows(folder / "standings.csv"), 2)]
        parts += [f"\n![Ratings of all players in {title}]({picture})\n"]
    write_page(PAGE, "\n".join(parts))


if __name__ == "__main__":
    main()
