"""Matches that are played in the browser."""

import contextlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nashzoo.app.web import information
from nashzoo.app.web.library import PERSON, Library
from nashzoo.app.web.states import covered_json, state_json
from nashzoo.arena.live_match import LiveMatch
from nashzoo.arena.records import Record
from nashzoo.arena.review import lesson, mixtures
from nashzoo.arena.trajectory import Trajectory
from nashzoo.baselines import Solution
from nashzoo.baselines.policies.tabular import asked, observed
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import Agent, NoPolicyError, PolicyAgent
from nashzoo.envs.core.game import Floats
from nashzoo.envs.text.steps import seen_by

PATIENCE = 5.0  # seconds that a request waits for an earlier one
SAMPLED = 1000  # draws to estimate the action probabilities of an agent with memory
SEARCHED = 100  # draws from an agent whose search is random


class BusyError(UsageError):
    """Too many agents are choosing at the same time."""


@contextlib.contextmanager
def held(lock: "threading.Lock | threading.Semaphore", why: str) -> Iterator[None]:
    """Holds a lock.

    Raises:
        BusyError: it was not free in time; the message is ``why``.
    """
    if not lock.acquire(timeout=PATIENCE):
        raise BusyError(why)
    try:
        yield
    finally:
        lock.release()


def alone(lock: threading.Lock) -> contextlib.AbstractContextManager[None]:
    """Makes other requests about the match that has this lock wait.

    Raises:
        BusyError: an earlier request takes too long.
    """
    return held(lock, "the move before is still being chosen; wait, or begin another match")


class WebMatch:
    """A match between people in the browser and agents.

    Args:
        library: The source of the agents.
        game: The game.
        source: The page's name of the game.
        players: An agent, with options, or ``PERSON`` for each seat.
        seed: Seed of everything random.
        start: Code of the state to begin in; None for the game's own start.
    """

    def __init__(
        self, library: Library, game: Game, source: str, players: Sequence[str], seed: int, start: int | None = None
    ) -> None:
        self.library, self.game, self.source, self.seed = library, game, source, seed
        self.players = players[0], players[1]
        self.lock = threading.Lock()
        seats = [
            None if name == PERSON else library.player(name, game, seed + seat) for seat, name in enumerate(players)
        ]
        self.match = LiveMatch(game, seats, np.random.default_rng(seed))
        self.begun_elsewhere = start is not None
        if start is not None:
            if game.terminal(start):
                raise UsageError(f"the game is over at {game.spell(start)}; choose a state in which it goes on")
            if not game.movers(start):
                raise UsageError(f"chance decides at {game.spell(start)}; choose a state where a player does")
            self.match.trajectory = Trajectory(game, start)

    def step(self, chosen: Mapping[int, int]) -> None:
        """Makes a time step with the actions of people, and of the agents, which choose now.

        With hidden information it makes the agents' next ones too: their number may be hidden.

        Raises:
            UsageError: the match is over, or a person's action is missing or illegal.
        """
        match = self.match
        if match.ended is not None:
            raise UsageError("the match is over; take a move back, or begin another")
        actions = [0, 0]
        for player in match.movers:
            if match.players[player] is not None:
                continue
            if player not in chosen:
                raise UsageError(f"player {player} has not chosen")
            if chosen[player] not in self.game.legal_actions(match.code, player):
                legal = ", ".join(self.game.actions[action] for action in self.game.legal_actions(match.code, player))
                raise UsageError(f"action {chosen[player]} is not legal for player {player}; legal are {legal}")
            actions[player] = chosen[player]
        for player in match.movers:  # agents choose after the people, without knowing their actions
            if match.players[player] is not None:
                actions[player] = match.ask(player)
        match.act(*actions)
        if len(self.seats()) == 1 and all(match.players[player] is not None for player in match.movers):
            self.step({})

    def seats(self, player: int | None = None) -> tuple[int, ...]:
        """Returns the seats from which something is hidden now; none when everything is shown.

        While a match with hidden information runs, one person sees what its seat sees. Two people at one screen, the
        seats 0 and 1, see nothing, and what ``player`` sees when asked for it.

        Raises:
            UsageError: ``player`` is the seat of an agent.
        """
        people = self.match.hidden_from
        if self.match.ended is not None or not people:
            return ()
        if player is not None and player not in people:
            raise UsageError(f"what player {player} sees is shown when the game is over")
        return people if player is None else (player,)

    @property
    def _revealed(self) -> bool:
        """Whether all that was hidden from a person has been shown."""
        return self.match.ended is not None and bool(self.match.hidden_from)

    def _check_shown(self, what: str) -> None:
        if self.seats():
            raise UsageError(f"{what} tells what is hidden; it is there when the match is over")

    def take_back(self) -> None:
        """Takes back the last time step in which a person chose.

        Raises:
            UsageError: there is none, an agent cannot choose again, or hidden information has been shown.
        """
        if self._revealed:
            raise UsageError("everything that was hidden has been shown; begin another match")
        agents = [agent for agent in self.match.players if agent is not None]
        if not all(getattr(agent, "takes_back", True) for agent in agents):
            raise UsageError("a script in a process of its own takes no moves back; begin another match")
        people = [seat for seat, agent in enumerate(self.match.players) if agent is None]
        made = self.match.trajectory.steps
        last = max(map(self.match.last_choice, people), default=-1)
        if last < 0:
            raise UsageError("there is no move to take back" if people else "nobody here chooses by hand")
        player = next(player for player in people if player in self.game.movers(made[last].before))
        self.match.take_back(player)

    def as_json(self, player: int | None = None) -> dict[str, Any]:
        """Returns the match so far, for JSON, as it is shown now, see :meth:`seats`."""
        match, game, seats = self.match, self.game, self.seats(player)
        code = match.trajectory.shown(len(match.trajectory.steps)) if match.ended else match.code
        if len(seats) > 1:
            state, steps = covered_json(game, match.code), []
        else:
            state = state_json(game, match.code, seats) | {"text": game.text(seen_by(game, code, seats), seats)}
            steps = steps_json(match.trajectory, seats)
        return {
            "game": self.source,
            "players": self.players,
            "seats": list(seats),
            "revealed": self._revealed,
            "seed": None if seats else self.seed,  # whoever knows it can have the same cards dealt to agents
            "state": state,
            "points": None if seats else match.points,
            "ended": match.ended,
            "reason": match.reason,
            "steps": steps,
        }

    def record(self) -> Record:
        """Returns the record of the match.

        Raises:
            UsageError: something is hidden.
        """
        self._check_shown("a record")
        names = tuple("manual" if name == PERSON else name for name in self.players)
        return self.match.record((names[0], names[1]), self.seed)

    def review(self, solution: Solution, earlier: Sequence["WebMatch"] = (), before: int = 0) -> dict[str, Any]:
        """Returns the regrets of the match, which begins after so many moves, and a headline, see :func:`lesson`.

        ``earlier`` matches count as well for how the person mixes, see :meth:`mixtures`.

        Raises:
            UsageError: something is hidden.
        """
        self._check_shown("a review")
        people = [seat for seat, agent in enumerate(self.match.players) if agent is None]
        you = people[0] if len(people) == 1 else None
        players = () if self.begun_elsewhere else self.match.players
        others = [one.match.trajectory for one in earlier]
        return lesson(self.match.trajectory, solution, self.match.points, you, players, others, before)

    def mixtures(self, solution: Solution, player: int, earlier: Sequence["WebMatch"] = ()) -> list[dict[str, Any]]:
        """Returns how a player mixes, see :func:`mixtures`; it needs no more than what the person has seen.

        Raises:
            UsageError: it is the seat of an agent in a match that is not over, or a match is of another game.
        """
        for one in (self, *earlier):
            runs_with_agent = one.match.players[player] is not None and one.match.ended is None
            if one.game != self.game or runs_with_agent:
                raise UsageError(f"player {player} is no person in these matches, or they are of another game")
        return mixtures([one.match.trajectory for one in (*earlier, self)], solution, player)


def advice(played: Trajectory, agent: Agent, player: int) -> tuple[int, Floats]:
    """Returns an agent's action probabilities ``[actions]`` in the place of a player, after the moves of a match.

    They are exact for an agent that chooses by the state alone; else the share of each action among draws, whose number
    comes first.
    """
    game, draws = played.game, SAMPLED
    if isinstance(agent, PolicyAgent):
        known = game.information_state(played.code, player)
        try:
            return 0, asked(agent, observed(game, np.array([known]), player))[0]
        except NoPolicyError:  # a search with random numbers of its own
            draws = SEARCHED
        except KeyError:
            where = game.spell(known, [player])
            raise UsageError(f"{agent.name} does not play at {where}: it is another's turn, or unreachable") from None
    memory = np.zeros((1, agent.memory_size))
    rng = np.random.default_rng(0)
    for step in played.steps:
        if player in game.movers(step.before):
            _, memory = _asked(agent, game, step.before, player, memory, rng)
    memories = np.repeat(memory, draws, axis=0) if agent.most_games is None else memory
    actions, _ = _asked(agent, game, played.code, player, memories, rng)
    return len(actions), np.bincount(actions, minlength=game.num_actions) / len(actions)


def _asked(agent: Agent, game: Game, code: int, player: int, memory: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    observations = np.repeat(game.observe(code, player)[None], len(memory), axis=0)
    return agent.act(observations, memory.copy(), agent.legal(observations), rng.random((len(memory), 2)))


def steps_json(trajectory: Trajectory, seats: Sequence[int] = ()) -> list[dict[str, Any]]:
    """Returns the time steps: the actions, what happened, the reward, and the next state.

    With seats, what one of them does not see is hidden; a time step of which they see nothing is left out.
    """
    steps = []
    for step in trajectory.steps:
        seen, actions, told = information.seen(trajectory, step, seats)
        if seats and not told:
            continue
        steps.append(
            {
                "before": str(seen.before),
                "actions": actions,
                "told": told,
                "reward": None if seats else step.reward,
                "half": None if seats else trajectory.game.half(step.before, step.after),
                "after": str(seen.after),
                "shown": f"{seen.before}>{seen.after}",
            }
        )
    return steps
