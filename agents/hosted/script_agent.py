"""Hosted third-party players of Roshambo: scripts for rpscontest.com or Kaggle, and OpenSpiel's bots."""

import logging
import os
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.agents.basic.checks import check_positive
from nashzoo.agents.hosted.script_process import Forfeit, HostedMatch, Limits
from nashzoo.agents.hosted.script_source import format_of, missing_module
from nashzoo.agents.hosted.script_worker import not_installed
from nashzoo.envs.base.errors import MissingPackageError, UsageError
from nashzoo.envs.core.agent import NO_ACTION, Agent
from nashzoo.envs.core.checks import check_count, check_one_of
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.games.roshambo import rules as roshambo

FORMATS = {  # with the limits of the original platforms
    "rpscontest": Limits(match_seconds=5, move_seconds=None, megabytes=1024),
    "kaggle": Limits(match_seconds=None, move_seconds=1.0, megabytes=1024),
}
OPENSPIEL_LIMITS = Limits(match_seconds=60, move_seconds=None, megabytes=4096)

LOGGER = logging.getLogger("nashzoo")
TOLD = 3  # forfeits of a player that are logged

MOST_MATCHES = 64  # processes at a time


class HostedAgent(Agent):
    """A player in processes of its own, one for each running match.

    A player that crashes, hangs or returns an invalid answer plays the illegal action -1 from then on, which loses the
    game; ``forfeits`` contains the causes.

    Args:
        game: A game of three throws.
        seed: As for every player. The hosted player's own generator is seeded from the uniform numbers of ``act``.
        task: ``format`` and ``name`` of the hosted player.
        limits: Its limits.

    Attributes:
        forfeits: A line for each forfeit: the player, the round and the cause.

    Raises:
        UsageError: the game has not three throws.
        OSError: the operating system is Windows.
    """

    memory_size = 1  # the number of the match, 0 before it begins
    most_games = MOST_MATCHES
    takes_back = False

    def __init__(self, game: Game, seed: int | None, task: dict[str, Any], limits: Limits) -> None:
        super().__init__(game, seed)
        if game.name != roshambo.NAME or game.actions != roshambo.ACTIONS:
            raise UsageError(f"hosted players throw rock, paper or scissors; they do not play {game}, as FILE:NAME may")
        if not hasattr(os, "fork"):
            raise OSError("players in processes of their own need Linux or macOS; this is another operating system")
        self.limits = limits
        self.forfeits: list[str] = []
        self._task = {**task, "rounds": game.options["rounds"]}
        self.name = Path(task["name"]).name
        self._matches: dict[int, HostedMatch] = {}
        self._begun = 0
        self._end = weakref.finalize(self, _close_all, self._matches)

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Sends the questions to all processes, and then reads the answers.

        Raises:
            UsageError: there are more games than processes allowed.
        """
        if len(observations) > self.most_games:
            raise UsageError(f"{self.name} is hosted at up to {self.most_games} games at once, not {len(observations)}")
        codes, _ = self.states_of(observations)
        begun = set()
        for row, uniform in enumerate(uniforms[:, 0]):
            if memory[row, 0] == 0:
                memory[row, 0] = self._begin(int(uniform * 2**53))
                begun.add(memory[row, 0])
        self._drop_abandoned(set(memory[:, 0].astype(int)))
        for number, code in zip(memory[:, 0], codes, strict=True):
            if number in self._matches:
                state = self.game.rules.decode(int(code))
                # A game may start in the middle: its player does not get the throws before.
                self._matches[number].ask(None if number in begun else int(state.recalled % 3))
        actions = np.full(len(codes), NO_ACTION, np.int64)
        for row, (number, code) in enumerate(zip(memory[:, 0], codes, strict=True)):
            if number in self._matches:
                actions[row] = self._answer(int(number), int(self.game.rules.decode(int(code)).played))
        return actions, memory

    def close(self) -> None:
        """Ends all processes."""
        _close_all(self._matches)

    def _begin(self, seed: int) -> int:
        self._begun += 1
        self._matches[self._begun] = HostedMatch({**self._task, "seed": seed}, self.limits)
        return self._begun

    def _answer(self, number: int, played: int) -> int:
        match = self._matches[number]
        action = NO_ACTION
        try:
            action = match.answer()
        except Forfeit as cause:
            self.forfeits.append(f"{self.name} lost a match in round {played + 1}: {cause}")
            if len(self.forfeits) <= TOLD:
                LOGGER.warning(self.forfeits[-1])
        if action == NO_ACTION or played + 1 == self.game.options["rounds"]:
            self._matches.pop(number).close()
        return action

    def _drop_abandoned(self, asked: set[int]) -> None:
        """Ends the oldest unfinished matches if there are more than allowed."""
        abandoned = [number for number in self._matches if number not in asked]
        for number in abandoned[: max(0, len(self._matches) - self.most_games)]:
            self._matches.pop(number).close()


class ScriptAgent(HostedAgent):
    """A script for rpscontest.com or Kaggle.

    Args:
        file: The script.
        format: ``"rpscontest"`` or ``"kaggle"``; detected from the script's text when None.
        cpu_seconds: CPU time, for a match (rpscontest) or a move (Kaggle); the platform's limit when None.
        megabytes: Memory.

    Raises:
        FileNotFoundError: there is no such file.
        MissingPackageError: the script imports a module that is not installed.
        UsageError: an option has a value it cannot have.
    """

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        *,
        file: str | Path,
        format: str | None = None,
        cpu_seconds: float | None = None,
        megabytes: int = 1024,
    ) -> None:
        path = Path(file).resolve()
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {file}")
        source = path.read_bytes()
        chosen = format_of(source) if format is None else check_one_of("format", format, FORMATS)
        usual = FORMATS[chosen]
        match_seconds, move_seconds = usual.match_seconds, usual.move_seconds
        if cpu_seconds is not None and match_seconds is not None:
            match_seconds = check_count("cpu_seconds", cpu_seconds)
        elif cpu_seconds is not None:
            move_seconds = check_positive("cpu_seconds", cpu_seconds)
        limits = Limits(match_seconds, move_seconds, check_count("megabytes", megabytes))
        missing = missing_module(source, str(path.parent))
        if missing is not None:
            raise MissingPackageError(f"{path.name} cannot play: {not_installed(missing)}")
        super().__init__(game, seed, {"format": chosen, "name": str(path)}, limits)


class OpenSpielAgent(HostedAgent):
    """One of the bots that come with OpenSpiel, most of them from the competitions of 1999 and 2000.

    Args:
        game: The game, with at least as many rounds as the bot needs.
        bot: Its name, one of :func:`openspiel_bots`.

    Raises:
        MissingPackageError: OpenSpiel is not installed.
        UsageError: there is no such bot.
    """

    def __init__(self, game: Game, seed: int | None = None, *, bot: str = "greenberg") -> None:
        known = openspiel_bots()
        if bot not in known:
            raise UsageError(f"OpenSpiel has no bot {bot!r}; it has {', '.join(known)}")
        super().__init__(game, seed, {"format": "openspiel", "name": bot}, OPENSPIEL_LIMITS)


def openspiel_bots() -> tuple[str, ...]:
    """Returns the names of OpenSpiel's bots.

    Raises:
        MissingPackageError: OpenSpiel is not installed.
    """
    try:
        import pyspiel
    except ImportError as error:
        raise MissingPackageError(
            "OpenSpiel's bots need OpenSpiel: pip install '.[openspiel]' in nashzoo's folder"
        ) from error
    return tuple(sorted(pyspiel.roshambo_bot_names()))


def _close_all(matches: dict[int, HostedMatch]) -> None:
    for match in matches.values():
        match.close()
    matches.clear()
