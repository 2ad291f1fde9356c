"""Many tables with the opponent inside, and the environments made of them."""

from threading import get_ident
from typing import Any

import numpy as np
import pytest

import nim
import repeated_rps
from made_games import with_rules
from nashzoo import agents
from nashzoo.arena.match import play_match
from nashzoo.envs import Game, footsies_v0, roshambo_v0, tictactoe_v0
from nashzoo.envs.core.agent import Opponent
from nashzoo.envs.vector import game_batch as tables_module
from nashzoo.envs.vector.both_seats import BothSeatsBatch
from nashzoo.envs.vector.game_batch import PART, GameBatch, StepResult
from opponents import Always, Counting, CountingInPlace, Roaming, TakesThree, Uncompiled, Uniform

GAMES = [
    footsies_v0.game(),
    footsies_v0.game(rounds=3, max_turns=4),
    Game(nim, heap=9, first="random"),
    Game(nim, heap=9, first=1),
    Game(repeated_rps, rounds=4),
]


def everywhere(batch: GameBatch) -> np.ndarray[Any, Any]:
    return np.arange(batch.num_games)


def history(batch: GameBatch, seed: Any, steps: int, scripts: np.ndarray[Any, Any]) -> list[tuple[Any, ...]]:
    """Plays the scripts' actions ``[B, steps]``; returns each step's codes, seats, rewards and ends ``[B, ...]``."""
    batch.seed(seed)
    batch.restart(everywhere(batch))
    seen = [(batch.codes.copy(), batch.seats.copy())]
    for k in range(steps):
        masks = batch.masks()
        actions = np.array([np.flatnonzero(m)[s % m.sum()] for m, s in zip(masks, scripts[:, k], strict=True)])
        outcome = batch.step(actions)
        seen.append((batch.codes.copy(), *outcome))
        ended = np.flatnonzero(outcome.terminated | outcome.truncated)
        batch.restart(ended)
        seen.append((batch.codes.copy(), batch.seats.copy()))
    return seen


@pytest.mark.parametrize("opponent", [Uniform, CountingInPlace])
@pytest.mark.parametrize("player", [0, 1, "random"])
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_table_does_not_depend_on_the_others(game: Game, player: int | str, opponent: type) -> None:
    many, steps, seed = 7, 30, 11
    scripts = np.random.default_rng(3).integers(0, 12, (many, steps))
    together = history(
        GameBatch(game, many, opponent(), player, max_cycles=6), range(seed, seed + many), steps, scripts
    )
    for table in range(many):
        single = GameBatch(game, 1, opponent(), player, max_cycles=6)
        alone = history(single, [seed + table], steps, scripts[table : table + 1])
        for all_columns, columns in zip(together, alone, strict=True):
            for all_rows, row in zip(all_columns, columns, strict=True):
                assert all_rows[table] == row[0]


def test_a_random_seat_is_fair_and_drawn_anew() -> None:
    batch = GameBatch(footsies_v0.game(), 400, Uniform(), "random")
    batch.seed(0)
    batch.restart(everywhere(batch))
    first = batch.seats.copy()
    batch.restart(everywhere(batch))
    for heads in (first.sum(), batch.seats.sum(), (first != batch.seats).sum()):
        assert abs(heads - 200) < 5 * np.sqrt(100)  # five standard deviations of 400 fair coins


def arrays(turn: StepResult) -> list[np.ndarray[Any, Any]]:
    return [*turn.outcome, turn.ended, *turn.last, *turn.view]


@pytest.mark.parametrize("illegal_action", ["lose", "noop"])
@pytest.mark.parametrize("player", [0, 1, "random"])
@pytest.mark.parametrize(
    ("game", "name"),
    [
        (footsies_v0.game(), "bayesian"),
        (footsies_v0.game(rounds=3, max_turns=4), "bayesian"),
        (Game(nim, heap=9, first="random"), None),
        (Game(nim, heap=2, first="random"), None),
    ],
    ids=str,
)
def test_a_compiled_opponent_plays_as_when_it_is_asked_in_python(
    game: Game, name: str | None, player: int | str, illegal_action: str
) -> None:
    opponent: Any = Roaming(game) if name is None else agents.make(name, game)
    assert opponent.compiled is not None
    one, two = (GameBatch(game, 300, sat, player, 6, illegal_action) for sat in (opponent, Uncompiled(opponent)))
    for batch in (one, two):
        batch.seed(8)
        batch.restart(everywhere(batch))
    scripts = np.random.default_rng(3).integers(0, game.num_actions + 1, (30, 300))  # some are illegal everywhere
    for actions in scripts:
        for found, expected in zip(*(arrays(batch.step_and_restart(actions)) for batch in (one, two)), strict=True):
            assert found.dtype == expected.dtype and found.shape == expected.shape and (found == expected).all()


@pytest.mark.parametrize(
    ("game", "opponent"), [(footsies_v0.game(), "bayesian"), (tictactoe_v0.game(), "random")], ids=str
)
def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch, game: Game, opponent: str) -> None:
    runs = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(tables_module, "processors", lambda threads=threads: threads)
        agent = agents.make(opponent, game)
        batch = GameBatch(game, 3 * PART + 1, agent, "random", illegal_action="noop")
        batch.seed(0)
        batch.restart(everywhere(batch))
        turns = [batch.step_and_restart(np.arange(batch.num_games) % game.num_actions) for _ in range(12)]
        runs.append([array for turn in turns for array in arrays(turn)])
    for run in runs[1:]:
        assert all((one == two).all() for one, two in zip(runs[0], run, strict=True))


def test_an_opponent_that_is_none_is_refused() -> None:
    with pytest.raises(TypeError, match="'random' is no opponent"):
        GameBatch(footsies_v0.game(), 1, "random")  # type: ignore[arg-type]


def test_an_opponent_is_alone_unless_it_says_that_it_need_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables_module, "processors", lambda: 2)

    class Watched(Always):
        def act(self, observations: Any, *rest: Any) -> Any:
            asked.append((len(observations), get_ident()))
            return super().act(observations, *rest)

    opponent = Watched(0)
    for safe, tables_each in ((False, 2 * PART), (True, PART)):
        opponent.thread_safe = safe
        asked: list[tuple[int, int]] = []
        batch = GameBatch(footsies_v0.game(), 2 * PART, opponent)
        batch.restart(everywhere(batch))
        batch.step_and_restart(np.zeros(2 * PART, np.int64))
        assert [count for count, _ in asked] == [tables_each] * (2 * PART // tables_each)
        assert len({thread for _, thread in asked}) == len(asked)


def test_a_step_and_a_restart_are_what_both_are_together() -> None:
    game = Game(nim, heap=9, first="random")
    one, two = (GameBatch(game, 50, Counting(), "random", max_cycles=6) for _ in range(2))
    for batch in (one, two):
        batch.seed(4)
        batch.restart(everywhere(batch))
    for _ in range(20):
        turn, outcome = one.step_and_restart(np.zeros(50, np.int64)), two.step(np.zeros(50, np.int64))
        ended = np.flatnonzero(outcome.terminated | outcome.truncated)
        last = two.view()
        two.restart(ended)
        for found, expected in (
            *zip(turn.outcome, outcome, strict=True),
            (turn.ended, ended),
            *zip(turn.last, (seen[ended] for seen in last), strict=True),
            *zip(turn.view, two.view(), strict=True),
        ):
            assert found.shape == expected.shape and (found == expected).all()


def test_without_a_seed_games_are_drawn_anew() -> None:
    batch = GameBatch(Game(nim, first="random"), 200, Uniform(), "random")
    starts = []
    for _ in range(2):
        batch.seed(None)
        batch.restart(everywhere(batch))
        starts.append(batch.codes.tolist())
    assert starts[0] != starts[1]


def test_starts_are_drawn_by_their_probabilities() -> None:
    batch = GameBatch(Game(nim, heap=9, first="random"), 400, Always(0))
    batch.seed(0)
    batch.restart(everywhere(batch))
    heaps = [batch.game.state(code).heap for code in batch.codes.tolist()]
    assert set(heaps) == {9, 8}, "the learner begins, or the opponent has taken one"
    assert abs(heaps.count(9) - 200) < 5 * np.sqrt(100)  # five standard deviations of 400 fair coins


@pytest.mark.parametrize(("player", "sign"), [(0, 1), (1, -1)])
def test_rewards_add_up_until_the_learner_is_asked_again(player: int, sign: int) -> None:
    rules = with_rules(nim, payoff=lambda state: state.heap)  # player 0 is paid what the heap holds
    batch = GameBatch(Game(rules, heap=9, first=player), 1, Always(1), player)
    batch.restart(everywhere(batch))
    assert batch.step(np.array([0])).rewards[0] == sign * (8 + 6)
    assert batch.step(np.array([2])).rewards[0] == sign * (3 + 1)


def test_a_restart_leaves_other_tables_alone() -> None:
    game = Game(nim, heap=20, first=1)
    batch = GameBatch(game, 6, Counting())
    batch.restart(everywhere(batch))
    batch.step(np.zeros(6, np.int64))
    before, again = batch.codes.copy(), np.array([1, 3, 2, 4])  # in any order
    batch.restart(again)
    assert (batch.codes[[0, 5]] == before[[0, 5]]).all()
    assert (batch.codes[again] == game.code(heap=19, mover=0)).all()
    # Counting takes one more each time: tables 0 and 5 are at their third decision, the others at their second.
    batch.step(np.zeros(6, np.int64))
    heaps = [game.state(int(code)).heap for code in batch.codes]
    assert heaps == [20 - 1 - 1 - 2 - 1 - 3, *[20 - 1 - 1 - 2] * 4, 20 - 1 - 1 - 2 - 1 - 3]


def test_a_game_over_before_the_learners_decision_is_started_again() -> None:
    batch = GameBatch(Game(nim, heap=1, first="random"), 64, Uniform(), player=0)
    batch.seed(0)
    batch.restart(everywhere(batch))
    assert (batch.masks().sum(axis=1) > 0).all()


def test_a_learner_who_is_never_asked_is_an_error() -> None:
    game = Game(nim, heap=1, first=1)
    batch = GameBatch(game, 2, Roaming(game), player=0)
    with pytest.raises(ValueError, match="before the learner was to move"):
        batch.restart(everywhere(batch))
    batch.codes[:], batch.over[:] = game.code(heap=1, mover=0), False
    with pytest.raises(ValueError, match="before the learner was to move"):
        batch.step_and_restart(np.array([0, 0]))


@pytest.mark.parametrize("opponent", [Always(2), TakesThree()])
def test_an_opponent_that_always_loses_by_an_illegal_action_is_an_error(opponent: Opponent) -> None:
    batch = GameBatch(Game(nim, heap=2, first=1), 2, opponent, player=0)
    message = r"always loses by an illegal action before the learner is to move, as at heap=2,.*; legal .* 1 \(take 2\)"
    with pytest.raises(ValueError, match=f"{type(opponent).__name__} {message}"):
        batch.restart(everywhere(batch))
    batch.codes[:], batch.over[:] = batch.game.code(heap=2, mover=0), False
    with pytest.raises(ValueError, match=message):
        batch.step_and_restart(np.array([1, 1]))


def test_truncation_counts_joint_steps() -> None:
    batch = GameBatch(footsies_v0.game(), 3, Always(0), max_cycles=4)
    batch.restart(everywhere(batch))
    for cycle in range(1, 5):
        outcome = batch.step(np.zeros(3, np.int64))  # Attack against Attack: nothing
        assert (outcome.truncated == (cycle == 4)).all() and not outcome.terminated.any()
    batch.restart(everywhere(batch))
    for action in (0, 0, 0, 3):
        outcome = batch.step(np.full(3, action))
    # Dragon Punch beats Attack in the last step.
    assert (outcome.rewards[0], outcome.terminated[0], outcome.truncated[0]) == (1.0, True, False)
    # Each turn of Nim is a step, the opponent's too.
    batch = GameBatch(Game(nim, heap=50), 1, Always(0), max_cycles=5)
    batch.restart(everywhere(batch))
    ends = [bool(batch.step(np.zeros(1, np.int64)).truncated[0]) for _ in range(3)]
    assert ends == [False, False, True]


def test_an_opponents_illegal_actions() -> None:
    batch = GameBatch(footsies_v0.game(), 1, Always(9))
    batch.restart(everywhere(batch))
    assert batch.step(np.array([0])).rewards[0] == 1.0
    batch.restart(everywhere(batch))
    outcome = batch.step(np.array([9]))  # both: nobody's point
    assert (outcome.rewards[0], outcome.terminated[0]) == (0.0, True)
    batch = GameBatch(footsies_v0.game(), 1, Always(9), illegal_action="raise")
    batch.restart(everywhere(batch))
    with pytest.raises(ValueError, match="player 1 played 9; legal actions are"):
        batch.step(np.array([0]))


def test_a_limit_beyond_64_bits_is_none() -> None:
    game, rows = footsies_v0.game(), np.zeros(1, np.int64)
    batch, both = GameBatch(game, 1, Always(0), max_cycles=10**30), BothSeatsBatch(game, 1, max_cycles=10**30)
    assert batch.max_cycles == both.max_cycles == 2**63 - 1
    batch.restart(rows)
    assert not batch.step(rows).truncated.any()
    parallel = footsies_v0.parallel_env(max_cycles=10**30)
    parallel.reset(seed=0)
    assert parallel.step({"player_0": 0, "player_1": 0})[3] == {"player_0": False, "player_1": False}
    assert play_match(game, "random", "random", 5, 0, max_cycles=10**30).unfinished == 0


@pytest.mark.parametrize("opponent", ["bayesian", "habits"])
@pytest.mark.parametrize("restarting", [False, True])
def test_a_step_that_fails_is_taken_back_whole(opponent: str, restarting: bool) -> None:
    game = footsies_v0.game() if opponent == "bayesian" else roshambo_v0.game(rounds=5)
    failing, other = (GameBatch(game, 3, agents.make(opponent, game), illegal_action="raise") for _ in range(2))
    step = GameBatch.step_and_restart if restarting else GameBatch.step
    for batch in (failing, other):
        batch.seed(1)
        batch.restart(everywhere(batch))
        step(batch, np.array([1, 1, 1]))
        batch.restart(np.flatnonzero(~batch.running))
    for _ in range(3):
        with pytest.raises(ValueError, match="player 0 played 9; legal actions are"):
            step(failing, np.array([1, 9, 8]))
    for one, two in zip(failing.games, other.games, strict=True):
        assert (one == two).all()


def test_after_an_opponents_error_games_have_to_start_again() -> None:
    class Failing(Always):
        def act(self, *given: Any) -> Any:
            raise RuntimeError("no more")

    batch = GameBatch(footsies_v0.game(), 2, Failing(0))
    batch.restart(everywhere(batch))
    with pytest.raises(RuntimeError, match="no more"):
        batch.step(np.zeros(2, np.int64))
    with pytest.raises(ValueError, match=r"no game is running in environment 0: call reset\(\) first"):
        batch.step(np.zeros(2, np.int64))


@pytest.mark.parametrize(
    "actions", [np.zeros(2), np.array([0, 2**64 - 1], np.uint64), ["0", "1"], [0, 2**64], np.zeros(2, np.bool_)]
)
def test_actions_that_are_no_whole_numbers_are_refused(actions: Any) -> None:
    batch = GameBatch(footsies_v0.game(), 2, Always(0))
    batch.restart(everywhere(batch))
    for step in (batch.step, batch.step_and_restart):
        with pytest.raises(ValueError, match="actions are whole numbers of 64 bits, not"):
            step(actions)


class TestVecEnv:
    """The tables as Stable-Baselines3 sees them."""

    @pytest.fixture
    def make(self) -> Any:
        module = pytest.importorskip("nashzoo.envs.api.sb3_vec_env")
        return lambda *args, **options: module.GameVecEnv(GameBatch(*args, **options))

    def test_what_was_returned_stays(self, make: Any) -> None:
        env = make(footsies_v0.game(rounds=5), 3, Uniform())
        assert env.seed(7) == [7, 8, 9]
        kept = [env.reset()]
        copies = [kept[0].copy()]
        for _ in range(5):
            results = env.step(np.array([0, 1, 2]))[:3]
            kept += results
            copies += [result.copy() for result in results]
        assert all((one == two).all() for one, two in zip(kept, copies, strict=True))

    def test_masks_are_found(self, make: Any) -> None:
        game = Game(nim, heap=2)
        env = make(game, 3, Uniform())
        env.reset()
        utils = pytest.importorskip("sb3_contrib.common.maskable.utils")
        assert utils.is_masking_supported(env)
        assert utils.get_action_masks(env).tolist() == [[True, True, False]] * 3
        assert env.has_attr("action_masks") and env.has_attr("codes") and not env.has_attr("nonsense")
        masks = np.stack(env.env_method("action_masks"))
        assert masks.dtype == np.bool_ and masks.tolist() == [[True, True, False]] * 3
        assert len(env.env_method("action_masks", indices=[1])) == 1
        with pytest.raises(AttributeError, match="there is no method 'render'; there is action_masks"):
            env.env_method("render")

    def test_attributes(self, make: Any) -> None:
        env = make(footsies_v0.game(), 3, Uniform())
        assert env.get_attr("max_cycles") == [1000] * 3
        env.reset()
        asked = [mask() for mask in env.get_attr("action_masks", indices=[0, 2])]
        assert (np.array(asked) == np.array(env.env_method("action_masks", indices=[0, 2]))).all()
        assert env.get_attr("render_mode", indices=0) == [None]
        env.set_attr("max_cycles", 2)
        assert env.get_attr("max_cycles", indices=[0, 2]) == [2, 2]
        assert env.env_is_wrapped(object) == [False] * 3

    def test_sb3_wrappers_and_evaluation_accept_it(self, make: Any) -> None:
        from stable_baselines3.common.vec_env import VecMonitor

        env = VecMonitor(make(Game(nim, heap=1), 2, Uniform()))
        env.reset()
        *_, infos = env.step(np.array([0, 0]))
        assert [info["episode"]["r"] for info in infos] == [1.0, 1.0]


@pytest.mark.parametrize("actions", [[1], [1, 1, 1], [[1, 1]], 1], ids=str)
@pytest.mark.parametrize("step", ["step", "step_and_restart"])
def test_there_is_an_action_for_each_table(step: str, actions: Any) -> None:
    batch = GameBatch(footsies_v0.game(), 2, agents.make("bayesian", footsies_v0.game()))
    batch.restart(everywhere(batch))
    before = batch.codes.copy()
    with pytest.raises(ValueError, match=r"actions must have shape \(2,\), not \("):
        getattr(batch, step)(np.array(actions))
    assert (batch.codes == before).all()
