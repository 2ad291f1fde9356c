"""What is measured of a policy: the same figure in all views, and what is not measured says why."""

import pytest

from nashzoo import agents
from nashzoo.arena.measure import Figure, measure
from nashzoo.arena.tournament import tournament
from nashzoo.arena.trainer_checks import check_trainer
from nashzoo.baselines import exploitability, nash_conv
from nashzoo.envs import Game, footsies_v0, tictactoe_v0
from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.reachable import TooManyStatesError
from nashzoo.examples import kuhn

EXACT = 1e-12
GAME = footsies_v0.game(blocks=1)


@pytest.mark.parametrize("game", [GAME, tictactoe_v0.game(), Game(kuhn)], ids=str)
def test_what_both_seats_secure_is_the_exploitability_twice(game) -> None:  # type: ignore[no-untyped-def]
    random = agents.make("random", game)
    found = measure(game, random)
    assert found.secured is not None
    lower, upper = found.secured
    assert upper - lower == pytest.approx(nash_conv(game, random), abs=EXACT)
    assert found.exploitability.known == pytest.approx(exploitability(game, random), abs=EXACT)
    for seat in (0, 1):
        one = measure(game, random, seats=(seat,))
        assert one.secured is None
        assert one.exploitability.known == pytest.approx(exploitability(game, random, player=seat), abs=EXACT)


@pytest.mark.parametrize("game", [GAME, Game(kuhn)], ids=str)
def test_bounds_stand_in_for_what_cannot_be_computed(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_many(*_: object) -> None:
        raise TooManyStatesError

    random = agents.make("random", game)
    expected, (least, most) = exploitability(game, random), measure(game, random).secured or (0.0, 0.0)
    monkeypatch.setattr("nashzoo.arena.measure.secured", too_many)
    assert measure(game, random).exploitability.value is None
    for seconds in (1e-9, 600.0):
        found = measure(game, random, seconds=seconds)
        lower, upper = found.exploitability.bounds or (found.exploitability.known,) * 2
        assert lower - EXACT <= expected <= upper + EXACT and found.secured is not None
        assert found.secured[0] - EXACT <= least <= most <= found.secured[1] + EXACT
    assert found.exploitability.known == pytest.approx(expected, abs=1e-9)


def test_a_tournament_and_probes_of_trainers_show_the_same_figure() -> None:
    random = agents.make("random", GAME)
    played = tournament(GAME, {"random": random, "counter": "counter"}, 2, 1, exact=True)
    assert played.exploitability["random"] == measure(GAME, random).exploitability.value

    (finding,) = check_trainer(lambda game, decisions, seed: agents.make("random", game), 0, ["one_state"])
    game = finding.probe.game()
    expected = [measure(game, agents.make("random", game), seats=(seat,)).exploitability.known for seat in (0, 1)]
    assert list(finding.losses) == expected


def test_who_remembers_is_not_measured_and_it_says_why() -> None:
    found = measure(GAME, agents.make("mcts", GAME, simulations=5)).exploitability
    assert found.value is None
    with pytest.raises(NoPolicyError):
        assert found.known


def test_what_is_known_is_not_measured_again() -> None:
    found = measure(GAME, agents.make("random", GAME), known=Figure(0.25))
    assert (found.exploitability, found.secured) == (Figure(0.25), None)
