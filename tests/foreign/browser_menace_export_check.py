"""MENACE without a server learns as the program: python -m pytest tests/foreign/browser_menace_export_check.py

The page has a generator of its own. With its numbers the program, as plain Python, plays the same games.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from nashzoo.agents.learning.menace import training
from nashzoo.agents.learning.menace.boxes import PRESETS, Boxes, Settings, load, write_json
from nashzoo.agents.learning.menace.training import Lessons, Training
from nashzoo.app.menace.measures import measure, rivals
from nashzoo.envs import tictactoe_v0
from sizes import AT_A_DESK

GAME = tictactoe_v0.game()
MOST_32_BITS = 2**32 - 1
PLAYED = (
    "least => Number(document.querySelector('#tallies').innerText"
    ".match(/in ([\\d,]+) game/)[1].replace(',', '')) >= least"
)
POINTS = {"won": 1, "drawn": 0, "lost": -1}

pytestmark = AT_A_DESK


def mulberry32(seed: int) -> Iterator[float]:
    """Yields the numbers of T. Ettinger's generator, by its definition with numbers of 32 bits."""
    state = seed & MOST_32_BITS
    while True:
        state = (state + 0x6D2B79F5) & MOST_32_BITS
        mixed = ((state ^ state >> 15) * (state | 1)) & MOST_32_BITS
        mixed ^= (mixed + (mixed ^ mixed >> 7) * (mixed | 61)) & MOST_32_BITS
        yield (mixed ^ mixed >> 14) / 2**32


def after(code: int, cell: int) -> int:
    return GAME.step(code, *((cell, 0) if GAME.turn(code) == 0 else (0, cell)))


class Double:
    """The program with the page's random numbers, step by step beside the page."""

    def __init__(self, page: Page, settings: Settings, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.page, self.boxes, self.numbers = page, Boxes(settings), mulberry32(seed)
        self.games, self.seen = 0, Counter[str]()
        monkeypatch.setattr(training, "draw_uniform", lambda seeds, i: next(self.numbers))
        as_python = getattr(training.play_and_learn, "py_func", training.play_and_learn)
        monkeypatch.setattr(training, "play_and_learn", as_python)

    def train(self, least: int, **lessons: Any) -> None:
        """Trains on the page, at least so many games, and here exactly as many."""
        for label, name in (("Against", "opponent"), ("MENACE plays", "side")):
            if name in lessons:
                self.page.locator(f"label:has-text('{label}') select").select_option(lessons[name])
        if "probability" in lessons:
            self.page.get_by_label("Best moves, %").fill(str(100 * lessons["probability"]))
        self.page.focus("#menace-speed")
        self.page.keyboard.press("End")
        self.page.keyboard.press("t")
        tallies = self.page.locator("#tallies div:has-text('of training') strong")
        self.page.wait_for_function(PLAYED, arg=self.games + least)
        self.page.keyboard.press("t")
        self.page.wait_for_timeout(200)  # until a part under way is over
        won, drawn, lost = (int(one.replace(",", "")) for one in re.findall(r"\d[\d,]*", tallies.inner_text()))
        taught = Training(self.boxes, Lessons(**lessons))
        taught.go_on_from(self.games, 0)
        games = taught.run(won + drawn + lost - self.games)
        self.games = taught.games
        self.seen.update({name: int((games.points == points).sum()) for name, points in POINTS.items()})
        self.seen["resigned"] += int(games.resigned.sum())
        assert {"won": won, "drawn": drawn, "lost": lost} == {name: self.seen[name] for name in POINTS}

    def play(self, seat: int) -> str:
        """Plays on the page, marks the first empty cell each time, and rewards the beads here; returns the result."""
        board = self.page.locator(".tray svg.matchbox")
        self.page.click(("#crosses", "#noughts")[seat])
        code, moves = GAME.start_codes[0], []
        while True:
            self.page.locator("[data-cell]:enabled, #told:has-text('MENACE has')").first.wait_for()
            shown = (board.get_attribute("aria-label") or "").removeprefix("The board: ").replace(" ", "")
            if GAME.turn(code) != seat and shown.replace("-", ".") != GAME.spell(code).removeprefix("board="):
                cell = next(k for k in GAME.legal_actions(code, 1 - seat) if shown[k] != "-")
                next(self.numbers)
                moves.append((int(code), cell))
                code = after(code, cell)
            told = self.page.inner_text("#told")
            if "MENACE has" in told:
                break
            mine = GAME.legal_actions(code, seat)[0]
            code = after(code, mine)
            self.page.click(f"[data-cell='{mine}']")
            expect(self.page.locator("#told")).not_to_have_text(told)
        result = re.search(r"MENACE has (\w+)", told)[1]  # type: ignore[index]
        assert "resigns" in told or POINTS[result] == GAME.payoff(code) * (2 * seat - 1)
        self.boxes.reward(moves, POINTS[result])
        return "resigned" if "resigns" in told else result

    def compare(self, folder: Path) -> None:
        """Compares the file that the page saves, and the exploitability that it shows."""
        with self.page.expect_download() as waiting:
            self.page.locator("#save").dispatch_event("click")
        waiting.value.save_as(folder / "boxes.json")
        saved = load(folder / "boxes.json")
        assert saved.settings == self.boxes.settings and np.array_equal(saved.beads, self.boxes.beads)
        seen = [one.split()[1:] for one in self.page.locator("#curve .key:has-text('as ')").all_inner_texts()]
        for (side, won), (_, lost) in zip(seen[: len(seen) // 2], seen[len(seen) // 2 :], strict=True):
            found = measure(self.boxes, (int(side == "noughts"),), {"random": rivals(1.0)["random"]})
            figure, wins = found["exploitability"], found["random"]["win"] - found["random"]["loss"]
            digits = max(2, math.ceil(-math.log10(figure))) if figure > 5e-5 else 0
            assert lost == (f"{figure:.{digits}f}".rstrip("0").rstrip(".") if digits else "0")
            assert float(won.replace("\N{MINUS SIGN}", "-")) == pytest.approx(wins, abs=5.1e-3)
        assert seen  # of the sides that have learned


def test_boxes_of_the_classroom(page: Page, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page.goto(f"{folder}#menace?seed=4000000001")
    page.wait_for_selector("#tallies strong")
    double = Double(page, PRESETS["classroom"], 4000000001, monkeypatch)
    double.compare(tmp_path)
    double.train(400, opponent="human", probability=0.7, side="crosses")
    double.compare(tmp_path)
    double.train(200, opponent="random", side="both")
    double.compare(tmp_path)
    for seat in (0, 1, 1, 0):
        double.seen[double.play(seat)] += 0
        double.compare(tmp_path)
    page.reload()  # goes on with the same boxes and the same numbers
    page.wait_for_selector("#tallies strong")
    double.train(200, opponent="self")
    double.compare(tmp_path)
    assert min(double.seen[name] for name in POINTS) > 50 and double.seen["resigned"] == 0


def test_boxes_of_michie_that_run_empty(
    page: Page, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.goto(f"{folder}#menace?preset=michie&seed=7")
    page.click("summary")
    page.get_by_label("Beads of a move at first").fill("2, 1, 1, 1")
    page.get_by_label("Seed").fill("11")
    page.click("#fill")
    expect(page).to_have_url(re.compile("seed=11&preset=michie&alpha=2,1,1,1$"))
    settings = Settings((2, 1, 1, 1), per="kind", beta=3, gamma=1, delta=1, floor=0)
    double = Double(page, settings, 11, monkeypatch)
    double.train(100, opponent="random", side="noughts")
    double.compare(tmp_path)
    double.train(100, opponent="perfect", side="noughts")
    double.compare(tmp_path)
    double.train(300, opponent="human", probability=0.25, side="both")
    double.compare(tmp_path)
    results = {double.play(seat) for seat in (0, 1, 0, 1, 0, 1)}
    double.compare(tmp_path)
    assert min(double.seen[name] for name in POINTS) > 20 and double.seen["resigned"] > 0 and results


def test_an_empty_first_box_resigns(page: Page, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page.goto(f"{folder}#menace?preset=michie&seed=5")
    page.click("summary")
    page.get_by_label("Beads of a move at first").fill("1")
    page.get_by_label("Seed").fill("0")
    page.click("#fill")
    expect(page).to_have_url(re.compile("seed=0&preset=michie&alpha=1$"))
    double = Double(page, Settings(1, per="kind", beta=3, gamma=1, delta=1, floor=0), 0, monkeypatch)
    double.train(100, opponent="perfect", side="crosses")
    assert double.boxes.beads[0].sum() == 0 and double.seen["resigned"] > 50
    assert double.play(1) == "resigned" and double.play(0) != "resigned"
    double.compare(tmp_path)


def test_files_are_those_of_the_command(page: Page, folder: str, tmp_path: Path) -> None:
    page.goto(f"{folder}#menace")
    page.wait_for_selector("#tallies strong")
    boxes = Boxes(PRESETS["michie"])
    Training(boxes, Lessons("random", side="both")).run(50)
    more = {"opponent": "\N{GREEK SMALL LETTER ALPHA}.json", "probability": 1.0, "state": 2**64 - 1, "least": 1e-05}
    write_json(tmp_path / "taught.json", boxes.as_json() | {"training": more})
    page.set_input_files("input[type=file]", str(tmp_path / "taught.json"))
    expect(page.get_by_label("Beads of a move at first")).to_have_value("4, 3, 2, 1")
    with page.expect_download() as waiting:
        page.locator("#save").dispatch_event("click")
    waiting.value.save_as(tmp_path / "boxes.json")
    assert np.array_equal(load(tmp_path / "boxes.json").beads, boxes.beads)
    text = (tmp_path / "taught.json").read_text()
    for wrong, message in (
        (text.replace('"beta": 3', '"beta": 2'), "the file is damaged"),
        (text.replace("1.0,", "1,"), "the file is damaged"),
        (text[:-9], "it is not JSON"),
        ("[1, 2]", "holds no boxes of this version of MENACE"),
    ):
        (tmp_path / "wrong.json").write_text(wrong)
        page.set_input_files("input[type=file]", str(tmp_path / "wrong.json"))
        expect(page.locator("#error")).to_contain_text(message)


@pytest.mark.parametrize(("more", "whence"), [("seed=3&gamma=9", "trained"), ("loaded=1&gamma=9", "loaded")])
def test_boxes_that_are_elsewhere_are_new_ones_with_a_sentence(page: Page, folder: str, more: str, whence: str) -> None:
    page.goto(f"{folder}#menace?id=gone&{more}")
    expect(page.locator("#error")).to_be_hidden()  # it would cover what can be pressed
    expect(page.locator("#told")).to_contain_text(
        f"The boxes of this address are not here: they stay where they were {whence}."
    )
    expect(page.get_by_label("Taken when lost")).to_have_value("9")
    expect(page.locator("#tallies")).to_contain_text("MENACE in 0 games")
