"""What the review says of a match, and the score: python -m pytest tests/foreign/browser_verdict_check.py"""

import re
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, expect

from nashzoo.envs import tictactoe_v0
from sizes import AT_A_DESK
from studies.web_server import play_out

ROSHAMBO = "roshambo_v0(rounds=20)"


def throw(page: Page, keys: str, times: int, played: int = 0) -> None:
    for number in range(played, played + times):
        page.wait_for_selector("[data-action]")
        page.keyboard.press(keys[number % len(keys)])
        expect(page.locator("ol.log li")).to_have_count(number + 1)
    page.wait_for_selector("#share" if times == 20 else "[data-action]")


def heights(page: Page) -> set[str]:
    points = page.locator("svg.spark polyline").get_attribute("points") or ""
    return {point.split(",")[1] for point in points.split()}


@AT_A_DESK
def test_the_curve_falls_where_the_mistake_was_made(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=footsies_v0&p1=random&seed=17")
    for number, place in enumerate((1, 0, 3, 2, 0, 1, 0), 1):  # an Attack costs 1/3 of a point where the mix has none
        page.locator("[data-action]").nth(place).click()
        expect(page.locator("ol.log li")).to_have_count(number)
    expect(page.locator(".curve small.mark")).to_have_text("\N{MINUS SIGN}0.33")
    falls = page.locator("svg.spark line.mark").evaluate_all(
        "all => all.map((one) => one.y2.baseVal.value - one.y1.baseVal.value)"
    )
    assert falls == pytest.approx([36 / 3] * 3, abs=0.01)  # of the picture's 36, in which 1 point is lost
    told, *red = (one.bounding_box() for one in page.locator(".curve small.mark, svg.spark line.mark").all())
    ends = [(box["x"] - 40, box["x"] + box["width"] + 40) for box in red if box]
    assert told and any(left < told["x"] + told["width"] / 2 < right for left, right in ends)  # beside one of them
    equal = page.locator("#review tr.worst td:nth-child(4)")
    expect(equal).to_have_text(["0.33"] * 3)  # all alike


@AT_A_DESK
@pytest.mark.parametrize("served", [True, False])
def test_exploitable_play_is_not_called_perfect(page: Page, address: str, folder: str, served: bool) -> None:
    page.goto(f"{address if served else folder}#play?game={ROSHAMBO}&p1=constant")
    throw(page, "1", 20)  # Rock, against Rock always
    review = page.locator("#review")
    expect(review.locator("h2").first).to_have_text("20 of 20 choices were Rock: easy to read.")
    expect(review).to_contain_text(
        "An opponent who knew your mix would play Paper and win 1 point more per choice than from perfect play."
    )
    expect(review).to_contain_text(
        "The one with one idea played Rock 20. If it keeps that mix, Paper wins 1 point per choice."
    )
    assert review.inner_text().count("An opponent who knew") == 1  # nothing is said twice
    expect(review).not_to_contain_text("by mistakes")
    expect(review).not_to_contain_text(re.compile("perfectly|luck|against perfect play"))
    assert page.locator("svg.spark").count() == 0  # it would be flat
    expect(review.locator("details")).to_have_count(0)  # rows of zero are not listed
    expect(review.locator(".mixture")).to_contain_text("Counted: your 20 choices. ")
    match = page.url
    if served:  # without a server there is no practice of weaknesses
        page.click("text=Practise this mix")
        expect(page.locator("#told")).to_contain_text("Choose 6 times. How often you choose each counts")
        expect(page.locator("nav [aria-current]")).to_have_text("Play")
        for key in "112332":
            page.keyboard.press(key)
        expect(page.locator("#told")).to_have_text("✓ Correct: your mix is perfect.")
        expect(page.locator("#more")).to_have_text("Play against the one with one idea")  # as in the match
        start = page.locator("img.board").get_attribute("data-code")
        assert start != parse_qs(page.url.partition("?")[2])["code"][0]  # the last throws tell nothing
        page.click("#next:text-is('Back to the match')")
        assert page.url == match
    page.click("#share")
    expect(page.locator("ol.log li")).to_have_count(20)  # the same match, from its address alone
    expect(page.locator(".score")).to_contain_text("A person (red) against ")
    expect(review).to_contain_text("What red was told“20 of 20 choices were Rock: easy to read.")


@AT_A_DESK
@pytest.mark.parametrize("served", [True, False])
def test_an_order_that_one_can_foresee_is_told(page: Page, address: str, folder: str, served: bool) -> None:
    page.goto(f"{address if served else folder}#play?game={ROSHAMBO}&p1=constant")
    throw(page, "123", 20)  # one after the other
    review = page.locator("#review")
    expect(review.locator("h2").first).to_have_text("After your own Rock you played Paper 7 of 7 times: easy to read.")
    expect(review.locator(".mixture")).to_contain_text(
        "After your own Scissors you play Rock: 6 of 6. Best answer: Paper"
    )
    if served:  # without a server there is no practice of weaknesses
        page.goto(f"{address}#weaknesses?game={ROSHAMBO}&own=1")
        expect(page.locator(".states h2")).to_have_text("After your own Rock you play Paper: 7 of 7")
        expect(page.locator(".states")).to_contain_text("Together 19 points per game.")


@pytest.mark.parametrize("served", [True, False])
def test_recent_throws_and_the_own_habit_are_seen_while_one_plays(
    page: Page, address: str, folder: str, served: bool
) -> None:
    page.goto(f"{address if served else folder}#play?game={ROSHAMBO}&p1=constant")
    throw(page, "13", 6)  # Rock and Scissors, against Rock always
    expect(page.locator(".score")).to_have_text("You 0 : 0 The one with one idea this game \N{MINUS SIGN}3")
    expect(page.locator(".recent tr")).to_have_count(2)
    expect(page.locator(".recent .icon")).to_have_count(12)
    expect(page.locator(".recent tr:last-child .lit")).to_have_count(3)  # Scissors lose
    habit = page.locator(".mixture")
    expect(habit.locator("h2")).to_have_text("You have no clear habit")
    expect(habit.locator("tr")).to_have_count(3)
    expect(habit).to_contain_text("A perfect player is this uneven in 38 of 100 cases: no habit seen.")
    expect(habit).to_contain_text("your 6 choices")
    throw(page, "1", 13, played=6)
    expect(habit.locator("h2")).to_have_text("You favour Rock: 84.2 % (even would be 33.3 %)")
    expect(habit).to_contain_text(
        "An opponent who knows this plays Paper and wins 0.68 points more per choice than from perfect play."
    )
    expect(page.locator(".recent .icon")).to_have_count(20)  # the last ten of each, which are not made smaller
    heights = page.locator(".recent svg").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    assert min(heights) >= 24  # pixels
    assert page.locator(".recent").evaluate("panel => panel.scrollWidth <= panel.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@AT_A_DESK
@pytest.mark.parametrize("served", [True, False])
def test_where_nothing_is_mixed_perfect_play_is_called_so(page: Page, address: str, folder: str, served: bool) -> None:
    page.goto(f"{address if served else folder}#play?game=tictactoe_v0&p1=perfect&truth=1")
    while not page.locator("#share").count():
        page.wait_for_selector("section[data-code] table, section[data-code] p")
        played = page.locator("ol.log li").count()
        page.wait_for_selector("[data-action] small:text-is('✓')")
        page.locator("[data-action]:has(small:text-is('✓'))").first.click()
        page.wait_for_function("n => document.querySelectorAll('ol.log li').length > n", arg=played)
        page.wait_for_selector("#share, [data-action] small")
    expect(page.locator("#review")).to_contain_text("No mistake against perfect play, and you drew.")
    expect(page.locator("#review")).not_to_contain_text("by mistakes")


@AT_A_DESK
@pytest.mark.parametrize("served", [True, False])
def test_a_retry_is_outside_the_score_and_counts_moves_from_the_start(
    page: Page, address: str, folder: str, served: bool
) -> None:
    page.goto(f"{address if served else folder}#play?game=tictactoe_v0&p1=perfect&seed=4")
    play_out(page, -1)
    expect(page.locator(".score b")).to_have_text("0 : 1")
    told, wrong = page.inner_text("#review h2 >> nth=0"), page.inner_text("#review .marks .wrong")
    right = page.inner_text("#review .marks .right")
    (number,) = re.findall(r"in move (\d)", told)
    page.click("#mistake")
    expect(page.locator(".score")).to_have_text("A retry: it does not count")
    expect(page.locator("#told")).to_have_text(f"Better than {wrong}?You are crosses. It is move {number}. Your move.")
    expect(page.locator(".side")).to_contain_text(f"Find a better move than {wrong}.")
    expect(page.locator(".onward > *")).to_have_text(["Show the answer", "Back to the review"])
    page.click(f"[aria-label='{wrong}']")
    expect(page.locator("#told")).to_contain_text(f"Wrong: {wrong} costs 1 point.")
    expect(page.locator("#told")).not_to_contain_text("won")  # which would read as a lost game
    expect(page.locator("ol.log")).to_have_attribute("start", number)
    expect(page.locator(".side")).to_contain_text(f"What happened from move {number} on")
    expect(page.locator("#review, .right")).to_have_count(0)  # what is better is not told yet
    expect(page.locator(".stage .mark.wrong.chosen")).to_have_count(1)
    expect(page.locator(".onward > *")).to_have_text(["Try again", "Show the answer", "Back to the review"])
    page.click(".primary:text-is('Try again')")
    expect(page.locator("#told")).to_contain_text(f"Better than {wrong}?")
    page.click("button:text-is('Show the answer')")
    expect(page.locator("#told")).to_contain_text(f"Better than {wrong}? Best: {right}.")
    expect(page.locator(".stage button:has(small:text-is('✓'))")).to_have_attribute("aria-label", right)
    page.click(f"[aria-label='{right}']")
    expect(page.locator("#told")).to_contain_text(f"Right: {right} costs nothing.")
    expect(page.locator(".onward > *")).to_have_text(["Play on", "Back to the review"])
    expect(page.locator("[data-action]")).to_have_count(0)  # a second move would not be what is judged
    page.click("text=Play on")
    expect(page.locator("[data-action]").first).to_be_visible()
    expect(page.locator("#told")).not_to_contain_text("Right")
    page.click("text=Back to the review")
    expect(page.locator("#review h2").first).to_have_text(told)
    expect(page.locator("#review")).to_be_in_viewport()
    page.click("button:text-is('Next game')")
    expect(page.locator(".score b")).to_have_text("0 : 1")
    expect(page.locator(".score > small")).to_have_text("first to 2")


@AT_A_DESK
def test_a_match_that_is_taken_back_counts_by_its_last_end(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=roshambo_v0(rounds=1)&p1=constant")
    score = page.locator(".score b")
    for key, counted in (("2", "1 : 0"), ("3", "0 : 1"), ("1", "0 : 0"), ("2", "1 : 0")):  # won, lost, drawn, won
        page.wait_for_selector("[data-action]")
        page.keyboard.press(key)
        page.wait_for_selector("#share")
        expect(score).to_have_text(counted)
        page.keyboard.press("u")
        expect(score).to_have_text("0 : 0")
    assert page.locator(".score small").inner_text() == " first to 2"


CUT_WORDS = """() => {
    const [mark, ...links] = [...document.querySelectorAll("nav a")].map((one) => one.getBoundingClientRect());
    return links.filter((one) => one.left < mark.right - 1 && one.right > mark.right + 1).length;
}"""


@pytest.mark.parametrize("served", [True, False])
def test_all_views_are_reached_and_the_current_one_is_seen(page: Page, address: str, folder: str, served: bool) -> None:
    page.goto(address if served else folder)
    page.wait_for_selector(".cards")
    views = page.locator("nav a[data-view]").evaluate_all("all => all.map((one) => one.dataset.view)")
    assert len(views) >= 5
    for view in (*views, *reversed(views)):
        if (menu := page.locator("#menu")).is_visible():
            menu.click()
        page.click(f"nav [data-view={view}]")
        expect(page.locator(f"nav [data-view={view}]")).to_have_attribute("aria-current", "page")
        page.wait_for_timeout(200)
        nav, here = page.locator("nav").bounding_box(), page.locator("nav [aria-current]").bounding_box()
        assert nav and here and nav["x"] <= here["x"] and here["x"] + here["width"] <= nav["x"] + nav["width"], view
        assert page.evaluate(CUT_WORDS) == 0, view


@AT_A_DESK
def test_a_card_says_the_parameters_of_its_game(page: Page, folder: str) -> None:
    page.goto(folder)
    expect(page.locator(".cards small")).to_have_text(["(rounds 20)", "(target 5)", "(cards 3)"])


@AT_A_DESK
def test_moves_that_are_all_as_good_are_one_sentence(page: Page, address: str) -> None:
    page.goto(f"{address}#play?game=tictactoe_v0&p1=perfect&truth=1")
    solution = page.locator("section[data-code]")
    expect(solution).to_contain_text("All your moves are equally good.")
    expect(solution).to_contain_text("Solved exactly")
    assert page.locator("section[data-code] table").count() == 0
    shares = page.locator("[data-action]").evaluate_all("all => all.map(one => one.style.getPropertyValue('--share'))")
    assert shares == ["0"] * 9
    page.goto(f"{address}#play?game=tictactoe_v0&p0=nash&p1=human%20player&seed=2&truth=1")
    expect(page.locator("section[data-code] table")).to_have_count(1)  # nash began in a corner; only the centre draws
    expect(page.locator("section[data-code] caption")).to_have_text("Perfect play for you; ✓ is best")
    fork = tictactoe_v0.game().code(board="x.x.o.o.x")  # crosses threaten 1 and 5
    page.goto(f"{address}#play?game=tictactoe_v0&p0=perfect&p1=human%20player&player=1&start={fork}&truth=1")
    expect(solution).to_contain_text("All your moves lose equally soon.")
    three = tictactoe_v0.game().code(board="x.xo....o")
    page.goto(f"{address}#play?game=tictactoe_v0&p1=perfect&start={three}&truth=1")
    expect(solution).to_contain_text("you win in 1 move")
    expect(solution.locator("tr:has-text('slower')")).to_have_count(2)  # two moves win in 3


@AT_A_DESK
@pytest.mark.parametrize(
    ("certificate", "told"),
    [
        (0, "Solved exactly, without any error."),
        (6.0e-13, "Solved exactly; the error is below 10⁻¹² points, proven."),
        (1e-12, "Solved exactly; the error is below 10⁻¹¹ points, proven."),
        (9.99e-10, "Solved exactly; the error is below 10⁻⁹ points, proven."),
        (0.02, "Solved; the error is below 10⁻¹ points, proven."),
    ],
)
def test_no_more_is_claimed_than_is_proven(page: Page, address: str, certificate: float, told: str) -> None:
    page.goto(address)
    assert page.evaluate("async (x) => (await import('/truth.js')).proven(x)", certificate) == told


@AT_A_DESK
def test_keys_try_once_more_in_practice(page: Page, address: str) -> None:
    page.goto(f"{address}#practise?game=footsies_v0&player=counter")
    for number, key in enumerate("2342", 1):
        page.wait_for_selector("[data-action] svg")
        page.keyboard.press(key)
        expect(page.locator("#told")).to_contain_text(f"{number} of 6 chosen")


@AT_A_DESK
def test_one_is_singular(page: Page, address: str) -> None:
    page.goto(f"{address}#weaknesses?game=roshambo_v0(rounds=1)&player=constant")
    expect(page.locator("[role=status]")).to_have_text(
        "Loses 1 point per game to an opponent who knows how it plays (exact)."
    )
    expect(page.locator(".states")).to_contain_text("Costs 1 point per game.")
