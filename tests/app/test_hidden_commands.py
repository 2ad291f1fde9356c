"""What commands do with games whose players see a part of the state each."""

import re
from pathlib import Path

import pytest

from command import Command
from made_games import written
from nashzoo.arena import records
from nashzoo.baselines import information_form
from nashzoo.envs import make_game

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "games"
KUHN, LEDUC = FOLDER / "kuhn.py", FOLDER / "leduc.py"

# Both players bid a card at once, of which each sees the own hand, and who won.
BIDS = """
from typing import NamedTuple
NAME, ACTIONS = "bids_v0", ("low", "middle", "high")
SEEN_BY = {"hand0": (0,), "hand1": (1,)}
class State(NamedTuple):
    hand0: int
    hand1: int
    rounds: int
    lead: int
def field_maxima():
    return State(7, 7, 2, 4)
def start():
    return State(7, 7, 0, 2)
def legal(state, player):
    return state.hand0 if player == 0 else state.hand1
def step(state, action0, action1):
    lead = state.lead + (action0 > action1) - (action0 < action1)
    return State(state.hand0 - 2**action0, state.hand1 - 2**action1, state.rounds + 1, lead)
def terminal(state):
    return state.rounds == 2
def payoff(state):
    return state.lead - 2 if state.rounds == 2 else 0
"""


def pages(out: str) -> list[str]:
    """Returns the cards of the other player as they were shown, page by page."""
    return re.findall(r"(?:other|blue): card (\S+?)[, ]", out)


class TestPlay:
    def test_the_others_card_is_hidden_until_the_end(self, nashzoo: Command) -> None:
        out = nashzoo.prints(f"play {LEDUC} --against nash --seed 3", "call\n" * 10)
        *before, last = pages(out)
        assert len(before) > 1 and set(before) == {"?"} and last != "?"

    def test_bids_that_nobody_sees_are_not_told(self, nashzoo: Command, tmp_path: Path) -> None:
        (tmp_path / "bids.py").write_text(BIDS)
        out = nashzoo.prints(f"play {tmp_path / 'bids.py'} --against random --seed 1", "middle\nlow\n")
        assert "You played middle, the other moved." in out and "hand1 ?" in out
        assert re.search("You played low, the other played (low|middle|high)", out)  # all is over
        out = nashzoo.prints(f"play {tmp_path / 'bids.py'} --against manual", "middle\nlow\nlow\nhigh\n")
        assert "You moved, the other moved." in out
        assert out.count("hand0 7") == 1 and out.count("hand1 7") == 1  # each is shown to its player

    def test_each_of_two_people_sees_the_own_card(self, nashzoo: Command) -> None:
        out = nashzoo.prints(f"play {KUHN} --against manual --seed 0", "pass\nbet\npass\n")
        own, other = re.findall(r"you: card (\d)", out)[:2]
        assert re.search(rf"you: card {own} other: card \?.*other: card \? you: card {other} checked", out)

    def test_a_hint_is_the_strategy_of_what_is_seen(self, nashzoo: Command) -> None:
        for seed in range(10):
            out = nashzoo.prints(f"play {KUHN} --seed {seed}", "hint\ndraw\npass\nhint\n")
            if "you: card 2" in out:
                assert "A perfect player draws from Check 1.0000; the game is worth \N{MINUS SIGN}0.3333 to it." in out
            assert "The other declines." in out

    def test_verbose_play_shows_what_actions_are_worth(self, nashzoo: Command) -> None:
        out = nashzoo.prints(f"play {KUHN} --against manual --verbose --seed 0", "bet\n")
        assert re.search(r"worth \S+ to you \[1\] Check \(\S+\) \[2\] Bet 1 \(\S+\)", out)
        assert "worth unknown to the other: the other does not lead here in perfect play [1] Fold [2] Call 1" in out


class TestWatch:
    def test_everything_is_shown_of_a_match_without_people(self, nashzoo: Command) -> None:
        assert "?" not in pages(nashzoo.prints(f"watch {LEDUC} nash random --delay 0 --seed 1"))

    def test_a_match_with_a_person_shows_what_the_person_sees(self, nashzoo: Command) -> None:
        *before, last = pages(nashzoo.prints(f"watch {LEDUC} manual random --delay 0 --seed 2", "call\n" * 10))
        assert set(before) == {"?"} and last != "?"

    def test_what_is_truly_0_is_0_for_who_sees_it(self, nashzoo: Command, tmp_path: Path) -> None:
        rules = (
            BIDS.replace("7, 2, 4)", "7, 3, 6)")
            .replace("0, 2)", "0, 3)")
            .replace("== 2", "== 3")
            .replace("- 2 ", "- 3 ")
        )
        (tmp_path / "bids.py").write_text(rules)
        out = nashzoo.prints(f"watch {tmp_path / 'bids.py'} random random --delay 0 --seed 1")
        assert "?" not in out and "hand0 0 hand1 0" in out
        out = nashzoo.prints(f"watch {tmp_path / 'bids.py'} manual random --delay 0 --seed 1", "low\nmiddle\nhigh\n")
        assert "hand1 ?" in out and "hand0 ?" not in out and "hand0 0 hand1 0" in out

    def test_a_match_of_two_people_shows_what_both_see(self, nashzoo: Command) -> None:
        out = nashzoo.prints(f"watch {KUHN} manual manual --delay 0 --seed 2", "pass\npass\n")
        assert out.count("red: card ? blue: card ?") == 2 and "red: card ?" not in out.split("2. ")[1]


def test_a_replay_shows_everything(nashzoo: Command, tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    nashzoo.prints(f"play {LEDUC} --against random --seed 3 --save {file}", "call\n")  # left unfinished
    out = nashzoo.prints(f"replay {file} --delay 0 --game {LEDUC}")
    assert len(pages(out)) > 1 and "?" not in pages(out)


class TestSolve:
    def test_the_start(self, nashzoo: Command) -> None:
        assert nashzoo.json(f"solve {KUHN}")["value"] == pytest.approx(-1 / 18, abs=1e-9)
        assert "kuhn_v0, 12 information states and 30 pairs of sequences solved" in nashzoo.prints(f"solve {KUHN}")

    def test_what_a_player_sees(self, nashzoo: Command) -> None:
        """Facing a bet with the 2, player 1 calls one time in three in every equilibrium (Kuhn 1950)."""
        whole, seen = (
            nashzoo.json(f"solve {KUHN} --at dealt=1,card0={other},card1=2,moves=1,history=1") for other in ("3", "?")
        )
        assert whole == seen and seen["seen1"] == "dealt=1,card0=?,card1=2,moves=1,history=1"
        assert seen["strategy1"]["bet"] == pytest.approx(1 / 3) and "strategy0" not in seen
        assert sum(seen["beliefs1"].values()) == pytest.approx(1.0)
        out = nashzoo.prints(f"solve {KUHN} --at dealt=1,card1=2,moves=1")
        assert "blue sees dealt=1,card0=?,card1=2,moves=1,history=0" in out
        assert "0.5000 dealt=1,card0=1,card1=2" in out

    @pytest.mark.parametrize(
        ("at", "message"),
        [
            ("dealt=1,card1=3,moves=1,history=3", "play does not lead blue to dealt=1,card0=?,card1=3"),
            ("moves=?", "moves must be a whole number, not '?'"),
        ],
    )
    def test_what_nobody_sees(self, nashzoo: Command, at: str, message: str) -> None:
        assert message in nashzoo.refused(f"solve {KUHN} --at {at}")

    def test_chance(self, nashzoo: Command) -> None:
        assert "Chance decides here." in nashzoo.prints(f"solve {KUHN} --at card0=?")


BOTS = """
from nashzoo.envs.core.agent import Agent, FiniteMemoryAgent, PolicyAgent, uniform_over


class Calls(PolicyAgent):
    def action_probabilities(self, observations, action_masks):
        codes, players = self.states_of(observations)
        for code, player in zip(codes.tolist(), players.tolist()):
            state = self.game.state(code)
            assert (state.card1, state.card0)[player] == 0, "it sees the other's card"
        return uniform_over(action_masks * [1, 0] if len(action_masks[0]) == 2 else action_masks * [0, 1, 0])


class Remembers(FiniteMemoryAgent):
    memory_states = 2

    def remember(self, states, observations):
        return states * 0 + 1

    def memory_probabilities(self, states, observations, masks):
        return uniform_over(masks)
"""


class TestPlayers:
    @pytest.fixture
    def bots(self, tmp_path: Path) -> Path:
        path = tmp_path / "bots.py"
        path.write_text(BOTS)
        return path

    @pytest.mark.slow
    def test_a_tournament_measures_exactly_whom_it_can(self, nashzoo: Command, tmp_path: Path, bots: Path) -> None:
        players = f"nash random {bots}:Calls {bots}:Remembers"
        games = tmp_path / "games.jsonl"
        told = nashzoo.json(
            f"tournament {KUHN} --agents {players} --games 40 --exact --out {tmp_path / 'out'} --save-games {games}"
        )
        measured = {one["player"].rpartition(":")[2]: one["exploitability"] for one in told["standings"]}
        # A player who always passes loses a chip from player 0's seat and from player 1's to who always bets.
        assert measured == {
            "nash": pytest.approx(0, abs=1e-9),
            "random": pytest.approx(11 / 24),
            "Calls": pytest.approx(1.0),
            "Remembers": None,
        }
        exact = {pair["exact_points_per_game"] for pair in told["pairs"] if "Remembers" in pair["opponent"]}
        assert exact == {None}
        assert len(list(records.read(games, make_game))) == 6 * 40

    def test_a_memory_is_refused_by_exact_measures(self, nashzoo: Command, bots: Path) -> None:
        message = "chooses by more than its information state"
        assert message in nashzoo.refused(f"exploitability {KUHN} {bots}:Remembers")
        assert nashzoo.json(f"exploitability {KUHN} {bots}:Calls")["exploitability"] == pytest.approx(1.0)

    @pytest.mark.parametrize("player", ["mcts", "minimax", "perfect"])
    def test_players_that_need_the_state_are_refused(self, nashzoo: Command, player: str) -> None:
        message = f"{player} plays .*games.* whose state both players see, not kuhn_v0"
        for command in (f"exploitability {KUHN} {player}", f"play {KUHN} --against {player}"):
            assert re.search(message, nashzoo.refused(command))


@pytest.mark.parametrize("picture", ["--over card0,card1", "--line"])
def test_maps_and_lines_are_refused(nashzoo: Command, tmp_path: Path, picture: str) -> None:
    assert re.search(
        "hides a part of the state|chance decides", nashzoo.refused(f"picture {KUHN} {picture} --out {tmp_path}/a.png")
    )


def test_a_view_is_drawn(nashzoo: Command, tmp_path: Path) -> None:
    nashzoo.prints(f"picture {KUHN} --board --at dealt=1,card0=2,card1=? --out {tmp_path}/a.svg")
    assert "player 1: card ?" in (tmp_path / "a.svg").read_text()


@pytest.mark.parametrize(
    ("game", "histories"),
    [(LEDUC, 1_000), pytest.param(FOLDER / "phantom_tictactoe.py", 50_000, marks=pytest.mark.slow)],
)
def test_a_hint_does_not_wait_for_a_large_game(
    nashzoo: Command, monkeypatch: pytest.MonkeyPatch, game: Path, histories: int
) -> None:
    monkeypatch.setattr(information_form, "QUICK", histories)
    out = nashzoo.prints(f"play {game} --against random", "hint\n")
    assert "perfect play takes minutes to compute" in out


EVERETT = """
from typing import NamedTuple

NAME = "everett_v0"
ACTIONS = ("wait", "dare")


class State(NamedTuple):
    node: int  # 0, 1: chance decides, 2: won, 3: lost


def field_maxima():
    return State(3)


def start():
    return State(0)


def turn(state):
    return 2


def step(state, action0, action1):
    return State((0, 2, 2, 3)[2 * action0 + action1])


def terminal(state):
    return state.node > 1


def payoff(state):
    return (0, 0, 1, 0)[state.node]
"""
# Player 0 wins at once, or goes where it loses so late that rounding hides it.
LATE = (
    ("return 2", "return 3 if state.node == 1 else 0"),
    ("action0, action1):", "action):"),
    ("(0, 2, 2, 3)[2 * action0 + action1])", "1 + action)"),
    ("(0, 0, 1, 0)", "(0, 0, 1, -1)"),
    ("def terminal", "def chance(state):\n    return [(State(1), 1 - 1e-10), (State(3), 1e-10)]\n\n\ndef terminal"),
)


@pytest.mark.slow
class TestPlayWithoutEnd:
    def test_a_value_that_no_strategy_secures_is_between_bounds(self, nashzoo: Command, tmp_path: Path) -> None:
        out = nashzoo.prints(f"solve {written(tmp_path, EVERETT)}")  # val [[V, 1], [1, 0]] is 1
        lower, upper = re.search(r"lies between (\S+) and (\S+)\.", out).groups()  # type: ignore[union-attr]
        assert 0.999 < float(lower) < 1 <= float(upper) < 1.001
        assert "may have no optimal strategies" in out

    def test_what_could_not_be_proven_is_one_sentence(self, nashzoo: Command, tmp_path: Path) -> None:
        code, out, err = nashzoo(f"solve {written(tmp_path, EVERETT, *LATE)}")
        assert (code, out) == (2, "")
        assert "the value of the game lies between" in err and "Traceback" not in err


class TestTolerance:
    @pytest.mark.slow
    def test_no_more_digits_are_printed_than_are_proven(self, nashzoo: Command) -> None:
        out = nashzoo.prints(f"solve {LEDUC} --param ranks=12 --tolerance 0.01").replace("\N{MINUS SIGN}", "-")
        value = float(re.search(r"value to red: (\S+) ", out)[1])  # type: ignore[index]
        lower, upper = re.search(r"lies between (\S+) and (\S+)\.", out).groups()  # type: ignore[union-attr]
        assert float(lower) <= value <= float(upper) < float(lower) + 0.021
        assert 10 ** -len(str(value).partition(".")[2]) > (float(upper) - float(lower)) / 20

    def test_a_small_game_has_a_fraction(self, nashzoo: Command) -> None:
        assert "exactly: \N{MINUS SIGN}1/18" in nashzoo.prints(f"solve {KUHN}")

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("footsies_v0 --tolerance 0.1", "nothing is hidden in footsies_v0"),
            (f"{KUHN} --tolerance 0", "tolerance must be a positive number of points, not 0.0"),
            (f"{KUHN} --out file", "solutions of kuhn_v0 are not kept in files"),
        ],
    )
    def test_what_has_no_meaning_is_refused(self, nashzoo: Command, line: str, message: str) -> None:
        assert message in nashzoo.refused(f"solve {line}")
