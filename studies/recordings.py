"""A match of each game as the terminal shows it: writes ``docs/recordings.md``.

python -m studies.recordings
"""

from pathlib import Path

from studies.tables import run, write_page

PAGE = Path(__file__).resolve().parents[1] / "docs" / "recordings.md"
COMMANDS = {
    "Footsies": "nashzoo watch footsies_v0 nash bayesian --param rounds=2 --seed 4",
    "Roshambo": "nashzoo watch roshambo_v0 iocaine copy --param rounds=6 --seed 0",
    "Bodega Brawl": "nashzoo watch bodega_brawl_v0 nash argmax_counter --param preset=tiny --seed 0",
    "Tic-tac-toe": "nashzoo watch tictactoe_v0 perfect human --seed 1",
    "Soccer": "nashzoo watch soccer_v0 'alphabeta(depth=4)' human --param width=11 height=5 goal_height=3 --seed 6",
}


def recorded(line: str) -> str:
    """Returns the output of a command, without spaces at the ends of lines."""
    return "\n".join(text.rstrip() for text in run(line).strip().splitlines())


def page() -> str:
    """Returns the page."""
    parts = [
        "# Matches in the terminal\n",
        "Made by `python -m studies.recordings`. [Records of matches](records.md) says how matches are kept and shown.",
    ]
    for title, line in COMMANDS.items():
        parts += [f"\n## {title}\n", f"```text\n$ {line}\n\n{recorded(line)}\n```"]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    write_page(PAGE, page())
