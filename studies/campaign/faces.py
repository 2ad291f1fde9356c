"""Random, illegal and senseless actions through every environment, compared step by step with the rules."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from gymnasium.vector import AutoresetMode
from numba import boolean, float64, int64, void

from nashzoo.envs.api.aec import GameAECEnv
from nashzoo.envs.api.gymnasium_env import GameEnv
from nashzoo.envs.api.gymnasium_vector_env import GameVectorEnv
from nashzoo.envs.api.parallel_env import GameParallelEnv
from nashzoo.envs.api.pettingzoo_base import AGENTS
from nashzoo.envs.api.sb3_vec_env import GameVecEnv
from nashzoo.envs.core import kernels
from nashzoo.envs.core.agent import Opponent
from nashzoo.envs.core.game import BOTH, Bools, Floats, Game, Ints
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.registry import games, make_game
from nashzoo.envs.rules.compiled_game import GAME
from nashzoo.envs.vector.game_batch import GameBatch
from studies.campaign.tally import Row

NUM_ENVS = 4_096
ILLEGAL = ("lose", "noop")
SENSELESS = (-1, 63, 64, -(2**31), 10**9)
SENSELESS_SHARE = 0.02
LEGAL_SHARE = 0.95
MAX_CYCLES = 50
PARAMETERS: dict[str, dict[str, Any]] = {"roshambo_v0": {"rounds": 20}, "bodega_brawl_v0": {"preset": "small"}}


class JointStepResult(NamedTuple):
    """The result of a joint step in ``B`` games."""

    codes: Ints
    rewards: Floats  # to player 0
    over: Bools


def replies(game: Game, codes: Ints) -> Ints:
    """Returns the opponent's actions ``[B]``, by the state alone; some are illegal."""
    return (codes * 0x9E3779B1 >> 11) % (game.num_actions + (codes % 97 == 0))


class ByCode(Opponent):
    """The opponent that plays by :func:`replies`."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(self, observations: Any, memory: Floats, masks: Any, uniforms: Floats) -> tuple[Ints, Floats]:
        """Plays by the state."""
        codes, players = np.empty((2, len(observations)), np.int64)
        kernels.decode_observations(self.game.compiled, np.ascontiguousarray(observations), codes, players)
        if self.game.symmetric:  # then an observation does not contain the seat
            codes = np.minimum(codes, self.game.swap_players(codes))
        return replies(self.game, codes), memory


def reply_at(game: Game, codes: Ints, player: Ints) -> Ints:
    """Returns the actions of :class:`ByCode` at states ``[B]``."""
    return replies(game, np.minimum(codes, game.swap_players(codes)) if game.symmetric else codes)


@compiled(void(GAME, int64[::1], int64[:, ::1], int64[::1], float64[::1], boolean[::1]))
def _follow(game: Any, rows: Ints, joint: Ints, codes: Ints, rewards: Floats, over: Bools) -> None:
    """Plays legal joint actions in the games ``rows``."""
    step, payoff, terminal, params = game.step, game.payoff, game.terminal, game.params
    for row in rows:
        codes[row] = step(params, codes[row], joint[0, row], joint[1, row])
        rewards[row], over[row] = payoff(params, codes[row]), terminal(params, codes[row])


def by_the_rules(game: Game, codes: Ints, joint: Ints, on_illegal: str) -> JointStepResult:
    """Returns the results of joint actions ``[2, B]``, by the rules and the documentation of ``illegal_action``."""
    offends = np.zeros((2, len(codes)), np.bool_)
    for player in range(2):
        masks = np.empty((len(codes), game.num_actions), np.int8)
        kernels.legal_all(game.compiled, codes, np.full(len(codes), player), masks)
        known = (joint[player] >= 0) & (joint[player] < game.num_actions)
        offends[player] = ~known | (masks[np.arange(len(codes)), np.where(known, joint[player], 0)] == 0)
    fine = ~offends.any(axis=0)
    after, rewards, over = codes.copy(), np.zeros(len(codes)), np.zeros(len(codes), np.bool_)
    _follow(game.compiled, np.flatnonzero(fine), np.ascontiguousarray(joint), after, rewards, over)
    if on_illegal == "lose":
        rewards[~fine] = (offends[1].astype(float) - offends[0])[~fine]
        over[~fine] = True
    return JointStepResult(after, rewards, over)


def turn_of(game: Game, codes: Ints) -> Ints:
    """Returns the player to move ``[B]``."""
    turns = np.empty(len(codes), np.int64)
    kernels.turn_all(game.compiled, codes, turns)
    return turns


def drawn(game: Game, rng: np.random.Generator, masks: Any) -> Ints:
    """Returns actions ``[B]``, most of them legal."""
    actions = np.where(masks > 0, rng.random(masks.shape), -1.0).argmax(axis=1)
    uniform = rng.random(len(masks)) > LEGAL_SHARE
    actions[uniform] = rng.integers(0, game.num_actions, uniform.sum())
    senseless = rng.random(len(masks)) < SENSELESS_SHARE
    actions[senseless] = rng.choice(SENSELESS, senseless.sum())
    return actions.astype(np.int64)


def learners_step(
    game: Game, codes: Ints, seats: Ints, cycles: Ints, actions: Ints, on_illegal: str
) -> tuple[Ints, Floats, Bools, Bools]:
    """Returns the result of a learner's step: codes, its rewards, terminated and truncated ``[B]``."""
    codes, cycles = codes.copy(), cycles.copy()
    rewards, terminated = np.zeros(len(codes)), np.zeros(len(codes), np.bool_)
    rows, own = np.arange(len(codes)), actions
    while len(rows):
        turns, joint = turn_of(game, codes[rows]), np.zeros((2, len(rows)), np.int64)
        there = np.arange(len(rows))
        joint[seats[rows], there] = own
        other = (turns == BOTH) | (turns == 1 - seats[rows])
        joint[1 - seats[rows], there] = np.where(other, reply_at(game, codes[rows], 1 - seats[rows]), 0)
        played = by_the_rules(game, codes[rows], joint, on_illegal)
        codes[rows], terminated[rows] = played.codes, played.over
        rewards[rows] += np.where(seats[rows] == 0, played.rewards, 0.0 - played.rewards)
        cycles[rows] += 1
        waits = ~played.over & (cycles[rows] < MAX_CYCLES) & (turn_of(game, played.codes) == 1 - seats[rows])
        rows = rows[waits]
        own = np.zeros(len(rows), np.int64)
    return codes, rewards, terminated, ~terminated & (cycles >= MAX_CYCLES)


def _differ(kind: str, game: Game, *pairs: tuple[Any, Any]) -> Iterator[str]:
    for name, (got, expected) in zip(("states", "rewards", "terminated", "truncated"), pairs, strict=False):
        if not np.array_equal(got, expected):
            yield f"{kind}: {game} has other {name}"


def fuzz_tables(game: Game, kind: str, steps: int, on_illegal: str, seed: int) -> Row:
    """Steps games, directly or through one of the environments made of them."""
    rng, failures = np.random.default_rng(seed), list[str]()
    batch = GameBatch(game, NUM_ENVS, ByCode(game), "random", MAX_CYCLES, on_illegal)
    batch.seed(seed)
    batch.restart(np.arange(NUM_ENVS))
    step: Any = batch.step_and_restart
    if kind == "GameVecEnv":
        step = GameVecEnv(batch).step
    elif kind.startswith("GameVectorEnv"):
        mode = AutoresetMode[kind.split()[1]]
        env = GameVectorEnv(game, NUM_ENVS, ByCode(game), "random", MAX_CYCLES, on_illegal, autoreset_mode=mode)
        env.reset(seed=seed)
        batch, step = env.batch, env.step
    for _ in range(max(1, steps // NUM_ENVS)):
        running = np.flatnonzero(batch.running)
        masks, codes, seats = batch.masks(), batch.codes.copy(), batch.seats.copy()
        cycles = batch.cycles.copy()
        actions = drawn(game, rng, masks)
        expected = learners_step(game, codes[running], seats[running], cycles[running], actions[running], on_illegal)
        if kind == "GameBatch, step":
            outcome = batch.step(actions)
            failures += _differ(kind, game, (batch.codes, expected[0]), *zip(outcome, expected[1:], strict=True))
            batch.restart(np.flatnonzero(~batch.running))
            continue
        result = step(actions)
        if kind == "GameVecEnv":
            _, rewards, ended, _ = result
            failures += _differ(kind, game, (0, 0), (rewards, expected[1]), (ended, expected[2] | expected[3]))
            continue
        outcome = result.outcome if kind == "GameBatch, step_and_restart" else result[1:4]
        got = [column[running] for column in outcome]
        failures += _differ(kind, game, (0, 0), *zip(got, expected[1:], strict=True))
        if kind.endswith("DISABLED") and not batch.running.all():
            env.reset(options={"reset_mask": ~batch.running})
    return Row(kind, max(1, steps // NUM_ENVS) * NUM_ENVS, tuple(failures))


def fuzz_single(game: Game, steps: int, on_illegal: str, seed: int) -> Row:
    """Steps a Gymnasium environment."""
    rng, failures = np.random.default_rng(seed), list[str]()
    env = GameEnv(game, ByCode(game), "random", MAX_CYCLES, on_illegal)
    _, info = env.reset(seed=seed)
    batch = env.batch
    for _ in range(steps):
        codes, seats, cycles = batch.codes.copy(), batch.seats.copy(), batch.cycles.copy()
        actions = drawn(game, rng, info["action_mask"][None])
        expected = learners_step(game, codes, seats, cycles, actions, on_illegal)
        _, *outcome, info = env.step(actions[0])
        got = ([number] for number in outcome)
        failures += _differ("GameEnv", game, (batch.codes, expected[0]), *zip(got, expected[1:], strict=True))
        if outcome[1] or outcome[2]:
            _, info = env.reset()
    return Row("GameEnv", steps, tuple(failures))


def fuzz_pettingzoo(game: Game, kind: str, steps: int, on_illegal: str, seed: int) -> Row:
    """Steps a PettingZoo environment."""
    rng, failures = np.random.default_rng(seed), list[str]()
    env: Any = (GameParallelEnv if kind == "ParallelEnv" else GameAECEnv)(game, MAX_CYCLES, on_illegal)
    env.reset(seed=seed)
    cycles = 0
    for _ in range(steps):
        codes = np.array([env.code])
        masks = [np.empty((1, game.num_actions), np.int8) for _ in AGENTS]
        for player in range(2):
            kernels.legal_all(game.compiled, codes, np.full(1, player), masks[player])
        turn = int(turn_of(game, codes)[0])
        joint = np.stack([drawn(game, rng, mask) for mask in masks])
        if kind == "AECEnv" and turn != BOTH:
            joint[1 - turn] = 0  # the player who is not to move does nothing
        expected = by_the_rules(game, codes, joint, on_illegal)
        cycles += 1
        if kind == "ParallelEnv":
            _, rewards, over, late, _ = env.step({agent: joint[player, 0] for player, agent in enumerate(AGENTS)})
        else:
            for player in range(2) if turn == BOTH else [turn]:
                env.step(joint[player, 0])
            rewards, over, late = env.rewards, env.terminations, env.truncations
        ended = bool(expected.over[0]), not expected.over[0] and cycles >= MAX_CYCLES
        got = [[column[agent] for agent in AGENTS] for column in (rewards, over, late)]
        wanted = [expected.rewards[0], 0.0 - expected.rewards[0]], [ended[0]] * 2, [ended[1]] * 2
        failures += _differ(kind, game, (env.code, expected.codes[0]), *zip(got, wanted, strict=True))
        if any(ended):
            env.reset()
            cycles = 0
    return Row(kind, steps, tuple(failures))


def rows(steps: int, seed: int) -> Iterator[Row]:
    """Yields a row for each kind of environment, with all games and both values of ``illegal_action``.

    Args:
        steps: Number of steps in all, most of them in batches of games.
        seed: Seed of the actions.
    """
    chosen = [make_game(name, **PARAMETERS.get(name, {})) for name in games()]
    each = [(game, mode) for game in chosen for mode in ILLEGAL]
    many = ["GameBatch, step", "GameBatch, step_and_restart", "GameVecEnv"]
    many += [f"GameVectorEnv {mode.name}" for mode in AutoresetMode]
    few = max(100, steps // (400 * len(each)))
    for kind in ("ParallelEnv", "AECEnv", "GameEnv"):
        of_games = [
            fuzz_single(game, few, mode, seed) if kind == "GameEnv" else fuzz_pettingzoo(game, kind, few, mode, seed)
            for game, mode in each
        ]
        yield Row(f"steps of {kind}", sum(row.tried for row in of_games), sum((row.failures for row in of_games), ()))
    for kind in many:
        of_games = [fuzz_tables(game, kind, steps // (len(many) * len(each)), mode, seed) for game, mode in each]
        yield Row(f"steps of {kind}", sum(row.tried for row in of_games), sum((row.failures for row in of_games), ()))
