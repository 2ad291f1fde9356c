"""A language model as a player, whose policy can be measured exactly."""

from collections.abc import Sequence
from functools import cache
from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np

from nashzoo.agents.basic.checks import check_not_negative, check_positive
from nashzoo.agents.language.interview import Interview
from nashzoo.agents.language.replies import Question, Replies
from nashzoo.agents.language.server import Messages, Server, message
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import DRAWS, NO_ACTION, NoPolicyError, PolicyAgent
from nashzoo.envs.core.checks import check_count, check_flag, check_one_of
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.kernels import information_states, legal_all
from nashzoo.envs.core.reachable import by_chance, reachable_or_none
from nashzoo.envs.text.answers import AnswerError
from nashzoo.envs.text.prompts import Prompts

MODES = ("sample", "samples", "logprobs")

LIKELIEST = 20  # first tokens whose probabilities are asked for; servers offer no more
LETTERS = ascii_uppercase[:LIKELIEST]
LETTER = "Answer with the letter of one legal action and nothing else."

LETTERS_A_TOKEN = 4  # of a prompt, about; servers count otherwise
LOOKED_AT = 20  # prompts whose mean length is taken for that of all


class Decision(NamedTuple):
    """A choice of a player."""

    code: int  # the state, as the player sees it
    player: int


class LanguageAgent(PolicyAgent):
    """A language model at a server that speaks the chat completions protocol.

    It reads the rules, what it sees and its legal actions, and nothing of what happened before: it has no memory. A
    state with a single legal action is no question. The modes:

    - ``"sample"``: each decision is a question of its own, and the reply is the action. A match can be played again
      with the same seed and the same file of replies.
    - ``"samples"``: each state is asked ``n`` times, and the policy are the frequencies of the actions.
    - ``"logprobs"``: the actions that the prompt names have the letters A, B, C, ..., and the policy are the
      probabilities of the letters of legal actions as first token, divided by their sum. The temperature is applied
      to them here, and the server is asked at 1. Letters that are not among the 20 likeliest tokens have probability 0.

    The first mode has no policy that can be measured exactly; the others have, and ask each state once.

    An answer that names no legal action is told so once. If the next one is wrong as well, the match is lost in mode
    ``"sample"``, and the sample does not count in mode ``"samples"``: the policy are the frequencies of legal actions,
    equal ones where no sample is legal. In mode ``"logprobs"`` nothing is asked again.

    Args:
        model: The name of the model.
        url: The address of the server, see :class:`nashzoo.agents.language.server.Server`.
        temperature: The temperature.
        mode: One of the modes.
        n: The samples for each state in mode ``"samples"``.
        prompt: What it reads, ``"text"`` or ``"json"``.
        disguise: The seed of a disguise, see :func:`nashzoo.envs.text.wording.disguise`; None for the game's own words.
        legal_actions: Whether the prompt says which actions are legal, or leaves this to the rules.
        symmetry: Whether one question stands for all states that are the same by the ``symmetries`` of the rules, so
            that the policy is the same at all of them; not in mode ``"sample"``. None for yes where the rules have any.
        name: Its name in tables and pictures; None for ``model``.
        replies: A file in which replies are kept, see :class:`nashzoo.agents.language.replies.Replies`; None for none.
        budget_calls: The most questions that are sent, see :class:`nashzoo.agents.language.interview.Interview`.
        budget_tokens: The most tokens of questions and replies; None for any number.
        max_tokens: The most tokens of a reply.
        concurrency: How many questions are sent side by side.
        timeout: Seconds to wait for a reply.
        retries: How often a request is sent again that the server did not answer.

    Attributes:
        by_symmetry: Whether one question stands for all states that are the same by symmetry.
        forfeits: A line for each match that it lost by its answers.
        interview: The questions so far, with their number and tokens.

    Raises:
        UsageError: an option is out of its range, the file holds something else, or the game has no disguise.
        MissingPackageError: openai is not installed.
    """

    slow = True

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        *,
        model: str = "",
        url: str | None = None,
        temperature: float = 1.0,
        mode: str = "sample",
        n: int = 16,
        prompt: str = "text",
        disguise: int | None = None,
        legal_actions: bool = True,
        symmetry: bool | None = None,
        name: str | None = None,
        replies: str | None = None,
        budget_calls: int | None = 10_000,
        budget_tokens: int | None = None,
        max_tokens: int = 1024,
        concurrency: int = 8,
        timeout: float = 120.0,
        retries: int = 4,
    ) -> None:
        super().__init__(game, seed)
        for option, text in (("model", model), ("url", url), ("replies", replies), ("name", name)):
            if text is not None and not isinstance(text, str):
                raise UsageError(f"{option} must be a text, not {text!r}")
        if not model:
            raise UsageError("a language model is named by model=, as in llm(model=qwen,url=http://127.0.0.1:8000/v1)")
        self.name = name or model
        self.temperature = check_not_negative("temperature", temperature)
        self.mode = check_one_of("mode", mode, MODES)
        self.by_symmetry = game.has_symmetries and mode != "sample"
        if symmetry is not None and check_flag("symmetry", symmetry) and not self.by_symmetry:
            why = "mode=sample asks anew at each decision" if game.has_symmetries else f"{game.name} has no symmetries"
            raise UsageError(f"{why}, so it has no option symmetry=True; leave it out")
        self.by_symmetry &= symmetry is not False
        self.n = check_count("n", n)
        self.max_tokens = check_count("max_tokens", max_tokens)
        self.prompts = Prompts(game, prompt, disguise, legal_actions)
        self.interview = Interview(
            Server(model, url, check_positive("timeout", timeout), check_count("retries", retries, 0)),
            Replies(replies),
            None if budget_calls is None else check_count("budget_calls", budget_calls, 0),
            None if budget_tokens is None else check_count("budget_tokens", budget_tokens, 0),
            check_count("concurrency", concurrency),
        )
        self.forfeits: list[str] = []
        self._policies: dict[Decision, Floats] = {}
        self._counts: dict[Decision, Ints] = {}
        self._invalid: dict[Decision, float] = {}
        self._canonical = cache(game.canonical)

    @property
    def invalid(self) -> float:
        """The share of invalid answers in the policy so far, averaged over the states that were asked.

        In mode ``"logprobs"`` it is the probability of all first tokens but the letters of legal actions, at
        temperature 1.
        """
        return float(np.mean(list(self._invalid.values()))) if self._invalid else 0.0

    @property
    def unanswered(self) -> int:
        """The number of states that were asked without any legal answer, at which the policy is uniform."""
        return sum(invalid == 1.0 for invalid in self._invalid.values())

    @property
    def samples(self) -> int:
        """The samples of each state, whose frequencies are the policy; 0 if it has none."""
        return self.n if self.mode == "samples" else 0

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Draws from the policy; or asks, and plays the replies, of which the first uniform number is the sample's."""
        if self.mode != "sample":
            return super().act(observations, memory, masks, uniforms)
        decisions, samples = self._decisions(observations), (uniforms[:, 0] * 2.0**53).astype(np.int64).tolist()
        answers = self._answers(list(zip(decisions, samples, strict=True)))
        for decision, answer in zip(decisions, answers, strict=True):
            if isinstance(answer, AnswerError):
                self.forfeits.append(f"{self.name} lost a match at {self._spelled(decision)}: {answer}")
        actions = [NO_ACTION if isinstance(answer, AnswerError) else answer for answer in answers]
        return np.array(actions, np.int64), memory

    def likeliest(self, observations: Features, memory: Floats, masks: Mask) -> tuple[Ints, Floats]:
        """Chooses the most likely action; or asks, and plays the replies."""
        if self.mode != "sample":
            return super().likeliest(observations, memory, masks)
        return self.act(observations, memory, masks, self.rng.random((len(observations), DRAWS)))

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the policy ``[B, actions]``; states that are new are asked.

        Raises:
            NoPolicyError: the mode is ``"sample"``, which asks anew at each decision.
            UsageError: the questions may exceed the budget, or the server does not answer; or in mode ``"logprobs"``
                a state has too many actions, or no letter is among the likeliest tokens.
        """
        self._check_policy()
        asked_at = self._asked_at(observations)
        new = [one for one in dict.fromkeys(decision for decision, _ in asked_at) if one not in self._policies]
        asked = [decision for decision in new if len(self._legal(decision)) > 1]
        for decision in set(new) - set(asked):
            self._policies[decision] = self._equal(self._legal(decision))
        self.interview.check_calls(len(asked) * self._each)
        if self.mode == "samples":
            self._ask_samples(asked)
        else:
            self._ask_letters(asked)
        policies = [self._policies[decision][list(numbers)] for decision, numbers in asked_at]
        return np.array(policies).reshape(action_masks.shape)

    def sample_counts(self, observations: Features, action_masks: Mask) -> Ints:
        """Returns how many samples were each legal action ``[B, actions]``, none where a single one is legal.

        Raises:
            NoPolicyError: the mode is not ``"samples"``.
            UsageError: as from :meth:`action_probabilities`.
        """
        if not self.samples:
            raise NoPolicyError(f"llm has samples with mode=samples, not with mode={self.mode}")
        self.action_probabilities(observations, action_masks)
        none = np.zeros(self.game.num_actions, np.int64)
        asked_at = self._asked_at(observations)
        return np.array([self._counts.get(decision, none)[list(numbers)] for decision, numbers in asked_at])

    def questions(self) -> tuple[int, float] | None:
        """Returns how many questions a measure at all states takes, and the letters of all; None if too many to list.

        States in which a player sees the same are one question.

        Raises:
            NoPolicyError: as from :meth:`action_probabilities`.
            UsageError: the questions exceed the budget of calls.
        """
        self._check_policy()
        game = self.game
        codes = reachable_or_none(game)
        if codes is None:
            return None
        codes, choices, looked_at = codes[~by_chance(game, codes)], 0, list[Decision]()
        for player in (0,) if game.symmetric else (0, 1):
            masks = np.empty((len(codes), game.num_actions), np.int8)
            legal_all(game.compiled, codes, np.full(len(codes), player), masks)
            seen = codes[masks.sum(axis=1) > 1]
            information_states(game.compiled, seen, player, seen)
            asked = np.unique(seen)
            if self.by_symmetry:
                asked = np.unique([self._canonical(code)[0] for code in asked.tolist()])
            choices += len(asked)
            looked_at += [Decision(code, player) for code in asked[:: len(asked) // LOOKED_AT + 1].tolist()]
        self.interview.check_calls(choices * self._each)
        read = self._letter_question if self.mode == "logprobs" else self._first_question
        letters = sum(len(said["content"]) for one in looked_at for said in read(one).messages) / max(1, len(looked_at))
        return choices * self._each, choices * self._each * letters

    def estimate(self) -> str:
        """Returns a sentence on the questions that a measure at all states takes, and checks that they fit the budget.

        They may be too many to list: then nothing is checked beforehand.

        Raises:
            NoPolicyError, UsageError: as from :meth:`questions`.
        """
        asked = self.questions()
        if asked is None:
            return f"asking {self.interview.server.model} at more states than can be listed"
        return self.announced(*asked)

    def announced(self, questions: int, letters: float) -> str:
        """Returns a sentence on so many questions with so many letters."""
        alike = ", one for all states that are the same by symmetry" * self.by_symmetry
        again = ", and one more for each invalid answer" * (self.mode == "samples")
        return f"{self.interview.described(questions, letters / LETTERS_A_TOKEN)}{again}{alike}"

    @property
    def _each(self) -> int:
        """The questions on a choice."""
        return self.samples or 1

    def _check_policy(self) -> None:
        if self.mode == "sample":
            raise NoPolicyError(
                "llm asks anew at each decision; with mode=samples or mode=logprobs it has a policy of the state alone"
            )

    def _decisions(self, observations: Features) -> list[Decision]:
        codes, players = self.states_of(observations)
        return list(map(Decision, codes.tolist(), players.tolist()))

    def _asked_at(self, observations: Features) -> list[tuple[Decision, tuple[int, ...]]]:
        """Returns where the model is asked in the place of each decision, and the number of each action there."""
        asked_at = []
        for code, player in self._decisions(observations):
            moved = self.by_symmetry and len(self.game.legal_actions(code, player)) > 1
            at, numbers = self._canonical(code) if moved else (code, tuple(range(self.game.num_actions)))
            asked_at.append((Decision(at, player), numbers))
        return asked_at

    def _legal(self, decision: Decision) -> tuple[int, ...]:
        return self.game.legal_actions(*decision)

    def _equal(self, actions: Sequence[int]) -> Floats:
        """Returns equal probabilities of some actions ``[actions]``, each as often as it is named."""
        return np.bincount(actions, minlength=self.game.num_actions) / len(actions)

    def _spelled(self, decision: Decision) -> str:
        return self.game.spell(decision.code, [decision.player])

    def _question(self, messages: Messages, sample: int) -> Question:
        model = self.interview.server.model
        return Question(model, messages, float(self.temperature), self.max_tokens, 0, sample)

    def _first_question(self, decision: Decision, sample: int = 0) -> Question:
        return self._question([message("user", self.prompts.read(*decision))], sample)

    def _answers(self, samples: Sequence[tuple[Decision, int]]) -> list[int | AnswerError]:
        """Returns the action of each numbered sample, or why its second answer is no action either."""
        answers: list[int | AnswerError] = [self._legal(decision)[0] for decision, _ in samples]
        questions = {
            place: self._first_question(decision, sample)
            for place, (decision, sample) in enumerate(samples)
            if len(self._legal(decision)) > 1
        }
        for _ in range(2):
            replies = self.interview.ask(list(questions.values()))
            again: dict[int, Question] = {}
            for (place, question), reply in zip(questions.items(), replies, strict=True):
                decision, sample = samples[place]
                try:
                    answers[place] = self.prompts.action(self._legal(decision), reply.text)
                except AnswerError as error:
                    answers[place] = error
                    correction = message("assistant", reply.text or "(nothing)"), message("user", f"{error}.")
                    again[place] = self._question([*question.messages, *correction], sample)
            questions = again
        return answers

    def _ask_samples(self, decisions: Sequence[Decision]) -> None:
        samples = [(decision, sample) for decision in decisions for sample in range(self.n)]
        answers = self._answers(samples)
        for number, decision in enumerate(decisions):
            own = answers[number * self.n : (number + 1) * self.n]
            legal = [answer for answer in own if not isinstance(answer, AnswerError)]
            self._policies[decision] = self._equal(legal or self._legal(decision))
            self._invalid[decision] = 1.0 - len(legal) / self.n
            self._counts[decision] = np.bincount(legal, minlength=self.game.num_actions)

    def _ask_letters(self, decisions: Sequence[Decision]) -> None:
        questions = [self._letter_question(decision) for decision in decisions]
        for decision, reply in zip(decisions, self.interview.ask(questions), strict=True):
            legal = self._legal(decision)
            named = legal if self.prompts.legal_actions else range(self.game.num_actions)
            letters = dict(zip(named, LETTERS, strict=False))
            chances = np.array([reply.first.get(letters[action], 0.0) for action in legal])
            if reply.first.keys().isdisjoint(letters.values()):
                likeliest = max(reply.first, key=lambda token: reply.first[token], default="")
                raise UsageError(
                    f"at {self._spelled(decision)} {self.interview.server.model} begins its answer with {likeliest!r}, "
                    "and no letter of an action is among its likeliest first tokens, as mode=logprobs needs; "
                    "mode=samples does without"
                )
            self._invalid[decision] = max(0.0, 1.0 - float(chances.sum()))
            self._policies[decision] = self._equal(legal)
            if chances.any():
                self._policies[decision][list(legal)] = tempered(chances, self.temperature)

    def _letter_question(self, decision: Decision) -> Question:
        choice = self.prompts.situation(*decision)
        field = "actions" if self.prompts.legal_actions else "all_actions"
        names = getattr(choice, field)
        if len(names) > LIKELIEST:
            raise UsageError(
                f"mode=logprobs reads the probabilities of up to {LIKELIEST} actions, and there are "
                f"{len(names)} at {self._spelled(decision)}; mode=samples takes any number"
            )
        lettered = tuple(f"{letter}: {name}" for letter, name in zip(LETTERS, names, strict=False))
        told: dict[str, Any] = {field: lettered}
        text = self.prompts.written(choice._replace(**told, answer=LETTER))
        return Question(self.interview.server.model, [message("user", text)], 1.0, 1, LIKELIEST, 0)


def tempered(chances: Floats, temperature: float) -> Floats:
    """Returns probabilities ``[k]`` at a temperature, from those at temperature 1 up to a factor.

    >>> tempered(np.array([0.4, 0.2, 0.2]), 0.5).round(3).tolist(), tempered(np.array([0.4, 0.2, 0.2]), 0).tolist()
    ([0.667, 0.167, 0.167], [1.0, 0.0, 0.0])
    """
    relative = chances / chances.max()
    weights: Floats = np.where(relative == 1.0, 1.0, 0.0) if temperature == 0 else relative ** (1 / temperature)
    scaled: Floats = weights / weights.sum()
    return scaled
