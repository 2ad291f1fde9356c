"""Matrix games by hand, on the server and from a folder: python -m pytest tests/foreign/browser_matrix_check.py"""

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from nashzoo.app.web import export
from nashzoo.baselines import exploitability, solve_matrix
from nashzoo.envs import Game
from nashzoo.envs.imported.matrix import matrix_game, read_csv
from sizes import AT_A_DESK

EQUAL = 1e-9
GAMES = 400
MINUS = "\N{MINUS SIGN}"
# Solves games of whole numbers by the page's script; all figures as [numerator, denominator] of texts.
SOLVE = """async (games) => {
    const { fraction, solveExactly } = await import('/equilibrium.js');
    const text = ({ n, d }) => `${n}/${d}`;
    return games.map((game) => {
        const { value, mixes, only } = solveExactly(game.map((row) => row.map((one) => fraction(BigInt(one)))));
        return { value: text(value), mixes: mixes.map((mix) => mix.map(text)), only };
    });
}"""
MORRA_PLAYS = list(itertools.product((1, 2), repeat=2))


class Mix:
    """A player of a game of one state."""

    def __init__(self, shares: list[float]) -> None:
        self.shares = np.array(shares)

    def action_probabilities(self, observations: Any, masks: Any) -> Any:
        return np.tile(self.shares, (len(observations), 1))


def games() -> list[list[list[int]]]:
    """Returns games of all sizes: with ties, with copied rows and columns, symmetric, and with large numbers."""
    rng, made = np.random.default_rng(5), []
    for number in range(GAMES):
        m, n = rng.integers(1, 7, 2)
        matrix = rng.integers(-(most := (1, 2, 9, 10**6)[number % 4]), most + 1, (m, n))
        if number % 3 == 0:
            matrix = np.vstack([matrix, matrix[:1], matrix.sum(axis=0, keepdims=True) // 2])[:6]
        if number % 5 == 0:
            matrix = matrix[:, rng.integers(0, n, n)]
        if number % 7 == 0 and matrix.shape[0] == matrix.shape[1]:
            matrix = matrix - matrix.T
        made.append(matrix.tolist())
    return made


def is_only(matrix: Any, value: float) -> bool:
    """Returns whether no share of either player can differ among equilibria, by linear programs."""
    from scipy.optimize import linprog

    for payoffs, at_least in ((matrix, value), (-matrix.T, -value)):
        m = len(payoffs)
        for k, sign in itertools.product(range(m), (1, -1)):
            bounds = {"A_ub": -payoffs.T, "b_ub": np.full(payoffs.shape[1], -at_least + EQUAL)}
            found = linprog(sign * np.eye(m)[k], **bounds, A_eq=np.ones((1, m)), b_eq=[1.0])
            if sign == 1:
                low = found.fun
            elif -found.fun - low > 1e-5:
                return False
    return True


@AT_A_DESK
def test_values_and_mixes_are_exactly_those_of_an_equilibrium(page: Page, address: str) -> None:
    page.goto(f"{address}#matrix-game")
    made = games()
    sizes = set()
    for matrix, found in zip(made, page.evaluate(SOLVE, made), strict=True):
        value = Fraction(found["value"])
        x, y = ([Fraction(one) for one in mix] for mix in found["mixes"])
        assert min(*x, *y) >= 0 and sum(x) == sum(y) == 1
        columns = [sum(p * row[j] for p, row in zip(x, matrix, strict=True)) for j in range(len(y))]
        rows = [sum(q * one for q, one in zip(y, row, strict=True)) for row in matrix]
        assert min(columns) == value == max(rows)
        solved = solve_matrix(np.array(matrix, float))
        assert abs(float(value) - solved.value) <= EQUAL * max(1, np.abs(matrix).max())
        sizes.add((len(x), len(y)))
    assert len(sizes) == 36


@AT_A_DESK
def test_an_equilibrium_is_called_the_only_one_if_linear_programs_find_no_other(page: Page, address: str) -> None:
    page.goto(f"{address}#matrix-game")
    small = [matrix for matrix in games() if np.abs(matrix).max() <= 9][:120]
    answers = [found["only"] for found in page.evaluate(SOLVE, small)]
    assert answers == [
        is_only(np.array(matrix, float), solve_matrix(np.array(matrix, float)).value) for matrix in small
    ]
    assert {True, False} == set(answers)


def text_of(page: Page, selector: str) -> str:
    return page.inner_text(selector).replace(MINUS, "-")


@AT_A_DESK
def test_payoffs_are_typed_and_wrong_ones_change_nothing(page: Page, address: str) -> None:
    page.goto(f"{address}#matrix-game?m=2,-1;-1,1")
    page.click("#solve")
    assert text_of(page, "#exact") == "1/5 = 0.2"
    page.fill("[aria-label='R1 against C1']", "7/3")
    page.keyboard.press("Tab")
    expect(page.locator("#exact")).to_have_text("1/4 = 0.25")
    page.fill("[aria-label='R2 against C2']", "1,5")  # as in many countries
    page.keyboard.press("Tab")
    expect(page.locator("[aria-label='R2 against C2']")).to_have_value("1.5")
    address_before = page.url
    for wrong in ("two", "1/0", "", "1e3"):
        page.fill("[aria-label='R1 against C2']", wrong)
        page.keyboard.press("Tab")
        expect(page.locator("#error")).to_contain_text(f"“{wrong}” is no payoff; a payoff is a whole number")
        expect(page.locator("[aria-label='R1 against C2']")).to_have_value(f"{MINUS}1")
    for wrong, told in (("C2", "there is a “C2” already"), ("3", "is no name"), ("a;b", "is no name")):
        page.fill("[aria-label='Name of column 1']", wrong)
        page.keyboard.press("Tab")
        expect(page.locator("#error")).to_contain_text(told)
    assert page.url == address_before
    page.fill("[aria-label='Name of column 1']", "Left")
    page.keyboard.press("Tab")
    expect(page.locator("#error")).to_be_hidden()
    expect(page.locator("[aria-label='R2 against Left']")).to_have_count(1)


@AT_A_DESK
def test_rows_and_columns_come_and_go_and_the_address_has_everything(page: Page, address: str) -> None:
    page.goto(f"{address}#matrix-game?m=2,-1;-1,1&x=2,3&solved=1")
    for _ in range(4):
        page.click("[aria-label='Add a row']")
        page.click("[aria-label='Add a column']")
    expect(page.locator("[aria-label='Add a row']")).to_be_disabled()
    expect(page.locator("[aria-label='Add a column']")).to_be_disabled()
    for _ in range(3):
        page.click("[aria-label='Remove the last row']")
    page.fill("[aria-label='R3 against C6']", "-9")
    page.keyboard.press("Tab")
    expect(page.locator("[data-share='0,1']")).to_have_value("60 %")
    shown = page.inner_text("main")
    page.reload()
    page.wait_for_selector("#gap strong")
    assert page.inner_text("main") == shown
    for wrong, told in (
        ("m=1,2;3", "the matrix must have 1 to 6 rows of equally many payoffs"),
        ("m=1&rows=a,b", "the names of rows must be 1"),
        ("m=1&x=-1", "the mix of the row player must be 1 whole numbers with commas between, as in x=1, not x=-1"),
        ("m=a", "“a” is no payoff"),
    ):
        page.goto(f"{address}#matrix-game?{wrong}")
        expect(page.locator("#error")).to_contain_text(told)
        expect(page.locator("#error")).to_contain_text("This is matching pennies.")
        expect(page.locator("#gap strong")).to_have_text("1/2 = 0.5")


@AT_A_DESK
def test_back_returns_to_the_game_before_a_classic(page: Page, address: str) -> None:
    page.goto(f"{address}#matrix-game?m=7,-1;-1,1")
    page.select_option("#classic", label="Bismarck Sea")
    page.select_option("#classic", label="Penalty kick")
    page.go_back()
    expect(page.locator("#classic option:checked")).to_have_text("Bismarck Sea")
    page.go_back()
    expect(page.locator("[aria-label='R1 against C1']")).to_have_value("7")
    page.go_forward()
    expect(page.locator("#classic option:checked")).to_have_text("Bismarck Sea")


@AT_A_DESK
def test_no_classic_begins_at_its_equilibrium_and_axes_have_minus_signs(page: Page, address: str) -> None:
    page.goto(f"{address}#matrix-game")
    for name in page.locator("#classic option:enabled").all_inner_texts():
        page.select_option("#classic", label=name)
        expect(page.locator("#gap strong")).not_to_have_text("0")
    page.select_option("#classic", label="Matching pennies")
    numbers = page.locator(".pictures svg text").all_text_contents()
    assert f"{MINUS}0.5" in numbers and "-" not in "".join(numbers)
    page.click("#solve")
    page.click("#take")
    expect(page.locator("#gap")).to_contain_text("The two mixes are an equilibrium.")


LONG = ["999999999", f"{MINUS}1/999999999", f"{MINUS}123456789/987654321", "0.123456789", "1", f"{MINUS}12.5"]


def test_long_payoffs_and_names_are_seen_whole(page: Page, address: str) -> None:
    names = "Search north,Dive left,Heads,Abcdefghijklmnopqrstuvwx,4+0,1 say 2"
    m = ";".join([",".join(one.replace(MINUS, "-") for one in LONG)] * 6)
    for columns in (6, 2):
        rows = [",".join(row.split(",")[:columns]) for row in m.split(";")]
        query = urlencode({"m": ";".join(rows), "rows": names, "columns": ",".join(names.split(",")[:columns])})
        page.goto(f"{address}#matrix-game?{query}")
        expect(page.locator(".payoffs thead input")).to_have_count(columns)
        hidden = "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.value)"
        assert page.locator(".payoffs table input").evaluate_all(hidden) == []
        smallest = "all => Math.min(...all.map((one) => parseFloat(getComputedStyle(one).fontSize)))"
        assert page.locator(".payoffs table input").evaluate_all(smallest) >= 10
        expect(page.locator(".payoffs tbody td input").first).to_have_attribute("title", LONG[0])
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_mix_does_not_cover_the_highest_point(page: Page, address: str) -> None:
    page.goto(f"{address}#matrix-game?m=1,-1;-1,1")
    circles = page.locator(".pictures svg >> nth=0").locator("circle")
    expect(circles).to_have_count(2)
    assert circles.evaluate_all("all => all.map((one) => one.getAttribute('class'))") == ["mine", "peak"]  # drawn last
    page.goto(f"{address}#matrix-game?m=2,-1;-1,-1")  # every mix of rows is as good
    drawn = "peak => getComputedStyle(peak).stroke"
    assert page.locator(".pictures svg >> nth=0").locator("polyline.peak").evaluate(drawn) != "none"


@AT_A_DESK
@pytest.mark.parametrize("classic", ["Matching pennies", "Penalty kick", "Colonel Blotto"])
def test_the_gap_is_twice_the_exploitability(page: Page, address: str, classic: str) -> None:
    page.goto(f"{address}#matrix-game")
    page.select_option("#classic", label=classic)
    page.locator("[data-slider='0,0']").focus()
    for key in ("End", "ArrowLeft", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    page.fill("[data-share='1,1']", "2/7")
    page.keyboard.press("Tab")
    matrix, mixes, gap = read(page)
    assert mixes[0][0] == Fraction(97, 100) and mixes[1][1] == Fraction(2, 7) and sum(mixes[1]) == 1
    game: Game = matrix_game([[float(one) for one in row] for row in matrix])
    players = [Mix([*map(float, mix), *[0.0] * (game.num_actions - len(mix))]) for mix in mixes]
    assert abs(float(gap) / 2 - exploitability(game, *players)) < EQUAL
    page.click("#solve")
    page.click("#take")
    expect(page.locator("#gap")).to_have_text("The gap is 0: no reply wins anything. The two mixes are an equilibrium.")


def read(page: Page) -> tuple[list[list[Fraction]], list[list[Fraction]], Fraction]:
    """Returns the payoffs and mixes in the page's address, and the gap that it shows."""
    given = page.evaluate("Object.fromEntries(new URLSearchParams(location.hash.split('?')[1]))")
    matrix = [[Fraction(one) for one in row.split(",")] for row in given["m"].split(";")]
    weights = [[Fraction(one) for one in given[name].split(",")] for name in "xy"]
    mixes = [[one / sum(mix) for one in mix] for mix in weights]
    return matrix, mixes, Fraction(text_of(page, "#gap strong").split()[0])


@AT_A_DESK
def test_classics_follow_their_rules(page: Page, address: str) -> None:
    def taken(own: int, other: int) -> int:
        return (own > other) * (other + 1) - (own < other) * (own + 1)

    def morra(own: tuple[int, int], other: tuple[int, int]) -> int:
        return ((own[1] == other[0]) - (other[1] == own[0])) * (own[0] + other[0])

    page.goto(f"{address}#matrix-game")
    page.select_option("#classic", label="Colonel Blotto")
    names = [
        [tuple(map(int, one.input_value().split("+"))) for one in page.locator(f".payoffs .mix.p{player} input").all()]
        for player in (0, 1)
    ]
    assert read(page)[0] == [[taken(a, c) + taken(b, d) for c, d in names[1]] for a, b in names[0]]
    page.click("#solve")
    assert page.inner_text("#exact").split()[0] == "14/9"
    page.select_option("#classic", label="Two-finger Morra")
    assert read(page)[0] == [[morra(own, other) for other in MORRA_PLAYS] for own in MORRA_PLAYS]
    expect(page.locator("#solve")).to_have_text("Solve")  # another game hides the solution


def test_no_figure_of_the_proof_is_broken(page: Page, address: str) -> None:
    page.goto(f"{address}#matrix-game")
    page.select_option("#classic", label="Colonel Blotto")
    page.click("#solve")
    pays = page.locator(".proof table >> nth=0").locator("td:last-child")
    expect(pays.nth(3)).to_have_text("10/9 < 14/9")
    assert len(set(pays.evaluate_all("all => all.map((one) => one.clientHeight)"))) == 1
    assert page.eval_on_selector(".panel:has(.proof)", "panel => panel.scrollWidth <= panel.clientWidth")


def test_two_by_two_has_the_picture_of_both_players(page: Page, address: str) -> None:
    page.goto(f"{address}#matrix-game?m=3,0;1,2")
    expect(page.locator(".pictures svg")).to_have_count(2)
    labels = [one.get_attribute("aria-label") or "" for one in page.locator(".pictures svg").all()]
    assert all("best worst case 1.5" in label for label in labels)
    expect(page.locator("figcaption").first).to_contain_text("Points of the row player against each column")
    mix = page.locator(".guarantee")
    expect(mix.first).to_have_text("With this mix the row player gets at least 1 on average; the worst case is C2.")
    peak = page.locator("circle.peak").first  # the value is 3/2, at the share 3/4 of the second row
    left, right = (
        page.locator(".pictures svg >> nth=0").locator("line.grid").first.get_attribute(x) for x in ("x1", "x2")
    )
    at = float(left or 0) + 0.75 * (float(right or 0) - float(left or 0))
    assert abs(float(peak.get_attribute("cx") or 0) - at) < 1e-6
    for m, count in (("1,2,3;3,2,1", 1), ("1,3;2,2;3,0", 1), ("1,2,3;3,2,1;0,0,9", 0), ("1", 0), ("1,2", 0)):
        page.goto(f"{address}#matrix-game?m={m}")
        expect(page.locator(".payoffs tbody td:not(.expects)")).to_have_count(len(m.replace(";", ",").split(",")))
        expect(page.locator(".pictures svg")).to_have_count(count)


@AT_A_DESK
def test_the_csv_file_is_a_game_for_python(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(f"{address}#matrix-game?m=1/3,-0.5;-1,0.25&rows=Über,down&columns=left,3-1")
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(tmp_path / "matrix.csv")
    assert read_csv(tmp_path / "matrix.csv") == {
        "payoffs": [[1 / 3, -0.5], [-1.0, 0.25]], "rows": ["Über", "down"], "columns": ["left", "3-1"]
    }  # fmt: skip


@pytest.mark.parametrize("query", ["m=0.58,0.95;0.93,0.70&solved=1", "m=4,0,2,1;0,4,1,2;1,-1,3,0&x=1,2,3"])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(
    page: Page, address: str, query: str, themes: Iterator[str], barriers: Callable[[str], object]
) -> None:
    for theme in themes:
        page.goto(f"{address}#matrix-game?{query}")
        page.wait_for_selector("#gap strong")
        assert barriers(theme) == {}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@AT_A_DESK
def test_it_is_there_without_a_server(page: Page, tmp_path: Path) -> None:
    export.write(("roshambo_v0(rounds=1)",), (), tmp_path / "site")
    page.goto((tmp_path / "site" / "index.html").as_uri())
    page.click("text=make a small game of your own")
    expect(page.locator("#gap strong")).to_have_text("1/2 = 0.5")
    page.select_option("#classic", label="Paper wins three points")
    page.click("#solve")
    expect(page.locator(".solution table >> nth=0").locator("td:nth-child(2)")).to_have_text(["20 %", "20 %", "60 %"])
    assert page.title() == "Matrix game · nashzoo"


@AT_A_DESK
def test_an_address_of_no_page_is_told(page: Page, address: str) -> None:
    for wrong in ("matrix", "nonsense?game=footsies_v0"):
        page.goto(f"{address}#{wrong}")
        expect(page.locator("#error")).to_contain_text(f"There is no page “{wrong.split('?')[0]}”")
    page.click("nav .brand")
    expect(page.locator("#error")).to_be_hidden()
