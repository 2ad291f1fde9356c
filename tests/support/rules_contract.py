"""What every rules file promises, as tests; a part of :class:`contract.EnvironmentContract`."""

import pickle

import numpy as np
import pytest

from nashzoo.envs.core.game import BOTH, Game
from traces import Sheet, reachable, running

MOST_PAIRS = 300  # of mirror images, at which every joint action is tried


class RulesContract:
    """Tests of a game's rules; a subclass gives the fixture ``game``."""

    def test_a_state_survives_being_packed(self, game: Game) -> None:
        maxima = game.field_maxima
        for code in reachable(game):
            state = game.state(code)
            assert game.rules.encode(state) == code, f"Packing {state} does not give its code {code} back."
            for field, value, most in zip(state._fields, state, maxima, strict=True):
                assert 0 <= value <= most, f"Field {field} of {state} is not within 0..{most}."
            assert game.code(**state._asdict()) == code, f"Game.code does not find {state} by its fields."

    def test_every_field_has_bits_enough(self, game: Game) -> None:
        maxima = game.field_maxima
        code = game.rules.encode(maxima)
        assert 0 <= code < 2**63 and game.state(code) == maxima, f"{maxima} is too large for a code."

    def test_start_states_are_a_distribution(self, game: Game) -> None:
        codes, probabilities = game.start_codes, game.start_probabilities
        assert len(codes) == len(probabilities) == len(set(codes.tolist())), "A start is listed twice."
        assert (probabilities > 0).all(), "A start state is impossible."
        assert probabilities.sum() == pytest.approx(1.0), "The probabilities of the starts do not sum to 1."
        assert not any(game.terminal(int(code)) for code in codes), "A game is over before it starts."
        rng = np.random.default_rng(0)
        drawn = {game.start(rng) for _ in range(20 * len(codes))}
        assert drawn == set(codes.tolist()), "Some start is never drawn, or one is that is not listed."

    def test_observations_are_lossless_and_from_0_to_1(self, game: Game) -> None:
        swap_players = game.rules.swap_players if game.symmetric else None
        for player in range(2):
            seen_at: dict[bytes, int] = {}
            for code in reachable(game):
                seen, filled = game.observe(code, player), np.ones(game.num_features, np.float32)
                game.rules.observe(game.params, code, player, filled)
                assert (filled == seen).all(), f"Observing {game.state(code)} leaves some numbers untouched."
                assert seen.dtype == np.float32 and np.isfinite(seen).all() and 0 <= seen.min() <= seen.max() <= 1, (
                    f"Player {player} sees numbers outside 0..1 at {game.state(code)}: {seen}."
                )
                known = game.information_state(code, player)
                expected = (known, player)
                if swap_players is not None:
                    expected = (known if player == 0 else swap_players(game.params, known), 0)
                assert tuple(game.rules.decode_observation(game.params, seen)) == expected, (
                    f"Player {player}'s view of {game.state(code)} is misread."
                )
                other = seen_at.setdefault(seen.tobytes(), known)
                assert other == known, f"Player {player} cannot tell {game.state(code)} and {game.state(other)} apart."

    def test_numbers_and_actions_are_named(self, game: Game) -> None:
        assert all(game.features), "A number of an observation has no name."
        assert len(set(game.features)) == game.num_features, "Two numbers of an observation share a name."
        assert all(game.actions), "An action has no name."
        assert len(set(game.actions)) == game.num_actions, "Two actions have the same name."

    def test_somebody_can_always_move_and_masked_tells_whether_everything_is_legal(self, game: Game) -> None:
        masks = {game.rules.legal(game.params, code, player) for code in running(game) for player in range(2)}
        everything = (1 << game.num_actions) - 1
        assert all(0 < mask <= everything for mask in masks), f"Legal actions are none or unknown: {masks}."
        assert game.masked == (masks != {everything}), f"MASKED is {game.masked}, and the masks are {masks}."

    def test_who_is_not_to_move_has_action_0_and_it_changes_nothing(self, game: Game) -> None:
        for code in running(game):
            turn = game.turn(code)
            assert turn in (0, 1, BOTH), f"turn answers {turn} at {game.state(code)}."
            if turn == BOTH:
                continue
            idle = 1 - turn
            assert game.legal_actions(code, idle) == (0,), (
                f"Player {idle} is not to move at {game.state(code)} and has more than action 0."
            )
            for action in game.legal_actions(code, turn):
                others = range(game.num_actions)
                pairs = [(action, other) if turn == 0 else (other, action) for other in others]
                results = {game.rules.step(game.params, code, *pair) for pair in pairs}
                assert len(results) == 1, f"step does not ignore player {idle} at {game.state(code)}."

    def test_swap_players_swaps_the_players(self, game: Game) -> None:
        if not game.symmetric:
            return
        swap_players = game.rules.swap_players
        codes = reachable(game)
        codes = codes[:: 1 + len(codes) // MOST_PAIRS]
        for code, other in zip(codes, game.swap_players(np.array(codes)).tolist(), strict=True):
            state = game.state(code)
            assert swap_players(game.params, other) == code, f"Swapping players in {state} twice gives another state."
            assert game.payoff(other) == -game.payoff(code), f"Swapping players in {state} does not negate the payoff."
            assert game.terminal(other) == game.terminal(code), f"The mirror image of {state} ends otherwise."
            assert (game.observe(other, 0) == game.observe(code, 1)).all(), (
                f"Player 0 sees other things in the mirror image of {state} than player 1 sees there."
            )
            if game.terminal(code):
                continue
            assert game.legal_actions(other, 0) == game.legal_actions(code, 1), (
                f"The mirror image of {state} does not swap the legal actions."
            )
            for action0 in game.legal_actions(code, 0):
                for action1 in game.legal_actions(code, 1):
                    following = swap_players(game.params, game.step(code, action0, action1))
                    assert following == game.step(other, action1, action0), (
                        f"At {state}, {action0} against {action1} leads elsewhere when seen in the mirror."
                    )

    def test_every_state_can_be_shown_and_is_read_as_it_is_written(self, game: Game) -> None:
        for code in reachable(game)[:300]:
            text = game.text(code)
            assert text and text == text.strip("\n"), f"{game.state(code)} has no text, or empty lines."
            sheet = Sheet()
            game.draw(code, sheet)
            assert sheet.points, f"Nothing is drawn for {game.state(code)}."
            outside = [point for point in sheet.points if min(point) < 0 or max(point) > 100]
            assert not outside, f"{game.state(code)} is drawn outside of the canvas: {outside}."
            line = game.spell(code)
            assert line and "\n" not in line, f"{game.state(code)} is not written in one line: {line!r}."
            fields = game.state(code)._asdict()
            words = {
                name: game.view.field_text(game.params, name, fields[name]) for name in game.view.words(game.params)
            }
            assert game.code(**{**fields, **words}) == code, f"{words} is not read as it is written."

    def test_a_pickled_game_is_the_same_game(self, game: Game) -> None:
        other = pickle.loads(pickle.dumps(game))
        assert other == game and hash(other) == hash(game), "A pickled game comes back as another."
        assert (other.params == game.params).all(), "A pickled game has other parameters."
        assert other.rules == game.rules, "A pickled game has other rules."
