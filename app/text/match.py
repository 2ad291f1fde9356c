"""Matches in words: one seat or both are played by somebody who reads what a player reads, and answers in words.

Every environment for language models plays by this loop. An answer that names no legal action is corrected once; if the
next one is wrong as well, the match is forfeited. A choice of a single legal action is not asked for.
"""

import copy
from functools import cached_property
from typing import Any

import numpy as np

from nashzoo.agents.loading import as_agent
from nashzoo.app.matches.word_match import WordMatch, sign
from nashzoo.arena.live_match import LiveMatch
from nashzoo.arena.luck import ValuedStates, luck_of, solved
from nashzoo.baselines.choices import choice_at
from nashzoo.baselines.store import solution_of
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.core.agent import NO_ACTION
from nashzoo.envs.core.checks import check_one_of
from nashzoo.envs.core.game import Game
from nashzoo.envs.registry import make_game
from nashzoo.envs.text.answers import AnswerError
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
        legal_actions: Whether the reader is told which actions are legal, see there.
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
        legal_actions: bool = True,
        **parameters: Any,
    ) -> None:
        if isinstance(game, Game) and parameters:
            raise UsageTypeError(f"{game} has its parameters already; unexpected {', '.join(sorted(parameters))}")
        self.game = game if isinstance(game, Game) else make_game(game, **parameters)
        self.reward = check_one_of("reward", reward, REWARDS)
        self.prompts = Prompts(self.game, prompt, disguise, legal_actions)
        self.solution = solution_of(self.game)
        options: dict[str, Any] = {"solution": self.solution} if opponent == "nash" else {}  # solved once
        self.opponent = None if opponent == SELF else as_agent(opponent, self.game, **options)

    @cached_property
    def valued(self) -> ValuedStates:
        """The states with their values, which tell luck."""
        return self.solution if self.solution.has_values else solved(self.game)

    def begin(self, rng: np.random.Generator, seat: int = 0) -> "ScoredMatch":
        """Begins a match, whose random numbers are all drawn with ``rng``; with an opponent the reader has ``seat``."""
        if seat not in (0, 1):
            raise UsageError(f"a seat is 0 or 1, not {seat!r}")
        players: list[Any] = [None, None]
        if self.opponent is not None:
            players[1 - seat] = copy.copy(self.opponent)
            players[1 - seat].rng = rng
        return ScoredMatch(self, LiveMatch(self.game, players, rng))


class ScoredMatch(WordMatch):
    """A match in words with its rewards, see :meth:`Matches.begin`.

    Attributes:
        moves: The number of the reader's answers to choices, by seat, corrected ones once.
        invalid: The number of answers that named no legal action, by seat.
        regrets: The sum of the regrets of the reader's legal actions, by seat.
        forfeited: The cost of a forfeit, by seat, see :class:`Matches`.
        correction: A sentence on the last answer, if it named no legal action; empty otherwise.
    """

    def __init__(self, matches: Matches, live: LiveMatch) -> None:
        self._matches = matches
        self.moves, self.invalid, self.regrets, self.forfeited = [0, 0], [0, 0], [0.0, 0.0], [0.0, 0.0]
        self.correction = ""
        super().__init__(live, matches.prompts.wording, skips=True)

    def situation(self) -> str:
        """Returns what the player who is asked reads.

        Raises:
            UsageError: the match is over.
        """
        return self._matches.prompts.read(self.live.code, self.turn(), self.live.trajectory.steps)

    def named(self, answer: str) -> int:
        """Returns the action that an answer names, see :class:`WordMatch`."""
        return self._matches.prompts.action(self._legal(self.turn()), answer)

    def answer(self, text: str) -> None:
        """Plays the action that an answer names.

        The first answer that names none only makes the correction; the second forfeits the match.

        Raises:
            UsageError: the match is over.
        """
        try:
            action = self.named(text)
        except AnswerError as error:
            self.invalid[self.turn()] += 1
            if not self.correction:
                self.correction = f"{error}."
                return
            action = NO_ACTION
        self.choose(action)

    def choose(self, action: int) -> None:
        """Plays an action, see :class:`WordMatch`."""
        self.moves[self.turn()] += 1
        self.correction = ""
        super().choose(action)

    def forfeit(self) -> None:
        """Forfeits the match for the player who is asked, who answers no more.

        Raises:
            UsageError: the match is over.
        """
        self.choose(NO_ACTION)

    def score(self, seat: int) -> float:
        """Returns the reward of a seat so far."""
        if self._matches.reward == "regret":
            return 0.0 - (self.regrets[seat] + self.forfeited[seat])  # no negative zero
        payoff = self.payoff(seat)
        if self._matches.reward == "payoff":
            return payoff
        luck = luck_of(self._matches.valued, self.live.players, self.live.trajectory)
        return payoff - sign(seat) * luck.points

    def metrics(self, seat: int) -> dict[str, float]:
        """Returns figures on the play of a seat so far, beside the reward: legal play's apart from a forfeit's."""
        return {
            "regret": self.regrets[seat],
            "forfeited": self.forfeited[seat],
            "payoff": self.payoff(seat),
            "moves": float(self.moves[seat]),
            "invalid_answers": float(self.invalid[seat]),
        }

    def _act(self, *actions: int) -> None:
        """Makes a time step, and adds the regrets of the reader's actions; one that is not known counts as 0."""
        live, code, won = self.live, self.live.code, self.live.trajectory.points
        choosing = [seat for seat in live.movers if seat in self.seats]
        live.act(*actions)
        for seat in choosing:
            choice = choice_at(self._matches.solution, code, seat)
            if seat in live.by:
                lost = sign(seat) * (won - live.game.forfeited(code, won, [seat])) + np.nan_to_num(choice.value)
                self.forfeited[seat] = float(max(lost, np.nan_to_num(choice.regrets).max()))
            elif not live.by:
                self.regrets[seat] += float(np.nan_to_num(choice.regret(actions[seat])))
