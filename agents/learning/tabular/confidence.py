"""Confidence sets for the probabilities of outcomes, and the largest expectation in them.

Of ``n`` independent draws, ``N_k`` were outcome ``k`` of ``m``. The set holds the distributions ``p`` whose likelihood
is at least ``delta`` times the mean likelihood over all distributions. The mean likelihood over that of the true
distribution is a martingale with the mean 1, so that with probability ``1 - delta`` the true one is in the sets of all
``n`` (method of mixtures). With ``q_k = N_k / n`` and the Kullback-Leibler divergence ``KL``, the set is ``KL(q, p) <=
radius`` where::

    n radius = log(1 / delta) + sum_k N_k log q_k + log((n + m - 1)! / ((m - 1)! N_1! ... N_m!))

The set depends on no values, so that it is valid for all of them at once: for those of the game and those of any
policy. Over the set the largest expectation of values ``f`` is, by duality::

    min over v >= max f of  v - exp(-radius) prod_k (v - f_k)^q_k

Every ``v`` gives an upper bound, so that the bound holds even where the search for the best ``v`` is inexact.

Sources: Ville (1939) and Robbins (1970), "Statistical methods related to the law of the iterated logarithm", for the
martingale; Filippi, Cappe and Garivier (2010), "Optimism in reinforcement learning and Kullback-Leibler divergence",
for the largest expectation; Jonsson et al. (2020), "Planning in Markov decision processes with gap-dependent sample
complexity", proposition 1, for a simpler and larger radius.
"""

import math

import numpy as np

from nashzoo.envs.jit.compiled import Floats, Ints, compiled

ROUNDING = 2.0**-44  # of a logarithm, or of a product of powers, where 1 is the largest term
STEPS = 8  # of Newton's method
TINY = 1e-100  # points: a range whose square could be 0
LEAST = 1e-12  # smallest distance of v from the largest value, where 1 is the range of the values


@compiled()
def radius(counts: Ints, state: int, log_confidence: float) -> float:
    """Returns the radius of the confidence set at a state with at least one draw, by counts ``[n, m]``, rounded up.

    ``log_confidence`` is ``log(1 / delta)``.
    """
    m, total = counts.shape[1], 0
    sofar = log_confidence - math.lgamma(float(m))
    for k in range(m):
        count = counts[state, k]
        total += count
        if count > 0:
            sofar += count * math.log(float(count)) - math.lgamma(count + 1.0)
    sofar += math.lgamma(float(total + m)) - total * math.log(float(total))
    return sofar / total + ROUNDING * math.log(float(total + m))


@compiled()
def highest_mean(worth: Floats, sign: float, counts: Ints, state: int, size: float) -> float:
    """Returns the largest expectation of ``sign`` times the values of outcomes over a confidence set, rounded up.

    The values are ``[n, c]``, the counts ``[n, m]`` with ``m`` at most ``c``; ``size`` is the radius of the set.
    """
    m = counts.shape[1]
    total, top, least = 0, -np.inf, np.inf
    for k in range(m):
        total += counts[state, k]
        top, least = max(top, sign * worth[state, k]), min(least, sign * worth[state, k])
    if top - least < TINY:
        return top
    below = variance = 0.0  # of the distances to the largest value
    for k in range(m):
        below += counts[state, k] / total * (top - sign * worth[state, k])
    for k in range(m):
        variance += counts[state, k] / total * (top - sign * worth[state, k] - below) ** 2
    # With v = top + x and the distances d to the largest value, the best x has excess(x) = radius, where excess(x) =
    # E log(x + d) + log E 1 / (x + d), about variance / 2 x^2 for large x: Newton's method for the logarithms.
    x = max(math.sqrt(0.5 * variance / size) - below, LEAST * (top - least))
    bound = top
    for _ in range(STEPS):
        logarithm = inverse = square = 0.0
        for k in range(m):
            share = counts[state, k] / total
            if share > 0.0:
                distance = x + (top - sign * worth[state, k])
                logarithm += share * math.log(distance)
                inverse += share / distance
                square += share / (distance * distance)
        rounding = ROUNDING * (1.0 + abs(logarithm)) * (x + top - least)
        bound = min(bound, top + x - math.exp(logarithm - size) + rounding)
        excess = logarithm + math.log(inverse)
        slope = x * (inverse - square / inverse)
        if excess <= 0.0 or slope >= 0.0:
            x = LEAST * (top - least)
            continue
        factor = math.exp(min(max((math.log(size) - math.log(excess)) * excess / slope, -8.0), 8.0))
        x = max(x * factor, LEAST * (top - least))
    return bound
