"""Prompts: what players of a game read, as text or as JSON, in the words of the game or of a disguise."""

from collections.abc import Sequence

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_count, check_flag, check_one_of
from nashzoo.envs.core.game import Game
from nashzoo.envs.text.answers import parse_action
from nashzoo.envs.text.situation import Situation, as_json, as_text, situation
from nashzoo.envs.text.steps import Step
from nashzoo.envs.text.wording import Wording
from nashzoo.envs.text.wording import disguise as disguised

FORMS = {"text": as_text, "json": as_json}


class Prompts:
    """The prompts of a game.

    Args:
        form: ``"text"`` or ``"json"``.
        disguise: The seed of a disguise, see :func:`nashzoo.envs.text.wording.disguise`; None for the game's own words.
        legal_actions: Whether a prompt says which actions are legal, or leaves this to the rules.

    Attributes:
        wording: The words.
        legal_actions: As above.
        written: Makes a prompt of a situation.

    Raises:
        UsageError: there is no such form, the seed is no whole number of at least 0, or the game has no disguise, or no
            rules in words that could say which actions are legal.
    """

    def __init__(self, game: Game, form: str = "text", disguise: int | None = None, legal_actions: bool = True) -> None:
        self.written = FORMS[check_one_of("prompt", form, FORMS)]
        self.legal_actions = check_flag("legal_actions", legal_actions)
        if not legal_actions and not game.view.rules_text(game.params):
            raise UsageError(f"{game.name} has no rules_text, so its prompts have to say which actions are legal")
        self.wording = Wording(game) if disguise is None else disguised(game, check_count("disguise", disguise, 0))

    def situation(self, code: int, player: int, history: Sequence[Step] | None = None) -> Situation:
        """Returns a choice of a player in words, see :func:`nashzoo.envs.text.situation.situation`."""
        return situation(self.wording, code, player, history, self.legal_actions)

    def read(self, code: int, player: int, history: Sequence[Step] | None = None) -> str:
        """Returns what a player reads before a choice."""
        return self.written(self.situation(code, player, history))

    def action(self, legal: Sequence[int], answer: str) -> int:
        """Returns the legal action that an answer names, see :func:`nashzoo.envs.text.answers.parse_action`."""
        return parse_action(self.wording, legal, answer, self.legal_actions)
