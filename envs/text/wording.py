"""The words of a game: its rules, states and steps, as its rules file has them, or in the disguise of invented words.

A disguise exchanges every word that tells which game it is: those of the actions, the fields and the players, and those
in braces in ``rules_text``. Only words change. Numbers, coordinates such as ``b2`` and the symbols of a board stay. A
disguised step is told by the names of the actions, as the view's words for it are part of the story.
"""

import hashlib
import inspect
import itertools
import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import counted
from nashzoo.envs.core.game import Game
from nashzoo.envs.drawing.view import View
from nashzoo.envs.text.steps import Step, described, seen_by, step_lines

BRACES = re.compile(r"\{([^{}\n]*)\}")
LETTER = r"[^\W\d_]"
WORD = re.compile(rf"\b{LETTER}+\b")  # a word by itself: neither the b of b2 nor the x of 2x3
PART = re.compile(rf"{LETTER}+")  # of a name such as head_attack0
ENDINGS = ("s", "es", "ed", "er", "ers", "ing")
PLAYER = "player"  # the word that stays

FIRST = ("bel", "dor", "fen", "gal", "kam", "lor", "mip", "nav", "pol", "rud", "sil", "tov", "vam", "wex", "yol", "zan")
SECOND = ("ba", "dre", "fi", "go", "ket", "lun", "mo", "nik", "pra", "tur", "vok", "zim")
INVENTED = tuple(map("".join, itertools.product(FIRST, SECOND)))  # none is another one with an ending


class Wording:
    """A game in the words of its rules file.

    Attributes:
        actions: The names of the actions.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.actions: tuple[str, ...] = game.actions

    @cached_property
    def rules(self) -> str:
        """The rules of the game, and those of every match."""
        game = self.game
        both = f"Both players get {counted(game.constant_sum, 'point')} in all."
        every = both if game.constant_sum else "What one player wins, the other loses."
        every += (
            " Only a legal action can be chosen. "
            f"A match is cut off after {counted(game.max_cycles, 'time step')}; the points won until then count."
        )
        return f"{self.filled(game.view.rules_text(game.params) or known_rules(game)).strip()}\n{every}"

    def filled(self, text: str) -> str:
        """Returns a text without its braces."""
        return BRACES.sub(r"\1", text)

    def introduction(self, player: int) -> str:
        """Returns a sentence on the seat of a player."""
        return self.renamed(View.introduction(self.game.view, self.game.params, player))

    def state(self, code: int, player: int) -> str:
        """Returns what a player sees of a state, and the meaning of its symbols."""
        seen = self.game.text(seen_by(self.game, code, [player]), [player])
        return self.renamed("\n".join(filter(None, (seen, self.game.legend(player)))))

    def step(self, step: Step, player: int) -> list[str]:
        """Returns what a player sees of a time step, in lines."""
        return step_lines(self.game, step, [player], fields=True)

    def renamed(self, text: str) -> str:
        """Returns a text of the game in these words."""
        return text


class Disguise(Wording):
    """A game in invented words, see :func:`disguise`.

    Attributes:
        words: The invented word for each word of the game.
    """

    def __init__(self, game: Game, seed: int) -> None:
        super().__init__(game)
        known = sorted(vocabulary(game))
        if len(known) > len(INVENTED):
            raise UsageError(f"{game.name} has {len(known)} words, more than the {len(INVENTED)} that are invented")
        self.words = dict(zip(known, in_random_order(INVENTED, seed), strict=False))
        self._originals = {invented: word for word, invented in self.words.items()}
        self.actions = tuple(map(self.renamed, game.actions))

    def filled(self, text: str) -> str:
        """Returns a text with what is in braces renamed, and without the braces."""
        return BRACES.sub(lambda braces: self.renamed(braces[1]), text)

    def step(self, step: Step, player: int) -> list[str]:
        """Returns the actions of a time step and the reward, as far as a player sees them, in lines."""
        line = described(self.game, step, [player], by_name=True)
        return [self.renamed(line)] if line else []

    def renamed(self, text: str) -> str:
        """Returns a text with all words of the game exchanged, also with endings: ``blocked`` with ``Block``."""
        return exchanged(text, self.words)

    def restored(self, text: str) -> str:
        """Returns the text that was renamed."""
        return exchanged(text, self._originals)


def disguise(game: Game, seed: int) -> Disguise:
    """Returns the same game in invented words, drawn by the seed; the same ones on every computer.

    Raises:
        UsageError: the game has no ``rules_text``, or a word of the game is there outside of braces.
    """
    if not game.view.rules_text(game.params):
        raise UsageError(f"{game.name} has no rules_text, and other texts do not say which words tell its story")
    if problem := words_outside_braces(game):
        raise UsageError(f"{game.name}: {problem}")
    return Disguise(game, seed)


def known_rules(game: Game) -> str:
    """Returns what is known of a game without ``rules_text``.

    It is the text at the head of its file, who chooses, the actions, the fields, and which of them are hidden.
    """
    written, players = game.rules.written, game.view.PLAYERS
    about = inspect.cleandoc(game.rules.__doc__ or "")
    ranges = [f"{{{field}}} (0 to {most})" for field, most in game.field_maxima._asdict().items()]
    hidden = [
        f"{players[player]} does not see {{{field}}}."
        for field, seats in getattr(written, "SEEN_BY", {}).items()
        for player in sorted({0, 1} - set(seats))
    ]
    lines = [
        about.split("\n\nSource")[0],
        "One player chooses at a time." if game.turn_based else "Both players choose at the same time.",
        f"The actions are {', '.join(f'{{{name}}}' for name in game.actions)}.",
        f"The fields of a state are {', '.join(ranges)}.",
        *hidden,
    ]
    return "\n".join(filter(None, lines))


def vocabulary(game: Game) -> set[str]:
    """Returns the words of a game, in small letters; single letters as they are.

    Those of fields and of the story are without the s of a plural, but where an action or a player has it.
    """
    named = WORD.findall(" ".join((*game.actions, *game.view.PLAYERS)))
    names = {word if len(word) == 1 else word.lower() for word in named}
    braces = " ".join(BRACES.findall(game.view.rules_text(game.params)))
    others = {word.lower() for word in (*PART.findall(" ".join(game.state(0)._fields)), *WORD.findall(braces))}
    return (names | {_singular(word) for word in others - names if len(word) > 1}) - {PLAYER}


def words_outside_braces(game: Game) -> str:
    """Returns a sentence on the words of a game that stand outside of braces in ``rules_text``; empty without any."""
    text = BRACES.sub("", game.view.rules_text(game.params))
    outside = {match[0] for match in _pattern(tuple(sorted(vocabulary(game)))).finditer(text)}
    return (
        f"rules_text has {', '.join(sorted(outside))} outside of braces, which a disguise would show" if outside else ""
    )


def in_random_order(words: Iterable[str], seed: int) -> list[str]:
    """Returns the words in an order that the seed alone determines."""
    return sorted(words, key=lambda word: hashlib.sha256(f"{seed} {word}".encode()).digest())


def exchanged(text: str, words: Mapping[str, str]) -> str:
    """Returns the text with words exchanged, also within names such as ``hits0``; endings and capitals stay.

    >>> exchanged("Attack: player 0 attacked, hits0=1", {"attack": "belba", "hit": "dorfi"})
    'Belba: player 0 belbaed, dorfis0=1'
    """

    def other(match: re.Match[str]) -> str:
        stem = match[1]
        new = words.get(stem) or words[stem.lower()]
        return (new.capitalize() if stem[0].isupper() else new) + (match[2] or "")

    return _pattern(tuple(words)).sub(other, text)


@lru_cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Returns the pattern of any of the words, first its stem and then an ending."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    stems = "|".join(word if len(word) == 1 else f"(?i:{word})" for word in longest_first) or r"(?!)"
    return re.compile(rf"(?<!{LETTER})({stems})({'|'.join(ENDINGS)})?(?!{LETTER})")


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else word
