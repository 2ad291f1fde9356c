"""A language model at a server that speaks the chat completions protocol, asked with the package ``openai``.

What goes wrong is one sentence. Requests that the server refuses for the moment (429, 5xx) or does not answer in time
are sent again by the client, after a pause that grows.
"""

import math
import os
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nashzoo.envs.base.errors import MissingPackageError, UsageError
from nashzoo.envs.base.words import counted

NO_KEY = "none"  # sent to a server of one's own, which asks for no key; the client demands one
KEY = "OPENAI_API_KEY"
ROUNDING = 0.01  # of a sum of probabilities
LONGEST = 200  # characters of a server's message in an error

Messages = Sequence[Mapping[str, str]]  # each with its "role" and "content"


def message(role: str, content: str) -> dict[str, str]:
    """Returns a message, of the ``"user"`` or of the ``"assistant"``."""
    return {"role": role, "content": content}


class Reply(NamedTuple):
    """A reply of a model.

    Attributes:
        text: What it says; empty if it says nothing.
        tokens: Those of the request and of the reply together; None if the server does not count them.
        first: The probabilities of the likeliest first tokens, by their text without spaces around it; empty unless
            they were asked for.
    """

    text: str
    tokens: int | None = None
    first: Mapping[str, float] = {}


class Server:
    """A model at a server.

    Args:
        model: The name of the model.
        url: The address of the server, such as ``http://127.0.0.1:8000/v1``; None for that of the environment,
            ``OPENAI_BASE_URL``, else OpenAI's own.
        timeout: Seconds to wait for a reply.
        retries: How often a request is sent again.

    Raises:
        MissingPackageError: openai is not installed.
        UsageError: there is neither a key nor a url.
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
            self._client = openai.OpenAI(base_url=url, api_key=key, timeout=timeout, max_retries=retries)
        except openai.OpenAIError:
            raise UsageError(f"{model} needs a key in {KEY}, or the address of a server of your own, url=...") from None
        self.url = str(self._client.base_url).rstrip("/")
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
        try:
            answer: Any = self._client.chat.completions.create(model=self.model, **options)
            choice, usage = answer.choices[0], answer.usage
            text = _whole(choice.message.content or choice.message.refusal or "")
            first = _by_word(choice.logprobs.content[0].top_logprobs) if likeliest else {}
            return Reply(text, None if usage is None else int(usage.total_tokens), first)
        except self._openai.OpenAIError as error:
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
        openai, said = self._openai, textwrap.shorten(str(error), LONGEST, placeholder="...")
        attempts = counted(self._client.max_retries + 1, "attempt")
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
        return f"{self.url} does not answer: {said}"


def _by_word(tokens: Sequence[Any]) -> dict[str, float]:
    """Returns the probabilities of tokens by their text without spaces around it.

    Raises:
        UsageError: they are no probabilities.
    """
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
