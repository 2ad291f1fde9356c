"""Matches in words as an environment of Gymnasium."""

import warnings
from typing import Any

import pytest
from gymnasium.utils.env_checker import check_env

from nashzoo.app.text.text_env import TextEnv
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported.matrix import matrix_game

EXACT = 1e-9
GOOD, BAD = "keep / left", "risk / right"
SADDLE = matrix_game([[1, 2], [0, 3]], rounds=4, rows=["keep", "risk"], columns=["left", "right"])  # worth 1 a round


def rewards(env: TextEnv, *answers: str, seed: int = 0) -> list[float]:
    """Returns the rewards of a match with these answers, the last one for ever."""
    env.reset(seed=seed)
    got, over, left = [], False, list(answers)
    while not over:
        _, reward, terminated, truncated, _ = env.step(left.pop(0) if len(left) > 1 else left[0])
        got.append(reward)
        over = terminated or truncated
    return got


@pytest.mark.parametrize("player", [0, 1, "random"])
def test_gymnasium_finds_nothing_wrong(player: int | str) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*Not able to test alternative render modes")
        check_env(TextEnv("footsies_v0", "random", player), skip_render_check=True)


@pytest.mark.parametrize("player", [0, 1])
def test_each_step_is_rewarded_by_its_regret(player: int) -> None:
    env = TextEnv(SADDLE, "nash", player)
    assert rewards(env, BAD, GOOD, BAD, GOOD) == pytest.approx([-1, 0, -1, 0], abs=EXACT)


def test_the_rewards_add_up_to_the_payoff() -> None:
    assert rewards(TextEnv(SADDLE, "nash", 0, reward="payoff"), BAD, GOOD) == [0, 1, 1, 1]
    assert rewards(TextEnv(SADDLE, "nash", 1, reward="payoff"), BAD, GOOD) == [-2, -1, -1, -1]
    for seed in range(5):  # the draws of the other are luck: a round is worth 1.5 on average
        env = TextEnv(SADDLE, "random", 0, reward="luck_free")
        assert sum(rewards(env, GOOD, seed=seed)) == pytest.approx(4 * 1.5, abs=EXACT)


def test_observations_are_what_a_player_reads() -> None:
    env = TextEnv("footsies_v0", "random", 1, disguise=3)
    seen, info = env.reset(seed=0)
    assert seen in env.observation_space and "You are player 1" in seen and "Attack" not in seen
    assert info == {"regret": 0, "forfeited": 0, "payoff": 0, "moves": 0, "invalid_answers": 0}
    told, reward, terminated, truncated, info = env.step("Attack")
    assert told.partition("\n\n")[2] == seen and told.startswith("'Attack' is no legal action")
    assert (reward, terminated, truncated, info["invalid_answers"]) == (0, False, False, 1)
    told, reward, terminated, truncated, info = env.step("Attack")
    assert told == "The match has ended. You lost 1 point."
    assert (reward, terminated, truncated) == (pytest.approx(-1, abs=EXACT), True, False)


def test_a_long_match_is_truncated() -> None:
    env = TextEnv("tictactoe_v0", "random")
    env.matches.game.max_cycles = 3
    env.reset(seed=0)
    assert env.step("4")[2:4] == (False, False)
    assert env.step(next(cell for cell in "05" if f"- {cell}\n" in env.step("no")[0]))[2:4] == (False, True)


def test_the_same_seed_has_the_same_matches_in_both_seats() -> None:
    env = TextEnv("footsies_v0", "random", "random")
    seats = set()
    for seed in range(6):
        first, again = env.reset(seed=seed), env.reset(seed=seed)
        assert first == again and env.step("Block") == (env.reset(seed=seed), env.step("Block"))[1]
        seats.add("You are player 1" in first[0])
    assert seats == {False, True}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponent": "self"}, "this environment has one learner; name an opponent other than self"),
        ({"player": 2}, "player must be 0, 1 or 'random', not 2"),
        ({"reward": "fun"}, "reward must be 'regret' or 'payoff' or 'luck_free', not 'fun'"),
    ],
)
def test_mistakes_are_sentences(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        TextEnv("tictactoe_v0", **options)


def test_mistakes_in_play_are_sentences() -> None:
    env = TextEnv("tictactoe_v0")
    with pytest.raises(UsageError, match="no match has begun; call reset first"):
        env.step("4")
    with pytest.raises(UsageError, match="there are none"):
        env.reset(options={"start": 1})
    env.reset(seed=0)
    with pytest.raises(UsageError, match="an answer is a text, not 4"):
        env.step(4)  # type: ignore[arg-type]
