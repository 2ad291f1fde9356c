"""The rules of games in words, and disguises: true, whole, and without the words that tell which game it is."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import nim
from made_games import with_rules
from nashzoo.baselines.game_problems import game_problems
from nashzoo.envs import Game, footsies_v0, make_game, matrix_game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.text.situation import as_text, situation
from nashzoo.envs.text.wording import INVENTED, Disguise, Wording, disguise, words_outside_braces
from same_game import check_same_game
from worded_games import GAMES, NAMES, choices, game_of

WORDS = 150  # of a text of rules
LONGER = {"bodega_brawl_v0": 180, "soccer_v0": 200, "nashzoo.examples.drawn_rooms": 240}
STATES = 40  # of each game
# Words that tell which game it is.
STORY = {
    "footsies", "fight", "attack", "block", "grab", "dragon", "punch", "hit", "roshambo", "rock", "paper",
    "scissors", "lizard", "spock", "throw", "brawl", "card", "head", "body", "legs", "dual", "counter", "strike",
    "sudden", "tic-tac-toe", "crosses", "noughts", "soccer", "red", "blue", "ball", "goal", "kick", "shot",
    "penalty", "blotto", "soldiers", "battlefield", "stones", "hex", "goofspiel", "prize", "bids", "kuhn", "poker",
    "bet", "pass", "leduc", "fold", "call", "raise", "dice", "die", "liar", "pig", "roll", "hold", "pursuit",
    "pursuer", "evader", "north", "south", "layer",
}  # fmt: skip

each_game = pytest.mark.parametrize(("name", "options"), GAMES, ids=str)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.lower())


def read(wording: Wording, count: int = STATES) -> str:
    """Returns what players read at some states."""
    states = choices(wording.game, count)
    return "\n".join(as_text(situation(wording, code, player)) for code, player in states)


@each_game
def test_rules_are_short_and_in_clean_lines(name: str, options: dict[str, Any]) -> None:
    game = game_of(name, options)
    rules = game.view.rules_text(game.params)
    assert 50 < len(rules.split()) <= LONGER.get(name, WORDS)
    assert not re.search(r"\b[Aa]n \{|  | \n", rules)  # "an" would be wrong before an invented word
    assert all(line[0] in "-{" or line[0].isupper() for line in rules.splitlines())


@each_game
def test_names_of_actions_and_fields_are_in_braces(name: str, options: dict[str, Any]) -> None:
    assert words_outside_braces(game_of(name, options)) == ""


@each_game
def test_every_action_of_the_rules_is_named(name: str, options: dict[str, Any]) -> None:
    """Each word of an action's name is in the rules."""
    game = game_of(name, options)
    told = set(words(Wording(game).rules))
    assert {word for action in game.actions for word in words(re.sub(r"\w*\d\w*", "", action))} <= told


@each_game
def test_a_disguise_is_the_same_game_in_other_words(name: str, options: dict[str, Any]) -> None:
    check_same_game(disguise(game_of(name, options), 5), STATES)  # which raises an error otherwise


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "states"), [
    ("footsies_v0", {}, 1000),
    ("roshambo_v0", {"rounds": 4}, 1000),
    ("bodega_brawl_v0", {"preset": "tiny"}, 3000),
    ("tictactoe_v0", {}, 6000),
    ("nashzoo.examples.kuhn", {}, 100),
    ("nashzoo.examples.leduc", {}, 20_000),
    ("nashzoo.examples.goofspiel", {}, 1000),
    ("nashzoo.examples.pursuit", {}, 20_000),
])  # fmt: skip
def test_it_is_the_same_game_at_all_states(name: str, options: dict[str, Any], states: int) -> None:
    assert check_same_game(disguise(game_of(name, options), 6), states)


@each_game
def test_a_disguise_tells_no_story_and_explains_its_words(name: str, options: dict[str, Any]) -> None:
    game = game_of(name, options)
    other = disguise(game, 2)
    told = set(words(read(other)))
    assert not {word for word in told if {word, word.removesuffix("s")} & STORY}
    explained = " ".join((other.rules, other.introduction(0), other.introduction(1), *other.actions)).lower()
    assert [word for word in other.words.values() if word in told and word not in explained] == []


def test_the_story_is_told_without_a_disguise() -> None:
    told = " ".join(read(Wording(game_of(*one)), 2) for one in GAMES).lower()
    assert [word for word in STORY if word not in told] == []


def test_two_seeds_are_two_disguises() -> None:
    for name in NAMES:
        game = make_game(name)
        assert disguise(game, 1).rules != disguise(game, 2).rules


def test_a_seed_is_the_same_disguise_everywhere() -> None:
    assert disguise(footsies_v0.game(), 1).actions == ("Tovdre", "Tovnik", "Silpra", "Zanmo Rudmo")


def test_no_invented_word_is_another_with_an_ending() -> None:
    assert len(set(INVENTED)) == len(INVENTED)
    assert not any(word.startswith(other) for word in INVENTED for other in INVENTED if word != other)


class TestTruth:
    """What the texts say is what the rules do."""

    @pytest.mark.parametrize("payoff", ["rps", "rpsls", [[0, 2.5, -1], [-2.5, 0, 0], [1, 0, 0]]], ids=str)
    def test_the_points_of_roshambo(self, payoff: Any) -> None:
        game = make_game("roshambo_v0", payoff=payoff)
        for action0, row in enumerate(game.actions):
            for action1, column in enumerate(game.actions):
                points = game.payoff(game.step(game.first_decision, action0, action1))
                line = rf"^- {row} wins.*?([\d.]+) points? against {column}\b"
                won = re.findall(line, Wording(game).rules, re.MULTILINE)
                assert list(map(float, won)) == [points] * (points > 0)

    def test_which_move_of_footsies_wins_at_once(self) -> None:
        game = footsies_v0.game()
        line = r"^- (.*?) wins .*?against (\w+(?: Punch)?)(?: and (\w+))?"
        told = re.findall(line, Wording(game).rules, re.MULTILINE)
        start = game.first_decision
        assert {(winner, loser) for winner, *losers in told for loser in losers if loser} == {
            (one, other)
            for action0, one in enumerate(game.actions)
            for action1, other in enumerate(game.actions)
            if game.payoff(game.step(start, action0, action1)) == 1
        }

    @pytest.mark.parametrize("preset", ["large", "small", "giant"])
    def test_the_cards_and_limits_of_bodega_brawl(self, preset: str) -> None:
        game = make_game("bodega_brawl_v0", preset=preset)
        rules, start = Wording(game).rules, game.state(game.first_decision)
        for place in ("head", "body", "legs"):
            held = getattr(start, f"{place}_attack0"), getattr(start, f"{place}_dual0")
            assert "{} and {} for the {}".format(*held, place) in rules
            assert f"{getattr(game.field_maxima, f'{place}0')} on the {place}" in rules

    def test_the_numbers_of_parameters(self) -> None:
        footsies = Wording(make_game("footsies_v0", rounds=5, blocks=7, attacks_to_win=3, max_turns=9)).rules
        for text in ("5 rounds", "7 blocks", "3 in succession", "9 turns"):
            assert text in footsies
        soccer = Wording(make_game("soccer_v0", width=11, height=7, goal_height=3)).rules
        for text in ("columns 1 to 11", "rows 1 to 7", "column 12", "rows 3 to 5", "(1, 4) and (11, 4)"):
            assert text in soccer
        assert "without any, the Attack lands as well" in Wording(footsies_v0.game()).rules
        assert "do not matter" in Wording(make_game("footsies_v0", exhausted_block="free")).rules

    def test_the_points_of_a_random_game(self) -> None:
        game = make_game("nashzoo.examples.random_game", layers=1, width=5, reach=1, seed=8)
        points = [game.payoff(game.code(layer=1, place=place)) for place in range(5)]
        assert f"by place: {', '.join(f'{one:g}' for one in points)}." in Wording(game).rules

    def test_a_matrix_is_told_whole(self) -> None:
        game = matrix_game([[3, 0], [1, 2.5]], rows=["up", "down"], columns=["left", "right"], rounds=3)
        for line in ("up against left: 3", "up against right: 0", "down against left: 1", "down against right: 2.5"):
            assert f"- {line}\n" in Wording(game).rules
        assert check_same_game(disguise(game, 0), 100)

    @pytest.mark.parametrize(("name", "options"), [("tictactoe_v0", {}), ("soccer_v0", {})])
    def test_the_end_of_a_match(self, name: str, options: dict[str, Any]) -> None:
        game = game_of(name, options)
        assert f"cut off after {game.max_cycles:,} time steps" in Wording(game).rules


class TestWithoutRulesText:
    def test_what_is_known_is_told(self) -> None:
        rules = Wording(Game(nim)).rules
        assert rules.startswith((nim.__doc__ or "").splitlines()[0])
        for text in (
            "One player chooses at a time.",
            "actions are take 1, take 2",
            "heap (0 to ",
            "mover (0 to 1)",
        ):
            assert text in rules
        kuhn = make_game("nashzoo.examples.kuhn").rules.written
        hidden = Wording(Game(with_rules(kuhn, "rules_text"))).rules
        assert "player 0 does not see card1." in hidden and "player 1 does not see card0." in hidden

    def test_there_is_no_disguise(self) -> None:
        with pytest.raises(UsageError, match="nim_v0 has no rules_text"):
            disguise(Game(nim), 0)


@pytest.mark.parametrize("text", ["{Take} from the heap.", "Take from the {heap}.", "{Take}. The {heap}s. Movers."])
def test_a_name_outside_of_braces_is_refused(text: str) -> None:
    game = Game(with_rules(nim, rules_text=text))
    with pytest.raises(UsageError, match=r"nim_v0: rules_text has (heap|Take|Movers) outside of braces"):
        disguise(game, 0)
    (problem,) = game_problems(game)
    assert problem == words_outside_braces(game)


def test_a_text_or_a_function_of_the_parameters() -> None:
    text = Wording(Game(with_rules(nim, rules_text="The {heap}."))).rules
    function = Wording(Game(with_rules(nim, rules_text=lambda params: f"{params.heap} in the {{heap}}."), heap=6)).rules
    assert text.startswith("The heap.\n") and function.startswith("6 in the heap.\n")
    with pytest.raises(UsageError, match="rules_text is 3, not a function"):
        Game(with_rules(nim, rules_text=3))


def broken(game: Game, change: Iterable[tuple[str, str]]) -> Disguise:
    """Returns a disguise with some of its words replaced."""
    other = disguise(game, 1)
    other.words |= dict(change)
    other.actions = tuple(map(other.renamed, game.actions))
    return other


def test_a_disguise_that_makes_two_words_one_is_found() -> None:
    game = footsies_v0.game()
    words = disguise(game, 1).words
    for change in ({"grab": words["block"]}, {"lead": words["round"]}, {"grab": "hold"}):
        with pytest.raises(UsageError, match=r"cannot be undone|are not the same action|is no legal action|several"):
            check_same_game(broken(game, change.items()), STATES)


def test_single_letters_are_names_of_actions_alone() -> None:
    game = make_game("nashzoo.examples.littman_soccer")
    other = disguise(game, 1)
    assert {"N", "S", "E", "W"} <= set(other.words) and "n" not in other.words
    assert other.renamed("N or n, a N1") == f"{other.actions[0]} or n, a {other.actions[0]}1"
    code = game.first_decision
    assert np.array_equal(*(sorted(set(w.state(code, 0))) for w in (Wording(game), other)))  # the board as it is
