"""The scripted players of Roshambo that match the past: ``history``, and ``iocaine``, which extends it.

Their memory holds all throws of the match; its other properties are those of
:mod:`nashzoo.agents.bots.roshambo.counting`. For every earlier throw it also holds the length of the run of throws up
to it that equals the last throws: each new throw extends such a run by one, or resets it.
"""

from typing import Any

import numpy as np

from nashzoo.agents.bots.roshambo.counting import ACTIONS, MATRIX, MEMORY, OBSERVATIONS, UNIFORMS, last_throw
from nashzoo.agents.bots.roshambo.fixed import CompiledBot
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game
from nashzoo.envs.jit.compiled import Features, Floats, Ints, compiled
from nashzoo.envs.jit.numba import float64, int64, void

WATCHED = ("both", "other", "own")  # the players whose throws must match
BOTH, OTHER, OWN = range(3)


@compiled(int64(MEMORY, int64, int64, int64, int64, int64, int64))
def longest_run(memory: Floats, i: int, history: int, rounds: int, runs: int, throws: int, watched: int) -> int:
    """Returns the end of the longest earlier run that equals the last throws, the latest such end; -1 for none.

    The memory ``[B, memory_size]`` has each player's ``rounds`` throws from ``history`` on, this player's first, and
    from ``runs`` on, after a 0, the lengths of the runs that end at each throw, which are updated with the last of the
    ``throws`` so far, at least 1. ``watched``, an index of ``WATCHED``, says whose throws must match.
    """
    first = history + rounds if watched == OTHER else history
    second = history if watched == OWN else history + rounds
    last = throws - 1
    row = memory[i]
    now, now_too = row[first + last], row[second + last]
    place, longest = -1, 0.0
    for k in range(last - 1, -1, -1):
        same = (row[first + k] == now) & (row[second + k] == now_too)
        length = same * (1.0 + row[runs + k])
        row[runs + k + 1] = length
        if length > longest:
            place, longest = k, length
    return place


@compiled(void(OBSERVATIONS, MEMORY, UNIFORMS, int64[::1], int64, int64, ACTIONS))
def _follow_history(
    observations: Features, memory: Floats, uniforms: Floats, answers: Ints, rounds: int, watched: int, actions: Ints
) -> None:  # fmt: skip
    size = len(answers)
    for i in range(len(actions)):
        other = last_throw(observations, i, size, size)
        place, throws = -1, int(memory[i, 0])
        if other >= 0:
            memory[i, 1 + throws] = last_throw(observations, i, 0, size)
            memory[i, 1 + rounds + throws] = other
            throws += 1
            memory[i, 0] = throws
            place = longest_run(memory, i, 1, rounds, 1 + 2 * rounds, throws, watched)
        if place < 0:
            actions[i] = int(uniforms[i, 0] * size)
        else:
            actions[i] = answers[int(memory[i, 1 + rounds + place + 1])]


class HistoryAgent(CompiledBot):
    """Finds the longest earlier run that equals the last throws, and expects the other's throw after it.

    Of several runs it takes the latest. If the last throw is new, it plays a random throw.

    Memory: the number of throws so far, then the player's own throws, the other's, and the runs after a 0.

    Args:
        watch: The players whose throws must match: ``"both"``, ``"other"`` or ``"own"``.

    Raises:
        UsageError: the game is another one, or ``watch`` is none of these.
    """

    def __init__(self, game: Game, seed: int | None = None, *, watch: str = "both") -> None:
        super().__init__(game, seed)
        if watch not in WATCHED:
            raise UsageError(f"watch must be {', '.join(map(repr, WATCHED))}, not {watch!r}")
        self.watched = WATCHED.index(watch)
        self.rounds = game.options["rounds"]
        self.memory_size = 2 + 3 * self.rounds
        self.decision = _follow_history, (self.answers, self.rounds, self.watched)


# Decay of scores at each throw, for horizons of about 1000, 100, 10, 5 and 2 throws.
FADING = np.array([0.999, 0.99, 0.9, 0.8, 0.5])
HORIZONS = len(FADING)
PREDICTORS = len(WATCHED) + 1  # the runs, and the frequencies of throws
ROLES = 2  # predictions of the other's next throw, and of this player's, which the other may expect


def _sizes(size: int, rounds: int) -> dict[str, int]:
    """Returns the size of each part of Iocaine's memory, in order."""
    voices = PREDICTORS * ROLES
    return {
        "throws": 1,  # number of throws so far
        "history": 2 * rounds,  # this player's throws, then the other's
        "runs": len(WATCHED) * (rounds + 1),
        "counts": ROLES * size,  # of the other's throws, and of this player's
        "voices": voices,  # each predictor's prediction of each player's next throw, plus 1; 0 for none
        "scores": HORIZONS * voices * size,  # decayed points of each prediction in each rotation
        "choices": HORIZONS,  # the throw that each horizon chooses, plus 1; 0 for none
        "trust": HORIZONS,  # decayed points of each horizon's throws
    }


@compiled(void(MEMORY, int64, int64[::1], int64, MATRIX, int64, float64[::1]))
def _settle(memory: Floats, i: int, at: Ints, size: int, payoffs: Floats, other: int, fading: Floats) -> None:
    """Scores the predictions and the choices of all horizons for the last throw."""
    voices, scores, choices, trust = at[4], at[5], at[6], at[7]
    said = choices - scores
    for horizon in range(HORIZONS):
        first = scores + horizon * (said // HORIZONS)
        for voice in range(PREDICTORS * ROLES):
            throw = int(memory[i, voices + voice]) - 1
            for rotation in range(size):
                gain = 0.0 if throw < 0 else payoffs[(throw + rotation) % size, other]
                place = first + voice * size + rotation
                memory[i, place] = memory[i, place] * fading[horizon] + gain
        throw = int(memory[i, choices + horizon]) - 1
        memory[i, trust + horizon] = memory[i, trust + horizon] * fading[0] + (
            0.0 if throw < 0 else payoffs[throw, other]
        )


@compiled(void(MEMORY, int64, int64[::1], int64, int64))
def _listen(memory: Floats, i: int, at: Ints, size: int, rounds: int) -> None:
    """Stores each predictor's predictions of both players' next throws."""
    history, runs, counts, voices = at[1], at[2], at[3], at[4]
    throws = int(memory[i, 0])
    for watched in range(len(WATCHED)):
        place = longest_run(memory, i, history, rounds, runs + watched * (rounds + 1), throws, watched)
        for role in range(ROLES):
            then = history + (1 - role) * rounds + place + 1
            memory[i, voices + ROLES * watched + role] = 1.0 + memory[i, then] if place >= 0 else 0.0
    for role in range(ROLES):
        likeliest = 0
        for throw in range(1, size):
            if memory[i, counts + role * size + throw] > memory[i, counts + role * size + likeliest]:
                likeliest = throw
        memory[i, voices + ROLES * (PREDICTORS - 1) + role] = 1 + likeliest


@compiled(int64(MEMORY, int64, int64[::1], int64))
def _choose(memory: Floats, i: int, at: Ints, size: int) -> int:
    """Returns the throw of the horizon with the best score, -1 for none; each horizon chooses its best prediction."""
    voices, scores, choices, trust = at[4], at[5], at[6], at[7]
    said = (choices - scores) // HORIZONS
    chosen, most = -1, 0.0
    for horizon in range(HORIZONS):
        best, highest = -1, 0.0
        for place in range(said):
            score = memory[i, scores + horizon * said + place]
            if score > highest and memory[i, voices + place // size] > 0.0:
                best, highest = place, score
        throw = -1
        if best >= 0:
            throw = (int(memory[i, voices + best // size]) - 1 + best % size) % size
        memory[i, choices + horizon] = throw + 1
        if throw >= 0 and memory[i, trust + horizon] >= most:
            chosen, most = throw, memory[i, trust + horizon]
    return chosen


@compiled(void(OBSERVATIONS, MEMORY, UNIFORMS, MATRIX, int64[::1], float64[::1], int64, ACTIONS))
def _iocaine(
    observations: Features,
    memory: Floats,
    uniforms: Floats,
    payoffs: Floats,
    at: Ints,
    fading: Floats,
    rounds: int,
    actions: Ints,
) -> None:
    size = len(payoffs)
    for i in range(len(actions)):
        other = last_throw(observations, i, size, size)
        chosen = -1
        if other >= 0:
            own = last_throw(observations, i, 0, size)
            _settle(memory, i, at, size, payoffs, other, fading)
            memory[i, at[1] + int(memory[i, 0])] = own
            memory[i, at[1] + rounds + int(memory[i, 0])] = other
            memory[i, 0] += 1.0
            memory[i, at[3] + other] += 1.0
            memory[i, at[3] + size + own] += 1.0
            _listen(memory, i, at, size, rounds)
            chosen = _choose(memory, i, at, size)
        actions[i] = chosen if chosen >= 0 else int(uniforms[i, 0] * size)


class IocaineAgent(CompiledBot):
    """Plays the best of several predictors, each in every rotation.

    The predictors are the longest earlier run of throws by both players, by the other, or by itself, and the commonest
    throw. Each predicts the other's next throw, and the throw of this player that the other may expect. The other may
    foresee a prediction and its answer in turn, so each prediction is used in every rotation. The score of each is the
    points that it would have won, over several horizons. Each horizon chooses the prediction with the best score; the
    choice of the horizon with the best score is played. If no score is above 0, a random throw is played.

    The method is that of Iocaine Powder, which won the First International RoShamBo Programming Competition.

    Source: Egnor (2000), Iocaine Powder, ICGA Journal 23(1).

    Memory: see :func:`_sizes`.
    """

    def __init__(self, game: Game, seed: int | None = None) -> None:
        super().__init__(game, seed)
        self.rounds = game.options["rounds"]
        sizes: Any = list(_sizes(game.num_actions, self.rounds).values())
        self.places: Ints = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        self.memory_size = sum(sizes)
        self.decision = _iocaine, (self.payoffs, self.places, FADING, self.rounds)
