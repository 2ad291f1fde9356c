"""Matches as an environment of verifiers, with a server of the test as the model; ``make ecosystem`` runs this.

The repeated game of the test has a saddle point: a row is worth 1, and the other one loses 1 against the best column.
"""

import asyncio
from pathlib import Path
from typing import Any

import nashzoo_matches
import pytest
import verifiers.v1 as vf

from chat_server import Asked, Behaviour, ChatServer, Says, serving

ROUNDS, VALUE, MOST = 3, 1.0, 3.0  # the value, and the largest payoff, are those of a round
EXACT = 1e-9
GOOD, BAD = "keep / left", "risk / right"


@pytest.fixture(autouse=True)
def saddle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_KEY", "none")
    Path("saddle.csv").write_text(",left,right\nkeep,1,2\nrisk,0,3\n")


def play(
    behaviour: Behaviour, count: int = 1, limits: dict[str, int] | None = None, **options: Any
) -> tuple[list[vf.Episode], ChatServer]:
    """Returns the episodes of the first matches, with a server that behaves so as the model, and the server."""
    chosen = {"id": "nashzoo_matches", "game": "saddle.csv", "parameters": {"rounds": ROUNDS}, **options}
    env = vf.load_environment(nashzoo_matches.MatchEnvConfig(taskset=chosen, player=limits or {}))

    async def run(url: str) -> list[vf.Episode]:
        client = vf.EvalClientConfig(base_url=url, api_key_var="NO_KEY")
        ctx = vf.ModelContext(model="parrot", client=client)
        async with env.serving():
            return [await env.run_episode(task, ctx) for task in env.taskset.take(count)]

    with serving(behaviour) as server:
        episodes = asyncio.run(run(server.url))
    for episode in episodes:
        errors = [*episode.errors, *(error for trace in episode.traces for error in trace.errors)]
        assert episode.ok, errors
    return episodes, server


def seat_of(asked: Asked) -> int:
    return int("You are player 1" in asked["messages"][0]["content"])


def always(*actions: str) -> Behaviour:
    """Returns what plays one action, or one in each seat."""
    return lambda asked: Says(actions[seat_of(asked) % len(actions)])


@pytest.mark.parametrize(("action", "regret"), [(GOOD, 0.0), (BAD, 1.0)])
def test_the_reward_is_the_regret_of_the_policy_in_both_seats(action: str, regret: float) -> None:
    episodes, _ = play(always(action), count=2)
    for seat, episode in enumerate(episodes):
        (trace,) = episode.traces
        assert trace.reward == pytest.approx(-ROUNDS * regret, abs=EXACT)
        payoff = (1 - 2 * seat) * ROUNDS * (VALUE - (1 - 2 * seat) * regret)
        expected = {"regret": ROUNDS * regret, "forfeited": 0, "payoff": payoff, "moves": ROUNDS, "invalid_answers": 0}
        assert trace.metrics == pytest.approx(expected, abs=EXACT)
        assert [message.role for message in trace.branches[-1].messages] == ["user", "assistant"] * ROUNDS


def test_against_itself_it_has_a_conversation_in_each_seat() -> None:
    (episode,), server = play(always(BAD, GOOD), opponent="self", reward="payoff")
    assert sorted(trace.reward for trace in episode.traces) == [0, 0]
    assert sorted(trace.metrics["regret"] for trace in episode.traces) == pytest.approx([0, ROUNDS], abs=EXACT)
    for seat in (0, 1):
        questions = [asked for asked in server.asked if seat_of(asked) == seat]
        assert len(questions) == ROUNDS
        told = {message["content"] for asked in questions for message in asked["messages"] if message["role"] != "user"}
        assert told == {(BAD, GOOD)[seat]}


def test_a_wrong_answer_is_corrected_once() -> None:
    def mends(asked: Asked) -> Says:
        return Says(GOOD if "no legal action" in asked["messages"][-1]["content"] else "Action: jump")

    (episode,), server = play(mends)
    (trace,) = episode.traces
    assert trace.reward == pytest.approx(0, abs=EXACT)
    assert trace.metrics["invalid_answers"] == trace.metrics["moves"] == ROUNDS
    assert (
        server.asked[1]["messages"][-1]["content"]
        == "'jump' is no legal action; legal actions are keep / left, risk / right."
    )


@pytest.mark.parametrize(
    ("limits", "answer", "asked", "left"), [({}, "jump", 2, ROUNDS), ({"max_turns": 1}, GOOD, 1, ROUNDS - 1)]
)
def test_two_wrong_answers_and_a_limit_forfeit_the_match(
    limits: dict[str, int], answer: str, asked: int, left: int
) -> None:
    (episode,), server = play(lambda _: Says(answer), limits=limits)
    (trace,) = episode.traces
    assert len(server.asked) == asked
    assert trace.metrics["payoff"] == -left * MOST
    assert trace.reward == pytest.approx(-(ROUNDS * VALUE + left * MOST), abs=EXACT)  # what could be won, and be lost


def test_the_same_seed_has_the_same_opponents() -> None:
    def payoffs(seed: int) -> list[float]:
        episodes, _ = play(always(GOOD), 6, opponent="random", reward="payoff", seed=seed)
        return [trace.reward for episode in episodes for trace in episode.traces]

    assert payoffs(0) == payoffs(0) != payoffs(1)
