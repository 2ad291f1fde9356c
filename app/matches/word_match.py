"""A match in words: one seat or both are played by somebody who reads what a player reads, and names actions."""

from typing import Any

from nashzoo.arena.live_match import LiveMatch
from nashzoo.arena.records import FORFEITED, TRUNCATED
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import counted
from nashzoo.envs.text.answers import parse_action
from nashzoo.envs.text.wording import Wording

DIGITS = 9  # after the point, of figures


class WordMatch:
    """A match that goes on by itself until the reader chooses.

    Args:
        live: The match, in which the reader has the seats without a player.
        wording: The game, in its own words or in a disguise.
        skips: Whether the reader is not asked where a single action is legal.

    Attributes:
        seats: The reader's seats.
        asked: The seat whose answer is waited for; None when the match is over.
    """

    def __init__(self, live: LiveMatch, wording: Wording, skips: bool = False) -> None:
        self.live, self.game, self.wording, self.skips = live, live.game, wording, skips
        self.seats = [seat for seat, player in enumerate(live.players) if player is None]
        self.asked: int | None = None
        self._chosen: dict[int, int] = {}
        self._go_on()

    def turn(self) -> int:
        """Returns the seat that is asked.

        Raises:
            UsageError: the match is over.
        """
        if self.asked is None:
            raise UsageError("the match is over; begin another")
        return self.asked

    def named(self, answer: str) -> int:
        """Returns the action that an answer names.

        Raises:
            UsageError: the match is over.
            AnswerError: the answer names no legal action.
        """
        return parse_action(self.wording, self._legal(self.turn()), answer)

    def choose(self, action: int) -> None:
        """Plays an action for who is asked, and goes on to the reader's next choice or to the end.

        Raises:
            UsageError: the match is over.
        """
        self._chosen[self.turn()] = action
        self._go_on()

    def payoff(self, seat: int) -> float:
        """Returns the rewards of a seat so far, points."""
        return sign(seat) * self.live.points + 0.0  # no negative zero

    def result(self, seat: int) -> str:
        """Returns what a seat has won, in words."""
        lead = rounded(self.payoff(seat))
        if not lead:
            return "it is a draw"
        points = counted(self.points(seat) if self.game.constant_sum else abs(lead), "point")
        return f"you {'won' if lead > 0 else 'lost'} {'with ' if self.game.constant_sum else ''}{points}"

    def points(self, seat: int) -> float:
        """Returns the points of a seat at the end."""
        return rounded(self.game.points(self.payoff(seat)))

    def described(self, seat: int) -> dict[str, Any]:
        """Returns what happened since a seat's last choice, what it sees, its legal actions, and the result."""
        live, steps, over = self.live, self.live.trajectory.steps, self.live.ended is not None
        since = steps[max(live.last_choice(seat), 0) :]
        why = {TRUNCATED: ", as it was cut off", FORFEITED: f": {self.wording.renamed(live.reason)}"}
        result = f"The game is over{why.get(str(live.ended), '')}; {self.result(seat)}."
        return {
            "happened": [line for step in since for line in self.wording.step(step, seat)],
            "state": self.wording.state(live.trajectory.shown(len(steps)) if over else live.code, seat),
            "legal_actions": [] if over else [self.wording.actions[action] for action in self._legal(seat)],
            "result": result if over else None,
            "points": self.points(seat) if over else None,
        }

    def _legal(self, seat: int) -> tuple[int, ...]:
        return self.game.legal_actions(self.live.code, seat)

    def _go_on(self) -> None:
        live = self.live
        while live.ended is None:
            for seat in sorted(set(live.movers) - set(self._chosen), key=lambda seat: seat not in self.seats):
                legal = self._legal(seat)
                if seat in self.seats and not (self.skips and len(legal) == 1):
                    self.asked = seat
                    return
                self._chosen[seat] = legal[0] if seat in self.seats else live.ask(seat)
            actions, self._chosen = self._chosen, {}
            self._act(actions.get(0, 0), actions.get(1, 0))
        self.asked = None

    def _act(self, *actions: int) -> None:
        """Makes a time step."""
        self.live.act(*actions)


def sign(seat: int) -> int:
    """Returns 1 for player 0, whose points are counted, and -1 for player 1."""
    return 1 - 2 * seat


def rounded(figure: float) -> float:
    """Returns a figure without the rounding of its last digits, and 0 without a sign."""
    return round(figure, DIGITS) + 0.0
