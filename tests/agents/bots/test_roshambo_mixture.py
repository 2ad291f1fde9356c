"""The strongest player of Roshambo: its parts against plain second implementations, and what it wins."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.agents.bots.roshambo import mixture as mixture
from nashzoo.agents.bots.roshambo import mixture_predictors as predictors
from nashzoo.agents.hosted.script_agent import ScriptAgent
from nashzoo.arena.match import play_match
from nashzoo.envs import roshambo_v0
from nashzoo.envs.core.game import Floats

GAME = roshambo_v0.game(rounds=400)
MASKS = np.ones((1, 3), np.int8)
SCRIPTS = sorted((Path(__file__).resolve().parents[2] / "support" / "roshambo_scripts").glob("*.py"))
MATCHES = 2  # with each of them; 1,000 random throws deviate by 26 points, so the mean of 14 matches by 7
LAST_BITS = 1e-9  # of sums in another order


def throws_at_random(length: int, seed: int) -> tuple[list[int], list[int]]:
    """Returns the other's throws and the own ones; half of the time they are those of a few throws ago."""
    rng = np.random.default_rng(seed)
    others: list[int] = []
    own: list[int] = []
    for k in range(length):
        back = k >= 7 and rng.random() < 0.5
        others.append(others[k - 4] if back else int(rng.integers(3)))
        own.append(own[k - 7] if back else int(rng.integers(3)))
    return others, own


def follow(row: Floats, throw: int, my_throw: int, first: bool = False) -> None:
    """Tells a memory of a throw; it then has everything predicted that follows on it."""
    if not first:
        mixture.reweigh(row, throw)
    predictors.learn(row, throw, my_throw)
    predictors.predict(row)
    mixture.mix(row)


def told(others: list[int], own: list[int]) -> Floats:
    """Returns the memory of a table after these throws."""
    row = np.zeros(mixture.MEMORY_SIZE)
    mixture.begin(row)
    for k, (throw, my_throw) in enumerate(zip(others, own, strict=True)):
        follow(row, throw, my_throw, first=k == 0)
    return row


def named(row: Floats, predictor: int) -> int:
    return int(row[predictors.NAMED + predictor])


def runs(watched: list[Any], look_back: int) -> dict[int, int]:
    """Returns how long the throws up to each place were the same as the last ones, latest place first."""
    last = len(watched) - 1
    found = {}
    for place in range(last - 1, max(-1, last - look_back + 2), -1):
        run = 0
        while run <= place and watched[place - run] == watched[last - run]:
            run += 1
        if run:
            found[place] = run
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("length", [1, 2, 3, 30, 300])
def test_matchers_name_what_followed_where_the_throws_were_the_same(length: int, seed: int) -> None:
    others, own = throws_at_random(length, seed)
    row = told(others, own)
    histories: list[list[Any]] = [others, own, list(zip(others, own, strict=True))]
    for watched, throws in enumerate(histories):
        found = runs(throws, predictors.LOOK_BACK)
        longest = max(found.values(), default=0)
        first = predictors.FIRST_MATCHER + 4 * watched
        for player, thrown in enumerate((others, own)):
            latest = max((place for place in found if found[place] == longest), default=None)
            assert named(row, first + player) == thrown[-1 if latest is None else latest + 1]
            votes = [0.0, 0.0, 0.0]
            for place, run in found.items():
                if run >= 2:
                    votes[thrown[place + 1]] += run**3 / (1 + predictors.RECENCY * (length - 1 - place))
            assert votes[named(row, first + 2 + player)] == pytest.approx(max(votes), rel=LAST_BITS)
        assert row[predictors.SURE + first] == sum(longest >= length for length in predictors.LONG_RUNS)


@pytest.mark.parametrize(("ago", "seen"), [(predictors.LOOK_BACK - 3, True), (predictors.LOOK_BACK - 2, False)])
def test_matchers_look_back_a_limited_number_of_throws(ago: int, seen: bool) -> None:
    others, own = throws_at_random(predictors.LOOK_BACK + 200, 0)
    others = [min(throw, 1) for throw in others]
    place = len(others) - 1 - ago
    others[place - 11 : place + 1] = others[-12:] = [2] * 12
    others[place - 12], others[place + 1], others[-13] = 0, 0, 1
    row = told(others, own)
    found = runs(others, predictors.LOOK_BACK)
    assert (found.get(place) == 12) == seen
    latest = max(k for k in found if found[k] == max(found.values()))
    assert named(row, predictors.FIRST_MATCHER) == others[latest + 1] == (0 if seen else 2)


def slow_digits(others: list[int], own: list[int]) -> list[int]:
    """Returns the digits of contexts after these throws, in the order of their names."""
    theirs, mine = ([0] * 5 + others)[:-6:-1], ([0] * 5 + own)[:-6:-1]
    extremes = []
    for throws in (others, own):
        often = [throws.count(throw) for throw in range(3)]
        commonest = often.index(max(often))
        one, two = (commonest + 1) % 3, (commonest + 2) % 3
        extremes += [commonest, one if often[one] < often[two] else two]
    leads = [(theirs[k] - mine[k]) % 3 for k in range(2)]
    return [*theirs, *mine, *leads, (theirs[0] - theirs[1]) % 3, (mine[0] - mine[1]) % 3, *extremes]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("length", [1, 2, 60])
def test_counters_name_what_followed_most_often(length: int, seed: int) -> None:
    others, own = throws_at_random(length, seed)
    row = told(others, own)
    contexts = [*predictors.ABSOLUTE, *predictors.RELATIVE]
    now = slow_digits(others, own)
    for number, context in enumerate(contexts):
        for player, thrown in enumerate((others, own)):
            counts = [0.0, 0.0, 0.0]
            for k in range(1, length):
                then = slow_digits(others[:k], own[:k])
                if all(then[digit] == now[digit] for digit in context):
                    base = thrown[k - 1] if context in predictors.RELATIVE else 0
                    counts = [predictors.COUNT_FADING * count for count in counts]
                    counts[(thrown[k] - base) % 3] += 1
            base = thrown[-1] if context in predictors.RELATIVE else 0
            assert counts[(named(row, 2 * number + player) - base) % 3] == pytest.approx(max(counts), rel=LAST_BITS)
            if player == 0:
                total = sum(counts) + 3 * predictors.COUNT_PRIOR
                feature = predictors.PREDICTORS + number
                for k in range(3):
                    expected = row[predictors.EXPECTED + (k + base) % 3 * predictors.FEATURES + feature]
                    assert expected == pytest.approx((counts[k] + predictors.COUNT_PRIOR) / total, rel=LAST_BITS)


def expected_by_all(row: Floats) -> Floats:
    """Returns the probabilities of the other's throws according to each predictor ``[3, features]``."""
    first = predictors.EXPECTED
    return row[first : first + 3 * predictors.FEATURES].reshape(3, predictors.FEATURES).copy()


def mixes(row: Floats) -> Floats:
    """Returns the probabilities according to each mixer, and the last one's ``[mixers + 1, 3]``."""
    six = row[mixture.MIXES : mixture.MIXES + 3 * mixture.MIXERS].reshape(-1, 3)
    return np.vstack([six, row[mixture.MIX : mixture.MIX + 3]])


def test_everything_expected_is_probabilities() -> None:
    row = told(*throws_at_random(200, 5))
    for probabilities in (expected_by_all(row).T, mixes(row)):
        assert (probabilities > 0).all()
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=LAST_BITS)


def test_a_predictor_that_is_always_beaten_is_as_good_as_one_that_is_right() -> None:
    # The other throws what beats the own throw before; then the commonest own throw after each own throw is known.
    own = throws_at_random(300, 1)[1]
    row = told([0] + [(throw + 1) % 3 for throw in own[:-1]], own)
    known = predictors.ABSOLUTE.index((predictors.MINE1,))
    expected = expected_by_all(row)
    assert expected[(own[-1] + 1) % 3, 2 * known] > 0.98
    assert mixes(row)[:, (own[-1] + 1) % 3].min() > 0.9


def test_the_shares_are_as_good_as_the_best_predictor_up_to_the_bound() -> None:
    # Herbster and Warmuth (1998): a share of 1 / N at first, of which 1 - a is kept, loses against any one of N at most
    # ln N, and -ln(1 - a) at each throw.
    others, own = throws_at_random(400, 2)
    row = told(others[:1], own[:1])
    loss, losses = 0.0, np.zeros(predictors.FEATURES)
    for throw, my_throw in zip(others[1:], own[1:], strict=True):
        loss -= math.log(mixes(row)[0, throw])
        losses -= np.log(expected_by_all(row)[throw])
        follow(row, throw, my_throw)
    assert loss <= losses.min() + math.log(predictors.FEATURES) - 399 * math.log(1 - mixture.SHARED)


def test_scores_fade_and_count_by_their_exponentials() -> None:
    others, own = throws_at_random(50, 3)
    row = told(others[:1], own[:1])
    scores = np.zeros((mixture.SCORED, predictors.FEATURES))
    for throw, my_throw in zip(others[1:], own[1:], strict=True):
        gain = np.log(3 * expected_by_all(row)[throw])
        scores = mixture.SCORE_FADING[:, None] * scores + gain
        follow(row, throw, my_throw)
    for k in range(mixture.SCORED):
        lead = scores[k] - scores[k].max()
        weighted = expected_by_all(row) @ np.where(lead > -mixture.NEGLIGIBLE, np.exp(lead), 0.0)
        np.testing.assert_allclose(mixes(row)[1 + k], weighted / weighted.sum(), atol=LAST_BITS)


def centred_logarithms(values: Floats) -> Floats:
    logarithms = np.log(values)
    centred: Floats = logarithms - logarithms.mean(axis=1, keepdims=True)
    return centred


def test_the_last_mixer_is_told_what_the_six_expect_and_how_their_answers_have_been_read() -> None:
    others, own = throws_at_random(60, 6)
    row = told(others[:1], own[:1])
    row[mixture.IN_WEIGHTS + mixture.MIXERS :][: mixture.READINGS] = 1.0  # the readings are to weigh something
    mixture.mix(row)
    read = np.zeros((mixture.READINGS, 3))
    for throw, my_throw in zip(others[1:], own[1:], strict=True):
        six, last = mixes(row)[:-1], mixes(row)[-1]
        opinions = centred_logarithms(six + mixture.SMALLEST)
        weights = row[mixture.IN_WEIGHTS : mixture.IN_WEIGHTS + mixture.INPUTS].copy()
        answers = []
        for mix in [*six, weights[: mixture.MIXERS] @ opinions]:
            gains = [mix[(answer - 1) % 3] - mix[(answer + 1) % 3] for answer in range(3)]
            answers.append(gains.index(max(gains)))
        readings = centred_logarithms(read + mixture.READING_PRIOR)
        inputs = np.vstack([opinions, [np.roll(row, answer) for row, answer in zip(readings, answers, strict=True)]])
        powers = np.exp(weights @ inputs)
        np.testing.assert_allclose(last, powers / powers.sum(), atol=LAST_BITS)
        read *= mixture.READING_FADING
        for k, answer in enumerate(answers):
            read[k, (throw - answer) % 3] += 1
        follow(row, throw, my_throw)


def logistic_loss(weights: Floats, inputs: Floats, throw: int) -> float:
    logits = inputs @ weights
    return float(np.log(np.exp(logits).sum()) - logits[throw])


@pytest.mark.parametrize("throw", range(3))
def test_logistic_weights_go_down_the_slope_of_the_loss(throw: int) -> None:
    row = told(*throws_at_random(80, 4))
    after = row.copy()
    mixture.reweigh(after, throw)
    step = 1e-6
    places = [
        (mixture.WEIGHTS + k * predictors.FEATURES, 3 * expected_by_all(row), rate)
        for k, rate in enumerate(mixture.RATES)
    ]
    inputs = row[mixture.IN : mixture.IN + 3 * mixture.INPUTS].reshape(-1, 3).T
    places.append((mixture.IN_WEIGHTS, inputs, mixture.LAST_RATE))
    for first, values, rate in places:
        weights = row[first : first + values.shape[1]]
        for k in range(0, len(weights), 5):
            nudge = step * np.eye(len(weights))[k]
            up, down = (logistic_loss(weights + sign * nudge, values, throw) for sign in (1, -1))
            assert after[first + k] - weights[k] == pytest.approx(-rate * (up - down) / (2 * step), abs=1e-7)


@pytest.mark.parametrize(
    ("name", "options", "least"),
    [
        ("rotating", {}, 385),
        ("copy", {"shift": 1}, 380),
        ("debruijn", {"order": 3}, 280),
        ("frequency", {}, 340),
        ("biased", {"share": 0.6}, 120),  # 160 if the favourite were known from the start
        ("habits", {}, 250),
        ("history", {}, 300),
    ],
)
def test_it_finds_out_what_others_do(name: str, options: dict[str, Any], least: float) -> None:
    result = play_match(GAME, agents.make("mixture", GAME), agents.make(name, GAME, **options), 12, seed=0)
    assert result.mean > least


def answers_among(caution: float, second: float) -> float:
    """Returns how often the best answer is thrown if the second random number is always this one."""
    others, own = [0, 1, 1, 2] * 15, [0, 2, 1] * 20
    agent = agents.make("mixture", GAME, caution=caution)
    memory, code, answers = np.zeros((1, agent.memory_size)), int(GAME.start_codes[0]), []
    for k, (throw, my_throw) in enumerate(zip(others, own, strict=True)):
        action, memory = agent.act(GAME.observe(code, 0)[None], memory, MASKS, np.array([[0.5, second]]))
        if k > 0:
            answers.append(action[0] == mixture.best_answer(memory[0], mixture.MIX))
            assert answers[-1] or action[0] == 1  # any throw, by the number 0.5
        code = GAME.step(code, my_throw, throw)
    return float(np.mean(answers))


def test_the_less_it_gains_the_less_often_the_answer_is_thrown() -> None:
    assert answers_among(0.0, 0.999) == 1.0
    assert answers_among(1.0, 0.0) == 1.0
    assert 1.0 > answers_among(0.1, 0.999) > answers_among(1.0, 0.999)
    # Thrown is the answer if it gains at least as much as the number's part of the caution.
    assert answers_among(0.8, 0.5) == answers_among(0.4, 0.999999)


def won_from_a_reader(seed: int) -> int:
    """Returns what is won from somebody who throws what beats the answer, and does not know when it is not played."""
    agent = agents.make("mixture", GAME)
    numbers = np.random.default_rng(seed).random((400, 1, 2))
    memory, code, won = np.zeros((1, agent.memory_size)), int(GAME.start_codes[0]), 0
    for uniforms in numbers:
        action, memory = agent.act(GAME.observe(code, 0)[None], memory, MASKS, uniforms)
        throw = (mixture.best_answer(memory[0], mixture.MIX) + 1) % 3
        won += (0, 1, -1)[(int(action[0]) - throw) % 3]
        code = GAME.step(code, int(action[0]), throw)
    return won


def test_who_reads_the_answers_is_stopped() -> None:
    # By chance alone the mean of twenty matches is off by sqrt(400 * 2 / 3 / 20), less than 4.
    assert np.mean([won_from_a_reader(seed) for seed in range(20)]) > -16


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_scripts_learn(path: Path) -> None:
    script = ScriptAgent(GAME, file=path)
    result = play_match(GAME, script, agents.make("rotating", GAME), 2, seed=0)
    assert result.mean > 300
    assert script.forfeits == []


@pytest.mark.slow
def test_it_holds_its_own_against_scripts_that_adapt() -> None:
    game = roshambo_v0.game()
    assert len(SCRIPTS) == 7
    points = [
        play_match(game, agents.make("mixture", game), ScriptAgent(game, file=path), MATCHES, seed=0).points
        for path in SCRIPTS
    ]
    error = np.sqrt(np.var(points, axis=1, ddof=1).sum() / MATCHES) / len(SCRIPTS)
    assert np.mean(points) > -3 * error


def test_other_stage_games_and_caution_out_of_range_are_refused() -> None:
    game = roshambo_v0.game(payoff="rpsls")
    with pytest.raises(ValueError, match=r"Rock, Paper, Scissors, not roshambo_v0\(.*rpsls"):
        agents.make("mixture", game)
    with pytest.raises(ValueError, match="caution must be"):
        agents.make("mixture", GAME, caution=1.5)
