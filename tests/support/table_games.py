"""Games with numbered states for the tests of large tables, and slow second routes to what they are worth."""

import math
from collections.abc import Callable, Iterable
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from bodega_brawl_by_the_book import PRESETS, Brawl, Fighter, live_states
from brute_force import matrix_value
from nashzoo.baselines import solve
from nashzoo.baselines.layered_solution import LayeredSolution
from nashzoo.envs import bodega_brawl_v0
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask

NUMBERED = ("index", "code_at", "layer_sizes", "num_states")

Key = tuple[tuple[str, int], ...]


def with_rules(game: Game, without: Iterable[str] = (), **others: Any) -> Game:
    """Returns the game with some pieces of its rules file left out and others exchanged."""
    pieces = {name: piece for name, piece in vars(game.rules.written).items() if name not in without}
    return Game(SimpleNamespace(**{**pieces, **others}), **game.options)


@cache
def listed(game: Game) -> Game:
    """Returns the game without numbers for its states, so that they are listed."""
    return with_rules(game, NUMBERED)


def everywhere(preset: str, double_ko: str) -> list[Brawl]:
    """Returns every state at which play goes on, those with the fewest cards first."""
    states = live_states(**PRESETS[preset], double_ko=double_ko)
    return sorted(states, key=lambda brawl: brawl.fighters[0].hand.total())


@cache
def all_codes(game: Game) -> Ints:
    """Returns the codes of every state at which play goes on."""
    preset, double_ko = game.options["preset"], game.options["double_ko"]
    return np.array([game.code(**brawl.fields()) for brawl in everywhere(preset, double_ko)])


@cache
def solved(game: Game) -> LayeredSolution:
    """Returns the solution of a game whose states are numbered."""
    solution = solve(game)
    assert isinstance(solution, LayeredSolution)
    return solution


def brawl_at(game: Game, code: int) -> Brawl:
    """Returns a state in the second implementation of the rules."""
    state = game.state(code)._asdict()
    preset = PRESETS[game.options["preset"]]
    brawl = Brawl(**preset, double_ko=game.options["double_ko"], sudden_death=bool(state["sudden_death"]))
    brawl.fighters = [Fighter(type(f.hand)(), type(f.strikes)()) for f in brawl.fighters]
    for player, fighter in enumerate(brawl.fighters):
        for region, kind in preset["deck"]:
            fighter.hand[region, kind] = state[f"{region}_{kind}{player}"]
        for region in ("head", "body", "legs"):
            fighter.strikes[region] = state[f"{region}{player}"]
    assert brawl.fields() == state
    return brawl


def matrix_of(brawl: Brawl, worth: Callable[[Brawl], float]) -> Floats:
    """Returns what every pair of choices is worth to player 0, where ``worth`` says what play that goes on is."""

    def after(a0: int, a1: int) -> float:
        following = brawl.play(a0, a1)
        return following.reward + (0.0 if following.result else worth(following))

    return np.array([[after(a0, a1) for a1 in brawl.choices(1)] for a0 in brawl.choices(0)])


def key_of(brawl: Brawl) -> Key:
    return tuple(brawl.fields().items())


@cache
def solved_plainly(preset: str, double_ko: str) -> dict[Key, float]:
    """Returns what every state is worth to player 0: a linear program for each, from the last card back."""
    values: dict[Key, float] = {}
    for brawl in everywhere(preset, double_ko):
        values[key_of(brawl)] = matrix_value(matrix_of(brawl, lambda after: values[key_of(after)]))
    return values


class Mixed:
    """A policy drawn at random: at every state some probabilities, some of them 0."""

    def __init__(self, game: Game, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.weights = rng.normal(scale=9, size=(game.num_features, game.num_actions))

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        chances = np.maximum(np.sin(observations @ self.weights) + 0.3, 0) * action_masks
        chances += (chances.sum(axis=1, keepdims=True) == 0) * action_masks
        rows: Floats = chances / chances.sum(axis=1, keepdims=True)
        return rows


class Pure:
    """A policy that plays one legal action for certain, another at every state."""

    def __init__(self, game: Game, seed: int) -> None:
        self.mixed = Mixed(game, seed)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        chances = self.mixed.action_probabilities(observations, action_masks)
        rows: Floats = np.eye(chances.shape[1])[chances.argmax(axis=1)]
        return rows


def gap(matrix: Floats, strategy0: Floats, strategy1: Floats) -> float:
    """Returns what lies between what two strategies guarantee, summed without rounding errors."""
    secured = min(math.fsum(strategy0 * column) for column in matrix.T)
    conceded = max(math.fsum(strategy1 * row) for row in matrix)
    return conceded - secured


def game(preset: str, double_ko: str = "draw") -> Game:
    return bodega_brawl_v0.game(preset=preset, double_ko=double_ko)
