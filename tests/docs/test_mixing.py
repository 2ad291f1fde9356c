"""The example that asks a model how it mixes: of a stand-in whose policy is known, it measures what is known."""

from pathlib import Path

import pytest
from PIL import Image

from chat_server import DIGITS, serving
from examples import mixing
from nashzoo.baselines import exploitability, solve
from stand_in import speaking, stand_in

ROUNDED = 10.0**-DIGITS * 100  # points: a hundred times the rounding of the log-probabilities
SEED = 4
QUESTIONS = 2 * (2 + 2 + 9)  # both wordings; both seats of the matrices, the nine states of Footsies

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.slow
def test_what_is_measured_of_the_stand_in_is_known(tmp_path: Path) -> None:
    replies, picture = tmp_path / "replies.jsonl", tmp_path / "mixing.png"
    with serving(speaking(mixing.GAMES.values(), SEED)) as server:
        for asked in (QUESTIONS, QUESTIONS):  # a second time nothing is asked
            measured = mixing.main("stand-in", server.url, disguise=SEED, replies=str(replies), out=str(picture))
            assert len(server.asked) == asked == len(replies.read_text().splitlines())
    for name, game in mixing.GAMES.items():
        policies = stand_in(game)
        assert measured[name][mixing.PLAIN] == pytest.approx(exploitability(game, policies.plain), abs=ROUNDED)
        assert measured[name][mixing.DISGUISED] == pytest.approx(exploitability(game, policies.disguised), abs=ROUNDED)
        assert measured[name][mixing.EQUILIBRIUM] < ROUNDED < measured[name][mixing.UNIFORM]
    with Image.open(picture) as image:
        assert image.width > 1000


@pytest.mark.slow
def test_frequencies_of_answers_take_as_many_questions_as_answers(tmp_path: Path) -> None:
    with serving(speaking(mixing.GAMES.values(), 1)) as server:
        mixing.main(
            "stand-in", server.url, mode="samples", n=2, replies=str(tmp_path / "replies"), out=str(tmp_path / "a.png")
        )
        assert len(server.asked) == 2 * QUESTIONS


def test_perfect_players_mix_against_the_stakes() -> None:
    """What pays most is played least: each action brings the same against 1/3, 2/3, and against 1/6, 1/2, 1/3."""
    for game, mixture in ((mixing.PENNIES, [1 / 3, 2 / 3]), (mixing.ROSHAMBO, [1 / 6, 1 / 2, 1 / 3])):
        assert solve(game).strategies(game.start_codes)[0][0] == pytest.approx(mixture)


def test_the_page_names_the_numbers_of_questions() -> None:
    page = " ".join((DOCS / "mixing.md").read_text().split())
    assert f"{QUESTIONS} questions" in page and f"{16 * QUESTIONS} questions" in page and "images/mixing.png" in page
