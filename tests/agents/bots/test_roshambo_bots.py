"""The scripted players of Roshambo, against plain second implementations and throws worked out by hand."""

import itertools
from typing import Any

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.agents.bots.roshambo.fixed import de_bruijn, digits_of_pi
from nashzoo.arena.match import play_match
from nashzoo.envs import footsies_v0, roshambo_v0
from nashzoo.envs.core.agent import DRAWS
from nashzoo.envs.games.roshambo import rules as roshambo

R, P, S = range(3)
GAME, SHORT = roshambo_v0.game(rounds=200), roshambo_v0.game(rounds=60)
BOTS = [name for name in agents.names(GAME) if agents.registry.entries()[name].game == roshambo.NAME]
NUMBERS = np.random.default_rng(0).random((200, DRAWS))  # to decide by


def throws_of(bot: Any, others: list[int], numbers: Any = NUMBERS) -> list[int]:
    """Returns what a player throws against an opponent with these throws, one throw more than there are of them."""
    game = bot.game
    memory = np.zeros((1, bot.memory_size))
    masks = np.ones((1, game.num_actions), np.int8)
    code = int(game.start_codes[0])
    thrown = []
    for k in range(len(others) + 1):
        actions, memory = bot.act(game.observe(code, 0)[None], memory, masks, numbers[k : k + 1])
        thrown.append(int(actions[0]))
        if k < len(others):
            code = game.step(code, thrown[-1], others[k])
    return thrown


def throws(text: str) -> list[int]:
    return ["RPS".index(letter) for letter in text]


def at_random(seed: int, length: int = 199, lean: float = 0.5) -> list[int]:
    """Returns throws of somebody who often repeats what was thrown three throws ago."""
    rng = np.random.default_rng(seed)
    thrown: list[int] = []
    for k in range(length):
        thrown.append(thrown[k - 3] if k >= 3 and rng.random() < lean else int(rng.integers(3)))
    return thrown


BEATEN_BY = {"R": "P", "P": "S", "S": "R"}
ROLLS = ({"R": "R", "P": "P", "S": "S"}, {"R": "S", "S": "P", "P": "R"}, {"R": "P", "P": "S", "S": "R"})


class TreePredictor:
    """The seed's player in its own words, with the random numbers as an argument."""

    def __init__(self, decay: float) -> None:
        self.decay = decay
        self.counts = {result: [0.0, 0.0, 0.0] for result in ("won", "drew", "lost")}
        self.other_before: str | None = None
        self.result_before: str | None = None
        self.own_before = ""

    def result(self, other: str, own: str) -> str:
        if other == own:
            return "drew"
        return "won" if BEATEN_BY[own] == other else "lost"

    def store(self, other: str) -> None:
        if self.other_before is not None and self.result_before is not None:
            for row in self.counts.values():
                row[:] = [self.decay * count for count in row]
            roll = [table[self.other_before] for table in ROLLS].index(other)
            self.counts[self.result_before][roll] += 1
        self.other_before, self.result_before = other, self.result(other, self.own_before)

    def predict(self, number: float) -> str:
        if self.other_before is None or self.result_before is None:
            self.own_before = "RPS"[int(3 * number)]
            return self.own_before
        row = self.counts[self.result_before]
        if sum(row) == 0:
            roll = int(3 * number)
        else:
            roll = next((k for k in range(2) if number * (row[0] + row[1] + row[2]) < sum(row[: k + 1])), 2)
        self.own_before = BEATEN_BY[ROLLS[roll][self.other_before]]
        return self.own_before


@pytest.mark.parametrize("decay", [0.9, 1.0, 0.5])
@pytest.mark.parametrize("seed", range(5))
def test_roll_is_the_seeds_player_throw_for_throw(decay: float, seed: int) -> None:
    numbers = np.random.default_rng(seed).random((200, DRAWS))
    others = at_random(seed)
    slow, expected = TreePredictor(decay), []
    for k in range(200):
        if k > 0:
            slow.store("RPS"[others[k - 1]])
        expected.append("RPS".index(slow.predict(numbers[k, 0])))
    assert throws_of(agents.make("roll", GAME, decay=decay), others, numbers) == expected


@pytest.mark.parametrize("throw", [R, P, S])
def test_constant(throw: int) -> None:
    assert throws_of(agents.make("constant", GAME, throw=throw), throws("RPSRPS")) == [throw] * 7


def test_biased_plays_its_favourite_as_often_as_it_says() -> None:
    bot = agents.make("biased", GAME, throw=P, share=0.6)
    probabilities = bot.action_probabilities(GAME.observe(0, 0)[None], np.ones((1, 3), np.int8))
    assert probabilities.tolist() == [[0.2, 0.6, 0.2]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "RPSRPS"),
        ({"step": 2}, "RSPRSP"),
        ({"period": 2}, "RPSPRRRPSPRRR"),  # one step twice, two steps twice, none twice, and again
        ({"period": 1, "change": 2}, "RPPRPPR"),  # one step, none, two, and again: from Rock to Paper, stays, to Rock
    ],
)
def test_rotating(options: dict[str, int], expected: str) -> None:
    assert throws_of(agents.make("rotating", GAME, **options), [R] * (len(expected) - 1)) == throws(expected)


def test_whoever_changes_strategy_in_time_beats_roll() -> None:
    # The author of roll says that it loses to those who change their strategy with a fitting period.
    game = roshambo_v0.game()
    roll = agents.make("roll", game)
    results = {
        (period, change): play_match(game, agents.make("rotating", game, period=period, change=change), roll, 100, 1)
        for period, change in ((0, 1), (6, 2), (6, 1), (30, 2))
    }
    assert results[6, 2].mean > 80
    assert (results[6, 2].points > 0).mean() > 0.95
    assert max(results[key].mean for key in results if key != (6, 2)) < -80


def test_copy() -> None:
    assert throws_of(agents.make("copy", GAME), throws("RPSSP"))[1:] == throws("RPSSP")
    assert throws_of(agents.make("copy", GAME, shift=1), throws("RPSSP"))[1:] == throws("PSRRS")


@pytest.mark.parametrize(("size", "order"), [(2, 1), (2, 6), (3, 1), (3, 2), (3, 5), (5, 3)])
def test_a_de_bruijn_sequence_has_every_run_once(size: int, order: int) -> None:
    sequence = de_bruijn(size, order)
    runs = [tuple((sequence + sequence)[k : k + order]) for k in range(len(sequence))]
    assert sorted(runs) == sorted(itertools.product(range(size), repeat=order))


def test_de_bruijn_and_pi_start_over_and_are_played_as_they_stand() -> None:
    assert throws_of(agents.make("debruijn", GAME, order=2), [R] * 20) == (de_bruijn(3, 2) * 3)[:21]
    assert throws_of(agents.make("pi", GAME), [R] * 20) == list(digits_of_pi(3, 21))


def test_the_digits_of_pi() -> None:
    assert digits_of_pi(3, 20) == (1, 0, 0, 1, 0, 2, 1, 1, 0, 1, 2, 2, 2, 2, 0, 1, 0, 2, 1, 1)  # OEIS A004602
    thousand = digits_of_pi(10, 1000)
    assert "".join(map(str, thousand[762:768])) == "999999"  # the Feynman point, after 762 decimals and the 3


def test_frequency_answers_the_mix() -> None:
    # After R: P. After R, P: own R, P, S would get 0-1, 1+0, -1+1: P. After R, P, P: -2, 1, -1+2=1: P is named first.
    # After R, P, P, P: -3, 1, 2: S.
    assert throws_of(agents.make("frequency", GAME), throws("RPPP"))[1:] == throws("PPPS")
    # Fading by 0.5: after R, P the counts are 0.5, 1, 0 and R, P, S would get -1, 0.5, 0.5; then 0.25, 1.5, 0: S.
    assert throws_of(agents.make("frequency", GAME, decay=0.5), throws("RPP"))[1:] == throws("PPS")


def slow_markov(order: int, others: list[int], numbers: Any) -> list[int]:
    thrown = []
    for k in range(len(others) + 1):
        counts = [0, 0, 0]
        for place in range(order, k):
            if others[place - order : place] == others[k - order : k]:
                counts[others[place]] += 1
        gains = [counts[(own - 1) % 3] - counts[(own + 1) % 3] for own in range(3)]
        thrown.append(gains.index(max(gains)) if sum(counts) else int(3 * numbers[k, 0]))
    return thrown


@pytest.mark.parametrize("order", range(4))
@pytest.mark.parametrize("seed", range(3))
def test_markov_answers_what_followed_on_the_same_throws(order: int, seed: int) -> None:
    others = at_random(seed)
    assert throws_of(agents.make("markov_k", GAME, order=order), others) == slow_markov(order, others, NUMBERS)


def test_markov_forgets() -> None:
    # What followed on R: P, P, S. Fading by 0.25 the counts are 0, 0.3125, 1: R gets -0.3125 + 1, P -1, S 0.3125.
    others = throws("RPRPRSR")
    assert throws_of(agents.make("markov_k", GAME, order=1, decay=0.25), others)[-1] == R
    # Without, they are 0, 2, 1: R gets -2 + 1, P -1, S 2.
    assert throws_of(agents.make("markov_k", GAME, order=1), others)[-1] == S


def test_antirotation() -> None:
    # R P S R goes round by 1 all the time, so P, S, R, P are to come: answered by S, R, P, S; the first two not known.
    assert throws_of(agents.make("antirotation", GAME), throws("RPSRP"))[2:] == throws("RPSR")
    # Then S repeated: two rotations by 0 against three by 1 after P: P 2, S 3 -> R -2+3, P -3, S 2: S is best.
    assert throws_of(agents.make("antirotation", GAME), throws("RPSRRR"))[-1] == P


def end_of_longest_run(watched: list[Any]) -> int | None:
    """Returns where the longest run ended that was like the last throws, the latest of those."""
    best, longest = None, 0
    for place in range(len(watched) - 1):
        run = 0
        while run <= place and watched[place - run] == watched[len(watched) - 1 - run]:
            run += 1
        if run > 0 and run >= longest:
            best, longest = place, run
    return best


def slow_history(watch: str, own: list[int], others: list[int]) -> int | None:
    """Returns what the other threw after the longest run."""
    place = end_of_longest_run({"both": list(zip(own, others, strict=True)), "other": others, "own": own}[watch])
    return None if place is None else others[place + 1]


@pytest.mark.parametrize("watch", ["both", "other", "own"])
@pytest.mark.parametrize("seed", range(2))
def test_history_answers_what_followed_on_the_longest_run(watch: str, seed: int) -> None:
    others = at_random(seed, 150)
    thrown = throws_of(agents.make("history", GAME, watch=watch), others)
    for k, throw in enumerate(thrown):
        expected = slow_history(watch, thrown[:k], others[:k])
        assert throw == (int(3 * NUMBERS[k, 0]) if expected is None else (expected + 1) % 3)


def test_hedge_by_hand() -> None:
    bot = agents.make("hedge", GAME, rate=1.0)
    # After R, R the throws would have won 0, 2, -2. P is drawn between 1 and 1 + e^2 of 1 + e^2 + e^-2.
    total = 1 + np.exp(2) + np.exp(-2)
    for number, throw in ((0.999 / total, R), (1.001 / total, P), ((0.999 + np.exp(2)) / total, P), (0.999, S)):
        assert throws_of(bot, [R, R], np.full((3, DRAWS), number))[-1] == throw


def test_hedge_has_the_smallest_bound_there_is() -> None:
    bot = agents.make("hedge", roshambo_v0.game())
    assert bot.bound() == pytest.approx(np.sqrt(2 * 1000 * np.log(3)))  # payoffs are 2 apart: 2 sqrt(T ln 3 / 2)
    assert bot.bound(1000) == bot.bound() > bot.bound(500) > bot.bound(0) == pytest.approx(np.log(3) / bot.rate)
    for rate in (0.9 * bot.rate, 1.1 * bot.rate):
        assert agents.make("hedge", roshambo_v0.game(), rate=rate).bound() > bot.bound()


@pytest.mark.parametrize("name", ["constant", "rotating", "markov_k", "history", "iocaine", "hedge"])
def test_hedge_regrets_no_more_than_its_bound(name: str) -> None:
    game = roshambo_v0.game(rounds=300)
    bot, rival = agents.make("hedge", game), agents.make(name, game)
    rng = np.random.default_rng(0)
    regrets = []
    for _ in range(10):
        memories = [np.zeros((1, player.memory_size)) for player in (bot, rival)]
        code, points, hindsight = int(game.start_codes[0]), 0.0, np.zeros(3)
        while not game.terminal(code):
            chosen = []
            for seat, player in enumerate((bot, rival)):
                actions, memories[seat] = player.act(
                    game.observe(code, seat)[None], memories[seat], np.ones((1, 3), np.int8), rng.random((1, DRAWS))
                )
                chosen.append(int(actions[0]))
            code = game.step(code, *chosen)
            points += game.payoff(code)
            hindsight += bot.payoffs[:, chosen[1]]
        regrets.append(hindsight.max() - points)
    assert np.mean(regrets) <= bot.bound()


class SlowIocaine:
    """Iocaine with lists, as its description reads."""

    FADING = (0.999, 0.99, 0.9, 0.8, 0.5)

    def __init__(self) -> None:
        self.own: list[int] = []
        self.others: list[int] = []
        self.scores = [dict[tuple[int, int], float]() for _ in self.FADING]
        self.trust = [0.0] * len(self.FADING)
        self.said: list[int | None] = []
        self.favourites: list[int | None] = [None] * len(self.FADING)

    def learn(self, own: int, other: int) -> None:
        def gain(throw: int) -> float:
            return (0.0, 1.0, -1.0)[(throw - other) % 3]

        for horizon, fading in enumerate(self.FADING):
            for voice, throw in enumerate(self.said):
                for rotation in range(3):
                    before = self.scores[horizon].get((voice, rotation), 0.0)
                    now = 0.0 if throw is None else gain((throw + rotation) % 3)
                    self.scores[horizon][voice, rotation] = before * fading + now
            favourite = self.favourites[horizon]
            self.trust[horizon] = 0.999 * self.trust[horizon] + (0.0 if favourite is None else gain(favourite))
        self.own.append(own)
        self.others.append(other)

    def listen(self) -> None:
        both = list(zip(self.own, self.others, strict=True))
        self.said = []
        for watched in (both, self.others, self.own):
            place = end_of_longest_run(watched)
            self.said += [None, None] if place is None else [self.others[place + 1], self.own[place + 1]]
        for whose in (self.others, self.own):
            self.said.append(max(range(3), key=lambda throw: (whose.count(throw), -throw)))

    def throw(self, number: float) -> int:
        chosen = int(3 * number)
        most = 0.0
        for horizon, scores in enumerate(self.scores):
            known = {key: score for key, score in scores.items() if score > 0 and self.said[key[0]] is not None}
            self.favourites[horizon] = None
            if known:
                voice, rotation = min(known, key=lambda key: (-known[key], key))
                self.favourites[horizon] = (self.said[voice] + rotation) % 3  # type: ignore[operator]
                if self.trust[horizon] >= most:
                    chosen, most = self.favourites[horizon], self.trust[horizon]  # type: ignore[assignment]
        return chosen


@pytest.mark.parametrize("seed", range(3))
def test_iocaine_does_as_it_is_described(seed: int) -> None:
    others = at_random(seed, 120, lean=0.8)
    slow, expected = SlowIocaine(), []
    for k in range(121):
        if k > 0:
            slow.learn(expected[-1], others[k - 1])
            slow.listen()
        expected.append(slow.throw(NUMBERS[k, 0]))
    assert throws_of(agents.make("iocaine", GAME), others) == expected


@pytest.mark.parametrize("name", BOTS)
def test_a_table_is_played_alike_alone_and_among_others(name: str) -> None:
    roll, single = agents.make("roll", SHORT), agents.make("roll", SHORT)
    single.most_games = 1
    together, again = (play_match(SHORT, agents.make(name, SHORT), roll, 20, seed=3).points for _ in range(2))
    alone = play_match(SHORT, agents.make(name, SHORT), single, 5, seed=3).points
    assert together[:5].tolist() == alone.tolist()
    assert again.tolist() == together.tolist()


@pytest.mark.parametrize("name", [name for name in BOTS if name != "mixture"])
def test_everyone_plays_with_lizard_and_spock_and_with_two_throws(name: str) -> None:
    for payoff in ("rpsls", [[0, 2.5], [-2.5, 0]]):
        game = roshambo_v0.game(rounds=60, recall=2, payoff=payoff)
        result = play_match(game, agents.make(name, game), agents.make("random", game), 20, seed=0)
        assert result.unfinished == 0
        assert np.abs(result.points).max() <= 60 * 2.5


@pytest.mark.parametrize("name", BOTS)
def test_other_games_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} plays roshambo_v0.*, not footsies_v0"):
        agents.make(name, footsies_v0.game())


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("constant", {"throw": 3}, "throw must be a whole number from 0 to 2, not 3"),
        ("constant", {"throw": True}, "throw must be a whole number from 0 to 2, not True"),
        ("biased", {"throw": -1}, "throw must be a whole number from 0 to 2, not -1"),
        ("biased", {"share": 1.5}, "share must be a number from 0 to 1, not 1.5"),
        ("rotating", {"step": 0}, "step must be a whole number from 1 to 2, not 0"),
        ("rotating", {"period": -1}, "period must be a whole number from 0 to"),
        ("rotating", {"change": 3}, "change must be a whole number from 1 to 2, not 3"),
        ("copy", {"shift": 3}, "shift must be a whole number from 0 to 2, not 3"),
        ("debruijn", {"order": 0}, "order must be a whole number of at least 1, not 0"),
        ("debruijn", {"order": 13}, "order must be from 1 to 12 with 3 throws to choose from, not 13"),
        ("roll", {"decay": 1.1}, "decay must be a number from 0 to 1, not 1.1"),
        ("frequency", {"decay": -0.1}, "decay must be a number from 0 to 1, not -0.1"),
        ("antirotation", {"decay": 2}, "decay must be a number from 0 to 1, not 2"),
        ("markov_k", {"order": -1}, "order must be a whole number of at least 0, not -1"),
        ("markov_k", {"order": 9}, "order must be from 0 to 8 with 3 throws to choose from, not 9"),
        ("recent", {"window": 0}, "window must be a whole number of at least 1, not 0"),
        ("recent", {"window": 10}, "would tell 265,720 runs of throws apart; 100,000 is the most"),
        ("habits", {"order": 0}, "order must be a whole number of at least 1, not 0"),
        ("habits", {"evenness": 0.0}, "evenness must be a number above 0, not 0.0"),
        ("history", {"watch": "me"}, "watch must be 'both', 'other', 'own', not 'me'"),
        ("hedge", {"rate": 0.0}, "rate must be a number above 0, not 0.0"),
    ],
    ids=str,
)  # fmt: skip
def test_options_out_of_range(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agents.make(name, GAME, **options)
