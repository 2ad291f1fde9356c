"""Tables of probabilities by what a player sees, under somebody's own names for it.

A *key* is the name of an information set: of all states that the player to move cannot tell apart; where nothing is
hidden, of a state. A key is a text, a number, the observation as a tuple, or its bytes. How texts are made is found out
by the keys themselves, or said by a template: ``{card}{history:pb}`` is the player's own card, a field of the state,
and all actions so far, ``p`` for action 0 and ``b`` for action 1. Letters for a field are those of its values.
"""

import contextlib
import itertools
import string
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import counted
from nashzoo.envs.core import kernels
from nashzoo.envs.core.agent import SUM_TOLERANCE, PolicyAgent
from nashzoo.envs.core.game import CHANCE, Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.reachable import moves_of

KEPT = 4  # games whose decisions are kept
SHOWN = 3  # examples in a sentence
ROUNDED = 0.01  # by which probabilities of few decimals may differ from 1 in sum
MOST_HISTORIES = 50_000  # that are written out for a template
SEATS = {"player_0": 0, "player_1": 1}  # keys of a table for each seat
SEPARATORS = "", " ", ":", "-", "|", "/", ","  # that are tried between a card and the actions
TYPES = np.float32, np.float64, np.int8, np.int64  # of observations whose bytes are keys
DEALT = -1  # what chance did, among the actions of a history


class Decision(NamedTuple):
    """Where a player chooses."""

    player: int
    code: int  # the information state


@lru_cache(KEPT)
def decisions(game: Game) -> tuple[Decision, ...]:
    """Returns all information states in order; in a symmetric game those of player 0, as which both observe."""
    found, codes = [], ListedStates(game).codes
    for player in (0,) if game.symmetric else (0, 1):
        moves = moves_of(game, codes, player)
        views = np.empty(len(moves), np.int64)
        kernels.information_states(game.compiled, moves, player, views)
        found += [Decision(player, code) for code in np.unique(views).tolist()]
    return tuple(found)


@lru_cache(KEPT)
def histories(game: Game) -> dict[Decision, set[tuple[int, ...]]]:
    """Returns the actions of both players that lead to each information state, and ``DEALT`` where chance was between.

    Raises:
        UsageError: there are too many.
    """
    found: dict[Decision, set[tuple[int, ...]]] = {}
    todo: list[tuple[int, tuple[int, ...]]] = [(code, ()) for code in game.start_codes.tolist()]
    known = set(todo)
    while todo:
        code, word = todo.pop()
        if game.turn(code) == CHANCE:
            marked = (*word, DEALT) if word and word[-1] != DEALT else word
            after = [(int(outcome), marked) for outcome in game.outcomes(code)[0]]
        else:
            movers = game.movers(code)
            for player in movers:
                found.setdefault(Decision(player, game.information_state(code, player)), set()).add(word)
            pairs = itertools.product(*(game.legal_actions(code, player) for player in range(2)))
            after = [(game.step(code, *pair), (*word, *(pair[player] for player in movers))) for pair in pairs]
        fresh = [each for each in after if each not in known and not game.terminal(each[0])]
        known.update(fresh)
        todo += fresh
        if len(known) > MOST_HISTORIES:
            raise UsageError(f"{game.name} has more than {MOST_HISTORIES:,} histories, too many to name")
    return found


def _history(game: Game, at: Decision, letters: str) -> str:
    words = histories(game)[at]
    letters = letters or "".join(name[0].lower() for name in game.actions)
    if len(set(letters)) < len(letters) or len(letters) < game.num_actions:
        raise UsageError(f"{{history:{letters}}} needs a letter for each of {', '.join(game.actions)}")
    if len(words) > 1:
        raise UsageError(f"player {at.player} does not see all actions at {game.spell(at.code, [at.player])}")
    between = letters[game.num_actions :]  # a further letter is for chance
    return "".join(between if action == DEALT else letters[action] for action in min(words))


def _field(game: Game, at: Decision, name: str, letters: str) -> str:
    state = game.state(at.code)
    own = f"{name}{at.player}" if hasattr(state, f"{name}{at.player}") else name
    if not hasattr(state, own):
        raise UsageError(f"{game.name} has no field {name}; it has history, player, {', '.join(state._fields)}")
    value, most = int(getattr(state, own)), int(getattr(game.field_maxima, own))
    if not letters:
        return str(value)
    if len(letters) not in (most, most + 1):
        raise UsageError(f"{{{name}:{letters}}} needs {most} letters for 1 to {most}, or one more with that of 0")
    least = most + 1 - len(letters)
    return letters[value - least] if value >= least else ""


def _filled(template: str, game: Game, at: Decision) -> str:
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        raise UsageError(f"{template!r} is no template such as '{{card}}{{history:pb}}': {error}") from None
    key = ""
    for text, name, letters, _ in parts:
        key += text
        if name == "history":
            key += _history(game, at, letters or "")
        elif name is not None:
            key += str(at.player) if name == "player" else _field(game, at, name, letters or "")
    return key


def _label(game: Game, at: Decision) -> str:
    if not has_labels(game):
        raise UsageError(f"{game.name} has no labels")
    return str(game.rules.written.label(at.code, at.player))


def has_labels(game: Game) -> bool:
    """Returns whether a game is made of a file that has names of its own."""
    return hasattr(game.rules.written, "label")


def place(game: Game, player: int, code: int) -> str:
    """Returns where a player chooses in words: by its name in the file of the game, or the fields that are seen."""
    if has_labels(game) and "\n" not in (name := _label(game, Decision(player, code))):
        return name
    return game.spell(code, [player] if game.hides else (0, 1))


NAMINGS: dict[str, Callable[[Game, Decision], Hashable]] = {
    "text": lambda game, at: game.text(at.code, [at.player]),
    "line": lambda game, at: " ".join(game.text(at.code, [at.player]).splitlines()),
    "label": _label,
    "fields": lambda game, at: game.spell(at.code, [at.player]),
    "code": lambda game, at: str(at.code),
    "observation": lambda game, at: tuple(game.observe(at.code, at.player).tolist()),
} | {
    f"bytes of {kind.__name__}": lambda game, at, kind=kind: game.observe(at.code, at.player).astype(kind).tobytes()
    for kind in TYPES
}


def _cards(game: Game) -> list[str]:
    """Returns the fields of the state that each player has, and alone sees, by their names without the player."""
    fields = game.state(int(game.start_codes[0]))._fields
    seen = game.spell(decisions(game)[0].code, [0]).split(",")
    return [name[:-1] for name in fields if name[-1] == "0" and f"{name[:-1]}1=?" in seen]


def _namings(game: Game, keys: Iterable[Any]) -> list[str]:
    """Returns the ways in which keys of this kind may be made."""
    kinds = {type(key) for key in keys}
    if kinds <= {bytes}:
        return [name for name in NAMINGS if name.startswith("bytes")]
    if kinds <= {tuple}:
        return ["observation"]
    templates = []
    with contextlib.suppress(UsageError):  # there are too many histories to name
        for card in _cards(game):
            histories(game)
            most = getattr(game.field_maxima, f"{card}0")
            lettered = [":" + letters for letters in (string.digits[:most], "JQK") if len(letters) == most]
            templates += [f"{{{card}{letters}}}{mark}{{history}}" for letters in ["", *lettered] for mark in SEPARATORS]
    return ["text", "line", "label", "fields", "code", *templates]


class _Key(NamedTuple):
    """A key of a table, of one seat if it says so."""

    player: int | None
    key: Hashable


def _key(key: Any, player: int | None = None) -> _Key:
    if player is None and isinstance(key, tuple) and len(key) == 2 and isinstance(key[1], str) and key[0] in (0, 1):
        player, key = key
    if isinstance(key, int | np.integer | str):
        key = str(key)
    if not isinstance(key, str | tuple | bytes):
        raise UsageError(f"a key is a text, a number, an observation as a tuple, or its bytes, not {key!r}")
    return _Key(player, key)


def _naming(name: str) -> Callable[[Game, Decision], Hashable]:
    """Returns the function that names decisions, for one of ``NAMINGS`` or a template."""
    return NAMINGS.get(name) or partial(_filled, name)


def _places(game: Game, naming: str, keys: Sequence[_Key], seat: int) -> tuple[tuple[int, ...], ...]:
    """Returns the numbers of the decisions that each key is the name of; of a seat, in a symmetric game."""
    name = _naming(naming)
    found: dict[_Key, list[int]] = {}
    for number, at in enumerate(decisions(game)):
        if seat and game.symmetric:
            at = Decision(1, int(game.swap_players(np.array([at.code]))[0]))
        own = name(game, at)
        for player in (None, at.player):
            found.setdefault(_Key(player, own), []).append(number)
    return tuple(tuple(found.get(key, ())) for key in keys)


def _matched(game: Game, keys: Sequence[_Key], said: str | None, seat: int) -> tuple[str, tuple[tuple[int, ...], ...]]:
    """Returns the way in which most keys are made, ``said`` or found out, and the decisions that each is the name of.

    Raises:
        UsageError: there is none, or two ways by which they mean different decisions.
    """
    best: dict[tuple[tuple[int, ...], ...], str] = {}
    most = 1
    for naming in _namings(game, [key.key for key in keys]) if said is None else [said]:
        try:
            places = _places(game, naming, keys, seat)
        except UsageError:  # players of this game do not see all actions, or these have no letters
            if said is not None:
                raise
            continue
        if (hits := sum(map(bool, places))) > most:
            best, most = {}, hits
        if hits == most:
            best.setdefault(places, naming)
    if not best:
        at = decisions(game)[0]
        examples = " or ".join(repr(_naming(name)(game, at)) for name in ([said] if said else ["text", "fields"]))
        raise UsageError(
            f"no key, such as {keys[0].key!r}, names what a player of {game.name} sees, such as {examples}" + _how(game)
        )
    (found, naming), *others = best.items()
    for places, other in others:
        k = next(k for k, place in enumerate(found) if place != places[k])
        meant = [_sets(game, each[k]) or "none" for each in (found, places)]
        raise UsageError(
            f"the key {keys[k].key!r} is {meant[0]} if keys are made by {naming!r}, and {meant[1]} by {other!r}: say "
            "which, as key=..."
        )
    return naming, found


def _how(game: Game) -> str:
    """Returns how to say the way in which names are made, with a template for the game; empty if it has none."""
    at, letters = max(decisions(game)), "".join(dict.fromkeys(name[0].lower() for name in game.actions))
    templates = [f"{{{field}}}" for field in game.state(at.code)._fields if field != "number"][:1]  # that of a file
    for card in _cards(game)[:1]:
        values = string.ascii_uppercase[: getattr(game.field_maxima, f"{card}0")]
        templates = [f"{{{card}:{values}}}:{{history:{letters}}}", f"{{{card}:{values}}}"]
    for template in templates:
        with contextlib.suppress(UsageError):
            return (
                f"; key={template!r} (which makes {_filled(template, game, at)!r}) says how names are made of fields "
                "of the state and letters for the actions; on the command line it follows --option"
            )
    return ""


def _sets(game: Game, places: Sequence[int]) -> str:
    at = [decisions(game)[place] for place in places[:SHOWN]]
    more = " and others" * (len(places) > SHOWN)
    return "; ".join(f"player {each.player} at {game.spell(each.code, [each.player])}" for each in at) + more


class Findings(NamedTuple):
    """What a table says of a game, and what it does not."""

    naming: str  # how its keys are made
    keys: int
    information_sets: int
    missing: list[str]  # keys that it lacks, or what is seen there
    unknown: list[str]  # keys that are no information set
    forgets: list[str]  # keys of several information sets, and these
    rounded: list[str]  # keys whose probabilities are divided by a sum that is not quite 1


class KeyedPolicy(PolicyAgent):
    """A table of probabilities by key as a policy.

    A row is a probability for each legal action, or for each action of the game, in order; or a dictionary by the
    names of actions, their beginnings, or their numbers. Where one action is legal, no row is needed.

    Args:
        rows: The table; a dictionary, of one for each seat (``"player_0"``, ``"player_1"``); or pairs.
        key: How keys are made, a template or one of ``NAMINGS``; found out when None.
        missing: ``"uniform"``: where the table has no row all legal actions have the same probability.
        locks: The seat that few rows are for, see :func:`nashzoo.baselines.solve`; in a symmetric game they are else
            for player 0, and for player 1 in the mirrored state.

    Attributes:
        findings: What was found.
        complete: Whether there are all rows, by player.

    Raises:
        UsageError: the keys are not those of the game, or have two meanings; a key stands there twice; or a row is no
            distribution over the legal actions.
    """

    def __init__(
        self,
        rows: Any,
        game: Game,
        seed: int | None = None,
        *,
        key: str | None = None,
        missing: str | None = None,
        locks: int = 0,
    ) -> None:
        super().__init__(game, seed)
        if missing not in (None, "uniform"):
            raise UsageError(f"missing must be 'uniform', or is left out, not {missing!r}")
        if key is not None and key not in NAMINGS and "{" not in str(key):
            raise UsageError(
                f"key must be a template such as '{{card}}{{history:pb}}', or {', '.join(NAMINGS)}, not {key!r}"
            )
        known: dict[_Key, Any] = {}
        for one, row in _pairs(rows):
            if one in known and not np.array_equal(known[one], row):
                raise UsageError(f"the key {one.key!r} stands there twice, with {known[one]} and {row}")
            known[one] = row
        if not known:
            raise UsageError("the table is empty")
        everywhere = decisions(game)
        choices = sum(len(game.legal_actions(at.code, at.player)) > 1 for at in everywhere)
        naming, places = _matched(game, list(known), key, locks if len(known) < choices else 0)
        self._name = _naming(naming)
        self._numbers = {at: number for number, at in enumerate(everywhere)}
        self._table = np.full((len(everywhere), game.num_actions), np.nan)
        names = {str(name).strip() for row in known.values() if isinstance(row, Mapping) for name in row}
        numbered = any(name.isdigit() and name not in game.actions for name in names)
        faults, rounded = [], []
        for (one, said), numbers in zip(known.items(), places, strict=True):
            try:
                for number in numbers:
                    row = _row(game, everywhere[number], said, numbered)
                    rounded += [str(one.key)] * bool(abs(row.sum() - 1.0) > SUM_TOLERANCE)
                    row /= row.sum()
                    if not np.isnan(self._table[number, 0]) and not np.array_equal(self._table[number], row):
                        raise UsageError("is another key of an information set that has a row already")
                    self._table[number] = row
            except UsageError as error:
                faults.append(f"{one.key!r} {error}")
        if faults:
            more = f"; and {len(faults) - SHOWN:,} more" if len(faults) > SHOWN else ""
            raise UsageError(f"the table is no policy of {game.name}: {'; '.join(faults[:SHOWN])}{more}")
        lacking = []
        for number in np.flatnonzero(np.isnan(self._table[:, 0])).tolist():
            legal = game.legal_actions(everywhere[number].code, everywhere[number].player)
            if len(legal) == 1 or missing:
                self._table[number] = np.isin(np.arange(game.num_actions), legal) / len(legal)
            if len(legal) > 1:
                lacking.append(everywhere[number])
        found = [(one.key, where) for one, where in zip(known, places, strict=True)]
        self.findings = Findings(
            naming,
            len(known),
            len(everywhere),
            [self.key_of(*at) for at in lacking],
            [str(one) for one, where in found if not where],
            [f"{one!r} is {_sets(game, where)}" for one, where in found if len(where) > 1],
            list(dict.fromkeys(rounded)),
        )
        seats = {at.player for at in lacking if not missing}
        self.complete = (not seats, not seats) if game.symmetric else (0 not in seats, 1 not in seats)

    def key_of(self, player: int, code: int) -> str:
        """Returns the key of an information state."""
        return str(self._name(self.game, Decision(player, code)))

    def rows_of(self, observations: Features, action_masks: Mask) -> tuple[Floats, Ints]:
        """Returns the rows ``[B, actions]``, nan where the table has none, and the numbers of the decisions ``[B]``."""
        codes, players = self.states_of(observations)
        everywhere = zip(players.tolist(), codes.tolist(), strict=True)
        numbers = np.array([self._numbers.get(Decision(*at), -1) for at in everywhere])
        return np.where((numbers >= 0)[:, None], self._table[numbers], action_masks), numbers  # elsewhere it waits

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the table's rows ``[B, actions]``.

        Raises:
            UsageError: it has none.
        """
        rows, numbers = self.rows_of(observations, action_masks)
        lacking = np.flatnonzero(np.isnan(rows[:, 0]))
        if len(lacking):
            at, lacks = numbers[lacking[0]], self.findings.missing
            examples = ", ".join(map(repr, lacks[:SHOWN])) + ", ..." * (len(lacks) > SHOWN)
            others = [f", and the key {key!r} is no information set" for key in self.findings.unknown[:1]]
            others += [_how(self.game)] * bool(others)
            raise UsageError(
                f"the table has no row for {counted(len(lacks), 'information set')} of {len(self._table):,} "
                f"({examples}), among them {_sets(self.game, [int(at)])}{''.join(others)}; missing=uniform plays all "
                "actions alike there"
            )
        return rows


def _pairs(rows: Any) -> list[tuple[_Key, Any]]:
    """Returns the keys and rows of a table, or of one for each seat."""
    if not isinstance(rows, Mapping):
        return [(_key(key), row) for key, row in rows]
    if rows and all(name in SEATS and isinstance(part, Mapping) for name, part in rows.items()):
        return [(_key(key, SEATS[name]), row) for name, part in rows.items() for key, row in part.items()]
    return [(_key(key), row) for key, row in rows.items()]


def _row(game: Game, at: Decision, said: Any, numbered: bool) -> Floats:
    """Returns the probabilities of a row ``[actions]``, whose sum may differ from 1 by rounding.

    Raises:
        UsageError: what is wrong with it.
    """
    legal = game.legal_actions(at.code, at.player)
    names, row = ", ".join(game.actions[action] for action in legal), np.zeros(game.num_actions)
    try:
        numbers = np.array([*said.values()] if isinstance(said, Mapping) else said, np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"has {said}, which are no numbers") from None
    actions = list(range(len(row)) if numbers.shape == row.shape else legal)
    if isinstance(said, Mapping):
        found = {name: _action(game, legal, str(name).strip(), numbered) for name in said}
        if unknown := [name for name, action in found.items() if action is None]:
            raise UsageError(f"has the action {unknown[0]!r}; legal are {names}")
        actions = [action for action in found.values() if action is not None]
    if numbers.shape != (len(actions),):
        raise UsageError(f"has {said}: a probability for each of {names}")
    np.add.at(row, actions, numbers)
    if not (row >= 0.0).all():
        raise UsageError(f"has {said}, which are not all numbers of at least 0")
    if illegal := [game.actions[action] for action in np.flatnonzero(row) if action not in legal]:
        raise UsageError(f"has the illegal action {illegal[0]}; legal are {names}")
    if abs(row.sum() - 1.0) > ROUNDED + SUM_TOLERANCE:
        raise UsageError(f"has probabilities that add up to {row.sum():.6g}, not 1")
    return row


def _action(game: Game, legal: Sequence[int], name: str, numbered: bool) -> int | None:
    """Returns the legal action of a name, of the beginning of one, or of a number; None if there is not just one.

    If the table has numbers that are no names, it is ``numbered``: then all its numbers are those of actions.
    """
    if numbered and name.isdigit():
        return int(name) if int(name) in legal else None
    names, text = {action: game.actions[action] for action in legal}, name.lower()
    fitting = (
        [action for action, full in names.items() if full == name],
        [action for action, full in names.items() if full.lower() == text],
        [action for action, full in names.items() if text and full.lower().startswith(text)],
    )
    found = next(filter(None, fitting), [])
    return found[0] if len(found) == 1 else None
