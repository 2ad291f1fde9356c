"""Players with options in their names."""

from pathlib import Path
from typing import Any

import pytest

from nashzoo import agents
from nashzoo.agents.loading import fingerprint, located, short_name
from nashzoo.agents.notation import split_options
from nashzoo.envs import footsies_v0, roshambo_v0
from nashzoo.envs.base.errors import UsageError, UsageTypeError


@pytest.mark.parametrize(
    ("player", "parts"),
    [
        ("mcts", ("mcts", {})),
        ("mcts()", ("mcts", {})),
        (" mcts( simulations=10,exploration=1.5 ) ", ("mcts", {"simulations": 10, "exploration": 1.5})),
        ("bots(1).py(cpu_seconds=2)", ("bots(1).py", {"cpu_seconds": 2})),
        ("bots (copy).zip", ("bots (copy).zip", {})),
        ("p(a=[[0,1],[2,3]], b=x(y,z))", ("p", {"a": [[0, 1], [2, 3]], "b": "x(y,z)"})),
        ("openspiel:kuhn_poker(players=2)", ("openspiel:kuhn_poker", {"players": 2})),
        ("odd)", ("odd)", {})),
        ("bayesian(ties='seen', x=\"a b\")", ("bayesian", {"ties": "seen", "x": "a b"})),
    ],
)
def test_names_are_split(player: str, parts: tuple[str, dict[str, Any]]) -> None:
    assert split_options(player) == parts


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("mcts(simulations=5", r"'mcts\(simulations=5' lacks a bracket; options are written as in mcts"),
        ("mcts(10)", r"'mcts\(10\)': '10' should have the form name=value; options are written as in mcts\(simul"),
        ("mcts(simulations=10,)", "'' should have the form name=value"),
        ("mcts(simulations=10, simulations=20)", "simulations is given twice"),
        ("mcts(seed=3)", r"seed is given already; it cannot stand in mcts\(...\) too"),
        ("nash(depth=3)", "nash has no option depth"),
    ],
)
def test_wrong_options_are_refused(player: str, message: str) -> None:
    with pytest.raises((UsageError, TypeError), match=message):
        agents.as_agent(player, footsies_v0.game())


def test_options_reach_the_player() -> None:
    game = footsies_v0.game()
    written: Any = agents.as_agent("bayesian(alpha=5)", game)
    assert written.alpha == 5
    with pytest.raises(UsageError, match="alpha is given already"):
        agents.as_agent("bayesian(alpha=5)", game, alpha=6)


def test_files_take_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rock.py").write_text("output = 'R'\n")
    name = "rock.py(cpu_seconds=7)"
    assert located(name) == f"{tmp_path.resolve()}/{name}" and short_name(name) == "rock(cpu_seconds=7)"
    assert fingerprint(name).startswith(f"{name}#")
    for wrong, message in (
        ("rock.py(seconds=7)", r"rock\.py has no option seconds; it has "),
        ("model.zip(x=1)", r"model\.zip has no option x; it has deterministic"),
        ("model.zip(deterministic=2)", r"deterministic of model\.zip must be True or False, not 2"),
    ):
        with pytest.raises(UsageTypeError, match=message):
            agents.as_agent(wrong, roshambo_v0.game())
    agents.as_agent(name, roshambo_v0.game())
