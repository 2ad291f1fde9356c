"""Many questions to a model, side by side, within a budget."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from threading import Lock

from nashzoo.agents.language.replies import Question, Replies
from nashzoo.agents.language.server import Reply, Server
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.progress import showing
from nashzoo.envs.base.words import counted


@dataclass
class Interview:
    """Questions to a model and its replies; those that are kept are not asked again, and cost nothing.

    Before a batch of questions is sent, it must fit what is left of the budget, each question with the most tokens that
    it can cost, see :attr:`nashzoo.agents.language.replies.Question.most_tokens`. So the budget is never exceeded.
    Requests that the server did not answer and that are sent again count once.

    Args:
        server: The server.
        replies: Those that are kept.
        budget_calls: The most questions that are sent; None for any number.
        budget_tokens: The most tokens of questions and replies; None for any number.
        concurrency: How many questions are sent side by side.

    Attributes:
        calls: Questions sent so far.
        tokens: Tokens of these and their replies, as the server counts them, else the most that they can be.
    """

    server: Server
    replies: Replies
    budget_calls: int | None
    budget_tokens: int | None
    concurrency: int
    calls: int = field(default=0, init=False)
    tokens: int = field(default=0, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def ask(self, questions: Sequence[Question]) -> list[Reply]:
        """Returns a reply to each question. Replies that came before an error are kept.

        Raises:
            UsageError: the questions may exceed the budget, and none has been sent; or the server does not answer one.
        """
        new = list({question.key: question for question in questions if question not in self.replies}.values())
        self._check_budget(len(new), len(new), sum(question.most_tokens for question in new))
        with showing() as show, ThreadPoolExecutor(self.concurrency) as pool:
            sent = [pool.submit(self._send, question) for question in new]
            try:
                for done, one in enumerate(as_completed(sent), 1):
                    one.result()
                    if len(new) > self.concurrency:
                        show(f"asking {self.server.model}", done, len(new))
            except BaseException as error:
                pool.shutdown(cancel_futures=True)  # what was sent is waited for, and kept
                if isinstance(error, KeyboardInterrupt) and self.replies.path is not None:
                    error.args = (f"Replies are kept in {self.replies.path}; the same command goes on from there.",)
                raise
        return [self.replies[question] for question in questions]

    def _send(self, question: Question) -> None:
        with self._lock:
            self.calls += 1
        reply = self.server.ask(question.messages, question.temperature, question.max_tokens, question.likeliest)
        with self._lock:
            self.tokens += question.most_tokens if reply.tokens is None else reply.tokens
        self.replies.add(question, reply)

    def described(self, questions: int, tokens: float) -> str:
        """Returns so many questions in words, with an estimate of the tokens of their prompts and what may be spent."""
        budgets = {"budget_calls": self.budget_calls, "budget_tokens": self.budget_tokens}
        said = " and ".join(f"{name}={'any' if most is None else f'{most:,}'}" for name, most in budgets.items())
        prompts = f"about {float(f'{tokens:.2g}'):,.0f} tokens of prompts (estimated by their length)"
        asked = f"{counted(questions, 'question')} to {self.server.model}, {prompts}"
        return f"{asked}, less those with a reply, within {said}"

    def check_calls(self, questions: int) -> None:
        """Checks, before they are written, that so many questions may fit the budget: a kept reply answers one at most.

        Raises:
            UsageError: they do not.
        """
        self._check_budget(questions, calls=questions - len(self.replies))

    def _check_budget(self, questions: int, calls: int, tokens: int = 0) -> None:
        for unit, needed, spent, budget in (
            ("calls", calls, self.calls, self.budget_calls),
            ("tokens", tokens, self.tokens, self.budget_tokens),
        ):
            left = 0 if budget is None else max(budget - spent, 0)
            if budget is not None and needed > left:
                asked = f"{counted(questions, 'question')} to {self.server.model}"
                raise UsageError(
                    f"{asked} can take {needed:,} {unit}, and {left:,} of budget_{unit}={budget:,} are left: none of "
                    f"them was sent{self._paid()}"
                )

    def _paid(self) -> str:
        """Returns what becomes of the replies so far, for an error."""
        if not self.calls:
            return ""
        kept = "are lost, and replies=FILE would keep them"
        if self.replies.path is not None:
            kept = f"are kept in {self.replies.path}"
        return f"; the replies to the {counted(self.calls, 'question')} before {kept}"
