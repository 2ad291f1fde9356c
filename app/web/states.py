"""States and their solutions as JSON."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.basic.keyboard import initials
from nashzoo.app.web.information import information_json
from nashzoo.baselines import Equilibria, Solution
from nashzoo.baselines.equilibrium_sets import range_text
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.baselines.stage_game import StageGame, stage_game
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import with_suits
from nashzoo.envs.core.game import BOTH, CHANCE
from nashzoo.envs.text.steps import seen_by

TURNS = {0: 0, 1: 1, BOTH: "both", CHANCE: "chance"}


def code_in(game: Game, text: str) -> int:
    """Returns the code of a state from its text.

    Raises:
        UsageError: it is not the code of a state.
    """
    try:
        code = int(text)
        if not 0 <= code < 1 << 63:
            raise ValueError
        if game.code(**game.state(code)._asdict()) != code:
            raise UsageError(f"{text} is not the code of a state of {game.name}")
    except (ValueError, OverflowError) as error:
        message = str(error) if isinstance(error, UsageError) else f"{text!r} is not the code of a state of {game.name}"
        raise UsageError(message) from None
    return code


def viewers(game: Game, code: int) -> list[int]:
    """Returns the players of whom each sees a part of a state at which a player chooses; none if all see it whole."""
    return [0, 1] if game.hides and game.movers(code) else []


def choosers(game: Game, code: int, seats: Sequence[int] = ()) -> list[int]:
    """Returns the players who choose at a state, of ``seats`` alone if there are any."""
    return [player for player in game.movers(code) if player in (seats or (0, 1))]


def state_json(game: Game, code: int, seats: Sequence[int] = ()) -> dict[str, Any]:
    """Returns a state: its fields, its text, the players to move, and the legal actions of both players.

    With seats, it has what all of them see, and their legal actions.
    """
    over = game.terminal(code)
    turn = None if over else game.turn(code)
    legal = {player: game.legal_actions(code, player) for player in choosers(game, code, seats)}
    keys = initials(game.actions)
    known = seen_by(game, code, seats)
    return {
        "code": str(known),
        "fields": {name: int(value) for name, value in game.state(known)._asdict().items()},
        "text": with_suits(game.text(known, seats)),
        "turn": None if turn is None else TURNS[turn],
        "movers": list(game.movers(code)),
        "viewers": viewers(game, code),
        "over": over,
        "legal": [
            [
                {"action": action, "name": game.action_label(known, action), "key": keys[action]}
                for action in legal.get(player, ())
            ]
            for player in (0, 1)
        ],
        "forbidden": {
            action: why
            for allowed in legal.values()
            for action in range(game.num_actions)
            if action not in allowed
            if (why := game.view.why_not(game.params, known, action))
        },
        "targets": [[action, *place] for action, place in game.view.targets(game.params, known).items() if not over],
    }


def covered_json(game: Game, code: int) -> dict[str, Any]:
    """Returns a state of which nothing is shown but the players to move, in the form of :func:`state_json`."""
    movers = list(game.movers(code))
    empty = {"code": "", "fields": {}, "text": "", "targets": [], "legal": [[], []]}
    return empty | {"turn": TURNS[game.turn(code)], "movers": movers, "viewers": [0, 1], "over": False}


def solution_json(solution: Solution, code: int, seats: Sequence[int] = ()) -> dict[str, Any]:
    """Returns the solution at a state: value, strategies, matrix, the regret of each action, distance.

    In a game with hidden information: the information states of ``seats``, or of all who choose there.
    """
    game = solution.game
    described: dict[str, Any] = {"certificate": solution.certificate, "states": solution.num_states}
    if half := game.points(0.0, code):
        described["half"] = half  # see Library.about
    if game.terminal(code):
        return described | {"value": 0.0, "over": True}
    if game.turn(code) == CHANCE:
        codes, probabilities = game.outcomes(code)
        outcomes = [
            {
                "code": str(int(one)),
                "probability": float(chance),
                "text": game.view.told(game.params, code, int(one), ()),
            }
            for one, chance in zip(codes, probabilities, strict=True)
        ]
        value = solution.start_value if [code] == list(game.start_codes) else None
        return described | {"value": solution.value(code) if solution.has_values else value, "outcomes": outcomes}
    if isinstance(solution, InformationSolution):
        sides = [information_json(solution, code, player) for player in choosers(game, code, seats)]
        return described | {"start_value": solution.start_value, "turn_based": game.turn(code) != BOTH, "sides": sides}
    stage = stage_game(solution, code)
    described |= {
        "value": stage.value,
        "payoffs": stage.payoffs.tolist(),
        "distance": solution.distance(code),
        "turn_based": game.turn(code) != BOTH,
        "players": [_side(game, solution, stage, code, player) for player in (0, 1)],
    }
    return described


def _side(game: Game, solution: Solution, stage: StageGame, code: int, player: int) -> list[dict[str, Any]]:
    """Returns an entry for each legal action of a player: its probability and its regret."""
    best: NDArray[np.bool_] | None = None
    distances: dict[int, int | None] = {}
    if solution.distances is not None and game.turn(code) == player:
        best = solution.optimal_actions(np.array([code]))[0]
        for action in stage.actions[player]:
            after = game.rules.step(game.params, code, *((action, 0) if player == 0 else (0, action)))  # it is legal
            distances[action] = 0 if game.terminal(after) else solution.distance(after)
    return [
        {
            "action": action,
            "name": game.action_label(code, action),
            "probability": float(probability),
            "loss": float(loss),
            "optimal": None if best is None else bool(best[action]),
            "distance": distances.get(action),
        }
        for action, probability, loss in zip(
            stage.actions[player], stage.strategies[player], stage.losses(player), strict=True
        )
    ]


def ranges_json(found: Equilibria, code: int, seats: Sequence[int] = ()) -> dict[str, Any]:
    """Returns the ranges of the probabilities over all equilibria of those who choose at a state, or of ``seats``."""
    return {
        "sides": [
            {
                "player": one.player,
                "reached": one.reached,
                "unique": one.unique,
                "actions": [
                    {"action": action, "name": found.game.action_label(code, action)}
                    | {"lower": float(low), "upper": float(high), "text": range_text(low, high)}
                    for action, low, high in zip(one.actions, one.lower, one.upper, strict=True)
                ],
            }
            for one in (found.at(code, player) for player in choosers(found.game, code, seats))
        ]
    }
