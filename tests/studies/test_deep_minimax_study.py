"""The page on deep minimax has a row for each game and seed of its study, and its code runs."""

import re
from pathlib import Path

from studies.deep_minimax import LESSONS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "deep_minimax.md").read_text()
ROW = re.compile(r"^\| ([^|]+) \| (deep_minimax|distilled) \| (\d) \| ([\d,]+) \|", re.MULTILINE)


def test_the_page_has_the_games_of_the_study() -> None:
    rows = ROW.findall(PAGE)
    for name, lesson in LESSONS.items():
        for learner in ["deep_minimax", *(["distilled"] if lesson.student else [])]:
            settings = lesson.settings if learner == "deep_minimax" else lesson.student
            assert settings is not None
            found = {
                int(seed): int(fitted.replace(",", ""))
                for game, by, seed, fitted in rows
                if (game, by) == (name, learner)
            }
            assert set(found) == {0, 1, 2}, (name, learner)
            assert all(fitted >= settings["total_timesteps"] for fitted in found.values())
