"""What a player reads before a choice: the rules, its seat, what happened, what it sees, and its legal actions."""

from collections.abc import Sequence
from typing import NamedTuple

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.json_text import json_text
from nashzoo.envs.core.game import Game
from nashzoo.envs.text.steps import Step
from nashzoo.envs.text.wording import Wording

ANSWER = "Answer with the name of one legal action. Reasons may stand before it; then the last line is Action: NAME."
LEGAL, ALL = "Your legal actions", "The actions of the game, of which the rules may forbid some here"


class Situation(NamedTuple):
    """A choice of a player, in words."""

    rules: str
    seat: str  # a sentence on who the player is
    happened: tuple[str, ...] | None  # since its last choice, that choice included; None if it is not said
    state: str  # as the player sees it
    actions: tuple[str, ...] | None  # the names of its legal actions; None if it is not said which are legal
    all_actions: tuple[str, ...] | None  # then those of all actions of the game
    answer: str  # how to answer


def situation(
    game: Game | Wording, code: int, player: int, history: Sequence[Step] | None = None, legal_actions: bool = True
) -> Situation:
    """Returns what a player reads before a choice; with hidden information no more than it may know.

    Args:
        game: The game; or a disguise, whose words are then used.
        code: The state.
        player: The player, who is to move there.
        history: The time steps of the match so far, or the last ones; None to say nothing of them.
        legal_actions: Whether it is said which actions are legal.

    Raises:
        UsageError: the player does not choose there.

    >>> from nashzoo.envs import roshambo_v0
    >>> game = roshambo_v0.game(rounds=3)
    >>> situation(game, game.first_decision, 0).actions
    ('Rock', 'Paper', 'Scissors')
    """
    wording = game if isinstance(game, Wording) else Wording(game)
    game = wording.game
    if player not in game.movers(code):
        raise UsageError(f"player {player} does not choose at {game.spell(code)}")
    happened = None
    if history is not None:
        choices = [number for number, step in enumerate(history) if player in game.movers(step.before)]
        since = history[choices[-1] if choices else 0 :]
        happened = tuple(line for step in since for line in wording.step(step, player))
    return Situation(
        wording.rules,
        wording.introduction(player),
        happened,
        wording.state(code, player),
        tuple(wording.actions[action] for action in game.legal_actions(code, player)) if legal_actions else None,
        None if legal_actions else tuple(wording.actions),
        ANSWER,
    )


def as_text(choice: Situation) -> str:
    """Returns a situation as plain text."""
    among = choice.all_actions if choice.actions is None else choice.actions
    happened, actions = ("\n".join(f"- {line}" for line in lines or ()) for lines in (choice.happened, among))
    since = f"What happened since your last choice:\n{happened or '- nothing'}"
    return "\n\n".join(
        (
            f"The rules:\n{choice.rules}",
            choice.seat,
            *([] if choice.happened is None else [since]),
            f"What you see:\n{choice.state}",
            f"{ALL if choice.actions is None else LEGAL}:\n{actions}",
            choice.answer,
        )
    )


def as_json(choice: Situation) -> str:
    """Returns a situation as a JSON object with the fields of :class:`Situation`."""
    return json_text({name: value for name, value in choice._asdict().items() if value is not None})
