"""What a player reads before a choice: what it may know, and no more."""

import itertools
import json

import pytest

from nashzoo.arena.trajectory import Trajectory
from nashzoo.envs import Game, footsies_v0, make_game, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.seeds import streams
from nashzoo.envs.text.situation import Situation, as_json, as_text, situation
from nashzoo.envs.text.wording import disguise
from nashzoo.examples import kuhn

KUHN = Game(kuhn)


def played(game: Game, *pairs: tuple[int, int], start: int | None = None) -> Trajectory:
    match = Trajectory(game, game.first_decision if start is None else start)
    for actions in pairs:
        match.act(*actions, streams(0, 1))
    return match


def read(match: Trajectory, player: int) -> Situation:
    return situation(match.game, match.code, player, match.steps)


def test_both_actions_and_their_effect_are_read_where_both_choose() -> None:
    choice = read(played(footsies_v0.game(), (1, 1), (0, 2)), 1)
    assert choice.seat == "You are player 1."
    assert choice.happened == (
        "player 0 played Attack, player 1 played Grab",
        "Attack hits Grab: player 1 got hit, 1 of 2 in succession",
    )
    assert "player 0: blocks 3, hits landed in succession 1, last move Attack" in choice.state
    assert choice.actions == footsies_v0.game().actions


def test_in_turn_all_since_the_own_choice_is_read() -> None:
    match = played(tictactoe_v0.game(), (4, 0), (0, 8), (2, 0))
    assert read(match, 1).happened == ("noughts marked 8", "crosses marked 2")
    assert read(match, 1).actions == ("0", "1", "3", "5", "6", "7")
    assert read(match, 1).seat == "You are player 1, noughts."
    assert read(played(tictactoe_v0.game(), (4, 0)), 1).happened == ("crosses marked 4",)


def test_the_signs_of_a_board_are_explained() -> None:
    game = make_game("soccer_v0", random_positions=False)
    assert game.legend(0) in situation(game, game.first_decision, 0).state


def test_without_a_history_nothing_is_said_of_it() -> None:
    game = tictactoe_v0.game()
    code = game.code(board="x........")
    for written in (as_text, as_json):
        assert "happened" not in written(situation(game, code, 1))
        assert "happened" in written(situation(game, code, 1, ()))


def test_text_and_json_have_the_same_content() -> None:
    choice = read(played(footsies_v0.game(), (1, 1), (0, 2)), 1)
    text, value = as_text(choice), json.loads(as_json(choice))
    assert {key: tuple(one) if isinstance(one, list) else one for key, one in value.items()} == {
        key: one for key, one in choice._asdict().items() if one is not None
    }
    for one in filter(None, choice):
        for part in one if isinstance(one, tuple) else [one]:
            assert part in text
    assert [name for name in text.splitlines() if name.removeprefix("- ") in choice.actions] == [
        "- Attack", "- Block", "- Grab", "- Dragon Punch"
    ]  # fmt: skip
    assert "- nothing\n" in as_text(read(played(footsies_v0.game()), 0))


@pytest.mark.parametrize("player", [0, 1])
def test_who_sees_the_same_reads_the_same(player: int) -> None:
    """In Kuhn poker a player reads neither the other's card nor anything that depends on it."""
    deals = [int(code) for code in KUHN.outcomes(int(KUHN.start_codes[0]))[0]]
    seen = set()
    for moves in itertools.chain.from_iterable(itertools.product((0, 1), repeat=count) for count in range(3)):
        texts: dict[int, set[str]] = {}
        for deal in deals:
            match = played(KUHN, start=deal)
            for move in moves:
                if not match.over:
                    match.act(move, move, streams(0, 1))
            if not match.over and player in KUHN.movers(match.code):
                own = KUHN.state(match.code)[1 + player]
                texts.setdefault(own, set()).add(as_text(read(match, player)))
        assert all(len(of_a_card) == 1 for of_a_card in texts.values())
        seen |= set().union(*texts.values())
    assert len(seen) == 3 * 2  # cards, and the two information sets of a player with each


def test_a_move_that_leaves_no_trace_is_not_read() -> None:
    game = make_game("nashzoo.examples.hidden_goofspiel")
    match = played(game, (0, 3))
    assert read(match, 0).happened == ("player 0 played card 1, player 1 moved",)
    assert "player 1: bids ?" in read(match, 0).state


def test_what_chance_decides_is_read() -> None:
    game = make_game("nashzoo.examples.pig")
    match = played(game)
    match.follow(0, 0, after=game.code(total=4))
    assert read(match, 0).happened == ("player 0 played roll; then by chance total=4",)


def test_a_disguised_step_has_its_actions_and_its_reward() -> None:
    game = make_game("roshambo_v0", rounds=3)
    other, match = disguise(game, 1), played(game, (0, 1))
    rock, paper, _ = other.actions
    verb = other.words["played"]
    (line,) = situation(other, match.code, 0, match.steps).happened
    assert line == f"player 0 {verb} {rock}, player 1 {verb} {paper}; player 1 won 1 point"
    drawn = played(game, (0, 0))
    assert "won" not in situation(other, drawn.code, 0, drawn.steps).happened[0]


def test_who_does_not_choose_is_told() -> None:
    game = tictactoe_v0.game()
    with pytest.raises(UsageError, match=r"player 1 does not choose at board=\.{9}"):
        situation(game, game.first_decision, 1)
