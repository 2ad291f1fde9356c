"""Replays of Kaggle's Game Arena.

A replay is the JSON of an episode, ``env.toJSON()``. Read are the actions that Kaggle's interpreter of OpenSpiel's
games says that it applied, so that an illegal one is left out.

Source: https://github.com/Kaggle/kaggle-environments, ``envs/open_spiel_env/open_spiel_env.py``, version 1.33.
"""

import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nashzoo.arena.trajectory import Trajectory
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.json_text import json_value
from nashzoo.envs.core.checks import check_action
from nashzoo.envs.core.game import Game
from nashzoo.envs.registry import OPENSPIEL, make_game
from nashzoo.envs.rules.pieces import CHANCE


def replay_of(path: Path) -> dict[str, Any]:
    """Returns the JSON of a replay.

    Raises:
        UsageError: it is none.
        OSError: it cannot be read.
    """
    try:
        replay = json_value(path.read_bytes())
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    for field, kind in (("steps", list), ("info", dict), ("configuration", dict)):
        if not isinstance(replay, dict) or not isinstance(replay.get(field), kind):
            raise UsageError(f"{path} is no replay of Kaggle's: it has no {field}")
    return dict(replay)


def game_of_replay(replay: Mapping[str, Any]) -> Game:
    """Returns the game of OpenSpiel that a replay names; Kaggle's proxy of a game has the same rules.

    Raises:
        UsageError: it names none, or none that can be explored.
        MissingPackageError: OpenSpiel is not installed.
    """
    chosen = replay["configuration"].get("openSpielGameString")
    name = replay["info"].get("openSpielGameStringResolved", chosen)
    if not isinstance(name, str):
        raise UsageError("the replay names no game of OpenSpiel; name its game with --game")
    return make_game(OPENSPIEL + name.replace("_proxy(", "(", 1).removesuffix("()").removesuffix("_proxy"))


def replayed(replay: Mapping[str, Any], game: Game) -> Trajectory:
    """Returns the match of a replay, played by the rules of its game.

    Raises:
        UsageError: chance decides, and what it decided is not in the replay; the actions have other numbers than in
            OpenSpiel; or the match breaks the rules.
    """
    if all(name == f"action {number}" for number, name in enumerate(game.actions)):
        raise UsageError(f"{game.name} has so many actions that their numbers are not OpenSpiel's")
    outcomes: Iterable[int | None]
    start, outcomes = _drawn(replay, game) if game.has_chance else (game.first_decision, itertools.repeat(None))
    match, applied = Trajectory(game, start), _applied(replay)
    if isinstance(outcomes, list) and len(outcomes) < len(applied):
        raise UsageError(f"{len(applied)} moves were applied, and the replay's actionHistory has {len(outcomes)}")
    for number, ((action0, action1), after) in enumerate(zip(applied, outcomes, strict=False), 1):
        try:
            match.follow(check_action(action0), check_action(action1), after)
        except UsageError as error:
            raise UsageError(f"move {number} of the replay: {error}") from None
    return match


def forfeited(replay: Mapping[str, Any], match: Trajectory) -> list[int]:
    """Returns the players that were asked at last, and gave no legal action."""
    asked, last = [[{}, {}], *replay["steps"]][-2:]
    both = [] if match.over else [0, 1]
    return [k for k in both if asked[k].get("status") == "ACTIVE" and last[k]["action"].get("submission") == -1]


def _applied(replay: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """Returns the pairs of actions of a replay, 0 for a player who was not to move."""
    try:
        steps = [[player["info"].get("actionApplied") for player in step] for step in replay["steps"]]
        pairs = [(first or 0, second or 0) for first, second in steps if (first, second) != (None, None)]
        return [*((action, action) for action in replay["info"].get("initialActions", ())), *pairs]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UsageError("the replay is none of two players in a game of OpenSpiel: their steps have info") from None


def _drawn(replay: Mapping[str, Any], game: Game) -> tuple[int, list[int]]:
    """Returns the first state of a match in which a player chooses, and that after each choice and what chance drew."""
    history = replay["info"].get("actionHistory")
    if not isinstance(history, list) or not game.name.startswith(OPENSPIEL):
        raise UsageError(f"chance decides in {game.name}, and what it decided is not read from this replay")
    from nashzoo.envs.imported.explorer import likely
    from nashzoo.envs.imported.openspiel import OpenSpielSource, loaded

    name = game.name.removeprefix(OPENSPIEL)
    at, codes = OpenSpielSource(loaded(name), name).start(), [int(game.start_codes[0])]
    try:
        for said in map(json_value, history):
            if at.turn == CHANCE:
                drawn = [outcome for outcome, _ in likely(at)]
                codes[-1] = _leaves(game, codes[-1], len(drawn))[drawn.index(said)]
            else:
                codes.append(game.step(codes[-1], *(said if isinstance(said, list) else (said, said))))
            at = at.after(said if isinstance(said, list) or at.turn == CHANCE else (said, said))
    except (UsageError, ValueError, TypeError) as error:
        raise UsageError(f"action {len(codes)} of the replay's actionHistory cannot be: {error}") from None
    return codes[0], codes[1:]


def _leaves(game: Game, code: int, count: int) -> list[int]:
    """Returns the outcomes of chance in OpenSpiel's order; if they are more than a state may have, those of groups."""
    outcomes: list[int] = game.outcomes(code)[0].tolist()
    if len(outcomes) == count:
        return outcomes
    return [int(leaf) for one in outcomes for leaf in (game.outcomes(one)[0] if game.turn(one) == CHANCE else (one,))]
