"""Context-tree weighting of the other's throws and of one's own; the best turn of the two answers by decayed score."""

import random

if input == "":
    DEPTH = 7
    both = []
    # A node of a tree: counts of the next throw, weighted by 0.95 at each visit, and the ratio of the
    # probabilities that its own counts and its children have given to what came.
    trees = ({}, {})
    scores = [0.0] * 6
    guesses = None
else:
    their_throw = "RPS".index(input)
    scores = [
        0.95 * score + (0, 1, -1)[(guess - their_throw) % 3] for score, guess in zip(scores, guesses, strict=True)
    ]
    for tree, path, parts, throw in zip(trees, paths, estimates, (my_throw, their_throw), strict=True):
        for context, (own, below) in zip(path, parts, strict=True):
            node = tree.setdefault(context, [0.0, 0.0, 0.0, 1.0])
            if below is not None:
                node[3] = min(max(node[3] * own[throw] / below[throw], 1e-4), 1e4)
            node[:3] = [0.95 * count for count in node[:3]]
            node[throw] += 1
    both.append((my_throw, their_throw))

paths, estimates, mixed = [], [], []
for player, tree in enumerate(trees):
    # The tree of each player looks at that player's last throw first, then the other's, and so on back.
    symbols = [pair[player ^ side] for pair in reversed(both[-DEPTH:]) for side in (0, 1)][:DEPTH]
    path = [tuple(symbols[:length]) for length in range(len(symbols) + 1)]
    parts, below = [], None
    for context in reversed(path):
        *counts, ratio = tree.get(context, (0.0, 0.0, 0.0, 1.0))
        own = [(count + 0.3) / (sum(counts) + 0.9) for count in counts]
        parts.append((own, below))
        if below is None:
            below = own
        else:
            weight = ratio / (1 + ratio)
            below = [weight * a + (1 - weight) * b for a, b in zip(own, below, strict=True)]
    paths.append(path)
    estimates.append(parts[::-1])
    mixed.append(below)
guesses = []
for probabilities in mixed:
    gains = [probabilities[(throw - 1) % 3] - probabilities[(throw + 1) % 3] for throw in range(3)]
    answer = max(range(3), key=lambda throw: gains[throw])
    guesses += [(answer + turn) % 3 for turn in range(3)]
best = max(range(6), key=lambda guess: scores[guess] + 0.01 * random.random())
my_throw = guesses[best] if scores[best] > 0.5 else random.randrange(3)
output = "RPS"[my_throw]
