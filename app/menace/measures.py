"""Exact exploitability and chances of MENACE's boxes: computed, not played."""

from typing import Any, cast

from nashzoo import agents
from nashzoo.agents.learning.menace.agent import MenaceAgent
from nashzoo.agents.learning.menace.boxes import Boxes
from nashzoo.agents.learning.menace.training import SELF, Lessons
from nashzoo.baselines import Policy, exploitability
from nashzoo.baselines.evaluation import outcomes
from nashzoo.envs import tictactoe_v0

SEATS = {"crosses": (0,), "noughts": (1,), "both": (0, 1)}


def rivals(probability: float) -> dict[str, Policy]:
    """Returns the opponents of the measures: the perfect player, the random one, and the human with a probability."""
    game = tictactoe_v0.game()
    human = agents.make("human", game, probability=probability)
    everyone = {name: agents.make(name, game) for name in ("perfect", "random")} | {f"human({probability:g})": human}
    return cast(dict[str, Policy], everyone)


def seats_of(lessons: Lessons) -> tuple[int, ...]:
    """Returns the seats that MENACE learned to play."""
    return SEATS["both" if lessons.opponent == SELF else lessons.side]


def measure(boxes: Boxes, seats: tuple[int, ...], against: dict[str, Policy]) -> dict[str, Any]:
    """Returns the exploitability of boxes and their chances against others, means over the seats.

    Returns:
        ``exploitability``, points per game, and for every rival the chances of ``win``, ``draw`` and ``loss``.
    """
    agent = MenaceAgent(tictactoe_v0.game(), boxes=boxes)
    figures: dict[str, Any] = {
        "exploitability": sum(exploitability(agent.game, agent, player=seat) for seat in seats) / len(seats)
    }
    for name, rival in against.items():
        ways = [
            outcomes(agent.game, agent, rival) if seat == 0 else outcomes(agent.game, rival, agent)[::-1]
            for seat in seats
        ]
        win, draw, loss = (sum(way[k] for way in ways) / len(ways) for k in range(3))
        figures[name] = {"win": win, "draw": draw, "loss": loss}
    return figures
