"""The rules of Footsies, against a second implementation that is slow and obvious, state by state."""

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from nashzoo.envs import footsies_v0
from nashzoo.envs.api.gymnasium_env import GameEnv
from nashzoo.envs.api.gymnasium_vector_env import GameVectorEnv
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.drawing.palette import HIGHLIGHT, PLAYER_COLOURS
from nashzoo.envs.games.footsies.rules import ATTACK, BLOCK, GRAB
from nashzoo.envs.games.footsies.view import FLOOR, HEAD
from opponents import Counting
from traces import Sheet

MOVES = "ABGD"

# What happens to player 0 (row) and player 1 (column), as the rules print it.
TABLE = """
      A                 B                 G               D
A     nothing           player 1 blocks   player 0 hits   player 1 wins
B     player 0 blocks   nothing           player 1 wins   player 0 wins
G     player 1 hits     player 0 wins     nothing         player 1 wins
D     player 0 wins     player 1 wins     player 0 wins   nothing
"""


@cache
def table() -> dict[tuple[str, str], str]:
    header, *rows = (
        [cell.strip() for cell in line.split("  ") if cell.strip()] for line in TABLE.strip("\n").splitlines()
    )
    return {(row[0], column): cell for row in rows for column, cell in zip(header, row[1:], strict=True)}


@dataclass
class Fighter:
    blocks: int
    hits: int = 0
    last: str = ""
    rounds_won: int = 0


@dataclass
class Match:
    """A match, played by the book."""

    rounds: int = 1
    blocks: int = 3
    attacks_to_win: int = 2
    max_turns: int = 0
    exhausted_block: str = "hit"
    fighters: list[Fighter] = field(default_factory=list)
    turns: int = 0
    rounds_over: int = 0
    at_the_end: dict[str, int] = field(default_factory=dict, compare=False)  # of a round, before the reset

    def __post_init__(self) -> None:
        self.fighters = self.fighters or [Fighter(self.blocks), Fighter(self.blocks)]

    def play(self, moves: str) -> "Match":
        fighters = [replace(fighter) for fighter in self.fighters]
        after = replace(self, fighters=fighters, turns=self.turns + 1)
        winner = None
        landed = [False, False]
        happens = table()[moves[0], moves[1]]
        if happens != "nothing":
            who = int(happens.split()[1])
            if happens.endswith("wins"):
                winner = who
            elif happens.endswith("hits"):
                landed[who] = True
            elif fighters[who].blocks > 0:
                fighters[who].blocks -= 1
            elif self.exhausted_block == "hit":
                landed[1 - who] = True
        for player, fighter in enumerate(fighters):
            fighter.hits = fighter.hits + 1 if landed[player] else 0
            fighter.last = moves[player]
            if fighter.hits == self.attacks_to_win:
                winner = player
        if winner is None and after.turns != self.max_turns:
            return after
        if winner is not None:
            fighters[winner].rounds_won += 1
        at_the_end = replace(after, rounds_over=self.rounds_over + 1).fields()
        for fighter in fighters:
            fighter.blocks, fighter.hits = self.blocks, 0
        return replace(after, turns=0, rounds_over=self.rounds_over + 1, at_the_end=at_the_end)

    @property
    def over(self) -> bool:
        return self.rounds_over == self.rounds

    @property
    def reward(self) -> int:
        """To player 0, on reaching this state."""
        won0, won1 = (fighter.rounds_won for fighter in self.fighters)
        return (won0 > won1) - (won0 < won1) if self.over else 0

    def fields(self) -> dict[str, int]:
        """Returns the state under the names that the game uses."""
        first, second = self.fighters
        return {
            "blocks0": first.blocks,
            "blocks1": second.blocks,
            "hits0": first.hits,
            "hits1": second.hits,
            "last0": MOVES.index(first.last) + 1 if first.last else 0,
            "last1": MOVES.index(second.last) + 1 if second.last else 0,
            "turn": self.turns if self.max_turns else 0,
            "round": self.rounds_over,
            "lead": first.rounds_won - second.rounds_won + self.rounds,
        }


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"exhausted_block": "free"},
        {"blocks": 0},
        {"blocks": 0, "exhausted_block": "free", "attacks_to_win": 3},
        {"blocks": 1, "attacks_to_win": 3},
        {"blocks": 1, "attacks_to_win": 1, "rounds": 2},
        {"blocks": 4, "attacks_to_win": 4, "max_turns": 6},
        {"blocks": 1, "max_turns": 1},
        {"blocks": 2, "max_turns": 4},
        {"blocks": 1, "max_turns": 2, "rounds": 3},
        {"blocks": 1, "max_turns": 3, "rounds": 2, "exhausted_block": "free"},
    ],
    ids=str,
)
def test_every_move_at_every_state(options: dict[str, Any]) -> None:
    game = footsies_v0.game(**options)
    matches = {int(game.start_codes[0]): Match(**options)}
    queue = list(matches)
    for code in queue:
        match = matches[code]
        assert game.state(code)._asdict() == match.fields()
        assert game.code(**match.fields()) == code
        assert game.terminal(code) == match.over
        assert game.payoff(code) == match.reward
        if match.over:
            continue
        for move0 in range(4):
            for move1 in range(4):
                following = game.step(code, move0, move1)
                expected = match.play(MOVES[move0] + MOVES[move1])
                assert game.state(following)._asdict() == expected.fields(), (move0, move1, match)
                shown = game.state(game.view.shown(game.params, code, following))
                assert shown._asdict() == (expected.at_the_end if expected.over else expected.fields())
                if following not in matches:
                    matches[following] = expected
                    queue.append(following)


def test_a_long_match_with_the_largest_parameters() -> None:
    options = {"rounds": 63, "blocks": 63, "attacks_to_win": 31, "max_turns": 1023}
    game = footsies_v0.game(**options)
    code, match = int(game.start_codes[0]), Match(**options)
    assert match.blocks == 63
    rng = np.random.default_rng(0)
    # Attacks with few interruptions come near 31 in succession, as random moves would not.
    attacks = iter(["AG", "GA"] * 40)
    while not match.over:
        streak = [next(attacks, "AG")] * int(rng.integers(1, 35)) if rng.random() < 0.2 else []
        for moves in [*streak, "".join(rng.choice(list(MOVES), 2))]:
            if not match.over:
                code, match = game.step(code, *map(MOVES.index, moves)), match.play(moves)
                assert game.state(code)._asdict() == match.fields()
                assert (game.terminal(code), game.payoff(code)) == (match.over, match.reward)


def after(moves: str, **options: Any) -> Any:
    """Returns the game and the state after moves like ``"AG BB"``."""
    game = footsies_v0.game(**options)
    code = int(game.start_codes[0])
    for pair in moves.split():
        code = game.step(code, MOVES.index(pair[0]), MOVES.index(pair[1]))
    return game, code


@pytest.mark.parametrize(
    ("moves", "reward", "options"),
    [
        ("AG AG", 1, {}),  # two Attacks in succession
        ("GA GA", -1, {}),
        ("AG AA AG", None, {}),  # interrupted
        ("AG GA AG", None, {}),  # interrupted by the other's Attack
        ("BA BA BA BA", None, {}),  # the fourth Attack gets through three blocks, and lands for the first time
        ("BA BA BA BA BA", -1, {}),
        ("BA BA BA BD", 1, {}),  # Block still beats Dragon Punch without blocks left
        ("BA " * 20, None, {"exhausted_block": "free"}),
        ("GB", 1, {}),
        ("BG", -1, {}),
        ("DA", 1, {}),
        ("DG", 1, {}),
        ("DB", -1, {}),
        ("AA BB GG DD", None, {}),
        ("GB BG", 0, {"rounds": 2}),  # one round each
        ("AA BB", 0, {"max_turns": 2}),  # no round won
        ("AA GB", 1, {"max_turns": 2}),  # won in its last turn
    ],
)
def test_a_match_by_hand(moves: str, reward: int | None, options: dict[str, Any]) -> None:
    game, code = after(moves, **options)
    assert game.terminal(code) == (reward is not None)
    assert game.payoff(code) == (reward or 0)


def test_what_a_player_sees() -> None:
    game, code = after("GB AB GA", rounds=2, max_turns=5)
    seen = {player: dict(zip(game.features, game.observe(code, player), strict=True)) for player in range(2)}
    own, other = "own blocks left / blocks", "other's blocks left / blocks"
    assert [seen[player][own] for player in range(2)] == pytest.approx([1, 2 / 3])
    assert [seen[player][other] for player in range(2)] == pytest.approx([2 / 3, 1])
    hits = "consecutive hits / (attacks_to_win - 1)"
    assert [seen[player][f"own {hits}"] for player in range(2)] == [0, 1]
    assert [seen[player][f"other's {hits}"] for player in range(2)] == [1, 0]
    for player, (mine, theirs) in enumerate((("Grab", "Attack"), ("Attack", "Grab"))):
        said = {name for name, value in seen[player].items() if "last move" in name and value == 1}
        assert said == {f"own last move was {mine}", f"other's last move was {theirs}"}
    turns = "turns played in this round / max_turns (0 without a limit)"
    assert [seen[player][turns] for player in range(2)] == pytest.approx([2 / 5, 2 / 5])
    assert [seen[player]["rounds finished / rounds"] for player in range(2)] == [0.5, 0.5]
    lead = "(own rounds won - other's + rounds) / (2 * rounds)"
    assert [seen[player][lead] for player in range(2)] == [0.75, 0.25]


def test_text() -> None:
    game = footsies_v0.game(max_turns=9, rounds=3)
    assert game.text(int(game.start_codes[0])) == ("round 1 of 3, turn 1 of 9\nplayer 0: blocks 3\nplayer 1: blocks 3")
    game, code = after("BA AG")
    assert game.text(code) == (
        "player 0: blocks 2, hits landed in succession 1, last move Attack\nplayer 1: blocks 3, last move Grab"
    )
    game, code = after("BA AG", max_turns=3)
    assert game.text(code).startswith("turn 3 of 3\n")
    game, code = after("BG", rounds=3)
    assert game.text(code).startswith("round 2 of 3, in the lead: player 1 by 1\n")


def test_environments_show_the_state_in_which_the_match_ended() -> None:
    options = {"max_turns": 4, "attacks_to_win": 1}
    parallel, aec = (make(**options, render_mode="ansi") for make in (footsies_v0.parallel_env, footsies_v0.env))
    game = parallel.unwrapped.game
    single = GameEnv(game, Counting(), render_mode="ansi")
    vector = GameVectorEnv(game, 1, Counting(), render_mode="ansi", autoreset_mode=AutoresetMode.DISABLED)
    for env in (parallel, aec, single, vector):
        env.reset(seed=0)
    start = int(game.start_codes[0])
    for reply in (ATTACK, BLOCK, GRAB):
        before = parallel.unwrapped.code
        parallel.step({"player_0": ATTACK, "player_1": reply})
        aec.step(ATTACK)
        aec.step(reply)
        single.step(ATTACK)
        vector.step(np.array([ATTACK]))
        following = game.step(before, ATTACK, reply)
        page = game.text(game.view.shown(game.params, before, following))
        assert {parallel.render(), aec.render(), single.render(), *vector.render()} == {page}
    assert game.terminal(following) and page != game.text(following)
    for env in (parallel, vector):
        env.reset(seed=0)
    assert {parallel.render(), *vector.render()} == {game.text(start)}


def test_who_lost_the_only_round_lies_on_the_ground() -> None:
    def height(player: int, moves: str) -> float:
        game, code = after(moves)
        assert game.terminal(code)
        sheet = Sheet()
        game.draw(code, sheet)
        (head,) = {
            call[2] for call in sheet.calls if call[0] == "circle" and call[3:] == (HEAD, PLAYER_COLOURS[player])
        }
        return float(FLOOR - head)

    assert height(0, "DA") > 30 > 6 > height(1, "DA")
    assert height(1, "AD") > 30 > 6 > height(0, "AD")


def test_a_kick_that_has_landed_is_marked() -> None:
    def bursts(moves: str) -> int:
        game, code = after(moves)
        sheet = Sheet()
        game.draw(code, sheet)
        return sum(call[0] == "polygon" and call[-1] == HIGHLIGHT for call in sheet.calls)

    assert [bursts(moves) for moves in ("AG", "GA", "AB", "AA", "GG")] == [1, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"lead": 4}, "after 0 of 3 rounds it must be 3, not 4"),
        ({"round": 2, "lead": 0}, "after 2 of 3 rounds it must be from 1 to 5, not 0"),
    ],
)
def test_impossible_states_are_refused(fields: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        footsies_v0.game(rounds=3).code(**fields)


def test_states_by_name() -> None:
    game = footsies_v0.game()
    state = game.state(game.code(blocks1=0, hits0=1))
    assert state._asdict() == {**Match().fields(), "blocks1": 0, "hits0": 1}
    with pytest.raises(ValueError, match="no field block; it has blocks0, blocks1"):
        game.code(block=1)
    for wrong in (-1, 4):
        with pytest.raises(ValueError, match=f"blocks0 must be from 0 to 3, not {wrong}"):
            game.code(blocks0=wrong)
