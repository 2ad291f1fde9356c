"""The scripted players of Roshambo who look for what has been before: ``history``, and ``iocaine`` on top of it.

Their memory holds all throws of the match, see :mod:`nashzoo.agents.bots.roshambo.counting` for what it has in common
with others. For every throw before it also holds how long a run of throws up to it was the same as the last ones: a
throw makes each of these runs longer by one, or breaks it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import float64, int64, void

from nashzoo.agents.bots.roshambo.counting import ACTIONS, MATRIX, MEMORY, OBSERVATIONS, UNIFORMS, last_throw
from nashzoo.agents.bots.roshambo.fixed import CompiledBot
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.compilation.compiled import Features, Floats, Ints, compiled
from nashzoo.envs.core.game import Game
from nashzoo.envs.games import roshambo

WATCHED = ("both", "other", "own")  # whose throws must be the same
BOTH, OTHER, OWN = range(3)


@compiled(int64(MEMORY, int64, int64, int64, int64, int64, int64))
def longest_run(memory: Floats, i: int, history: int, rounds: int, runs: int, throws: int, watched: int) -> int:
    """Returns where the throws were the same as the last ones for longest, the latest of such places; -1 for nowhere.

    Args:
        memory: ``[B, memory_size]``; the runs in it are brought up to date with the last throw.
        i: The game.
        history: Where in memory the own throws begin; the other's follow on them.
        rounds: How many there is room for.
        runs: Where in memory the lengths of the runs that end at each throw begin, after a 0.
        throws: How many throws there were, at least 1.
        watched: Whose throws must be the same, by its place in ``WATCHED``.
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
    """Finds where the throws were the same as the last ones for longest, and expects what the other threw then.

    Of places that are equally good it takes the latest. Where the last throw has never been before, any throw.

    Memory: how many throws there were, then the own throws, the other's, and the runs after a 0.

    Args:
        game: Roshambo.
        seed: As for every player.
        watch: Whose throws must be the same: ``"both"``, ``"other"`` or ``"own"``.

    Raises:
        UsageError: the game is another one, or ``watch`` is none of these.
    """

    def __init__(self, game: Game, seed: int | None = None, *, watch: str = "both") -> None:
        super().__init__(game, seed)
        if watch not in WATCHED:
            raise UsageError(f"watch must be {', '.join(map(repr, WATCHED))}, not {watch!r}")
        self.watched = WATCHED.index(watch)
        self.rounds = int(game.params[roshambo.ROUNDS])
        self.memory_size = 2 + 3 * self.rounds

    def decision(self) -> tuple[Callable[..., None], tuple[Any, ...]]:
        """Takes down the last throws, and answers what followed on them before."""
        return _follow_history, (self.answers, self.rounds, self.watched)


# What is left of a score after a throw: how well somebody did over about 1000, 100, 10, 5, 2 throws.
FADING = np.array([0.999, 0.99, 0.9, 0.8, 0.5])
HORIZONS = len(FADING)
PREDICTORS = len(WATCHED) + 1  # the runs, and how often each throw was played
ROLES = 2  # what the other throws next, and what the other may expect this player to throw


def _sizes(size: int, rounds: int) -> dict[str, int]:
    """Returns how many numbers each part of Iocaine's memory has, in order."""
    voices = PREDICTORS * ROLES
    return {
        "throws": 1,  # how many there were
        "history": 2 * rounds,  # the own throws, then the other's
        "runs": len(WATCHED) * (rounds + 1),
        "counts": ROLES * size,  # of the other's throws, and of the own ones
        "voices": voices,  # what each predictor says about each player's next throw, plus 1; 0 for nothing
        "scores": HORIZONS * voices * size,  # what each voice would have won, answered in each rotation
        "choices": HORIZONS,  # the throw that each horizon is for, plus 1; 0 for none
        "trust": HORIZONS,  # what each horizon's throws would have won
    }


@compiled(void(MEMORY, int64, int64[::1], int64, MATRIX, int64, float64[::1]))
def _settle(memory: Floats, i: int, at: Ints, size: int, payoffs: Floats, other: int, fading: Floats) -> None:
    """Scores what every voice and every horizon said about the throw that was just played."""
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
    """Asks every predictor about both players' next throws."""
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
    """Returns the throw of the horizon that is trusted most, -1 for none; every horizon chooses its best voice."""
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
    """Plays whichever of many simple ideas has done best, each with all that could be made of it.

    The ideas are the longest run of throws by both, by the other, or by itself that has been before, and the throw
    played most often. Each says what the other will throw, and what the other may expect this player to throw; each
    such voice can be right, or foreseen and answered, or foreseen in that too, and so is heard in every rotation. All
    are scored by what they would have won, over several horizons at once; each horizon has its favourite, and of
    those the one whose horizon has done best is played. Where no voice has won anything, any throw.

    The idea is that of Iocaine Powder, which won the First International RoShamBo Programming Competition.

    Source: Egnor (2000), Iocaine Powder, ICGA Journal 23(1).

    Memory: see :func:`_sizes`.
    """

    def __init__(self, game: Game, seed: int | None = None) -> None:
        super().__init__(game, seed)
        self.rounds = int(game.params[roshambo.ROUNDS])
        sizes: Any = list(_sizes(game.num_actions, self.rounds).values())
        self.places: Ints = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        self.memory_size = sum(sizes)

    def decision(self) -> tuple[Callable[..., None], tuple[Any, ...]]:
        """Scores what was said about the last throw, listens again, and chooses."""
        return _iocaine, (self.payoffs, self.places, FADING, self.rounds)
