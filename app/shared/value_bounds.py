"""What ``nashzoo solve --bounds`` says: proven bounds of a game's value, in games that are too large to list.

A learner plays both seats, and searches bound what best responses win from its policy: in seat 0 it guarantees a lower
bound of the value, in seat 1 an upper one. Rounds of learning and of searching take ever longer.
"""

import json
import math

import rich
from rich.markup import escape

from nashzoo.agents.registry import self_play_learner
from nashzoo.app.shared.bounded import in_words, stake_of
from nashzoo.app.shared.interruption import stoppable
from nashzoo.app.shared.words import sides
from nashzoo.baselines.bounded.measure import ExploitabilitySearch
from nashzoo.baselines.certificate.bounds import Bounds
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.progress import showing
from nashzoo.envs.base.words import noun, with_minus, wrapped
from nashzoo.envs.core.game import Game
from nashzoo.envs.jit.clock import working_time

LEARNERS = "policy_gradient", "mccfr"  # where nothing is hidden, and where a part is
FIRST, GROWTH = 1.0, 1.5  # seconds of a round of learning, and of searching; and how much longer the next one takes
SLICE = 0.5  # seconds between two looks at signals
STEPS = 256  # decisions of the first call of learn; later ones take a slice


def tell_value(game: Game, seconds: float, gap: float, as_json: bool) -> None:
    """Learns and searches in turns, and prints the bounds.

    Raises:
        UsageError: the seconds are no time, or the rules do not say what bounds need.
    """
    if not 0 < seconds < math.inf or not gap >= 0:
        raise UsageError(f"seconds must be above 0 and tolerance at least 0, not {seconds:g} and {gap:g}")
    learner, steps = self_play_learner(LEARNERS[game.hides])(game, 0), STEPS
    most = stake_of(game)
    known, length, begun = Bounds(-most, most), FIRST, working_time()
    with stoppable() as came, showing(transient=True) as show:
        while not came and known.upper - known.lower > gap and (left := begun + seconds - working_time()) > 0:
            part, done, now = min(length, left / 2), False, working_time()
            until, end = now + part, now + 2 * part
            while not came and now < until:
                learner.learn(steps)
                before, now = now, working_time()
                steps = max(1, int(steps * min(2.0, SLICE / max(now - before, 1e-3))))
            search = ExploitabilitySearch(game, learner)
            while not came and not done and working_time() < end and search.nbytes <= search.most_bytes:
                done = search.improve(SLICE, gap)
                lower, upper = search.value_bounds
                known = Bounds(max(known.lower, lower), min(known.upper, upper))
                show(f"value {with_minus(in_words(known))}; seconds:", int(working_time() - begun), math.ceil(seconds))
            length *= GROWTH
    told = Bounds(game.points(known.lower), game.points(known.upper))
    if as_json:
        print(json.dumps({"value": told, "learner": learner.NAME, "timesteps": learner.num_timesteps}, indent=2))
        return
    print(wrapped(f"Perfect play wins {with_minus(in_words(told))} points a game as {sides(game)[0]}: proven bounds."))
    how = f"by policies of {learner.NAME} in {learner.num_timesteps:,} {learner.UNIT}, and searches for best responses"
    rich.print(f"\n[bold]{escape(str(game))}[/bold], {escape(how)}")
    first, second = sides(game)
    print(wrapped(f"A policy as {first} guarantees the lower bound, one as {second} concedes no more than the upper."))
    print(wrapped(f"At stake: {most:g} {noun(most, 'point')}. More --seconds bring the bounds closer."))
