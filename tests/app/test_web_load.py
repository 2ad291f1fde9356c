"""The server of ``nashzoo web`` under load: two thousand random requests, hundreds of clients, and its end."""

import contextlib
import http.client
import json
import random
import socket
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from studies.web_server import WebServer

REQUESTS, CONNECTIONS, CLIENTS = 2_000, 20, 200
MOST_THREADS = 60  # of the server: 40 that answer, and those of numerical libraries
WORDS = [
    "footsies_v0", "tictactoe_v0", "roshambo_v0(rounds=2)", "nowhere", "nash", "counter", "mcts(simulations=5)", "0",
    "1", "-1", "2", "99999999999999999999", "4611686018427387904", "1.5", "", "x=1", "(", "\x00", "💥", "/etc/passwd",
    "human player", "light", "dark", "turn", "blocks0", "blocks1",
]  # fmt: skip
NAMES = ("game", "code", "agent", "player", "action0", "action1", "across", "up", "theme", "file", "folder", "blocks0")
GETS = (
    "", "/game", "/state", "/board.svg", "/solution", "/next", "/policy", "/saved", "/folder",
    "/matches/x", "/matches/x/review", "/matches/x/advice", "/matches/x/record", "/nowhere", "/../app.js",
)  # fmt: skip
POSTS = ("/matches", "/matches/x/step", "/matches/x/undo", "/replay", "/game")

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted")]


class Server(WebServer):
    """A server whose threads and processes are counted."""

    def connect(self) -> http.client.HTTPConnection:
        """Returns a connection to it."""
        return http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=120)

    def threads(self) -> int:
        """Returns how many threads it has."""
        return len(list(Path(f"/proc/{self.pid}/task").iterdir()))

    def children(self) -> list[str]:
        """Returns the processes that it began."""
        return Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as started:
        yield started
    assert started.returncode == 0 and "Traceback" not in started.errors, started.errors


@pytest.fixture(scope="module", autouse=True)
def half_open(server: Server) -> Iterator[list[socket.socket]]:
    """Opens connections whose requests never end, before other tests, so that their limit of 20 s passes meanwhile."""
    with contextlib.ExitStack() as opened:
        address = urlsplit(server.address)
        clients = [
            opened.enter_context(socket.create_connection((address.hostname, address.port), timeout=120))
            for _ in range(CONNECTIONS)
        ]
        for client in clients:
            client.sendall(b"GET /api HTTP/1.1\r\nHost: ")
        yield clients


def asked(connection: http.client.HTTPConnection, path: str, body: Any = None) -> tuple[int, Any]:
    """Returns the status and what was answered."""
    words = {} if body is None else {"Content-Type": "application/json"}
    connection.request(
        "GET" if body is None else "POST", f"/api{path}", None if body is None else json.dumps(body), words
    )
    answer = connection.getresponse()
    text = answer.read().decode()
    is_json = (answer.headers["content-type"] or "").startswith("application/json")
    return answer.status, json.loads(text) if is_json else text


def test_random_requests_are_answered_in_a_sentence(server: Server) -> None:
    def many(seed: int) -> Counter[int]:
        rng, seen = random.Random(seed), Counter[int]()
        with contextlib.closing(server.connect()) as connection:
            for _ in range(REQUESTS // CONNECTIONS):
                seen[one(rng, connection)] += 1
        return seen

    def one(rng: random.Random, connection: http.client.HTTPConnection) -> int:
        given = {name: rng.choice(WORDS) for name in rng.sample(NAMES, rng.randint(0, 6))}
        if rng.random() < 0.3:
            odd = [*WORDS, 3, None, [], {}, 1.5, True, ["nash", "nash"], ["human player", "counter"]]
            names = ("game", "players", "seed", "start", "record", "actions")
            body = {name: rng.choice(odd) for name in rng.sample(names, rng.randint(0, 6))}
            status, found = asked(connection, rng.choice(POSTS), body)
        else:
            status, found = asked(connection, f"{rng.choice(GETS)}?{urlencode(given)}")
        assert status in (200, 202, 400, 403, 404, 405), (given, found)
        if status in (400, 403):
            assert set(found) == {"error"} and found["error"], (given, found)
        return status

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        seen = sum(pool.map(many, range(CONNECTIONS)), Counter[int]())
    assert seen.total() == REQUESTS and seen[200] > REQUESTS / 50
    assert server.threads() <= MOST_THREADS and server.children() == []


def test_hundreds_of_clients_play_at_once(server: Server) -> None:
    def play(number: int) -> int:
        rng, asks = random.Random(number), {"game": "footsies_v0", "players": ["human player", "counter"]}
        with contextlib.closing(server.connect()) as connection:
            status, match = asked(connection, "/matches", asks | {"seed": number})
            assert status == 200, match
            identity = match["id"]
            while match["ended"] is None:
                action = rng.choice(match["state"]["legal"][0])["action"]
                status, match = asked(connection, f"/matches/{identity}/step", {"actions": {"0": action}})
                assert status == 200, match
            return len(match["steps"])

    with ThreadPoolExecutor(CLIENTS) as pool:
        lengths = list(pool.map(play, range(CLIENTS)))
    assert len(lengths) == CLIENTS and min(lengths) >= 1
    assert server.threads() <= MOST_THREADS and server.children() == []


def test_half_open_connections_end(half_open: list[socket.socket]) -> None:
    for client in half_open:
        with contextlib.suppress(ConnectionResetError):
            assert client.recv(1) == b""
