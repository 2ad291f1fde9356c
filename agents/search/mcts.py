"""The player that searches: Monte Carlo tree search on the game's own rules."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from nashzoo.agents.basic.checks import check_positive, check_probability
from nashzoo.agents.search import mcts_kernel
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.threads import processors
from nashzoo.envs.core.agent import NoPolicyError, PolicyAgent, sample
from nashzoo.envs.core.checks import check_count, check_one_of, check_seen, name_of
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.kernels import ChanceError, Seeds

RULES = {"regret_matching": mcts_kernel.REGRET_MATCHING, "uct": mcts_kernel.UCT, "flat": mcts_kernel.FLAT}

CHUNKS_PER_THREAD = 4  # searches differ in length, small pieces even that out
WORTH_THREADS = 20_000  # simulations; with fewer, threads are not faster


class MCTSAgent(PolicyAgent):
    """Searches before every move ("Strong" in the browser), see :mod:`nashzoo.agents.search.mcts_kernel`.

    Each decision is a search of its own with fresh random numbers, unless ``search_seed`` fixes them for each
    state. Then the player is a policy of the state alone, and can be measured exactly.

    Args:
        simulations: Simulations per decision.
        exploration: UCT's weight of the confidence bound, in points.
        selection: The rule of selection where both choose, ``"regret_matching"`` or ``"uct"``; where only one player
            has a choice these are both UCT. Or ``"flat"``: no tree, uniformly random first moves, and the best mean.
        gamma: Share of uniformly random moves in regret matching; the resulting strategy excludes them. With 0 a
            search may never try some actions.
        rollout_depth: Joint steps after which a random rollout is cut off; it counts with its rewards so far.
        search_seed: Fixes the random numbers of the search at each state; None for fresh ones.
        threads: Threads to search with; as many as there are processors when None. Results do not depend on it.
        lifelong: Whether visits and points of each action are kept over all decisions of the player's life, whatever
            the state; it plays the legal action with the highest upper confidence bound. For ``"flat"``. It is not a
            policy of the state, and cannot be measured exactly.

    Raises:
        UsageError: a number is out of its range, ``selection`` is unknown, or ``lifelong`` is given with another
            selection or with a ``search_seed``.
    """

    slow = True

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        *,
        simulations: int = 100,
        exploration: float = 1.4,
        selection: str = "regret_matching",
        gamma: float = 0.05,
        rollout_depth: int = 100,
        search_seed: int | None = None,
        threads: int | None = None,
        lifelong: bool = False,
    ) -> None:
        check_seen(game, f"{name_of(self)} needs the whole state")
        super().__init__(game, seed)
        self.settings = mcts_kernel.Settings(
            check_count("simulations", simulations),
            RULES[check_one_of("selection", selection, RULES)],
            check_positive("exploration", exploration),
            check_probability("gamma", gamma),
            check_count("rollout_depth", rollout_depth, 0),
        )
        self.search_seed = None if search_seed is None else check_count("search_seed", search_seed, 0)
        if lifelong and (selection != "flat" or search_seed is not None):
            raise UsageError("lifelong is for selection='flat' without a search_seed, as it is no policy of the state")
        self.trials = np.zeros((2, game.num_actions)) if lifelong else None
        self.threads = processors() if threads is None else check_count("threads", threads)

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Searches and draws from the strategy found."""
        if self.search_seed is not None:
            return super().act(observations, memory, masks, uniforms)
        return sample(self._anew(observations, uniforms[:, 0]), uniforms[:, 1]), memory

    def likeliest(self, observations: Features, memory: Floats, masks: Mask) -> tuple[Ints, Floats]:
        """Searches and chooses the likeliest action."""
        if self.search_seed is not None:
            return super().likeliest(observations, memory, masks)
        return self._anew(observations, self.rng.random(len(observations))).argmax(axis=1), memory

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the strategies found ``[B, actions]``.

        Raises:
            NoPolicyError: there is no ``search_seed``, so that the strategy of a state is random.
        """
        if self.trials is not None:
            raise NoPolicyError("with lifelong=True mcts plays by its past, and has no policy of the state alone")
        if self.search_seed is None:
            raise NoPolicyError(
                "mcts finds another strategy each time it is asked; with a number as its option search_seed, as in "
                "mcts(search_seed=0), it has a policy of the state alone"
            )
        codes, players = self.states_of(observations)
        different, rows = np.unique(codes, return_inverse=True)
        seeds = np.empty(len(different), np.uint64)
        mcts_kernel.state_seeds(different, self.search_seed, seeds)
        strategies0, strategies1 = self.root_strategies(different, seeds)
        return np.where((players == 0)[:, None], strategies0[rows], strategies1[rows])

    def root_strategies(self, codes: Ints, seeds: Seeds) -> tuple[Floats, Floats]:
        """Returns both players' strategies ``[B, actions]`` that searches with seeds ``[B]`` find at states ``[B]``."""
        num_games = len(codes)
        strategies0, strategies1 = np.empty((2, num_games, self.game.num_actions))
        codes, streams = np.ascontiguousarray(codes), np.array(seeds, np.uint64)

        def search_rows(rows: slice) -> None:
            strategies = strategies0[rows], strategies1[rows]
            try:
                mcts_kernel.search(self.game.compiled, self.settings, codes[rows], streams[rows], *strategies)
            except ChanceError as error:
                raise self.game.chance_error(error) from None

        if self.threads == 1 or num_games == 1 or num_games * self.settings.simulations < WORTH_THREADS:
            search_rows(slice(0, num_games))
        else:
            size = -(-num_games // (self.threads * CHUNKS_PER_THREAD))
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(search_rows, [slice(first, first + size) for first in range(0, num_games, size)]))
        return strategies0, strategies1

    def _anew(self, observations: Features, uniforms: Floats) -> Floats:
        codes, players = self.states_of(observations)
        if self.trials is not None:
            return self._by_trials(self.trials, codes, players, uniforms)
        strategies0, strategies1 = self.root_strategies(codes, (uniforms * 2.0**53).astype(np.uint64))
        return np.where((players == 0)[:, None], strategies0, strategies1)

    def _by_trials(self, trials: Floats, codes: Ints, players: Ints, uniforms: Floats) -> Floats:
        """Returns the choices ``[B, actions]`` by the visits and points of the player's whole life, a row at a time."""
        chosen = np.zeros((len(codes), self.game.num_actions))
        seeds = (uniforms * 2.0**53).astype(np.uint64)
        for row, (code, player) in enumerate(zip(codes.tolist(), players.tolist(), strict=True)):
            mcts_kernel.add_trials(self.game.compiled, self.settings, code, player, seeds[row : row + 1], trials)
            visits, points = trials
            legal = list(self.game.legal_actions(code, player))
            with np.errstate(divide="ignore", invalid="ignore"):
                bounds = points / visits + self.settings.exploration * np.sqrt(np.log(visits.sum()) / visits)
            chosen[row, legal[np.where(visits[legal] > 0, bounds[legal], np.inf).argmax()]] = 1.0
        return chosen
