"""What is told of a match to a player who does not see all of it."""

import itertools
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, NamedTuple

import pytest

from nashzoo.app.matches.pages import page
from nashzoo.arena.trajectory import Trajectory
from nashzoo.envs import Game, make_game
from nashzoo.envs.core.game import CHANCE
from traces import ways_by_chance

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "games"
LONGEST = 4  # time steps


class Bid(NamedTuple):
    hand0: int
    hand1: int
    rounds: int
    lead: int


class Bids:
    """Both players bid a card of three at once, of which each sees the own hand, and who is ahead."""

    NAME, ACTIONS, State = "bids_v0", ("low", "middle", "high"), Bid
    SEEN_BY: ClassVar = {"hand0": (0,), "hand1": (1,)}

    field_maxima = staticmethod(lambda: Bid(7, 7, 3, 6))
    start = staticmethod(lambda: Bid(7, 7, 0, 3))
    legal = staticmethod(lambda state, player: state.hand0 if player == 0 else state.hand1)
    terminal = staticmethod(lambda state: state.rounds == 3)
    payoff = staticmethod(lambda state: state.lead - 3 if state.rounds == 3 else 0)

    @staticmethod
    def step(state: Bid, action0: int, action1: int) -> Bid:
        lead = state.lead + (action0 > action1) - (action0 < action1)
        return Bid(state.hand0 - (1 << action0), state.hand1 - (1 << action1), state.rounds + 1, lead)


class Drawn(NamedTuple):
    card0: int
    moves: int
    dealing: int


class Draws:
    """Between their moves player 0 draws a card, which its event names."""

    NAME, ACTIONS, State = "draws_v0", ("left", "right"), Drawn
    SEEN_BY: ClassVar = {"card0": (0,)}
    UNSEEN_FIELDS = ("dealing",)

    field_maxima = staticmethod(lambda: Drawn(2, 2, 1))
    start = staticmethod(lambda: Drawn(0, 0, 0))
    turn = staticmethod(lambda state: CHANCE if state.dealing else state.moves)
    chance = staticmethod(lambda state: [(Drawn(1, 1, 0), 0.5), (Drawn(2, 1, 0), 0.5)])
    step = staticmethod(lambda state, action: Drawn(state.card0, state.moves + 1, int(state.moves == 0)))
    terminal = staticmethod(lambda state: state.moves == 2)
    payoff = staticmethod(lambda state: 0)
    event = staticmethod(lambda state, action, after: f"a move beside card {after.card0 or '?'}")


@pytest.fixture(params=["kuhn", "leduc", "liars_dice", "dark_hex", "bids", "draws"])
def game(request: pytest.FixtureRequest) -> Game:
    if request.param in ("bids", "draws"):
        return Game(Bids() if request.param == "bids" else Draws())
    options = {"liars_dice": {"faces": 2}, "leduc": {"ranks": 2}, "dark_hex": {"rows": 2, "columns": 2}}.get(
        request.param, {}
    )
    return make_game(str(FOLDER / f"{request.param}.py"), **options)


def matches(game: Game) -> Iterator[Trajectory]:
    """Yields all matches of up to ``LONGEST`` time steps."""
    waiting = [
        Trajectory(game, first) for start in game.start_codes.tolist() for first, _ in ways_by_chance(game, start)
    ]
    while waiting:
        played = waiting.pop()
        yield played
        if played.over or len(played.steps) == LONGEST:
            continue
        for pair in itertools.product(*(game.legal_actions(played.code, player) for player in (0, 1))):
            for after, _ in ways_by_chance(game, game.step(played.code, *pair)):
                longer = Trajectory(game, played.start)
                longer.steps = played.steps.copy()
                longer.follow(*pair, after)
                waiting.append(longer)


@pytest.mark.parametrize("seat", [0, 1])
def test_matches_that_look_alike_to_a_player_are_told_alike(game: Game, seat: int) -> None:
    told = defaultdict(set)
    for played in matches(game):
        views = [key for key, _ in itertools.groupby(game.information_state(code, seat) for code in played.codes)]
        own = [step.actions[seat] for step in played.steps if seat in game.movers(step.before)]
        pages = [page(played, number, [seat]) for number in range(len(played.steps) + 1)]
        told[tuple(views), tuple(own)].add("\n".join(filter(None, pages)))
    assert len(told) > 2 and all(len(texts) == 1 for texts in told.values())


def test_players_are_told_their_own_moves_and_watchers_all() -> None:
    played = Trajectory(Game(Bids()), int(Game(Bids()).start_codes[0]))
    step = played.follow(0, 2)
    assert played.event(step, [0]) == "player 0 played low, player 1 moved"
    assert played.event(step, [1]) == "player 0 moved, player 1 played high"
    assert played.event(step, [0, 1]) == "player 0 moved, player 1 moved"
    assert played.event(step) == "player 0 played low, player 1 played high"


def test_what_chance_deals_is_told_to_those_who_see_it() -> None:
    game = make_game(str(FOLDER / "leduc.py"))
    played = Trajectory(game, game.code(card0=1, card1=3, dealing=0))
    played.follow(1, 0)
    step = played.follow(0, 1, game.code(card0=1, card1=3, public=5, history=10, dealing=0))
    assert played.event(step, [0]) == "player 1 checked; by chance the public card is K♥"
    assert "card 3" not in game.text(played.shown(2, [0])) and "card ?" in game.text(played.shown(2, [0, 1]))
