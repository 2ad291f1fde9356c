"""The luck in matches: what chance and the draws of mixed strategies brought, by the values of the exact solution.

A step brings player 0 its reward and the value of the next state. The luck of the step is the difference to the
expectation of this sum, over chance and over the actions of each player whose probabilities are known; the action of
another player is taken as it is. With the difference between the value of the first state and the value of the game
these add up to the luck of a game. Each has the expectation 0 given all that went before, so *points minus luck*, the
luck-adjusted points, have the expectation of the points: whatever the players do, wherever the game is cut off, and
even if the values are wrong. The better the values fit the players, the smaller is their variance; between players of
an equilibrium it is 0 where each of their actions is optimal.

Both players draw their actions independently, so the expectation over one's actions may be taken at the action of the
other. Probabilities are those that a player computes to draw from: a
:class:`nashzoo.envs.core.agent.PolicyAgent`, or a :class:`nashzoo.envs.core.agent.FiniteMemoryAgent`. Searches that
find another strategy each time, scripts, and people have none.

With hidden information a state here is all that happened, though nobody sees it whole; its value is that of both
players following the exact solution. Players draw by what they see, which is the same probability given all.

Sources: Burch, Schmid, Moravcik, Morrill and Bowling (2018), "AIVAT: A new variance reduction technique for agent
evaluation in imperfect information games"; for chance alone Zinkevich, Bowling, Bard, Kan and Billings (2006), "Optimal
unbiased estimators for evaluating agent performance".
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from nashzoo.agents.basic.nash import NashAgent
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.agents.loading import as_agent
from nashzoo.agents.notation import split_options
from nashzoo.agents.registry import entries
from nashzoo.arena.records import Record
from nashzoo.arena.trajectory import Trajectory
from nashzoo.baselines.policies.tabular import Policy, Rows, table_of, tabulate
from nashzoo.baselines.policies.with_memory import FEW
from nashzoo.baselines.solvers.backup import evaluation
from nashzoo.baselines.state_values import evaluated, start_value
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.baselines.states.space import NO_CHANCE
from nashzoo.baselines.store import solution_of
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.core.agent import FiniteMemoryAgent, NoDistributionError, NoPolicyError, Opponent, PolicyAgent, sample
from nashzoo.envs.core.checks import name_of
from nashzoo.envs.core.game import BOTH, CHANCE, Bools, Features, Floats, Game, Ints, Mask

UNLIKELY = 0.1  # less likely actions and outcomes of chance may be too rare to show in the variance of a match
KEPT = 4  # solved games, those used last
DRAWING = PolicyAgent.act, FiniteMemoryAgent.act  # which draw by the first uniform number, and do nothing else


class ValuedStates(Protocol):
    """The states of a game with values: what a solution has where nothing is hidden."""

    @property
    def game(self) -> Game:
        """The game."""

    @property
    def states(self) -> Any:
        """The numbered states."""

    @property
    def values(self) -> Rows:
        """The value of each state to player 0, by number, points."""

    @property
    def start_value(self) -> float:
        """The value of the game to player 0 from its start, points."""


@dataclass
class EquilibriumValues:
    """The values of states of a game with hidden information, if both players follow the exact solution.

    A state has everything that happened; neither player need know it. What a player should believe does not matter
    here: any values tell luck.
    """

    game: Game
    states: ListedStates
    values: Floats
    start_value: float


@lru_cache(KEPT)
def solved(game: Game) -> ValuedStates:
    """Returns the states of a game with their values in its exact solution, kept for the games used last.

    Raises:
        TooManyStatesError: there are too many.
    """
    if not game.hides:
        return solution_of(game)
    states, nash = ListedStates(game), NashAgent(game)
    tables = [table_of(states, nash, seat) for seat in (0, 1)]
    values = evaluated(states, tables[0], tables[1], everywhere=True).values
    return EquilibriumValues(game, states, values, start_value(states, values))


class MatchLuck:
    """Measures the luck in games that are played side by side.

    Args:
        solution: The states with their values, as of the solution of the game.
        agents: Player 0 and player 1.

    Attributes:
        players: The same players, to be asked in their place.
        points: Player 0's luck in each game ``[games]``.

    Raises:
        UsageError: the states have no values: it is the solution of a game with hidden information, not :func:`solved`.
    """

    def __init__(self, solution: ValuedStates, agents: Sequence[Opponent]) -> None:
        self.players = _AskedPlayer(agents[0]), _AskedPlayer(agents[1])
        self._solution, self._values = solution, solution.values
        self._ids = np.empty(0, np.int64)
        self.points = np.empty(0)
        self._expected = 0.0  # number of unlikely actions

    @property
    def unlikely(self) -> float:
        """The expected number of actions and outcomes of chance with a probability below ``UNLIKELY`` in all games.

        Where not all probabilities are known, there is one in each game.
        """
        stored = getattr(self._solution.states, "successors", None)
        chances = NO_CHANCE if stored is None else stored.chances
        known = all(player.has_probabilities for player in self.players)
        known &= stored is not None or not self._solution.game.has_chance
        return self._expected if known and not (chances[chances < UNLIKELY] > 0).any() else float(len(self.points))

    def began(self, codes: Ints) -> None:
        """Begins with the start states of the games ``[games]``."""
        self._ids = self._solution.states.ids(codes)
        self.points = self._values[self._ids] - self._solution.start_value

    def stepped(
        self,
        games: Ints,
        asked: Sequence[Ints],
        actions: Sequence[Ints],
        codes: Ints,
        illegal: Ints,
        over: Bools,
        paid: Floats,
    ) -> None:
        """Adds the luck of a time step of the running games ``[K]``; an illegal action is none.

        Args:
            games: Their numbers.
            asked: The places among them at which player 0 and player 1 were asked.
            actions: The actions of both ``[K]``.
            codes: The next states ``[K]``.
            illegal: The players with illegal actions ``[K]``.
            over: Whether the games are over ``[K]``.
            paid: Player 0's rewards ``[K]``.
        """
        game = self._solution.game
        if not game.has_chance and not any(player.has_probabilities for player in self.players):
            return
        legal, going_on = illegal == 0, ~over
        rows = []
        for player, places, played in zip(self.players, asked, actions, strict=True):
            own = np.eye(game.num_actions)[np.where(legal, played, 0)]
            if player.has_probabilities and len(places):
                own[places[player.lawful]] = known = player.probabilities[player.lawful]
                self._expected += float(known[known < UNLIKELY].sum())
            rows.append(own[legal])
        values = np.zeros(len(games))
        before, after = self._ids[games[legal]], self._solution.states.ids(codes[going_on])
        self._ids[games[going_on]], values[going_on] = after, self._values[after]
        self.points[games[legal]] += (paid + values)[legal] - expected_worth(self._solution, before, rows[0], rows[1])


def most_brought(solution: ValuedStates, agents: Sequence[Opponent], points: Floats) -> float:
    """Returns the most by which an event can change the expected points of a game, given the points of some games.

    It is the largest difference between the expected points from a state and its value, where both players have tables
    quickly; else twice the most points of a game, as far as the rules, the rewards in memory, and the games say.
    """
    game, states = solution.game, solution.states
    if len(states) <= FEW and not any(getattr(agent, "slow", False) for agent in agents):
        with suppress(UsageError):  # a player has no policy of the state alone, or none in states that were not met
            tables = [table_of(states, agent, seat) for seat, agent in enumerate(agents)]
            expected = evaluated(states, tables[0], tables[1], everywhere=True).values
            return float(np.abs(expected - solution.values[np.arange(len(states))]).max())
    stored = getattr(states, "successors", None)
    paid = 0.0 if stored is None else float(np.abs(stored.rewards).max(initial=0.0))
    return 2 * max(game.at_stake(int(game.start_codes[0])), paid, float(np.abs(points).max()))


class Luck(NamedTuple):
    """The luck in one match.

    Attributes:
        points: Player 0's, points.
        known: Whether the probabilities of player 0 and player 1 were known.
    """

    points: float
    known: tuple[bool, bool]


def ready(game: Game) -> ValuedStates:
    """Returns :func:`solved`, with what :func:`luck_of` needs compiled.

    Raises:
        TooManyStatesError: there are too many.
    """
    solution = solved(game)
    idle = np.zeros((1, game.num_actions))
    expected_worth(solution, np.zeros(1, np.int64), idle, idle)
    code = game.first_decision
    tabulate(game, RandomAgent(game), np.array([code]), game.movers(code)[0])
    return solution


def luck_of(solution: ValuedStates, players: Sequence[Any], played: Trajectory) -> Luck:
    """Returns the luck in one match.

    Args:
        solution: The states with their values, as of the solution of the game.
        players: Player 0 and player 1; None for one whose probabilities are not known.
        played: The match. A start that the game does not draw is no luck.

    Raises:
        KeyError: play does not lead from the game's start to a state of the match.
    """
    game, states = solution.game, solution.states
    drawn = len(game.start_codes) > 1 or game.turn(int(game.start_codes[0])) == CHANCE
    luck = _value(solution, played.start) - solution.start_value if drawn else 0.0
    known = [isinstance(player, Policy) for player in players]
    if not played.steps:
        return Luck(luck, (known[0], known[1]))
    before = np.array([step.before for step in played.steps])
    ids, turns = states.ids(before), np.array([game.turn(step.before) for step in played.steps])
    rows = []
    for seat, player in enumerate(players):
        own = np.eye(game.num_actions)[[step.actions[seat] for step in played.steps]]
        chooses = np.isin(turns, (seat, BOTH))
        if known[seat] and chooses.any():
            try:
                own[chooses] = tabulate(game, player, before[chooses], seat)
            except NoPolicyError:
                known[seat] = False
        rows.append(own)
    for step in played.steps:
        luck += step.reward + (0.0 if game.terminal(step.after) else _value(solution, step.after))
    return Luck(luck - float(expected_worth(solution, ids, rows[0], rows[1]).sum()), (known[0], known[1]))


def _value(solution: ValuedStates, code: int) -> float:
    return float(solution.values[solution.states.ids(code)])


def luck_of_record(record: Record) -> Luck:
    """Returns the luck in a recorded match.

    Probabilities are those of the players with the names of the record, made anew. Those of files and classes, and
    those with an option that may name one, count as unknown, since a record must not have anything loaded; and so do
    all of another version of this package.

    Raises:
        UsageError: the game has too many states, or play does not lead from its start to the match.
    """
    alike = record.version == version("nashzoo")
    players = [_named(player, record.game) if alike else None for player in record.players]
    try:
        return luck_of(solved(record.game), players, record.trajectory)
    except KeyError as error:
        raise UsageError(f"luck cannot be measured: {error.args[0]}") from None


def _named(player: str, game: Game) -> Any:
    name, options = split_options(player)
    if name not in entries() or not all(isinstance(value, int | float) for value in options.values()):
        return None
    try:
        return as_agent(player, game)
    except (UsageError, UsageTypeError, OSError):  # its options are of another place or time
        return None


def expected_worth(solution: ValuedStates, ids: Ints, rows0: Floats, rows1: Floats) -> Floats:
    """Returns the expected reward of a step plus value of the next state, to player 0 ``[B]``.

    ``rows0`` and ``rows1`` are the probabilities ``[B, actions]`` at the states ``ids``.
    """
    successors = solution.states.successors_at(ids)
    following = successors.following.ravel().astype(np.int64)
    values, going_on = np.zeros(len(following)), following >= 0
    values[going_on] = solution.values[following[going_on]]
    places = np.arange(len(following), dtype=np.int32).reshape(successors.following.shape)
    return evaluation(successors._replace(following=places), values, rows0, rows1)


class _AskedPlayer(Opponent):
    """A player whose probabilities are kept when it chooses.

    Attributes:
        has_probabilities: Whether it has probabilities, as far as known.
        probabilities: Those of its latest choices ``[B, actions]``.
        lawful: Whether they are a distribution over legal actions ``[B]``; of others nothing is used.
    """

    def __init__(self, player: Opponent) -> None:
        self.name = name_of(player)
        self.memory_size = player.memory_size
        self.has_probabilities = isinstance(player, PolicyAgent) or (
            isinstance(player, FiniteMemoryAgent) and type(player).act is FiniteMemoryAgent.act
        )
        self.probabilities, self.lawful = np.empty((0, 0)), np.empty(0, np.bool_)
        self._player = player

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Chooses the same actions as the player, and keeps the probabilities."""
        player, after, actions = self._player, memory, None
        if self.has_probabilities:
            try:
                probabilities, after = self._asked(observations, memory, masks)
                if type(player).act in DRAWING and probabilities.shape == masks.shape:
                    actions = sample(probabilities, uniforms[:, 0])
            except NoPolicyError:
                self.has_probabilities = False
            except NoDistributionError:
                pass  # the player names the state
        if actions is None:
            actions, after = player.act(observations, memory, masks, uniforms)
        if self.has_probabilities:
            self.probabilities = probabilities / probabilities.sum(axis=1, keepdims=True)
            self.lawful = ~((probabilities > 0.0) & (masks == 0)).any(axis=1)
        return actions, after

    def _asked(self, observations: Features, memory: Floats, masks: Mask) -> tuple[Floats, Floats]:
        """Returns the player's probabilities ``[B, actions]`` and its memory after these decisions."""
        player = self._player
        if isinstance(player, FiniteMemoryAgent):
            states = player.remember(memory[:, 0].astype(np.int64), observations)
            return player.memory_probabilities(states, observations, masks), states[:, None].astype(np.float64)
        return cast(PolicyAgent, player).action_probabilities(observations, masks), memory
