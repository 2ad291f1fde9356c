"""Games drawn by a seed: their rules in words say all, and they are worth what these say."""

import re
import zlib
from functools import cache
from types import ModuleType
from typing import Any

import drawn_cards
import drawn_rooms
import numpy as np
import pytest

from brute_force import matrix_value
from chance_contract import ChanceContract
from contract import EnvironmentContract
from nashzoo.baselines import solve
from nashzoo.envs import Game
from nashzoo.envs.api.module import make_module
from nashzoo.envs.base.errors import UsageError

EXACT = 1e-9
LEADS = re.compile(r"\{(\w+)\} and \{(\w+)\}: (?:\{room\} (\d+)|([+-]\d+))")


@pytest.mark.slow
class TestRooms(EnvironmentContract):
    public = make_module(drawn_rooms)


@pytest.mark.slow
class TestCards(ChanceContract):
    public = make_module(drawn_cards)

    @pytest.fixture
    def options(self) -> Any:
        return {"ranks": 3}


@pytest.mark.parametrize(
    ("module", "params", "known"),
    [(drawn_rooms, {"seed": 5, "rooms": 4}, 3410855304), (drawn_cards, {"seed": 5}, 1579693520)],
    ids=["rooms", "cards"],
)
def test_a_seed_is_one_game_everywhere(module: Any, params: dict[str, int], known: int) -> None:
    tables = module.tables(module.Params(**params))
    assert zlib.crc32(b"".join(table.astype("<i8").tobytes() for table in tables)) == known


@pytest.mark.parametrize("seed", range(12))
def test_rooms_are_worth_what_the_rules_in_words_say(seed: int) -> None:
    game = Game(drawn_rooms, seed=seed, rooms=1 + seed % 4, actions=2 + seed % 3)
    rooms: list[list[list[tuple[str, str]]]] = []
    for line in game.view.rules_text(game.params).splitlines():
        if line.startswith("In {room}"):
            rooms.append([])
        elif line.startswith("- "):
            rooms[-1].append([(room, points) for _, _, room, points in LEADS.findall(line)])

    @cache
    def value(room: int) -> float:
        rows = [[value(int(to)) if to else float(points) for to, points in row] for row in rooms[room]]
        return matrix_value(np.array(rows))

    assert solve(game).start_value == pytest.approx(value(0), abs=EXACT)


@pytest.mark.parametrize("seed", range(6))
def test_cards_are_worth_what_a_program_over_plans_says(seed: int) -> None:
    """A plan says for each card: of player 0 bet, or pass and then call or fold; of player 1 an answer to either."""
    game = Game(drawn_cards, seed=seed, ranks=3)
    tables = drawn_cards.tables(drawn_cards.Params(seed, ranks=3))
    deck = [card for card in range(3) for _ in range(tables.counts[card])]
    deals = [(deck[i], deck[j]) for i in range(len(deck)) for j in range(len(deck)) if i != j]
    first, second = (1 + int(bet) for bet in tables.bets)

    def won(mine: str, other: str, cards: tuple[int, int]) -> float:
        wins = tables.wins[cards]
        if mine == "bet":
            return first * wins if other[0] == "c" else 1
        if other[1] == "p":
            return wins
        return second * wins if mine == "call" else -1

    plans0 = [(a, b, c) for a in MOVES0 for b in MOVES0 for c in MOVES0]
    plans1 = [(a, b, c) for a in MOVES1 for b in MOVES1 for c in MOVES1]
    payoff = np.array([[np.mean([won(p[i], q[j], (i, j)) for i, j in deals]) for q in plans1] for p in plans0])
    assert solve(game).start_value == pytest.approx(matrix_value(payoff), abs=EXACT)


MOVES0 = ("bet", "call", "fold")  # the last two after a pass that is answered by a bet
MOVES1 = ("cb", "cp", "fb", "fp")  # call or fold after a bet; bet or pass after a pass


def test_one_seed_draws_kuhn_poker() -> None:
    """Three cards, each once, the higher beats the lower, bets of 1: player 0 loses 1/18 (Kuhn 1950)."""

    def is_kuhn(seed: int) -> bool:
        drawn = drawn_cards.tables(drawn_cards.Params(seed, ranks=3, most=1))
        return (drawn.counts == 1).all() and (drawn.wins == np.sign(np.subtract.outer(range(3), range(3)))).all()

    seed = next(filter(is_kuhn, range(1000)))
    assert solve(Game(drawn_cards, seed=seed, ranks=3, most=1)).start_value == pytest.approx(-1 / 18, abs=EXACT)


@pytest.mark.parametrize(
    ("module", "params", "message"),
    [
        (drawn_rooms, {"rooms": 0}, "rooms must be from 1 to 12, not 0"),
        (drawn_rooms, {"actions": 7}, "actions must be from 2 to 6, not 7"),
        (drawn_cards, {"ranks": 1}, "ranks must be from 2 to 12, not 1"),
    ],
)
def test_other_parameters_are_refused(module: ModuleType, params: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Game(module, **params)
