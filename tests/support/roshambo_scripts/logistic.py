"""Multinomial logistic regression on the last throws and their pairs, learnt online, for either player; three turns."""

import math
import random

if input == "":
    RATE, BACK = 0.08, 5
    mine, theirs = [], []
    weights = ({}, {})
    scores = [0.0] * 6
    active, guesses = [], None
else:
    their_throw = "RPS".index(input)
    scores = [
        0.92 * score + (0, 1, -1)[(guess - their_throw) % 3] for score, guess in zip(scores, guesses, strict=True)
    ]
    for model, chances, throw in zip(weights, probabilities, (my_throw, their_throw), strict=True):
        for feature in active:
            row = model.setdefault(feature, [0.0] * 3)
            for k in range(3):
                row[k] += RATE * ((k == throw) - chances[k])
    mine.append(my_throw)
    theirs.append(their_throw)

single = []
for back in range(1, min(BACK, len(mine)) + 1):
    single += [(back, "mine", mine[-back]), (back, "theirs", theirs[-back])]
pairs = [(a, b) for i, a in enumerate(single) for b in single[i + 1 :] if a[0] + b[0] <= BACK]
active = ["bias", *single, *pairs]
probabilities, guesses = [], []
for model in weights:
    logits = [sum(model[feature][k] for feature in active if feature in model) for k in range(3)]
    powers = [math.exp(logit - max(logits)) for logit in logits]
    chances = [power / sum(powers) for power in powers]
    probabilities.append(chances)
    gains = [chances[(throw - 1) % 3] - chances[(throw + 1) % 3] for throw in range(3)]
    answer = max(range(3), key=lambda throw: gains[throw])
    guesses += [(answer + turn) % 3 for turn in range(3)]
best = max(range(6), key=lambda guess: scores[guess] + 0.01 * random.random())
my_throw = guesses[best] if scores[best] > 0 and random.random() < 0.97 else random.randrange(3)
output = "RPS"[my_throw]
