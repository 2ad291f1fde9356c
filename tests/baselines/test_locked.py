"""Locked decisions: by backward induction with fixed mixes, by the sequence form's program, and by best responses."""

import contextlib
from collections.abc import Mapping
from functools import cache

import goofspiel
import kuhn
import numpy as np
import pytest

import brute_force
import tree_game
from brute_force import matrix_value
from nashzoo import agents
from nashzoo.baselines import LockedSolution, best_response, solve
from nashzoo.baselines.forms import form_of
from nashzoo.baselines.information.measures import sequence_form_of, weights_of
from nashzoo.baselines.information.program import solve_program
from nashzoo.baselines.locked import changes
from nashzoo.baselines.state_values import Values, best_responses, start_estimate
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs import footsies_v0, roshambo_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import CHANCE, Floats, Game
from tree_game import random_tree

EXACT = 1e-8
SEATS = pytest.mark.parametrize("player", [0, 1])


def by_induction(game: Game, player: int, mixes: Mapping[int, Floats]) -> float:
    """Returns the value to player 0 if a player has fixed probabilities at some states."""

    @cache
    def worth(code: int) -> float:
        paid = game.payoff(code)
        if game.terminal(code):
            return paid
        if game.turn(code) == CHANCE:
            codes, chances = game.outcomes(code)
            return paid + sum(p * worth(int(one)) for one, p in zip(codes, chances, strict=True))
        own = [list(game.legal_actions(code, p)) if p in game.movers(code) else [0] for p in (0, 1)]
        matrix = np.array([[worth(game.step(code, a, b)) for b in own[1]] for a in own[0]])
        if (mix := mixes.get(code)) is None or player not in game.movers(code):
            return paid + matrix_value(matrix)
        rewards = mix[own[0]] @ matrix if player == 0 else matrix @ mix[own[1]]
        return paid + float(rewards.min() if player == 0 else rewards.max())

    starts = zip(game.start_codes.tolist(), game.start_probabilities.tolist(), strict=True)
    return sum(p * worth(code) for code, p in starts)


@SEATS
@pytest.mark.parametrize(
    ("game", "where"),
    [
        (roshambo_v0.game(rounds=3), {"played": 1}),
        (roshambo_v0.game(rounds=2), None),
        (Game(goofspiel, cards=3), {"hand0": 6}),
    ],
)
def test_the_value_is_that_of_backward_induction(game: Game, where: Mapping[str, object] | None, player: int) -> None:
    random = agents.make("random", game)
    found = solve(game, locked=random, player=player, where=where)
    assert found.start_value == pytest.approx(by_induction(game, player, found.mixes), abs=EXACT)
    assert found.certificate < EXACT


@pytest.mark.slow
@SEATS
@pytest.mark.parametrize("seed", range(10))
def test_where_states_recur_it_is_value_iteration(seed: int, player: int) -> None:
    rng = np.random.default_rng(seed)
    game = brute_force.random_game(rng)
    codes = brute_force.reachable(game)
    mixes = {code: np.zeros(game.num_actions) for code in codes if player in game.movers(code) and rng.random() < 0.5}
    for code, mix in mixes.items():
        legal = list(game.legal_actions(code, player))
        mix[legal] = rng.dirichlet(np.full(len(legal), 3.0))

    def backed_up(code: int, matrix: Floats) -> float:
        if code not in mixes:
            return matrix_value(matrix)
        row = mixes[code][list(game.legal_actions(code, player))]
        return float((row @ matrix).min() if player == 0 else (matrix @ row).max())

    if mixes:
        values, found = brute_force.sweep(game, backed_up, 1e-8), LockedSolution(form_of(game), player, mixes)
        assert [found.value(code) for code in codes] == pytest.approx([values[code] for code in codes], abs=1e-6)
        assert found.certificate <= EXACT


@pytest.mark.slow
@SEATS
@pytest.mark.parametrize("where", [None, {"hits0": 1}, {"blocks1": 0}, {"last0": "Block"}], ids=str)
def test_the_other_player_responds(player: int, where: Mapping[str, object] | None) -> None:
    """Where a player is fixed everywhere this is a best response; else its strategy secures the value itself."""
    game = footsies_v0.game()
    random = agents.make("random", game)
    found = solve(game, locked=random, player=player, where=where)
    sign = 1 - 2 * player
    secured = start_estimate(*best_of_other(found)).value
    assert found.start_value == pytest.approx(secured, abs=EXACT)
    if where is None:
        assert sign * found.start_value == pytest.approx(-best_response(game, random, 1 - player).value, abs=EXACT)
    else:
        assert sign * found.start_value <= sign * solve(game).start_value + EXACT


def best_of_other(found: LockedSolution) -> tuple[ListedStates, Values]:
    """Returns the states of a game, and their values to player 0 if the other player responds to the fixed player."""
    states = ListedStates(found.game)
    table = np.zeros((len(states), found.game.num_actions))
    for row, code in enumerate(states.codes.tolist()):
        legal = list(found.game.legal_actions(code, found.player))
        table[row, legal] = 1 / len(legal)
        with contextlib.suppress(UsageError):  # where an action of probability 0 would lead
            table[row] = found.strategy(code, found.player)
    return states, best_responses(states, table, 1 - found.player).values


@pytest.mark.slow
@SEATS
@pytest.mark.parametrize("seed", range(6))
def test_hidden_information_agrees_with_the_sequence_forms_program(seed: int, player: int) -> None:
    game = Game(tree_game, nodes=random_tree(np.random.default_rng(seed), depth=4))
    form = sequence_form_of(game)
    form = form if player == 0 else form.mirrored()
    plex = form.treeplexes[0]
    kept = np.random.default_rng(seed).random(len(plex.codes)) < 0.5
    chosen = dict.fromkeys(plex.codes[kept].tolist())
    if not chosen:
        return
    uniform = plex.uniform()
    expected, _ = solve_program(form, kept, uniform)
    mixes = {}
    for code in chosen:
        legal = list(game.legal_actions(code, player))
        mixes[code] = np.zeros(game.num_actions)
        mixes[code][legal] = 1 / len(legal)
    found = LockedSolution(form_of(game), player, mixes)
    assert (1 - 2 * player) * found.start_value == pytest.approx(expected, abs=EXACT)


def test_a_player_of_kuhn_poker_who_always_bets_the_lowest_card() -> None:
    """Locked at one card, by the linear program that keeps the probabilities there; elsewhere it is free."""
    game = Game(kuhn)
    random = agents.make("random", game)
    found = solve(game, locked=random, player=0, where={"card0": 1})
    form = sequence_form_of(game)
    kept = np.isin(form.treeplexes[0].codes, list(found.mixes))
    assert kept.sum() == 2
    expected, _ = solve_program(form, kept, form.treeplexes[0].probabilities(weights_of(form, random, 0)))
    assert found.start_value == pytest.approx(expected, abs=EXACT)
    assert found.start_value < -1 / 18  # the value of the game (Kuhn 1950)
    code = game.code(dealt=1, card0=1)
    assert found.strategy(code, 0).tolist() == [0.5, 0.5]
    assert found.strategy(game.code(dealt=1, card0=3), 0).sum() == pytest.approx(1.0)


@SEATS
@pytest.mark.parametrize("game", [Game(goofspiel, cards=3), Game(kuhn), roshambo_v0.game(rounds=2)], ids=str)
def test_a_table_fixes_the_states_that_it_names(game: Game, player: int) -> None:
    """Also in a symmetric game, where tables are else by what player 0 sees."""
    codes = [code for code in ListedStates(game).codes.tolist() if player in game.movers(code)]
    views = sorted({game.information_state(code, player) for code in codes})
    chosen = [view for view in views if len(game.legal_actions(view, player)) > 1][1:4]
    table = {view: [0.25, 0.75, 0.0][: len(game.legal_actions(view, player))] for view in chosen}
    found = solve(game, locked=table, player=player)
    assert sorted(found.mixes) == chosen
    for view, row in table.items():
        assert found.mixes[view][list(game.legal_actions(view, player))].tolist() == row
        assert solve(game, locked={game.spell(view, [player]): row}, player=player).mixes.keys() == {view}
    if not game.hides:
        assert found.start_value == pytest.approx(by_induction(game, player, found.mixes), abs=EXACT)
    name = next(iter(game.state(chosen[0])._fields))
    field = getattr(game.state(chosen[0]), name)
    both = solve(game, locked=table, player=player, where={name: field}).mixes
    assert list(both) == [view for view in chosen if getattr(game.state(view), name) == field]


def test_what_cannot_be_locked_is_refused() -> None:
    game = footsies_v0.game()
    random = agents.make("random", game)
    with pytest.raises(UsageError, match="player must be 0 or 1, not 2"):
        solve(game, locked=random, player=2)
    with pytest.raises(UsageError, match="footsies_v0 has no field hit; it has blocks0, "):
        solve(game, locked=random, where={"hit": 1})
    with pytest.raises(UsageError, match="player 1 has no decision with hits0=1, hits1=1"):
        solve(game, locked=random, where={"hits0": 1, "hits1": 1})
    found = solve(game, locked=random, where={"hits0": 1})
    with pytest.raises(UsageError, match="play never comes there"):
        found.strategy(game.code(hits0=1, hits1=1), 0)
    with pytest.raises(UsageError, match="from its start, without a tolerance"):
        solve(game, locked=random, tolerance=1e-6)
    with pytest.raises(UsageError, match=r"where must be fields with .*, not 5"):
        solve(game, locked=random, where=5)  # type: ignore[arg-type]
    for left_out in ({"where": {"hits0": 1}}, {"player": 1}):
        with pytest.raises(UsageError, match=r"say locked=\.\.\., the policy that is fixed there"):
            solve(game, **left_out)  # type: ignore[arg-type]
    row, code = [0.25] * 4, int(game.start_codes[0])
    with pytest.raises(UsageError, match="the key 'x' of the table is no information set of footsies_v0"):
        solve(game, locked={code: row, "x": row})
    with pytest.raises(UsageError, match="the table has no row for these decisions of player 1"):
        solve(game, locked={code: row}, where={"hits0": 1})


def test_what_another_choice_costs_is_what_it_secures_less() -> None:
    """Against whoever always plays Rock, Paper wins a point, and Rock, Paper and Scissors alike win nothing."""
    game = roshambo_v0.game(rounds=1)
    code, even = int(game.start_codes[0]), np.full(3, 1 / 3)
    for player in (0, 1):
        found = LockedSolution(form_of(game), player, {code: np.eye(3)[0]})
        assert [found.cost(1 - player, mix[None]) for mix in (np.eye(3)[1], even)] == pytest.approx([0.0, 1.0])
        (told,) = changes(found, solve(game))
        assert told == (pytest.approx(1.0), code, 1 - player, 1, pytest.approx(1.0), pytest.approx(1 / 3))


@pytest.mark.parametrize(("bets", "bluffs", "calls"), [(0.0, 0.0, 1 / 3), (0.5, 1 / 6, 1 / 2), (1.0, 1 / 3, 2 / 3)])
def test_whoever_bets_the_best_card_of_kuhn_poker_has_to_bluff(bets: float, bluffs: float, calls: float) -> None:
    """Player 0 bets card 1 a third as often as card 3, and calls with card 2 a third more often than it bluffs."""
    game = Game(kuhn)
    free, wanted = solve(game), (bluffs, calls)
    bluffer, caller = game.code(dealt=1, card0=1), game.code(dealt=1, card0=2, moves=2, history=2)
    found = LockedSolution(form_of(game), 0, {game.code(dealt=1, card0=3): np.array([1.0 - bets, bets])})
    assert found.start_value == pytest.approx(-1 / 18, abs=EXACT)  # Kuhn (1950): all of these are optimal
    before = free.strategies(np.array([bluffer, caller]))[0][:, 1]
    needed = {
        code: share
        for code, share, was in zip((bluffer, caller), wanted, before, strict=True)
        if abs(share - was) > 0.01
    }
    told = {one.code: one.probability if one.action else 1.0 - one.probability for one in changes(found, free)}
    assert told == pytest.approx(needed, abs=EXACT)
