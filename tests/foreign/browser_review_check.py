"""The review of pages without a server is the program's: python -m pytest tests/foreign/browser_review_check.py"""

import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from exported import KUHN, PIG
from nashzoo.app.shared.words import addressed
from nashzoo.app.web.library import Library
from nashzoo.arena.review import NO_LOSS, headline, lesson, worst_of
from nashzoo.arena.trajectory import Trajectory
from nashzoo.baselines import solve
from nashzoo.envs.base.words import counted, either
from sizes import AT_A_DESK

pytestmark = AT_A_DESK
PERSON = "human player"
MOST_SHOWN = 3  # mixtures


CHOOSE = """place => {
    const buttons = [...document.querySelectorAll("[data-action]:not(:disabled)")];
    buttons[Math.floor(place * buttons.length)]?.click();
    return document.querySelector("#share") !== null;
}"""


def played(page: Page, rng: np.random.Generator) -> Trajectory:
    """Plays a match by random choices, of which the first are the most frequent; returns it, by the link to it."""
    page.locator("[data-action]").first.wait_for()
    while not page.evaluate(CHOOSE, rng.random() ** 3):
        page.wait_for_timeout(20)  # a choice before its turn changes nothing
    link = urlsplit(page.get_attribute("#share", "href") or "").fragment.partition("?")[2]
    asked = {name: value[0] for name, value in parse_qs(link).items()}
    match = Trajectory(Library([asked["game"]]).game(asked["game"]), int(asked["start"]))
    for move in asked["moves"].split("-"):
        first, second, *after = move.split(".")
        match.follow(int(first or 0), int(second or 0), int(after[0]) if after else None)
    return match


@pytest.mark.parametrize(
    ("text", "players", "matches"),
    [
        ("tictactoe_v0", (PERSON, "random"), 2),
        ("tictactoe_v0", ("random", PERSON), 1),
        ("footsies_v0", (PERSON, "random"), 2),
        ("footsies_v0", (PERSON, PERSON), 1),
        ("roshambo_v0(rounds=20)", ("random", PERSON), 2),
        (PIG, (PERSON, "random"), 1),
        (KUHN, (PERSON, "nash"), 6),
    ],
)
def test_a_match_is_reviewed_as_by_the_program(
    page: Page, folder: str, text: str, players: tuple[str, str], matches: int
) -> None:
    you = players.index(PERSON) if players.count(PERSON) == 1 else None
    rng, earlier, review = np.random.default_rng(5), list[Trajectory](), page.locator("#review")
    for seed in range(matches):
        page.goto(f"{folder}#play?game={text}&p0={players[0]}&p1={players[1]}&seed={seed}")
        match = played(page, rng)
        solution, points = solve(match.game), sum(step.reward for step in match.steps)
        told = lesson(match, solution, points, you, (), earlier)
        if not solution.has_values:  # there a page without a server knows no price of a mix
            told["mixtures"] = [one | {"price": None} for one in told["mixtures"]]
        head = addressed(match.game, headline(match.game, told, you, points), you)
        if not worst_of(told, you):
            head, *rest = re.split(r"(?<=\.) ", head)
            expect(review).to_contain_text(" ".join(rest))
        which = re.compile(f"(Game \\d: )?{re.escape(head)}")
        expect(review.locator("h2").filter(has_not_text="game by game").first).to_have_text(which)
        page.evaluate("document.querySelectorAll('#review details').forEach((one) => { one.open = true; })")
        rows = [row.locator("td").all_inner_texts() for row in review.locator("table:not(.series) tr:has(td a)").all()]
        played_better = [[*re.split(r"\n(?:\N{CHECK MARK}|costs? nothing:) ", row[2]), ""][:2] for row in rows]
        costs = [float(row[3].replace("\N{EN DASH}", "nan").lstrip("\N{MINUS SIGN}")) for row in rows]
        made = [(row[0], *both, cost) for row, both, cost in zip(rows, played_better, costs, strict=True)]
        worst = worst_of(told, you)
        expected = [
            (
                str(one["step"]),
                one["action"],
                either(one["better"], most=4) if one["better"] and one is not worst else "",
                one["loss"],
            )
            for one in told["moves"]
            if "expected" not in told or any((each["loss"] or 0.0) > NO_LOSS for each in told["moves"])
        ]
        assert sorted(row[:3] for row in made) == sorted(row[:3] for row in expected)
        shown, known = (
            sorted((*row[:3], np.nan if row[3] is None else round(row[3], 2) + 0.0) for row in some)
            for some in (made, expected)
        )
        np.testing.assert_allclose([row[3] for row in shown], [row[3] for row in known], atol=0.011)  # of two digits
        mixed = sorted(told["mixtures"], key=lambda one: (not (one["uneven"] or one["order"]), -(one["price"] or 0.0)))[
            :MOST_SHOWN
        ]
        for panel, one in zip(review.locator(".mixture").all(), mixed, strict=True):
            figures = [100 * each[name] for each in one["actions"] for name in ("plays", "probability")]
            found = re.findall(r"([\d.]+)\s%", panel.locator("table").inner_text())
            assert np.allclose(sorted(map(float, found)), sorted(figures), atol=0.06)
            expect(panel).to_contain_text(f"Counted: your {counted(one['choices'], 'choice')}")
        earlier = [*earlier, match] if you is not None else []
