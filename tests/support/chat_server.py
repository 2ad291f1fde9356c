"""A server on this computer that speaks the chat completions protocol, with replies that a test decides."""

import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import numpy as np

from nashzoo.agents.basic.nash import NashAgent
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Floats, Game
from nashzoo.envs.text.situation import as_text, situation
from nashzoo.envs.text.wording import Wording

ACTIONS = "Your legal actions:"
DIGITS = 6  # after the point, of log-probabilities, natural logarithm
TOKENS = 1000  # of each request and its reply

Asked = dict[str, Any]  # a request's JSON


class Says(NamedTuple):
    """A reply: its text, and the probabilities of its first token if these are sent."""

    text: str
    first: dict[str, float] | None = None


class Fails(NamedTuple):
    """A reply that is none."""

    status: int
    message: str = "out of order"


class Sends(NamedTuple):
    """An answer byte by byte, which a server sends that keeps to no protocol."""

    parts: list[bytes]
    pause: float = 0.0  # seconds after each part


Answer = Says | Fails | Sends
Behaviour = Callable[[Asked], Answer]


class ChatServer:
    """The server, and what it was asked.

    Attributes:
        url: Its address.
        asked: The requests, in order.
        most_at_once: The most requests that it had at the same time.
    """

    def __init__(self, behaviour: Behaviour, counts_tokens: bool = True) -> None:
        self.behaviour = behaviour
        self.counts_tokens = counts_tokens
        self.asked: list[Asked] = []
        self.headers: list[dict[str, str]] = []
        self.most_at_once = 0
        self.url = ""
        self._now = 0
        self._lock = threading.Lock()

    def reply(self, asked: Asked, headers: dict[str, str]) -> Sends | tuple[int, dict[str, Any]]:
        with self._lock:
            self.asked.append(asked)
            self.headers.append(headers)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            said = self.behaviour(asked)
        finally:
            with self._lock:
                self._now -= 1
        if isinstance(said, Sends):
            return said
        if isinstance(said, Fails):
            return said.status, {"error": {"message": said.message}}
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
        choice["message"] = {"role": "assistant", "content": said.text}
        if said.first is not None and asked.get("logprobs"):
            ranked = sorted(said.first.items(), key=lambda item: -item[1])[: asked["top_logprobs"]]
            first = [{"token": token, "logprob": round(float(np.log(p)), DIGITS)} for token, p in ranked if p > 0]
            choice["logprobs"] = {"content": [{**first[0], "top_logprobs": first}]}
        usage = {"prompt_tokens": TOKENS - 1, "completion_tokens": 1, "total_tokens": TOKENS}
        answer = {"id": "1", "object": "chat.completion", "created": 0, "model": asked["model"], "choices": [choice]}
        return 200, answer | ({"usage": usage} if self.counts_tokens else {})


@contextmanager
def serving(behaviour: Behaviour, counts_tokens: bool = True) -> Iterator[ChatServer]:
    """Runs a server within this context."""
    chat = ChatServer(behaviour, counts_tokens)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = chat.reply(asked, {name.lower(): value for name, value in self.headers.items()})
            if isinstance(said, Sends):
                self.close_connection = True
                with suppress(ConnectionError):
                    for part in said.parts:
                        self.wfile.write(part)
                        time.sleep(said.pause)
                return
            status, answer = said
            body = json.dumps(answer).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("retry-after-ms", "1")  # so that tests do not wait
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:  # the client waits no longer
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    chat.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield chat
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Speaker:
    """Replies by a policy, whose states it knows by what a player reads.

    Args:
        game: The game.
        policy: The policy; an equilibrium when None.
        wording: The words of the game.
        spoken: How the name of a drawn action is said.

    Attributes:
        drawn: How often each action was drawn, by what a player sees.
    """

    def __init__(
        self,
        game: Game,
        policy: PolicyAgent | None = None,
        wording: Wording | None = None,
        spoken: Callable[[str], str] = str,
    ) -> None:
        self.game = game
        self.wording = Wording(game) if wording is None else wording
        self.spoken = spoken
        self.probabilities: dict[str, Floats] = {}
        self.drawn: dict[str, Floats] = {}
        self._rngs: dict[str, np.random.Generator] = {}  # by place, so that the order of questions makes no difference
        self._lock = threading.Lock()
        policy = NashAgent(game) if policy is None else policy
        for code in ListedStates(game).codes.tolist():
            for player in game.movers(code):
                seen = game.observe(code, player)[None]
                self.probabilities[self.read(code, player)] = policy.action_probabilities(seen, policy.legal(seen))[0]

    def read(self, code: int, player: int) -> str:
        """Returns what a player reads, without its legal actions."""
        return as_text(situation(self.wording, code, player)).partition(ACTIONS)[0]

    def __call__(self, asked: Asked) -> Says:
        place, _, below = asked["messages"][0]["content"].partition(ACTIONS)
        policy = self.probabilities[place]
        if asked.get("logprobs"):
            lettered = [line[2:].split(": ") for line in below.splitlines() if line.startswith("- ")]
            first = {letter: policy[self.wording.actions.index(name)] for letter, name in lettered}
            return Says(max(first, key=lambda letter: first[letter]), first)
        with self._lock:
            rng = self._rngs.setdefault(place, np.random.default_rng(zlib.crc32(place.encode())))
            action = int(rng.choice(len(policy), p=policy / policy.sum()))
            self.drawn.setdefault(place, np.zeros(len(policy)))[action] += 1
        return Says(self.spoken(self.wording.actions[action]))


class Drawn(PolicyAgent):
    """The policy of the frequencies of what a speaker has drawn; the legal action where there is a single one."""

    def __init__(self, speaker: Speaker) -> None:
        super().__init__(speaker.game)
        self.speaker = speaker

    def action_probabilities(self, observations: Any, action_masks: Any) -> Floats:
        rows = []
        for code, player, mask in zip(*self.states_of(observations), action_masks, strict=True):
            place = "" if mask.sum() == 1 else self.speaker.read(int(code), int(player))
            counts = self.speaker.drawn[place] if place else mask
            rows.append(counts / counts.sum())
        return np.array(rows)


def first_fails(times: int, status: int, behaviour: Behaviour) -> Behaviour:
    """Returns a behaviour that fails some times, and then is another one."""
    left, lock = [times], threading.Lock()

    def fails_first(asked: Asked) -> Answer:
        with lock:
            left[0] -= 1
            if left[0] >= 0:
                return Fails(status)
        return behaviour(asked)

    return fails_first


def slowly(seconds: float, behaviour: Behaviour) -> Behaviour:
    """Returns a behaviour that takes its time."""

    def slow(asked: Asked) -> Answer:
        time.sleep(seconds)
        return behaviour(asked)

    return slow


def sends(body: bytes, status: str = "200 OK", *headers: str) -> Sends:
    """Returns an answer in one piece: its status, headers and body."""
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
    return Sends(["\r\n".join([*lines, "", ""]).encode() + body])


def drips(answer: Sends, first: int, pieces: int, pause: float) -> Sends:
    """Returns an answer whose bytes from a place on come one by one, the last of them together."""
    whole = b"".join(answer.parts)
    single = [whole[place : place + 1] for place in range(first, first + pieces)]
    return Sends([whole[:first], *single, whole[first + pieces :]], pause)
