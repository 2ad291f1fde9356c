"""Matches in words: one seat or both are played by somebody who reads what a player reads, and answers in words.

Every environment for language models plays by this loop. An answer that names no legal action is corrected once; if the
next one is wrong as well, the match is forfeited. A choice of a single legal action is not asked for.
"""

import copy
from functools import cached_property
from typing import Any

import numpy as np

from nashzoo.agents.loading import as_agent
from nashzoo.arena.live_match import LiveMatch
from nashzoo.arena.luck import ValuedStates, luck_of, solved
from nashzoo.baselines.choices import choice_at
from nashzoo.baselines.store import solution_of
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.core.agent import NO_ACTION
from nashzoo.envs.core.checks import check_one_of
from nashzoo.envs.core.game import Game
from nashzoo.envs.registry import make_game
from nashzoo.envs.text.answers import AnswerError, parse_action
from nashzoo.envs.text.prompts import Prompts

SELF = "self"  # in the place of an opponent: the reader plays both seats
REWARDS = ("regret", "payoff", "luck_free")


class Matches:
    """Matches of one game in words, all with the same opponent and the same reward.

    The rewards, in points:

    - ``"regret"``: minus the sum of the regrets of the reader's actions, see :class:`nashzoo.baselines.choices.Choice`.
      A forfeit costs what it loses against the value of the state, and no less than the worst legal action. Every
      equilibrium has 0, whatever the opponent does.
    - ``"payoff"``: what the reader won.
    - ``"luck_free"``: the same less the luck, see :mod:`nashzoo.arena.luck`, with the same expectation.

    Args:
        game: A game, or its name.
        opponent: The other player, see :func:`nashzoo.agents.as_agent`; or ``"self"``: the reader plays both seats.
        reward: One of the rewards.
        prompt: The form of what the reader reads, see :class:`nashzoo.envs.text.prompts.Prompts`.
        disguise: The seed of a disguise, see there.
        **parameters: Parameters of a game given by name.

    Raises:
        UsageError: there is no such game or opponent, or an option has a value it cannot have.
        UsageTypeError: the game has no such parameter.
    """

    def __init__(
        self,
        game: str | Game,
        opponent: Any = "nash",
        reward: str = "regret",
        prompt: str = "text",
        disguise: int | None = None,
        **parameters: Any,
    ) -> None:
        if isinstance(game, Game) and parameters:
            raise UsageTypeError(f"{game} has its parameters already; unexpected {', '.join(sorted(parameters))}")
        self.game = game if isinstance(game, Game) else make_game(game, **parameters)
        self.reward = check_one_of("reward", reward, REWARDS)
        self.prompts = Prompts(self.game, prompt, disguise)
        self.solution = solution_of(self.game)
        options: dict[str, Any] = {"solution": self.solution} if opponent == "nash" else {}  # solved once
        self.opponent = None if opponent == SELF else as_agent(opponent, self.game, **options)

    @cached_property
    def valued(self) -> ValuedStates:
        """The states with their values, which tell luck."""
        return self.solution if self.solution.has_values else solved(self.game)

    def begin(self, rng: np.random.Generator, seat: int = 0) -> "WordMatch":
        """Begins a match, whose random numbers are all drawn with ``rng``; with an opponent the reader has ``seat``."""
        if seat not in (0, 1):
            raise UsageError(f"a seat is 0 or 1, not {seat!r}")
        return WordMatch(self, rng, (0, 1) if self.opponent is None else (seat,))


class WordMatch:
    """A match in words, see :meth:`Matches.begin`.

    Attributes:
        live: The match.
        seats: The reader's seats.
        asked: The seat whose answer is waited for; None when the match has ended.
        moves: The number of the reader's answers to choices, by seat, corrected ones once.
        invalid: The number of answers that named no legal action, by seat.
        regrets: The sum of the regrets of the reader's actions, by seat.
        correction: A sentence on the last answer, if it named no legal action; empty otherwise.
    """

    def __init__(self, matches: Matches, rng: np.random.Generator, seats: tuple[int, ...]) -> None:
        self._matches = matches
        players: list[Any] = [None, None]
        for seat in {0, 1} - set(seats):
            players[seat] = copy.copy(matches.opponent)
            players[seat].rng = rng
        self.live = LiveMatch(matches.game, players, rng)
        self.seats = seats
        self.asked: int | None = None
        self.moves, self.invalid, self.regrets = [0, 0], [0, 0], [0.0, 0.0]
        self.correction = ""
        self._chosen: dict[int, int] = {}
        self._go_on()

    def situation(self) -> str:
        """Returns what the player who is asked reads.

        Raises:
            UsageError: the match has ended.
        """
        return self._matches.prompts.read(self.live.code, self._asked(), self.live.trajectory.steps)

    def answer(self, text: str) -> None:
        """Plays the action that an answer names, and goes on to the reader's next choice or to the end.

        The first answer that names none only makes the correction; the second forfeits the match.

        Raises:
            UsageError: the match has ended.
        """
        seat = self._asked()
        legal = self.live.game.legal_actions(self.live.code, seat)
        try:
            action = parse_action(self._matches.prompts.wording, legal, text)
        except AnswerError as error:
            self.invalid[seat] += 1
            if not self.correction:
                self.correction = f"{error}."
                return
            action = NO_ACTION
        self._choose(seat, action)

    def forfeit(self) -> None:
        """Forfeits the match for the player who is asked, who answers no more.

        Raises:
            UsageError: the match has ended.
        """
        self._choose(self._asked(), NO_ACTION)

    def score(self, seat: int) -> float:
        """Returns the reward of a seat so far."""
        if self._matches.reward == "regret":
            return 0.0 - self.regrets[seat]  # no negative zero
        payoff = self.payoff(seat)
        if self._matches.reward == "payoff":
            return payoff
        luck = luck_of(self._matches.valued, self.live.players, self.live.trajectory)
        return payoff - _sign(seat) * luck.points

    def payoff(self, seat: int) -> float:
        """Returns what a seat has won so far, points."""
        return _sign(seat) * self.live.points + 0.0  # no negative zero

    def metrics(self, seat: int) -> dict[str, float]:
        """Returns figures on the play of a seat so far, beside the reward."""
        return {
            "regret": self.regrets[seat],
            "payoff": self.payoff(seat),
            "moves": float(self.moves[seat]),
            "invalid_answers": float(self.invalid[seat]),
        }

    def _asked(self) -> int:
        if self.asked is None:
            raise UsageError("the match has ended; begin a new one")
        return self.asked

    def _choose(self, seat: int, action: int) -> None:
        self.moves[seat] += 1
        self.correction = ""
        self._chosen[seat] = action
        self._go_on()

    def _go_on(self) -> None:
        """Goes on until the reader is asked, or to the end of the match."""
        live = self.live
        while live.ended is None:
            for seat in [seat for seat in live.movers if seat not in self._chosen]:
                legal = live.game.legal_actions(live.code, seat)
                if seat in self.seats and len(legal) > 1:
                    self.asked = seat
                    return
                self._chosen[seat] = legal[0] if seat in self.seats else live.ask(seat)
            self._act(self._chosen.get(0, 0), self._chosen.get(1, 0))
            self._chosen = {}
        self.asked = None

    def _act(self, *actions: int) -> None:
        """Makes a time step, and adds the regrets of the reader's actions; one that is not known counts as 0."""
        live, code, won = self.live, self.live.code, self.live.trajectory.points
        choosing = [seat for seat in live.movers if seat in self.seats]
        live.act(*actions)
        for seat in choosing:
            choice, regret = choice_at(self._matches.solution, code, seat), 0.0
            if seat in live.by:
                lost = _sign(seat) * (won - live.game.forfeited(code, won, [seat]))
                regret = max(np.nan_to_num(choice.value) + lost, np.nan_to_num(choice.regrets).max())
            elif not live.by:
                regret = np.nan_to_num(choice.regret(actions[seat]))
            self.regrets[seat] += float(regret)


def _sign(seat: int) -> int:
    return 1 - 2 * seat
