"""A game with hidden information in which player 1 is trusted: it plays a known policy in a whole game, or anything.

Which of the two it does is drawn before the game and is hidden. Player 0's weights ``x`` then gain ``p x' A s`` from
the policy with weights ``s`` and ``(1 - p) x' A y`` from all others. As the weight of the empty sequence is always 1,
this is the game with the matrix ``(1 - p) A + p A s e0'``, and is solved like every game. What its strategies win from
the policy for what others win from them cannot be bettered.

Source: Johanson, Zinkevich and Bowling (2007), "Computing Robust Counter-Strategies": restricted Nash response.
"""

import contextlib
import dataclasses

import numpy as np

from nashzoo.baselines.information.measures import gap
from nashzoo.baselines.information.program import SMALL, ProgramError, solve_program
from nashzoo.baselines.information.regret_minimization import PREDICTIVE, RegretMinimizer
from nashzoo.baselines.information.sequence_form import SequenceForm
from nashzoo.envs.jit.compiled import Floats

TOLERANCE = 1e-7  # the gap, relative to what can be paid in a game, with which larger games are solved
PER_CHECK = 200_000_000  # entries of the matrix times iterations of regret minimization between two gaps
MOST_ITERATIONS = 100_000


def trusting_weights(form: SequenceForm, policy: Floats, trust: float) -> Floats:
    """Returns player 0's optimal sequence weights ``[S]`` if player 1 is trusted to play a policy.

    Args:
        form: The game.
        policy: The sequence weights of player 1's policy ``[S]``.
        trust: The probability that it is played.
    """
    from scipy.sparse import csr_array

    expected = trust * (form.matrix @ policy)
    rows = np.flatnonzero(expected)
    column = csr_array((expected[rows], (rows, np.zeros_like(rows))), shape=form.matrix.shape)
    matrix = (csr_array((1.0 - trust) * form.matrix) + column).tocsr()
    trusting = dataclasses.replace(form, matrix=matrix, transposed=matrix.T.tocsr())
    if matrix.nnz <= SMALL:
        with contextlib.suppress(ProgramError):
            return solve_program(trusting)[1][0]
    learner = RegretMinimizer(trusting, PREDICTIVE)
    while learner.iterations < MOST_ITERATIONS:
        learner.run(max(1, PER_CHECK // matrix.nnz))
        if gap(trusting, *learner.average()).value <= TOLERANCE * form.most:
            break
    return learner.average()[0]
