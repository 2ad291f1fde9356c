"""Checks of a game, state by state, for authors of rules."""

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from nashzoo.baselines.forms import form_of
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import CHANCE, Game, Ints
from nashzoo.envs.core.reachable import MAX_STATES, OVER, TooManyStatesError, expand
from nashzoo.envs.rules.proof import asymmetry, broken_symmetry
from nashzoo.envs.rules.trial import Facts, compare, trial
from nashzoo.envs.text.wording import words_outside_braces

LOOKED_AT = 5_000  # states to check one by one; of more states as many are drawn
FIRST = 2_000  # states of the first check, for errors of the rules
SHOWN = 3  # example states of a problem


def game_problems(game: Game, most_states: int = MAX_STATES, looked_at: int = LOOKED_AT, seed: int = 0) -> list[str]:
    """Returns the problems of a game, a sentence for each kind; empty if there are none.

    All states that play can reach are listed. For each, it is checked whether play can end from there. A sample of
    them, all if they are few, is checked one by one: what each function of the rules returns, which must be the same
    when it is called again and when it is compiled; observations, mirror images, and images by ``symmetries``. What is
    wrong with results of functions is told alone. Names of the game stand in braces in ``rules_text``.

    Args:
        game: The game.
        most_states: The largest number of states to list.
        looked_at: The number of states to check one by one.
        seed: Seed of the draw of these.

    Raises:
        TooManyStatesError: play can reach more states.
    """
    try:
        found = trial(game, min(looked_at, FIRST))
        states = ListedStates(game, most_states=most_states)
        return _problems(game, found, states.codes, states, looked_at, seed)
    except TooManyStatesError:
        raise
    except UsageError as error:
        return [str(error)]


def problems_in_play(game: Game, games: int, looked_at: int = LOOKED_AT, seed: int = 0) -> list[str]:
    """Returns the problems at states of games at random, for games of which play can reach too many states to list.

    Whether play can end from everywhere, and what is paid where states recur, is not checked.

    Args:
        game: The game.
        games: The number of games.
        looked_at: The number of states to check one by one.
        seed: Seed of the games, and of the draw of states.
    """
    try:
        found, codes = trial(game, min(looked_at, FIRST)), set[int]()
        rng, streams = np.random.default_rng(seed), np.array([seed], np.uint64)
        for _ in range(games):
            code, moves = game.start(rng), 0
            while not game.terminal(code) and moves < game.max_cycles:
                codes.add(code)
                if game.turn(code) == CHANCE:
                    code, moves = game.resolve_chance(code, streams)[0], moves + 1
                    continue
                legal = [game.legal_actions(code, player) for player in range(2)]
                if not all(map(len, legal)):
                    expand(game, np.array([code]))  # says what is wrong
                code, moves = game.step(code, *(int(rng.choice(actions)) for actions in legal)), moves + 1
        return _problems(game, found, np.sort(np.array([*codes])), None, looked_at, seed)
    except UsageError as error:
        return [str(error)]


def _problems(
    game: Game, found: dict[int, Facts], codes: Ints, states: ListedStates | None, looked_at: int, seed: int
) -> list[str]:
    """Returns the problems at some states, or at a sample of them; those of all states together if they are listed.

    Raises:
        UsageError: functions return something invalid, or something else when they are called again.
    """
    if len(codes) > looked_at:
        codes = np.sort(np.random.default_rng(seed).choice(codes, looked_at, replace=False))
    if others := [code for code in codes.tolist() if code not in found]:
        found |= trial(game, codes=others)
    compare(game, found, game.compiled.machine_code)
    problems: dict[str, list[str]] = {}
    for code in codes.tolist():
        looks = () if game.turn(code) == CHANCE else (_observations,)
        for look in (*looks, _mirror, partial(_images, states)):
            for problem, where in look(game, code):
                problems.setdefault(problem, []).append(where)
    together = () if states is None else (("play cannot end from", _endless(states)), (PAYS, _paid_again(states)))
    for problem, affected in together:
        if len(affected):
            problems[problem] = [game.spell(code) for code in affected.tolist()]
    idle = [
        f"whatever player {player} chooses, the same follows everywhere: step must go by its action"
        for player in range(2)
        if _idle(found.values(), player)
    ]
    story = words_outside_braces(game)
    return (
        [_sentence(problem, where) for problem, where in problems.items()]
        + ([] if states is None else form_of(game).problems())
        + idle
        + [story] * bool(story)
    )


def _idle(found: Iterable[Facts], player: int) -> bool:
    """Returns whether a player can choose somewhere, and the choice never matters to what follows."""
    choices = [
        np.reshape(facts.after, [mask.bit_count() for mask in facts.legal])
        for facts in found
        if facts.legal and facts.legal[player].bit_count() > 1
    ]
    return bool(choices) and not any(np.diff(after, axis=player).any() for after in choices)


PAYS = "play can come back to the same states and pays on the way, so that there is no bound to what is won, at"
Problems = Iterator[tuple[str, str]]  # problems, and their states


def _sentence(problem: str, where: list[str]) -> str:
    examples = "; ".join(where[:SHOWN])
    more = f"; and {len(where) - SHOWN:,} more" if len(where) > SHOWN else ""
    return f"{problem} {examples}{more}"


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


def _mirror(game: Game, code: int) -> Problems:
    if game.symmetric:
        fault = asymmetry(game, code, int(game.swap_players(np.array([code]))[0]))
        if fault:
            yield "swap_players does not give the same game with the players swapped:", fault


def _images(states: ListedStates | None, game: Game, code: int) -> Problems:
    if game.has_symmetries:
        unreached = states is not None and [image for image, _ in game.images(code) if image not in states]
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
