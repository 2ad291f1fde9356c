"""A game with its parameters chosen: comparison, copies, and what it says to wrong use."""

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import nim
import repeated_rps
from made_games import with_rules
from nashzoo.envs import Game, footsies_v0, make_game, tictactoe_v0


def test_unknown_parameters_are_named_with_the_known_ones() -> None:
    with pytest.raises(TypeError, match="no parameter block, round; it has rounds, blocks, attacks_to_win, max_turns"):
        footsies_v0.game(round=2, block=1)


def test_games_are_equal_by_rules_and_parameters() -> None:
    assert footsies_v0.game() == footsies_v0.game(blocks=3) == make_game("footsies_v0", rounds=1)
    assert footsies_v0.game() != footsies_v0.game(blocks=2)
    assert Game(nim) != Game(repeated_rps)
    assert footsies_v0.game() != "footsies_v0"
    assert len({footsies_v0.game(), footsies_v0.game(blocks=3), footsies_v0.game(blocks=2), Game(nim)}) == 3


def test_with_perfect_information_one_player_moves_and_nothing_is_hidden() -> None:
    games = tictactoe_v0.game(), footsies_v0.game(), make_game("nashzoo.examples.kuhn")
    assert [game.perfect_information for game in games] == [True, False, False]


def test_a_game_shows_its_parameters() -> None:
    assert repr(Game(nim, heap=5)) == "nim_v0(heap=5, most=3, first=0)"
    assert (str(Game(nim, heap=5)), str(Game(nim, most=3))) == ("nim_v0(heap=5)", "nim_v0")  # those that were set


@pytest.mark.slow
def test_a_pickled_game_comes_back_in_another_process() -> None:
    program = "import pickle, sys; print(repr(pickle.load(sys.stdin.buffer)), end='')"
    sent = pickle.dumps(footsies_v0.game(rounds=3))
    done = subprocess.run([sys.executable, "-c", program], input=sent, capture_output=True, check=True)
    assert done.stdout.decode() == repr(footsies_v0.game(rounds=3))


def test_step_refuses_illegal_actions_and_a_game_that_is_over() -> None:
    game = Game(nim, heap=2)
    start = int(game.start_codes[0])
    for code, action0, action1, message in (
        (start, 2, 0, r"player 0 played 2; legal actions are 0 \(take 1\), 1 \(take 2\)$"),
        (start, 0, 1, r"player 1 played 1; legal actions are 0 \(take 1\)$"),
        (start, -1, 0, "player 0 played -1"),
        (game.step(start, 1, 0), 0, 0, "the game is over at heap=0,mover=1"),
    ):
        with pytest.raises(ValueError, match=message):
            game.step(code, action0, action1)


def test_starts_are_drawn_by_their_probabilities() -> None:
    game = Game(nim, first="random")
    rng = np.random.default_rng(0)
    movers = [game.state(game.start(rng)).mover for _ in range(2000)]
    # Five standard deviations of a fair coin thrown 2000 times.
    assert abs(sum(movers) - 1000) < 5 * np.sqrt(500)


@pytest.mark.parametrize(("heap", "most", "wins"), [(7, 3, True), (8, 3, False), (9, 2, False), (1, 1, True)])
def test_nim_is_won_as_bouton_says(heap: int, most: int, wins: bool) -> None:
    """Bouton (1901): the mover loses where the heap is a multiple of ``most + 1``."""
    game = Game(nim, heap=heap, most=most)

    def value(code: int) -> float:
        """To the mover."""
        if game.terminal(code):
            return -1.0
        mover = game.state(code).mover
        return max(
            -value(game.step(code, *((action, 0) if mover == 0 else (0, action))))
            for action in game.legal_actions(code, mover)
        )

    assert value(int(game.start_codes[0])) == (1 if wins else -1)


SEATLESS = nim.OBSERVATION[:-1]


class TestSwapPlayers:
    """A game that says it is symmetric must be, at its start and one step on."""

    def test_games_with_swap_players_are_symmetric_and_others_are_not(self) -> None:
        assert Game(repeated_rps).symmetric and footsies_v0.game().symmetric
        assert not Game(nim).symmetric

    def test_the_start_must_have_its_mirror_image_among_the_starts(self) -> None:
        # Who moves first at nim has an advantage: swapping the players gives another game, unless a coin decides.
        def swap_players(state: nim.State) -> nim.State:
            return nim.State(state.heap, 1 - state.mover)

        for first in (0, 1):
            with pytest.raises(ValueError, match=f"start heap=7,mover={first} has no mirror image"):
                Game(with_rules(nim, swap_players=swap_players, OBSERVATION=SEATLESS), first=first)
        assert Game(with_rules(nim, swap_players=swap_players, OBSERVATION=SEATLESS), first="random").symmetric

        def unevenly(params: nim.Params) -> list[tuple[nim.State, float]]:
            return [(nim.State(params.heap, 0), 0.25), (nim.State(params.heap, 1), 0.75)]

        with pytest.raises(ValueError, match="no mirror image among the starts that is as likely"):
            Game(with_rules(nim, swap_players=swap_players, OBSERVATION=SEATLESS, start=unevenly), first="random")

    def test_swapping_twice_must_lead_back(self) -> None:
        def swap_players(state: nim.State) -> nim.State:
            return nim.State(state.heap, 0)

        with pytest.raises(ValueError, match=r"mirror image of the mirror image of heap=7,mover=1 is another"):
            start = [(nim.State(7, 1), 0.5), (nim.State(7, 0), 0.5)]
            Game(with_rules(nim, swap_players=swap_players, OBSERVATION=SEATLESS, start=lambda: start))

    @pytest.mark.parametrize(
        ("pieces", "message"),
        [
            ({"legal": lambda player: 0b111 >> player, "MASKED": True}, "at round=0,recalled=0 are not swapped"),
            ({"swap_players": lambda state: state}, r"actions 0 and 1 at round=0,.* lead elsewhere in the mirror"),
            ({"payoff": lambda: 1.0}, r"actions 0 and 0 at round=0,.* pay other points in the mirror"),
        ],
    )
    def test_actions_steps_and_payoffs_must_be_swapped(self, pieces: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Game(with_rules(repeated_rps, **pieces))


def test_who_observes_is_a_player() -> None:
    with pytest.raises(ValueError, match="a player is 0 or 1, not 'bob'"):
        footsies_v0.game().observe(0, "bob")  # type: ignore[arg-type]


def test_changes_are_told_in_words() -> None:
    game = footsies_v0.game()
    start = int(game.start_codes[0])
    assert game.changes(start, game.step(start, 0, 1)) == "blocks1=2, last0=Attack, last1=Block"
    assert game.changes(start, start) == "no change"
