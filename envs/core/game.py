""":class:`Game`: rules with their parameters. ``envs/rules/pieces.py`` lists the pieces of a rules file.

Every game here is a two-player zero-sum stochastic game in which both players act at every time step. In a turn-based
game the player who is not to move has one legal action, 0, which ``step`` ignores.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.base.modules import place_of, rules_at
from nashzoo.envs.core.kernels import ROOM, SUM_TOLERANCE, ChanceError, Seeds, decide
from nashzoo.envs.drawing.canvas import Canvas
from nashzoo.envs.drawing.palette import LIGHT, check_theme
from nashzoo.envs.drawing.svg import SVGCanvas
from nashzoo.envs.drawing.view import View
from nashzoo.envs.jit.compiled import Bools, Features, Floats, Ints, Mask
from nashzoo.envs.jit.lazy import interpreted
from nashzoo.envs.rules.build import BuiltRules, build
from nashzoo.envs.rules.compiled_game import CompiledGame, absent
from nashzoo.envs.rules.pieces import BOTH, CHANCE, MAX_OUTCOMES, SIGNATURES

SAME_PROBABILITY = 1e-12  # tolerance between the probabilities of a start and of its mirror image
CHANCES = 1e-9  # tolerance of a sum of probabilities from 1
MOST_ACTIONS = 62  # bits of the masks of legal actions
CHECKED_STARTS = 16  # starts that are checked when a game is made
CHECKED_CHANCE = 1000  # states before the first decision that are checked when a game is made


class Starts(NamedTuple):
    """The distribution of start states."""

    codes: Ints  # [S], the states
    thresholds: Floats  # [S - 1], cumulative sums of their probabilities without the last

    def draw(self, rng: np.random.Generator) -> int:
        """Returns the code of a start state drawn with ``rng``; a single start needs no draw."""
        if len(self.codes) == 1:
            return int(self.codes[0])
        # Same result as rng.choice, without computing the cumulative sum every time.
        return int(self.codes[np.searchsorted(self.thresholds, rng.random(), side="right")])


class Game:
    """A game with its parameters; immutable, picklable, and compared by its rules and parameters.

    Args:
        rules: The rules file, a module or another object with :data:`nashzoo.envs.rules.pieces.PIECES`.
        **options: The keyword arguments of its ``Params``.

    Raises:
        UsageTypeError: an option is unknown to the game.
        UsageError: an option's value is out of its range; a function of the rules is missing, or returns an
            invalid value at a start; or the game has ``swap_players`` but is not symmetric.
    """

    def __init__(self, rules: Any, **options: Any) -> None:
        self.rules = build(rules)
        self.name = self.rules.NAME
        self.masked = self.rules.MASKED
        self.has_chance = self.rules.has_chance
        self.symmetric = self.rules.symmetric
        self.max_cycles = self.rules.MAX_CYCLES
        self.crossed = self.rules.CROSSED
        self.compared = self.rules.COMPARED
        known = self.rules.signature.parameters
        unknown = sorted(options.keys() - known.keys())
        if unknown:
            raise UsageTypeError(
                f"{self.name} has no parameter {', '.join(unknown)}; it has {', '.join(known) or 'none'}"
            )
        self.options: dict[str, Any] = {key: options.get(key, known[key].default) for key in known}
        self.params = self.rules.parameters(**options)
        self.actions = self.rules.actions(self.params)
        self.num_actions = len(self.actions)
        twice = sorted({name for name in self.actions if self.actions.count(name) > 1})
        if twice:
            raise UsageError(f"every action of {self.name} needs a name of its own; two are called {twice[0]}")
        if not 1 <= self.num_actions <= MOST_ACTIONS:
            raise UsageError(f"a game has from 1 to {MOST_ACTIONS} actions; {self.name} has {self.num_actions}")
        self.features = self.rules.features(self.params)
        self.num_features = len(self.features)
        self.levels = self.rules.levels(self.params)
        self.start_codes, self.start_probabilities = self.rules.start(self.params)
        with interpreted():
            self._check_start()
        self.starts = Starts(self.start_codes, np.cumsum(self.start_probabilities)[:-1])
        if self.symmetric:
            with interpreted():
                check_symmetry(self)

    def _misfit(self, maxima: Any) -> str:
        """Returns the message if the largest state has no code: the parameters that make a field too large."""
        known = self.rules.signature.parameters
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.options.items() if value != known[name].default)
        for field, value in maxima._asdict().items():
            nothing = maxima._make([0] * len(maxima))
            fits = [most for most in (2**bits - 1 for bits in range(63)) if self._has_code(nothing, field, most)]
            if chosen and fits and not 0 <= value <= fits[-1]:
                return (
                    f"{self.name} cannot have {chosen}: the largest {field} would be {value}, and must be from 0 to "
                    f"{fits[-1]}"
                )
        return f"{self.name}: the largest state {maxima} does not fit into its code"

    def _has_code(self, nothing: Any, field: str, value: int) -> bool:
        state = nothing._replace(**{field: value})
        return bool(self.rules.decode(self.rules.encode(state)) == state)

    def _check_start(self) -> None:
        """Checks the values that the rules return at the starts, before compiled code uses them."""
        shapes = np.shape(self.start_codes), np.shape(self.start_probabilities)
        if shapes[0] != shapes[1] or len(shapes[0]) != 1 or not shapes[0][0]:
            raise UsageError(f"start of {self.name} must return codes [S] and probabilities [S], not {shapes}")
        chances = np.asarray(self.start_probabilities)
        if not (chances > 0.0).all() or abs(chances.sum() - 1.0) > CHANCES:
            raise UsageError(f"start of {self.name} must give probabilities above 0 that add up to 1, not {chances}")
        maxima = self.field_maxima
        if self.rules.decode(self.rules.encode(maxima)) != maxima:
            raise UsageError(self._misfit(maxima))
        everything = (1 << self.num_actions) - 1
        for code in self.start_codes[:CHECKED_STARTS].tolist():
            if self.terminal(code):
                raise UsageError(f"{self.name} is over where it starts, at {self.spell(code)}")
        for code in self._first_decisions():
            for player in (0, 1):
                legal = self.rules.legal(self.params, code, player)
                if not 0 < legal <= everything or not (self.masked or legal == everything):
                    least = "a bit" if self.masked else "every bit, as MASKED is False,"
                    raise UsageError(
                        f"legal of {self.name} must have {least} of its {self.num_actions} actions and no other, "
                        f"not {legal:#b}, for player {player} at {self.spell(code)}"
                    )

    def _first_decisions(self) -> list[int]:
        """Returns the codes of some states of a first decision.

        Raises:
            UsageError: the game can end or pay a reward before the first decision, when environments have no step to
                return it; or the outcomes of chance are no distribution.
        """
        found = self.start_codes[: CHECKED_CHANCE if self.has_chance else CHECKED_STARTS].tolist()
        seen: set[int] = set()
        decisions: list[int] = []
        while found:
            code = found.pop(0)
            if code in seen:
                continue
            seen.add(code)
            if self.terminal(code):
                raise UsageError(f"chance can end {self.name} before anybody chooses, at {self.spell(code)}")
            if self.turn(code) != CHANCE:
                decisions.append(code)
            elif len(seen) <= CHECKED_CHANCE:
                after = self.outcomes(code)[0].tolist()
                if any(self.payoff(outcome) != 0.0 for outcome in after):
                    raise UsageError(f"chance pays in {self.name} before anybody chooses, after {self.spell(code)}")
                found += after
        return decisions

    def outcomes(self, code: int) -> tuple[Ints, Floats]:
        """Returns the codes of the outcomes of a chance state ``[k]``, and their probabilities ``[k]``.

        Raises:
            UsageError: the rules have no ``chance``, or its outcomes are no distribution.
        """
        outcomes, probabilities = np.empty(ROOM, np.int64), np.zeros(ROOM)
        where = f"of {self.name} at {self.spell(code)}"
        if not self.has_chance:
            raise UsageError(f"it is the turn of chance {where}, but the rules have no function chance")
        try:
            count = self.rules.chance(self.params, code, outcomes, probabilities)
        except IndexError:
            count = ROOM
        if not 1 <= count <= MAX_OUTCOMES:
            number = f"more than {MAX_OUTCOMES}" if count > MAX_OUTCOMES else count
            raise UsageError(f"chance must give from 1 to {MAX_OUTCOMES} outcomes, not {number}, {where}")
        found = probabilities[:count]
        if not (np.isfinite(found) & (found > 0)).all():
            raise UsageError(f"probabilities of chance must be above 0, not {found.tolist()}, {where}")
        if not abs(found.sum() - 1) <= SUM_TOLERANCE:
            raise UsageError(f"the probabilities of chance must sum to 1, not to {found.sum()}, {where}")
        return outcomes[:count].copy(), found.copy()

    def resolve_chance(self, code: int, seeds: Seeds) -> tuple[int, float]:
        """Draws chance events until a player is to move or the game is over.

        Args:
            code: The state.
            seeds: The stream of random numbers ``[1]`` of the draws; it advances with each draw.

        Returns:
            The code of the state reached, and the reward to player 0 on the way.

        Raises:
            UsageError: the outcomes of chance are no distribution.
        """
        if not self.has_chance:
            return code, 0.0
        try:
            after, reward = decide(self.compiled, code, seeds)
        except ChanceError as error:
            raise self.chance_error(error) from None
        return int(after), float(reward)

    def chance_error(self, error: ChanceError) -> UsageError:
        """Returns the error with a message for an error of chance in compiled code."""
        code = int(error.args[0])
        try:
            self.outcomes(code)
        except UsageError as found:
            return found
        return UsageError(f"chance goes on and on in {self.name}, from {self.spell(code)}, and nobody ever chooses")

    @cached_property
    def compiled(self) -> Any:
        """The rules and parameters as an argument of compiled kernels."""
        functions = {name: getattr(self.rules, name, absent) for name in SIGNATURES}
        return CompiledGame(
            **functions, params=self.params, num_actions=self.num_actions, has_chance=int(self.has_chance)
        )

    @cached_property
    def view(self) -> View:
        """The display of states for people."""
        return View(self.rules)

    @property
    def numbers(self) -> BuiltRules | None:
        """The rules, if they have a closed-form index of states; None without one."""
        return self.rules if self.rules.numbered else None

    def __reduce__(self) -> tuple[Any, ...]:
        rules = self.rules.written
        return _rebuild, (place_of(rules) if isinstance(rules, ModuleType) else rules, self.options)

    def __repr__(self) -> str:
        said = (f"{key}={value!r}" for key, value in self.options.items() if value is not None)
        return f"{self.name}({', '.join(said)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.rules == other.rules and self.options == other.options

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.params.tobytes()))

    def start(self, rng: np.random.Generator) -> int:
        """Returns the code of a start state drawn with ``rng``."""
        return self.starts.draw(rng)

    def code(self, **fields: int | str) -> int:
        """Returns the code of the state with these fields; other fields have their values at the start.

        Fields are whole numbers, or text if the game's view defines it, such as ``board="x...o...."``.

        Raises:
            UsageError: the game has no such field, its value is out of range, or there is no such state.
        """
        first = self.state(int(self.start_codes[0]))
        maxima = self.field_maxima
        numbers: dict[str, Any] = {}
        for field, value in fields.items():
            meant: Mapping[str, Any] = self._spelled(field, value) if isinstance(value, str) else {}
            for name, number in (meant or {field: value}).items():
                if name in numbers:
                    raise UsageError(f"{name} is given twice, by itself and by {field}")
                numbers[name] = number
        for field, value in numbers.items():
            if field not in first._fields:
                raise UsageError(f"{self.name} has no field {field}; it has {', '.join(first._fields)}")
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise UsageError(f"{field} must be a whole number, not {value!r}")
            if not 0 <= value <= getattr(maxima, field):
                raise UsageError(f"{field} must be from 0 to {getattr(maxima, field)}, not {value}")
        state = first._replace(**numbers)
        self.rules.check(self.params, state)
        return int(self.rules.encode(state))

    def _spelled(self, field: str, text: str) -> Mapping[str, int]:
        if field in self.view.WORDS:
            words = self.view.WORDS[field]
            found = [number for number, word in enumerate(words) if word.lower() == text.lower()]
            if not found:
                raise UsageError(f"{field} must be {', '.join(words[:-1])} or {words[-1]}, not {text!r}")
            return {field: found[0]}
        return self.view.spelled(self.params, field, text)

    @property
    def field_maxima(self) -> Any:
        """The largest value of each field of a state, a named tuple."""
        return self.rules.field_maxima(self.params)

    def spell(self, code: int) -> str:
        """Returns a state as one line of text."""
        return self.view.spell(self.params, code)

    def changes(self, before: int, after: int) -> str:
        """Returns the fields of the state ``after`` that differ from those of ``before``, as one line of text."""
        old = self.state(before)._asdict()
        new = {field: value for field, value in self.state(after)._asdict().items() if value != old[field]}
        return ", ".join(f"{field}={self.view.field_text(field, value)}" for field, value in new.items()) or "no change"

    def state(self, code: int) -> Any:
        """Returns the state of a code, a named tuple."""
        return self.rules.decode(code)

    def legal_actions(self, code: int, player: int) -> tuple[int, ...]:
        """Returns the legal actions of ``player``."""
        mask = self.rules.legal(self.params, code, player)
        return tuple(action for action in range(self.num_actions) if mask >> action & 1)

    @property
    def turn_based(self) -> bool:
        """Whether the players move one at a time, judged by the first start state."""
        return self.turn(self.first_decision) != BOTH

    @cached_property
    def first_decision(self) -> int:
        """The code of a state at which a player chooses, the first start or one that follows it by chance."""
        if not self.has_chance:
            return int(self.start_codes[0])
        with interpreted():
            return self._first_decisions()[0]

    def swap_players(self, codes: Ints) -> Ints:
        """Returns the codes ``[B]`` of the same states with the players swapped, in a symmetric game."""
        swap_players = self.rules.swap_players
        return np.fromiter((swap_players(self.params, code) for code in codes), np.int64, len(codes))

    def step(self, code: int, action0: int, action1: int) -> int:
        """Returns the code of the state after both players' actions, before chance events.

        Raises:
            ValueError: the game is over, or an action is illegal.
        """
        if self.terminal(code):
            raise ValueError(f"the game is over at {self.spell(code)}; start a new one")
        if self.turn(code) == CHANCE:
            raise ValueError(f"nobody chooses at {self.spell(code)}: chance decides")
        for player, action in enumerate((action0, action1)):
            legal = self.legal_actions(code, player)
            if action not in legal:
                raise ValueError(illegal_action_message(self, player, action, legal))
        return self.rules.step(self.params, code, action0, action1)

    def turn(self, code: int) -> int:
        """Returns the player to move, or ``BOTH``, or ``CHANCE``."""
        return self.rules.turn(self.params, code)

    def movers(self, code: int) -> tuple[int, ...]:
        """Returns the players who choose at this state: none when the game is over or chance decides."""
        if self.terminal(code):
            return ()
        turn = self.turn(code)
        return (0, 1) if turn == BOTH else () if turn == CHANCE else (turn,)

    def payoff(self, code: int) -> float:
        """Returns the reward to player 0 on entering this state, in points."""
        return self.rules.payoff(self.params, code)

    def at_stake(self, code: int) -> float:
        """Returns the points that a player can still lose from this state, and loses by giving up there."""
        at_stake = getattr(self.rules.written, "at_stake", None)
        return 1.0 if at_stake is None else float(self.rules.call(at_stake, self.params, code=code))

    def terminal(self, code: int) -> bool:
        """Returns whether the game ends at this state."""
        return self.rules.terminal(self.params, code)

    def observe(self, code: int, player: int) -> Features:
        """Returns the observation of ``player`` ``[features]``, numbers within 0..1.

        Raises:
            UsageError: ``player`` is neither 0 nor 1.
        """
        if player not in (0, 1):
            raise UsageError(f"a player is 0 or 1, not {player!r}")
        out = np.empty(self.num_features, np.float32)
        self.rules.observe(self.params, code, player, out)
        return out

    def text(self, code: int) -> str:
        """Returns the state as lines of text."""
        return self.view.text(self.params, code)

    def event(self, code: int, action0: int, action1: int, after: int | None = None) -> str:
        """Describes a step and the reason of its result in one line, in the past tense.

        Players have the names in ``view.PLAYERS``.

        Args:
            code: The state in which the players chose.
            action0: Player 0's action; ignored if it was not to move.
            action1: Player 1's action; ignored likewise.
            after: The next state, before chance events; computed when None.

        Raises:
            ValueError: the game was over, or an action is illegal.
        """
        if after is None:
            after = self.step(code, action0, action1)
        return self.view.event(self.params, code, action0, action1, after)

    def introduction(self, player: int) -> str:
        """Returns an introduction for a person in this seat."""
        return self.view.introduction(self.params, player)

    def legend(self, player: int) -> str:
        """Returns the meaning of the symbols in a state's text for a person in this seat, or nothing."""
        return self.view.legend(self.params, player)

    def draw(self, code: int, canvas: Canvas) -> None:
        """Draws the state."""
        self.view.draw(self.params, code, canvas)

    def svg(self, code: int, theme: str = LIGHT) -> str:
        """Returns the drawing of a state as an SVG document, 100 by 100 units, with the state's text as description.

        Args:
            code: The state.
            theme: ``"light"`` or ``"dark"``.

        Raises:
            UsageError: there is no such theme.
        """
        canvas = SVGCanvas(check_theme(theme))
        self.draw(code, canvas)
        return canvas.svg(self.name, self.text(code))


def check_symmetry(game: Game) -> None:
    """Checks that swapping the players gives the same game: at the start, and one step on from the first of them.

    If chance decides at these, its outcomes are checked too, up to a number of states.

    Raises:
        ValueError: it does not.
    """
    starts, likely = game.start_codes, dict(zip(game.start_codes.tolist(), game.start_probabilities, strict=True))
    mirrored = game.swap_players(starts).tolist()
    wrong = ""
    for code, other in zip(starts.tolist(), mirrored, strict=True):
        if other not in likely or abs(likely[other] - likely[code]) > SAME_PROBABILITY:
            wrong = f"the start {game.spell(code)} has no mirror image among the starts that is as likely"
            break
    else:
        pairs = list(zip(starts[:CHECKED_STARTS].tolist(), mirrored, strict=False))
        seen: set[int] = set()
        while pairs and wrong == "":
            code, other = pairs.pop(0)
            wrong = asymmetry(game, code, other)
            if wrong == "" and game.turn(code) == CHANCE and code not in seen and len(seen) < CHECKED_CHANCE:
                seen.add(code)
                after = game.outcomes(code)[0]
                pairs += zip(after.tolist(), game.swap_players(after).tolist(), strict=True)
    if wrong:
        raise ValueError(f"{game.name} has swap_players, but swapping the players does not give the same game: {wrong}")


def asymmetry(game: Game, code: int, other: int) -> str:
    """Returns the difference of a state and its mirror image after one step, in words; empty if there is none."""
    swap_players = game.rules.swap_players
    if swap_players(game.params, other) != code:
        return f"the mirror image of the mirror image of {game.spell(code)} is another state"
    if CHANCE in (game.turn(code), game.turn(other)):
        return _asymmetric_chance(game, code, other)
    actions0, actions1 = (game.legal_actions(code, player) for player in range(2))
    if (actions1, actions0) != tuple(game.legal_actions(other, player) for player in range(2)):
        return f"the legal actions at {game.spell(code)} are not swapped"
    for action0 in actions0:
        for action1 in actions1:
            after = game.rules.step(game.params, code, action0, action1)
            after_other = game.rules.step(game.params, other, action1, action0)
            played = f"actions {action0} and {action1} at {game.spell(code)}"
            if swap_players(game.params, after) != after_other or game.terminal(after) != game.terminal(after_other):
                return f"{played} lead elsewhere in the mirror"
            pays = game.payoff(after) + game.payoff(after_other)
            if abs(pays) > 0 and abs(pays) != np.inf:  # infinite rewards are refused elsewhere
                return f"{played} pay other points in the mirror"
            by_chance = not game.terminal(after) and CHANCE in (game.turn(after), game.turn(after_other))
            if by_chance and (wrong := _asymmetric_chance(game, after, after_other)) != "":
                return wrong
    return ""


def _asymmetric_chance(game: Game, code: int, other: int) -> str:
    """Returns the difference of two chance states from mirror images, in words; empty if there is none."""
    if game.turn(code) != game.turn(other):
        return f"chance decides at {game.spell(code)} but not in the mirror"
    swap_players = game.rules.swap_players
    likely, likely_other = _distribution(game, code), _distribution(game, other)
    for after, probability in likely.items():
        mirrored = swap_players(game.params, after)
        same = game.terminal(after) == game.terminal(mirrored)
        if not same or abs(likely_other.get(mirrored, 0.0) - probability) > SAME_PROBABILITY:
            return f"what may follow by chance on {game.spell(code)} is not as likely in the mirror"
        pays = game.payoff(after) + game.payoff(mirrored)
        if abs(pays) > 0 and abs(pays) != np.inf:
            return f"chance at {game.spell(code)} pays other points in the mirror"
    return ""


def _distribution(game: Game, code: int) -> dict[int, float]:
    """Returns the outcomes of a chance state, by code, with their probabilities."""
    outcomes, probabilities = game.outcomes(code)
    found = dict.fromkeys(outcomes.tolist(), 0.0)
    for after, probability in zip(outcomes.tolist(), probabilities.tolist(), strict=True):
        found[after] += probability
    return found


def illegal_action_message(game: Game, player: int, action: int, legal: Sequence[int]) -> str:
    """Returns the message for an illegal action."""
    choices = ", ".join(f"{choice} ({game.actions[choice]})" for choice in legal)
    return f"player {player} played {action}; legal actions are {choices}"


def _rebuild(place: Any, options: dict[str, Any]) -> Game:
    """Returns the game of the module at a place, or of other rules, with these parameters."""
    if not isinstance(place, str):
        return Game(place, **options)
    package, _, name = place.rpartition(".")
    if package == "nashzoo.envs":  # the place of the rules when the oldest models were saved
        place = f"nashzoo.envs.games.{name}"
    return Game(rules_at(place), **options)


__all__ = ["BOTH", "CHANCE", "Bools", "Features", "Floats", "Game", "Ints", "Mask", "illegal_action_message"]
