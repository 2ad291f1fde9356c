"""The predictors of ``mixture``: they predict the next throw of either player from the throws so far.

There are two kinds. *Counters* count the throws after a context: the last throws of one player or of both, their
results, the commonest throws; the counts of a context decay at each visit. *Matchers* search for earlier runs of
throws, of one player or of both, that equal the last throws; one takes the latest of the longest runs, another lets
all runs vote. Every predictor works for both players: the other one may predict our throw in the same way, and throw
what beats it.

A prediction is not used directly. For each predictor the distance of the other's throw from the prediction, 0, 1 or 2,
is counted; so a predictor that is always beaten is worth as much as one that is always right. There are separate
counts for four degrees of confidence.

All data is in ``row``, the memory of one game, see :data:`PARTS`. A throw is 0, 1 or 2; the next one beats it.
"""

import numpy as np

from nashzoo.envs.jit.compiled import Floats, compiled
from nashzoo.envs.jit.numba import float64, int64, void

ROW = float64[::1]
Votes = tuple[float, float, float]

LOOK_BACK = 1024  # throws in which runs are searched
DIGITS = 18
(
    THEIRS1, THEIRS2, THEIRS3, THEIRS4, THEIRS5,  # the other's last throw, the one before, ...
    MINE1, MINE2, MINE3, MINE4, MINE5,
    LEAD1, LEAD2,  # the other's throw minus this player's: 1 if the other won
    THEIR_ROLL, MY_ROLL,  # the last throw minus the one before
    THEIR_COMMONEST, THEIR_RAREST, MY_COMMONEST, MY_RAREST,  # throws so far
) = range(DIGITS)  # fmt: skip

# Contexts, as tuples of digits.
ABSOLUTE = (
    (),
    *((THEIRS1, THEIRS2, THEIRS3, THEIRS4, THEIRS5)[:order] for order in range(1, 6)),
    *((MINE1, MINE2, MINE3, MINE4, MINE5)[:order] for order in range(1, 6)),
    *((THEIRS1, MINE1, THEIRS2, MINE2, THEIRS3, MINE3)[:length] for length in (2, 3, 4, 6)),
    (THEIRS1, MINE1, MINE2),
    (THEIRS2,),
    (MINE2,),
    (THEIRS2, MINE2),
    (THEIR_COMMONEST, THEIR_RAREST),
    (MY_COMMONEST, MY_RAREST),
)
# In these contexts the distances from the last throw to the next are counted.
RELATIVE = ((LEAD1,), (LEAD1, LEAD2), (THEIR_ROLL,), (MY_ROLL,), (THEIR_ROLL, MY_ROLL, LEAD1))
CONTEXTS = len(ABSOLUTE) + len(RELATIVE)
FIRST_RELATIVE = len(ABSOLUTE)
# The digits of context c are DIGITS_OF[STARTS[c]:STARTS[c + 1]], its counts begin TABLES[c] numbers into each table.
DIGITS_OF = np.array([digit for context in ABSOLUTE + RELATIVE for digit in context], np.int64)
STARTS = np.cumsum([0] + [len(context) for context in ABSOLUTE + RELATIVE])
TABLES = np.cumsum([0] + [3 ** (len(context) + 1) for context in ABSOLUTE + RELATIVE])
TABLE = int(TABLES[-1])

WATCHED = 3
THEIRS, MINE, BOTH = range(WATCHED)  # the players whose throws must match; throws of both are 3 * other + own
LATEST, VOTE = range(2)

PREDICTORS = 2 * CONTEXTS + 2 * 2 * WATCHED  # each for the other's next throw and for this player's
FIRST_MATCHER = 2 * CONTEXTS
CONFIDENCES = 4
FEATURES = PREDICTORS + CONTEXTS + 1  # all predictors, the counts of the other's throws, and the uniform distribution

# The parts of a game's memory and their sizes.
PARTS = {
    "throws": 1,  # number of throws so far
    "history": WATCHED * LOOK_BACK,  # the throws, by their number modulo LOOK_BACK
    "runs": WATCHED * LOOK_BACK,  # length of the run up to each throw that equals the last throws
    "before": WATCHED * LOOK_BACK,  # 1 + the number of the previous throw that ended the same pair, 0 for none
    "latest": WATCHED * 9,  # 1 + the number of the latest throw of each kind, 0 for none
    "latest pairs": WATCHED * 81,  # the same for pairs of throws, by the number of the second
    "often": 6,  # counts of the other's throws, then of this player's
    "tables": 2 * TABLE,  # the counts of the contexts: of the other's next throws, then of this player's
    "seen": DIGITS,  # current values of the digits of contexts
    "visited": CONTEXTS,  # index of the current context in a table
    "named": PREDICTORS,  # predictions, alternately of the other's throw and of this player's
    "sure": PREDICTORS,  # confidence of each predictor
    "turns": PREDICTORS * CONFIDENCES * 3,  # counts of the distance of the other's throw from each prediction
    "expected": 3 * FEATURES,  # the probabilities of the other's throws according to each predictor
}
(
    THROWS, HISTORY, RUNS, BEFORE, LATEST_OF, LATEST_PAIRS, OFTEN, COUNTED, SEEN, VISITED, NAMED, SURE, TURNS, EXPECTED,
    END,
) = (int(place) for place in np.cumsum([0, *PARTS.values()]))  # fmt: skip

COUNT_FADING = 0.985
TURN_FADING = 0.99
COUNT_PRIOR, TURN_PRIOR = 0.7, 0.3
LITTLE, MUCH = 0.6, 0.85  # shares of the commonest throw from which the confidence is higher
LONG_RUNS = (3, 5, 8)
RECENCY = 0.02  # decrease of the weight of older runs


@compiled(int64(float64, float64, float64))
def largest_of(first: float, second: float, third: float) -> int:
    """Returns the index of the largest of three numbers, the first one if there are several."""
    if first >= second and first >= third:
        return 0
    return 1 if second >= third else 2


@compiled(int64(ROW, int64))
def largest(row: Floats, first: int) -> int:
    """Returns the index of the largest of three numbers from ``first`` on."""
    return largest_of(row[first], row[first + 1], row[first + 2])


@compiled(inline=True)
def entry(part: int, watched: int, number: int) -> int:
    """Returns the index in memory of a throw's entry in a part: ``HISTORY``, ``RUNS`` or ``BEFORE``."""
    return part + watched * LOOK_BACK + number % LOOK_BACK


@compiled(int64(ROW, int64, int64))
def thrown(row: Floats, whose: int, ago: int) -> int:
    """Returns an earlier throw, 0 if there was none; ``ago`` is 1 for the last one."""
    number = int(row[THROWS]) - ago
    return int(row[entry(HISTORY, whose, number)]) if number >= 0 else 0


@compiled(void(ROW, int64, int64))
def learn(row: Floats, other: int, own: int) -> None:
    """Counts the last throws, for each predictor and context, and adds them to the history."""
    if row[THROWS] > 0:
        for predictor in range(PREDICTORS):
            turn = (other - int(row[NAMED + predictor])) % 3
            place = TURNS + 3 * (predictor * CONFIDENCES + int(row[SURE + predictor]))
            for k in range(3):
                row[place + k] *= TURN_FADING
            row[place + turn] += 1.0
        for context in range(CONTEXTS):
            for player in range(2):
                throw = own if player else other
                if context >= FIRST_RELATIVE:
                    throw = (throw - thrown(row, player, 1)) % 3
                place = COUNTED + player * TABLE + int(row[VISITED + context])
                for k in range(3):
                    row[place + k] *= COUNT_FADING
                row[place + throw] += 1.0
    number = int(row[THROWS])
    row[entry(HISTORY, THEIRS, number)] = other
    row[entry(HISTORY, MINE, number)] = own
    row[entry(HISTORY, BOTH, number)] = 3 * other + own
    row[OFTEN + other] += 1.0
    row[OFTEN + 3 + own] += 1.0
    row[THROWS] += 1.0


@compiled(inline=True)
def last_same(row: Floats, watched: int, last: int) -> int:
    """Returns the number of the latest earlier throw that equals the last one, -1 for none; stores the last."""
    place = LATEST_OF + 9 * watched + int(row[entry(HISTORY, watched, last)])
    number = int(row[place]) - 1
    row[place] = last + 1
    return number


@compiled(inline=True)
def last_same_pair(row: Floats, watched: int, last: int) -> int:
    """Returns the same for the last two throws, by the number of the second, and stores it in ``BEFORE``."""
    if last == 0:
        return -1
    now, previous = row[entry(HISTORY, watched, last)], row[entry(HISTORY, watched, last - 1)]
    place = LATEST_PAIRS + 81 * watched + 9 * int(previous) + int(now)
    number = int(row[place]) - 1
    row[entry(BEFORE, watched, last)] = row[place]
    row[place] = last + 1
    return number


@compiled(inline=True)
def measure_run(row: Floats, watched: int, number: int, third: float) -> float:
    """Returns and stores the length of the run up to a throw that equals the last throws.

    Its last two throws match; ``third`` is the throw to match before them, -1 for none. The stored run that ended one
    throw earlier is current if it had at least two throws; otherwise it had one.
    """
    run = 2.0
    if number > 1 and row[entry(HISTORY, watched, number - 2)] == third:
        run = row[entry(RUNS, watched, number - 1)] + 1.0
    row[entry(RUNS, watched, number)] = run
    return run


@compiled(inline=True)
def voted(votes: Votes, throw: float, weight: float) -> Votes:
    """Returns the votes for the three throws after adding a weight to one."""
    if throw == 0.0:
        return votes[0] + weight, votes[1], votes[2]
    if throw == 1.0:
        return votes[0], votes[1] + weight, votes[2]
    return votes[0], votes[1], votes[2] + weight


@compiled(void(ROW, int64))
def seek(row: Floats, watched: int) -> None:
    """Searches for earlier runs that equal the last throws, and stores the throws that followed them.

    Only places at which the last two throws match are visited; ``BEFORE`` links each to the previous one.
    """
    last = int(row[THROWS]) - 1
    earliest = max(last - LOOK_BACK + 3, 0)
    place, longest = last_same(row, watched, last), 1.0
    if place < earliest:
        place, longest = -1, 0.0
    number = last_same_pair(row, watched, last)
    third = row[entry(HISTORY, watched, last - 2)] if last > 1 else -1.0
    votes, my_votes = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    while number >= earliest:
        run = measure_run(row, watched, number, third)
        if run > longest:
            place, longest = number, run
        weight = run * run * run / (1.0 + RECENCY * (last - number))
        votes = voted(votes, row[entry(HISTORY, THEIRS, number + 1)], weight)
        my_votes = voted(my_votes, row[entry(HISTORY, MINE, number + 1)], weight)
        number = int(row[entry(BEFORE, watched, number)]) - 1

    confidence = 0
    for run_length in LONG_RUNS:
        if longest >= run_length:
            confidence += 1
    first = FIRST_MATCHER + 4 * watched
    for k in range(4):
        row[SURE + first + k] = confidence
    following = place + 1 if place >= 0 else last
    row[NAMED + first + 2 * LATEST] = row[entry(HISTORY, THEIRS, following)]
    row[NAMED + first + 2 * LATEST + 1] = row[entry(HISTORY, MINE, following)]
    row[NAMED + first + 2 * VOTE] = largest_of(votes[0], votes[1], votes[2])
    row[NAMED + first + 2 * VOTE + 1] = largest_of(my_votes[0], my_votes[1], my_votes[2])


@compiled(void(ROW))
def look(row: Floats) -> None:
    """Stores the current digits of contexts."""
    for whose in range(2):
        for ago in range(1, 6):
            row[SEEN + 5 * whose + ago - 1] = thrown(row, whose, ago)
        first = OFTEN + 3 * whose
        commonest = largest(row, first)
        one, two = (commonest + 1) % 3, (commonest + 2) % 3
        row[SEEN + THEIR_COMMONEST + 2 * whose] = commonest
        row[SEEN + THEIR_RAREST + 2 * whose] = one if row[first + one] < row[first + two] else two
    row[SEEN + LEAD1] = (row[SEEN + THEIRS1] - row[SEEN + MINE1]) % 3
    row[SEEN + LEAD2] = (row[SEEN + THEIRS2] - row[SEEN + MINE2]) % 3
    row[SEEN + THEIR_ROLL] = (row[SEEN + THEIRS1] - row[SEEN + THEIRS2]) % 3
    row[SEEN + MY_ROLL] = (row[SEEN + MINE1] - row[SEEN + MINE2]) % 3


@compiled(void(ROW))
def count(row: Floats) -> None:
    """Finds the current contexts, and stores their commonest next throws, and the frequencies of the other's."""
    for context in range(CONTEXTS):
        number = 0
        for k in range(STARTS[context], STARTS[context + 1]):
            number = 3 * number + int(row[SEEN + DIGITS_OF[k]])
        place = int(TABLES[context]) + 3 * number
        row[VISITED + context] = place
        for player in range(2):
            first = COUNTED + player * TABLE + place
            base = int(row[SEEN + 5 * player]) if context >= FIRST_RELATIVE else 0
            commonest = largest(row, first)
            total = row[first] + row[first + 1] + row[first + 2]
            share = (row[first + commonest] + 0.5) / (total + 1.5)
            confidence = 0
            if total > 0.5:
                confidence = 1 if share < LITTLE else 2 if share < MUCH else 3
            row[NAMED + 2 * context + player] = (commonest + base) % 3
            row[SURE + 2 * context + player] = confidence
            if player == 0:
                for k in range(3):
                    feature = EXPECTED + (k + base) % 3 * FEATURES + PREDICTORS + context
                    row[feature] = (row[first + k] + COUNT_PRIOR) / (total + 3.0 * COUNT_PRIOR)


@compiled(void(ROW))
def predict(row: Floats) -> None:
    """Writes the probabilities of the other's next throw according to each predictor."""
    for watched in range(WATCHED):
        seek(row, watched)
    look(row)
    count(row)
    for predictor in range(PREDICTORS):
        place = TURNS + 3 * (predictor * CONFIDENCES + int(row[SURE + predictor]))
        total = row[place] + row[place + 1] + row[place + 2] + 3.0 * TURN_PRIOR
        for turn in range(3):
            throw = (int(row[NAMED + predictor]) + turn) % 3
            row[EXPECTED + throw * FEATURES + predictor] = (row[place + turn] + TURN_PRIOR) / total
    for throw in range(3):
        row[EXPECTED + throw * FEATURES + FEATURES - 1] = 1.0 / 3.0
