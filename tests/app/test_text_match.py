"""Matches in words: their rewards are exact, whoever the reader is."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.app.text.match import REWARDS, Matches, ScoredMatch
from nashzoo.baselines import solve
from nashzoo.envs import Game, footsies_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.imported.matrix import matrix_game
from nashzoo.examples import kuhn, pig

EXACT = 1e-9
FOOTSIES = footsies_v0.game()
PIG = Game(pig, target=10)

Reader = Callable[[ScoredMatch], str]


def anything(seed: int = 0) -> Reader:
    """Returns a reader that answers with any legal action that it reads."""
    rng = np.random.default_rng(seed)

    def reads(match: ScoredMatch) -> str:
        listed = match.situation().partition("Your legal actions:\n")[2].partition("\n\n")[0]
        return str(rng.choice([line.removeprefix("- ") for line in listed.splitlines()]))

    return reads


def played(matches: Matches, reader: Reader, seed: int = 0, seat: int = 0) -> ScoredMatch:
    match = matches.begin(np.random.default_rng(seed), seat)
    while match.asked is not None:
        match.answer(reader(match))
    return match


@pytest.mark.parametrize("game", [FOOTSIES, tictactoe_v0.game(), PIG], ids=["footsies", "tictactoe", "chance"])
@pytest.mark.parametrize("seat", [0, 1])
def test_against_the_equilibrium_what_luck_leaves_is_the_value_less_the_regrets(game: Game, seat: int) -> None:
    """Both by other ways: regrets are of single actions, luck is the difference of values along the match."""
    matches, value = Matches(game, "nash", "luck_free"), (1 - 2 * seat) * solve(game).start_value
    regrets = []
    reader = anything()
    for seed in range(8):
        match = played(matches, reader, seed, seat)
        assert match.score(seat) == pytest.approx(value - match.regrets[seat], abs=EXACT)
        regrets.append(match.regrets[seat])
    assert max(regrets) > 0.1 and min(regrets) > -EXACT


def test_points_have_the_same_mean_with_and_without_luck() -> None:
    free, plain = (
        [played(matches, lambda _: "Grab", seed).score(0) for seed in range(40)]
        for matches in (Matches(FOOTSIES, "random", reward) for reward in ("luck_free", "payoff"))
    )
    assert np.std(free) < np.std(plain) / 2
    assert abs(np.mean(free) - np.mean(plain)) < 3 * np.std(plain) / np.sqrt(40)


@pytest.mark.parametrize("name", ["random", "counter", "nash"])
def test_the_equilibrium_has_no_regrets_whatever_the_opponent_does(name: str) -> None:
    nash = agents.make("nash", FOOTSIES, 3)

    def reads(match: ScoredMatch) -> str:
        return FOOTSIES.actions[int(nash.predict(FOOTSIES.observe(match.live.code, 1))[0])]

    for seed in range(5):
        assert played(Matches(FOOTSIES, name), reads, seed, 1).score(1) == pytest.approx(0, abs=EXACT)


def test_a_match_in_which_nobody_errs_is_a_draw_in_words() -> None:
    match = Matches("tictactoe_v0", "self", "payoff").begin(np.random.default_rng(0))
    asked = []
    for cell in "408217356":
        if match.asked is not None:
            asked.append(match.asked)
            assert f"You are player {match.asked}" in match.situation()
            match.answer(f"I take it.\nAction: {cell}")
    assert match.live.ended == "terminated" and [match.score(seat) for seat in (0, 1)] == [0, 0]
    assert match.regrets == pytest.approx([0, 0], abs=EXACT)
    assert asked == [0, 1, 0, 1, 0, 1, 0, 1] and match.moves == [4, 4]  # the last cell is no choice


def test_a_player_does_not_read_what_the_other_chooses_at_the_same_time() -> None:
    match = Matches(FOOTSIES, "self").begin(np.random.default_rng(0))
    match.answer("Attack")
    assert match.asked == 1 and "played" not in match.situation()
    match.answer("Attack")
    assert match.asked == 0 and "player 1 played Attack" in match.situation()


def test_a_wrong_answer_is_corrected_once_and_forfeits_the_second_time() -> None:
    match = Matches(FOOTSIES, "random").begin(np.random.default_rng(0))
    match.answer("Kick")
    assert match.correction.startswith("'Kick' is no legal action; legal actions are Attack, Block")
    match.answer("Grab" if match.live.ended is None else "")
    assert match.metrics(0)["invalid_answers"] == 1 and match.moves[0] == 1
    assert match.correction == ""
    match = Matches(FOOTSIES, "random").begin(np.random.default_rng(0))
    match.answer("Kick")
    match.answer("I think it over.")
    assert (match.live.ended, match.live.by, match.payoff(0)) == ("forfeited", (0,), -1)
    assert match.score(0) == pytest.approx(-1, abs=EXACT)  # the value 0 becomes a loss
    for late in (match.situation, match.forfeit, lambda: match.answer("Grab")):
        with pytest.raises(UsageError, match="the match is over; begin another"):
            late()


def test_it_never_pays_to_forfeit() -> None:
    """Also where more can be lost than a point, and where the other one forfeits, too."""
    game = matrix_game([[9, 5], [7, 8]], rounds=3)
    match = Matches(game, "self").begin(np.random.default_rng(0))
    match.forfeit()
    match.forfeit()
    assert match.live.by == (0, 1) and [match.payoff(seat) for seat in (0, 1)] == [0, 0]
    assert match.forfeited[0] == pytest.approx(3 * 37 / 5 + 3 * 9, abs=EXACT)  # a round is worth (72 - 35) / 5
    assert match.forfeited[1] >= 0 and match.regrets == [0, 0]


def test_with_hidden_information_a_reader_sees_its_card_alone() -> None:
    match = Matches(Game(kuhn), "nash").begin(np.random.default_rng(0), 0)
    assert "player 1: card ?" in match.situation()
    while match.asked is not None:
        match.answer("bet")
    assert 0 <= match.regrets[0] < 1 and abs(match.payoff(0)) in (1, 2)


def test_the_words_of_a_disguise_are_read_and_answered() -> None:
    matches = Matches(FOOTSIES, "random", prompt="json", disguise=1)
    match = matches.begin(np.random.default_rng(0))
    assert "Attack" not in match.situation() and match.situation().startswith("{")
    match.answer("Attack")
    assert match.correction
    match.answer(matches.prompts.wording.actions[0])
    assert match.live.trajectory.steps[0].actions[0] == 0


def test_the_same_seed_has_the_same_match_and_matches_do_not_disturb_each_other() -> None:
    matches = Matches(PIG, "random")
    alone = played(matches, anything(1), 5).live.trajectory
    first, second = (matches.begin(np.random.default_rng(5)) for _ in range(2))
    readers = anything(1), anything(1)
    while first.asked is not None or second.asked is not None:
        for match, reader in ((first, readers[0]), (second, readers[1])):
            if match.asked is not None:
                match.answer(reader(match))
    assert first.live.trajectory.steps == second.live.trajectory.steps == alone.steps
    assert any(played(matches, anything(1), seed).live.trajectory.steps != alone.steps for seed in (6, 7))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"opponent": "nobody"}, "there is no player 'nobody'"),
        ({"reward": "fame"}, f"reward must be {' or '.join(map(repr, REWARDS))}, not 'fame'"),
        ({"prompt": "song"}, "prompt must be 'text' or 'json', not 'song'"),
        ({"disguise": -1}, "disguise must be a whole number of at least 0, not -1"),
        ({"blocks": 99}, "blocks must be a whole number"),
    ],
)
def test_mistakes_are_sentences(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Matches(**({"game": "footsies_v0"} | options))


def test_mistakes_about_the_game_and_the_seat_are_sentences() -> None:
    with pytest.raises(UsageTypeError, match="has its parameters already; unexpected blocks"):
        Matches(FOOTSIES, blocks=1)
    with pytest.raises(UsageError, match="a seat is 0 or 1, not 2"):
        Matches(FOOTSIES).begin(np.random.default_rng(0), 2)
