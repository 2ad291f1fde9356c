"""The table of ``docs/theory/bounds.md``: proven bounds by search beside what others find, in the same time.

python -m studies.bounds                                      # measures what is missing, and writes the table
python -m studies.bounds --seconds 5 --out runs/bounds.jsonl  # another time, into another file

Seconds are of one processor, for both seats together; figures are the mean over the seats, points or chips a game.
"""

import argparse
import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from examples.ppo_self_play import PPO
from nashzoo import agents
from nashzoo.agents.basic.deterministic import DeterministicAgent
from nashzoo.arena.match import MatchResult, play_seats
from nashzoo.baselines import ExploitabilitySearch, evaluate
from nashzoo.baselines.bounded.fixed_policy import FixedPolicy
from nashzoo.envs import Game, make_game
from nashzoo.envs.core.agent import PolicyAgent, uniform_over
from nashzoo.envs.core.game import Features, Floats, Mask
from nashzoo.examples import leduc
from studies.tables import DOCS, markdown, with_block, write_page

PAGE, KEPT = DOCS / "theory" / "bounds.md", DOCS / "results" / "bounds.jsonl"
SECONDS = 1.0, 10.0, 60.0, 600.0  # of the table
MOST = 60.0  # seconds that other methods have
SLICE = 0.1  # seconds of a search until the clock is read again
GAMES = 20_000  # of a trained response
LEARNED = 12_000_000  # decisions of a policy that learned, ten minutes of a processor
NETWORKS: dict[str, Any] = {}  # by game, of such policies
FEWEST = 10  # games of a search
SIMULATIONS, EXPLORATION = 1_000, 1.4  # of OpenSpiel's searches, for each move
ROUNDING, PLACES = 1e-9, 1_000  # figures are shown in so many parts of a point
CELLS = {(x, y) for x in range(7) for y in range(6)}  # of Connect Four
BOUNDS, MCTS, LBR, DQN = "bounds", "MCTS", "LBR", "DQN"
Row = dict[str, Any]


class FourInLine(PolicyAgent):
    """Connect Four 7 x 6, by lines: a win, else a block, else any column; with a temperature, a softmax of points.

    A line of four without stones of the other player has a point if three are in it, and 4 points if four are. The
    points of a column are those of the player after it, less those of the other player.
    """

    def __init__(self, game: Game, temperature: float | None = None) -> None:
        super().__init__(game)
        self.temperature, ways = temperature, ((1, 0), (0, 1), (1, 1), (1, -1))
        lines = [[(x + k * dx, y + k * dy) for k in range(4)] for x in range(7) for y in range(6) for dx, dy in ways]
        self.lines = np.array([sum(1 << 7 * x + y for x, y in line) for line in lines if {*line} <= CELLS])

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns its probabilities ``[B, actions]``."""
        codes, movers = self.states_of(observations)
        shifts = 7 * np.arange(7)
        columns = codes[:, None] >> shifts & 0b1111111
        tops = 1 << (np.frexp(columns)[1].astype(np.int64) - 1)  # the next cell
        stones = [(one << shifts).sum(axis=1) for one in (columns ^ tops, ~columns & (tops - 1))]
        own, other = (np.where(movers == 0, *pair) for pair in (stones, stones[::-1]))
        after = (np.stack([own, other])[..., None] | tops << shifts)[..., None] & self.lines
        mine, theirs, before = map(np.bitwise_count, (*after, other[:, None, None] & self.lines))
        if self.temperature is None:
            wins, blocks = (action_masks * (counts.max(axis=2) == 4) for counts in (mine, theirs))
            played = np.where(blocks.any(axis=1)[:, None], blocks, action_masks)
            return uniform_over(np.where(wins.any(axis=1)[:, None], wins, played))
        points = np.array([0, 0, 0, 1, 4])
        gains = ((before == 0) * points[mine] - (mine == 0) * points[before]).sum(axis=2)
        weights = np.exp((gains - gains.max(axis=1, keepdims=True)) / self.temperature) * action_masks
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def learned(game: Game) -> Any:
    """Returns a player that learned in self-play by PPO; once for each game."""
    if game.name not in NETWORKS:
        learner = PPO(game, 0)
        learner.learn(LEARNED)
        NETWORKS[game.name] = learner.policy
    return agents.as_agent(NETWORKS[game.name], game)


def searching(game: Game) -> Any:
    """Returns Monte Carlo tree search with 100 simulations a move, the same for each state."""
    return agents.make("mcts", game, search_seed=0)


def local_best_response(game: Game, policy: Any, seat: int) -> float:
    """Returns what local best response wins in Leduc poker without suits, exactly, chips a game.

    It knows how likely each card of the other is by what the policy has chosen, and how often the policy folds to a
    raise; of all that follows it believes that both only call.

    Source: Lisy and Bowling (2017), "Equilibrium approximation quality of current no-limit poker bots".
    """
    params, other, fixed = leduc.Params(**game.options), 1 - seat, FixedPolicy(game, policy, 1 - seat)

    @cache
    def replies(seen: Any) -> Any:
        return fixed.at(np.array([game.code(**seen._asdict())]))[0].tolist()

    def seen_by(player: int, state: Any) -> Any:
        return state._replace(**{f"card{1 - player}": 1})

    def won(left: list[tuple[float, Any]], calls: bool = False) -> float:
        """Returns what histories with these probabilities bring; or what they would, if both only call."""
        total, decisions = 0.0, defaultdict(list)
        while left:
            weight, state = left.pop()
            if leduc.terminal(state):
                total += weight * (1 - 2 * seat) * leduc.payoff(params, state)
            elif state.dealing:
                left += [(weight * chance, after) for after, chance in leduc.chance(params, state)]
            elif calls:
                left.append((weight, leduc.step(state, leduc.CALL)))
            elif state.mover == seat:
                decisions[seen_by(seat, state)].append((weight, state))
            else:
                chances = enumerate(replies(seen_by(other, state)))
                left += [(weight * chance, leduc.step(state, action)) for action, chance in chances if chance]
        for some in decisions.values():
            best = max(np.flatnonzero(leduc.legal(params, some[0][1])).tolist(), key=lambda one: if_called(some, one))
            total += won([(weight, leduc.step(state, best)) for weight, state in some])
        return total

    def if_called(some: list[tuple[float, Any]], action: int) -> float:
        after = []
        for weight, state in some:
            then = leduc.step(state, action)
            fold = replies(seen_by(other, then))[leduc.FOLD] if action == leduc.RAISE else 0.0
            after += [(weight * fold, leduc.step(then, leduc.FOLD)), (weight * (1.0 - fold), then)]
        return won(after, calls=True)

    return won([(1.0, leduc.start())])


class Case(NamedTuple):
    """A game and the policy that is answered."""

    title: str
    rules: str  # a module of the examples
    parameters: dict[str, Any] = {}  # noqa: RUF012 - never changed
    policy: Callable[[Game], Any] = lambda game: agents.make("random", game)  # uniform
    openspiel: str = ""  # the same game there, if a search of OpenSpiel plays it
    listed: bool = False  # whether the histories are so few that a response is evaluated exactly

    def made(self) -> tuple[Game, PolicyAgent]:
        """Returns the game and the policy."""
        game = make_game(f"nashzoo.examples.{self.rules}", **self.parameters)
        return game, self.policy(game)


FOUR = {"width": 7, "height": 6}
CASES = (
    Case("Connect Four, uniform", "connect_four", FOUR, openspiel="connect_four"),
    Case("Connect Four, greedy", "connect_four", FOUR, FourInLine, "connect_four"),
    Case("Connect Four, softmax", "connect_four", FOUR, lambda game: FourInLine(game, 0.5), "connect_four"),
    Case("Connect Four, mcts", "connect_four", FOUR, searching, "connect_four"),
    Case("Connect Four, PPO", "connect_four", FOUR, learned, "connect_four"),
    Case("Leduc, 3 ranks", "leduc", {"suits": False}, openspiel="leduc_poker", listed=True),
    Case("Leduc, 13 ranks", "leduc", {"ranks": 13, "raises": 3, "suits": False}, listed=True),
    Case("liar's dice", "liars_dice", listed=True),
    Case("liar's dice, two each", "liars_dice", {"dice": 2}),
    Case("liar's dice, two each, PPO", "liars_dice", {"dice": 2}, learned),
    Case("phantom tic-tac-toe", "phantom_tictactoe"),
    Case("dark hex, 3x3", "dark_hex", {"rows": 3, "columns": 3, "abrupt": True}),
)


def bounds(case: Case, budgets: Sequence[float]) -> Iterator[Row]:
    """Yields the proven bounds after each time, of one search."""
    game, policy = case.made()
    ExploitabilitySearch(game, policy).improve(SLICE)  # compiles
    begun, search, done = time.process_time(), ExploitabilitySearch(game, policy), False
    for seconds in sorted(budgets):
        while not done and (left := begun + seconds - time.process_time()) > 0:
            done = search.improve(min(SLICE, left)) or search.nbytes > search.most_bytes
        yield search.bounds._asdict()


def trained(case: Case, method: str, seconds: float) -> Row:
    """Returns what a model of Stable-Baselines3 wins that learns in both seats, with ``nashzoo train``'s settings."""
    from nashzoo.app.training.options import Options
    from nashzoo.app.training.sb3_training import new_model
    from nashzoo.envs.api.sb3_vec_env import GameVecEnv
    from nashzoo.envs.vector.game_batch import GameBatch

    game, policy = case.made()
    begun, envs = time.process_time(), GameVecEnv(GameBatch(game, 64, policy, "random", observation="one_hot"))
    options = Options(game.name, "random", algorithm=f"maskable_{method.lower()}", gamma=1.0)
    model: Any = new_model(options, envs, Path())
    model.tensorboard_log = None
    if method == DQN:  # explores less in the first tenth of the time, not of the unknown decisions
        model.exploration_schedule = lambda _: max(0.1, 1.0 - 9.0 * (time.process_time() - begun) / seconds)
    model.learn(10**12, callback=lambda *_: time.process_time() - begun < seconds)
    response = DeterministicAgent(agents.as_agent(model, game))
    if not case.listed:
        return sampled(game, play_seats(game, response, policy, GAMES, 0))
    value = (evaluate(game, response, policy) - evaluate(game, policy, response)) / 2
    return {"lower": value, "upper": value}


def sampled(game: Game, result: MatchResult) -> Row:
    """Returns a mean and its 95 % interval."""
    low, high = result.interval(game.at_stake(int(game.start_codes[0])))
    return {"lower": low, "upper": high, "mean": result.mean, "games": result.games}


def searched(case: Case, _: str, seconds: float) -> Row:
    """Returns what OpenSpiel's Monte Carlo tree search, of information sets if some is hidden, wins in the time."""
    import pyspiel

    (game, policy), rng, points = case.made(), np.random.default_rng(0), list[float]()
    theirs, rollouts = pyspiel.load_game(case.openspiel), pyspiel.RandomRolloutEvaluator(1, 0)
    most, begun = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT, time.process_time()
    bot = pyspiel.MCTSBot(theirs, rollouts, EXPLORATION, SIMULATIONS, 1_000, True, 0, False)
    if game.hides:
        bot = pyspiel.ISMCTSBot(0, rollouts, EXPLORATION, SIMULATIONS, -1, most)
    while time.process_time() - begun < seconds or len(points) < FEWEST:
        state, seat, code = theirs.new_initial_state(), len(points) % 2, game.first_decision
        while not state.is_terminal():
            if state.current_player() == seat:
                action = bot.step(state)
            elif game.hides:  # the policy and chance are uniform
                action = int(rng.choice(state.legal_actions()))
            else:
                action, _ = policy.predict(game.observe(code, 1 - seat))
            if not game.hides:
                code = game.step(code, *((action, 0) if state.current_player() == 0 else (0, action)))
            state.apply_action(action)
        points.append(state.player_return(seat))
    return sampled(game, MatchResult(np.array(points), seats=np.arange(len(points)) % 2))


def local(case: Case, _: str, seconds: float) -> Row:
    """Returns what local best response wins."""
    game, policy = case.made()
    value = sum(local_best_response(game, policy, seat) for seat in (0, 1)) / 2
    return {"lower": value, "upper": value}


OTHERS = {"PPO": trained, DQN: trained, MCTS: searched, LBR: local}


def measured(case: Case, method: str, budgets: Sequence[float], kept: Sequence[Row]) -> Iterator[Row]:
    """Yields what is not kept yet; other methods have one time alone, where they can play."""
    if (method == MCTS and not case.openspiel) or (method == LBR and case.rules != "leduc"):
        return
    known = [row["seconds"] for row in kept if (row["case"], row["method"]) == (case.title, method)]
    left = [seconds for seconds in (budgets if method == BOUNDS else [min(MOST, max(budgets))]) if seconds not in known]
    found = bounds(case, left) if method == BOUNDS else (OTHERS[method](case, method, seconds) for seconds in left)
    for seconds, row in zip(sorted(left), found if left else (), strict=False):
        yield {"case": case.title, "method": method, "seconds": seconds} | row


def rows_in(file: Path) -> list[Row]:
    """Returns what a file has."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.is_file() else []


def cell(row: Row | None) -> str:
    """Returns proven bounds, rounded outwards; a mean and its interval; or one figure if it is exact."""
    if row is None:
        return ""
    lower, upper = row["lower"], row["upper"]
    if "mean" in row:
        return f"{row['mean']:.3f}±{max(upper - row['mean'], row['mean'] - lower):.3f}"
    if upper - lower < 0.5 / PLACES:
        return f"{(lower + upper) / 2:.3f}"
    return f"{np.floor(PLACES * (lower + ROUNDING)) / PLACES:g}\u2013{np.ceil(PLACES * (upper - ROUNDING)) / PLACES:g}"


def table(rows: Sequence[Row]) -> str:
    """Returns the table, which is narrow."""
    found = {(row["case"], row["method"], row["seconds"]): row for row in rows}
    columns = [(BOUNDS, seconds) for seconds in SECONDS] + [(method, MOST) for method in OTHERS]
    heads = ["game, policy", *(f"{seconds:g} s" for seconds in SECONDS), *OTHERS]
    lines = [[case.title, *(cell(found.get((case.title, *column))) for column in columns)] for case in CASES]
    return re.sub(r" ?\| ?", "|", markdown([heads, *lines])) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures what is missing, and writes the table if it is that of the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--seconds",
        type=float,
        nargs="+",
        default=SECONDS,
        help=f"of each search; others have the most, up to {MOST:g}",
    )
    parser.add_argument("--out", type=Path, default=KEPT, help="what is found, a line each")
    parser.add_argument("--methods", nargs="+", choices=[BOUNDS, *OTHERS], default=[BOUNDS, *OTHERS])
    parser.add_argument("--games", nargs="+", default=[""], help="how their titles begin")
    options = parser.parse_args(arguments)
    for case in CASES:
        for method in options.methods if case.title.startswith(tuple(options.games)) else ():
            for row in measured(case, method, options.seconds, rows_in(options.out)):
                with options.out.open("a") as file:
                    file.write(json.dumps(row) + "\n")
    if options.out == KEPT:
        write_page(PAGE, with_block(PAGE.read_text(), "table", table(rows_in(KEPT))))


if __name__ == "__main__":
    main()
