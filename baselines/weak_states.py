"""Where a policy is exploitable: the states at which it loses points to its best response, the largest shares first.

A policy in a seat plays the exact best response. With ``V`` the game's exact values to that seat, a visit to state
``s`` costs the policy ``V(s) - E[reward + V(next state)]``, its *regret* there. Over a game these differences add up to
its value less the return, so the sum of reach times regret over all states is the exploitability. Where the best
response gives something up, to get it back later, the regret is negative.

Where perfect play wins as much as a best response, nothing more is lost, and play is left there. Of the best responses
that one is looked for which gives least up on the way, and is quick.

Play that never ends has the value 0. What a policy loses by it counts where play enters states that it never leaves:
one visit there costs their value.

Against a given opponent ``V`` is the value of the best response to it, and the sum over the states that the policy and
this opponent reach is what the policy wins less than the best response does.

Source: Kakade and Langford (2002), "Approximately optimal approximate reinforcement learning", lemma 6.1, the
performance difference lemma, here against the equilibrium.
"""

import itertools
from typing import NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import PROVEN
from nashzoo.baselines.markov.decision_process import optimum
from nashzoo.baselines.markov.elimination import OUT
from nashzoo.baselines.markov.likely_play import expected_visits, played_from_start
from nashzoo.baselines.markov.transitions import explored
from nashzoo.baselines.policies.tabular import PurePolicyTable, Rows
from nashzoo.baselines.policies.with_memory import PolicyLike, Seated, seated
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.state_values import BestResponses, best_responses, start_estimate
from nashzoo.baselines.states.space import StateSpace
from nashzoo.baselines.store import solution_of
from nashzoo.envs.core.checks import check_seen
from nashzoo.envs.core.game import Floats, Game
from nashzoo.envs.core.reachable import MAX_STATES, TooManyStatesError
from nashzoo.envs.jit.lazy import brief

MAX_SPARED = 100_000  # states that play can reach, among which a best response that gives little up is looked for
MOVE = 0.1  # points that a move counts like, beside those that are given up
NO_LOSS = "no state has a loss of its own"  # where the players do not see the whole state


class Weakness(NamedTuple):
    """A state at which a policy loses points to its best response, or to a given opponent.

    Attributes:
        seat: The policy's seat.
        code: The state.
        situation: The state as one line of text.
        reach: The expected number of visits per game, if the policy takes each measured seat equally often. Unless
            states recur it is a probability.
        regret: What a visit costs, points; negative where the best response gives something up.
        share: Reach times regret, points per game.
        plays: The policy's probability of each legal action by name; empty if the policy does not move.
        best: The same of the equilibrium; against a given opponent of the best response to it.
        punished_by: The action of the best response by name; empty if the opponent does not move, or is given.
        opponent: Against a given opponent its probability of each legal action by name, else None.
        value: Of the state to the seat with perfect play, points; None against a given opponent.
    """

    seat: int
    code: int
    situation: str
    reach: float
    regret: float
    share: float
    plays: dict[str, float]
    best: dict[str, float]
    punished_by: str
    opponent: dict[str, float] | None = None
    value: float | None = None


@brief()
def weaknesses(
    game: Game,
    policy: PolicyLike,
    most: int | None = 10,
    solution: Solution | None = None,
    *,
    player: int | None = None,
    against: PolicyLike | None = None,
) -> list[Weakness]:
    """Returns the states at which a policy loses points to its best response, those with the largest shares first.

    With ``against`` they are those at which it wins less from this opponent than a best response to it would. Then the
    shares add up to what the best response wins more per game, and none is negative.

    The shares of all states and both seats add up to the policy's exploitability, see
    :func:`nashzoo.baselines.exploitability`: each seat counts for a half, as there. In a symmetric game both seats are
    the same, and all states are as seen from seat 0. Where the shares lie may depend on the best response: one that
    gives little up is chosen, and none where perfect play is as good. States at which less than 1e-9 points are lost or
    given up, the error allowed to exact figures, are left out. A policy with memory has states for each of its memory
    states.

    Args:
        game: The game.
        policy: The policy, in both seats.
        most: The largest number of states; None for all that the best response reaches.
        solution: The game's solution, if it is at hand; looked up or computed when None.
        player: Measures one seat only, which the policy then takes in all games.
        against: The opponent; None for the best response to the policy.

    Raises:
        NoPolicyError: a policy has no probabilities by state, for example because it remembers more than the state.
        UsageError: the players do not see the whole state, so that states have no values; there are too many states; or
            the policy's probabilities are not a distribution over the legal actions.
        UnprovenValueError: the value of the best response cannot be computed to within 1e-9.
    """
    check_seen(game, NO_LOSS)
    seats = (0,) if game.symmetric else (0, 1) if player is None else (player,)
    policies = {seat: seated(game, *((policy, against) if seat == 0 else (against, policy))) for seat in seats}
    if (count := len(policies[seats[0]].states)) > MAX_STATES:
        raise TooManyStatesError(
            f"{game!r} has {count:,} states; {MAX_STATES:,} is the most among which weaknesses are looked for"
        )
    if against is None and solution is None:
        solution = solution_of(game)
    perfect = solution if against is None else None
    by_seat = [_in_seat(policies[seat], perfect, seat, 1 / len(seats), most) for seat in seats]
    return sorted(itertools.chain(*by_seat), key=lambda weakness: -weakness.share)[:most]


def _in_seat(policies: Seated, solution: Solution | None, seat: int, games: float, most: int | None) -> list[Weakness]:
    """Returns the weaknesses of a policy in a seat that it takes in a part of the games, the largest shares first.

    Without a solution they are against the other policy.
    """
    states, game, sign, given = policies.states, policies.states.game, 1 - 2 * seat, solution is None
    table, other = policies.tables[seat], policies.tables[1 - seat]
    responder = seat if given else 1 - seat
    best = best_responses(states, other if given else table, responder)
    start_estimate(states, best.values).proven()  # else rewards may recur for ever
    response = PurePolicyTable(states, best.choices, responder)
    replies = [other if given else response]
    if solution is not None:
        replies.insert(0, _sparing(states, table, best, solution, seat))
    for reply in replies:
        ids, chain, begin = played_from_start(states, (table, reply) if seat == 0 else (reply, table), games)
        codes, won = states.codes_at(ids), sign * best.values.values[ids]
        values = won if solution is None else sign * solution.values[solution.states.ids(codes)]
        owners, inside = chain.transition_owners(), np.maximum(chain.targets, 0)
        worth = sign * chain.rewards + np.where(chain.targets == OUT, 0.0, values[inside])
        if not given:
            over = np.abs(values - won) <= PROVEN
            chain = chain._replace(targets=np.where(over[inside], OUT, chain.targets).astype(np.int32))
            begin[over] = 0.0
        flows, stays, reach = expected_visits(chain, begin)
        share = np.bincount(owners, flows * (values[owners] - worth), len(ids)) + stays * values
        if abs(share.sum() - begin @ (values - won)) <= PROVEN:
            break  # else no end is near, and the first response that was found is as good
    matters = np.flatnonzero(np.abs(share) > PROVEN * reach)
    chosen = matters[np.argsort(-share[matters], kind="stable")][:most]
    answers = reply[ids[chosen]]
    right = response[ids[chosen]] if solution is None else solution.strategies(codes[chosen])[seat]

    return [
        Weakness(
            seat=seat,
            code=code,
            situation=game.spell(code),
            reach=float(reach[k]),
            regret=float(share[k] / reach[k]),
            share=float(share[k]),
            plays=by_name(game, plays, code, seat),
            best=by_name(game, optimum, code, seat),
            punished_by=game.actions[int(answer.argmax())] if not given and 1 - seat in game.movers(code) else "",
            opponent=by_name(game, answer, code, 1 - seat) if given else None,
            value=None if given else float(values[k]),
        )
        for k, code, plays, optimum, answer in zip(
            chosen.tolist(), codes[chosen].tolist(), table[ids[chosen]], right, answers, strict=True
        )
    ]


def _sparing(states: StateSpace, table: Rows, best: BestResponses, solution: Solution, seat: int) -> PurePolicyTable:
    """Returns, of the best responses to a seat's policy, the one that gives least up on the way, and is quick."""
    sign, players = 1 - 2 * seat, (table, None) if seat == 0 else (None, table)
    ids, decided = explored(states, players, states.ids(states.game.start_codes))
    if len(ids) > MAX_SPARED:
        return PurePolicyTable(states, best.choices, 1 - seat)
    won, values = best.values.values[ids], solution.values[solution.states.ids(states.codes_at(ids))]
    deciders, owners, weights = decided.owners(), decided.transition_owners(), decided.plain_weights()
    weights /= np.bincount(owners, weights)[owners]
    ends, inside = decided.targets == OUT, np.maximum(decided.targets, 0)

    def loss(of: Floats) -> Floats:
        worth = weights * (decided.rewards + np.where(ends, 0.0, of[inside]))
        return sign * (of[deciders] - np.bincount(owners, worth))

    good = np.flatnonzero(loss(won) >= -PROVEN)
    over = ends | (np.abs(values - won) <= PROVEN)[inside]
    costs = MOVE + np.maximum(-loss(values), 0.0)
    way = decided._replace(targets=np.where(over, OUT, decided.targets).astype(np.int32), rewards=-costs[owners])
    way = way.taken(good, np.searchsorted(good, decided.first))
    actions = np.full(len(states), -1, np.int8)
    actions[ids] = way.actions[optimum(way, 1.0).choices]
    return PurePolicyTable(states, actions, 1 - seat)


def by_name(game: Game, probabilities: Floats, code: int, seat: int) -> dict[str, float]:
    """Returns probabilities ``[actions]`` of a player's legal actions at a state by name; none if it does not move."""
    legal = game.legal_actions(code, seat) if seat in game.movers(code) else ()
    return {game.actions[action]: float(probabilities[action]) for action in legal}
