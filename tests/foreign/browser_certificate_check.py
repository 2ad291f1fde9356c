"""Certificates checked by the page, as by the program: python -m pytest tests/foreign/browser_certificate_check.py"""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import certificates
from nashzoo.baselines import solve
from nashzoo.baselines.certificate_file import write_certificate
from nashzoo.envs import footsies_v0, make_game
from sizes import AT_A_DESK

# Whether the page accepts texts, without a look at their hashes.
PROVE = """async (texts) => {
    const { proved } = await import('/certificate.js');
    return texts.map((text) => { try { proved(text); return true; } catch { return false; } });
}"""
HASHED = ("another name", "cut", "without its checksum")  # kinds of changes that show in the hash alone


@pytest.mark.parametrize("served", [True, False])
def test_a_certificate_to_try_is_there_and_a_false_one(page: Page, address: str, folder: str, served: bool) -> None:
    page.goto(f"{address if served else folder}#certificate")
    page.click("#sample")
    # Source: Kuhn (1950).
    expect(page.get_by_role("status")).to_contain_text("Kuhn poker is worth exactly \N{MINUS SIGN}1/18 points")
    page.click("text=What is in it")
    expect(page.get_by_role("row", name="second player card 3; checked bet")).to_be_visible()
    cards = [int(row.split("card ")[1][0]) for row in page.locator("tbody tr").all_inner_texts()]
    assert cards == [1, 2, 3] * 4
    page.click("#false")
    expect(page.get_by_role("status")).to_have_text(
        "✗ Not proven: it claims 0, but the first player's strategy guarantees only \N{MINUS SIGN}1/18."
    )


def test_files_are_checked_without_a_server(page: Page, folder: str, tmp_path: Path) -> None:
    write_certificate(solve(make_game("nashzoo.examples.kuhn")), right := tmp_path / "right")
    page.goto(f"{folder}#lobby")
    page.click("text=check the proof of a solution")
    page.set_input_files("input[type=file]", right)
    expect(page.get_by_role("status")).to_have_text(
        "✓ Proven: kuhn_v0 is worth exactly \N{MINUS SIGN}1/18 points to the first player."
    )
    write_certificate(solve(footsies_v0.game()), right)
    page.set_input_files("input[type=file]", [])
    page.set_input_files("input[type=file]", right)
    expect(page.get_by_role("status")).to_have_text(
        "✓ Proven: footsies_v0 is worth 0 points to the first player, to 9 digits after the point."
    )
    (tmp_path / "wrong").write_bytes(right.read_bytes().replace(b"footsies_v0", b"footsies_v1"))
    page.set_input_files("input[type=file]", tmp_path / "wrong")
    expect(page.get_by_role("status")).to_have_text("✗ Not proven: the file is damaged, or not whole.")


@AT_A_DESK
@pytest.mark.parametrize(
    ("name", "options"),
    [("roshambo_v0", {"rounds": 2}), ("nashzoo.examples.kuhn", {}), ("nashzoo.examples.pig", {"target": 10})],
)
def test_what_the_program_refuses_the_page_refuses(
    page: Page, address: str, name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    write_certificate(solve(make_game(name, **options)), tmp_path / "file")
    changed = {
        kind: content.decode("utf-8", "replace")
        for kind, content in certificates.mutants(certificates.lines_of(tmp_path / "file"))
        if kind not in HASHED
    }
    page.goto(f"{address}#certificate")
    assert page.evaluate(PROVE, [(tmp_path / "file").read_text()]) == [True]
    accepted = page.evaluate(PROVE, list(changed.values()))
    assert [kind for kind, is_accepted in zip(changed, accepted, strict=True) if is_accepted] == []
