"""Decisions locked in Chromium: python -m pytest tests/foreign/browser_locks_check.py"""

from collections.abc import Callable, Iterator

from playwright.sync_api import Page, expect

from nashzoo.envs import footsies_v0, make_game

GAME = "roshambo_v0(rounds=1)"


def test_a_lock_changes_the_rest_and_is_released(page: Page, address: str) -> None:
    page.goto(f"{address}#explore?game={GAME}")
    page.wait_for_selector("#value")
    page.click("text=Lock a decision")
    form = page.locator("#locks form:has-text('Lock blue')")
    for name, share in (("Rock", "50"), ("Paper", "50"), ("Scissors", "0")):
        form.get_by_label(name).fill(share)
    expect(form).not_to_contain_text("add to")
    form.get_by_label("Paper").fill("70")
    expect(form).to_contain_text("These add to 120 %: scaled to 41.7 %, 58.3 % and 0 %")
    form.get_by_label("Paper").fill("50")
    form.get_by_label("Scissors").focus()
    page.keyboard.press("Enter")  # from the last field
    expect(page.locator("#locked")).to_have_text("+0.5")
    expect(page.locator("#locked")).to_be_in_viewport()
    expect(page.locator("#locks li")).to_contain_text("Blue: Rock 50 %, Paper 50 %")
    expect(page.get_by_role("rowheader", name="Paper")).to_contain_text("100 %")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.reload()  # the address has the locks
    expect(page.locator("#locked")).to_have_text("+0.5")
    red = page.locator("#locks form:has-text('Lock red')")
    expect(red).to_contain_text("Only one player can be locked. Locking red releases blue.")
    red.get_by_label("Rock").fill("100")
    red.get_by_label("Paper").fill("0")
    red.get_by_role("button").click()
    expect(page.locator("#locked")).to_have_text("\N{MINUS SIGN}1")
    expect(page.locator("#changes li")).to_contain_text("Blue: Paper 100 % (before 33.3 %)")
    expect(page.locator("caption")).to_contain_text("Red is locked: no costs.")
    expect(page.locator("#locks li")).not_to_contain_text("add to")
    page.click("text=Release")
    expect(page.locator("#locks li")).to_have_count(0)
    expect(page.locator("#value")).to_have_text("0")
    expect(page.locator("#locked")).to_have_count(0)


def test_it_says_what_changes_and_goes_there(page: Page, address: str) -> None:
    game = make_game("nashzoo.examples.kuhn")
    lock = game.information_state(game.code(dealt=1, card1=1, moves=1), 1)
    page.goto(f"{address}#explore?game=nashzoo.examples.kuhn&locks=1,{lock},80,80")
    expect(page.locator("#locks li")).to_contain_text("Blue: Check 50 %, Bet 1 50 %, only if blue's card is 1")
    expect(page.locator("#locks li")).to_contain_text("These add to 160 %: scaled to 50 % and 50 %")
    page.goto(f"{address}#explore?game=nashzoo.examples.kuhn&locks=1,{lock},200,100")
    expect(page.locator("#changes")).to_have_text("No other choice has to change.")  # as perfect play does
    page.goto(f"{address}#explore?game=nashzoo.examples.kuhn&locks=1,{lock},100,0")
    expect(page.locator("#changes")).to_contain_text(
        "Red: Fold 100 % (before 66.7 %)red: card 2 / blue: card ? / checked, bet"
    )
    expect(page.locator("section[data-code]")).to_contain_text("With perfect play elsewhere, the lock costs blue ")
    expect(page.locator("#locks")).to_contain_text("Nobody chooses here.")  # before the deal
    expect(page.locator("#locks form")).to_have_count(0)
    page.click("#changes button:has-text('Fold')")
    expect(page.locator(".score")).to_have_text("what red sees")
    expect(page.locator("table:has-text('Perfect play for red') tr:has-text('Fold')")).to_contain_text("100 %")
    expect(page.locator("#changes button:has-text('Fold')")).to_have_count(1)  # it stays
    expect(page.locator(".side")).to_contain_text("Costs are not shown with locks.")


def test_it_has_no_barriers(page: Page, address: str, themes: Iterator[str], barriers: Callable[[str], object]) -> None:
    for theme in themes:
        start = footsies_v0.game().start_codes[0]
        page.goto(f"{address}#explore?game=footsies_v0&locks=1,{start},100,0,0,0")
        page.wait_for_selector("#locks li")
        page.wait_for_load_state("networkidle")
        assert barriers(theme) == {}


def test_pages_without_a_server_have_no_locks(page: Page, folder: str) -> None:
    page.goto(f"{folder}#explore?game=footsies_v0&locks=1,{footsies_v0.game().start_codes[0]},1,0,0,0")
    page.wait_for_selector("#value")
    assert page.locator("#locks").count() == 0
