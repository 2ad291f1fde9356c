"""Prompts: what players of a game read, as text or as JSON, in the words of the game or of a disguise."""

from collections.abc import Sequence

from nashzoo.envs.core.checks import check_count, check_one_of
from nashzoo.envs.core.game import Game
from nashzoo.envs.text.situation import as_json, as_text, situation
from nashzoo.envs.text.steps import Step
from nashzoo.envs.text.wording import Wording
from nashzoo.envs.text.wording import disguise as disguised

FORMS = {"text": as_text, "json": as_json}


class Prompts:
    """The prompts of a game.

    Args:
        form: ``"text"`` or ``"json"``.
        disguise: The seed of a disguise, see :func:`nashzoo.envs.text.wording.disguise`; None for the game's own words.

    Attributes:
        wording: The words.
        written: Makes a prompt of a situation.

    Raises:
        UsageError: there is no such form, the seed is no whole number of at least 0, or the game has no disguise.
    """

    def __init__(self, game: Game, form: str = "text", disguise: int | None = None) -> None:
        self.written = FORMS[check_one_of("prompt", form, FORMS)]
        self.wording = Wording(game) if disguise is None else disguised(game, check_count("disguise", disguise, 0))

    def read(self, code: int, player: int, history: Sequence[Step] | None = None) -> str:
        """Returns what a player reads before a choice, see :func:`nashzoo.envs.text.situation.situation`."""
        return self.written(situation(self.wording, code, player, history))
