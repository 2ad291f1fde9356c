"""Games of OpenSpiel, explored once: two players, zero-sum, with perfect or with hidden information.

A state is OpenSpiel's text of it together with the player to move, so histories with the same text are one
state. Random games, played both in OpenSpiel and with these rules, test that the text determines the state. Limits to
the length of a game are left out, as the text does not count moves; but with a ``horizon``, as in
``"markov_soccer(horizon=20)"``, the number of moves is part of the state. It is a clock beside the states without it
if random games show that the horizon does no more.

With hidden information a state is a history, and what a player sees there is OpenSpiel's text of the information state:
a state more, a copy of the first history in which the player sees it.

Source: Lanctot et al. (2019), "OpenSpiel: a framework for reinforcement learning in games".
"""

import contextlib
import difflib
import hashlib
import importlib
import itertools
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.envs.base.errors import MissingPackageError, UsageError
from nashzoo.envs.core.game import MOST_ACTIONS, Game
from nashzoo.envs.imported import graph_rules
from nashzoo.envs.imported.graph_files import cached
from nashzoo.envs.imported.graph_rules import NO_LIMIT, NOTHING_HIDDEN, Graph, GraphRules, Horizon
from nashzoo.envs.rules.pieces import BOTH, CHANCE, MAX_OUTCOMES

MOST_STATES = 400_000  # default limit of explored states, with which they need up to some gigabytes
MOST_SEEN = 512  # largest number of bits of observations
COUNTED = "horizon="  # the parameter that limits the length of a game
SOON, LATE = 20, 1_000_000  # horizons that random games reach, and never reach
OFTEN = 1_000  # random games up to the first
MESSAGE = 100  # letters of OpenSpiel's messages in errors
PLAYS = 100  # random games of the comparison
PLAYED = 1_000  # moves of each, at most
SAME = 1e-9


def from_openspiel(game: str, most_states: int = MOST_STATES) -> Game:
    """Returns a game of OpenSpiel, such as ``"tic_tac_toe"``, ``"leduc_poker"`` or ``"markov_soccer(horizon=50)"``.

    Args:
        game: Its name, with parameters in OpenSpiel's notation; with ``horizon=...`` states include the move number.
        most_states: The largest number of states to explore, with hidden information of histories.

    Raises:
        UsageError: there is no such game; it is not of two players and zero-sum; or it has too many states or actions.
        MissingPackageError: OpenSpiel is not installed.
    """
    return Game(openspiel_rules(game, most_states))


def openspiel_rules(name: str, most_states: int = MOST_STATES) -> GraphRules:
    """Returns the rules of :func:`from_openspiel`.

    They are compared with OpenSpiel by random games.

    Raises:
        UsageError: as there; or different states have the same text in OpenSpiel.
        MissingPackageError: OpenSpiel is not installed.
    """
    game = _loaded(name)
    code = hashlib.sha256(Path(__file__).read_bytes() + Path(graph_rules.__file__).read_bytes()).hexdigest()
    depends_on = name, str(most_states), version("open_spiel"), code
    return cached(depends_on, lambda: _made(game, name, most_states))


def _made(game: Any, name: str, most_states: int) -> GraphRules:
    """Returns the rules of a game, explored; with a clock beside its states if they can do with it."""
    if COUNTED in name and not _hides(game):
        explored = _Explored(_with_horizon(game, LATE), most_states, counts_moves=False)
        for before, pays in itertools.product((0, 1), (True, False)):  # the first outcome of chance may be a move
            with contextlib.suppress(UsageError):
                _compare(_with_horizon(game, SOON), explored, explored.rules(name, Horizon(SOON - before, pays)), OFTEN)
                rules = explored.rules(name, Horizon(game.get_parameters()["horizon"] - before, pays))
                _compare(game, explored, rules)
                return rules
    explored = _Explored(game, most_states, counts_moves=COUNTED in name)
    rules = explored.rules(name)
    _compare(game, explored, rules)
    return rules


def _loaded(name: str) -> Any:
    if not isinstance(name, str):
        raise UsageError(f"a game of OpenSpiel is made by its name, such as 'tic_tac_toe', not by {name!r}")
    try:
        import pyspiel

        if name.startswith("python_"):
            importlib.import_module("open_spiel.python.games")  # registers them
    except ImportError as error:
        raise MissingPackageError(
            f"{error}; its games need OpenSpiel: pip install '.[openspiel]' in nashzoo's folder"
        ) from error
    short_name = name.partition("(")[0]
    if short_name not in pyspiel.registered_names():  # checked here, as OpenSpiel prints the names of all its games
        near = difflib.get_close_matches(short_name, pyspiel.registered_names(), 1)
        raise UsageError(f"OpenSpiel has no game {short_name}" + (f"; did you mean {near[0]}?" if near else ""))
    try:
        game = pyspiel.load_game(name)
    except pyspiel.SpielError as error:
        raise UsageError(f"OpenSpiel cannot make {name}: {str(error).splitlines()[0][:MESSAGE]}") from None
    kind = game.get_type()
    if game.num_players() != 2:
        raise UsageError(f"{name} has {game.num_players()} players; a game here has two")
    if kind.utility not in (pyspiel.GameType.Utility.ZERO_SUM, pyspiel.GameType.Utility.CONSTANT_SUM):
        raise UsageError(f"{name} is not zero-sum, as a game here is")
    if _hides(game) and not kind.provides_information_state_string:
        raise UsageError(f"{name} has hidden information, and OpenSpiel does not write what a player sees of it")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise UsageError(f"{name} does not say how likely what happens by chance is")
    return game


def _with_horizon(game: Any, horizon: int) -> Any:
    """Returns a game with another limit of its length."""
    import pyspiel

    return pyspiel.load_game(game.get_type().short_name, {**game.get_parameters(), "horizon": horizon})


def _hides(game: Any) -> bool:
    """Returns whether a game has hidden information."""
    kind = game.get_type()
    return bool(kind.information == type(kind).Information.IMPERFECT_INFORMATION)


class _Explored:
    """All states of a game of OpenSpiel, numbered in the order of their discovery, and what players see of them."""

    def __init__(self, game: Any, most_states: int, counts_moves: bool) -> None:
        self.game = game
        self.counts_moves = counts_moves
        self.hides = _hides(game)
        self.paid = "REWARDS" in str(game.get_type().reward_model)  # at every step; else at the end
        self.sum = game.utility_sum() or 0.0
        self.numbers: dict[Any, int] = {}
        self.states: list[Any] = []
        self.payoffs: list[float] = []
        self.turns: list[int] = []
        self.legal: list[tuple[list[int], list[int]]] = []
        self.following: list[list[int]] = []
        self.probabilities: list[list[float]] = []
        self.start = self.number(game.new_initial_state(), None)
        self.local = game.num_distinct_actions() > MOST_ACTIONS  # then actions are numbered at each state
        at = 0
        while at < len(self.states):
            if len(self.states) > most_states:
                raise UsageError(
                    f"play of {game.get_type().short_name} leads to more than {most_states:,} "
                    f"{'histories' if self.hides else 'states'}; choose other parameters of the game, or raise "
                    "most_states"
                )
            self._expand(at)
            self.states[at] = None if self.turns[at] == CHANCE else self.states[at]
            at += 1
        self.texts = ["" if state is None else str(state) for state in self.states]
        self.views = self._seen_states() if self.hides else NOTHING_HIDDEN

    def _seen_states(self) -> Any:
        """Adds what players see where one of them chooses, as states; returns their numbers by state ``[2, n]``."""
        histories = len(self.states)
        views = [list(range(histories)), list(range(histories))]
        columns: tuple[list[Any], ...] = (
            self.states, self.payoffs, self.turns, self.legal, self.following, self.probabilities,
        )  # fmt: skip
        known: dict[tuple[int, str, bool], int] = {}
        for number in range(histories):
            state = self.states[number]
            if state is None or state.is_terminal():
                continue
            for player in range(2):
                text = state.information_state_string(player)
                key = player, text, self.turns[number] in (player, BOTH)
                if key not in known:
                    known[key] = len(self.states)
                    self.texts.append(text)
                    for column in columns:
                        column.append(column[number])
                    for view in views:
                        view.append(known[key])
                views[player][number] = known[key]
        return np.array(views, np.int64)

    def number(self, state: Any, before: Any) -> int:
        """Returns the number of a state; ``before`` is the number and the joint action before it."""
        payoff = self._payoff(state)
        # OpenSpiel's text of a chance node does not include the actions before it.
        moves = state.move_number() if self.counts_moves else 0
        by_chance = before if state.is_chance_node() else None
        key = before if self.hides else (state.to_string(), int(state.current_player()), payoff, moves, by_chance)
        if key not in self.numbers:
            self.numbers[key] = len(self.states)
            self.states.append(state)
            self.payoffs.append(payoff)
        return self.numbers[key]

    def _payoff(self, state: Any) -> float:
        if self.paid:
            return 0.0 if state.is_chance_node() else float(state.rewards()[0])
        return float(state.returns()[0]) - self.sum / 2 if state.is_terminal() else 0.0

    def _expand(self, at: int) -> None:
        state = self.states[at]
        following: list[int] = []
        probabilities: list[float] = []
        turn, legal = BOTH, ([], [])  # type: tuple[int, tuple[list[int], list[int]]]
        if state.is_terminal():
            pass
        elif state.is_chance_node():
            turn = CHANCE
            outcomes = [(action, chance) for action, chance in state.chance_outcomes() if chance > 0.0]
            if len(outcomes) > MAX_OUTCOMES:
                raise UsageError(f"chance has {len(outcomes)} outcomes, more than {MAX_OUTCOMES}, at {state}")
            for action, chance in outcomes:
                following.append(self.number(state.child(action), (at, action)))
                probabilities.append(chance)
        else:
            if state.is_simultaneous_node():
                legal = state.legal_actions(0), state.legal_actions(1)
            else:
                turn = state.current_player()
                legal = ([0], state.legal_actions()) if turn else (state.legal_actions(), [0])
            for pair in self.pairs(turn, legal):
                following.append(self.number(self._after(state, turn, pair), (at, pair)))
        self.turns.append(turn)
        self.legal.append(legal)
        self.following.append(following)
        self.probabilities.append(probabilities or [0.0] * len(following))

    @staticmethod
    def pairs(turn: int, legal: tuple[list[int], list[int]]) -> Iterator[tuple[int, int]]:
        """Yields the joint actions in their order."""
        yield from ((one, other) for one in legal[0] for other in legal[1])

    @staticmethod
    def _after(state: Any, turn: int, pair: tuple[int, int]) -> Any:
        after = state.clone()
        if turn == BOTH:
            after.apply_actions(list(pair))
        else:
            after.apply_action(pair[turn])
        return after

    def bits(self, number: int, player: int) -> list[int]:
        """Returns a player's actions in the rules: OpenSpiel's, or numbered at the state."""
        actions = self.legal[number][player]
        waits = self.turns[number] == 1 - player
        return list(range(len(actions))) if self.local or waits else actions

    def rules(self, name: str, horizon: Horizon = NO_LIMIT) -> GraphRules:
        """Returns the rules of the game."""
        masks = [
            np.array(
                [sum(1 << bit for bit in self.bits(number, player)) for number in range(len(self.turns))], np.int64
            )
            for player in range(2)
        ]
        for mask, turn in ((mask, turn) for mask in masks for turn in (np.array(self.turns),)):
            mask[turn == CHANCE] = 1
        most = max(int(mask.max()).bit_length() for mask in masks)
        if max(len(actions) for pair in self.legal for actions in pair) > MOST_ACTIONS:
            raise UsageError(f"a player has more than {MOST_ACTIONS} actions somewhere in {name}")
        graph = Graph(
            turns=np.array(self.turns, np.int64),
            legal0=masks[0],
            legal1=masks[1],
            first=np.concatenate([[0], np.cumsum([len(part) for part in self.following])]).astype(np.int64),
            following=np.array([after for part in self.following for after in part], np.int64),
            probabilities=np.array([chance for part in self.probabilities for chance in part]),
            payoffs=np.array(self.payoffs),
            starts=np.array([self.start]),
            start_probabilities=np.ones(1),
            seen=self._seen(),
            views=self.views,
        )
        seen = [f"OpenSpiel's observation, number {k}" for k in range(graph.seen.shape[2])]
        return GraphRules(f"openspiel:{name}", self._names(most), graph, self.texts, seen, horizon)

    def _names(self, count: int) -> list[str]:
        """Returns the names of the actions, those of the first player who has them."""
        names = [f"action {k}" for k in range(count)]
        if not self.local:
            for state, legal, turn in zip(self.states, self.legal, self.turns, strict=True):
                for player in range(2):
                    if state is None or turn in (CHANCE, 1 - player):
                        continue
                    for action in legal[player]:
                        if names[action] == f"action {action}":
                            names[action] = f"{state.action_to_string(player, action)} ({action})"
        return names

    def _seen(self) -> Any:
        """Returns OpenSpiel's tensors of what players see if they are 0s and 1s; otherwise none."""
        shape = (len(self.states), 2, 0)
        name = "information_state_tensor" if self.hides else "observation_tensor"
        if not getattr(self.game.get_type(), f"provides_{name}"):
            return np.zeros(shape, np.bool_)
        size = getattr(self.game, f"{name}_size")()
        if size > MOST_SEEN:
            return np.zeros(shape, np.bool_)
        tensors = np.zeros((len(self.states), 2, size), np.float32)
        for number, state in enumerate(self.states):
            if state is not None and not state.is_terminal():
                for player in range(2):
                    tensors[number, player] = getattr(state, name)(player)
        return tensors > 0.5 if np.isin(tensors, (0.0, 1.0)).all() else np.zeros(shape, np.bool_)


def _compare(game: Any, explored: _Explored, rules: GraphRules, plays: int = PLAYS) -> None:
    """Plays random games both in OpenSpiel and by the rules.

    Raises:
        UsageError: they differ.
    """
    rng = np.random.default_rng(0)
    unlike = f"what OpenSpiel writes of states of {rules.NAME} does not tell"
    for _ in range(plays):
        state, number, won, moves = game.new_initial_state(), explored.start, 0.0, 0
        for _ in range(PLAYED):
            legal, turn = explored.legal[number], explored.turns[number]
            limit = rules.horizon
            late = 0 < limit.moves <= moves and turn != CHANCE
            over = late or (turn != CHANCE and not legal[0])
            won -= explored.payoffs[number] if late and not limit.pays else 0.0
            if over != state.is_terminal():
                raise UsageError(f"{unlike} when play is over: {state}")
            if over:
                break
            if state.is_chance_node():
                outcomes = [(action, chance) for action, chance in state.chance_outcomes() if chance > 0.0]
                same = [chance for _, chance in outcomes] == explored.probabilities[number]
                choice = int(rng.integers(len(outcomes)))
                state.apply_action(outcomes[choice][0])
            else:
                moves += 1
                legal_there = (
                    (state.legal_actions(0), state.legal_actions(1))
                    if state.is_simultaneous_node()
                    else (state.legal_actions() if turn == player else [0] for player in range(2))
                )
                same = tuple(legal_there) == legal
                pairs = list(explored.pairs(turn, legal))
                choice = int(rng.integers(len(pairs)))
                if same:
                    state = explored._after(state, turn, pairs[choice])
            if not same:
                raise UsageError(f"{unlike} them apart: {state}")
            number = explored.following[number][choice]
            won += explored.payoffs[number]
        if state.is_terminal() and abs(won + explored.sum / 2 - state.returns()[0]) > SAME:
            raise UsageError(f"{unlike} what was won: {state}")
