"""The rules of Roshambo, compared with a second, slow implementation and with facts worked out by hand."""

from typing import Any

import numpy as np
import pytest

from nashzoo.envs import roshambo_v0
from nashzoo.envs.games.roshambo import rules as roshambo
from nashzoo.envs.games.roshambo.view import recalled_throws

ROCK, PAPER, SCISSORS, LIZARD, SPOCK = range(5)

# The ten sentences by which the game is known.
LIZARD_SPOCK = """
Scissors cut Paper. Paper covers Rock. Rock crushes Lizard. Lizard poisons Spock. Spock smashes Scissors.
Scissors decapitate Lizard. Lizard eats Paper. Paper disproves Spock. Spock vaporizes Rock. Rock crushes Scissors.
"""

WEIGHTED = [[0, -2, 0.5], [2, 0, -1], [-0.5, 1, 0]]


class SlowMatch:
    """A match as a list of all its throws."""

    def __init__(self, rounds: int, recall: int, payoff: Any) -> None:
        self.rounds, self.recall = rounds, recall
        self.throws: list[tuple[int, int]] = []
        if payoff == "rps":
            self.names, self.beats = ["Rock", "Paper", "Scissors"], {"RockScissors", "PaperRock", "ScissorsPaper"}
        elif payoff == "rpsls":
            self.names = ["Rock", "Paper", "Scissors", "Lizard", "Spock"]
            sentences = [
                sentence.split() for sentence in LIZARD_SPOCK.strip().replace("\n", " ").rstrip(".").split(". ")
            ]
            self.beats = {subject + what for subject, _, what in sentences}
        else:
            self.names = [str(k) for k in range(len(payoff))]
        self.matrix = payoff

    def pays(self, player: int) -> float:
        if not self.throws:
            return 0.0
        own, other = self.throws[-1][player], self.throws[-1][1 - player]
        if not isinstance(self.matrix, str):
            return float(self.matrix[own][other])
        a, b = self.names[own], self.names[other]
        return float(a + b in self.beats) - float(b + a in self.beats)

    def sees(self, player: int) -> list[float]:
        seen: list[float] = []
        for ago in range(1, self.recall + 1):
            for whose in (player, 1 - player):
                thrown = self.throws[-ago][whose] if ago <= len(self.throws) else None
                seen += [float(thrown == throw) for throw in range(len(self.names))]
        return [*seen, (self.rounds - len(self.throws)) / self.rounds]


OPTIONS: list[dict[str, Any]] = [
    {"rounds": 30},
    {"rounds": 30, "recall": 13},
    {"rounds": 12, "recall": 4, "payoff": "rpsls"},
    {"rounds": 40, "recall": 9, "payoff": "rpsls"},
    {"rounds": 9, "recall": 2, "payoff": WEIGHTED},
    {"rounds": 6, "recall": 21, "payoff": [[0, 1], [-1, 0]]},
    {"rounds": 20, "recall": 4, "payoff": [[(i - j) / 7 for j in range(32)] for i in range(32)]},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: str(options)[:60])
@pytest.mark.parametrize("seed", range(3))
def test_a_second_implementation_plays_the_same_matches(options: dict[str, Any], seed: int) -> None:
    game = roshambo_v0.game(**options)
    slow = SlowMatch(options["rounds"], options.get("recall", 1), options.get("payoff", "rps"))
    assert list(game.actions) == slow.names
    rng = np.random.default_rng(seed)
    code = int(game.start_codes[0])
    for played in range(options["rounds"] + 1):
        assert game.state(code).played == played
        assert game.payoff(code) == slow.pays(0) == -slow.pays(1)
        for player in range(2):
            assert game.observe(code, player).tolist() == np.float32(slow.sees(player)).tolist()
        assert game.terminal(code) == (played == options["rounds"])
        assert game.rules.call(recalled_throws, game.params, code=code) == slow.throws[-slow.recall :]
        if not game.terminal(code):
            throws = tuple(rng.integers(0, len(slow.names), 2).tolist())
            slow.throws.append(throws)
            code = game.step(code, *throws)


def test_longer_matches_are_still_told_apart() -> None:
    # The share of throws left is a 32-bit float; two neighbouring rounds of the longest match must differ.
    game = roshambo_v0.game(rounds=roshambo.MAX_ROUNDS)
    for played in (0, 1, 2, 3, 500_000, roshambo.MAX_ROUNDS - 2, roshambo.MAX_ROUNDS - 1):
        code = game.code(played=played, recalled=7 if played else 0)
        assert tuple(game.rules.decode_observation(game.params, game.observe(code, 0))) == (code, 0)


def test_text() -> None:
    game = roshambo_v0.game(recall=2, payoff="rpsls")
    code = int(game.start_codes[0])
    assert game.text(code) == "0 of 1000 throws played"
    for throws in ((ROCK, ROCK), (SPOCK, ROCK), (SPOCK, LIZARD), (PAPER, PAPER)):
        code = game.step(code, *throws)
    assert game.text(code) == "4 of 1000 throws played\nSpock : Lizard  -1\nPaper : Paper"


def test_more_throws_cannot_be_recalled_than_were_played() -> None:
    game = roshambo_v0.game(recall=3)
    assert game.state(game.code(played=2, recalled=80)).recalled == 80
    with pytest.raises(ValueError, match="after 2 throws recalled must be below 81, not 81"):
        game.code(played=2, recalled=81)


def test_a_game_keeps_its_throws_when_it_is_pickled_and_compared() -> None:
    one, other = roshambo_v0.game(payoff=WEIGHTED), roshambo_v0.game(payoff=WEIGHTED)
    assert one == other and hash(one) == hash(other)
    assert one != roshambo_v0.game()
