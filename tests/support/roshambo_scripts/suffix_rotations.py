"""The continuation of the longest match, of three histories and several lengths, in six turns with decayed scores."""

import random

if input == "":
    LENGTHS = (20, 12, 7, 4, 2, 1)
    DECAY = 0.93
    mine = theirs = both = ""
    scores = [0.0] * (3 * len(LENGTHS) * 6)
    guesses = [None] * len(scores)
else:
    their_throw = "RPS".index(input)
    for strategy, guess in enumerate(guesses):
        scores[strategy] *= DECAY
        if guess is not None:
            scores[strategy] += (0, 1, -1)[(guess - their_throw) % 3]
    mine += output
    theirs += input
    both += "abcdefghi"[3 * my_throw + their_throw]

guesses = []
for history in (mine, theirs, both):
    for length in LENGTHS:
        found = -1
        for size in range(min(length, len(history) - 1), 0, -1):
            found = history.rfind(history[-size:], 0, len(history) - 1)
            if found >= 0:
                found += size
                break
        for player in (mine, theirs):
            for turn in range(3):
                guesses.append(("RPS".index(player[found]) + turn) % 3 if found >= 0 else None)
ranked = sorted(range(len(scores)), key=lambda strategy: scores[strategy] + 0.01 * random.random())
best = ranked[-1]
my_throw = guesses[best] if guesses[best] is not None and scores[best] > 0.5 else random.randrange(3)
output = "RPS"[my_throw]
