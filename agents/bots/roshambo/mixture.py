"""``mixture``, the strongest player of Roshambo: six mixtures of many predictors, which a last one combines.

The predictors of :mod:`nashzoo.agents.bots.roshambo.mixture_predictors` give probabilities of the other's next throw.
Six *mixers* combine them:

- one is fixed share (Herbster and Warmuth 1998): a predictor's weight is multiplied by the probability that it gave to
  the throw, and a small part of all weights is shared equally; its logarithmic loss is not much larger than that of
  the best sequence of few predictors;
- two weigh each predictor by the exponential of its logarithmic score, with two rates of decay;
- three are logistic: the weights of all predictors follow the gradient of the logarithmic loss, with three rates.

A last, logistic mixer combines the six with statistics of the other's throws relative to the six answers: an opponent
that predicts an answer throws what beats it, and these statistics predict that. The player's answer is the best
response to the mixture. If its expected gain is small, it often plays a random throw instead, and always while its
answers would have lost recently (stop-loss): an opponent that predicts the answers wins nothing from random throws.
"""

import math

import numpy as np

from nashzoo.agents.basic.checks import check_probability
from nashzoo.agents.bots.roshambo import mixture_predictors as predictors
from nashzoo.agents.bots.roshambo.counting import ACTIONS, MEMORY, OBSERVATIONS, UNIFORMS, last_throw
from nashzoo.agents.bots.roshambo.fixed import CompiledBot
from nashzoo.agents.bots.roshambo.mixture_predictors import EXPECTED, FEATURES, ROW, THROWS, largest_of, learn, predict
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game
from nashzoo.envs.games.roshambo import rules as roshambo
from nashzoo.envs.jit.compiled import Features, Floats, Ints, compiled
from nashzoo.envs.jit.numba import float64, int64, void

SHARED = 0.02  # of the weights, at each throw
SCORE_FADING = np.array([0.97, 0.995])
RATES = np.array([0.0007, 0.003, 0.012])
SCORED, LOGISTIC = len(SCORE_FADING), len(RATES)
MIXERS = 1 + SCORED + LOGISTIC
FIRST_LOGISTIC = 1 + SCORED
NEGLIGIBLE = 7.0  # predictors with scores lower than the best by this are left out

READINGS = MIXERS + 1  # statistics relative to the answer of each mixer, and of all
INPUTS = MIXERS + READINGS
LAST_RATE = 0.01
READING_FADING, READING_PRIOR = 0.95, 0.5
FIRST_WEIGHT = 3.0 / predictors.PREDICTORS  # of each predictor in a logistic mixer
FIRST_MIXER_WEIGHT, FIRST_READING_WEIGHT = 1.0 / MIXERS, 0.1 / MIXERS
SMALLEST = 0.002  # added to probabilities before their logarithm is taken
EARNED_FADING, STOP_LOSS = 0.98, -1.0

# The parts of a game's memory after those of the predictors.
PARTS = {
    "shares": FEATURES,  # weights of the first mixer
    "scores": SCORED * FEATURES,
    "weights": LOGISTIC * FEATURES,
    "mixes": 3 * MIXERS,  # the probabilities of the other's throws according to each mixer
    "answers": READINGS,  # the answer of each mixer, and of all six
    "readings": 3 * READINGS,  # decayed counts of the distance of the other's throws from the answers
    "inputs": 3 * INPUTS,  # logarithms of probabilities, minus their mean
    "input weights": INPUTS,
    "mix": 3,  # the last mixer's probabilities
    "answer": 1,  # the best response to them
    "earned": 1,  # decayed points of the answers
}
SHARES, SCORES, WEIGHTS, MIXES, ANSWERS, READ, IN, IN_WEIGHTS, MIX, ANSWER, EARNED, MEMORY_SIZE = (
    int(place) for place in predictors.END + np.cumsum([0, *PARTS.values()])
)


@compiled(void(ROW, int64, int64))
def _soften(row: Floats, source: int, target: int) -> None:
    """Turns three logits into probabilities."""
    top = max(row[source], row[source + 1], row[source + 2])
    e0, e1, e2 = math.exp(row[source] - top), math.exp(row[source + 1] - top), math.exp(row[source + 2] - top)
    total = e0 + e1 + e2
    row[target], row[target + 1], row[target + 2] = e0 / total, e1 / total, e2 / total


@compiled(void(ROW))
def begin(row: Floats) -> None:
    """Sets the weights before the first throw."""
    for feature in range(FEATURES):
        row[SHARES + feature] = 1.0 / FEATURES
    for k in range(LOGISTIC * FEATURES):
        row[WEIGHTS + k] = FIRST_WEIGHT
    for k in range(INPUTS):
        row[IN_WEIGHTS + k] = FIRST_MIXER_WEIGHT if k < MIXERS else FIRST_READING_WEIGHT


@compiled(void(ROW, int64))
def reweigh(row: Floats, other: int) -> None:
    """Increases the weights of predictors and mixers that expected the other's throw."""
    miss0, miss1, miss2 = -row[MIX], -row[MIX + 1], -row[MIX + 2]
    miss0, miss1, miss2 = miss0 + (other == 0), miss1 + (other == 1), miss2 + (other == 2)
    for k in range(INPUTS):
        slope = miss0 * row[IN + 3 * k] + miss1 * row[IN + 3 * k + 1] + miss2 * row[IN + 3 * k + 2]
        row[IN_WEIGHTS + k] += LAST_RATE * slope
    for k in range(READINGS):
        for turn in range(3):
            row[READ + 3 * k + turn] *= READING_FADING
        row[READ + 3 * k + (other - int(row[ANSWERS + k])) % 3] += 1.0

    expected = EXPECTED + other * FEATURES
    kept, share = (1.0 - SHARED) / row[MIXES + other], SHARED / FEATURES
    for feature in range(FEATURES):
        row[SHARES + feature] = kept * row[SHARES + feature] * row[expected + feature] + share
    fast, slow = SCORE_FADING[0], SCORE_FADING[1]
    for feature in range(FEATURES):
        gain = math.log(3.0 * row[expected + feature])
        row[SCORES + feature] = fast * row[SCORES + feature] + gain
        row[SCORES + FEATURES + feature] = slow * row[SCORES + FEATURES + feature] + gain
    for k in range(LOGISTIC):
        mix, weights, rate = MIXES + 3 * (FIRST_LOGISTIC + k), WEIGHTS + k * FEATURES, 3.0 * RATES[k]
        miss0, miss1, miss2 = -row[mix] * rate, -row[mix + 1] * rate, -row[mix + 2] * rate
        for feature in range(FEATURES):
            place = EXPECTED + feature
            slope = miss0 * row[place] + miss1 * row[place + FEATURES] + miss2 * row[place + 2 * FEATURES]
            row[weights + feature] += slope + rate * row[expected + feature]


@compiled(void(ROW, int64, int64))
def _weighted(row: Floats, weights: int, mix: int) -> None:
    """Writes the sum of the predictors' probabilities times their weights."""
    sum0, sum1, sum2 = 0.0, 0.0, 0.0
    for feature in range(FEATURES):
        weight, place = row[weights + feature], EXPECTED + feature
        sum0 += weight * row[place]
        sum1 += weight * row[place + FEATURES]
        sum2 += weight * row[place + 2 * FEATURES]
    row[mix], row[mix + 1], row[mix + 2] = sum0, sum1, sum2


@compiled(void(ROW, int64, int64))
def _by_score(row: Floats, scores: int, mix: int) -> None:
    """Writes the sum of the predictors' probabilities times the exponentials of their scores."""
    highest = row[scores]
    for feature in range(1, FEATURES):
        if row[scores + feature] > highest:
            highest = row[scores + feature]
    sum0, sum1, sum2 = 0.0, 0.0, 0.0
    for feature in range(FEATURES):
        score = row[scores + feature] - highest
        if score > -NEGLIGIBLE:
            weight, place = math.exp(score), EXPECTED + feature
            sum0 += weight * row[place]
            sum1 += weight * row[place + FEATURES]
            sum2 += weight * row[place + 2 * FEATURES]
    row[mix], row[mix + 1], row[mix + 2] = sum0, sum1, sum2


@compiled(void(ROW, int64))
def _normalise(row: Floats, mix: int) -> None:
    """Divides three numbers by their sum."""
    total = row[mix] + row[mix + 1] + row[mix + 2]
    for k in range(3):
        row[mix + k] /= total


@compiled(void(ROW, int64, int64, float64, int64))
def _logarithms(row: Floats, source: int, target: int, added: float, turn: int) -> None:
    """Writes the logarithms of three numbers minus their mean, rotated by ``turn`` places."""
    l0, l1, l2 = math.log(row[source] + added), math.log(row[source + 1] + added), math.log(row[source + 2] + added)
    mean = (l0 + l1 + l2) / 3.0
    row[target + turn] = l0 - mean
    row[target + (turn + 1) % 3] = l1 - mean
    row[target + (turn + 2) % 3] = l2 - mean


@compiled(int64(ROW, int64))
def best_answer(row: Floats, mix: int) -> int:
    """Returns the best response to the three weights from ``mix`` on, the first one if there are several."""
    return largest_of(row[mix + 2] - row[mix + 1], row[mix] - row[mix + 2], row[mix + 1] - row[mix])


@compiled(void(ROW))
def mix(row: Floats) -> None:
    """Writes the probabilities of the other's next throw: of each mixer, and of the last one."""
    _weighted(row, SHARES, MIXES)
    _normalise(row, MIXES)
    for k in range(SCORED):
        _by_score(row, SCORES + k * FEATURES, MIXES + 3 * (1 + k))
        _normalise(row, MIXES + 3 * (1 + k))
    for k in range(LOGISTIC):
        place = MIXES + 3 * (FIRST_LOGISTIC + k)
        _weighted(row, WEIGHTS + k * FEATURES, place)
        for throw in range(3):
            row[place + throw] *= 3.0
        _soften(row, place, place)

    for throw in range(3):
        row[MIX + throw] = 0.0
    for k in range(INPUTS):
        place = IN + 3 * k
        if k < MIXERS:
            _logarithms(row, MIXES + 3 * k, place, SMALLEST, 0)
            row[ANSWERS + k] = best_answer(row, MIXES + 3 * k)
        else:
            reading = k - MIXERS
            if reading == 0:
                row[ANSWERS + MIXERS] = best_answer(row, MIX)
            _logarithms(row, READ + 3 * reading, place, READING_PRIOR, int(row[ANSWERS + reading]))
        for throw in range(3):
            row[MIX + throw] += row[IN_WEIGHTS + k] * row[place + throw]
    _soften(row, MIX, MIX)


@compiled(void(OBSERVATIONS, MEMORY, UNIFORMS, float64, ACTIONS))
def _throw(observations: Features, memory: Floats, uniforms: Floats, caution: float, actions: Ints) -> None:
    for i in range(len(actions)):
        row = memory[i]
        other = last_throw(observations, i, 3, 3)
        if other < 0 or row[SHARES] == 0.0:  # a game may start in the middle
            begin(row)
        if other < 0:
            actions[i] = int(uniforms[i, 0] * 3)
            continue
        if row[THROWS] > 0:
            reweigh(row, other)
            ahead = (int(row[ANSWER]) - other) % 3
            row[EARNED] = EARNED_FADING * row[EARNED] + (ahead == 1) - (ahead == 2)
        learn(row, other, last_throw(observations, i, 0, 3))
        predict(row)
        mix(row)
        answer = best_answer(row, MIX)
        row[ANSWER] = answer
        gain = row[MIX + (answer + 2) % 3] - row[MIX + (answer + 1) % 3]
        trusted = gain >= caution * uniforms[i, 1] and row[EARNED] >= STOP_LOSS
        actions[i] = answer if trusted else int(uniforms[i, 0] * 3)


class MixtureAgent(CompiledBot):
    """Expects the mixture of many predictors, with weights from their results so far.

    Memory: ``PARTS`` of the predictors, then ``PARTS`` of this module.

    Args:
        game: Roshambo with rock, paper and scissors.
        caution: The expected gain below which the player mixes its answer with a uniformly random throw: the
            probability of the answer is then proportional to its gain. With 0 only the stop-loss does so.

    Raises:
        UsageError: the game is another one, or ``caution`` is not from 0 to 1.
    """

    memory_size = MEMORY_SIZE

    def __init__(self, game: Game, seed: int | None = None, *, caution: float = 0.12) -> None:
        super().__init__(game, seed)
        if game.actions != roshambo.ACTIONS:
            raise UsageError(f"mixture throws rock, paper or scissors; it cannot play {game}")
        self.caution = check_probability("caution", caution)
        self.decision = _throw, (self.caution,)
