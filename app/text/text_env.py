"""A match in words as a Gymnasium environment: observations and actions are texts."""

from typing import Any

import gymnasium
from gymnasium import spaces

from nashzoo.app.text.match import Matches, ScoredMatch
from nashzoo.arena.records import TRUNCATED
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_reset_options

LONGEST = 100_000  # characters of a text
CHARACTERS = "\n\t" + "".join(filter(str.isprintable, map(chr, range(0x3000))))
RANDOM = "random"


class TextEnv(gymnasium.Env[str, str]):
    """A match in words against an opponent.

    The observation is what the player reads before a choice: rules, what happened, what it sees, its legal actions. The
    action is its answer, see :func:`nashzoo.envs.text.answers.parse_action`. After an answer that names no legal action
    a sentence on it stands before the observation. The rewards of a match add up to the one chosen. With figures on the
    play so far, ``info`` is that of :meth:`nashzoo.app.text.match.ScoredMatch.metrics`.

    Args:
        game: A game, or its name.
        opponent: The opponent, see :func:`nashzoo.agents.as_agent`.
        player: The learner's seat, 0, 1, or ``"random"`` for a new draw in every match.
        **options: As in :class:`nashzoo.app.text.match.Matches`.

    Raises:
        UsageError: as there; or the opponent is ``"self"``, or there is no such seat.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  # Gymnasium's own shape

    def __init__(self, game: Any, opponent: Any = "nash", player: int | str = 0, **options: Any) -> None:
        self.matches = Matches(game, opponent, **options)
        if self.matches.opponent is None:
            raise UsageError("this environment has one learner; name an opponent other than self")
        if player not in (0, 1, RANDOM):
            raise UsageError(f"player must be 0, 1 or 'random', not {player!r}")
        self.player = player
        self.observation_space = spaces.Text(LONGEST, charset=CHARACTERS)
        self.action_space = spaces.Text(LONGEST, min_length=0, charset=CHARACTERS)
        self._match: ScoredMatch | None = None
        self._paid = 0.0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begins a match; returns observation and info. The same seed gives the same matches.

        Raises:
            UsageError: there are options.
        """
        check_reset_options(options)
        super().reset(seed=seed)
        seat = int(self.np_random.integers(2)) if self.player == RANDOM else int(self.player)
        self._match, self._paid = self.matches.begin(self.np_random, seat), 0.0
        return self._seen(self._match)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Takes an answer; returns observation, reward, terminated, truncated and info.

        Raises:
            UsageError: the answer is no text, the match has ended, or none has begun.
        """
        if not isinstance(action, str):
            raise UsageError(f"an answer is a text, not {action!r}")
        if self._match is None:
            raise UsageError("no match has begun; call reset first")
        self._match.answer(action)
        before, self._paid = self._paid, self._match.score(*self._match.seats)
        truncated = self._match.live.ended == TRUNCATED
        over = self._match.asked is None
        seen, info = self._seen(self._match)
        return seen, self._paid - before, over and not truncated, truncated, info

    def _seen(self, match: ScoredMatch) -> tuple[str, dict[str, Any]]:
        """Returns observation and info."""
        metrics = match.metrics(*match.seats)
        if match.asked is None:
            return f"The match has ended. {match.result(*match.seats).capitalize()}.", metrics
        return "\n\n".join(filter(None, (match.correction, match.situation()))), metrics
