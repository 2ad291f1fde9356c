"""The page on deep minimax has rows for what its study learns, with as many fitted states as the study has."""

import re
from pathlib import Path

from studies.deep_minimax import LESSONS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "deep_minimax.md").read_text()
ROW = re.compile(r"^\| ([^|]+) \| (deep_minimax|distilled) \| (\d) \| ([\d,]+) \|", re.MULTILINE)


def test_the_page_has_what_the_study_learns() -> None:
    rows = [(game, by, int(fitted.replace(",", ""))) for game, by, _, fitted in ROW.findall(PAGE)]
    for name, lesson in LESSONS.items():
        for learner, settings in (("deep_minimax", lesson.settings), ("distilled", lesson.student)):
            if settings is not None:
                found = [fitted for game, by, fitted in rows if (game, by) == (name, learner)]
                assert found and min(found) >= settings["total_timesteps"], (name, learner)
    assert {game for game, _, _ in rows} == set(LESSONS)
