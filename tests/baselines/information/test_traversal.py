"""Games that are walked instead of kept: the same figures by both ways, and what is refused."""

import contextlib
import os
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest
from test_families import Guessing, Signalling
from test_information import Betraying, Rules
from test_sequence_form import Coin, Waiting

from nashzoo import agents
from nashzoo.arena.measure import measure
from nashzoo.baselines import best_response, evaluate, exploitability, nash_conv, solve
from nashzoo.baselines.game_problems import game_problems
from nashzoo.baselines.information import measures, sequence_form, traversal
from nashzoo.baselines.information.sequence_form import Form
from nashzoo.baselines.information.traversal import TraversedForm, traversed_form
from nashzoo.envs import Game, make_game
from nashzoo.envs.core.game import Floats
from nashzoo.envs.core.reachable import TooManyStatesError

GAMES: dict[str, dict[str, Any]] = {
    "kuhn": {},
    "hidden_goofspiel": {"cards": 3, "random": True},
    "dark_hex": {"rows": 2, "columns": 3, "abrupt": True},
}


def named(name: str, **params: Any) -> Game:
    return make_game(f"examples/games/{name}.py", **params)


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs walks as plain Python: compiling them for a tiny game takes longer."""
    for name in ("_walk_on", "_follow_on"):
        kernel = getattr(traversal, name)
        monkeypatch.setattr(traversal, name, getattr(kernel, "py_func", kernel))


def random_weights(form: Form) -> tuple[Floats, Floats]:
    """Returns random policies, the same for all forms of a game; a third of their actions is never played."""
    found = []
    for plex in form.treeplexes:
        table = np.zeros((len(plex.codes), form.game.num_actions))
        for row, (code, legal) in enumerate(zip(plex.codes, plex.legal, strict=True)):
            rng = np.random.default_rng(int(code))
            drawn = rng.random(form.game.num_actions) * (rng.random(form.game.num_actions) < 2 / 3) + 1e-3
            table[row] = drawn.round(2) * (legal >> np.arange(form.game.num_actions) & 1)
            table[row] += (table[row].sum() == 0.0) * (np.arange(form.game.num_actions) == np.log2(legal & -legal))
        found.append(plex.table_weights(table / table.sum(axis=1, keepdims=True), np.arange(len(table)))[0])
    return found[0], found[1]


def check_alike(game: Game) -> None:
    """Checks that the game has the same figures kept and walked."""
    kept, walked = measures.sequence_form_of(game), traversed_form(game)
    figures = []
    for form in (kept, walked):
        weights = random_weights(form)
        responses = [measures.best_response(form, weights[1 - player], player) for player in range(2)]
        plays = [plex.weights(policy) for plex, (_, policy) in zip(form.treeplexes, responses, strict=True)]
        values = measures.value(form, *weights), measures.value(form, plays[0], weights[1])
        figures.append((responses[0][0], responses[1][0], *values, measures.value(form, weights[0], plays[1])))
    for one, other in zip(*figures, strict=True):
        assert one.lower <= other.upper and other.lower <= one.upper
        assert one.upper - one.lower < 1e-9 and other.upper - other.lower < 1e-9
    best0, best1, _, won0, won1 = figures[1]
    assert won0.value == pytest.approx(best0.value, abs=1e-9) and -won1.value == pytest.approx(best1.value, abs=1e-9)
    assert walked.most == kept.most and walked.num_histories >= kept.num_histories
    for one, other in zip(kept.treeplexes, walked.treeplexes, strict=True):
        assert set(one.codes) == set(other.codes) and one.num_sequences == other.num_sequences


@pytest.mark.parametrize(
    "name", ["kuhn", *(pytest.param(name, marks=pytest.mark.slow) for name in ("hidden_goofspiel", "dark_hex"))]
)
def test_a_walk_measures_what_the_matrix_does(name: str) -> None:
    check_alike(named(name, **GAMES[name]))


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("rules", [Signalling, Guessing])
def test_so_it_does_in_random_games(rules: Any) -> None:
    for seed in range(3):
        check_alike(Game(rules(), seed=seed))


def test_no_compiled_code_is_kept_that_is_for_one_game_alone(tmp_path: Path) -> None:
    """An index on the disk with the functions of many games, or of older ones, could not be read or written."""
    game = "nashzoo.envs.make_game('nashzoo.examples.dark_hex', columns=2)"
    line = f"import nashzoo.envs; from nashzoo.baselines.information import traversal; traversal.traversed_form({game})"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    subprocess.run([sys.executable, "-c", line], env=environment, check=True)
    kept = {path.name.partition("-")[0] for path in tmp_path.rglob("traversal.*.nbi")}
    assert kept and not kept & {"traversal._differs", "traversal._follow_on", "traversal._walk_on"}


@pytest.mark.usefixtures("uncompiled")
def test_games_with_too_many_histories_are_measured_and_not_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    game = named("liars_dice", faces=2)
    uniform = agents.make("random", game)
    expected = evaluate(game, uniform, uniform), nash_conv(game, uniform), best_response(game, uniform, 1).value
    measures.form_or_reason.cache_clear()
    game = named("liars_dice", faces=2)
    monkeypatch.setattr(sequence_form, "MOST_HISTORIES", 10)
    assert isinstance(measures.measured_form(game), TraversedForm)
    figures = evaluate(game, uniform, uniform), nash_conv(game, uniform), best_response(game, uniform, 1).value
    assert figures == pytest.approx(expected, abs=1e-12)
    assert exploitability(game, uniform) == pytest.approx(expected[1] / 2, abs=1e-12)
    with pytest.raises(TooManyStatesError):
        exploitability(game, uniform, player=0)  # which needs the value of the game
    with pytest.raises(TooManyStatesError, match=r"too many to keep.* nash_conv measure policies"):
        solve(game)
    assert measure(game, uniform).exploitability.value is None  # tables and curves do not wait for it


def test_figures_of_a_pair_that_was_walked_take_no_other_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    form = traversed_form(named("kuhn"))
    weights0, weights1 = (plex.weights(plex.uniform()) for plex in form.treeplexes)
    form.prepare(weights0, weights1)
    monkeypatch.setattr(traversal, "_walk_on", None)
    assert form.value(weights0, weights1) == pytest.approx(-weights1 @ form.gains(1, weights0))


def test_what_one_player_gains_is_not_walked_again_where_the_other_has_not_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    form, begun = traversed_form(named("kuhn")), list[int]()
    uniform0, uniform1 = (plex.weights(plex.uniform()) for plex in form.treeplexes)
    form.prepare(uniform0, uniform1)
    begin = traversal._Walker.begin
    monkeypatch.setattr(traversal._Walker, "begin", lambda one, *rest: begun.append(one.player) or begin(one, *rest))
    form.prepare(uniform0, random_weights(form)[1])
    assert begun == [0]


class Misled(Signalling):
    """Says that the secret changes nothing."""

    strategic_state = staticmethod(lambda state: state._replace(**{state._fields[0]: 0}))


@pytest.mark.usefixtures("uncompiled")
def test_a_strategic_state_that_goes_on_another_way_is_refused() -> None:
    with pytest.raises(ValueError, match=r"strategic_state of .* says what stands for"):
        traversed_form(Game(Misled(), seed=1))
    assert "strategic_state of" in " ".join(game_problems(Game(Misled(), seed=1)))


class Tossed(NamedTuple):
    coin: int
    moves: int
    low: int  # the actions so far


class Unseen(Signalling):
    """Chance tosses a coin that nobody sees; then each player chooses once. ``strategic_state`` forgets it."""

    NAME, State = "unseen_v0", Tossed
    SEEN_BY: ClassVar = {"coin": ()}

    field_maxima = staticmethod(lambda: Tossed(3, 3, 3))
    start = staticmethod(lambda: Tossed(0, 0, 0))
    turn = staticmethod(lambda state: 3 if state.moves == 0 else state.moves - 1)
    chance = staticmethod(lambda state: [(Tossed(1, 1, 0), 0.5), (Tossed(2, 1, 0), 0.5)])
    step = staticmethod(lambda state, action: Tossed(state.coin, state.moves + 1, state.low + action * state.moves))
    terminal = staticmethod(lambda state: state.moves == 3)
    payoff = staticmethod(lambda state: (2 * state.coin - 3) * state.low if state.moves == 3 else 0)
    strategic_state = staticmethod(lambda state: Tossed(1, state.moves, state.low) if 0 < state.moves < 3 else state)


class Drawn(Unseen):
    """Where the coin is 2, chance moves at the start, in place of player 0, who has one action."""

    NAME = "drawn_v0"

    start = staticmethod(lambda: [(Tossed(2, 1, 0), 0.5), (Tossed(1, 1, 0), 0.5)])
    turn = staticmethod(lambda state: 3 if state.coin == 2 else state.moves - 1)
    legal = staticmethod(lambda state: 1 if state.moves == 1 else 3)
    chance = staticmethod(lambda state: [(Tossed(1, 2, 0), 0.5), (Tossed(3, 2, 0), 0.5)])
    step = staticmethod(
        lambda state, action: Tossed(
            1 if state.coin == 2 else state.coin, state.moves + 1, state.low + action * state.moves
        )
    )
    strategic_state = staticmethod(lambda state: Tossed(1, 1, 0) if state.coin == 2 else state)


class Remembered(Unseen):
    """Player 0 sees the coin, on which nothing depends."""

    NAME = "remembered_v0"
    SEEN_BY: ClassVar = {"coin": (0,)}

    payoff = staticmethod(lambda state: state.low if state.moves == 3 else 0)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("rules", [Unseen, Drawn, Remembered])
def test_so_is_one_that_is_wrong_for_the_second_of_two_states_only(rules: Any) -> None:
    with pytest.raises(ValueError, match=r"strategic_state of .* says what stands for"):
        traversed_form(Game(rules()))


@pytest.mark.usefixtures("uncompiled")
def test_in_games_too_large_to_follow_it_is_looked_at_in_any_state_of_a_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traversal, "FOLLOWED", 0)
    monkeypatch.setattr(traversal, "splitmix", lambda state: 0)  # the last one
    with pytest.raises(ValueError, match=r"strategic_state of .* says what stands for"):
        traversed_form(Game(Unseen()))


def test_too_many_states_are_refused_with_what_would_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traversal, "MOST", 10)
    with pytest.raises(TooManyStatesError, match="strategic_state in the rules says which one stands for all"):
        traversal.graph_of.__wrapped__(named("kuhn"))


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(("rules", "message"), [(Rules, "cannot tell .* after"), (Betraying, "does not see")])
def test_who_cannot_remember_is_refused(rules: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        traversed_form(Game(rules()))


class Costly(Waiting):
    NAME = "costly_v0"
    payoff = staticmethod(lambda state: state.over * 1e308 * 10)


@pytest.mark.usefixtures("uncompiled", "untried")
def test_a_reward_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="a reward that is not finite"):
        traversed_form(Game(Costly()))


class Unlikely(Waiting):
    """Player 0 moves once, before a chance state without a distribution."""

    NAME = "unlikely_v0"
    turn = staticmethod(lambda state: 3 if state.mover == 1 else 0)
    step = staticmethod(lambda state, action: Coin(0, 1, 0))
    chance = staticmethod(lambda state: [(Coin(0, 1, 1), 0.5)])


@pytest.mark.usefixtures("uncompiled")
def test_chances_that_are_no_distribution_are_refused() -> None:
    with pytest.raises(ValueError, match="probabilities"):
        traversed_form(Game(Unlikely()))


class Endless(Unlikely):
    """Player 0 moves once; then chance may decide for ever."""

    NAME = "endless_v0"
    chance = staticmethod(lambda state: [(Coin(0, 1, 0), 0.5), (Coin(0, 1, 1), 0.5)])


@pytest.mark.usefixtures("uncompiled")
def test_play_that_does_not_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traversal, "MOST_MOVES", 1000)
    with pytest.raises(ValueError, match="does not end, or takes more than 1,000 moves"):
        traversed_form(Game(Endless()))


@pytest.mark.usefixtures("uncompiled")
def test_a_walk_is_refused_before_it_takes_memory_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequence_form, "LITTLE", 0)
    monkeypatch.setattr(sequence_form, "available_memory", lambda: 1000)
    with pytest.raises(TooManyStatesError, match="GB of memory"):
        traversed_form(Game(Signalling(), seed=99))


@pytest.mark.slow
def test_a_long_walk_ends_at_the_first_look_after_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def interrupted(done: int, total: int) -> None:
        looks.append(done)
        raise KeyboardInterrupt

    monkeypatch.setattr(traversal, "progress_bar", lambda what: contextlib.nullcontext(interrupted))
    with pytest.raises(KeyboardInterrupt):
        traversed_form(named("dark_hex", rows=3, columns=3))
    assert len(looks) == 1


def uniform_play(rows: int, columns: int, abrupt: bool) -> tuple[Fraction, int]:
    """Returns the value of uniform play of dark hex, and the number of unfinished histories.

    Which cells both have tried, and whose stones are there, is all that matters for it; the order of tries is not.
    """
    cells = [(row, column) for row in range(rows) for column in range(columns)]

    @cache
    def connects(stones: frozenset[tuple[int, int]], axis: int) -> bool:
        reached = {cell for cell in stones if cell[axis] == 0}
        waiting = list(reached)
        while waiting:
            row, column = waiting.pop()
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1)):
                cell = row + down, column + right
                if cell in stones and cell not in reached:
                    reached.add(cell)
                    waiting.append(cell)
        return any(cell[axis] == (rows, columns)[axis] - 1 for cell in reached)

    @cache
    def follows(own: Any, others: Any, tried: Any, tried_by_other: Any, axis: int) -> tuple[Fraction, int]:
        """Returns the value to the player to move, who connects along an axis, and the number of histories."""
        total, histories, free = Fraction(0), 1, [cell for cell in cells if cell not in tried]
        for cell in free:
            if cell not in others and connects(own | {cell}, axis):
                total += 1
                continue
            if cell in others and not abrupt:
                sign, (value, more) = 1, follows(own, others, tried | {cell}, tried_by_other, axis)
            else:
                stones = own if cell in others else own | {cell}
                sign, (value, more) = -1, follows(others, stones, tried_by_other, tried | {cell}, 1 - axis)
            total += sign * value
            histories += more
        return total / len(free), histories

    nothing: frozenset[tuple[int, int]] = frozenset()
    return follows(nothing, nothing, nothing, nothing, 0)


@pytest.mark.parametrize(
    ("rows", "columns", "abrupt"),
    [
        (2, 3, False),
        (3, 2, True),
        pytest.param(2, 4, False, marks=pytest.mark.slow),
        pytest.param(2, 4, True, marks=pytest.mark.slow),
    ],
)
def test_uniform_play_of_dark_hex_is_that_of_states_without_the_order_of_tries(
    rows: int, columns: int, abrupt: bool
) -> None:
    form = traversed_form(named("dark_hex", rows=rows, columns=columns, abrupt=abrupt))
    value, histories = uniform_play(rows, columns, abrupt)
    assert form.num_histories == histories
    bounds = measures.value(form, *(plex.weights(plex.uniform()) for plex in form.treeplexes)).bounds
    assert Fraction(bounds.lower) <= value <= Fraction(bounds.upper)
    assert bounds.upper - bounds.lower < 1e-11
