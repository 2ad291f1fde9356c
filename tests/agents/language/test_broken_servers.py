"""Servers that send what the protocol does not allow, and kept replies that no server sent."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from nashzoo import agents
from nashzoo.envs import roshambo_v0
from nashzoo.envs.base.errors import UsageError

THROW = roshambo_v0.game(rounds=1)


@contextmanager
def sending(body: bytes) -> Iterator[str]:
    """Yields the address of a server that sends the same body each time."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()


def answer(*logprobs: str, tokens: str = "9") -> bytes:
    first = ",".join(f'{{"token": "{token}", "logprob": {one}}}' for token, one in zip("ABC", logprobs, strict=False))
    return f"""{{"choices": [{{"index": 0, "finish_reason": "stop", "message": {{"role": "assistant", "content": "A"}},
        "logprobs": {{"content": [{{"token": "A", "logprob": 0, "top_logprobs": [{first}]}}]}}}}],
        "usage": {{"total_tokens": {tokens}}}}}""".encode()


def choose(url: str, **options: Any) -> Any:
    player = agents.make("llm", THROW, model="parrot", url=url, mode="logprobs", retries=0, **options)
    return player.predict(THROW.observe(THROW.first_decision, 0))


def test_log_probabilities_are_probabilities() -> None:
    with sending(answer("-0.7", "-0.7", "-9999.0")) as url:
        assert choose(url)[0] in (0, 1)
    with sending(answer("1e-7", "-20")) as url:  # as single precision rounds
        assert choose(url)[0] == 0


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (answer("900"), "sends log-probabilities above 0, or of more than 1 together: 900$"),
        (answer("0.5", "-3"), "log-probabilities above 0, or of more than 1 together: 0.5, -3$"),
        (answer("NaN"), "log-probabilities above 0, or of more than 1 together: nan$"),
        (answer("-0.1", "-0.1"), "log-probabilities above 0, or of more than 1 together: -0.1, -0.1$"),
        (answer("null"), "sends no log-probabilities of its tokens"),
        (answer("-0.1", tokens="1e999"), "sends no log-probabilities of its tokens"),
        (b"[" * 100_000, "sends no log-probabilities of its tokens|does not answer"),
    ],
)  # fmt: skip
def test_what_is_none_is_a_sentence(body: bytes, message: str, tmp_path: Path) -> None:
    with sending(body) as url, pytest.raises(UsageError, match=message):
        choose(url, replies=str(tmp_path / "replies.jsonl"))
    assert (tmp_path / "replies.jsonl").read_bytes() == b""


@pytest.mark.parametrize(
    "change",
    [
        {"text": 3},
        {"text": None},
        {"tokens": "nine"},
        {"tokens": -1},
        {"tokens": True},
        {"first": {"A": "1"}},
        {"first": {"A": 1.5}},
        {"first": {"A": -0.5}},
        {"first": ["A"]},
        {"first": None},
    ],
)  # fmt: skip
def test_kept_replies_of_other_types_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    with sending(answer("-0.1")) as url:
        choose(url, replies=str(file))
        kept = json.loads(file.read_text())
        kept["reply"] |= change
        file.write_text(json.dumps(kept) + "\n")
        with pytest.raises(UsageError, match="holds no replies of a model, see line 1"):
            choose(url, replies=str(file))
