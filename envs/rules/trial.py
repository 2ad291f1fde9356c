"""What the functions of a rules file say at states that play reaches: :func:`trial` asks them as plain Python.

They must return what a piece may return, and the same again: a second time, in another order, and compiled. The
argument ``game`` is a :class:`nashzoo.envs.core.game.Game`.
"""

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dis import get_instructions
from functools import lru_cache, partial
from itertools import product
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.modules import failing_line
from nashzoo.envs.rules.parameters import arguments_of
from nashzoo.envs.rules.pieces import BOTH, CHANCE, PACKED, PIECES, ROOM
from nashzoo.envs.rules.results import (
    WHOLE,
    listed,
    number_fault,
    out_of_range,
    pairs_fault,
    place_in_words,
    state_fault,
)

FIRST_USE = 500  # states, and joint actions and outcomes, that are looked at where a game is first used
AGAIN = 64  # of them that are looked at again at least, few of them several times
SAME = 1e-6  # relative tolerance of points and probabilities: compiled code rounds in other ways, and float32
LEAST = 1e-12  # absolute tolerance
TRIED = "nashzoo.envs."  # modules whose rules are tried by tests


class Facts(NamedTuple):
    """What the rules say at a state."""

    turn: int
    legal: tuple[int, ...]  # bit masks of both players; none where chance decides
    after: tuple[int, ...]  # codes after each joint action, row by row, or of the outcomes of chance
    chances: tuple[float, ...]  # of these outcomes
    payoff: tuple[float, ...]  # on entering the states that follow
    terminal: tuple[bool, ...]  # whether they are

    def unlike(self, other: "Facts") -> str:
        """Returns the first piece that says something else; empty if none does."""
        pieces = "turn", "legal", *["chance" if self.turn == CHANCE else "step"] * 2, "payoff", "terminal"
        return next((piece for piece, *two in zip(pieces, self, other, strict=True) if not _same(*two)), "")


def _same(one: Any, another: Any) -> bool:
    rounded = np.shape(one) == np.shape(another) != () and float in map(type, one)
    if one == another or not rounded:
        return bool(one == another)
    # Parts of a payoff can cancel: what is left has the rounding of the whole.
    least = max(LEAST, SAME * max(map(abs, one)))
    return np.allclose(one, another, SAME, least)


@lru_cache(4)
def first_use(game: Any) -> dict[int, Facts]:
    """Returns what a trial finds at the first use of a game; nothing for rules of this package."""
    written = game.rules.written
    module = getattr(written, "__name__", type(written).__module__)
    return {} if module.startswith(TRIED) else trial(game, FIRST_USE, FIRST_USE)


def trial(game: Any, states: float = np.inf, most: float = np.inf, codes: Sequence[int] = ()) -> dict[int, Facts]:
    """Returns what the rules say at states, by code.

    Args:
        game: The game.
        states: The largest number of states; they are those nearest to the start.
        most: The number of joint actions and outcomes, after which no more states are looked at. With a limit every
            second state is one found last, so that some are near the end.
        codes: The states; those that play reaches if there are none.

    Raises:
        UsageError: a function fails, or returns something invalid, or something else when it is called again.
    """
    found, waiting = dict[int, Facts](), deque(codes or game.start_codes.tolist())
    known = {*waiting}
    while waiting and len(found) < states and most > 0:
        code = waiting.pop() if most < np.inf and len(found) % 2 else waiting.popleft()
        facts = found[code] = _asked(game, 1, code)
        most -= len(facts.after)
        going_on = (after for after, over in zip(facts.after, facts.terminal, strict=True) if not (over or codes))
        waiting += [after for after in dict.fromkeys(going_on) if after not in known]
        known.update(facts.after)
    for number in range(1 + AGAIN // max(1, sum(len(facts.after) for facts in found.values()))):
        order = 1 if number % 2 else -1
        _check_same(game, found, partial(_asked, game, order), "called again", order)
    never = game.has_chance and not (codes or waiting or any(facts.turn == CHANCE for facts in found.values()))
    if never and _never_names_chance(game):
        where = place_in_words(game.rules.written.chance)
        raise UsageError(f"{game.name} has chance, but turn nowhere answers {CHANCE}, which is its turn{where}")
    if _count_from_one(found.values()):
        raise UsageError(
            f"turn answers 1 and {BOTH}, nowhere 0, and where it answers 1, the choice of player 1 changes nothing, "
            f"nor does that of player 0 where both choose: the players are 0 and 1, and {BOTH} is both"
            + place_in_words(game.rules.written.turn)
        )
    return found


def _count_from_one(found: Collection[Facts]) -> bool:
    """Returns whether the players seem to be 1 and 2 to ``turn``: who is said to choose has no influence anywhere."""
    in_turn = [facts for facts in found if facts.turn != CHANCE]
    rows = [np.reshape(facts.after, (facts.legal[facts.turn % BOTH].bit_count(), -1)) for facts in in_turn]
    chosen = {facts.turn for facts, each in zip(in_turn, rows, strict=True) if len(each) > 1}
    return {facts.turn for facts in in_turn} == chosen == {1, BOTH} and all((each == each[0]).all() for each in rows)


def _never_names_chance(game: Any) -> bool:
    """Returns whether ``turn`` of a module cannot mean chance; parameters and other data can leave it out."""
    written = game.rules.written
    if game.options or not isinstance(written, ModuleType):
        return False
    waiting = [getattr(written, name, None) for name in ("turn", "start", "step")]
    for function in waiting:  # which grows
        function = getattr(function, "py_func", function)
        if not isinstance(function, FunctionType):
            continue
        for one in get_instructions(function.__code__):
            value = function.__globals__.get(one.argval) if "GLOBAL" in one.opname else one.argval
            if "GLOBAL" not in one.opname and "CONST" not in one.opname and "SMALL_INT" not in one.opname:
                continue
            if isinstance(value, CodeType | ModuleType | tuple | list | dict | np.ndarray) or value == CHANCE:
                return False
            if getattr(value, "__module__", None) == function.__module__ and value not in waiting:
                waiting.append(value)
    return True


def compare(game: Any, found: Mapping[int, Facts], compiled: Mapping[str, Callable[..., Any]]) -> None:
    """Raises a UsageError if compiled functions, by their names, say something else than was found."""

    def value(name: str, *arguments: Any) -> Any:
        return compiled.get(name, getattr(game.rules, name))(game.params, *arguments)

    def asked(code: int) -> Facts:
        outcomes, chances, turn = np.empty(ROOM, np.int64), np.zeros(ROOM), value("turn", code)
        count = value("chance", code, outcomes, chances) if turn == CHANCE else 0
        legal = tuple(value("legal", code, player) for player in range(2 * (turn != CHANCE)))
        after = outcomes[:count].tolist() or [value("step", code, *actions) for actions in _joint(found[code].legal)]
        payoff, terminal = (tuple(value(name, one) for one in after) for name in ("payoff", "terminal"))
        return Facts(turn, legal, tuple(after), tuple(chances[:count].tolist()), payoff, terminal)

    _check_same(game, found, asked, "compiled")


def _check_same(
    game: Any, found: Mapping[int, Facts], asked: Callable[[int], Facts], when: str, order: int = 1
) -> None:
    for code in list(found)[::order]:
        if piece := found[code].unlike(asked(code)):
            where = place_in_words(getattr(game.rules.written, piece, None))
            raise UsageError(
                f"at {game.spell(code)}: {piece} returns something else when it is {when}; its result may depend on "
                f"its arguments alone, and what is random belongs into chance{where}"
            )


def _joint(legal: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Returns the joint actions of two bit masks, row by row; none without masks."""
    actions = ([action for action in range(mask.bit_length()) if mask >> action & 1] for mask in legal)
    return [*product(*actions)] if legal else []


def _asked(game: Any, order: int, code: int) -> Facts:
    """Returns the facts of a state, or raises a UsageError; with the order -1 the last joint action is the first."""
    try:
        return _State(game, code).facts(order)
    except Exception as error:  # the rules may raise anything
        place = failing_line(error)
        message = str(error) if isinstance(error, UsageError) else f"{type(error).__name__}: {error}"
        where = _spelled(game, code)
        sentence = message if where in message else f"at {where}: {message}"
        raise UsageError(sentence + (f" ({place})" if place else "")) from error


def _spelled(game: Any, code: int) -> str:
    try:
        return str(game.spell(code))
    except Exception:  # the view is the user's, too, and the first error counts
        return "a state that its view cannot spell"


class _State:
    """A state, at which the functions of the file are asked."""

    def __init__(self, game: Any, code: int) -> None:
        self.game, self.rules, self.code = game, game.rules, code

    def facts(self, order: int) -> Facts:
        game, turn = self.game, self.asked("turn", BOTH)
        if not isinstance(turn, WHOLE) or turn not in (0, 1, BOTH, CHANCE):
            self.refuse("turn", f"must answer 0, 1, {BOTH} for both, or {CHANCE} for chance, not {turn!r}")
        if turn == BOTH and "action" in arguments_of(self.rules.written.step):
            self.refuse("turn", f"answers {BOTH}, both players, and step takes the action of one; {CHANCE} is chance")
        game.images(self.code)
        if turn == CHANCE:
            if game.has_chance and not self.rules.on_codes("chance"):
                pairs = listed(self.asked("chance"))
                if fault := pairs_fault(self.rules.State, pairs):
                    self.refuse("chance", f"must return {fault}")
                for state, _ in pairs:
                    self.code_of("chance", state)
            legal, (after, chances) = tuple[int, ...](), (column.tolist() for column in game.outcomes(self.code))
        else:
            legal, after, chances = (self.legal(0, int(turn)), self.legal(1, int(turn))), list[int](), ()
            for player in range(2):
                game.observe(self.code, player)
            for one, other in _joint(legal)[::order]:
                state = self.asked("step", action0=one, action1=other)
                after.append(self.code_of("step", state, f", on actions {one} and {other},"))
            after = after[::order]
            for name, piece in PIECES.items():
                if piece.result == PACKED and name != "step" and hasattr(self.rules.written, name):
                    for player in range(1 + ("player" in piece.called)):
                        self.code_of(name, self.asked(name, player=player))
        ends = [_State(game, one).end() for one in after]
        return Facts(int(turn), legal, tuple(after), tuple(chances), *zip(*ends, strict=True))

    def asked(self, name: str, without: Any = None, **arguments: Any) -> Any:
        """Returns what a function returns, or ``without`` if the file does not have it."""
        function = getattr(self.rules.written, name, None)
        if function is None:
            return without
        return self.rules.call(function, self.game.params, code=self.code, **arguments)

    def refuse(self, name: str, fault: str) -> NoReturn:
        raise UsageError(f"{name} {fault}{place_in_words(getattr(self.rules.written, name))}")

    def code_of(self, name: str, state: Any, how: str = "") -> int:
        """Returns the code of a state that a function has returned."""
        given = int(state) if self.rules.on_codes(name) else None
        state = state if given is None else self.rules.decode(given)
        if fault := state_fault(self.rules.State, state):
            self.refuse(name, f"must return {fault}")
        if fault := out_of_range(state, self.game.field_maxima):
            self.refuse(name, f"leads{how} to a field out of its range: {fault}")
        code = int(self.rules.encode(state))
        if self.rules.decode(code) != state or given not in (None, code):
            self.refuse(name, f"leads{how} to {state}, whose code is that of {self.rules.decode(code)}")
        return code

    def legal(self, player: int, turn: int) -> int:
        """Returns the legal actions of a player as a bit mask."""
        count = self.game.num_actions
        if turn == 1 - player:
            return 1
        legal = self.asked("legal", (1 << count) - 1, player=player)
        if np.shape(legal) == (count,):
            legal = sum(1 << action for action, may in enumerate(legal) if may)
        elif not isinstance(legal, int | np.integer) or isinstance(legal, bool):
            self.refuse("legal", f"must return a truth value for each of {count} actions, or a bit mask, not {legal!r}")
        if not 0 < legal < 1 << count:
            what = "no action is legal" if legal == 0 else "an action that does not exist is legal"
            raise UsageError(f"{what} for player {player}{place_in_words(self.rules.written.legal)}")
        return int(legal)

    def end(self) -> tuple[float, bool]:
        """Returns what is paid on entering the state, and whether it is the end."""
        paid = {name: self.asked(name, 0.0) for name in ("payoff", "constant_sum")}
        for name, number in paid.items():
            if fault := number_fault(number):
                self.refuse(name, f"must return {fault}, for {self.game.spell(self.code)}")
        if not isinstance(over := self.asked("terminal"), WHOLE):
            self.refuse("terminal", f"must return True or False, not {over!r}, for {self.game.spell(self.code)}")
        return float(paid["payoff"]) - 0.5 * float(paid["constant_sum"]) * over, bool(over)
