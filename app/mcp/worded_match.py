"""A match between the client of the tools and a player, in words."""

from typing import Any

from nashzoo.app.web.library import PERSON, Library
from nashzoo.app.web.matches import WebMatch
from nashzoo.arena.records import FORFEITED, TRUNCATED
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import counted
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.text.answers import parse_action
from nashzoo.envs.text.wording import Wording

DIGITS = 9  # after the point, of figures


class WordedMatch(WebMatch):
    """A match of which the client reads what happens and its legal actions, and names actions.

    Args:
        library: The source of the opponent.
        wording: The game, in its own words or in a disguise.
        source: The client's name of the game.
        opponent: The other player, with options; ``PERSON`` if nobody plays.
        seat: The seat of the client.
        seed: Seed of everything random.

    Raises:
        UsageError: there is no such opponent.
    """

    def __init__(
        self, library: Library, wording: Wording, source: str, opponent: str, seat: int = 0, seed: int = 0
    ) -> None:
        players = (PERSON, opponent) if seat == 0 else (opponent, PERSON)
        super().__init__(library, wording.game, source, players, seed)
        self.wording, self.seat, self.rival = wording, seat, opponent
        self._go_on()

    def play(self, answer: str) -> None:
        """Plays the action that an answer names, and then the opponent's, until the client chooses again.

        Raises:
            UsageError: the match is over, or the answer names no legal action.
        """
        self.check_goes_on()
        self.step({self.seat: parse_action(self.wording, self._legal(), answer)})
        self._go_on()

    def check_goes_on(self) -> None:
        """Checks that the match is not over.

        Raises:
            UsageError: it is.
        """
        if self.match.ended is not None:
            raise UsageError("the match is over; begin another")

    def described(self) -> dict[str, Any]:
        """Returns what happened since the client's last choice, what it sees, its legal actions, and the result."""
        match, steps = self.match, self.match.trajectory.steps
        over = match.ended is not None
        since = steps[max(match.last_choice(self.seat), 0) :]
        return {
            "happened": [line for step in since for line in self.wording.step(step, self.seat)],
            "state": self.wording.state(match.trajectory.shown(len(steps)) if over else match.code, self.seat),
            "legal_actions": [] if over else [self.wording.actions[action] for action in self._legal()],
            "result": self._result() if over else None,
            "points": self.own(match.points) if over else None,
        }

    def own(self, points: float) -> float:
        """Returns points of player 0 as the client's."""
        return rounded(-points if self.seat else points)

    def name(self, player: int) -> str:
        """Returns the name of a player."""
        return self.wording.renamed(self.game.view.PLAYERS[player])

    def mixture(self, agent: Agent, player: int) -> dict[str, float]:
        """Returns an agent's probabilities now in the place of a player, by the names of the actions."""
        shares = self.advice(agent, player)["probabilities"]
        return {self.wording.renamed(action): rounded(share) for action, share in shares.items()}

    def _legal(self) -> tuple[int, ...]:
        return self.game.legal_actions(self.match.code, self.seat)

    def _go_on(self) -> None:
        match = self.match
        while match.ended is None and all(match.players[player] is not None for player in match.movers):
            self.step({})

    def _result(self) -> str:
        points = self.own(self.match.points)
        what = f"you {'won' if points > 0 else 'lost'} {counted(abs(points), 'point')}" if points else "it is a draw"
        why = {TRUNCATED: ", as it was cut off", FORFEITED: f": {self.wording.renamed(self.match.reason)}"}
        return f"The match is over{why.get(str(self.match.ended), '')}; {what}."


def rounded(figure: float) -> float:
    """Returns a figure without the rounding of its last digits, and 0 without a sign."""
    return round(figure, DIGITS) + 0.0
