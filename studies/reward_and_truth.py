"""The first picture of README and site: what a learner is rewarded with, and what an opponent wins who knows it.

python -m studies.reward_and_truth          # trains for two minutes, then draws
python -m studies.reward_and_truth --draw   # draws the figures that are there
"""

import argparse
import contextlib
import csv
import json
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from nashzoo import agents
from nashzoo.app.shared.csv_text import csv_text
from nashzoo.baselines import best_response
from nashzoo.envs import footsies_v0
from nashzoo.envs.drawing.palette import GROUND, INK, LINE, MUTED, PLAYER_COLOURS
from studies.tables import DOCS, run, theme_rules, write_page

PICTURE, FIGURES = DOCS / "images" / "reward-and-truth.svg", DOCS / "results" / "reward_and_truth.csv"
OPPONENT = "counter"
RUNS = {  # a minute, and two thirds of one
    "PPO": f"--opponent {OPPONENT} --timesteps 1000000 --measure-every 10000",
    "policy_gradient": "--algorithm policy_gradient --timesteps 10000000",
}
COLUMNS = "learner", "decisions", "seconds", "points against counter", "exploitability"
SECONDS = 60.0  # that are drawn
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 466, 52, 706, 118, 418  # of the picture, and of the axes in it
PERIOD, WHOLE = 16, 16  # seconds of the animation, and per cent of them that the whole picture is shown at first
SWEEPS = {"PPO": (20, 48), "policy_gradient": (56, 80)}  # per cent in which lines are drawn

Points = list[tuple[float, float]]


def trained(learner: str) -> Iterable[tuple[object, ...]]:
    """Trains a learner in a folder of its own; yields the rows of its curve."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        run(f"nashzoo train footsies_v0 {RUNS[learner]} --run-dir run --report-seconds 10 --quiet")
        for point in json.loads(Path("run/run.json").read_text())["curve"]:
            points = "" if point["value"] is None else f"{point['value']:.6f}"  # in self-play there is no opponent
            figures = f"{point['seconds']:.3f}", points, f"{point['exploitability']:.6f}"
            yield learner, point["timesteps"], *figures


def curves(path: Path = FIGURES) -> dict[tuple[str, str], Points]:
    """Returns the curves of a file, by learner and column: seconds, and points per game."""
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if float(row["seconds"]) <= SECONDS]
    lines: dict[tuple[str, str], Points] = {}
    for row in rows:
        for column in COLUMNS[3:]:
            if row[column]:
                lines.setdefault((row["learner"], column), []).append((float(row["seconds"]), float(row[column])))
    return lines


def place(seconds: float, points: float) -> tuple[float, float]:
    """Returns where a figure is drawn."""
    return LEFT + (RIGHT - LEFT) * seconds / SECONDS, BOTTOM - (BOTTOM - TOP) * points


def style() -> str:
    """Returns the colours in both themes, and the animation, which begins with the whole picture."""
    rules = [
        "text { font-family: system-ui, sans-serif; font-size: 20px; fill: var(--ink) }",
        f".PPO {{ --own: var(--{PLAYER_COLOURS[0]}) }} .policy_gradient {{ --own: var(--{PLAYER_COLOURS[1]}) }}",
        "polyline { fill: none; stroke: var(--own); stroke-width: 4; stroke-linejoin: round } .dashed { "
        "stroke-dasharray: 9 6 }",
        "g text { fill: var(--own); font-weight: 600; text-anchor: end } .title { font-size: 24px; font-weight: 700 }",
        f".axis {{ font-size: 17px; fill: var(--{MUTED}) }} .rule {{ stroke: var(--{LINE}); opacity: 0.35 }}",
    ]
    rules += theme_rules((GROUND, INK, MUTED, LINE, *PLAYER_COLOURS))
    moving = []
    for learner, (begin, end) in SWEEPS.items():
        shown, hidden = "clip-path: inset(-9px -9px -9px -9px)", "clip-path: inset(-9px 100% -9px -9px)"
        moving += [
            f"@keyframes lines-{learner} {{ 0%, {WHOLE}% {{ {shown} }} {WHOLE + 0.1}%, {begin}% {{ {hidden} }} "
            f"{end}%, 100% {{ {shown} }} }}",
            f"@keyframes words-{learner} {{ 0%, {WHOLE}% {{ opacity: 1 }} {WHOLE + 0.1}%, {end - 3}% {{ opacity: 0 }} "
            f"{end}%, 100% {{ opacity: 1 }} }}",
            f".{learner}.lines {{ animation: lines-{learner} {PERIOD}s linear infinite }}",
            f".{learner}.words {{ animation: words-{learner} {PERIOD}s linear infinite }}",
        ]
    return "\n".join([*rules, "@media (prefers-reduced-motion: no-preference) {", *moving, "}"])


def picture(lines: Mapping[tuple[str, str], Points], most: float) -> str:
    """Returns the picture; ``most`` is what a best response wins from the opponent of training."""
    reward, ppo = (lines["PPO", column][-1][1] for column in COLUMNS[3:])
    own = lines["policy_gradient", "exploitability"][-1][1]
    title = "PPO beats the bot that it trains against,", "and loses to everybody who knows how it plays."
    words = {
        "PPO": (
            (1, 30, f"an opponent who knows PPO wins {ppo:.2f}"),
            (most, -14, f"PPO wins {reward:.2f} from its bot, the most is {most:.2f}"),
        ),
        "policy_gradient": ((0, -46, "policy_gradient, in self-play:"), (0, -24, f"who knows it wins {own:.2f}")),
    }
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" aria-labelledby="t">',
        f'<title id="t">{" ".join(title)}</title>\n<style>\n{style()}\n</style>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" style="fill: var(--{GROUND})"/>',
        *(f'<text class="title" x="16" y="{32 + 28 * line}">{text}</text>' for line, text in enumerate(title)),
    ]
    for points in (0.0, 0.5, 1.0):
        x, y = place(0, points)
        parts.append(f'<line class="rule" x1="{x}" x2="{RIGHT}" y1="{y:g}" y2="{y:g}"/>')
        parts.append(f'<text class="axis" x="{x - 8}" y="{y + 5:g}" text-anchor="end">{points:g}</text>')
    for seconds in (0, 20, 40, 60):
        x, _ = place(seconds, 0)
        anchor = "end" if seconds == SECONDS else "middle"
        parts.append(f'<text class="axis" x="{x:g}" y="{BOTTOM + 20}" text-anchor="{anchor}">{seconds}</text>')
    parts += [
        f'<text class="axis" x="16" y="{TOP - 30}">points per game in Footsies</text>',
        f'<text class="axis" x="{(LEFT + RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">'
        "processor seconds of learning</text>",
    ]
    for learner in SWEEPS:
        parts.append(f'<g class="{learner} lines">')
        for (of, column), points in lines.items():
            if of == learner:
                drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in points))
                dashed = ' class="dashed"' if column != "exploitability" else ""
                parts.append(f'<polyline{dashed} points="{drawn}"/>')
        parts.append(f'</g>\n<g class="{learner} words">')
        parts += [f'<text x="{RIGHT}" y="{place(0, height)[1] + down:g}">{text}</text>'
                  for height, down, text in words[learner]]  # fmt: skip
        parts.append("</g>")
    return "\n".join([*parts, "</svg>\n"])


def main() -> None:
    """Trains, and draws."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", action="store_true", help="draw the figures that are there")
    if not parser.parse_args().draw:
        write_page(FIGURES, csv_text(COLUMNS, [row for learner in RUNS for row in trained(learner)]))
    game = footsies_v0.game()
    write_page(PICTURE, picture(curves(), best_response(game, agents.make(OPPONENT, game), player=0).value))


if __name__ == "__main__":
    main()
