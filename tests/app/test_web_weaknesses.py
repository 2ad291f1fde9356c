"""Weaknesses, spots and opponents behind the pages: the figures of the command, and who may ask for what."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from command import Command
from nashzoo import agents
from nashzoo.agents.registry import LEVELS
from nashzoo.app.web import ladder
from nashzoo.app.web.library import Library
from nashzoo.app.web.routes import Application
from nashzoo.app.web.weaknesses import recorded_json
from nashzoo.arena import records
from nashzoo.arena.recorded_policy import RecordedPolicy
from nashzoo.arena.records import UNFINISHED, Record
from nashzoo.arena.review import kind_of, review
from nashzoo.arena.trajectory import Trajectory
from nashzoo.baselines import exploitability, solve, weak_states
from nashzoo.baselines.evaluation import outcomes
from nashzoo.baselines.even_solution import evened
from nashzoo.baselines.measures import best_or_none
from nashzoo.baselines.practice import worth_practising
from nashzoo.baselines.stage_game import stage_game
from nashzoo.envs import bodega_brawl_v0, footsies_v0, make_game, tictactoe_v0
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.reachable import reachable
from processes import PATIENCE

EXACT = 1e-9
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "games"


@pytest.fixture
def client() -> Iterator[TestClient]:
    application = Application(Library([str(EXAMPLES / "kuhn.py")], []), (Path("kept.jsonl"),))
    application.solver.patience = application.measuring.patience = PATIENCE
    yield TestClient(Starlette(routes=application.routes()))
    application.close()


def weak(client: TestClient, **sent: Any) -> Any:
    answer = client.post("/api/weaknesses", json=sent)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(answer: Any, status: int = 400) -> str:
    assert answer.status_code == status, answer.text
    return str(answer.json()["error"])


@pytest.mark.parametrize("pair", [("footsies_v0", "counter"), ("tictactoe_v0", "human")])
def test_states_are_those_of_the_command(nashzoo: Command, client: TestClient, pair: tuple[str, str]) -> None:
    told = nashzoo.json(f"weaknesses {pair[0]} {pair[1]}")
    found = weak(client, game=pair[0], player=pair[1])
    assert (found["total"], found["unit"]) == (pytest.approx(told["exploitability"], abs=EXACT), "game")
    losing = [each for each in told["weaknesses"] if each["share"] > 0]
    assert [one["situation"] for one in found["weaknesses"]] == [each["situation"] for each in losing]
    for one, each in zip(found["weaknesses"], losing, strict=True):
        assert one["state"]["code"] == one["code"] == str(each["code"])
        assert one["state"]["text"].split() == each["words"].split() and one["states"] == each["states"]
        assert [legal["name"] for legal in one["state"]["legal"][one["seat"]]] == list(one["plays"])


def test_where_states_are_too_many_decisions_are_drawn(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weak_states, "MAX_STATES", 1)
    found = weak(client, game="footsies_v0", player="random")
    assert found["unit"] == "decision" and "in 200 random positions of perfect play" in found["about"]
    assert sum(one["share"] for one in found["weaknesses"]) <= found["total"] + EXACT


def test_players_of_records_that_are_sent_or_in_a_file_of_the_command_line(
    nashzoo: Command, client: TestClient
) -> None:
    nashzoo.prints("watch footsies_v0 counter random --games 20 --seed 1 --save kept.jsonl")
    ask: dict[str, Any] = {"game": "footsies_v0", "player": "counter"}
    in_file = weak(client, **ask, file="kept.jsonl")
    assert weak(client, **ask, records=Path("kept.jsonl").read_text()) == in_file
    told = nashzoo.json("weaknesses footsies_v0 counter --apart --records kept.jsonl")
    assert (in_file["matches"], in_file["decisions"]) == (20, told["decisions"])
    nashzoo.prints("watch footsies_v0 counter random --games 20 --seed 2 --save kept.jsonl")  # more matches
    assert weak(client, **ask, file="kept.jsonl")["matches"] == 40


@pytest.mark.parametrize("other", [("tictactoe_v0", "human"), ("footsies_v0", "counter")])
def test_mistakes_in_records_are_those_of_the_reviews(
    nashzoo: Command, client: TestClient, other: tuple[str, str]
) -> None:
    nashzoo.prints(f"watch {other[0]} random {other[1]} --games 20 --seed 1 --save kept.jsonl")
    game, costs = make_game(other[0]), list[float]()
    for record in records.read(Path("kept.jsonl")):
        seat = record.players.index("random")
        moves = review(record.trajectory, solve(game))["moves"]
        costs += [move["loss"] for move in moves if move["player"] == seat and move["loss"] > EXACT]
    found = weak(client, game=other[0], player="random", file="kept.jsonl")
    assert (found["mistakes"], found["cost"]) == (len(costs), pytest.approx(sum(costs)))
    assert sum(one["times"] for one in found["weaknesses"]) == len(costs) > 5
    assert (found["loses"] > 0.0) == any(one.get("uneven") for one in found["weaknesses"]) == (not game.turn_based)


def test_a_mistake_to_which_only_a_mistake_of_the_other_led_is_a_gift() -> None:
    game = tictactoe_v0.game()
    match = Trajectory(game, game.first_decision)
    for pair in ((4, 0), (0, 1), (7, 0)):  # x 4; o 1 loses; x 7, behind the o, draws
        match.follow(*pair)
    for player, gift in (("ann", True), ("bob", False)):
        policy = RecordedPolicy(game, player, [Record(match, ("ann", "bob"), UNFINISHED)])
        (one,) = recorded_json(solve(game), policy)["weaknesses"]
        assert (one["gift"], one["regret"], one["decisions"]) == (gift, 1.0, 1)


def test_in_records_the_same_choice_is_one_mix_that_chance_may_explain(nashzoo: Command, client: TestClient) -> None:
    def found(player: str) -> Any:
        nashzoo.prints(f"watch roshambo_v0 {player} random --param rounds=20 --games 1 --seed 3 --save {player}.jsonl")
        sent = Path(f"{player}.jsonl").read_text()
        return weak(client, game="roshambo_v0(rounds=20)", player=player, records=sent)

    uniform = found("nash")  # at 20 states
    assert (uniform["weaknesses"], uniform["loses"]) == ([], 0.0)
    assert [(one["choices"], one["states"], one["uneven"]) for one in uniform["mixes"]] == [(20, 20, False)]
    (rotating,) = found("rotating")["weaknesses"]  # 7, 7 and 6; a known order wins each of 19 rounds
    assert (rotating["uneven"], rotating["share"]) == (False, pytest.approx(19.0))
    constant = found("constant")
    assert [(one["price"], one["share"]) for one in constant["weaknesses"]] == [(pytest.approx(1.0), constant["loses"])]
    assert constant["loses"] == pytest.approx(20.0)  # a point in each round


def test_who_goes_on_like_this_does_so_wherever_the_same_mix_is_right() -> None:
    # By hand: always Dragon Punch wins from Attack and Grab and ties with itself; without Block it wins every game.
    game = footsies_v0.game()
    attack, _, grab, dragon = range(4)
    played = (
        ((dragon, attack),),
        ((grab, grab), (dragon, grab)),
        ((attack, attack), (dragon, attack)),
        ((grab, dragon),),
    )
    matches = []
    for pairs in played:
        match = Trajectory(game, game.first_decision)
        for pair in pairs:
            match.follow(*pair)
        matches.append(Record(match, ("ann", "bob"), UNFINISHED))
    found = recorded_json(solve(game), RecordedPolicy(game, "ann", matches))
    assert (found["habits"], found["loses"]) == (1, pytest.approx(1.0))


@pytest.mark.parametrize("game", [footsies_v0.game(), bodega_brawl_v0.game(preset="tiny")], ids=str)
def test_a_habit_is_measured_at_every_state_to_which_play_leads_with_the_same_choice(game: Game) -> None:
    solution = evened(solve(game))
    kinds = {(code, 0): kind_of(solution, code, 0) for code in reachable(game).tolist() if game.movers(code)}
    measured = 0
    for code in [code for (code, _), kind in kinds.items() if kind]:
        match = Trajectory(game, code)
        match.follow(*(actions[0] for actions in stage_game(solution, code).actions))
        policy = RecordedPolicy(game, "ann", [Record(match, ("ann", "bob"), UNFINISHED)] * 12, solution)
        ((decision, counts),) = policy.counts.items()
        found = recorded_json(solution, policy)
        policy.counts = {one: counts for one, kind in kinds.items() if kind == kinds[decision]}
        assert decision in policy.counts
        if found["habits"]:
            measured += 1
            assert found["loses"] == pytest.approx(exploitability(game, policy), abs=EXACT)
    assert measured >= 4


def test_habits_lose_no_more_than_a_game_is_worth_where_the_first_punished_choice_ends_it(
    nashzoo: Command, client: TestClient
) -> None:
    # By hand: Block wins from always Dragon Punch, which was chosen more often than there were games.
    nashzoo.prints("watch footsies_v0 prefers(actions=dragon) random --games 9 --seed 2 --save kept.jsonl")
    told = nashzoo.json("weaknesses footsies_v0 prefers --apart --records kept.jsonl")
    found = weak(client, game="footsies_v0", player="prefers", file="kept.jsonl")
    assert (found["habits"], found["loses"]) == (1, pytest.approx(told["exploitability"]))
    assert found["loses"] == pytest.approx(1.0) and found["decisions"] > 9
    assert [one.get("per_game") for one in found["weaknesses"]] == [None]


def test_players_that_are_not_computed_are_known_beforehand(client: TestClient) -> None:
    about = client.get("/api/game", params={"game": "footsies_v0"}).json()
    for one in [one for group in about["opponents"] for one in group["players"]]:
        told = weak(client, game="footsies_v0", player=one["name"])
        assert bool(one["unlisted"]) == ("refused" in told), one["name"]


def test_spots_are_states_worth_practising(client: TestClient) -> None:
    found = client.get("/api/spots", params={"game": "footsies_v0"}).json()
    assert [(int(one["code"]), one["player"]) for one in found] == worth_practising(solve(footsies_v0.game()))
    hidden = client.get("/api/spots", params={"game": str(EXAMPLES / "kuhn.py")}).json()
    assert len(hidden) == 2 and all(len(one["prices"]) == 7 and one["prices"]["4,2"] < 1e-9 for one in hidden)


@pytest.mark.parametrize("game", ["footsies_v0", "tictactoe_v0", str(EXAMPLES / "kuhn.py")])
def test_opponents_by_strength_with_what_perfect_play_wins(
    client: TestClient, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladder, "SECONDS", 0.0)  # then all have the fewest games
    rungs = client.get("/api/ladder", params={"game": game}).json()
    wins = [one["wins"] for one in rungs]
    titles = [one["title"] for one in rungs]
    levels = [level for level in LEVELS if level in titles]
    assert titles[: len(levels)] == levels and levels[-1] == "Perfect" and wins[len(levels) - 1] == 0.0
    assert None not in wins and wins[len(levels) :] == sorted(wins[len(levels) :], reverse=True)
    for one in rungs:
        low, high = one.get("within", (one["wins"], one["wins"]))
        assert low <= one["wins"] <= high and ("within" not in one or low < high)  # no interval of no width
    made = make_game(game)
    nash = agents.make("nash", made)
    for one in [one for one in rungs if "within" not in one] if not made.hides else []:  # there pots differ
        rival = agents.make(one["name"], made)
        (win, _, loss), (lost, _, won) = outcomes(made, nash, rival), outcomes(made, rival, nash)
        assert one["wins"] == pytest.approx((win - loss + won - lost) / 2, abs=1e-8), one["name"]


def test_perfect_play_of_roshambo_wins_nothing_from_anybody_exactly(client: TestClient) -> None:
    rungs = client.get("/api/ladder", params={"game": "roshambo_v0(rounds=20)"}).json()
    assert len(rungs) > 10 and all(one["wins"] == 0.0 and "within" not in one for one in rungs)


def test_in_roshambo_a_habit_is_the_strength_that_opponents_lack(client: TestClient) -> None:
    rungs = client.get("/api/ladder", params={"game": "roshambo_v0(rounds=20)"}).json()
    best = {one["name"]: one["best"] for one in rungs}
    # Paper beats Rock half of the time, and loses a quarter; all throws but the first are known of the echo.
    assert (best["biased"], best["copy"], best["constant"], best["nash"]) == (5.0, 19.0, 20.0, 0.0)
    learns = {one["name"]: one["learns"] for one in rungs}
    assert best["iocaine"] is None and learns["iocaine"] and not learns["copy"] and not learns["mcts"]
    assert next(one["name"] for one in rungs if one["level"]) == "biased"
    known = [one["best"] for one in rungs if not one["level"] and one["best"] is not None]
    assert known == sorted(known, reverse=True) and all(one["does"].endswith(".") for one in rungs)
    plain = client.get("/api/ladder", params={"game": str(EXAMPLES / "kuhn.py")}).json()
    assert all("best" not in one for one in plain)


def test_characters_of_poker_lose_to_who_knows_them_what_a_person_finds() -> None:
    """In Kuhn poker.

    A bet wins the ante from who folds to it. From who calls all, the 3 wins two points, the 1 loses its ante, and the 2
    wins as often as it loses; so it is with an answer to who always bets.
    """
    library = Library([kuhn := str(EXAMPLES / "kuhn.py")])
    game = library.game(kuhn)
    levels, characters = library.opponents(game, [one["name"] for one in library.agents(game)])
    assert [one["title"] for one in levels["players"]] == ["Beginner", "Casual", "Strong", "Perfect"]
    assert levels["players"][1]["does"] == "50 % of its moves are random, the others perfect."
    best = {one["title"]: best_or_none(game, library.agent(one["name"], game, 0)) for one in characters["players"]}
    assert best == pytest.approx({"Never folds": 1 / 3, "Always bets": 1 / 3, "Folds to every bet": 1.0}, abs=EXACT)


def test_refusals(client: TestClient) -> None:
    def ask(**sent: Any) -> str:
        return refused(client.post("/api/weaknesses", json={"game": "footsies_v0", "player": "random"} | sent))

    told = weak(client, game="footsies_v0", player="bayesian")["refused"]
    assert told.startswith("this player remembers earlier moves, or searches at random: where it")
    assert "has a loss of its own" in ask(game=str(EXAMPLES / "kuhn.py"))
    assert ask(records="{}") == "the record is refused: this is no record of a match"
    assert ask(records="") == "records is missing, or is no text"
    for sent, status in (({"file": "/etc/passwd"}, 403), ({"game": "./other.py"}, 403), ({"player": "./a.py:B"}, 403)):
        refused(client.post("/api/weaknesses", json={"game": "footsies_v0", "player": "random"} | sent), status)
    other = json.dumps({"format": "nashzoo match 1", "game": "./other.py"})
    refused(client.post("/api/weaknesses", json={"game": "footsies_v0", "player": "a", "records": other}), 403)
