"""A language model at a server that speaks the chat completions protocol, asked with the package ``openai``.

What goes wrong is one sentence. Requests that the server refuses for the moment (429, 5xx) or does not answer in time
are sent again by the client, after a pause that grows. A server can be anything: an answer has a deadline and a largest
size, none is asked for elsewhere, and what it says is kept and printed without the key and what controls a terminal.
"""

import asyncio
import math
import os
import sys
import textwrap
from collections.abc import Mapping, Sequence
from functools import cache
from threading import Thread
from typing import Any, NamedTuple
from weakref import finalize

from nashzoo.envs.base.errors import MissingPackageError, UsageError
from nashzoo.envs.base.threads import one_at_a_time
from nashzoo.envs.base.words import counted, printable

NO_KEY = "none"  # sent to a server of one's own, which asks for no key; the client demands one
KEY = "OPENAI_API_KEY"
ROUNDING = 0.01  # of a sum of probabilities
LONGEST = 200  # characters of a server's message in an error
LARGEST = 16 * 2**20  # bytes of an answer
NO_ADDRESS = f"url must be an address such as http://127.0.0.1:8000/v1, with a key in {KEY} alone"
SECRET = 8  # characters; shorter keys, such as "EMPTY", may be words of a reply

Messages = Sequence[Mapping[str, str]]  # each with its "role" and "content"


def message(role: str, content: str) -> dict[str, str]:
    """Returns a message, of the ``"user"`` or of the ``"assistant"``."""
    return {"role": role, "content": content}


class Reply(NamedTuple):
    """A reply of a model."""

    text: str  # what it says; empty if it says nothing
    tokens: int | None = None  # those of the request and of the reply together; None if the server does not count them
    first: Mapping[str, float] = {}  # probabilities of the likeliest first tokens, stripped; empty unless asked for


class Server:
    """A model at a server.

    Args:
        model: The name of the model.
        url: The address of the server, such as ``http://127.0.0.1:8000/v1``; None for that of the environment,
            ``OPENAI_BASE_URL``, else OpenAI's own.
        timeout: Seconds to wait for a whole reply.
        retries: How often a request is sent again.

    Raises:
        MissingPackageError: openai is not installed.
        UsageError: there is neither a key nor a url, or the url is none.
    """

    def __init__(self, model: str, url: str | None, timeout: float, retries: int) -> None:
        try:
            import openai
        except ImportError as error:
            raise MissingPackageError(
                "language models need the package openai: pip install '.[llm]' in nashzoo's folder"
            ) from error
        self.model = model
        self.timeout = timeout
        self._openai = openai
        key = os.environ.get(KEY) or (None if url is None else NO_KEY)
        try:
            self._client = openai.AsyncOpenAI(
                base_url=url, api_key=key, timeout=timeout, max_retries=retries, http_client=_client(openai, timeout)
            )
        except openai.OpenAIError:
            raise UsageError(f"{model} needs a key in {KEY}, or the address of a server of your own, url=...") from None
        except Exception as error:
            if type(error).__name__ != "InvalidURL":  # of another package in each version of openai
                raise
            raise UsageError(NO_ADDRESS) from None
        at = self._client.base_url
        known = at.scheme in ("http", "https") and at.host and "%20" not in at.host and (at.port or 1) < 2**16
        if not known or at.userinfo or at.query or at.fragment:
            raise UsageError(NO_ADDRESS)
        self.url = str(at).rstrip("/")
        self._loop, self._process = _loop(), os.getpid()
        finalize(self, asyncio.run_coroutine_threadsafe, self._client.close(), self._loop)
        self._key = "" if key is None or key == NO_KEY else key
        # OpenAI's own models refuse the older name, and other servers may not know the newer one.
        self._limit = "max_completion_tokens" if self._client.base_url.host == "api.openai.com" else "max_tokens"

    def ask(self, messages: Messages, temperature: float, max_tokens: int, likeliest: int = 0) -> Reply:
        """Returns the reply to messages.

        Args:
            messages: The messages.
            temperature: The temperature.
            max_tokens: The most tokens of the reply.
            likeliest: Of how many first tokens the probability is asked for.

        Raises:
            UsageError: there is none; the sentence says why.
        """
        options: dict[str, Any] = {"messages": list(messages), "temperature": temperature, self._limit: max_tokens}
        if likeliest:
            options |= {"logprobs": True, "top_logprobs": likeliest}
        if os.getpid() != self._process:  # which has no threads of the one that made this
            raise UsageError(
                "a language model answers only in the process that made it; begin processes by spawn, not fork"
            )
        try:
            asked = self._client.chat.completions.create(model=self.model, **options)
            answer: Any = asyncio.run_coroutine_threadsafe(asked, self._loop).result()
            choice, usage = answer.choices[0], answer.usage
            text = self._without_key(_whole(choice.message.content or choice.message.refusal or ""), SECRET)
            first = _by_word(choice.logprobs.content[0].top_logprobs) if likeliest else {}
            first = {self._without_key(token, SECRET): chance for token, chance in first.items()}
            return Reply(text, None if usage is None else int(usage.total_tokens), first)
        except (self._openai.OpenAIError, _TooLarge) as error:
            raise UsageError(self._problem(error)) from None
        except UsageError as error:
            raise UsageError(f"{self.url} sends {error}") from None
        except (AttributeError, TypeError, IndexError, ValueError, OverflowError, RecursionError):
            # The client checks no types.
            lacks = "log-probabilities of its tokens, which mode=logprobs needs; mode=samples does without"
            what = lacks if likeliest else "reply of the chat completions protocol"
            raise UsageError(f"{self.url} sends no {what}") from None

    def _problem(self, error: Exception) -> str:
        """Returns a sentence on an error of the client."""
        openai, text = self._openai, printable(self._without_key(str(error)))
        said = textwrap.shorten(text, LONGEST, placeholder="...")
        attempts = counted(self._client.max_retries + 1, "attempt")
        if isinstance(error, _TooLarge) or isinstance(error.__cause__, _TooLarge):  # by the version of openai
            return f"{self.url} answers with more than {LARGEST // 2**20} MB"
        if isinstance(error, openai.APITimeoutError):
            return f"{self.url} gives no reply within {self.timeout:g} s, in {attempts}"
        if isinstance(error, openai.APIConnectionError):
            return f"there is no server at {self.url}, in {attempts}"
        if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
            return f"{self.url} refuses the key in {KEY}: {said}"
        if isinstance(error, openai.NotFoundError):
            return f"{self.url} does not know the model {self.model}: {said}"
        if isinstance(error, openai.RateLimitError):
            return f"{self.url} takes no more requests, in {attempts}: {said}"
        if isinstance(error, openai.APIStatusError) and error.response.has_redirect_location:
            to = printable(self._without_key(error.response.headers["location"]))
            return f"{self.url} sends its visitors to another address, {to[:LONGEST]}; give url= as it is there"
        return f"{self.url} does not answer: {said}"

    def _without_key(self, text: str, shortest: int = 1) -> str:
        """Returns a text without the key, unless that is shorter than ``shortest``."""
        return text.replace(self._key, "(key)") if len(self._key) >= shortest else text


class _TooLarge(Exception):
    """An answer is larger than ``LARGEST``."""


@one_at_a_time
@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Returns the event loop in which all requests run, in a thread of its own."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, daemon=True).start()
    return loop


def _client(openai: Any, timeout: float) -> Any:
    """Returns a client with a deadline for a whole answer: its own is for each piece, which may be a byte."""
    kind = openai.DefaultAsyncHttpxClient
    http = sys.modules[kind.__base__.__module__]  # httpx, or its successor

    class Client(kind):  # type: ignore[misc, valid-type]
        async def send(self, request: Any, **options: Any) -> Any:
            try:
                async with asyncio.timeout(timeout):
                    response, body = await super().send(request, **options | {"stream": True}), bytearray()
                    try:
                        async for part in response.aiter_bytes():
                            body += part
                            if len(body) > LARGEST:
                                raise _TooLarge
                    finally:
                        await response.aclose()
            except TimeoutError:
                raise http.ReadTimeout("the deadline is over", request=request) from None
            headers = [(name, value) for name, value in response.headers.items() if name != "content-encoding"]
            return http.Response(response.status_code, headers=headers, content=bytes(body), request=request)

    return Client(follow_redirects=False)


def _by_word(tokens: Sequence[Any]) -> dict[str, float]:
    """Returns the probabilities of tokens by their text without spaces around it."""
    chances: dict[str, float] = {}
    for token in tokens:
        word = _whole(token.token.strip())
        chances[word] = chances.get(word, 0.0) + math.exp(min(token.logprob, 1.0))
    if not are_chances(chances):
        said = ", ".join(f"{token.logprob:g}" for token in tokens)
        raise UsageError(f"log-probabilities above 0, or of more than 1 together: {said[:LONGEST]}")
    return chances


def are_chances(chances: Mapping[str, float]) -> bool:
    """Returns whether numbers can be probabilities of different tokens, in half precision."""
    return all(chance >= 0.0 for chance in chances.values()) and sum(chances.values()) <= 1.0 + ROUNDING


def _whole(text: str) -> str:
    """Returns a text with ? in the place of halves of surrogate pairs, which no file can hold."""
    return text.encode(errors="replace").decode()
