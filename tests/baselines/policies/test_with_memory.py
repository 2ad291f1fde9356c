"""Players whose memory has finitely many states, measured exactly and by other ways."""

from functools import cache

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.agents.bots.roshambo.memory import HabitsAgent, RecentAgent
from nashzoo.arena.match import play_match
from nashzoo.baselines import best_response, evaluate, exploitability, exploitability_bounds, nash_conv
from nashzoo.envs import footsies_v0, roshambo_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import FiniteMemoryAgent, NoPolicyError, uniform_over
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask

EXACT = 1e-9


class Taking(FiniteMemoryAgent):
    """Plays the first and the last legal action in turns; which it starts with is an option."""

    memory_states = 3  # 0 before anything was seen

    def __init__(self, game: Game, first: int) -> None:
        super().__init__(game)
        self.first = first

    def remember(self, states: Ints, observations: Features) -> Ints:
        return np.where(states == 0, 1 + self.first, 3 - states)

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        size = masks.shape[1]
        first, last = masks.argmax(axis=1), size - 1 - masks[:, ::-1].argmax(axis=1)
        return np.eye(size)[np.where(states == 1, first, last)]


class Forgetful(FiniteMemoryAgent):
    """Another player, who chooses by the state alone, as one with memory."""

    memory_states = 2

    def __init__(self, game: Game, name: str) -> None:
        super().__init__(game)
        self.player = agents.make(name, game)

    def remember(self, states: Ints, observations: Features) -> Ints:
        return 1 - states

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        return self.player.action_probabilities(observations, masks)


@pytest.mark.parametrize("game", [roshambo_v0.game(rounds=10, recall=2), footsies_v0.game()], ids=str)
@pytest.mark.parametrize("name", ["random", "nash"])
def test_a_memory_that_changes_nothing_changes_no_figure(game: Game, name: str) -> None:
    plain, other = agents.make(name, game), agents.make("random", game)
    assert exploitability(game, Forgetful(game, name)) == pytest.approx(exploitability(game, plain), abs=EXACT)
    assert nash_conv(game, Forgetful(game, name), plain) == pytest.approx(nash_conv(game, plain), abs=EXACT)
    for one, two in ((Forgetful(game, name), other), (other, Forgetful(game, name)), (Forgetful(game, name),) * 2):
        expected = evaluate(game, *(plain if isinstance(player, Forgetful) else player for player in (one, two)))
        assert evaluate(game, one, two) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("first0", [0, 1])
@pytest.mark.parametrize("first1", [0, 1])
def test_two_who_remember_play_as_they_are_measured(first0: int, first1: int) -> None:
    game = tictactoe_v0.game()
    one, two = Taking(game, first0), Taking(game, first1)
    assert evaluate(game, one, two) == play_match(game, one, two, 1, seed=0).mean


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("player", [0, 1])
def test_best_response_in_a_turn_based_game_is_that_of_a_search(first: int, player: int) -> None:
    game = tictactoe_v0.game()

    def worth(code: int, state: int) -> float:
        """Returns what the responding player can still get, by plain search."""
        if game.terminal(code):
            return 0.0
        mover = game.turn(code)
        legal = game.legal_actions(code, mover)
        if mover != player:
            state = 1 + first if state == 0 else 3 - state
            legal = legal[:1] if state == 1 else legal[-1:]
        followers = [game.step(code, *((action, 0) if mover == 0 else (0, action))) for action in legal]
        return max(
            (game.payoff(after) if player == 0 else -game.payoff(after)) + worth(after, state) for after in followers
        )

    response = best_response(game, Taking(game, first), player)
    assert response.value == worth(int(game.start_codes[0]), 0)
    with pytest.raises(ValueError, match="the value of the best response stands, but it cannot be played"):
        response.policy.predict(game.observe(int(game.start_codes[0]), player))


def expected_by_hand(bot: RecentAgent, throws: list[tuple[int, int]]) -> list[float]:
    """Returns the bot's probabilities after joint throws (its own first), from the description of the player."""
    others = [other for _, other in throws][-(bot.order + bot.window) :]
    counts = [0, 0, 0]
    for k in range(bot.order, len(others)):
        if others[k - bot.order : k] == others[len(others) - bot.order :]:
            counts[others[k]] += 1
    if sum(counts) == 0:
        return [1 / 3] * 3
    gains = [counts[(own - 1) % 3] - counts[(own + 1) % 3] for own in range(3)]
    return [float(own == gains.index(max(gains))) for own in range(3)]


@pytest.mark.parametrize(("order", "window"), [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1)])
@pytest.mark.parametrize("player", [0, 1])
def test_the_best_response_is_that_of_a_search_through_all_histories(order: int, window: int, player: int) -> None:
    rounds = 4
    game = roshambo_v0.game(rounds=rounds)
    bot = RecentAgent(game, order=order, window=window)

    @cache
    def worth(throws: tuple[tuple[int, int], ...]) -> float:
        if len(throws) == rounds:
            return 0.0
        chances = expected_by_hand(bot, list(throws))
        gain = [0.0, 1.0, -1.0]
        return max(
            sum(
                chance * (gain[(answer - bots) % 3] + worth((*throws, (bots, answer))))
                for bots, chance in enumerate(chances)
            )
            for answer in range(3)
        )

    assert best_response(game, bot, player).value == pytest.approx(worth(()), abs=EXACT)


def test_it_is_won_from_in_both_seats() -> None:
    game = roshambo_v0.game(rounds=200)
    bot = RecentAgent(game, order=0, window=3)
    for player in range(2):
        response = best_response(game, bot, player)
        assert response.value == pytest.approx(199, abs=EXACT)  # only the first throw cannot be foreseen
        seats = (response.policy, bot) if player == 0 else (bot, response.policy)
        points = play_match(game, *seats, 20, seed=1).points
        assert (np.abs(points if player == 0 else -points) >= 198).all()
        assert np.sign(points).tolist() == [1 - 2 * player] * 20


@pytest.mark.slow
def test_habits_are_worth_what_they_win_when_they_are_played() -> None:
    game = roshambo_v0.game(rounds=300, recall=2)
    one, two = HabitsAgent(game, order=1, habits=1), HabitsAgent(game, order=1, habits=2)
    result = play_match(game, one, two, 2_000, seed=0)
    assert abs(result.mean - evaluate(game, one, two)) < 4 * result.standard_error


def test_habits_of_as_many_throws_as_are_shown_need_no_memory() -> None:
    class Shown(HabitsAgent):
        """The same habits, read from the state; so it has a policy in the sense of game theory."""

        def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
            return self.table[self.remember(np.zeros(len(observations), np.int64), observations)]

    class AsPolicy:
        def __init__(self, player: Shown) -> None:
            self.action_probabilities = player.action_probabilities

    game = roshambo_v0.game(rounds=50)
    habits = Shown(game, habits=5)
    assert best_response(game, habits, 1).value == pytest.approx(best_response(game, AsPolicy(habits), 1).value)


def test_too_much_memory_is_refused() -> None:
    game = roshambo_v0.game()
    with pytest.raises(ValueError, match="8,992 states with 9,841 states of memory make 88,490,272 pairs"):
        exploitability(game, RecentAgent(game, order=0, window=8))


def test_chances_that_are_none_are_refused() -> None:
    class Wrong(Taking):
        def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
            return 2.0 * uniform_over(masks)

    game = tictactoe_v0.game()
    with pytest.raises(ValueError, match="they must be a distribution over the legal actions"):
        best_response(game, Wrong(game, 0), 0)


@pytest.mark.parametrize("state", [-1, 3])
def test_memory_states_that_there_are_not_are_refused(state: int) -> None:
    class Wrong(Taking):
        def remember(self, states: Ints, observations: Features) -> Ints:
            return np.full(len(states), state)

    game = tictactoe_v0.game()
    for measure in (exploitability, exploitability_bounds):
        with pytest.raises(UsageError, match=f"must return memory states from 0 to 2, not {state}"):
            measure(game, Wrong(game, 0))


def test_who_remembers_more_is_still_refused() -> None:
    game = footsies_v0.game()
    with pytest.raises(NoPolicyError, match="bluff chooses by more than the state"):
        evaluate(game, Forgetful(game, "random"), agents.make("bluff", game))
