"""The proof that a disguised game is the game: at its states, all texts can be restored and all names are distinct."""

from collections import deque
from collections.abc import Iterable

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game
from nashzoo.envs.rules.pieces import CHANCE
from nashzoo.envs.text.answers import parse_action
from nashzoo.envs.text.situation import Situation, situation
from nashzoo.envs.text.steps import Step, described
from nashzoo.envs.text.wording import Disguise, Wording

LONGEST = 5  # states that random play visits for each different one, at most


def check_same_game(disguise: Disguise, most: int, seed: int = 0) -> bool:
    """Checks that a disguise changes words alone: both games have the same states, texts and legal actions.

    Both are walked together. At each state, every legal action is chosen in both by its name, and is the same action;
    what each player reads is different in both, but the disguised text can be restored, so no two texts become one.

    Args:
        disguise: The disguise.
        most: The most states. If play leads to no more, all are visited, else so many by random play.
        seed: Of the random play.

    Returns:
        Whether all states were visited.

    Raises:
        UsageError: the disguise changes the game.
    """
    game = disguise.game
    rng = np.random.default_rng(seed)
    codes, complete = _states(game, most, rng)
    _check(game, disguise.restored(disguise.rules()), Wording(game).rules())
    for code in codes:
        for player in (0, 1):
            _check(game, disguise.restored(disguise.state(code, player)), Wording(game).state(code, player))
        for player in game.movers(code):
            plain, disguised = situation(game, code, player), situation(disguise, code, player)
            _check(game, _restored(disguise, disguised), plain)
            for action, name, other in zip(
                legal := game.legal_actions(code, player), plain.actions, disguised.actions, strict=True
            ):
                _check(game, parse_action(disguise, legal, other), action)
                _check(game, parse_action(game, legal, name), action)
        if game.movers(code):
            action0, action1 = (int(rng.choice(game.legal_actions(code, player))) for player in (0, 1))
            stepped = game.step(code, action0, action1)
            step = Step(code, (action0, action1), stepped, stepped, game.payoff(stepped))
            for player in (0, 1):
                line = described(game, step, [player], by_name=True)
                _check(game, "".join(map(disguise.restored, disguise.step(step, player))), line)
    return complete


def _restored(disguise: Disguise, disguised: Situation) -> Situation:
    texts = {name: disguise.restored(text) for name, text in disguised._asdict().items() if isinstance(text, str)}
    lists = {name: tuple(map(disguise.restored, getattr(disguised, name))) for name in ("happened", "actions")}
    return Situation(**texts | lists)


def _check(game: Game, restored: object, plain: object) -> None:
    if restored != plain:
        raise UsageError(f"a disguise of {game.name} cannot be undone: it makes {plain!r} into {restored!r}")


def _states(game: Game, most: int, rng: np.random.Generator) -> tuple[Iterable[int], bool]:
    """Returns states that play can lead to, and whether these are all."""
    known, waiting = dict.fromkeys(game.start_codes.tolist()), deque(game.start_codes.tolist())
    while waiting and len(known) <= most:
        for after in successors(game, waiting.popleft()):
            if after not in known:
                known[after] = None
                waiting.append(after)
    if len(known) <= most:
        return known, True
    known, code = {}, game.start(rng)
    for _ in range(LONGEST * most):
        known[code] = None
        following = successors(game, code)
        code = following[rng.integers(len(following))] if following else game.start(rng)
        if len(known) == most:
            break
    return known, False


def successors(game: Game, code: int) -> list[int]:
    """Returns the codes of the states that can follow a state, by any actions and any outcome of chance."""
    if game.terminal(code):
        return []
    if game.turn(code) == CHANCE:
        return [int(after) for after in game.outcomes(code)[0]]
    legal = [game.legal_actions(code, player) for player in (0, 1)]
    return [game.step(code, action0, action1) for action0 in legal[0] for action1 in legal[1]]
