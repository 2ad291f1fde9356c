"""Random, illegal and senseless actions through every environment, compared step by step with the rules."""

from collections.abc import Callable, Iterator, Sequence
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
from nashzoo.envs.core.game import BOTH, Bools, Floats, Game, Ints, Mask
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.registry import games, make_game
from nashzoo.envs.rules.compiled_game import GAME
from nashzoo.envs.vector.game_batch import GameBatch
from studies.campaign import Row

NUM_ENVS = 4_096
ILLEGAL = ("lose", "noop")
SENSELESS = (-1, 63, 64, -(2**31), 10**9)
SENSELESS_SHARE = 0.02
LEGAL_SHARE = 0.95
MAX_CYCLES = 50
MANY = (
    "GameBatch, step",
    "GameBatch, step_and_restart",
    "GameVecEnv",
    *(f"GameVectorEnv {mode.name}" for mode in AutoresetMode),
)  # environments of many games
PARAMETERS: dict[str, dict[str, Any]] = {"roshambo_v0": {"rounds": 20}, "bodega_brawl_v0": {"preset": "small"}}


def replies(game: Game, codes: Ints) -> Ints:
    """Returns the opponent's actions ``[B]``, by the state alone; some are illegal."""
    if game.symmetric:  # then an observation does not contain the seat
        codes = np.minimum(codes, game.swap_players(codes))
    return (codes * 0x9E3779B1 >> 11) % (game.num_actions + (codes % 97 == 0))


class ByCode(Opponent):
    """The opponent that plays by :func:`replies`."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(self, observations: Any, memory: Floats, masks: Any, uniforms: Floats) -> tuple[Ints, Floats]:
        """Plays by the state."""
        codes, players = np.empty((2, len(observations)), np.int64)
        kernels.decode_observations(self.game.compiled, np.ascontiguousarray(observations), codes, players)
        return replies(self.game, codes), memory


@compiled(void(GAME, int64[::1], int64[:, ::1], int64[::1], float64[::1], boolean[::1]))
def _follow(game: Any, rows: Ints, joint: Ints, codes: Ints, rewards: Floats, over: Bools) -> None:
    """Plays legal joint actions in the games ``rows``."""
    step, payoff, terminal, params = game.step, game.payoff, game.terminal, game.params
    for row in rows:
        codes[row] = step(params, codes[row], joint[0, row], joint[1, row])
        rewards[row], over[row] = payoff(params, codes[row]), terminal(params, codes[row])


def legal(game: Game, codes: Ints, player: int) -> Mask:
    """Returns the legal actions of a player ``[B, actions]``."""
    masks = np.empty((len(codes), game.num_actions), np.int8)
    kernels.legal_all(game.compiled, codes, np.full(len(codes), player), masks)
    return masks


def by_the_rules(game: Game, codes: Ints, joint: Ints, on_illegal: str) -> tuple[Ints, Floats, Bools]:
    """Returns the results of joint actions ``[2, B]``, by the rules and the documentation of ``illegal_action``.

    These are the states, the rewards to player 0, and whether games are over ``[B]``.
    """
    offends = np.zeros((2, len(codes)), np.bool_)
    for player in range(2):
        known = (joint[player] >= 0) & (joint[player] < game.num_actions)
        masks = legal(game, codes, player)
        offends[player] = ~known | (masks[np.arange(len(codes)), np.where(known, joint[player], 0)] == 0)
    fine = ~offends.any(axis=0)
    after, rewards, over = codes.copy(), np.zeros(len(codes)), np.zeros(len(codes), np.bool_)
    _follow(game.compiled, np.flatnonzero(fine), np.ascontiguousarray(joint), after, rewards, over)
    if on_illegal == "lose":
        rewards[~fine] = (offends[1].astype(float) - offends[0])[~fine]
        over[~fine] = True
    return after, rewards, over


def turn_of(game: Game, codes: Ints) -> Ints:
    """Returns the player to move ``[B]``."""
    turns = np.empty(len(codes), np.int64)
    kernels.turn_all(game.compiled, codes, turns)
    return turns


def drawn(game: Game, rng: np.random.Generator, masks: Mask) -> Ints:
    """Returns actions ``[B]``, most of them legal."""
    actions = np.where(masks > 0, rng.random(masks.shape), -1.0).argmax(axis=1)
    uniform = rng.random(len(masks)) > LEGAL_SHARE
    actions[uniform] = rng.integers(0, game.num_actions, uniform.sum())
    senseless = rng.random(len(masks)) < SENSELESS_SHARE
    actions[senseless] = rng.choice(SENSELESS, senseless.sum())
    return actions.astype(np.int64)


def learners_step(
    game: Game, codes: Ints, seats: Ints, cycles: Ints, actions: Ints, on_illegal: str
) -> dict[str, Ints | Floats | Bools]:
    """Returns the result of a learner's step by name, ``[B]`` each."""
    codes, cycles = codes.copy(), cycles.copy()
    rewards, terminated = np.zeros(len(codes)), np.zeros(len(codes), np.bool_)
    rows, own = np.arange(len(codes)), actions
    while len(rows):
        turns, joint = turn_of(game, codes[rows]), np.zeros((2, len(rows)), np.int64)
        there = np.arange(len(rows))
        joint[seats[rows], there] = own
        other = (turns == BOTH) | (turns == 1 - seats[rows])
        joint[1 - seats[rows], there] = np.where(other, replies(game, codes[rows]), 0)
        codes[rows], won, terminated[rows] = by_the_rules(game, codes[rows], joint, on_illegal)
        rewards[rows] += np.where(seats[rows] == 0, won, 0.0 - won)
        cycles[rows] += 1
        waits = ~terminated[rows] & (cycles[rows] < MAX_CYCLES) & (turn_of(game, codes[rows]) == 1 - seats[rows])
        rows = rows[waits]
        own = np.zeros(len(rows), np.int64)
    truncated = ~terminated & (cycles >= MAX_CYCLES)
    results = {"states": codes, "rewards": rewards, "terminated": terminated, "truncated": truncated}
    return results | {"ended": terminated | truncated}


class Environment(NamedTuple):
    """An environment of games with :class:`ByCode`."""

    batch: GameBatch
    step: Callable[[Ints], Sequence[Any]]  # of actions; returns rewards, terminated and truncated, or rewards and ended
    restart: Callable[[], object] | None = None  # of the games that are over, unless a step does so


def begun(kind: str, game: Game, on_illegal: str, seed: int) -> Environment:
    """Returns an environment whose games have begun."""
    opponent = ByCode(game)
    if kind == "GameEnv":
        single = GameEnv(game, opponent, "random", MAX_CYCLES, on_illegal)
        single.reset(seed=seed)
        return Environment(single.batch, lambda actions: np.array([single.step(actions[0])[1:4]]).T, single.reset)
    if kind.startswith("GameVectorEnv"):
        mode = AutoresetMode[kind.split()[1]]
        vector = GameVectorEnv(game, NUM_ENVS, opponent, "random", MAX_CYCLES, on_illegal, autoreset_mode=mode)
        vector.reset(seed=seed)
        environment = Environment(vector.batch, lambda actions: vector.step(actions)[1:4])
        if mode != AutoresetMode.DISABLED:
            return environment
        return environment._replace(restart=lambda: vector.reset(options={"reset_mask": ~vector.batch.running}))
    batch = GameBatch(game, NUM_ENVS, opponent, "random", MAX_CYCLES, on_illegal)
    batch.seed(seed)
    batch.restart(np.arange(NUM_ENVS))
    if kind == "GameBatch, step":
        return Environment(batch, batch.step, lambda: batch.restart(np.flatnonzero(~batch.running)))
    if kind == "GameVecEnv":
        return Environment(batch, lambda actions: GameVecEnv(batch).step(actions)[1:3])
    return Environment(batch, lambda actions: batch.step_and_restart(actions).outcome)


def fuzz_single_agent(game: Game, kind: str, steps: int, on_illegal: str, seed: int) -> Row:
    """Steps games against :class:`ByCode`."""
    rng, failures = np.random.default_rng(seed), list[str]()
    batch, step, restart = begun(kind, game, on_illegal, seed)
    times = max(1, steps // batch.num_games)
    for _ in range(times):
        running = np.flatnonzero(batch.running)
        actions = drawn(game, rng, batch.masks())
        before = (column[running] for column in (batch.codes, batch.seats, batch.cycles, actions))
        expected = learners_step(game, *before, on_illegal)
        columns = step(actions)
        names = ("rewards", "ended") if len(columns) == 2 else ("rewards", "terminated", "truncated")
        results = dict(zip(names, columns, strict=True))
        if restart is not None:
            results["states"] = batch.codes
        for name, column in results.items():
            if not np.array_equal(column[running], expected[name]):
                failures.append(f"{kind}: {game} has other {name}")
        if restart is not None and not batch.running.all():
            restart()
    return Row(kind, times * batch.num_games, tuple(failures))


def fuzz_pettingzoo(game: Game, kind: str, steps: int, on_illegal: str, seed: int) -> Row:
    """Steps an environment of PettingZoo, with both players' actions."""
    rng, failures = np.random.default_rng(seed), list[str]()
    env: Any = (GameParallelEnv if kind == "ParallelEnv" else GameAECEnv)(game, MAX_CYCLES, on_illegal)
    env.reset(seed=seed)
    cycles = 0
    for _ in range(steps):
        codes = np.array([env.code])
        turn = int(turn_of(game, codes)[0])
        joint = np.stack([drawn(game, rng, legal(game, codes, player)) for player in range(2)])
        if kind == "AECEnv" and turn != BOTH:
            joint[1 - turn] = 0  # the player who is not to move does nothing
        (code,), (reward,), (over,) = by_the_rules(game, codes, joint, on_illegal)
        cycles += 1
        late = not over and cycles >= MAX_CYCLES
        if kind == "ParallelEnv":
            _, *results, _ = env.step({agent: joint[player, 0] for player, agent in enumerate(AGENTS)})
        else:
            for player in range(2) if turn == BOTH else [turn]:
                env.step(joint[player, 0])
            results = [env.rewards, env.terminations, env.truncations]
        expected = [[reward, 0.0 - reward], [over] * 2, [late] * 2]
        if env.code != code or [[column[agent] for agent in AGENTS] for column in results] != expected:
            failures.append(f"{kind}: {game} has another state, reward or end")
        if over or late:
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
    few, many = max(100, steps // (400 * len(each))), steps // (len(MANY) * len(each))
    for kind in ("ParallelEnv", "AECEnv", "GameEnv", *MANY):
        fuzz = fuzz_pettingzoo if kind in ("ParallelEnv", "AECEnv") else fuzz_single_agent
        of_games = [fuzz(game, kind, many if kind in MANY else few, mode, seed) for game, mode in each]
        yield Row(f"steps of {kind}", sum(row.tried for row in of_games), sum((row.failures for row in of_games), ()))
