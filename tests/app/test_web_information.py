"""Games with hidden information in the browser: nothing of it is sent while a match runs, and all of it afterwards."""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from nashzoo.app.shared.solutions import describe_view
from nashzoo.app.web.information import information_json
from nashzoo.app.web.library import PERSON, Library
from nashzoo.app.web.matches import WebMatch
from nashzoo.app.web.routes import Application
from nashzoo.arena import records
from nashzoo.baselines import solve
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.envs import make_game
from processes import PATIENCE

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "games"
NAMES = ("kuhn", "leduc", "liars_dice", "hidden_goofspiel", "dark_hex")
KUHN, LEDUC, DICE, GOOFSPIEL, HEX = GAMES = tuple(str(EXAMPLES / f"{name}.py") for name in NAMES)
SMALL_DICE = f"{DICE}(faces=3)"
PASS, BET = 0, 1
SEED = 0

# Kuhn poker that pays at every move, and tells both cards.
LOUD = (
    Path(KUHN)
    .read_text(encoding="utf-8")
    .replace("        return 0\n", "        return state.moves * (state.card0 - state.card1)\n")
)
LOUD += """
def event(state, action0, action1, after):
    return f"{ACTIONS[action0]}, {ACTIONS[action1]} with {state.card0} and {after.card1}"
"""


# Player 0 lays a coin, a second one falls beside it, and player 1, who sees neither, guesses the first.
COINS = """
from typing import NamedTuple

NAME, ACTIONS, CHANCE = "coins_v0", ("heads", "tails"), 3

class State(NamedTuple):
    laid: int
    fallen: int
    first: int
    second: int
    guess: int

SEEN_BY = {"first": (0,), "second": (0,)}

def field_maxima():
    return State(1, 1, 1, 1, 2)

def start():
    return State(0, 0, 0, 0, 0)

def turn(state):
    return CHANCE if state.laid > state.fallen else state.laid

def chance(state):
    return [(State(1, 1, state.first, second, 0), 0.5) for second in (0, 1)]

def step(state, action):
    return State(1, 1, state.first, state.second, action + 1) if state.laid else State(1, 0, action, 0, 0)

def terminal(state):
    return state.guess > 0

def payoff(state):
    return 0 if state.guess == 0 else 1 if state.guess != state.first + 1 else -1
"""


@pytest.fixture(scope="module")
def loud(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("rules") / "loud_kuhn.py"
    path.write_text(LOUD)
    return str(path)


@pytest.fixture(scope="module")
def application(loud: str) -> Iterator[Application]:
    application = Application(Library((*GAMES, loud)))
    application.solver.patience = application.measuring.patience = PATIENCE
    yield application
    application.close()


@pytest.fixture(scope="module")
def client(application: Application) -> TestClient:
    return TestClient(Starlette(routes=application.routes()))


def found(client: TestClient, path: str, **query: Any) -> Any:
    response = client.get(f"/api{path}", params=query)
    assert response.status_code == 200, response.text
    return response.json()


def refused(answer: Any) -> str:
    """Returns the sentence with which a request is refused."""
    assert answer.status_code == 400, answer.text
    return str(answer.json()["error"])


def begun(application: Application, spec: str, players: tuple[str, str], seed: int = 0, **start: int) -> str:
    """Begins a match in a state; returns its address."""
    game = application.library.game(spec)
    match = WebMatch(application.library, game, spec, players, seed, game.code(**start))
    return f"/matches/{application.matches.add(match)}"


def stepped(client: TestClient, address: str, **actions: int) -> Any:
    answer = client.post(
        f"/api{address}/step", json={"actions": {name[1:]: action for name, action in actions.items()}}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def all_that_is_sent(
    client: TestClient, spec: str, address: str, seat: int, agents: Sequence[str] = ("nash", "random")
) -> list[str]:
    """Returns all responses about a match now, headers included, and those about the states that it names."""
    match = found(client, address)
    codes = [match["state"]["code"], *(step[name] for step in match["steps"] for name in ("before", "after", "shown"))]
    asked = [f"{address}{more}" for more in ("", "?player=0", "?player=1", "/record", "/review")]
    asked += [f"{address}/advice?agent={agent}&player={player}" for agent in agents for player in (0, 1)]
    for code in codes:
        about = f"game={spec}&code={code}"
        asked += [f"/state?{about}", f"/state?{about}&player={seat}", f"/board.svg?{about}"]
        asked += [f"/policy?{about}&agent={agent}&player={seat}" for agent in agents]
        asked += [f"/solution?{about}"] if "nash" in agents else []
    answers = [client.get(f"/api{one}") for one in asked]
    return [f"{one.status_code} {one.headers} {one.text}" for one in answers]


@pytest.mark.parametrize(
    ("spec", "seat", "start", "hidden"),
    [
        (KUHN, 0, {"dealt": 1, "card0": 2}, {"card1": (1, 3)}),
        ("loud", 1, {"dealt": 1, "card1": 2}, {"card0": (1, 3)}),
        (SMALL_DICE, 0, {"rolls": 0, "die0": 2}, {"die1": (1, 2)}),
        pytest.param(SMALL_DICE, 1, {"rolls": 0, "die1": 2}, {"die0": (1, 3)}, marks=pytest.mark.slow),
        pytest.param(LEDUC, 0, {"card0": 1, "dealing": 0}, {"card1": (3, 5)}, marks=pytest.mark.slow),
        pytest.param(LEDUC, 1, {"card1": 1, "dealing": 0}, {"card0": (3, 5)}, marks=pytest.mark.slow),
    ],
)
def test_matches_that_differ_in_what_is_hidden_have_the_same_responses(
    application: Application,
    client: TestClient,
    loud: str,
    spec: str,
    seat: int,
    start: dict[str, int],
    hidden: Any,
) -> None:
    """The opponent draws alike in both, whatever its card; Leduc's public card is the same with this seed."""
    spec = loud if spec == "loud" else spec
    [(field, values)] = hidden.items()
    players = (PERSON, "random") if seat == 0 else ("random", PERSON)
    twins = [begun(application, spec, players, seed=SEED, **start, **{field: value}) for value in values]
    while True:
        sent = [all_that_is_sent(client, spec, address, seat) for address in twins]
        assert [one.replace(twins[0], "") for one in sent[0]] == [one.replace(twins[1], "") for one in sent[1]]
        match = found(client, twins[0])
        assert match["seats"] == [seat] and match["state"]["fields"][field] == 0
        assert match["seed"] is match["points"] is None and match["state"]["legal"][1 - seat] == []
        legal = match["state"]["legal"][seat]
        answers = [
            stepped(client, address, **({f"_{seat}": legal[-1]["action"]} if legal else {})) for address in twins
        ]
        if answers[0]["ended"]:
            break
        assert answers[0] == answers[1]
    boards = set()
    for value, address in zip(values, twins, strict=True):
        match = found(client, address)
        assert match["ended"] == "terminated" and match["seats"] == [] and match["seed"] == SEED
        assert match["state"]["fields"][field] == value and match["points"] != 0
        record = client.get(f"/api{address}/record").text
        assert json.loads(record)["start"][field] == value
        replayed = client.post("/api/replay", json={"record": record}).json()
        assert [step["shown"] for step in replayed["steps"]] == [step["shown"] for step in match["steps"]]
        boards.add(client.get("/api/board.svg", params={"game": spec, "code": match["state"]["code"]}).text)
        assert len(found(client, f"{address}/review")["moves"]) == len(match["steps"])
    assert len(boards) == 2


def test_what_is_refused_while_a_match_runs_and_after_it(application: Application, client: TestClient) -> None:
    address = begun(application, KUHN, (PERSON, "nash"), dealt=1, card0=1, card1=3)
    for path, message in (
        ("/record", "a record tells what is hidden; it is there when the match is over"),
        ("/review", "a review tells what is hidden; it is there when the match is over"),
        ("?player=1", "what player 1 sees is shown when the game is over"),
        ("/advice?agent=nash&player=1", "player 1 does not choose now"),
    ):
        assert refused(client.get(f"/api{address}{path}")) == message
    second = begun(application, KUHN, ("nash", PERSON), dealt=1, card0=1, card1=3)
    message = "what player 0 sees is shown when the game is over"
    assert refused(client.get(f"/api{second}/advice?agent=nash&player=0")) == message
    assert len(stepped(client, address, _0=PASS)["steps"]) == 2  # the agent bets with the highest card
    assert len(client.post(f"/api{address}/undo", json={}).json()["steps"]) == 0
    for actions in ({"_0": PASS}, {"_0": PASS}):
        match = stepped(client, address, **actions)
    assert match["ended"] == "terminated"
    message = "everything that was hidden has been shown; begin another match"
    assert refused(client.post(f"/api{address}/undo", json={})) == message


def test_two_people_at_one_screen_ask_for_their_own_views(application: Application, client: TestClient) -> None:
    address = begun(application, KUHN, (PERSON, PERSON), dealt=1, card0=1, card1=3)
    covered, *seen = [found(client, address, **query) for query in ({}, {"player": 0}, {"player": 1})]
    assert covered["seats"] == [0, 1] and covered["state"]["movers"] == [0] and covered["steps"] == []
    assert not any(covered["state"][part] for part in ("code", "fields", "text", "targets"))
    cards = [tuple(match["state"]["fields"][card] for card in ("card0", "card1")) for match in seen]
    assert cards == [(1, 0), (0, 3)]
    assert [len(match["state"]["legal"][0]) for match in (covered, *seen)] == [0, 2, 0]
    assert stepped(client, address, _0=BET)["steps"] == []
    assert found(client, address, player=1)["steps"][0]["told"] == "player 0 bet"


def test_agents_are_watched_with_open_cards(application: Application, client: TestClient) -> None:
    match = found(client, begun(application, KUHN, ("nash", "random"), dealt=1, card0=1, card1=3))
    assert match["seats"] == [] and (match["state"]["fields"]["card0"], match["state"]["fields"]["card1"]) == (1, 3)


@pytest.mark.parametrize("options", ["", "(cards=3)", "(cards=3,random=True)", "(rows=2,columns=2)"])
def test_what_a_seat_is_sent_follows_from_its_information_state(application: Application, options: str) -> None:
    spec = {"": LEDUC, "(rows=2,columns=2)": HEX}.get(options, GOOFSPIEL) + options
    game, rng = application.library.game(spec), random.Random(0)
    sent: dict[tuple[int, int], str] = {}
    for seed in range(200):
        match = WebMatch(application.library, game, spec, (PERSON, PERSON), seed)
        while match.match.ended is None:
            code = match.match.code
            for player in (0, 1):
                known = player, game.information_state(code, player)
                response = json.dumps(match.as_json(player))
                assert sent.setdefault(known, response) == response
            match.step({player: rng.choice(game.legal_actions(code, player)) for player in match.match.movers})
    assert len(sent) > 20


@pytest.mark.parametrize(
    ("spec", "plays", "told"),
    [
        (f"{GOOFSPIEL}(cards=3)", ([(2, 0)], [(2, 1)]), ["player 0 played card 3, player 1 moved"]),
        (
            f"{HEX}(rows=2,columns=2)",
            ([(0, 0), (0, 0), (0, 1)], [(0, 0), (0, 2)]),  # player 1 tries player 0's cell first, or does not
            ["player 0 played a1", "player 1 moved"],
        ),
        (
            f"{HEX}(rows=2,columns=2)",
            ([(0, 0), (0, 0), (0, 1), (1, 0)], [(0, 0), (0, 1), (1, 0)]),  # player 0 tries player 1's cell
            ["player 0 played a1", "player 1 moved", "player 0 played b1"],
        ),
    ],
)
def test_actions_that_leave_no_trace_are_not_told(
    application: Application, client: TestClient, spec: str, plays: Any, told: list[str]
) -> None:
    sent, matches = [], []
    for actions in plays:
        address = begun(application, spec, (PERSON, "random"))
        for pair in actions:
            application.matches[address.rpartition("/")[2]].match.act(*pair)
        sent.append([one.replace(address, "") for one in all_that_is_sent(client, spec, address, 0, ("random",))])
        matches.append(found(client, address))
    assert sent[0] == sent[1]
    assert [step["told"] for step in matches[0]["steps"]] == told


def test_what_chance_hides_is_not_told(tmp_path: Path) -> None:
    rules = tmp_path / "coins.py"
    rules.write_text(COINS)
    library = Library((str(rules),))
    told = set()
    for seed in range(8):
        match = WebMatch(library, library.game(str(rules)), str(rules), ("random", PERSON), seed)
        match.step({})
        told.add(match.as_json()["steps"][0]["told"])
    assert told == {"player 0 moved; by chance fallen is 1"}
    match.step({1: 0})
    assert match.as_json()["steps"][0]["told"].startswith("player 0 played ")


def test_agents_make_all_their_moves_at_once(application: Application, client: TestClient) -> None:
    """Else the requests would count them: in dark Hex an agent tries another cell after one that is taken."""
    for seed in range(20):
        address = begun(application, f"{HEX}(rows=2,columns=2)", (PERSON, "random"), seed)
        match = stepped(client, address, _0=0)
        assert match["state"]["movers"] == [0] and len(match["steps"]) == 2


def test_an_information_state_has_its_histories_and_action_values(client: TestClient) -> None:
    """After a pass and a bet player 0 calls with the 2 at no loss: 3 of 4 bets come with the 3 (Kuhn 1950)."""
    asked = {"game": KUHN, "dealt": 1, "card0": 2, "card1": 0, "moves": 2, "history": 0b10}
    told = found(client, "/solution", **asked)
    [side] = told["sides"]
    assert (side["player"], side["reached"], side["num_histories"]) == (0, True, 2)
    assert [(one["text"], pytest.approx(one["probability"])) for one in side["histories"]] == [
        ("player 1's card is 3", 3 / 4),
        ("player 1's card is 1", 1 / 4),
    ]
    assert [one["value"] for one in side["actions"]] == pytest.approx([-1, -1]) and side["value"] == pytest.approx(-1)
    assert told["start_value"] == pytest.approx(-1 / 18) and told["states"] == 12 and told["certificate"] < 1e-9
    real = found(client, "/solution", **asked | {"card1": 1}, player=0)["sides"][0]
    assert real["history"] == str(make_game(KUHN).code(dealt=1, card0=2, card1=1, moves=2, history=0b10))
    assert side["history"] == side["histories"][0]["code"] and real["histories"] == side["histories"]
    assert found(client, "/solution", **asked, player=1)["sides"] == []
    outcomes = found(client, "/solution", game=KUHN, code=0)
    assert outcomes["value"] == pytest.approx(-1 / 18) and len(outcomes["outcomes"]) == 6


def test_ranges_are_those_of_what_a_player_sees(client: TestClient) -> None:
    """Player 0 bets the lowest card with a probability up to 1/3, and player 1 has one strategy (Kuhn 1950)."""
    (side,) = found(client, "/ranges", game=KUHN, dealt=1, card0=1, card1=2)["sides"]
    assert (side["player"], side["reached"], side["unique"]) == (0, True, False)
    assert [one["text"] for one in side["actions"]] == ["2/3 to 1", "0 to 1/3"]
    (side,) = found(client, "/ranges", game=KUHN, dealt=1, card1=1, moves=1, player=1)["sides"]
    assert side["unique"] and [one["text"] for one in side["actions"]] == ["2/3", "1/3"]
    assert found(client, "/ranges", game=KUHN, dealt=1, card0=1, player=1)["sides"] == []


def test_what_a_player_sees_is_locked(client: TestClient) -> None:
    """Whoever always bets the lowest card loses 5/18, by the program of ``tests/baselines/test_locked.py``."""
    game = make_game(KUHN)
    told = found(
        client,
        "/locked",
        game=KUHN,
        code=game.code(dealt=1, card0=1, card1=2),
        locks=f"0,{game.code(dealt=1, card0=1)},0,1",
    )
    (side,) = told["sides"]
    assert (side["player"], [one["probability"] for one in side["actions"]]) == (0, [0, 1])
    assert [told["locked"][one] for one in ("value", "free")] == pytest.approx([-5 / 18, -1 / 18], abs=1e-9)
    seen = game.code(dealt=1, card0=1)
    assert told["locked"]["locks"] == [
        {"code": str(seen), "text": "player 0: Bet 1 100 %, only if player 0's card is 1"}
    ]
    assert told["locked"]["here"] == 0


def test_histories_say_also_that_a_hidden_field_is_0(tmp_path: Path) -> None:
    (tmp_path / "coins.py").write_text(COINS)
    game = make_game(str(tmp_path / "coins.py"))
    solution, code = solve(game), game.code(laid=1, fallen=1)
    assert isinstance(solution, InformationSolution)
    told = [one["text"] for one in information_json(solution, code, 1)["histories"]]
    assert sorted(told) == [f"first is {first}, second is {second}" for first in (0, 1) for second in (0, 1)]
    view = describe_view(solution, code)
    assert view["seen1"] == "laid=1,fallen=1,first=?,second=?,guess=0"
    assert sorted(view["beliefs1"]) == [f"laid=1,fallen=1,first={a},second={b},guess=0" for a in (0, 1) for b in (0, 1)]


def test_a_review_has_the_regret_by_what_players_saw(application: Application, client: TestClient) -> None:
    """Player 0 calls with the 1, which loses 2 instead of 1; all else is in the equilibrium."""
    address = begun(application, KUHN, (PERSON, PERSON), dealt=1, card0=1, card1=3)
    for actions in ({"_0": PASS}, {"_1": BET}, {"_0": BET}):
        stepped(client, address, **actions)
    reviewed = found(client, f"{address}/review")
    assert [move["loss"] for move in reviewed["moves"]] == pytest.approx([0, 0, 1], abs=1e-9)
    assert reviewed["totals"] == pytest.approx([1, 0], abs=1e-9) and "values" not in reviewed


@pytest.mark.slow
def test_a_match_goes_on_from_what_a_player_sees(client: TestClient) -> None:
    """Three of four bets after a pass come with the 3, see above."""
    code = make_game(KUHN).code(dealt=1, card0=2, moves=2, history=0b10)
    cards = []
    for seed in range(40):
        wanted = {"game": KUHN, "players": [PERSON, PERSON], "seed": seed, "start": str(code)}
        match = client.post("/api/matches?player=0", json=wanted).json()
        seen = found(client, f"/matches/{match['id']}", player=0)
        assert (seen["state"]["fields"]["card0"], seen["state"]["fields"]["card1"]) == (2, 0)
        ended = stepped(client, f"/matches/{match['id']}", _0=PASS)
        assert (ended["state"]["fields"]["card0"], ended["points"]) == (2, -1)
        cards.append(ended["state"]["fields"]["card1"])
    assert 27 <= cards.count(3) <= 33 and cards.count(1) == 40 - cards.count(3)


def test_a_match_begins_where_the_player_chooses(client: TestClient) -> None:
    code = make_game(KUHN).code(dealt=1, card1=2)
    wanted = {"game": KUHN, "players": ["nash", PERSON], "start": str(code)}
    assert refused(client.post("/api/matches?player=1", json=wanted)) == "player 1 does not choose there"
    deal = {**wanted, "start": str(int(make_game(KUHN).start_codes[0]))}
    assert refused(client.post("/api/matches?player=1", json=deal)).startswith("chance decides at ")


def test_only_states_at_which_a_player_chooses_are_seen_in_part(client: TestClient) -> None:
    start = int(make_game(KUHN).start_codes[0])
    told = [found(client, "/state", game=KUHN, code=code) for code in (start, make_game(KUHN).code(dealt=1, card1=2))]
    assert [one["viewers"] for one in told] == [[], [0, 1]]
    assert found(client, "/state", game="tictactoe_v0", board=".........")["viewers"] == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (f"/solution?game={KUHN}&dealt=1", "play never comes to what player 0 sees at dealt=1,card0=0,card1=?"),
        (f"/policy?game={KUHN}&dealt=1&agent=nash", "nash does not play at dealt=1,card0=0,card1=?"),
    ],
)
def test_what_such_games_do_not_have(client: TestClient, path: str, message: str) -> None:
    assert message in refused(client.get(f"/api{path}"))


def test_records_of_running_matches_of_agents_are_whole(application: Application, client: TestClient) -> None:
    address = begun(application, KUHN, ("random", "random"), dealt=1, card0=1, card1=3)
    record = records.parsed(client.get(f"/api{address}/record").text, make_game)
    assert record.game.state(record.trajectory.start).card1 == 3


def test_the_picture_of_a_game_shows_no_card_of_the_opponent(client: TestClient) -> None:
    pictured = make_game(KUHN).state(int(found(client, "/game", game=KUHN)["picture"]))
    assert pictured.card0 and not pictured.card1
