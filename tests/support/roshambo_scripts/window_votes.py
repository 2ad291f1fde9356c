"""Many windows vote, in every turn; a strategy starts again from nothing when it loses, as a new one may be read."""

import random

if input == "":
    mine = theirs = both = ""
    streaks, totals, guesses = {}, {}, {}
else:
    their_throw = "RPS".index(input)
    for strategy, guess in guesses.items():
        won = (guess - their_throw) % 3
        totals[strategy] = 0.97 * totals.get(strategy, 0.0) + (0, 1, -1)[won]
        streak = streaks.get(strategy, 0.0)
        streaks[strategy] = streak + 1 if won == 1 else 0.8 * streak if won == 0 else 0.0
    mine += output
    theirs += input
    both += "abcdefghi"[3 * my_throw + their_throw]

guesses = {}
for name, history in (("mine", mine), ("theirs", theirs), ("both", both)):
    for length in (1, 2, 3, 4, 5, 7, 9, 12, 16):
        if len(history) <= length:
            continue
        at = history.rfind(history[-length:], 0, len(history) - 1)
        if at < 0:
            break
        for player, throws in enumerate((mine, theirs)):
            for turn in range(3):
                guesses[name, length, player, turn] = ("RPS".index(throws[at + length]) + turn) % 3
votes = [0.0, 0.0, 0.0]
for strategy, guess in guesses.items():
    total = totals.get(strategy, 0.0)
    if total > 0:
        votes[guess] += total**3 * (1 + streaks.get(strategy, 0.0))
if any(votes) and random.random() < 0.95:
    my_throw = max(range(3), key=lambda throw: votes[throw])
else:
    my_throw = random.randrange(3)
output = "RPS"[my_throw]
