"""The tools of ``nashzoo mcp``. What a model reads about a tool is its docstring."""

import secrets
import threading
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from nashzoo import baselines
from nashzoo.agents.basic.nash import NashAgent
from nashzoo.app.matches.word_match import WordMatch, rounded, sign
from nashzoo.app.web.kept import Kept, UnknownError
from nashzoo.app.web.library import PERSON, Library
from nashzoo.app.web.matches import advice, alone
from nashzoo.app.web.solver import Solver
from nashzoo.arena.live_match import LiveMatch
from nashzoo.baselines import Solution
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.core.checks import check_count
from nashzoo.envs.core.game import CHANCE
from nashzoo.envs.text.wording import Wording
from nashzoo.envs.text.wording import disguise as disguised

PATIENCE = 20.0  # seconds that a call waits for long work; clients wait for a minute
SEEDS = 2**32

Seat = Literal[0, 1]


class Place(NamedTuple):
    """A match of a client, or the start of a game, which nobody plays; then the rival is ``PERSON``."""

    match: WordMatch
    rival: str
    seat: int  # the client's
    lock: threading.Lock

    def mixture(self, agent: Agent, player: int) -> dict[str, float]:
        """Returns an agent's probabilities now in the place of a player, by the names of the actions."""
        game, played = self.match.game, self.match.live.trajectory
        _, shares = advice(played, agent, player)
        legal = game.legal_actions(played.code, player)
        return {self.match.wording.renamed(game.actions[one]): rounded(float(shares[one])) for one in legal}


class Tools:
    """The tools, and the matches that are played with them.

    Args:
        library: The games and players that may be named.
        patience: Seconds that a call waits for long work.
    """

    def __init__(self, library: Library, patience: float = PATIENCE) -> None:
        self.library, self.solver = library, Solver(patience)
        self.matches = Kept[Place]("match", end=lambda place: place.match.live.close())

    def close(self) -> None:
        """Closes the solver and the matches."""
        self.solver.close()
        self.matches.close()

    def playing(self) -> list[Callable[..., Any]]:
        """Returns the tools to play with."""
        return [self.games, self.rules, self.new_match, self.play, self.look]

    def oracle(self) -> list[Callable[..., Any]]:
        """Returns the tools that know the exact solution."""
        return [self.value, self.equilibrium, self.best_response, self.exploitability]

    def games(self) -> dict[str, Any]:
        """List the games: what each is, its parameters, and its players with their options.

        Parameters follow the name of a game in brackets, as in footsies_v0(rounds=3), and options the name of a player,
        as in mcts(simulations=100).
        """
        facts = ("game", "about", "parameters")
        games = [
            {fact: about[fact] for fact in facts}
            | {"players": {one["name"]: one["options"] for one in about["agents"]}}
            for about in self.library.games()
        ]
        return {"games": games}

    def rules(self, game: str, disguise: int | None = None) -> str:
        """Say the rules of a game in words.

        Args:
            game: The name of the game.
            disguise: The seed of invented words, in which the same game is told; the game's own words when left out.
        """
        return self._worded(game, disguise).rules

    def new_match(
        self, game: str, opponent: str = "nash", seat: Seat = 0, seed: int | None = None, disguise: int | None = None
    ) -> dict[str, Any]:
        """Begin a match: returns its id, the rules, your seat, what you see, and your legal actions.

        Args:
            game: The name of the game.
            opponent: The name of the other player; nash plays the equilibrium.
            seat: Your seat.
            seed: Makes the match repeatable.
            disguise: The seed of invented words, in which the match is played; the game's own words when left out.
        """
        if opponent == PERSON:
            raise UsageError("nobody sits at this computer; name a player as the opponent")
        words = self._worded(game, disguise)
        seed = secrets.randbelow(SEEDS) if seed is None else check_count("seed", seed, 0)
        players: list[Agent | None] = [None, None]
        players[1 - seat] = self.library.agent(opponent, words.game, seed + 1 - seat)
        match = WordMatch(LiveMatch(words.game, players, np.random.default_rng(seed)), words)
        name = self.matches.add(Place(match, opponent, seat, threading.Lock()))
        return {"match": name, "rules": words.rules, "seat": words.introduction(seat)} | match.described(seat)

    def play(self, match: str, action: str) -> dict[str, Any]:
        """Choose an action: returns what happened, what you see, your legal actions, and at the end the result.

        Args:
            match: The id of the match.
            action: The name of one of your legal actions.
        """
        place = self.matches[match]
        with alone(place.lock):
            place.match.choose(place.match.named(action))
            return place.match.described(place.seat)

    def look(self, match: str) -> dict[str, Any]:
        """Say what happened in a match since your last choice, what you see, and your legal actions.

        Args:
            match: The id of the match.
        """
        place = self.matches[match]
        return place.match.described(place.seat)

    def value(self, of: str) -> dict[str, float]:
        """Compute the exact value: what perfect play wins, in points; of a game to player 0, or of a match now to you.

        Args:
            of: The name of a game, or the id of a match.
        """
        place = self._place(of)
        solution = self._solution(place)
        code = None if place.rival == PERSON else place.match.live.code
        worth = solution.start_value if code is None else solution.value(code)
        return {"value": rounded(place.match.game.points(sign(place.seat) * worth, code))}

    def equilibrium(self, of: str) -> dict[str, Any]:
        """Compute how perfect players mix their actions: at the start of a game, or now in a match.

        Returns the probabilities of each player who chooses, or yours alone if something is hidden.

        Args:
            of: The name of a game, or the id of a match.
        """
        place = self._choice(of)
        nash = NashAgent(place.match.game, solution=self._solution(place))
        live = place.match.live
        players = [player for player in live.movers if player == place.seat or not live.hidden_from]
        names = [place.match.wording.renamed(name) for name in place.match.game.view.PLAYERS]
        return {"equilibrium": {names[player]: place.mixture(nash, player) for player in players}}

    def best_response(self, of: str, agent: str | None = None, seat: Seat | None = None) -> dict[str, Any]:
        """Compute a best response to a player: the points per game that it wins from the start, and its actions.

        Args:
            of: The name of a game, for the actions at its start; or the id of a match, for those now in your seat.
            agent: The name of the player to respond to; the opponent of the match when left out.
            seat: The seat of the response in a game, 0 when left out; in a match it is yours.
        """
        place = self._choice(of, seat or 0)
        if seat not in (None, place.seat):
            raise UsageError(f"your seat in the match is {place.seat}; leave seat out, or name the game")
        rival = place.rival if agent is None else agent
        if rival == PERSON:
            raise UsageError("name the player to respond to")
        response = self._computed(baselines.best_response, place.match.game, rival, place.seat)
        chooses = place.seat in place.match.live.movers
        return {
            "value": rounded(place.match.game.points(response.value)),
            "actions": place.mixture(response.policy, place.seat) if chooses else {},
        }

    def exploitability(self, game: str, agent: str) -> dict[str, float]:
        """Compute the exploitability of a player: the points per game that best responses win, averaged over the seats.

        It is 0 for a perfect player. Players that remember much, or search at random, have none.

        Args:
            game: The name of the game.
            agent: The name of the player.
        """
        return {"exploitability": rounded(self._computed(baselines.exploitability, self.library.game(game), agent))}

    def _worded(self, game: str, seed: int | None) -> Wording:
        chosen = self.library.game(game)
        return Wording(chosen) if seed is None else disguised(chosen, seed)

    def _place(self, of: str, seat: int = 0) -> Place:
        """Returns a match that goes on, or the start of a game."""
        try:
            place = self.matches[of]
        except UnknownError:
            words = self._worded(of, None)
            start = LiveMatch(words.game, (None, None), np.random.default_rng(0))
            return Place(WordMatch(start, words), PERSON, seat, threading.Lock())
        place.match.turn()
        return place

    def _choice(self, of: str, seat: int = 0) -> Place:
        """Returns the same, for what a player chooses there."""
        place = self._place(of, seat)
        game, starts = place.match.game, place.match.game.start_codes
        if place.rival == PERSON and (len(starts) > 1 or game.turn(int(starts[0])) == CHANCE):
            raise UsageError(f"chance decides at the start of {game.name}; begin a match, and name it")
        return place

    def _solution(self, place: Place) -> Solution:
        return self.solver.solution(place.match.game, place.match.live.code)

    def _computed(self, measure: Callable[..., Any], game: Game, agent: str, *seat: int) -> Any:
        """Returns an exact measure of a player."""
        key = measure, game, agent, seat
        return self.solver.result(key, lambda _: measure(game, self.library.agent(agent, game, 0), *seat))
