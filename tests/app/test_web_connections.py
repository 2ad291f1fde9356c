"""Connections of nashzoo web that send half a request, or do not take the response, and those that do."""

import contextlib
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from nashzoo.app.web import connections
from nashzoo.app.web.connections import LimitedProtocol
from processes import PATIENCE, wait_until

LIMIT = 2.0  # seconds of a deadline here
HEADER = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
WHOLE = HEADER + b"\r\n12"
LARGE = 50_000_000  # bytes, more than the system takes for a client that reads nothing


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Answers ``/`` with the body of the request, ``/large`` with many bytes."""
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    body = bytes(LARGE) if scope["path"] == "/large" else body
    length = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": length})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def server() -> Iterator[uvicorn.Server]:
    config = uvicorn.Config(
        application, http=LimitedProtocol, lifespan="off", log_level="error", timeout_graceful_shutdown=1
    )
    started = uvicorn.Server(config)
    thread = threading.Thread(target=started.run, args=([socket.create_server(("127.0.0.1", 0))],))
    thread.start()
    wait_until(lambda: started.started)
    yield started
    started.should_exit = True
    thread.join()


@pytest.fixture
def limited(server: uvicorn.Server, monkeypatch: pytest.MonkeyPatch) -> uvicorn.Server:
    monkeypatch.setattr(connections, "LONGEST_REQUEST", LIMIT)
    monkeypatch.setattr(connections, "LONGEST_RESPONSE", LIMIT)
    return server


def connected(server: uvicorn.Server) -> socket.socket:
    address = server.servers[0].sockets[0].getsockname()
    return socket.create_connection(address[:2], timeout=PATIENCE)


def received(client: socket.socket) -> bytes:
    """Returns what a connection brings until its end; raises TimeoutError if it does not end."""
    parts = []
    try:
        while part := client.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


@pytest.mark.parametrize("sent", [b"", b"G", HEADER, HEADER + b"\r\n1"])
def test_half_a_request_ends_its_connection(limited: uvicorn.Server, sent: bytes) -> None:
    with contextlib.ExitStack() as opened:
        clients = [opened.enter_context(connected(limited)) for _ in range(20)]
        for client in clients:
            client.sendall(sent)
        assert [received(client) for client in clients] == [b""] * 20
    wait_until(lambda: not limited.server_state.connections)


@pytest.mark.parametrize("sent", [b"G", HEADER, HEADER + b"\r\n1"])
def test_half_a_second_request_ends_it_too(limited: uvicorn.Server, sent: bytes) -> None:
    with connected(limited) as client:
        client.sendall(WHOLE)
        wait_until(lambda: client.recv(1 << 16).endswith(b"12"))
        client.sendall(sent)
        assert received(client) == b""


def test_a_body_that_trickles_has_the_same_deadline(limited: uvicorn.Server) -> None:
    with connected(limited) as client:
        client.sendall(HEADER.replace(b"2", b"1000000") + b"\r\n")
        end = time.monotonic() + PATIENCE
        with pytest.raises(ConnectionError):
            while time.monotonic() < end:
                client.sendall(b"1")
                time.sleep(0.01)


def test_a_response_that_is_not_taken_ends_it(limited: uvicorn.Server) -> None:
    with connected(limited) as client:
        client.sendall(WHOLE.replace(b" / ", b" /large "))
        wait_until(lambda: limited.server_state.connections)
        wait_until(lambda: not limited.server_state.connections)
        assert len(received(client)) < LARGE


def test_requests_in_parts_are_answered(server: uvicorn.Server) -> None:
    with connected(server) as client:
        for _ in range(3):
            for part in (HEADER, b"\r\n1", b"2"):
                client.sendall(part)
            wait_until(lambda: client.recv(1 << 16).endswith(b"12"))


@pytest.mark.slow
@pytest.mark.parametrize("pause", [0.005, 0.05])
def test_more_interruptions_than_one_end_the_server_without_a_traceback(pause: float) -> None:
    program = "import sys; from nashzoo.app import main; sys.argv = ['nashzoo', 'web', '--no-browser']; main.main()"
    with subprocess.Popen([sys.executable, "-c", program], stdout=-1, stderr=-1, text=True) as server:
        assert server.stdout is not None
        address = re.findall(r"http://[\d.:]+/", server.stdout.readline())[0]
        urllib.request.urlopen(address).close()  # it serves
        end = time.monotonic() + PATIENCE
        while server.poll() is None:
            assert time.monotonic() < end
            server.send_signal(signal.SIGINT)
            time.sleep(pause)
        assert server.communicate()[1] == ""


def test_a_response_waits_for_no_acknowledgement(server: uvicorn.Server) -> None:
    # A body that waits for the acknowledgement of its header, which is delayed, takes 0.04 s more.
    with connected(server):
        wait_until(lambda: server.server_state.connections)
        (connection,) = server.server_state.connections
        answering: socket.socket = connection.transport.get_extra_info("socket")  # type: ignore[union-attr]
        assert answering.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


HALF = b"POST /api/matches HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"


@pytest.mark.slow
@pytest.mark.parametrize("reset", [False, True])
def test_clients_that_leave_are_no_errors_of_the_server(reset: bool) -> None:
    line = [sys.executable, "-m", "nashzoo.app", "web", "--no-browser", "--port", "0"]
    with contextlib.ExitStack() as opened:
        web = opened.enter_context(subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        opened.callback(web.kill)
        assert web.stdout is not None and web.stderr is not None
        address = re.search(r"http://127\.0\.0\.1:(\d+)/", web.stdout.readline())
        assert address is not None
        port = int(address[1])
        for rest in (b"Content-Length: 9\r\n\r\n{", b"Transfer-Encoding: chunked\r\n\r\n9\r\n{", b"\r\n", b""):
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(HALF % port + rest)
                urllib.request.urlopen(address[0], timeout=PATIENCE).close()  # so that the first part is read
                if reset:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with socket.create_connection(("127.0.0.1", port)) as client:  # 5 bytes that are 4
            client.sendall(HALF % port + b"Transfer-Encoding: chunked\r\n\r\n5\r\n1234\r\n")
            client.settimeout(PATIENCE)
            client.recv(1)  # the answer, or the end
        web.terminate()
        errors = web.stderr.read()
    assert "Traceback" not in errors
