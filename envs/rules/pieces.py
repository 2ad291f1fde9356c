"""The pieces of a rules file: one table, from which checks, signatures, defaults and documentation are made.

A rules file is a module, or any object, with plain functions and values. A function says by the names of its arguments
what it takes:

- ``params``: the parameters, a named tuple of numbers;
- ``tables``: what the file's function ``tables`` computes from the parameters, once for each game;
- ``state``: a ``State``; or ``code``: its code, a 64-bit number, for the file whose states need it for speed;
- ``player``: 0 or 1;
- ``action0`` and ``action1``: the actions of the players; or ``action``: the action of the player to move;
- ``after``: the next ``State``; and ``canvas``: the canvas of a drawing.

A function that takes ``code`` returns a code where it would return a ``State``.
"""

from typing import Any, NamedTuple

from nashzoo.envs.jit.compiled import PARAMS
from nashzoo.envs.jit.numba import boolean, float32, float64, int64, types, void

BOTH = 2  # result of ``turn`` if both players choose
CHANCE = 3  # and if chance decides
MAX_OUTCOMES = 62  # of a chance state
ROOM = 4 * MAX_OUTCOMES  # size of arrays of outcomes: compiled rules with too many must not write beyond the end
SUM_TOLERANCE = 1e-9  # tolerance of the sum of probabilities

STATE = ("params", "tables", "state", "code")
STEP = (*STATE, "action0", "action1", "action")
PARAMETERS = ("params", "tables")
REQUIRED = "required"
PACKED = "encode({})"
CHECKED = "packed({})"  # the same, or -1 for a state that its code does not hold

_OF_A_STATE = int64(PARAMS, int64)


class Piece(NamedTuple):
    """A row of the table."""

    says: str  # what the value is, or what the function returns
    takes: tuple[str, ...] = ()  # the arguments that the function may have; empty for a value
    default: str = REQUIRED  # the default in words; REQUIRED if there is none
    signature: Any = None  # of the compiled function that kernels call; None if there is none
    called: tuple[str, ...] = ()  # the arguments of that function, after the numbers of the game
    result: str = ""  # its result, an expression of the result {} of the function in the file; empty if it is more
    or_text: bool = False  # whether a text can stand in place of the function


def _compiled(says: str, takes: tuple[str, ...], default: str, signature: Any, result: str) -> Piece:
    """Returns the row of a function of a state that kernels call."""
    called = ("code", "action0", "action1") if "action0" in takes else ("code",)
    return Piece(says, takes, default, signature, called, result)


PIECES = {
    # What every rules file has.
    "NAME": Piece("the name of the game, such as 'nim_v0'"),
    "ACTIONS": Piece("the names of the actions, such as ('left', 'right'), or a function actions(params)"),
    "State": Piece("a named tuple of whole numbers from 0 on"),
    "field_maxima": Piece("the largest value of each field, as a State", PARAMETERS),
    "start": Piece("the State in which a game starts, or a list of pairs of a State and its probability", PARAMETERS),
    "step": _compiled("the next State", STEP, REQUIRED, int64(PARAMS, int64, int64, int64), PACKED),
    "terminal": _compiled("whether the game is over", STATE, REQUIRED, boolean(PARAMS, int64), "bool({})"),
    "payoff": _compiled(
        "the reward to player 0 on entering the state, in points; player 1 gets the negative",
        STATE, REQUIRED, float64(PARAMS, int64), "float({})",
    ),
    # Parameters.
    "Params": Piece(
        "a named tuple of the parameters with their defaults; those that are no numbers are seen by check_params and "
        "tables alone",
        default="no parameters",
    ),
    "RANGES": Piece(
        "by parameter, its smallest and its largest value, such as {'cards': (1, 8)}", default="accepts all"
    ),
    "check_params": Piece("raises a ValueError for invalid parameters", ("params",), "accepts all"),
    "tables": Piece("a named tuple of numbers and arrays, computed from the parameters", ("params",), "no tables"),
    "actions": Piece("the names of the actions", PARAMETERS, "ACTIONS"),
    # Play.
    "turn": _compiled("the player to move, 0 or 1, or BOTH, 2, or CHANCE, 3", STATE, "BOTH", _OF_A_STATE, "int({})"),
    "legal": Piece(
        "the legal actions, as a tuple of truth values, or as a bit mask with bit a for action a, which is faster",
        (*STATE, "player"), "all actions", int64(PARAMS, int64, int64), ("code", "player"),
    ),
    "chance": Piece(
        "the outcomes of a chance state, a list of pairs of a State and its probability; or their number, if it takes "
        "the arrays outcomes and probabilities and fills them with codes and probabilities",
        (*STATE, "outcomes", "probabilities"), "no chance",
        int64(PARAMS, int64, int64[::1], float64[::1]), ("code", "outcomes", "probabilities"),
    ),
    "swap_players": _compiled(
        "the same State with the players swapped, in a symmetric game", STATE, "not symmetric", _OF_A_STATE, PACKED
    ),
    "strategic_state": _compiled(
        "the representative of all states with the same actions and future payoffs; only representatives are solved. "
        "Where something is hidden, of all states that differ in nothing but what players remember",
        STATE, "the state itself", _OF_A_STATE, CHECKED,
    ),
    "symmetries": Piece(
        "the states that are the same up to the names of the actions, such as turned boards, and the state itself: for "
        "each symmetry, always in the same order, a pair of a State and the new number of each action",
        STATE, "the state itself",
    ),
    "check": Piece("raises a ValueError for an impossible state", ("params", "tables", "state"), "accepts all"),
    "at_stake": Piece(
        "the points that a player can still lose from a state, and loses by giving up there",
        STATE, "1, as in games that are won or lost",
    ),
    "constant_sum": Piece(
        "the sum of both players' payoffs in a play; half of it is taken off from each in rewards, where play ends, so "
        "that 0 is a draw", PARAMETERS, "0"
    ),
    "MAX_CYCLES": Piece("the number of joint steps after which an unfinished game is truncated", default="1000"),
    "MASKED": Piece("whether some action is illegal somewhere", default="whether there is legal, or a turn"),
    # Observations and codes.
    "OBSERVATION": Piece(
        "the parts of an observation, see nashzoo.envs.rules.observation", default="every field as a number from 0 to 1"
    ),
    "BIT_FIELDS": Piece("the fields that are observed bit by bit, such as a hand of cards", default="none"),
    "SEEN_BY": Piece(
        "by field, the players who see it, such as {'card0': (0,)}; to others it is 0, which texts show as ?, and all "
        "see the fields left out",
        default="both players see all fields",
    ),
    "information_state": Piece(
        "the State as player sees it", (*STATE, "player"), "SEEN_BY", int64(PARAMS, int64, int64), ("code", "player"),
        PACKED,
    ),
    "UNSEEN_FIELDS": Piece("the fields that are 0 wherever a player chooses, and not observed", default="none"),
    "exchange_sides": Piece(
        "the State that player 1 observes as if it were player 0", STATE, "swap_players, or the same state"
    ),
    "observe": Piece(
        "fills the array out with the observation of player, in place of OBSERVATION",
        (*STATE, "player", "out"), "OBSERVATION", void(PARAMS, int64, int64, float32[::1]), ("code", "player", "out"),
    ),
    "decode_observation": Piece(
        "the State and the player of an observation, the inverse of observe", (*PARAMETERS, "observation"),
        "OBSERVATION", types.UniTuple(int64, 2)(PARAMS, float32[::1]), ("observation",),
    ),
    "features": Piece("the meaning of each number that observe fills in", PARAMETERS, "OBSERVATION"),
    "levels": Piece(
        "the number of values of each of them, evenly spaced from 0 to 1", PARAMETERS,
        "OBSERVATION; with observe, no one-hot observations",
    ),
    "CROSSED": Piece("pairs of fields that a one-hot observation crosses, such as column and row", default="none"),
    "COMPARED": Piece("pairs of fields that networks compare, such as the columns of two things", default="none"),
    "BITS": Piece("the bits of each field in a code, the lowest first", default="what the fields need, and more"),
    "CLOCK": Piece(
        "the field that grows with every step and outcome of chance, the last one of State, or of BITS; so games with "
        "too many states to list are solved backwards, one value of the clock after the other", default="none",
    ),
    # A closed-form index of the states, for games with too many for a list; a file has all four or none.
    "index": Piece(
        "the number of a non-terminal state, or ~number if its mirror image has it", STATE, "states are listed",
        _OF_A_STATE, ("code",), "int({})",
    ),
    "code_at": Piece(
        "the code of the state with this number, the inverse of index", (*PARAMETERS, "number"), "states are listed",
        _OF_A_STATE, ("number",), "int({})",
    ),
    "layer_sizes": Piece(
        "the number of states of each layer, the one nearest to the end first; play leads from a layer to the one "
        "before, or ends", PARAMETERS, "states are listed",
    ),
    "num_states": Piece(
        "the number of non-terminal states, mirror images included", PARAMETERS, "states are listed"
    ),
}  # fmt: skip

# What people see; in the rules file, or in a module with the same name and ``_view``.
VIEW_PIECES = {
    "text": Piece("the state as lines of text", STATE, "a line for each field", called=("code",)),
    "draw": Piece(
        "draws the state on the canvas, 100 by 100 units",
        (*STATE, "canvas"),
        "draws its text, or its fields, on a card",
        called=("code", "canvas"),
    ),
    "rows": Piece("the first and the last row of the canvas that drawings need, as in (8, 93)", PARAMETERS, "(0, 100)"),
    "draw_action": Piece(
        "draws an action of player on the canvas, for its button",
        (*PARAMETERS, "player", "action", "canvas"),
        "its name alone",
        called=("player", "action", "canvas"),
    ),
    "event": Piece(
        "what happened in a step and why, in one line",
        (*STEP, "after"),
        "the actions by name",
        called=("code", "action0", "action1", "after"),
    ),
    "shown": Piece("the State that shows the result of a step", (*STATE, "after"), "after", called=("code", "after")),
    "introduction": Piece("how to win, for a person", (*PARAMETERS, "player"), "the player", called=("player",)),
    "rules_text": Piece(
        "the rules in words, whole, for a player who does not know the game; or that text in place of the function. "
        "The names of actions and fields, and all words of the story, are in braces: '{Rock} beats {Scissors}'",
        PARAMETERS,
        "what the other pieces say",
        or_text=True,
    ),
    "in_short": Piece(
        "the rules as a short picture for people: lines, in which actions in brackets become pictures, such as "
        "'[Rock] beats [Scissors]'; a line of several lines is a drawing in letters",
        PARAMETERS,
        "none",
    ),
    "legend": Piece("the meaning of the symbols of the text", (*PARAMETERS, "player"), "empty", called=("player",)),
    "targets": Piece("the parts of the drawing that can be clicked, by action", STATE, "none", called=("code",)),
    "spell": Piece("the state as one line of text", STATE, "its fields", called=("code",)),
    "spelled": Piece(
        "the fields that the text of one field means", (*PARAMETERS, "field", "text"), "none", called=("field", "text")
    ),
    "WORDS": Piece("by field, the words for its values", default="none"),
    "FIELDS": Piece(
        "by field, its name for people, such as {'public': 'the public card'}; empty for one that they are not told of",
        default="from its name: blocks0 is player 0's blocks",
    ),
    "words": Piece("the same, if they depend on the parameters", PARAMETERS, "WORDS"),
    "GROUPED_BY": Piece("the fields by which a report on all states counts them", default="none"),
    "kinds": Piece(
        "by field, words under which values that a player does not see count as one, such as the ranks of cards",
        PARAMETERS,
        "none",
    ),
    "LABELS": Piece("the names of the actions for people", default="ACTIONS"),
    "action_label": Piece(
        "the name of an action in the state, such as check or call",
        (*STATE, "action"),
        "that of LABELS",
        called=("code", "action"),
    ),
    "why_not": Piece("why an action is not legal", (*STATE, "action"), "empty", called=("code", "action")),
    "PLAYERS": Piece("the names of the players", default="player 0 and player 1"),
    "CHARACTERS": Piece(
        "by title, what an opponent prefers, in order: {'Never folds': ('check', 'call')}",
        default="none",
    ),
    "SHORT": Piece("a person's parameters unless others are chosen, such as {'rounds': 20}", default="none"),
}

SIGNATURES = {name: piece.signature for name, piece in PIECES.items() if piece.signature is not None}
SIGNATURES["checked_step"] = SIGNATURES["step"]  # with the result CHECKED, for proofs and measures
INDEX = ("index", "code_at", "layer_sizes", "num_states")
