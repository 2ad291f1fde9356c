"""The predictors of ``mixture``: what either player may throw next, from what has been thrown before.

There are two kinds. *Counters* count what followed on a context: the last throws of one player or of both, who won,
which throws have been commonest; the counts of a context fade at each visit. *Matchers* look for the places where the
throws of one player, or of both, were the same as now for longest; one takes the latest of the best places, another
lets all places vote. Every predictor works for both players: the other one may expect what these predictors expect of
us, and throw what beats it.

What a predictor says is not believed but interpreted. For each predictor it is counted how far from what it named the
other's throw was, 0, 1 or 2 further; so one that is always beaten is worth as much as one that is always right. These
counts are kept apart for four degrees of confidence.

Everything is kept in ``row``, the memory of one game, see :data:`PARTS`. A throw is 0, 1 or 2, and beaten by the next.
"""

import numpy as np
from numba import float64, int64, void

from nashzoo.envs.compilation.compiled import Floats, compiled

ROW = float64[::1]
Votes = tuple[float, float, float]

LOOK_BACK = 1024  # throws that are looked through for places like the present one
DIGITS = 18
(
    THEIRS1, THEIRS2, THEIRS3, THEIRS4, THEIRS5,  # the other's last throw, the one before, ...
    MINE1, MINE2, MINE3, MINE4, MINE5,
    LEAD1, LEAD2,  # the other's throw minus the own one: 1 if the other won
    THEIR_ROLL, MY_ROLL,  # the last throw minus the one before
    THEIR_COMMONEST, THEIR_RAREST, MY_COMMONEST, MY_RAREST,  # throws so far
) = range(DIGITS)  # fmt: skip

# Contexts, as the digits that make them up.
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
# In these it is counted how far the next throw is from the last one.
RELATIVE = (
    (LEAD1,),
    (LEAD1, LEAD2),
    (THEIR_ROLL,),
    (MY_ROLL,),
    (THEIR_ROLL, MY_ROLL, LEAD1),
)
CONTEXTS = len(ABSOLUTE) + len(RELATIVE)
FIRST_RELATIVE = len(ABSOLUTE)
# The digits of context c are DIGITS_OF[STARTS[c]:STARTS[c + 1]], its counts begin TABLES[c] numbers into each table.
DIGITS_OF = np.array([digit for context in ABSOLUTE + RELATIVE for digit in context], np.int64)
STARTS = np.cumsum([0] + [len(context) for context in ABSOLUTE + RELATIVE])
TABLES = np.cumsum([0] + [3 ** (len(context) + 1) for context in ABSOLUTE + RELATIVE])
TABLE = int(TABLES[-1])

WATCHED = 3
THEIRS, MINE, BOTH = range(WATCHED)  # whose throws must be the same; those of both are 3 * other + own
LATEST, VOTE = range(2)

PREDICTORS = 2 * CONTEXTS + 2 * 2 * WATCHED  # each for the other's next throw and for the own one
FIRST_MATCHER = 2 * CONTEXTS
CONFIDENCES = 4
FEATURES = PREDICTORS + CONTEXTS + 1  # what all predictors, the counts of the other's throws, and nobody would expect

# The parts of a game's memory and their sizes.
PARTS = {
    "throws": 1,  # how many there were
    "history": WATCHED * LOOK_BACK,  # the throws, by their number modulo LOOK_BACK
    "runs": WATCHED * LOOK_BACK,  # how long a run of throws up to here was the same as the last ones
    "before": WATCHED * LOOK_BACK,  # 1 + the number of the throw before that ended the same pair, 0 for none
    "latest": WATCHED * 9,  # 1 + the number of the latest throw of each kind, 0 for none
    "latest pairs": WATCHED * 81,  # the same for pairs of throws, by the number of the second
    "often": 6,  # how often the other threw each throw, then oneself
    "tables": 2 * TABLE,  # the counts of the contexts: what the other threw next, then what oneself did
    "seen": DIGITS,  # what the digits of contexts are at present
    "visited": CONTEXTS,  # where in a table the present context is
    "named": PREDICTORS,  # what each predictor says, the other's throw and the own one by turns
    "sure": PREDICTORS,  # how confident it is
    "turns": PREDICTORS * CONFIDENCES * 3,  # how far the other's throw was from what each predictor named
    "expected": 3 * FEATURES,  # the probabilities of the other's throws according to each predictor
}
(
    THROWS,
    HISTORY,
    RUNS,
    BEFORE,
    LATEST_OF,
    LATEST_PAIRS,
    OFTEN,
    COUNTED,
    SEEN,
    VISITED,
    NAMED,
    SURE,
    TURNS,
    EXPECTED,
    END,
) = (int(place) for place in np.cumsum([0, *PARTS.values()]))

COUNT_FADING = 0.985
TURN_FADING = 0.99
COUNT_PRIOR, TURN_PRIOR = 0.7, 0.3
LITTLE, MUCH = 0.6, 0.85  # shares of the commonest throw that make for more confidence
LONG_RUNS = (3, 5, 8)
RECENCY = 0.02  # how much less an older place has to say


@compiled(int64(ROW, int64))
def largest(row: Floats, first: int) -> int:
    """Returns which of three numbers from ``first`` on is largest, of equals the first."""
    if row[first] >= row[first + 1] and row[first] >= row[first + 2]:
        return 0
    return 1 if row[first + 1] >= row[first + 2] else 2


@compiled(inline=True)
def entry(part: int, watched: int, number: int) -> int:
    """Returns where in the memory the entry of a throw is: of its history, its runs or what is before."""
    return part + watched * LOOK_BACK + number % LOOK_BACK


@compiled(int64(ROW, int64, int64))
def thrown(row: Floats, whose: int, ago: int) -> int:
    """Returns a throw of the past, 0 where there was none; ``ago`` is 1 for the last one."""
    number = int(row[THROWS]) - ago
    return int(row[entry(HISTORY, whose, number)]) if number >= 0 else 0


@compiled(void(ROW, int64, int64))
def learn(row: Floats, other: int, own: int) -> None:
    """Counts the throws that were just played where they had been predicted, and adds them to the history."""
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
    """Returns the number of the latest throw before the last one that was the same, -1 for none; enters the last."""
    place = LATEST_OF + 9 * watched + int(row[entry(HISTORY, watched, last)])
    number = int(row[place]) - 1
    row[place] = last + 1
    return number


@compiled(inline=True)
def last_same_pair(row: Floats, watched: int, last: int) -> int:
    """Returns the same for the last two throws together, by the number of the second, and notes it as before."""
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
    """Returns how long a run of throws up to this one was the same as the last ones, and notes it.

    The last two throws are the same; ``third`` is the one before them, -1 for none. A run that ended one throw earlier
    is up to date if it too was of two throws at least, else it was of one.
    """
    run = 2.0
    if number > 1 and row[entry(HISTORY, watched, number - 2)] == third:
        run = row[entry(RUNS, watched, number - 1)] + 1.0
    row[entry(RUNS, watched, number)] = run
    return run


@compiled(inline=True)
def voted(votes: Votes, throw: float, weight: float) -> Votes:
    """Returns the votes for the three throws with one more."""
    if throw == 0.0:
        return votes[0] + weight, votes[1], votes[2]
    if throw == 1.0:
        return votes[0], votes[1] + weight, votes[2]
    return votes[0], votes[1], votes[2] + weight


@compiled(inline=True)
def elected(votes: Votes) -> int:
    """Returns the throw with the most votes, of equals the first."""
    if votes[0] >= votes[1] and votes[0] >= votes[2]:
        return 0
    return 1 if votes[1] >= votes[2] else 2


@compiled(void(ROW, int64))
def seek(row: Floats, watched: int) -> None:
    """Looks for places like the present one, and notes what followed there.

    Only places are visited where the last two throws are the same, each of which knows the one before it.
    """
    last = int(row[THROWS]) - 1
    earliest = max(last - LOOK_BACK + 3, 0)
    found, longest = last_same(row, watched, last), 1.0
    if found < earliest:
        found, longest = -1, 0.0
    number = last_same_pair(row, watched, last)
    third = row[entry(HISTORY, watched, last - 2)] if last > 1 else -1.0
    votes, my_votes = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    while number >= earliest:
        run = measure_run(row, watched, number, third)
        if run > longest:
            found, longest = number, run
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
    following = found + 1 if found >= 0 else last
    row[NAMED + first + 2 * LATEST] = row[entry(HISTORY, THEIRS, following)]
    row[NAMED + first + 2 * LATEST + 1] = row[entry(HISTORY, MINE, following)]
    row[NAMED + first + 2 * VOTE] = elected(votes)
    row[NAMED + first + 2 * VOTE + 1] = elected(my_votes)


@compiled(void(ROW))
def look(row: Floats) -> None:
    """Notes what the digits of contexts are at present."""
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
    """Finds the present contexts, and notes what followed on them most often, and the other's throws in proportion."""
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
    """Fills in the probabilities of the other's next throw according to each predictor."""
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
