"""Kaggle's Game Arena: what its harness for language models asks of a game.

``create_agent_fn`` of ``kaggle_environments.core_harness`` takes an object with three functions: ``get_legal_moves``,
``make_prompt`` (as a function by itself ``generate_prompt``) and ``parse_response``.

Source: https://github.com/Kaggle/kaggle-environments, ``core_harness.py``, version 1.33.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nashzoo.envs.rules.pieces import BOTH
from nashzoo.envs.text.answers import AnswerError, stated
from nashzoo.envs.text.prompts import Prompts
from nashzoo.envs.text.steps import Step

SIMULTANEOUS, TERMINAL = -2, -4  # OpenSpiel's numbers in the place of a player
LAST = 500  # characters of a wrong answer that are repeated


class ParseResult(NamedTuple):
    """An answer, with the fields of Kaggle's class; the last two are not used.

    Attributes:
        legal_action: The legal action that it names.
        raw_action: What it names, legal or not.
    """

    legal_action: str | None = None
    raw_action: str | None = None
    submission: Any = None
    thoughts: str | None = None


class Harness(Prompts):
    """Kaggle's three functions for any game, and the observation that they take; made like any :class:`Prompts`."""

    def observation(self, code: int, player: int, history: Sequence[Step] | None = None) -> dict[str, Any]:
        """Returns an observation with Kaggle's names of fields; without a history it says nothing of what happened."""
        game = self.wording.game
        over, chooses = game.terminal(code), player in game.movers(code)
        legal = game.legal_actions(code, player) if chooses else ()
        turn = TERMINAL if over else game.turn(code)
        return {
            "observationString": self.read(code, player, history) if chooses else "",
            "legalActions": list(legal),
            "legalActionStrings": [self.wording.actions[action] for action in legal],
            "currentPlayer": SIMULTANEOUS if turn == BOTH else turn,
            "playerId": player,
            "isTerminal": over,
        }

    def get_legal_moves(self, observation: Mapping[str, Any]) -> dict[int, str]:
        """Returns the names of the legal actions by their numbers."""
        return dict(zip(observation["legalActions"], observation["legalActionStrings"], strict=True))

    def make_prompt(
        self,
        observation: Mapping[str, Any],
        move_history: Sequence[str],
        previous_response: str | None = None,
        previous_action: str | None = None,
    ) -> str:
        """Returns what the model reads; after a wrong answer also its end, and a sentence on it.

        It has what happened since the player's last choice, so that the history of its moves is not needed.
        """
        prompt: str = observation["observationString"]
        if previous_response is None:
            return prompt
        try:
            self._parsed(previous_response, observation["legalActionStrings"])
        except AnswerError as error:
            return f"{prompt}\n\nYour last answer ended with:\n{previous_response[-LAST:]}\n\n{error}."
        return prompt

    generate_prompt = make_prompt

    def parse_response(
        self, response: str, legal_action_strings: Sequence[str], observation: Mapping[str, Any] | None = None
    ) -> ParseResult:
        """Returns the action that an answer names; the observation is not needed."""
        named = next((name.strip() for name in reversed(stated(response))), None)
        try:
            return ParseResult(self.wording.actions[self._parsed(response, legal_action_strings)], named)
        except AnswerError:
            return ParseResult(None, named)

    def _parsed(self, response: str, names: Sequence[str]) -> int:
        return self.action([self.wording.actions.index(name) for name in names], response)
