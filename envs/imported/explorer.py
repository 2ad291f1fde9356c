"""Games of other programs, explored once: every state that play can reach becomes a row of arrays.

A :class:`Source` says what a game is, as functions of its states, objects of the other program. States with the same
key are one state. Where something is hidden, a state is a history, and what a player sees where it or the other one
chooses is a state more, a copy of the first history in which the player sees it.

Random games, played both in the other program and by the arrays, test that a key determines all that follows. What
depends on more is refused, with two sequences of actions that lead to the same key.
"""

import math
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.memory import used_memory
from nashzoo.envs.base.progress import showing
from nashzoo.envs.base.words import counted
from nashzoo.envs.core.game import MOST_ACTIONS
from nashzoo.envs.imported.graph_rules import NO_LIMIT, NOTHING_HIDDEN, Graph, GraphRules, Horizon
from nashzoo.envs.imported.recall import Pasts
from nashzoo.envs.rules.pieces import BOTH, CHANCE, MAX_OUTCOMES

MOST_STATES = 400_000  # default limit of explored states, with which they need up to some gigabytes
MOST_SEEN = 512  # largest number of bits of observations
OVER = -1  # the turn where play is over
PLAYS = 100  # random games of the comparison
PLAYED = 1_000  # moves of each, at most
SAME = 1e-9  # difference of sums of payoffs
SAME_CHANCE = 1e-12  # relative difference of probabilities, where many outcomes of chance are split
SHOWN = 1_000  # states between two signs of progress
START = -1, None  # before the start
WAITS = (0,)  # the actions of a player who waits


class State(Protocol):
    """A state of another program, which stays as it is."""

    turn: int  # the player to move, BOTH, CHANCE or OVER
    payoff: float  # to player 0 on entering it, in points
    legal: Any  # actions by player: whole numbers in ascending order, or other objects; empty for one who waits
    outcomes: Any  # of chance, with their probabilities; empty elsewhere
    key: Hashable  # what determines the state, besides turn and payoff
    sign: Hashable  # what must be the same where the key is, for what is shown to be of use
    text: str  # for people
    label: str  # what a file calls the information set of the player to move, empty for nothing
    seen: Any  # what each player sees and remembers, where something is hidden: text, or a text and what tells it apart
    shown: Any  # the other program's own observation by player; None without one
    bits: Any  # an observation by player if it may be of 0s and 1s, all of the same length; empty for none
    won: float | None  # what player 0 has won in all where play is over, if the program says

    def after(self, choice: Any) -> "State":
        """Returns the state after a pair of actions or an outcome of chance."""

    def onward(self, choice: Any) -> "State":
        """Returns the same, where this state is of no more use."""


class Source:
    """A game of another program; each program has a subclass."""

    name: str  # in messages
    hides: bool  # whether players see less than the state
    tells_chance = True  # whether a key determines a state of chance; else the last state and choice do it too
    told = advice = ""  # what tells states apart, the subject of messages, and what the user can do about it
    num_actions = 0  # the least number of actions of the game, if they are whole numbers from 0 on

    def start(self, play: int = 0) -> Any:
        """Returns the :class:`State` at the start of a play, whose number is a seed of undeclared chance."""
        raise NotImplementedError

    def action_name(self, state: Any, player: int, action: Any) -> str:
        """Returns the name of an action."""
        return str(action)


class _Group(NamedTuple):
    """Some of the outcomes of chance, of more than a state has room for: numbers of states, and probabilities."""

    outcomes: list[tuple[int, float]]
    turn: int = CHANCE
    payoff: float = 0.0
    sign: None = None
    text: str = ""
    label: str = ""


class Explored:
    """All states of a game, numbered in the order of their discovery, and what players see of them.

    Raises:
        UsageError: there are more, or a player has too many actions at one.
    """

    def __init__(self, source: Source, most_states: int) -> None:
        self.source = source
        self.numbers: dict[Any, int] = {}
        self.states: list[Any] = []  # until they are expanded
        self.keys: list[Any] = []
        self.signs: list[Any] = []
        self.before: list[tuple[int, Any]] = []  # the first state and choice that lead to each
        self.payoffs: list[float] = []
        self.turns: list[int] = []
        self.legal: list[tuple[Sequence[Any], Sequence[Any]]] = []
        self.following: list[list[int]] = []
        self.probabilities: list[list[float]] = []
        self.texts: list[str] = []
        self.labels: list[str] = []
        self.shown: list[tuple[Any, Any]] = []
        self.blurred = ""  # where the program's observations are not those of the state
        self.action_names: dict[Any, str] = {}
        self.seen: list[tuple[Any, Any]] = []
        self.bits: list[Any] = []
        self.has_bits = True  # whether all observations so far are of 0s and 1s
        self.views: Any = NOTHING_HIDDEN
        self.notes: list[str] = []  # for the user
        self.forgets = False  # whether a player forgets at all
        self.loses: tuple[int, ...] = ()  # two histories of a player who loses by forgetting
        self.start = self._number(source.start(), START)
        memory = used_memory()
        with showing(transient=True) as show:
            at = 0
            while at < len(self.states):
                if len(self.states) > most_states:
                    used = (used_memory() or 0) - (memory or 0)
                    raise UsageError(
                        f"play of {source.name} leads to more than {most_states:,} "
                        f"{'histories' if source.hides else 'states'}; choose other parameters of the game, or raise "
                        f"most_states: {at:,} are explored" + f", with {used / 1e6:,.0f} MB of memory" * (used > 0)
                    )
                if at % SHOWN == SHOWN - 1:
                    show(f"states of {source.name}: {at:,}", at, None)
                self._expand(at)
                self.states[at] = None
                at += 1
        self._number_actions()
        if source.hides:
            self._add_views()

    def key(self, state: State, before: tuple[int, Any]) -> Hashable:
        """Returns what states are numbered by; ``before`` are the last state and choice."""
        if self.source.hides:
            return before
        chance = state.turn == CHANCE and not self.source.tells_chance
        return state.key, state.turn, state.payoff, before if chance else None

    def _number(self, state: State, before: tuple[int, Any]) -> int:
        """Returns the number of a state."""
        key = self.key(state, before)
        if key not in self.numbers:
            self.numbers[key] = self._append(state, before, key)
        elif not self.blurred and state.sign != self.signs[self.numbers[key]]:
            paths = self.path(self.numbers[key]), [*self.path(before[0]), self.said(*before)]
            self.blurred = f"after {listed(paths[0])} and after {listed(paths[1])}"
        return self.numbers[key]

    def _append(self, state: Any, before: tuple[int, Any], key: Any) -> int:
        self.states.append(state)
        self.before.append(before)
        self.payoffs.append(state.payoff)
        self.signs.append(state.sign)
        self.keys.append(key)
        return len(self.states) - 1

    def _expand(self, at: int) -> None:
        state = self.states[at]
        turn = state.turn
        legal: tuple[Sequence[Any], Sequence[Any]] = ((), ())
        following: list[int] = []
        probabilities: list[float] = []
        chosen = turn not in (CHANCE, OVER)
        if turn == CHANCE:
            following, probabilities = self._chances(at, state)
        elif chosen:
            legal = self._legal(state, 0), self._legal(state, 1)
            following = [self._number(state.after(pair), (at, pair)) for pair in pairs(legal)]
        self.turns.append(turn)
        self.legal.append(legal)
        self.following.append(following)
        self.probabilities.append(probabilities or [0.0] * len(following))
        self.texts.append(state.text if turn != CHANCE or self.source.tells_chance else "")
        self.labels.append(state.label)
        self.seen.append(state.seen if self.source.hides and chosen else (None, None))
        self.shown.append(state.shown if chosen else (None, None))
        self.bits.append(self._bits_of(state) if chosen else None)

    def _legal(self, state: State, player: int) -> Sequence[Any]:
        """Returns a player's actions, and names new ones."""
        if state.turn == 1 - player:
            return WAITS
        actions = state.legal[player]
        for action in actions:
            if action not in self.action_names:
                self.action_names[action] = self.source.action_name(state, player, action)
        if not all(isinstance(action, int) for action in actions):
            order = {action: k for k, action in enumerate(self.action_names)}
            actions = sorted(actions, key=order.__getitem__)
        if not len(actions):
            raise UsageError(f"player {player} of {self.source.name} has no action: {state.text}")
        return actions  # type: ignore[no-any-return]

    def _chances(self, at: int, state: Any) -> tuple[list[int], list[float]]:
        """Returns the outcomes of chance, split if they are more than a state has room for.

        Probabilities of a group, given the group, are rounded: a product differs by at most a few units in the last
        place from the probability that the other program says.
        """
        if isinstance(state, _Group):
            outcomes = state.outcomes
        else:
            outcomes = [(self._number(state.after(choice), (at, choice)), chance) for choice, chance in likely(state)]
        if len(outcomes) <= MAX_OUTCOMES:
            return [number for number, _ in outcomes], [chance for _, chance in outcomes]
        size = -(-len(outcomes) // MAX_OUTCOMES)
        numbers, sums = [], []
        for first in range(0, len(outcomes), size):
            part = outcomes[first : first + size]
            total = math.fsum(chance for _, chance in part)
            group = _Group([(number, chance / total) for number, chance in part])
            numbers.append(self._append(group, (at, None), None))
            sums.append(total)
        return numbers, sums

    def leaves(self, number: int) -> list[tuple[int, float]]:
        """Returns the outcomes of chance of a state and their probabilities, those of groups in their place."""
        found = []
        for after, chance in zip(self.following[number], self.probabilities[number], strict=True):
            inner = self.leaves(after) if self.keys[after] is None else [(after, 1.0)]
            found += [(leaf, chance * given) for leaf, given in inner]
        return found

    def _bits_of(self, state: Any) -> Any:
        """Returns the observations of a state ``[2, bits]``, if these and all before are 0s and 1s."""
        if not self.has_bits:
            return None
        both = np.array([np.ravel(state.bits[player]) for player in range(2)])
        self.has_bits = both.shape[1] <= MOST_SEEN and bool(((both == 0) | (both == 1)).all())
        return both.astype(np.bool_) if self.has_bits else None

    def _add_views(self) -> None:
        """Adds what players see where one of them chooses, as states; fills their numbers by state ``[2, n]``."""
        histories, pasts = len(self.turns), Pasts(self)
        self.loses, self.forgets = pasts.loses, any(pasts.forgotten)
        if pasts.harmless:
            sets = [f"player {k} at {counted(n, 'information set')}" for k, n in enumerate(pasts.forgotten) if n]
            self.notes.append(
                f"in {self.source.name} the past is forgotten by {' and '.join(sets)}, without loss (a well-formed "
                "game, Lanctot et al. 2012): such a set is split, one part for each past, and the parts keep its name"
            )
        views = [list(range(histories)), list(range(histories))]
        columns: list[list[Any]] = [
            self.payoffs, self.turns, self.legal, self.following, self.probabilities,
            self.shown, self.bits, self.labels,
        ]  # fmt: skip
        known: dict[Hashable, int] = {}
        for number in range(histories):
            if self.turns[number] in (CHANCE, OVER):
                continue
            for player in range(2):
                seen, chooses = self.seen[number][player], self.turns[number] in (player, BOTH)
                past = pasts.numbers[player][number] if chooses and pasts.harmless else None
                key = player, self.sight(number, player), chooses, past
                if key not in known:
                    known[key] = len(self.turns)
                    self.texts.append(seen if isinstance(seen, str) else seen[0])
                    for column in columns:
                        column.append(column[number])
                    for view in views:
                        view.append(known[key])
                views[player][number] = known[key]
        self.views = np.array(views, np.int64)

    def sight(self, number: int, player: int) -> Hashable:
        """Returns what tells apart what a player sees and remembers in a history."""
        seen = self.seen[number][player]
        return seen if isinstance(seen, str) else seen[1]

    def _number_actions(self) -> None:
        """Numbers the actions: by themselves, by their order, or, if there are too many, at each state."""
        actions = [*self.action_names]
        whole = all(isinstance(action, int) for action in actions)
        if whole and min(actions, default=0) >= 0 and max(actions, default=0) < MOST_ACTIONS:
            order = list(range(max(max(actions, default=0) + 1, self.source.num_actions)))
        else:
            order = sorted(actions) if whole else actions
        self.local = len(order) > MOST_ACTIONS
        self._places = {action: k for k, action in enumerate(order)}
        self.ordered = order
        if (most := max(len(choices) for pair in self.legal for choices in pair)) > MOST_ACTIONS:
            raise UsageError(
                f"a player of {self.source.name} has {most:,} actions at one state; a game here has at most "
                f"{MOST_ACTIONS} at each"
            )

    def mask(self, number: int, player: int) -> int:
        """Returns a player's legal actions as a bit mask."""
        if self.turns[number] in (CHANCE, 1 - player):
            return 1
        actions = self.legal[number][player]
        return sum(1 << (k if self.local else self._places[action]) for k, action in enumerate(actions))

    def graph(self) -> Graph:
        """Returns the game as arrays."""
        count = len(self.turns)
        masks = [np.array([self.mask(number, player) for number in range(count)], np.int64) for player in range(2)]
        turns = np.array(self.turns, np.int64)
        turns[turns == OVER] = BOTH
        return Graph(
            turns=turns,
            legal0=masks[0],
            legal1=masks[1],
            first=np.concatenate([[0], np.cumsum([len(part) for part in self.following])]).astype(np.int64),
            following=np.array([after for part in self.following for after in part], np.int64),
            probabilities=np.array([chance for part in self.probabilities for chance in part]),
            payoffs=np.array(self.payoffs),
            starts=np.array([self.start]),
            start_probabilities=np.ones(1),
            seen=self._all_bits(),
            views=self.views,
        )

    def _all_bits(self) -> Any:
        """Returns the observations by state ``[n, 2, bits]``, of 0 bits if not all are 0s and 1s."""
        known = [(number, both) for number, both in enumerate(self.bits) if self.has_bits and both is not None]
        bits = np.zeros((len(self.turns), 2, known[0][1].shape[1] if known else 0), np.bool_)
        for number, both in known:
            bits[number] = both
        return bits

    def rules(self, name: str, horizon: Horizon = NO_LIMIT, whose: str = "", total: float = 0.0) -> GraphRules:
        """Returns the rules of the game; ``whose`` are its observations, and ``total`` is what both players get."""
        graph = self.graph()
        names = [self.action_names.get(action, f"action {action}") for action in self.ordered]
        if self.local:
            names = [f"action {k}" for k in range(max(len(choices) for pair in self.legal for choices in pair))]
        seen = [f"{whose or self.source.name}'s observation, number {k}" for k in range(graph.seen.shape[2])]
        return GraphRules(name, names, graph, self.texts, seen, horizon, total, labels=self.labels, notes=self.notes)

    def take_off(self, total: float) -> float:
        """Notes that half of a constant sum of payoffs was taken off from each player, if it is not 0; returns it."""
        if total:
            self.notes.append(
                f"{self.source.name} pays {total:g} to both players in all; half of it is taken off from each, so that "
                f"a reward of 0 here, a draw, is {total / 2:g} there"
            )
        return total

    def path(self, number: int) -> list[str]:
        """Returns the actions that first lead to a state."""
        found: list[str] = []
        while number != self.start and number >= 0:
            number, choice = self.before[number]
            if choice is not None:
                found.append(self.said(number, choice))
        return found[::-1]

    def said(self, number: int, choice: Any) -> str:
        """Returns a pair of actions or an outcome of chance at a state, for people."""
        turn = self.turns[number] if number < len(self.turns) else self.states[number].turn
        if turn != CHANCE:
            choice = [self.action_names.get(action, str(action)) for action in choice]
        return spoken(turn, choice)


def spoken(turn: int, choice: Any) -> str:
    """Returns a pair of actions or an outcome of chance, for people."""
    if turn == CHANCE:
        return f"chance {choice}"
    return f"({choice[0]} and {choice[1]})" if turn == BOTH else str(choice[turn])


def likely(state: Any) -> list[tuple[Any, float]]:
    """Returns the outcomes of chance that can happen, and their probabilities."""
    return [(choice, float(chance)) for choice, chance in state.outcomes if chance > 0.0]


def pairs(legal: tuple[Sequence[Any], Sequence[Any]]) -> Iterator[tuple[Any, Any]]:
    """Yields the joint actions in their order."""
    yield from ((one, other) for one in legal[0] for other in legal[1])


def choices(state: Any) -> list[Any]:
    """Returns what can follow: the joint actions, or the outcomes of chance; nothing where play is over."""
    if state.turn in (CHANCE, OVER):
        return [choice for choice, _ in likely(state)]
    one, other = (legal or WAITS for legal in state.legal)
    return list(pairs((one, other)))


def compare(source: Source, explored: Explored, horizon: Horizon = NO_LIMIT, plays: int = PLAYS) -> None:
    """Plays random games both in the other program and by the arrays.

    Raises:
        UsageError: they differ.
    """
    rng = np.random.default_rng(0)
    for play in range(plays):
        state, number, won, total, moves = source.start(play), explored.start, 0.0, 0.0, 0
        path: list[str] = []
        if not source.hides and explored.key(state, START) != explored.keys[number]:
            raise _differ(explored, number, path, "the start apart", state.text)
        for _ in range(PLAYED):
            turn, legal = explored.turns[number], explored.legal[number]
            late = 0 < horizon.moves <= moves and turn != CHANCE
            won -= explored.payoffs[number] if late and not horizon.pays else 0.0
            if (late or turn == OVER) != (state.turn == OVER):
                raise _differ(explored, number, path, "when play is over", state.text)
            if state.turn == OVER:
                break
            if state.turn != turn:
                raise _differ(explored, number, path, "who chooses", state.text)
            if turn == CHANCE:
                outcomes, leaves = likely(state), explored.leaves(number)
                if len(outcomes) != len(leaves) or not all(
                    math.isclose(said, known, rel_tol=SAME_CHANCE)
                    for (_, said), (_, known) in zip(outcomes, leaves, strict=True)
                ):
                    raise _differ(explored, number, path, "them apart: chance differs", state.text)
                place = int(rng.integers(len(outcomes)))
                choice, following = outcomes[place][0], leaves[place][0]
            else:
                moves += 1
                if any({*state.legal[k]} != {*legal[k]} for k in range(2) if turn in (k, BOTH)):
                    raise _differ(explored, number, path, "them apart: actions differ", state.text)
                if source.hides and [*state.seen] != [*explored.seen[number]]:
                    raise _differ(explored, number, path, "what players see", state.text)
                joint = list(pairs(legal))
                place = int(rng.integers(len(joint)))
                choice, following = joint[place], explored.following[number][place]
            said = explored.said(number, choice)
            state = state.onward(choice)
            limited = 0 < horizon.moves <= moves
            if not (source.hides or limited) and explored.key(state, (number, choice)) != explored.keys[following]:
                raise _differ(explored, number, path, f"what follows from {said}", state.text)
            path.append(said)
            number = following
            total += state.payoff
            won += explored.payoffs[number]
        ended = state.turn == OVER and state.won is not None
        if abs(won - (state.won if ended else total)) > SAME:
            raise _differ(explored, number, path, "what was won", state.text)


def _differ(explored: Explored, number: int, path: list[str], what: str, text: str) -> UsageError:
    """Returns the error that what follows after a path is not what follows after the first path to a state."""
    source, first = explored.source, explored.path(number)
    if first == path:
        return UsageError(
            f"{source.name} does not repeat itself, and declares no chance: after {listed(path)}, played twice, "
            f"{source.told} does not tell {what}; {text}"
        )
    return UsageError(
        f"{source.told} does not tell {what}: after {listed(first)} and after {listed(path)} it is the same"
        f"{source.advice}; {text}"
    )


def listed(path: Sequence[str]) -> str:
    """Returns a sequence of actions, for people."""
    return " ".join(path) or "the start"
