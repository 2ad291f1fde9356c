"""Indexed states: the same answers as lists of states give, and codes that are none of theirs."""

import itertools
from functools import partial
from typing import Any

import numpy as np
import pytest

import nim
import table_games
from nashzoo.agents.basic.nash import NashAgent
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.baselines import (
    ListedStates,
    best_response,
    evaluate,
    exploitability,
    indexed_values,
    nash_conv,
    solve,
    state_values,
)
from nashzoo.baselines.certificate import layers
from nashzoo.baselines.layered_solution import LayeredSolution
from nashzoo.baselines.policies import tabular, with_memory
from nashzoo.baselines.policies.tabular import tabulate
from nashzoo.baselines.solvers import threaded_loops
from nashzoo.baselines.states import indexed
from nashzoo.baselines.states.indexed import IndexedStates, numbering
from nashzoo.envs import footsies_v0
from nashzoo.envs.core.game import Features, Floats, Game, Mask
from nashzoo.envs.core.kernels import decode_observations
from nashzoo.envs.core.reachable import TooManyStatesError
from table_games import Mixed, Pure, solved

EXACT = 1e-12
MODES = ("draw", "sudden_death")

TINY = table_games.game("tiny")
SMALL = table_games.game("small", "sudden_death")
LARGE = table_games.game("large")
GAMES = [
    *(table_games.game("tiny", mode) for mode in MODES),
    pytest.param(table_games.game("small", "draw"), marks=pytest.mark.slow),
    SMALL,
]


def both_ways(game: Game) -> tuple[IndexedStates, ListedStates]:
    """Returns the table of a game, and a list of the same states."""
    return IndexedStates(game), ListedStates(table_games.listed(game), table_games.all_codes(game))


@pytest.mark.parametrize("game", GAMES, ids=str)
class TestNumbers:
    def test_every_state_has_its_own_and_its_mirror_image_the_next(self, game: Game) -> None:
        table, codes = IndexedStates(game), table_games.all_codes(game)
        ids = table.ids(codes)
        assert len(np.unique(ids)) == len(codes)
        assert ids.min() >= 0 and ids.max() < len(table)
        assert (table.codes_at(ids) == codes).all()
        mirrored = table.ids(game.swap_players(codes))
        itself = game.swap_players(codes) == codes
        assert (mirrored[~itself] == ids[~itself] ^ 1).all()
        assert (mirrored[itself] == ids[itself]).all() and (ids[itself] % 2 == 0).all()
        assert len(table) == len(codes) + itself.sum()  # those that are their own mirror image stand twice
        assert all(int(code) in table for code in codes)

    def test_layers_hold_every_number_once_and_lead_only_to_earlier_ones(self, game: Game) -> None:
        table = IndexedStates(game)
        expected = 0
        for ids, cyclic in table.layers:
            assert not cyclic
            assert (ids == np.arange(expected, expected + len(ids))).all()
            assert table.successors_at(ids).following.max() < expected
            expected += len(ids)
        assert expected == len(table)

    def test_what_follows_is_what_a_list_says(self, game: Game) -> None:
        table, states = both_ways(game)
        ids = table.ids(states.codes)
        listed, found = states.successors, table.successors_at(ids)
        for field in ("legal0", "legal1", "rewards"):
            assert (getattr(found, field) == getattr(listed, field)).all()
        goes_on = listed.following >= 0
        assert (found.following[~goes_on] == listed.following[~goes_on]).all()
        assert (found.following[goes_on] == ids[listed.following[goes_on]]).all()

    def test_the_shape_of_the_codes_does_not_matter(self, game: Game) -> None:
        table, codes = IndexedStates(game), table_games.all_codes(game)
        assert (table.ids(codes[:6].reshape(2, 3)) == table.ids(codes[:6]).reshape(2, 3)).all()
        assert table.ids(int(codes[3])).shape == ()
        assert table.ids(codes[:10].tolist()).tolist() == table.ids(codes[:10]).tolist()
        before = codes.copy()
        table.ids(codes)
        assert (codes == before).all()


def test_only_games_that_number_their_states_have_tables() -> None:
    assert isinstance(numbering(TINY), IndexedStates)
    assert isinstance(numbering(table_games.listed(TINY)), ListedStates)
    assert isinstance(numbering(Game(nim, heap=4)), ListedStates)


class TestListedOnce:
    def test_each_game_has_its_own_figures_whatever_was_measured_in_between(self) -> None:
        games = [footsies_v0.game(blocks=blocks, max_turns=turns) for blocks in (1, 2, 3) for turns in (4, 5)]
        for game in [*games, *games, *reversed(games)]:
            policy, states = Mixed(game, 1), ListedStates(game)
            rows = tabulate(game, policy, states.codes, 0)
            values, _ = state_values.best_response_values(states, rows, 1)
            loss = -float(values[states.ids(game.start_codes)] @ game.start_probabilities)  # its value is 0
            assert exploitability(game, policy) == pytest.approx(loss, abs=EXACT)
            assert len(numbering(game)) == len(states)

    def test_states_are_those_of_the_game_that_was_given_not_of_an_equal_one(self) -> None:
        one, other = Game(nim, heap=20), Game(nim, heap=20)
        assert numbering(one) is numbering(one)
        for game in (one, other, one):
            assert numbering(game).game is game

    def test_from_other_roots_or_as_representatives_they_are_others(self) -> None:
        game = footsies_v0.game(blocks=2)
        code = game.code(blocks0=0, blocks1=0)
        for _ in range(2):
            assert len(numbering(game, [code])) == len(ListedStates(game, [code])) < len(numbering(game))
            assert len(numbering(game, representatives_only=True)) == len(ListedStates(game, None, True))

    def test_many_states_are_not_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        game = Game(nim, heap=21)
        monkeypatch.setattr(indexed, "FEW", 5)
        assert numbering(game) is not numbering(game)
        assert len(numbering(game)) == len(ListedStates(game)) > 5

    def test_too_many_to_list_is_an_error_each_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        game = Game(nim, heap=23)
        monkeypatch.setattr(indexed, "FEW", 4)
        monkeypatch.setattr(indexed, "ListedStates", partial(ListedStates, most_states=5))
        for _ in range(3):
            with pytest.raises(TooManyStatesError, match="more than 5 states"):
                numbering(game)


NO_STATES = {
    "unequal cards": (TINY, {"head_dual0": 0}),
    "knocked out": (TINY, {"head0": 1, "body0": 1}),
    "both knocked out": (TINY, {"head0": 1, "head1": 1}),
    "more strikes than a limit": (TINY, {"legs1": 5}),
    "no cards left": (TINY, {"head_dual0": 0, "head_dual1": 0, "body_dual0": 0, "body_dual1": 0}),
    "a card that is not in the deck": (TINY, {"body_dual0": 3, "body_dual1": 3}),
    "another kind of card": (TINY, {"head_attack0": 1, "head_attack1": 1}),
    "sudden death that is not played": (TINY, {"sudden_death": 1}),
    "strikes in sudden death": (SMALL, {"sudden_death": 1, "head0": 1}),
    "a game that is over": (SMALL, {"outcome": 1}),
    "a drawn game": (TINY, {"outcome": 3}),
    "the largest hands there are": (TINY, {f"{r}_{k}": n for k, n in (("attack0", 3), ("dual0", 7)) for r in
                                           ("head", "body", "legs")}),
    "the largest numbers there are": (LARGE, dict.fromkeys(LARGE.state(0)._fields[:18], 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", NO_STATES)
def test_a_code_that_is_no_state_of_the_table(name: str) -> None:
    game, fields = NO_STATES[name]
    first = game.state(int(game.start_codes[0]))
    state = first._replace(**fields)
    code = int(game.rules.encode(state))
    table = IndexedStates(game)
    assert code not in table
    for codes in (code, [code], [int(game.start_codes[0]), code], np.full((2, 2), code)):
        with pytest.raises(KeyError, match=f"bodega_brawl_v0 has no state {game.spell(code)}, or is over there"):
            table.ids(codes)
    if game == TINY:
        solution = solve(TINY)
        with pytest.raises(KeyError, match="has no state head0="):
            solution.value(code)
        with pytest.raises(KeyError, match="has no state head0="):
            solution.strategies(np.array([code]))


def test_any_number_may_be_asked_for() -> None:
    codes = np.random.default_rng(0).integers(0, 2**63, 5_000)
    codes >>= np.random.default_rng(1).integers(0, 62, 5_000)
    for game in (TINY, SMALL, LARGE):
        table = IndexedStates(game)
        everywhere = set() if game == LARGE else set(table_games.all_codes(game).tolist())
        for code in [*codes.tolist(), *(-codes[:100]).tolist(), *LARGE.start_codes.tolist()]:
            if game != LARGE:
                assert (code in table) == (code in everywhere)
            elif code in table:
                assert not game.terminal(code) and game.code(**game.state(code)._asdict()) == code


class TestSolving:
    @pytest.mark.parametrize("game", GAMES, ids=str)
    def test_a_list_of_the_same_states_has_the_same_values(self, game: Game) -> None:
        solution, codes = solved(game), table_games.all_codes(game)
        listed = solve(table_games.listed(game), roots=codes.tolist())
        assert isinstance(solution, LayeredSolution)
        assert solution.num_states == listed.num_states == len(codes)
        found = solution.values[solution.states.ids(codes)]
        assert found == pytest.approx(listed.values[listed.states.ids(codes)], abs=EXACT)
        assert solution.start_value == 0.0
        assert [solution.value(int(code)) for code in codes[:20]] == found[:20].tolist()
        assert solution.distance(int(codes[0])) is None

    @pytest.mark.parametrize("game", GAMES, ids=str)
    def test_the_certificate_holds_at_every_state(self, game: Game) -> None:
        # The best replies to the strategies of either player, over whole games, by the methods for lists.
        solution, states = solved(game), both_ways(game)[1]
        strategies = solution.strategies(states.codes)
        secured, _ = state_values.best_response_values(states, strategies[0], 1)
        conceded, _ = state_values.best_response_values(states, strategies[1], 0)
        assert (conceded - secured).max() <= solution.certificate + 1e-15
        assert solution.certificate <= 1e-13

    @pytest.mark.parametrize(("threads", "rows"), [(1, 100), (2, 1), (2, 1_000_000), (5, 100)])
    def test_it_is_the_same_whatever_the_number_of_threads(
        self, threads: int, rows: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        expected = solved(SMALL)
        codes = SMALL.start_codes if rows == 1 else table_games.all_codes(SMALL)
        strategies = expected.strategies(codes)
        monkeypatch.setattr(threaded_loops, "processors", lambda: threads)
        monkeypatch.setattr(threaded_loops, "PART", rows)
        monkeypatch.setattr(layers, "PART", rows)
        found = solve(SMALL)
        assert isinstance(found, LayeredSolution) and isinstance(expected, LayeredSolution)
        assert found.values.half.tobytes() == expected.values.half.tobytes()
        assert found.certificate == expected.certificate
        assert np.array(found.strategies(codes)).tobytes() == np.array(strategies).tobytes()

    @pytest.mark.parametrize("part", [100, 1024])
    def test_progress_adds_up(self, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(layers, "PART", part)
        told: list[tuple[str, int, int]] = []
        solve(SMALL, progress=lambda *said: told.append(said))
        states = len(IndexedStates(SMALL)) // 2
        assert {(what, total) for what, _, total in told} == {("states", states)}
        done = [count for _, count, _ in told]
        parts = sum(-(-size // part) for size in SMALL.rules.layer_sizes(SMALL.params).tolist())
        assert done == sorted(set(done)) and len(done) == 1 + parts
        assert (done[0], done[-1]) == (0, states)

    def test_the_players_swapped_have_each_others_strategies(self) -> None:
        solution, codes = solved(SMALL), table_games.all_codes(SMALL)
        codes = codes[SMALL.swap_players(codes) != codes]
        strategies, mirrored = solution.strategies(codes), solution.strategies(SMALL.swap_players(codes))
        assert (strategies[0] == mirrored[1]).all() and (strategies[1] == mirrored[0]).all()


@pytest.mark.parametrize("game", GAMES, ids=str)
class TestMeasures:
    """Every exact measure of policies, in tables as in lists."""

    def policies(self, game: Game) -> dict[str, Any]:
        kinds = {"random": RandomAgent(game), "nash": NashAgent(game, solution=solved(game))}
        kinds |= {f"mixed {seed}": Mixed(game, seed) for seed in range(3)}
        return {**kinds, "pure": Pure(game, 3)}

    def test_two_policies_against_each_other(self, game: Game) -> None:
        policies = list(self.policies(game).values())
        for policy0, policy1 in zip(policies, policies[1:] + policies[:1], strict=True):
            found = evaluate(game, policy0, policy1)
            assert found == pytest.approx(evaluate(table_games.listed(game), policy0, policy1), abs=EXACT)
            assert found == pytest.approx(-evaluate(game, policy1, policy0), abs=EXACT)  # a symmetric game

    def test_how_far_from_optimal(self, game: Game) -> None:
        policies = self.policies(game)
        for policy in policies.values():
            found = nash_conv(game, policy)
            assert found == pytest.approx(nash_conv(table_games.listed(game), policy), abs=EXACT)
            assert exploitability(game, policy) == pytest.approx(found / 2, abs=EXACT)
            for player in (0, 1):
                assert exploitability(game, policy, player=player) == pytest.approx(found / 2, abs=EXACT)
        pair = policies["mixed 0"], policies["mixed 1"]
        assert nash_conv(game, *pair) == pytest.approx(nash_conv(table_games.listed(game), *pair), abs=EXACT)
        assert nash_conv(game, *pair) == pytest.approx(sum(exploitability(game, each) for each in pair), abs=EXACT)

    @pytest.mark.parametrize("player", [0, 1])
    def test_a_best_response_earns_what_it_says(self, game: Game, player: int) -> None:
        for policy in self.policies(game).values():
            value, reply = best_response(game, policy, player)
            assert value == pytest.approx(best_response(table_games.listed(game), policy, player).value, abs=EXACT)
            assert value >= -EXACT
            pair = (reply, policy) if player == 0 else (policy, reply)
            earned = evaluate(game, *pair) * (1 if player == 0 else -1)
            assert earned == pytest.approx(value, abs=EXACT)

    def test_parts_do_not_matter(self, game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
        policies = Mixed(game, 4), Mixed(game, 5)
        expected = evaluate(game, *policies), best_response(game, policies[0], 1).value
        monkeypatch.setattr(indexed_values, "AT_ONCE", 100)
        monkeypatch.setattr(indexed_values, "PART", 7)
        monkeypatch.setattr(indexed_values, "processors", lambda: 3)
        assert (evaluate(game, *policies), best_response(game, policies[0], 1).value) == expected


class Asked(Pure):
    """Remembers the states at which it was asked."""

    def __init__(self, game: Game, seed: int) -> None:
        super().__init__(game, seed)
        self.game = game
        self.codes: list[int] = []

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        decoded, players = np.empty((2, len(observations)), np.int64)
        decode_observations(self.game.compiled, observations, decoded, players)
        self.codes += decoded.tolist()
        return super().action_probabilities(observations, action_masks)


def reached(game: Game, policy: Pure, player: int) -> set[int]:
    """Returns the states that play reaches against a policy, by the rules alone."""
    known = set(game.start_codes.tolist())
    waiting = list(known)
    while waiting:
        code = waiting.pop()
        mask = np.zeros((1, game.num_actions), np.int8)
        mask[0, list(game.legal_actions(code, player))] = 1
        own = int(policy.action_probabilities(game.observe(code, player)[None], mask).argmax())
        for other in game.legal_actions(code, 1 - player):
            after = game.step(code, *((own, other) if player == 0 else (other, own)))
            if not game.terminal(after) and after not in known:
                known.add(after)
                waiting.append(after)
    return known


class TestWhatPlayReaches:
    @pytest.mark.parametrize("player", [0, 1])
    @pytest.mark.parametrize("most_kept", [0, 300, 10**6])
    def test_a_policy_is_asked_there_and_again_at_the_first_states_alone(
        self, player: int, most_kept: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(with_memory, "FEW", 0)
        monkeypatch.setattr(indexed_values, "MOSTLY", 2.0)
        monkeypatch.setattr(indexed_values, "MOST_KEPT", most_kept)
        monkeypatch.setattr(indexed_values, "AT_ONCE", 100)
        policy = Asked(SMALL, 2)
        value = best_response(SMALL, policy, 1 - player).value
        assert value == pytest.approx(
            best_response(table_games.listed(SMALL), Pure(SMALL, 2), 1 - player).value, abs=EXACT
        )
        codes = np.array(policy.codes)
        unlike = codes[SMALL.swap_players(codes) != codes]  # those that are their own mirror image have two numbers
        assert 0 < len(unlike) - len(set(unlike.tolist())) <= tabular.SAMPLE + 100  # of the last part
        expected = reached(SMALL, Pure(SMALL, 2), player)
        asked = set(policy.codes) if player == 0 else set(SMALL.swap_players(np.array(policy.codes)).tolist())
        assert asked == expected if most_kept == 10**6 else asked > expected

    def test_what_is_mostly_reached_is_not_searched_any_further(self, monkeypatch: pytest.MonkeyPatch) -> None:
        expected = best_response(SMALL, Mixed(SMALL, 1), 0).value
        for share in (0.0, 0.1, 2.0):
            monkeypatch.setattr(indexed_values, "MOSTLY", share)
            assert best_response(SMALL, Mixed(SMALL, 1), 0).value == expected

    def test_every_state_if_that_is_wanted(self) -> None:
        for player, policy in ((0, Mixed(SMALL, 0)), (1, Pure(SMALL, 1))):
            table, states = both_ways(SMALL)
            rows = tabulate(SMALL, policy, table.codes_at(np.arange(len(table))), 1 - player)
            values, choices = state_values.best_response_values(table, rows, player)
            ids = table.ids(states.codes)
            expected, _ = state_values.best_response_values(states, rows[ids], player)
            assert values[ids] == pytest.approx(expected, abs=EXACT)
            assert (choices >= 0).all()


class TestRulesThatAreWrong:
    @pytest.mark.parametrize("reward", [np.inf, np.nan])
    def test_an_infinite_payoff(self, reward: float) -> None:
        """Not after all joint actions of a state."""
        endless = table_games.with_rules(TINY, payoff=lambda code: reward if code >> 49 == 1 else 0.0)
        with pytest.raises(ValueError, match="pays a reward that is not finite"):
            best_response(endless, RandomAgent(endless), 0)

    def test_an_index_that_leads_to_no_earlier_layer(self) -> None:
        def index(tables: Any, code: int) -> int:
            return 10**6 + code % 1000

        astray = table_games.with_rules(TINY, index=index)
        with pytest.raises(ValueError, match=r"the index of bodega_brawl_v0 leads from .* to no earlier layer"):
            state_values.best_response_values(IndexedStates(astray), np.full((len(IndexedStates(TINY)), 9), 1 / 9), 0)


class TestTablePolicy:
    def test_a_best_response_can_be_played_from_its_seat(self) -> None:
        codes = table_games.all_codes(SMALL)
        for player, policy in itertools.product((0, 1), (Mixed(SMALL, 0), Pure(SMALL, 0))):
            reply = best_response(SMALL, policy, player).policy  # any legal action where play does not lead
            probabilities = tabulate(SMALL, reply, codes, player)
            assert (probabilities.max(axis=1) == 1).all()
            # Either seat shows the same in a symmetric game: it plays the same there, mirrored.
            assert (tabulate(SMALL, reply, SMALL.swap_players(codes), 1 - player) == probabilities).all()

    def test_a_policy_is_asked_only_where_play_goes_on_and_checked_there(self) -> None:
        class Wrong:
            def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
                assert (action_masks.sum(axis=1) > 0).all()
                assert (observations[:, -3:] == 0).all()  # how the game ended
                return np.full(action_masks.shape, 1 / 9)

        with pytest.raises(ValueError, match=r"player 0 has the probabilities .* over the legal actions"):
            evaluate(TINY, Wrong(), RandomAgent(TINY))
        with pytest.raises(TypeError, match="int has no action_probabilities"):
            nash_conv(TINY, 3)  # type: ignore[arg-type]
