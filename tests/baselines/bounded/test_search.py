"""Bounds of best responses by search hold at any time, and meet at the exact value."""

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graph_game
import tree_game
from made_games import with_rules, written
from nashzoo import agents
from nashzoo.app.shared.bounded import tell_bounds
from nashzoo.arena.measure import responded
from nashzoo.baselines import ExploitabilitySearch, best_response, evaluate, exploitability, exploitability_bounds
from nashzoo.baselines.bounded import walk
from nashzoo.baselines.bounded.measure import saved_response
from nashzoo.baselines.bounded.search import ResponseSearch
from nashzoo.baselines.bounded.walk import Walk
from nashzoo.baselines.certificate.bounds import PROVEN
from nashzoo.envs import Game, make_game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import FiniteMemoryAgent, NoPolicyError
from nashzoo.envs.core.game import BOTH, CHANCE, Features, Floats, Ints, Mask
from nashzoo.envs.core.reachable import TooManyStatesError
from tree_game import random_tree

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "games"


class RandomPolicy:
    """Random probabilities, drawn anew for each observation; some actions are never played."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game, self.seed = game, seed

    def action_probabilities(self, observations: Any, masks: Any) -> Floats:
        rows = []
        for seen, mask in zip(observations, masks, strict=True):
            rng = np.random.default_rng([self.seed, *np.round(seen * 1000).astype(int).tolist()])
            shares = rng.exponential(size=len(mask)) ** 2 * (rng.random(len(mask)) > 0.3) * mask
            rows.append((shares if shares.any() else mask) / (shares if shares.any() else mask).sum())
        return np.array(rows)


class Skewed(RandomPolicy):
    """Probabilities some of which are so small that their products are 0 in double precision."""

    def action_probabilities(self, observations: Any, masks: Any) -> Floats:
        rows = []
        for seen, mask in zip(observations, masks, strict=True):
            rng = np.random.default_rng([self.seed, *np.round(seen * 1000).astype(int).tolist()])
            weights = rng.choice([1, 1e-6, 1e-12, 1e-300], size=len(mask)) * mask
            rows.append(weights / weights.sum())
        return np.array(rows)


def check(game: Game, policy: Any, most: int = 100_000, exact: bool = True) -> None:
    for player in (0, 1):
        true = best_response(game, policy, player, bounds=True).value
        search, done, last = ResponseSearch(game, policy, player), False, None
        for _ in range(most):
            lower, upper = search.bounds
            assert lower <= true.upper and upper >= true.lower
            assert last is None or (lower >= last.lower and upper <= last.upper)  # they only become closer
            last = search.bounds
            if done:
                break
            done = search.improve()
        assert not exact or (done and last.upper - last.lower <= 4 * PROVEN)


@pytest.mark.parametrize("movers", [(0, 1, BOTH, CHANCE), (0, 1, CHANCE), (BOTH,), (0, 1)], ids=str)
@pytest.mark.parametrize("seed", range(12))
def test_random_trees(movers: tuple[int, ...], seed: int) -> None:
    game = Game(tree_game, nodes=random_tree(np.random.default_rng(seed), movers, depth=5))
    check(game, RandomPolicy(game, seed))


@pytest.mark.parametrize(
    ("seed", "movers"), [(2031, (0, 1, BOTH, CHANCE)), (2063, (0, 1, CHANCE)), (2093, (0, 1)), (2101, (0, 1))], ids=str
)
def test_probabilities_that_underflow(seed: int, movers: tuple[int, ...]) -> None:
    game = Game(tree_game, nodes=random_tree(np.random.default_rng(seed), movers, depth=5))
    check(game, Skewed(game, seed))


def random_graph(seed: int, nodes: int = 8) -> Game:
    """Returns a game in which both players choose at once, states recur, and ends alone pay."""
    rng = np.random.default_rng(seed)
    tables: list[Any] = [
        rng.integers(0, nodes + 3, size=(rng.integers(1, 4), rng.integers(1, 4))).tolist() for _ in range(nodes)
    ]
    return Game(graph_game, tables=[*tables, None, None, None], pays=[0.0] * nodes + [1.0, -1.0, 0.5])


@pytest.mark.parametrize("seed", range(40))
def test_states_that_recur(seed: int) -> None:
    game = random_graph(seed)
    check(game, RandomPolicy(game, seed))


SHIPPED = [
    ("tictactoe_v0", {}),
    ("footsies_v0", {}),
    ("footsies_v0", {"rounds": 3}),
    ("soccer_v0", {"width": 11, "height": 3, "goal_height": 1}),
    ("roshambo_v0", {"rounds": 3}),
    (str(FOLDER / "kuhn.py"), {}),
    (str(FOLDER / "leduc.py"), {}),
    (str(FOLDER / "hidden_goofspiel.py"), {}),
    (str(FOLDER / "goofspiel.py"), {}),
    (str(FOLDER / "liars_dice.py"), {"faces": 3}),
    (str(FOLDER / "liars_dice.py"), {"faces": 2, "dice": 2}),
    (str(FOLDER / "dark_hex.py"), {"rows": 2, "columns": 2}),
    (str(FOLDER / "pursuit.py"), {}),
    (str(FOLDER / "connect_four.py"), {"width": 4, "height": 3, "line": 3}),
]


@pytest.mark.parametrize(("name", "params"), SHIPPED, ids=str)
def test_shipped_games(name: str, params: dict[str, Any]) -> None:
    game = make_game(name, **params)
    for policy in (agents.make("random", game), RandomPolicy(game, 0)):
        check(game, policy)


@pytest.mark.parametrize(("name", "params"), SHIPPED, ids=str)
def test_a_response_wins_what_its_bound_says(name: str, params: dict[str, Any]) -> None:
    game = make_game(name, **params)
    policy = RandomPolicy(game, 1)
    search = ExploitabilitySearch(game, policy)
    for _ in range(3):
        for one in search.searches:
            for _ in range(4):
                one.improve()
            won = (
                evaluate(game, search.response, policy) if one.player == 0 else -evaluate(game, policy, search.response)
            )
            assert won >= one.bounds.lower - PROVEN


@pytest.mark.parametrize(("name", "params"), SHIPPED, ids=str)
def test_a_given_response_wins_what_exact_measures_say(name: str, params: dict[str, Any]) -> None:
    game = make_game(name, **params)
    policy, response = RandomPolicy(game, 1), RandomPolicy(game, 2)
    for seat, pair in enumerate(((response, policy), (policy, response))):
        exact = (1 - 2 * seat) * evaluate(game, *pair)
        lower, upper = Walk(game, policy, response, seat).bounds
        assert lower - PROVEN <= exact <= upper + PROVEN
        assert upper - lower <= 8 * PROVEN or game.name in ("footsies_v0", "soccer_v0", "pursuit_v0")  # which may last


@pytest.mark.parametrize("seed", range(10))
def test_a_given_response_where_states_recur_or_all_is_likely_to_end(seed: int) -> None:
    trees = Game(tree_game, nodes=random_tree(np.random.default_rng(seed), (0, 1, BOTH, CHANCE), depth=5))
    for game in (random_graph(seed), trees):
        exact = evaluate(game, RandomPolicy(game, 1), Skewed(game, 2), bounds=True)
        lower, upper = Walk(game, Skewed(game, 2), RandomPolicy(game, 1), 0).bounds
        assert lower <= exact.upper and exact.lower <= upper


def test_given_responses_are_lower_bounds_where_they_are_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MOST", 3_000)
    game = make_game(str(FOLDER / "connect_four.py"), width=7, height=6)
    rival = RandomPolicy(game, 0)  # two that mix have more games than can be walked
    search = ExploitabilitySearch(game, FirstAction())
    assert search.respond(FirstAction(), 1) == pytest.approx((-1.0, -1.0), abs=PROVEN)
    search.improve(600.0)
    found = search.response
    assert exploitability_bounds(game, FirstAction(), seconds=0.0, responses=[found]).lower >= 1.0 - PROVEN
    lower, upper = Walk(game, rival, rival, 0).bounds
    assert -1.0 <= lower < upper - 0.5
    search = ExploitabilitySearch(game, rival)
    played = responded(search, rival, agents.make("random", game, 0), 0, 0.1)
    assert played.games > 0 and -1.0 < played.bounds.lower < played.bounds.upper <= 1.0
    assert search.bounds.lower == 0.0  # a sample proves nothing
    search = ExploitabilitySearch(game, FirstAction())
    assert responded(search, FirstAction(), found, 0, 0.1).games == 0 and search.by_seat[0].lower >= 1.0 - PROVEN


def test_bounds_of_both_seats_are_those_of_the_exploitability(tmp_path: Path) -> None:
    game = make_game(str(FOLDER / "leduc.py"))
    policy = RandomPolicy(game, 2)
    exact = exploitability(game, policy)
    search = ExploitabilitySearch(game, policy)
    lower, upper = search.bounds
    assert lower == 0.0 and upper == pytest.approx(13)  # what is at stake
    assert search.improve(600.0, gap=0.5)
    assert search.bounds.lower <= exact <= search.bounds.upper <= search.bounds.lower + 0.5 + PROVEN
    search.save(tmp_path / "found.response")
    later = ExploitabilitySearch(game, policy)
    later.go_on(tmp_path / "found.response")
    assert later.bounds == search.bounds
    assert later.improve(600.0) and later.bounds.upper - later.bounds.lower < 1e-8
    assert exploitability_bounds(game, policy, seconds=600.0) == pytest.approx((exact, exact), abs=1e-8)
    player = saved_response(tmp_path / "found.response", game)
    assert evaluate(game, player, policy) >= search.searches[0].bounds.lower
    assert evaluate(game, agents.as_agent(str(tmp_path / "found.response"), game), policy) == evaluate(
        game, player, policy
    )
    with pytest.raises(NoPolicyError, match="other probabilities when it is asked again"):
        ExploitabilitySearch(game, RandomPolicy(game, 3)).go_on(tmp_path / "found.response")
    with pytest.raises(UsageError, match=r"is of leduc_v0.*, not of kuhn_v0"):
        kuhn = make_game(str(FOLDER / "kuhn.py"))
        ExploitabilitySearch(kuhn, agents.make("random", kuhn)).go_on(tmp_path / "found.response")
    content = bytearray((tmp_path / "found.response").read_bytes())
    content[-1] ^= 1
    (tmp_path / "found.response").write_bytes(content)
    with pytest.raises(UsageError, match="is damaged"):
        saved_response(tmp_path / "found.response", game)


class FirstAction:
    """Always the first legal action."""

    def action_probabilities(self, observations: Any, masks: Any) -> Floats:
        return np.eye(masks.shape[1])[masks.argmax(axis=1)]


def test_a_deterministic_policy_of_a_game_that_cannot_be_listed_loses_all() -> None:
    game = make_game(str(FOLDER / "connect_four.py"), width=7, height=6)
    search = ExploitabilitySearch(game, FirstAction())
    assert search.improve(600.0)
    assert search.bounds == pytest.approx((1.0, 1.0), abs=PROVEN)
    large = make_game(str(FOLDER / "leduc.py"), ranks=13, raises=3)
    search = ExploitabilitySearch(large, agents.make("random", large))
    assert search.improve(600.0)
    assert search.bounds.lower == pytest.approx(exploitability(large, agents.make("random", large)), abs=1e-8)


def test_what_is_at_stake_must_be_known() -> None:
    pays_more = Game(with_rules(graph_game, "at_stake"), tables=(((1, 2),), None, None), pays=(0.0, 3.0, -1.0))
    with pytest.raises(UsageError, match=r"need at_stake\(state\), the most that a player can still win or lose"):
        ExploitabilitySearch(pays_more, FirstAction()).improve(600.0)
    goes_on = Game(with_rules(graph_game, "at_stake"), tables=(((1,),), ((2,),), None), pays=(0.0, 1.0, 1.0))
    with pytest.raises(UsageError, match="more is paid, or play goes on"):
        ExploitabilitySearch(goes_on, FirstAction()).improve(600.0)


STEPS = """
from typing import NamedTuple

NAME, ACTIONS, rules_text = "steps", ["no", "yes"], "Three steps."


class State(NamedTuple):
    turns: int
    last: int


def field_maxima():
    return State(3, 1)


def start():
    return State(0, 0)


def turn(state):
    return 0


def step(state, action0):
    return State(state.turns + 1, action0)


def terminal(state):
    return state.turns == 3


def payoff(state):
    return PAYS
"""
STAKE = """

def at_stake():
    return {}
"""


@pytest.mark.parametrize(
    ("pays", "stake", "message"),
    [
        ("3.0 * state.last * (state.turns == 3)", "", r"need at_stake\(state\).* at turns=2,last=0 more is paid"),
        ("1.0 * state.last", STAKE.format(1), r"more can be won in steps than at_stake\(state\) says"),
        ("1.0 * state.last", STAKE.format(-1), "at_stake of steps must be a number from 0, not -1, at turns=0"),
        ("1.0 * state.last", STAKE.format("float('nan')"), "must be a number from 0, not nan"),
        ("1.0 * state.last", STAKE.format("'3'"), "must be a number from 0, not '3'"),
    ],
)
def test_more_than_is_said_to_be_at_stake_is_refused(tmp_path: Path, pays: str, stake: str, message: str) -> None:
    game = make_game(written(tmp_path, STEPS + stake, ("PAYS", pays)))
    with pytest.raises(UsageError, match=message):
        ExploitabilitySearch(game, agents.make("random", game)).improve(600.0)
    game = make_game(written(tmp_path, STEPS + STAKE.format(3), ("PAYS", pays)))
    search = ExploitabilitySearch(game, agents.make("random", game))
    assert search.improve(600.0) and search.by_seat[0] == pytest.approx((3.0, 3.0), abs=PROVEN)


def test_who_remembers_more_than_the_state_is_refused() -> None:
    game = make_game("roshambo_v0", rounds=3)
    with pytest.raises(NoPolicyError):
        ExploitabilitySearch(game, agents.make("frequency", game))


def test_a_search_of_one_policy_in_both_seats_is_not_one_of_a_pair(tmp_path: Path) -> None:
    game = make_game("roshambo_v0", rounds=3)
    uniform = agents.make("random", game)
    ExploitabilitySearch(game, uniform).save(tmp_path / "one.response")  # of a symmetric game: one seat
    with pytest.raises(UsageError, match="is of another search: one policy in both seats, or one in each"):
        ExploitabilitySearch(game, uniform, RandomPolicy(game, 1)).go_on(tmp_path / "one.response")


@pytest.mark.parametrize("limits", [{"seconds": -1.0}, {"seconds": np.nan}, {"gap": -1.0}, {"gap": np.nan}], ids=str)
def test_limits_that_are_none_are_refused(limits: dict[str, float]) -> None:
    game = make_game("tictactoe_v0")
    with pytest.raises(UsageError, match="seconds and gap must be at least 0"):
        exploitability_bounds(game, FirstAction(), **limits)  # type: ignore[arg-type]


def test_a_place_where_nothing_can_be_written_is_refused_before_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_game("tictactoe_v0")
    search = ExploitabilitySearch(game, FirstAction())
    search.save(tmp_path / "new.response")
    later = ExploitabilitySearch(game, FirstAction())
    later.go_on(tmp_path / "new.response")  # also of a search that has not begun
    assert later.improve(600.0)
    monkeypatch.setattr(ExploitabilitySearch, "improve", lambda *_: pytest.fail("it searches"))
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="is a file, and a folder is to be written there"):
        tell_bounds(game, "tictactoe_v0", "first", FirstAction(), 60.0, 0.0, tmp_path / "file" / "x.response", False)


def test_equilibrium_policies_bound_the_value_from_both_sides() -> None:
    game = make_game(str(FOLDER / "kuhn.py"))
    search = ExploitabilitySearch(game, agents.make("nash", game))
    assert search.improve(600.0) and search.value_bounds == pytest.approx((-1 / 18, -1 / 18), abs=PROVEN)
    search = ExploitabilitySearch(game, agents.make("random", game))
    search.improve(0.0)
    lower, upper = search.value_bounds
    assert lower <= -1 / 18 <= upper


class Machine(FiniteMemoryAgent):
    """A random automaton: what it sees moves its memory, and gives its probabilities in each memory state."""

    def __init__(self, game: Game, seed: int, size: int = 2) -> None:
        super().__init__(game)
        rng = np.random.default_rng(seed)
        self.memory_states, self.weights = size, rng.integers(1, 1000, game.num_features)
        self.following = rng.integers(size, size=(size, 97))
        self.shares = rng.exponential(size=(size, 97, game.num_actions)) ** 2
        self.shares *= rng.random(self.shares.shape) > 0.3

    def place(self, observations: Features) -> Ints:
        place: Ints = np.round(observations * 1000).astype(np.int64) @ self.weights % 97
        return place

    def remember(self, states: Ints, observations: Features) -> Ints:
        after: Ints = self.following[states, self.place(observations)]
        return after

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        shares = self.shares[states, self.place(observations)] * masks
        shares = np.where(shares.any(axis=1, keepdims=True), shares, masks)
        probabilities: Floats = shares / shares.sum(axis=1, keepdims=True)
        return probabilities


def check_response(game: Game, policy: Any, rounds: int = 4) -> None:
    """Checks that responses found in some rounds win what their bounds say, or cannot be played."""
    search = ExploitabilitySearch(game, policy)
    for one in search.searches:
        for _ in range(rounds):
            one.improve()
        seats = (search.response, policy) if one.player == 0 else (policy, search.response)
        try:
            won = evaluate(game, *seats)
        except UsageError as error:
            assert one.opponent.memories > 1 and one.opponent.moves_alone
            assert "the value of the best response stands, but it cannot be played" in str(error)
        else:
            assert (won if one.player == 0 else -won) >= one.bounds.lower - PROVEN


@pytest.mark.parametrize("seed", range(20))
def test_players_with_memory_where_states_recur(seed: int) -> None:
    game = random_graph(seed)
    player = Machine(game, seed, 1 + seed % 5)
    check(game, player)
    check_response(game, player)


def exact_response(game: Game, player: Any) -> int:
    """Checks that exact responses win their values; returns how many of them can be played."""
    count = 0
    for seat in (0, 1):
        value, response = best_response(game, player, seat)
        with contextlib.suppress(UsageError):  # of a response that cannot be played
            won = evaluate(game, response, player) if seat == 0 else -evaluate(game, player, response)
            assert won == pytest.approx(value, abs=PROVEN)
            count += 1
    return count


@pytest.mark.parametrize("seed", [5, 31, 32, 59])
def test_an_exact_response_to_memory_wins_its_value_or_cannot_be_played(seed: int) -> None:
    game = random_graph(seed)
    exact_response(game, Machine(game, seed, 2 + seed % 4))


@pytest.mark.slow
def test_exact_responses_to_many_automata_win_their_values() -> None:
    played = 0
    for seed in range(300):
        game = random_graph(seed, 4 + seed % 5)
        played += exact_response(game, Machine(game, seed, 2 + seed % 4))
    assert played > 100


WITHOUT_SECRETS = [
    ("tictactoe_v0", {}),
    ("footsies_v0", {"rounds": 3}),
    ("roshambo_v0", {"rounds": 3}),
    (str(FOLDER / "goofspiel.py"), {}),
    (str(FOLDER / "pursuit.py"), {}),
    (str(FOLDER / "pig.py"), {"target": 10}),
    (str(FOLDER / "connect_four.py"), {"width": 4, "height": 3, "line": 3}),
]


@pytest.mark.parametrize(("name", "params"), WITHOUT_SECRETS, ids=str)
def test_players_with_memory_in_shipped_games(name: str, params: dict[str, Any]) -> None:
    game = make_game(name, **params)
    check(game, Machine(game, 1))
    check_response(game, Machine(game, 1))


@pytest.mark.parametrize(
    ("name", "options"),
    [("recent", {"order": 0, "window": 2}), ("recent", {"order": 1, "window": 1}), ("habits", {"order": 1})],
    ids=str,
)
def test_players_of_roshambo_with_memory(name: str, options: dict[str, Any]) -> None:
    game = make_game("roshambo_v0", rounds=5)
    bot = agents.make(name, game, **options)
    check(game, bot)
    check_response(game, bot, 1)
    search = ExploitabilitySearch(game, bot)
    assert search.improve(600.0)
    exact = exploitability(game, bot)
    assert search.bounds == pytest.approx((exact, exact), abs=1e-8)
    assert evaluate(game, search.response, bot) == pytest.approx(exact, abs=1e-8)
    assert evaluate(game, bot, search.response) == pytest.approx(-exact, abs=1e-8)  # the game is symmetric


def test_one_with_memory_in_a_seat_and_one_without_in_the_other() -> None:
    for game in (make_game("footsies_v0"), make_game(str(FOLDER / "pursuit.py"))):
        plain, machine = RandomPolicy(game, 0), Machine(game, 0)
        for pair in ((plain, machine), (machine, plain)):
            search, exact = ExploitabilitySearch(game, *pair), exploitability(game, *pair)
            assert search.improve(600.0) and search.bounds == pytest.approx((exact, exact), abs=1e-8)
            assert evaluate(game, search.response, pair[1]) == pytest.approx(search.searches[0].bounds.lower, abs=1e-8)


def test_more_pairs_than_exact_measures_take() -> None:
    game = make_game("roshambo_v0", rounds=40)
    bot = agents.make("recent", game, order=0, window=10)
    with pytest.raises(TooManyStatesError, match="31,177,696 pairs"):
        exploitability(game, bot)
    assert exploitability_bounds(game, bot, seconds=600.0) == pytest.approx((39, 39))  # all throws but the first


def test_what_a_player_with_memory_must_be() -> None:
    kuhn = make_game(str(FOLDER / "kuhn.py"))
    with pytest.raises(NoPolicyError) as exact:
        exploitability(kuhn, Machine(kuhn, 0))
    with pytest.raises(NoPolicyError) as bounds:
        ExploitabilitySearch(kuhn, Machine(kuhn, 0))
    assert str(exact.value) == str(bounds.value)
    game = make_game("footsies_v0")
    machine = Machine(game, 0)
    machine.memory_states = 2**30
    with pytest.raises(NoPolicyError, match="Machine has more memory states than 260,110: no bounds are known"):
        ExploitabilitySearch(game, machine)
    with pytest.raises(UsageError, match="plays"):
        ExploitabilitySearch(make_game("tictactoe_v0"), machine)


class Drifting(Machine):
    """Another one with each call: of its memory, or of its probabilities."""

    def __init__(self, game: Game, drifts: str) -> None:
        super().__init__(game, 0)
        self.drifts = drifts

    def remember(self, states: Ints, observations: Features) -> Ints:
        self.following = 1 - self.following if self.drifts == "memory states" else self.following
        return super().remember(states, observations)

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        self.shares = self.shares[::-1] if self.drifts == "probabilities" else self.shares
        return super().memory_probabilities(states, observations, masks)


@pytest.mark.parametrize("drifts", ["memory states", "probabilities"])
def test_a_memory_that_changes_between_calls_is_refused(drifts: str) -> None:
    game = make_game("footsies_v0")
    with pytest.raises(NoPolicyError, match=f"other {drifts} when it is asked again"):
        ExploitabilitySearch(game, Drifting(game, drifts)).improve(600.0)


def test_a_search_against_memory_goes_on_from_its_file_which_is_no_player(tmp_path: Path) -> None:
    game, file = make_game("footsies_v0", rounds=3), tmp_path / "found.response"
    search = ExploitabilitySearch(game, Machine(game, 1))
    for one in search.searches:
        one.improve()
    search.save(file)
    later = ExploitabilitySearch(game, Machine(game, 1))
    later.go_on(file)
    assert later.bounds == search.bounds
    assert later.improve(600.0)
    assert later.bounds == pytest.approx((exploitability(game, Machine(game, 1)),) * 2, abs=1e-8)
    with pytest.raises(UsageError, match="answers a player with memory: an ExploitabilitySearch that goes on with it"):
        agents.as_agent(str(file), game)
    forgets = Machine(game, 1)
    forgets.following = 1 - forgets.following
    with pytest.raises(NoPolicyError, match="other memory states when it is asked again"):
        ExploitabilitySearch(game, forgets).go_on(file)
    for other in (Machine(game, 1, 3), RandomPolicy(game, 1)):
        with pytest.raises(UsageError, match="is of another search"):
            ExploitabilitySearch(game, other).go_on(file)
