"""The scripted players of Footsies: decisions worked out by hand, and a second, slow telling of each bot."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.arena.match import play_match, wilson
from nashzoo.envs import footsies_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Floats, Game, Ints
from nashzoo.envs.games.footsies.rules import State

A, B, G, D = range(4)
BOTS = ("counter", "bayesian", "bluff", "markov")


@pytest.fixture(scope="module")
def game() -> Game:
    return footsies_v0.game(rounds=40)


def seen_after(game: Game, move: int | None, **fields: int) -> np.ndarray:
    """What player 0 sees after the other has played ``move``."""
    return game.observe(game.code(last1=0 if move is None else move + 1, last0=0 if move is None else 1, **fields), 0)


def decisions(
    game: Game, name: str, moves: list[int | None], uniforms: tuple[float, float], **options: Any
) -> list[int]:
    """What a bot plays, decision by decision, when the other's last moves are ``moves``."""
    agent = agents.make(name, game, **options)
    memory = np.zeros((1, agent.memory_size))
    masks = np.ones((1, 4), np.int8)
    played = []
    for move in moves:
        actions, memory = agent.act(seen_after(game, move)[None], memory, masks, np.array([uniforms]))
        played.append(int(actions[0]))
    return played


def test_bayesian_can_remember_an_evening(game: Game) -> None:
    agent = agents.make("bayesian", game, memory="evening")
    memory, masks, uniforms = np.zeros((1, agent.memory_size)), np.ones((1, 4), np.int8), np.zeros((1, 2))
    for _ in range(3):
        _, after = agent.act(seen_after(game, B)[None], memory, masks, uniforms)
        assert not after.any()  # nothing of it is in the memory of a match, which begins anew
    assert agent.act(seen_after(game, A)[None], memory, masks, uniforms)[0].tolist() == [G]
    forgetful = agents.make("bayesian", game)
    assert forgetful.act(seen_after(game, A)[None], memory, masks, uniforms)[0].tolist() == [B]
    with pytest.raises(UsageError, match="bayesian with memory='evening' plays one game at a time, not 2"):
        agent.act(np.stack([seen_after(game, A)] * 2), np.zeros((2, 4)), np.ones((2, 4), np.int8), np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("options", "share", "matches"),
    [
        ({"ties": "actions"}, 0.586, 40_000),
        ({"ties": "seen"}, 0.52, 40_000),  # this and the next are what the course project's own code plays
        ({"ties": "seen", "memory": "evening"}, 0.73, 4_000),
    ],
)
def test_counter_wins_from_bayesian_as_in_the_course_project(
    options: dict[str, str], share: float, matches: int
) -> None:
    game = footsies_v0.game(exhausted_block="free")
    result = play_match(game, agents.make("counter", game), agents.make("bayesian", game, **options), matches, seed=1)
    low, high = wilson(result.wins, result.games)
    assert result.draws == 0
    assert low < share < high
    assert high - low < 0.03


def test_bayesian_dares_a_dragon_punch_only_when_sure(game: Game) -> None:
    # After one Dragon Punch: (1 + 1) / (1 + 4 * 1) = 0.4
    assert decisions(game, "bayesian", [D], (0.3, 0.0), risk_threshold=0.4) == [D]
    assert decisions(game, "bayesian", [D], (0.3, 0.0), risk_threshold=0.41) == [B]
    # With alpha = 3: (1 + 3) / (1 + 4 * 3) = 4/13 = 0.308
    assert decisions(game, "bayesian", [D], (0.3, 0.0), risk_threshold=0.4, alpha=3.0) == [B]


class Slow:
    """Each bot once more, one match at a time, as its table of behaviour reads."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.name, self.options = name, options
        self.counts: Counter[int] = Counter()
        self.tendency = 0
        self.transitions: Counter[tuple[int, int]] = Counter()
        self.before: int | None = None

    def play(self, s: State, uniforms: Floats) -> int:
        last = s.last1 - 1 if s.last1 else None
        u, v = uniforms
        if self.name == "counter":
            if s.hits1:
                return B
            if s.blocks1 == 0:
                return A
            return int(4 * u) if last in (None, D) else {A: B, B: G, G: A}[last]
        if self.name == "bayesian":
            if last is None:
                return int(4 * u)
            self.counts[last] += 1
            alpha, threshold = self.options["alpha"], self.options["risk_threshold"]
            likelihood = {move: (self.counts[move] + alpha) / (self.counts.total() + 4 * alpha) for move in range(4)}
            candidates = range(4) if self.options.get("ties") != "seen" else list(self.counts)  # in the order of seeing
            best = max(candidates, key=lambda move: likelihood[move])
            if best == D:
                return D if likelihood[best] >= threshold else int(4 * u)
            return {A: B, B: G, G: A}[best]
        if self.name == "bluff":
            if u < self.options["bluff"]:
                return int(4 * v)
            if last is not None:
                self.tendency += -1 if last == B else 1
            return B if self.tendency > 1 else A if self.tendency < 1 else G
        if last is not None and self.before is not None:
            self.transitions[self.before, last] += 1
        self.before = last
        followers = [self.transitions[last, move] for move in range(4)] if last is not None else [0]
        if not any(followers):
            return int(3 * v)
        expected = followers.index(max(followers))
        if expected in (A, G) and u < self.options["risk"]:
            return D
        return {A: B, B: G, G: A, D: B}[expected]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("counter", {}),
        ("bayesian", {"alpha": 1.0, "risk_threshold": 0.2}),
        ("bayesian", {"alpha": 0.3, "risk_threshold": 0.5}),
        ("bayesian", {"alpha": 1.0, "risk_threshold": 0.2, "ties": "seen"}),
        ("bluff", {"bluff": 0.2}),
        ("markov", {"risk": 0.2}),
    ],
)
def test_whole_matches_are_played_as_the_slow_bot_plays_them(game: Game, name: str, options: dict[str, Any]) -> None:
    matches, rng = 6, np.random.default_rng(3)
    agent = agents.make(name, game, **options)
    slow = [Slow(name, options) for _ in range(matches)]
    codes: Ints = np.repeat(game.start_codes, matches)
    memory = np.zeros((matches, agent.memory_size))
    played = np.zeros(4, np.int64)
    for _ in range(60):
        observations = np.stack([game.observe(int(code), 0) for code in codes])
        uniforms = rng.random((matches, 2))
        actions, memory = agent.act(observations, memory, np.ones((matches, 4), np.int8), uniforms)
        expected = [bot.play(game.state(int(code)), u) for bot, code, u in zip(slow, codes, uniforms, strict=True)]
        assert actions.tolist() == expected
        played += np.bincount(actions, minlength=4)
        replies = rng.choice(4, matches, p=(0.2, 0.3, 0.3, 0.2))
        codes = np.array([game.step(int(c), int(a), int(b)) for c, a, b in zip(codes, actions, replies, strict=True)])
    assert np.count_nonzero(played) == 4


@pytest.mark.parametrize("name", BOTS)
def test_a_table_plays_alike_alone_and_among_others(game: Game, name: str) -> None:
    rng = np.random.default_rng(5)
    agent = agents.make(name, game)
    observations = np.stack([seen_after(game, m, hits1=h) for m in (None, A, B, G, D) for h in (0, 1)])
    memory = rng.integers(0, 5, (len(observations), agent.memory_size)).astype(np.float64)
    uniforms, masks = rng.random((len(observations), 2)), np.ones((len(observations), 4), np.int8)
    given = memory.copy()
    actions, after = agent.act(observations, memory, masks, uniforms)
    assert np.array_equal(memory, given), "the memory handed in was changed"
    for i in range(len(observations)):
        row = slice(i, i + 1)
        action, row_after = agent.act(observations[row], memory[row], masks[row], uniforms[row])
        assert action[0] == actions[i]
        assert np.array_equal(row_after[0], after[i])


@pytest.mark.parametrize("name", ("bayesian", "bluff", "markov"))
def test_the_start_of_an_episode_clears_the_memory(game: Game, name: str) -> None:
    agent = agents.make(name, game, seed=0)
    first, later = seen_after(game, None), seen_after(game, A)
    observations = np.stack([later, first])
    state = None
    for _ in range(5):
        _, state = agent.predict(np.stack([later, later]), state)
    _, state = agent.predict(observations, state, episode_start=np.array([False, True]))
    assert state[0].any()
    assert not state[1].any()


def test_only_counter_is_a_policy_on_states(game: Game) -> None:
    assert [isinstance(agents.make(name, game), PolicyAgent) for name in BOTS] == [True, False, False, False]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("bayesian", {"alpha": 0.0}, "alpha must be a number above 0, not 0.0"),
        ("bayesian", {"alpha": float("inf")}, "alpha must be a number above 0, not inf"),
        ("bayesian", {"alpha": True}, "alpha must be a number above 0, not True"),
        ("bayesian", {"risk_threshold": 1.5}, "risk_threshold must be a number from 0 to 1, not 1.5"),
        ("bayesian", {"ties": "last"}, "ties must be 'actions' or 'seen', not 'last'"),
        ("bayesian", {"memory": "day"}, "memory must be 'match' or 'evening', not 'day'"),
        ("bluff", {"bluff": -0.1}, "bluff must be a number from 0 to 1, not -0.1"),
        ("bluff", {"bluff": "often"}, "bluff must be a number from 0 to 1, not 'often'"),
        ("markov", {"risk": float("nan")}, "risk must be a number from 0 to 1, not nan"),
    ],
)
def test_options_out_of_range_are_refused(game: Game, name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agents.make(name, game, **options)
