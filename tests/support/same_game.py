"""The proof that a disguised game is the game: at its states, all texts can be restored and all names are distinct."""

import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game
from nashzoo.envs.rules.pieces import CHANCE
from nashzoo.envs.text.answers import parse_action
from nashzoo.envs.text.situation import situation
from nashzoo.envs.text.steps import Step, described
from nashzoo.envs.text.wording import Disguise, Wording

LONGEST = 5  # states that random play visits for each different one, at most


def check_same_game(disguise: Disguise, most: int, seed: int = 0) -> bool:
    """Checks that a disguise changes words alone, one to one: texts, steps, and names of legal actions.

    A disguise has the rules of its game, so both have the same states. At each, all that a player reads in the disguise
    can be restored, so no two texts become one, and each legal action is chosen by its name, in both words.

    Args:
        disguise: The disguise.
        most: The most states. If play leads to no more, all are visited, else so many by random play.
        seed: Of the random play.

    Returns:
        Whether all states were visited.

    Raises:
        UsageError: the disguise changes more than words.
    """
    plain, rng = Wording(disguise.game), np.random.default_rng(seed)
    codes, complete = _states(disguise.game, most, rng)
    for code in codes:
        for player in (0, 1):
            _check(disguise, disguise.state(code, player), plain.state(code, player))
        for player in disguise.game.movers(code):
            _check_choice(disguise, plain, code, player)
        if disguise.game.movers(code):
            _check_step(disguise, code, rng)
    return complete


def _check_choice(disguise: Disguise, plain: Wording, code: int, player: int) -> None:
    """Checks what a player reads before a choice, and all answers."""
    here, there = situation(plain, code, player), situation(disguise, code, player)
    for text, other in ((here.rules, there.rules), (here.seat, there.seat), (here.state, there.state)):
        _check(disguise, other, text)
    legal = disguise.game.legal_actions(code, player)
    for action, name, other in zip(legal, here.actions, there.actions, strict=True):
        _check(disguise, other, name)
        if not action == parse_action(plain, legal, name) == parse_action(disguise, legal, other):
            raise UsageError(f"{name} and {other} are not the same action of {disguise.game.name}")


def _check_step(disguise: Disguise, code: int, rng: np.random.Generator) -> None:
    """Checks what both players read about a step by random actions."""
    game = disguise.game
    actions = _random_actions(game, code, rng)
    stepped = game.step(code, *actions)
    step = Step(code, actions, stepped, stepped, game.payoff(stepped))
    for player in (0, 1):
        _check(disguise, "".join(disguise.step(step, player)), described(game, step, [player], by_name=True))


def _check(disguise: Disguise, disguised: str, text: str) -> None:
    """Checks that a disguised text can be restored."""
    if (restored := disguise.restored(disguised)) != text:
        raise UsageError(f"a disguise of {disguise.game.name} cannot be undone: {text!r} becomes {restored!r}")


def _states(game: Game, most: int, rng: np.random.Generator) -> tuple[Iterable[int], bool]:
    """Returns states that play can lead to, and whether these are all."""
    waiting, known = game.start_codes.tolist(), set(game.start_codes.tolist())
    for code in waiting:  # it grows meanwhile
        fresh = set(_successors(game, code)) - known
        known |= fresh
        waiting += fresh
        if len(known) > most:
            break
    else:
        return waiting, True
    known, code = set(), game.start(rng)
    for _ in range(LONGEST * most):
        known.add(code)
        if game.terminal(code):
            code = game.start(rng)
        elif game.turn(code) == CHANCE:
            code = int(rng.choice(game.outcomes(code)[0]))
        else:
            code = game.step(code, *_random_actions(game, code, rng))
        if len(known) == most:
            break
    return known, False


def _successors(game: Game, code: int) -> Iterator[int]:
    """Yields the codes of the states that can follow a state, by any actions and any outcome of chance."""
    if game.terminal(code):
        return
    if game.turn(code) == CHANCE:
        yield from game.outcomes(code)[0].tolist()
        return
    for actions in itertools.product(*(game.legal_actions(code, player) for player in (0, 1))):
        yield game.step(code, *actions)


def _random_actions(game: Game, code: int, rng: np.random.Generator) -> tuple[int, int]:
    action0, action1 = (int(rng.choice(game.legal_actions(code, player))) for player in (0, 1))
    return action0, action1
