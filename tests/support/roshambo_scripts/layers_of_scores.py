"""Strategies are scored at several speeds, and what each speed would choose is scored again, in three turns."""

import random

if input == "":
    SPEEDS = (0.99, 0.95, 0.85, 0.7)
    mine = theirs = both = ""
    scores = [{} for _ in SPEEDS]
    upper = {}
    guesses, answers = {}, {}
else:
    their_throw = "RPS".index(input)
    rewards = (0, 1, -1)
    for strategy, guess in guesses.items():
        reward = rewards[(guess - their_throw) % 3]
        for speed, score in zip(SPEEDS, scores, strict=True):
            score[strategy] = speed * score.get(strategy, 0.0) + reward
    for answer, throw in answers.items():
        upper[answer] = 0.9 * upper.get(answer, 0.0) + rewards[(throw - their_throw) % 3]
    mine += output
    theirs += input
    both += "abcdefghi"[3 * my_throw + their_throw]

guesses = {}
for name, history in (("mine", mine), ("theirs", theirs), ("both", both)):
    for length in (2, 3, 5, 8, 13):
        found = -1
        for size in range(min(length, len(history) - 1), 0, -1):
            found = history.rfind(history[-size:], 0, len(history) - 1) + size
            if found >= size:
                break
        else:
            continue
        for player, throws in enumerate((mine, theirs)):
            for turn in range(3):
                guesses[name, length, player, turn] = ("RPS".index(throws[found]) + turn) % 3
for player, throws in enumerate((mine, theirs)):
    for window in (5, 25, 1000):
        if throws:
            commonest = max(range(3), key=lambda throw: throws[-window:].count("RPS"[throw]))
            for turn in range(3):
                guesses["often", window, player, turn] = (commonest + turn) % 3
answers = {}
for speed, score in zip(SPEEDS, scores, strict=True):
    if score:
        best = max(score, key=lambda strategy: score[strategy] + 0.001 * random.random())
        for turn in range(3):
            answers[speed, turn] = (guesses[best] + turn) % 3 if best in guesses else random.randrange(3)
if answers and random.random() < 0.97:
    my_throw = answers[max(answers, key=lambda answer: upper.get(answer, 0.0) + 0.01 * random.random())]
else:
    my_throw = random.randrange(3)
output = "RPS"[my_throw]
