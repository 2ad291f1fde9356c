"""Fictitious play and policy-space response oracles with exact responses reach the known values."""

from pathlib import Path

import numpy as np
import pytest

import nim
import repeated_rps
from nashzoo import agents
from nashzoo.baselines import double_oracle, evaluate, exploitability, fictitious_play, solve
from nashzoo.baselines.equilibrium import solve_listed
from nashzoo.baselines.information_mixes import SequenceAverage, SequencePopulation
from nashzoo.baselines.policy_average import Step
from nashzoo.baselines.state_mixes import StatePopulation
from nashzoo.baselines.states.indexed import numbering
from nashzoo.baselines.states.restricted import RestrictedStates
from nashzoo.envs import bodega_brawl_v0, footsies_v0, roshambo_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.core.game import Floats, Game
from nashzoo.envs.core.reachable import TooManyStatesError

EXACT = 1e-9  # points per game
RPS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])  # rock, paper, scissors
ROCK, PAPER, SCISSORS = 0b001, 0b010, 0b100

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "games"
GAMES = {
    "footsies": (footsies_v0.game(), 0.0),  # symmetric
    "two rounds of footsies": (footsies_v0.game(rounds=2, blocks=0), 0.0),
    "tictactoe": (tictactoe_v0.game(), 0.0),  # a draw, as everyone knows
    "bodega_brawl": (bodega_brawl_v0.game(preset="small"), 0.0),  # symmetric
    "roshambo": (roshambo_v0.game(rounds=20, recall=2), 0.0),  # symmetric
    "nim, won": (Game(nim, heap=10), 1.0),  # Bouton: lost for the mover at multiples of 4 alone
    "nim, lost": (Game(nim, heap=12), -1.0),
    "hidden bids": (Game(module_at(f"{EXAMPLES}/hidden_goofspiel.py"), cards=4), 0.0),  # symmetric
    "kuhn": (Game(module_at(f"{EXAMPLES}/kuhn.py")), -1 / 18),  # Kuhn (1950)
    "leduc": (Game(module_at(f"{EXAMPLES}/leduc.py")), -0.085606424078),  # OpenSpiel
}

# Where players move at once fictitious play takes hundreds of iterations to come as near as this.
NEAR = {
    "footsies": 0.06,
    "two rounds of footsies": 0.35,
    "bodega_brawl": 0.2,
    "roshambo": 1.0,
    "kuhn": 0.02,
    "leduc": 0.2,
}


# What takes more than half a second, and is much like others.
SLOW = "two rounds of footsies", "leduc"
QUICK = [name for name in GAMES if name not in SLOW]


@pytest.fixture(scope="module")
def soccer() -> Game:
    return soccer_v0.game(width=11, height=5, goal_height=3)


def check(game: Game, value: float, steps: list[Step], measured: float) -> None:
    """Holds what was reported against the value, and the final policy against an independent measurement."""
    assert [step.iteration for step in steps] == sorted({step.iteration for step in steps})
    for step in steps:
        assert step.lower - EXACT <= value <= step.upper + EXACT
        assert step.exploitability == pytest.approx((step.upper - step.lower) / 2, abs=EXACT)
    assert steps[-1].exploitability == pytest.approx(measured, abs=EXACT)


class TestPSRO:
    @pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
    def test_it_reaches_the_known_value(self, name: str) -> None:
        game, value = GAMES[name]
        policy, steps = double_oracle(game, iterations=30, tolerance=EXACT)
        check(game, value, steps, exploitability(game, policy))
        assert steps[-1].exploitability <= EXACT

    @pytest.mark.slow
    def test_it_stops_once_it_is_there(self) -> None:
        _, steps = double_oracle(GAMES["two rounds of footsies"][0], iterations=1_000)
        assert len(steps) < 30 and steps[-1].exploitability <= 1e-9 < steps[-2].exploitability

    @pytest.mark.slow
    def test_it_reaches_the_solution_where_play_recurs_in_turn(self, soccer: Game) -> None:
        policy, steps = double_oracle(soccer, iterations=30, tolerance=EXACT)
        check(soccer, solve(soccer).start_value, steps, exploitability(soccer, policy))
        assert steps[0].exploitability > 1e-3  # it was not there from the start
        assert steps[-1].exploitability <= EXACT

    def test_the_smaller_game_has_only_what_was_played(self) -> None:
        game = Game(repeated_rps, rounds=1)
        population = StatePopulation(game)
        always = np.eye(3)[[0]]
        population.add((always, always))
        assert population.policies()[0].tolist() == [[1, 0, 0]]
        mixed = np.array([[0.1, 0.5, 0.4]])
        population.add((mixed, mixed))  # of which paper is the likeliest
        assert population.allowed[0].tolist() == [ROCK | PAPER]
        assert population.policies()[0].tolist() == [[0, 1, 0]]  # which paper wins
        population.add((np.eye(3)[[2]], np.eye(3)[[2]]))
        assert population.policies()[0] == pytest.approx(np.full((1, 3), 1 / 3), abs=EXACT)

    def test_the_last_responses_alone_remain_exploitable_where_players_move_at_once(self) -> None:
        _, steps = double_oracle(Game(repeated_rps, rounds=1), iterations=10, tolerance=EXACT, measure_last=True)
        assert [step.last for step in steps] == [1, 1, 1]  # rock, paper, scissors
        assert [step.exploitability for step in steps] == pytest.approx([1, 1, 0], abs=EXACT)


class TestFictitiousPlay:
    @pytest.mark.parametrize("name", NEAR)
    def test_it_comes_near_the_known_value(self, name: str) -> None:
        game, value = GAMES[name]
        policy, steps = fictitious_play(game, iterations=300, tolerance=EXACT, measure_every=30)
        check(game, value, steps, exploitability(game, policy))
        assert steps[-1].exploitability <= NEAR[name]

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "game", [GAMES["footsies"][0], bodega_brawl_v0.game(preset="tiny")], ids=lambda game: game.name
    )
    def test_with_more_iterations_it_comes_nearer(self, game: Game) -> None:
        steps = fictitious_play(game, iterations=10_000, measure_every=10_000)[1]
        assert steps[-1].exploitability <= 0.01

    @pytest.mark.parametrize("name", ["tictactoe", "nim, won", "nim, lost"])
    def test_where_players_move_in_turn_and_nothing_recurs_it_gets_there(self, name: str) -> None:
        game, value = GAMES[name]
        policy, steps = fictitious_play(game, iterations=10, tolerance=EXACT)
        check(game, value, steps, exploitability(game, policy))
        assert steps[-1].exploitability <= EXACT

    @pytest.mark.slow
    def test_where_players_move_in_turn_and_states_recur_the_last_responses_get_there(self) -> None:
        soccer = soccer_v0.game(width=11, height=3, goal_height=1)
        steps = fictitious_play(soccer, iterations=30, measure_last=True)[1][10:]
        optimal = [step for step in steps if step.last is not None and step.last <= EXACT]
        assert len(optimal) > len(steps) / 2
        assert min(step.exploitability for step in steps) > 0.5  # the average waits for what it did wrong at first

    def test_in_a_matrix_game_it_is_what_brown_described(self) -> None:
        played0, played1 = [], []
        belief0 = belief1 = np.full(3, 1 / 3)
        for _ in range(40):
            played0.append(np.eye(3)[(RPS @ belief1).argmax()])
            played1.append(np.eye(3)[(-RPS.T @ belief0).argmax()])
            belief0, belief1 = np.mean(played0, axis=0), np.mean(played1, axis=0)
        game = Game(repeated_rps, rounds=1)
        policy, steps = fictitious_play(game, iterations=40)
        observation, mask = game.observe(game.start_codes[0], 0)[None], np.ones((1, 3), np.int8)
        assert policy.action_probabilities(observation, mask)[0] == pytest.approx(belief0, abs=EXACT)
        assert steps[-1].lower == pytest.approx((belief0 @ RPS).min(), abs=EXACT)


class TestHiddenInformation:
    def test_the_smaller_game_has_only_what_was_played(self) -> None:
        """Player 0 bets with every card; player 1 calls with every card, or gives in with every card."""
        game, _ = GAMES["kuhn"]
        population = SequencePopulation(game)

        def always(player: int, action: int) -> Floats:
            plex = population.form.treeplexes[player]
            return plex.weights(np.append(1.0, (np.arange(plex.num_sequences - 1) % 2 == action).astype(float)))

        population.add((always(0, 1), always(1, 1)))
        assert evaluate(game, population.policy(), population.policy()) == pytest.approx(0, abs=EXACT)  # even cards
        population.add((always(0, 1), always(1, 0)))
        # Giving in with the 1 loses 1, calling with the 3 wins 2, calling with the 2 wins 2 or loses 2.
        assert evaluate(game, population.policy(), population.policy()) == pytest.approx(-1 / 3, abs=EXACT)

    def test_an_average_plays_one_of_the_policies_for_a_whole_game(self) -> None:
        game, _ = GAMES["leduc"]
        policies = [agents.make("random", game), double_oracle(game, 3)[0], agents.make("nash", game)]
        average = SequenceAverage(game)
        for policy in policies:
            average.add(average.tables(policy))
        for opponent in policies:
            expected = np.mean([evaluate(game, policy, opponent) for policy in policies])
            assert evaluate(game, average.policy(), opponent) == pytest.approx(expected, abs=EXACT)
            expected = np.mean([evaluate(game, opponent, policy) for policy in policies])
            assert evaluate(game, opponent, average.policy()) == pytest.approx(expected, abs=EXACT)


class TestRestrictedStates:
    def test_rock_and_paper_against_everything(self) -> None:
        game = Game(repeated_rps, rounds=1)
        solution = solve_listed(RestrictedStates(numbering(game), np.array([ROCK | PAPER]), None))
        assert solution.start_value == pytest.approx(-1 / 3, abs=EXACT)  # rock with 1/3: -p = 2 p - 1
        assert solution.policies[0][0] == pytest.approx([1 / 3, 2 / 3, 0], abs=EXACT)
        assert solution.policies[1][0] == pytest.approx([0, 2 / 3, 1 / 3], abs=EXACT)

    def test_a_move_taken_away_from_a_won_heap_loses_it(self) -> None:
        game = Game(nim, heap=5)  # won by taking one
        states = numbering(game)
        everything = states.successors_at(np.arange(len(states))).legal0
        without = np.where(everything == 0b111, 0b110, everything)
        assert solve(game).start_value == 1
        assert solve_listed(RestrictedStates(states, without, None)).start_value == -1


class TestErrors:
    def test_too_many_states(self) -> None:
        with pytest.raises(TooManyStatesError, match=r"policies are mixed in games of up to 2,000,000"):
            double_oracle(bodega_brawl_v0.game(), iterations=1)

    @pytest.mark.parametrize("method", [double_oracle, fictitious_play])
    def test_no_iterations(self, method: object) -> None:
        with pytest.raises(ValueError, match="iterations must be at least 1, not 0"):
            method(footsies_v0.game(), iterations=0)  # type: ignore[operator]
        with pytest.raises(ValueError, match="iterations must be at least 1, not 0"):
            fictitious_play(footsies_v0.game(), iterations=1, measure_every=0)
