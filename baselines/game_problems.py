"""Checks of a game, state by state, for authors of rules."""

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from nashzoo.baselines.states.listed import OVER, ListedStates
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.modules import failing_line
from nashzoo.envs.core.game import BOTH, CHANCE, Game, Ints
from nashzoo.envs.core.reachable import MAX_STATES
from nashzoo.envs.rules.proof import asymmetry, broken_symmetry
from nashzoo.envs.text.wording import words_outside_braces

LOOKED_AT = 5_000  # states to check one by one; of more states as many are drawn
FIRST = 2_000  # states of the first check, for errors of the rules
SHOWN = 3  # example states of a problem


def game_problems(game: Game, most_states: int = MAX_STATES, looked_at: int = LOOKED_AT, seed: int = 0) -> list[str]:
    """Returns the problems of a game, a sentence for each kind; empty if there are none.

    All states that play can reach are listed. For each, it is checked whether play can end from there. A sample of
    them, all if they are few, is checked one by one: their codes, observations, legal actions, rewards, the successors
    of every joint action, their mirror images, and their images by ``symmetries``. Names of the game stand in braces in
    ``rules_text``.

    Args:
        game: The game.
        most_states: The largest number of states to list.
        looked_at: The number of states to check one by one.
        seed: Seed of the draw of these.

    Raises:
        TooManyStatesError: play can reach more states.
    """
    if failure := _failure(game, min(looked_at, FIRST)):
        return [failure]
    states = ListedStates(game, most_states=most_states)
    codes = states.codes
    if len(codes) > looked_at:
        codes = np.sort(np.random.default_rng(seed).choice(codes, looked_at, replace=False))
    problems: dict[str, list[str]] = {}
    for code in codes.tolist():
        by_chance = game.turn(code) == CHANCE
        looks = (_outcomes,) if by_chance else (_legal, _observations, _steps)
        for look in (_code, _turn, *looks, _mirror, partial(_images, states)):
            for problem, where in look(game, code):
                problems.setdefault(problem, []).append(where)
    for problem, affected in (("play cannot end from", _endless(states)), (PAYS, _paid_again(states))):
        if len(affected):
            problems[problem] = [game.spell(code) for code in affected.tolist()]
    story = words_outside_braces(game)
    return [_sentence(problem, where) for problem, where in problems.items()] + _recall(game) + [story] * bool(story)


def _recall(game: Game) -> list[str]:
    """Returns the first place where a player does not see what it must remember or choose by, in a sentence."""
    if game.hides:
        from nashzoo.baselines.information.measures import measured_form

        try:
            measured_form(game)
        except UsageError as error:
            return [str(error)]
    return []


def _failure(game: Game, looked_at: int) -> str | None:
    """Returns the first error of the rules on the way from the start, state by state, or None."""
    waiting, seen = game.start_codes.tolist(), set(game.start_codes.tolist())
    for code in itertools.islice(iter(lambda: waiting.pop(0) if waiting else None, None), looked_at):
        where = "its code"
        try:
            where = game.spell(code)
            for after in _after(game, code):
                if after not in seen and not game.terminal(after):
                    seen.add(after)
                    waiting.append(after)
        except Exception as error:  # the rules may raise anything
            place = failing_line(error)
            message = str(error) if isinstance(error, UsageError) else f"{type(error).__name__}: {error}"
            sentence = message if where in message else f"at {where}: {message}"
            return sentence + (f" ({place})" if place else "")
    return None


def _after(game: Game, code: int) -> list[int]:
    """Returns the successors of a state.

    Raises:
        UsageError: a function of the rules returns an invalid result.
    """
    turn, rules = game.turn(code), game.rules
    game.images(code)
    if turn not in (0, 1, BOTH, CHANCE):
        raise UsageError(f"turn must answer 0, 1, {BOTH} or {CHANCE}, not {turn}")
    if turn == CHANCE:
        if game.has_chance and not rules.on_codes("chance"):
            pairs = list(rules.outcomes(game.params, code))
            fits = [isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], rules.State) for pair in pairs]
            if not all(fits):
                raise UsageError(f"chance must return pairs of a State and its probability, not {pairs!r}")
            for state, _ in pairs:
                if fault := _out_of_range(game, state):
                    raise UsageError(f"chance leads to a field out of its range: {fault}")
        return [int(after) for after in game.outcomes(code)[0]]
    legal = [game.legal_actions(code, player) for player in range(2)]
    for player in range(2):
        if not legal[player]:
            raise UsageError(f"no action is legal for player {player}")
        game.observe(code, player)
    successors = []
    for action0, action1 in itertools.product(*legal):
        if not rules.on_codes("step"):
            state = rules.stepped(game.params, code, action0, action1)
            if not isinstance(state, rules.State):
                raise UsageError(f"step must return a State, not {state!r}")
            if fault := _out_of_range(game, state):
                raise UsageError(
                    f"step leads, on actions {action0} and {action1}, to a field out of its range: {fault}"
                )
        successors.append(game.step(code, action0, action1))
        game.payoff(successors[-1])
    return successors


PAYS = "play can come back to the same states and pays on the way, so that there is no bound to what is won, at"
Problems = Iterator[tuple[str, str]]  # problems, and their states


def _sentence(problem: str, where: list[str]) -> str:
    examples = "; ".join(where[:SHOWN])
    more = f"; and {len(where) - SHOWN:,} more" if len(where) > SHOWN else ""
    return f"{problem} {examples}{more}"


def _code(game: Game, code: int) -> Problems:
    state = game.state(code)
    if game.rules.encode(state) != code:
        yield "encode does not give back the code of", f"{state} ({code})"
    if fault := _out_of_range(game, state):
        yield "a field is out of its range:", fault


def _out_of_range(game: Game, state: Any) -> str:
    maxima = game.field_maxima
    faults = [
        f"{field} of {state} is not from 0 to {most}"
        for field, value, most in zip(state._fields, state, maxima, strict=True)
        if not 0 <= value <= most
    ]
    return "; ".join(faults)


def _turn(game: Game, code: int) -> Problems:
    if game.turn(code) not in (0, 1, BOTH, CHANCE):
        yield f"turn must answer 0, 1, {BOTH} or {CHANCE}, at", f"{game.spell(code)} it answers {game.turn(code)}"


def _legal(game: Game, code: int) -> Problems:
    everything = (1 << game.num_actions) - 1
    for player in range(2):
        mask = int(game.rules.legal(game.params, code, player))
        if mask <= 0 or mask & ~everything:
            yield "there is no legal action, or one that does not exist, for", f"player {player} at {game.spell(code)}"
        elif game.turn(code) == 1 - player and mask != 1:
            yield "who is not to move must have action 0 alone:", f"player {player} at {game.spell(code)}"


def _observations(game: Game, code: int) -> Problems:
    for player in range(2):
        seen = game.observe(code, player)
        where = f"player {player} at {game.spell(code)}"
        if not (np.isfinite(seen).all() and seen.min(initial=0.0) >= 0.0 and seen.max(initial=0.0) <= 1.0):
            yield "numbers of an observation are not within 0..1, of", where
            continue
        read = game.rules.decode_observation(game.params, seen)
        known = expected = game.information_state(code, player)
        if (player in game.movers(code)) != (player in game.movers(known)):
            yield "turn tells a player what it does not see: whether it moves, of", where
        if game.symmetric and player == 1:
            expected = int(game.swap_players(np.array([known]))[0])
        if (int(read[0]), int(read[1])) not in ((expected, 0 if game.symmetric else player), (known, player)):
            yield "an observation does not tell the state, or whose it is: that of", where


def _steps(game: Game, code: int) -> Problems:
    for action0 in game.legal_actions(code, 0):
        for action1 in game.legal_actions(code, 1):
            where = f"{game.spell(code)} with actions {action0} and {action1}"
            if not game.rules.on_codes("step"):
                state = game.rules.stepped(game.params, code, action0, action1)
                if fault := _out_of_range(game, state):
                    yield "step leads to a state with a field out of its range, at", f"{where}: {fault}"
                    continue
            after = game.step(code, action0, action1)
            if not np.isfinite(game.payoff(after)):
                yield "the reward is not finite after", where


def _outcomes(game: Game, code: int) -> Problems:
    outcomes, _ = game.outcomes(code)
    for after in outcomes.tolist():
        if not np.isfinite(game.payoff(after)):
            yield "the reward is not finite after", game.spell(code)
        if fault := _out_of_range(game, game.state(after)):
            yield "chance leads to a state with a field out of its range, at", f"{game.spell(code)}: {fault}"


def _mirror(game: Game, code: int) -> Problems:
    if game.symmetric:
        fault = asymmetry(game, code, int(game.swap_players(np.array([code]))[0]))
        if fault:
            yield "swap_players does not give the same game with the players swapped:", fault


def _images(states: ListedStates, game: Game, code: int) -> Problems:
    if game.has_symmetries:
        unreached = [image for image, _ in game.images(code) if image not in states]
        if unreached:
            yield "symmetries name a state to which play does not lead, at", game.spell(code)
        elif fault := broken_symmetry(game, code):
            yield "symmetries do not give the same game with other names of the actions:", fault


def _endless(states: ListedStates) -> Ints:
    """Returns the codes of the states from which no terminal state can be reached."""
    used = states.successors.used
    following = states.successors.following
    ends = (used & (following == OVER)).any(axis=1)
    while True:
        more = ends | (used & (following != OVER) & ends[following]).any(axis=1)
        if (more == ends).all():
            without_end: Ints = states.codes[~ends]
            return without_end
        ends = more


def _paid_again(states: ListedStates) -> Ints:
    """Returns the codes of recurring states with rewards."""
    paid = []
    for ids, cyclic in states.layers:
        if cyclic:
            successors = states.successors.at(ids)
            within = np.isin(successors.following, ids)
            paid.append(ids[(within & (successors.rewards != 0.0)).any(axis=1)])
    return states.codes[np.concatenate(paid)] if paid else np.empty(0, np.int64)
