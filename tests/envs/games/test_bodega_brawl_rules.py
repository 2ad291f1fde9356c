"""The rules of Bodega Brawl, against a second implementation that is slow and obvious, state by state."""

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodega_brawl_by_the_book import MODES, PRESETS, REGIONS, Brawl, Fighter, live_states, product_of, table
from nashzoo.envs import bodega_brawl_v0
from nashzoo.envs.core.game import Game
from nashzoo.envs.games.bodega_brawl.codes import DRAWN

PAGE = Path(__file__).resolve().parents[3] / "docs" / "bodega_brawl.md"


def compare(game: Game, code: int, brawl: Brawl) -> None:
    assert game.state(code)._asdict() == brawl.fields()
    assert game.terminal(code) == bool(brawl.result)
    assert game.payoff(code) == brawl.reward


@pytest.mark.parametrize("double_ko", MODES)
@pytest.mark.parametrize("preset", ["tiny", pytest.param("small", marks=pytest.mark.slow)])
def test_every_move_at_every_state(preset: str, double_ko: str) -> None:
    game = bodega_brawl_v0.game(preset=preset, double_ko=double_ko)
    compared = set()
    for brawl in live_states(**PRESETS[preset], double_ko=double_ko):
        code = game.code(**brawl.fields())
        compare(game, code, brawl)
        compared.add(code)
        for player in range(2):
            assert list(game.legal_actions(code, player)) == brawl.choices(player)
        for actions in itertools.product(brawl.choices(0), brawl.choices(1)):
            compare(game, game.step(code, *actions), brawl.play(*actions))
    assert len(compared) == game.rules.num_states(game.params)


def random_game(game: Game, brawl: Brawl, rng: np.random.Generator) -> Brawl:
    """Plays a game at random in both implementations; returns how it ended."""
    code = int(game.start_codes[0])
    compare(game, code, brawl)
    while not brawl.result:
        for player in range(2):
            assert list(game.legal_actions(code, player)) == brawl.choices(player)
        actions = [int(rng.choice(brawl.choices(player))) for player in range(2)]
        code, brawl = game.step(code, *actions), brawl.play(*actions)
        compare(game, code, brawl)
    return brawl


@pytest.mark.parametrize("double_ko", MODES)
@pytest.mark.parametrize("preset", ["large", "medium"])
def test_random_games(preset: str, double_ko: str) -> None:
    game = bodega_brawl_v0.game(preset=preset, double_ko=double_ko)
    rng = np.random.default_rng(0)
    endings = Counter()
    for _ in range(300):
        end = random_game(game, Brawl(**PRESETS[preset], double_ko=double_ko), rng)
        out = sum(fighter.knocked_out(end.limits) for fighter in end.fighters)
        endings[end.result, end.sudden_death, out] += 1
    drawn, decided = {key for key in endings if key[0] == "nobody"}, {key for key in endings if key[0] != "nobody"}
    # Both kinds of endings occurred, each in every way it can come about.
    if double_ko == "draw":
        assert decided == {("player 0", False, 1), ("player 1", False, 1)}
        assert drawn >= {("nobody", False, 2)}
    else:
        assert decided == {(f"player {p}", sudden, int(not sudden)) for p in range(2) for sudden in (False, True)}


def options_of(limits: list[int], total: int, cards: list[int]) -> dict[str, int]:
    names = [f"{region}_{kind}" for kind in ("attack", "dual") for region in REGIONS]
    return {
        **{f"{region}_limit": limit for region, limit in zip(REGIONS, limits, strict=True)},
        "total_limit": total,
        **dict(zip(names, cards, strict=True)),
    }


COUNTS = st.tuples(*[st.integers(0, 3)] * 3, *[st.integers(0, 7)] * 3).filter(any)


LIMITS = st.lists(st.integers(1, 7), min_size=3, max_size=3)


@settings(max_examples=60, deadline=None)
@given(LIMITS, st.integers(1, 21), COUNTS, st.sampled_from(MODES), st.integers(0, 2**32))
def test_random_games_with_any_limits_and_cards(
    limits: list[int], total: int, cards: tuple[int, ...], double_ko: str, seed: int
) -> None:
    game = bodega_brawl_v0.game(**options_of(limits, total, list(cards)), double_ko=double_ko)
    kinds = [(region, kind) for kind in ("attack", "dual") for region in REGIONS]
    knock_out = {**dict(zip(REGIONS, limits, strict=True)), "all": total}
    brawl = Brawl(knock_out, dict(zip(kinds, cards, strict=True)), double_ko)
    random_game(game, brawl, np.random.default_rng(seed))


def test_states_by_cards_held() -> None:
    # Card states of one player with 1..14 cards, and the square of their sum with 20 states of strikes, as
    # the published solution of the game counts them; it leaves sudden death out.
    hands = np.array([6, 18, 38, 65, 94, 116, 124, 116, 94, 65, 38, 18, 6, 1])
    game = bodega_brawl_v0.game()
    states = 20 * hands
    assert (game.rules.layer_sizes(game.params) == states * (states + 1) // 2).all()
    assert game.rules.num_states(game.params) == 28_807_600 == (states**2).sum()
    game = bodega_brawl_v0.game(double_ko="sudden_death")
    pairs = states * (states + 1) // 2 + hands * (hands + 1) // 2
    assert (game.rules.layer_sizes(game.params) == pairs).all()
    assert game.rules.num_states(game.params) == 72_019 * 401


@pytest.mark.parametrize("preset", PRESETS)
def test_sizes_are_as_the_page_says(preset: str) -> None:
    limits, deck = PRESETS[preset]["limits"], PRESETS[preset]["deck"]
    strikes = [Counter(dict(zip(REGIONS, counts, strict=True))) for counts in product_of(limits[r] for r in REGIONS)]
    live = sum(not Fighter(Counter(), each).knocked_out(limits) for each in strikes)
    hands = Counter(sum(counts) for counts in product_of(deck.values()))
    states = sum((count * live) ** 2 for held, count in hands.items() if held > 0)
    game = bodega_brawl_v0.game(preset=preset)
    assert game.rules.num_states(game.params) == states
    by_region = [", ".join(str(deck.get((region, kind), 0)) for region in REGIONS) for kind in ("attack", "dual")]
    knock_out = ", ".join(str(limits[region]) for region in REGIONS)
    row = f'| `"{preset}"` | {knock_out} | {limits["all"]} | {" | ".join(by_region)} | {states:,} |\n'
    assert row in PAGE.read_text()


def test_the_table_of_strikes_is_as_the_page_says() -> None:
    told = {"nobody": "nothing", "you": "player 0 is struck", "other": "player 1 is struck", "both": "both are struck"}
    for use in ("attack", "counter"):
        columns = [(other, same) for same in (True, False) for other in ("attack", "counter")]
        cells = [told[table()[use, other, same]] for other, same in columns]
        assert f"| **{use}** | {' | '.join(cells)} |\n" in PAGE.read_text()


@pytest.mark.parametrize("options", [{}, {"double_ko": "sudden_death"}, {"preset": "medium"}, "largest"], ids=str)
def test_numbers_of_a_sample_and_what_follows(options: Any) -> None:
    if options == "largest":
        options = {**options_of([7, 7, 7], 21, [3, 3, 3, 7, 7, 7]), "double_ko": "sudden_death"}
    game = bodega_brawl_v0.game(**options)
    rules, params = game.rules, game.params
    ends = np.cumsum(rules.layer_sizes(params))
    borders = np.concatenate([ends, ends - 1, [0]])
    rng = np.random.default_rng(0)
    sample = {*borders[borders < ends[-1]].tolist(), *rng.integers(0, ends[-1], 2000).tolist()}
    for number in sample:
        code = rules.code_at(params, number)
        state = game.state(code)
        assert game.code(**state._asdict()) == code and not game.terminal(code)
        assert rules.index(params, code) == number
        other = rules.swap_players(params, code)
        assert rules.index(params, other) == (number if other == code else ~number)
        cards = sum(state[6:12])
        assert cards == 1 + np.searchsorted(ends, number, side="right")
        actions = (int(rng.choice(game.legal_actions(code, player))) for player in range(2))
        following = game.step(code, *actions)
        if game.terminal(following):
            continue
        place = rules.index(params, following)
        # What follows lies in the layer with one card less.
        assert np.searchsorted(ends, max(place, ~place), side="right") == cards - 2


def after(moves: str, **options: Any) -> Any:
    """Returns the game and the state after moves like ``"HA-BC LD-LA"``: region, then Attack, Dual or Counter."""
    game = bodega_brawl_v0.game(**options)
    code = int(game.start_codes[0])
    for pair in moves.split():
        code = game.step(code, *("HBL".index(move[0]) * 3 + "ADC".index(move[1]) for move in pair.split("-")))
    return game, code


TO_THE_END = {"preset": "small", "head_limit": 2, "legs_dual": 0, "body_dual": 0}
BOTH_OUT = "HA-BA HC-BD HD-BD"  # the third to the body and the second to the head
SUDDEN = {"double_ko": "sudden_death"}
ONE_EACH = {"preset": "tiny", "body_dual": 1, "head_dual": 1, "body_limit": 1, **SUDDEN}


@pytest.mark.parametrize(
    ("moves", "reward", "options"),
    [
        ("HA-BC HD-BC", 1, {}),  # two strikes to the head
        ("HA-HC HD-HC", -1, {}),  # two attacks into a counter
        ("HA-HA HD-HD HC-BC HD-LD", None, {}),  # one strike each
        ("HA-BA BD-HD BD-HD", -1, {}),  # 0 is struck to the body, to the head, to the head
        ("BA-HC BD-HC LA-HC LD-HA", None, {}),  # 1: twice body, twice legs; 0: once head
        ("BA-HC BD-HC LA-LC LC-LA LD-BC LD-BC", 1, {}),  # 1: twice body, then legs for the third time: five in all
        ("BA-LA BD-LD BD-LD", 1, {}),  # the third strike to the body, while the legs take four
        ("HA-BA HD-BD", 1, {}),
        (BOTH_OUT, 0, {}),
        ("HA-LA HD-HC BD-LC HD-BC", 1, SUDDEN),  # one is out first
        ("HD-HD HD-HD", 0, TO_THE_END),
        ("HD-HC HD-HC", -1, TO_THE_END),  # a knock-out with the last card still wins
    ],
)
def test_a_game_by_hand(moves: str, reward: int | None, options: dict[str, Any]) -> None:
    game, code = after(moves, **options)
    assert game.terminal(code) == (reward is not None)
    assert game.payoff(code) == (reward or 0)
    assert (game.state(code).outcome == DRAWN) == (reward == 0) and not game.state(code).sudden_death


@pytest.mark.parametrize(
    ("moves", "reward", "options"),
    [
        (BOTH_OUT, None, SUDDEN),
        (f"{BOTH_OUT} BA-LC", 1, SUDDEN),
        (f"{BOTH_OUT} BA-BC", -1, SUDDEN),
        (f"{BOTH_OUT} BC-LC BD-BD LA-BD LD-HC", 1, SUDDEN),  # nothing, nothing, both, one
        ("HD-BD", None, ONE_EACH),
        ("HD-BD BC-HC", 0, ONE_EACH),  # out of cards
        ("HC-BC BD-HD", 0, ONE_EACH),  # out of cards at the moment of the double knock-out
    ],
)
def test_sudden_death_by_hand(moves: str, reward: int | None, options: dict[str, Any]) -> None:
    game, code = after(moves, **options)
    assert game.terminal(code) == (reward is not None)
    assert game.payoff(code) == (reward or 0)
    assert game.state(code).sudden_death and not any(game.state(code)[:6])


def test_presets_can_be_written_out_and_changed() -> None:
    written = options_of([2, 2, 2], 3, [0, 0, 0, 2, 2, 2])
    assert (bodega_brawl_v0.game(**written).params == bodega_brawl_v0.game(preset="small").params).all()
    changed = bodega_brawl_v0.game(preset="small", head_dual=1, total_limit=2)
    maxima = changed.field_maxima
    assert (maxima.head_dual0, maxima.body_dual1, maxima.head0) == (1, 2, 2)
    game = bodega_brawl_v0.game()
    assert game.field_maxima == (2, 3, 4, 2, 3, 4, 1, 3, 1, 4, 1, 4, 1, 3, 1, 4, 1, 4, 0, 3)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"legs_dual0": 2}, "both players must hold equally many cards, not 12 and 14"),
        ({"head0": 2}, "outcome must be 2 with these strikes and cards, not 0"),
        ({"body1": 2, "legs1": 3}, "outcome must be 1 with these strikes and cards, not 0"),
        ({"outcome": 3}, "outcome must be 0 with these strikes and cards, not 3"),
        ({"head0": 2, "legs1": 4}, "sudden_death must be 1 and strikes 0 where both are knocked out"),
        ({"sudden_death": 1, "body0": 1}, "strikes must be 0 in sudden death"),
        ({"sudden_death": 1, "outcome": 3}, "outcome must be 0 with these strikes and cards, not 3"),
    ],
    ids=str,
)
def test_states_that_cannot_be_are_refused(fields: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bodega_brawl_v0.game(double_ko="sudden_death").code(**fields)


def test_what_a_player_sees() -> None:
    game, code = after("HA-LD BD-LA LD-LC")  # 0: legs three times; 1: head, body
    seen = {player: dict(zip(game.features, game.observe(code, player).tolist(), strict=True)) for player in range(2)}
    cards = {  # of player 0 and of player 1
        **{"head attack": (0, 1), "body attack": (1, 1), "legs attack": (1, 0)},
        **{"head dual": (1, 1), "body dual": (3 / 4, 1), "legs dual": (3 / 4, 2 / 4)},
    }
    strikes = {"head": (0, 1 / 2), "body": (0, 1 / 3), "legs": (3 / 4, 0)}
    expected = dict.fromkeys(("sudden death", "the game is won", "the game is lost", "the game is drawn"), 0.0)
    for player, names in enumerate((("own", "other's"), ("other's", "own"))):
        for whose, name in enumerate(names):
            expected |= {f"{name} {kind} cards / {kind.replace(' ', '_')}": both[whose] for kind, both in cards.items()}
            expected |= {f"strikes on {name} {part} / {part}_limit": both[whose] for part, both in strikes.items()}
        assert seen[player] == pytest.approx(expected)
    game, code = after("HA-BC HD-BC")
    assert game.observe(code, 0)[-4:].tolist() == [0, 1, 0, 0]
    assert game.observe(code, 1)[-4:].tolist() == [0, 0, 1, 0]


def test_text() -> None:
    game, code = after("HA-LD BD-LA LD-LC")
    assert game.text(code) == (
        "player 0\n"
        "  strikes   head 0/2   body 0/3   legs 3/4   in all 3/5\n"
        "  attacks   head 0     body 1     legs 1     in all 2\n"
        "  duals     head 3     body 3     legs 3     in all 9\n"
        "player 1\n"
        "  strikes   head 1/2   body 1/3   legs 0/4   in all 2/5\n"
        "  attacks   head 1     body 1     legs 0     in all 2\n"
        "  duals     head 3     body 4     legs 2     in all 9"
    )
    small = bodega_brawl_v0.game(preset="small")  # which has dual cards alone
    assert "attacks" not in small.text(small.first_decision) and "duals" in small.text(small.first_decision)
    for moves, mode, first in [
        ("HA-BC HD-BC", "draw", "won by player 0"),
        ("HA-HC HD-HC", "draw", "won by player 1"),
        ("HA-BA HC-BD HD-BD", "draw", "a draw"),
        ("HA-BA HC-BD HD-BD", "sudden_death", "sudden death"),
        ("HA-BA HC-BD HD-BD BA-LC", "sudden_death", "sudden death\nwon by player 0"),
    ]:
        game, code = after(moves, double_ko=mode)
        assert game.text(code).startswith(f"{first}\nplayer 0\n")
