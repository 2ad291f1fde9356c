"""A match that is played step by step; each step can be shown, taken back and recorded."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nashzoo.arena.records import FORFEITED, TERMINATED, TRUNCATED, UNFINISHED, Record, outcome
from nashzoo.arena.trajectory import Trajectory, offence
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.seeds import streams
from nashzoo.envs.text.steps import Step


class LiveMatch:
    """A match between two players; the caller may choose their actions.

    Args:
        players: Player 0 and player 1, with ``predict`` as Stable-Baselines3's models; None for a player whose actions
            the caller chooses.
        rng: Draws the start and the outcomes of chance.

    Attributes:
        trajectory: The time steps so far.
        ended: The kind of its end, see :class:`nashzoo.arena.records.Record`; None before the end.
        by: The players that forfeited or resigned.
        reason: The reason of a forfeit or resignation, in words.
    """

    def __init__(self, game: Game, players: Sequence[Any], rng: np.random.Generator) -> None:
        self.game = game
        self.players = players
        self._seeds = streams(int(rng.integers(2**32)), 1) if game.has_chance else streams(0, 1)
        self.trajectory = Trajectory(game, game.resolve_chance(game.start(rng), self._seeds)[0])
        self.ended: str | None = None
        self.by: tuple[int, ...] = ()
        self.reason = ""
        self._memories: list[dict[int, Any]] = [{}]  # by player, before each time step
        self._remembered: dict[int, Any] = {}  # of players that have chosen in this time step
        self._answers: dict[Any, tuple[int, Any]] = {}  # actions and memories of ``ask_once``, by what had happened

    @property
    def code(self) -> int:
        """Code of the current state."""
        return self.trajectory.code

    @property
    def movers(self) -> tuple[int, ...]:
        """The players who choose now."""
        return self.game.movers(self.code)

    @property
    def hidden_from(self) -> tuple[int, ...]:
        """The seats of people from whom a part of the state is hidden until the match is over."""
        people = (seat for seat, one in enumerate(self.players) if getattr(one, "asks_person", one is None))
        return tuple(people) if self.game.hides else ()

    @property
    def points(self) -> float:
        """Player 0's points."""
        return outcome(self.trajectory, self.ended or UNFINISHED, self.by)

    @property
    def steps_left(self) -> int:
        """Time steps before the match is cut off."""
        return self.game.max_cycles - len(self.trajectory.steps)

    def ask(self, player: int) -> int:
        """Returns a player's action now; its new memory is used once the step is made."""
        memory = self._memories[-1].get(player)
        action, self._remembered[player] = self.players[player].predict(self.game.observe(self.code, player), memory)
        return int(action)

    def ask_once(self, player: int) -> int:
        """Returns a player's action now; the same as before where the match comes back to what had happened then.

        For actions that cannot be taken back, as cards on a table: a wrong entry of the other's action can be.
        """
        steps = self.trajectory.steps
        happened = player, self.code, tuple((step.before, step.actions) for step in steps)
        if happened not in self._answers:
            self._answers[happened] = self.ask(player), self._remembered[player]
        action, self._remembered[player] = self._answers[happened]
        return action

    def explanations(self, step: Step) -> list[str]:
        """Returns what the players say on their choices in the latest time step, without those who say nothing."""
        said = []
        for player in self.game.movers(step.before):
            explain = getattr(self.players[player], "explain", None)
            why = explain(self.game.observe(step.before, player), step.actions[player]) if explain else ""
            said += [f"{self.game.view.PLAYERS[player]} chose {why}"] if why else []
        return said

    def act(self, action0: int, action1: int) -> Step | None:
        """Makes a time step and returns it; a player with an illegal action forfeits, and None is returned."""
        before, actions = self.code, (action0, action1)
        offenders = [one for one in self.movers if actions[one] not in self.game.legal_actions(before, one)]
        if offenders:
            reasons = [self._offence(player, actions[player]) for player in offenders]
            self.end(FORFEITED, offenders, "; ".join(reasons))
            return None
        step = self.trajectory.act(action0, action1, self._seeds)
        self._memories.append(self._memories[-1] | self._remembered)
        self._remembered = {}
        if self.trajectory.over:
            self.end(TERMINATED)
        elif self.steps_left <= 0:
            self.end(TRUNCATED)
        return step

    def step(self) -> Step | None:
        """Makes a time step with the actions of the players' ``predict``, see :meth:`act`."""
        actions = [0, 0]
        for player in self.movers:
            actions[player] = self.ask(player)
        return self.act(*actions)

    def last_choice(self, player: int) -> int:
        """Returns the number of the last time step in which a player chose, from 0; -1 if there is none."""
        steps = self.trajectory.steps
        return max((step for step, made in enumerate(steps) if player in self.game.movers(made.before)), default=-1)

    def take_back(self, player: int) -> bool:
        """Returns to the last state in which a player chose; returns whether there was one."""
        last = self.last_choice(player)
        if last < 0:
            return False
        del self.trajectory.steps[last:]
        del self._memories[last + 1 :]
        self._remembered = {}
        self.ended, self.by, self.reason = None, (), ""
        return True

    def end(self, ended: str, by: Sequence[int] = (), reason: str = "") -> None:
        """Ends the match now: a draw is agreed, or a player resigns."""
        self.ended, self.by, self.reason = ended, tuple(by), reason

    def close(self) -> None:
        """Closes the players, which ends their processes."""
        for player in self.players:
            if player is not None:
                player.close()

    def repetitions(self) -> int:
        """Returns the number of times that the match has been in this state."""
        return self.trajectory.codes.count(self.code)

    def record(self, names: tuple[str, str], seed: int | None = None, number: int = 0, source: str = "") -> Record:
        """Returns the record of the match so far, see :class:`nashzoo.arena.records.Record`."""
        return Record(self.trajectory, names, self.ended or UNFINISHED, self.by, seed, number, source)

    def _offence(self, player: int, action: int) -> str:
        forfeits = getattr(self.players[player], "forfeits", ())
        return str(forfeits[-1]) if forfeits else offence(self.game, player, action)
