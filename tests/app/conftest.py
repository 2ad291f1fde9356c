"""On a slow machine commands and servers are as patient as it takes; tests of time limits set their own."""

from collections.abc import Iterator

import pytest

from processes import PATIENCE


@pytest.fixture(scope="session", autouse=True)
def slow_machine() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nashzoo.app.training.evaluator.LEAST_SECONDS", PATIENCE)
        patch.setattr("nashzoo.app.web.routes.LONGEST_ANSWER", PATIENCE)
        patch.setattr("nashzoo.app.web.matches.PATIENCE", PATIENCE)
        patch.setattr("nashzoo.app.web.solver.Solver.__init__.__defaults__", (PATIENCE, PATIENCE))
        patch.setattr("nashzoo.app.mcp.tools.Tools.__init__.__defaults__", (PATIENCE,))
        yield
