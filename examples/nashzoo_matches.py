"""Matches in words as an environment of verifiers, rewarded by exact regret.

The model plays a seat of a game against a player of nashzoo, or both seats against itself. Each turn it reads what a
player reads, and its answer is an action; the match goes on until it ends. verifiers finds a taskset by the name of its
module, so this file must lie where Python finds it:

PYTHONPATH=examples vf-eval nashzoo-matches --env.taskset.game footsies_v0 --env.taskset.reward luck_free -n 20

verifiers needs other versions of packages: ``make ecosystem`` installs 0.4.0 separately, and tests this.
"""

from contextlib import AsyncExitStack
from typing import Any

import numpy as np
import verifiers.v1 as vf
from openai import AsyncOpenAI
from verifiers.v1.dialects.chat import message_to_wire

from nashzoo.app.text.match import Matches

__all__ = ["Chat", "MatchEnv", "MatchTaskset"]


class MatchData(vf.TaskData):
    """A match: the seed of everything random but the model, and the model's seat."""

    seed: int
    seat: int


class MatchTask(vf.Task[MatchData]):
    """A match to be played; the environment says its reward."""


class MatchConfig(vf.TasksetConfig):
    """The options of :class:`nashzoo.app.text.match.Matches`, and how many matches there are."""

    game: str = "footsies_v0"
    parameters: dict[str, Any] = {}  # noqa: RUF012  # pydantic copies it
    opponent: str = "nash"
    reward: str = "regret"
    prompt: str = "text"
    disguise: int | None = None
    legal_actions: bool = True
    num_examples: int = 100
    seed: int = 0


class MatchTaskset(vf.Taskset[MatchTask, MatchConfig]):
    """Matches with different seeds; the model takes the seats in turns."""

    def load(self) -> list[MatchTask]:
        """Returns the matches."""
        seeds = np.random.SeedSequence(self.config.seed).generate_state(self.config.num_examples)
        return [
            MatchTask(MatchData(name=f"{self.config.game} {number}", seed=int(seed), seat=number % 2), self.config.task)
            for number, seed in enumerate(seeds)
        ]


class Chat(vf.Harness[vf.HarnessConfig]):
    """Asks the model in this process: there are no tools, so that no program is needed."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Sends the conversation; verifiers reads the reply on its way."""
        system, messages = self.resolve_prompt(data)
        conversation: list[Any] = [{"role": "system", "content": system}] if system else []
        conversation += [message_to_wire(message) for message in messages or ()]
        async with AsyncOpenAI(base_url=endpoint, api_key=secret) as client:
            await client.chat.completions.create(model=ctx.model, messages=conversation)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class MatchEnvConfig(vf.EnvConfig):
    """The model, which is one agent in both seats."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class MatchEnv(vf.Env[MatchEnvConfig]):
    """Plays a match in each episode, with a conversation and a reward for each of the model's seats."""

    def __init__(self, config: MatchEnvConfig) -> None:
        super().__init__(config)
        chosen = self.taskset.config
        self.matches = Matches(
            chosen.game,
            chosen.opponent,
            chosen.reward,
            chosen.prompt,
            chosen.disguise,
            chosen.legal_actions,
            **chosen.parameters,
        )

    async def run(self, task: MatchTask, agents: vf.Agents) -> None:
        """Plays the match; a seat whose conversation ends before has forfeited it."""
        match = self.matches.begin(np.random.default_rng(task.data.seed), task.data.seat)
        async with AsyncExitStack() as stack:
            talks = {seat: await stack.enter_async_context(agents.player.interaction(task)) for seat in match.seats}
            while match.asked is not None:
                reply = await talks[match.asked].turn(match.correction or match.situation())
                if reply.terminated:
                    match.forfeit()
                else:
                    match.answer(reply.last_reply)
            for seat, talk in talks.items():
                talk.trace.record_reward(self.matches.reward, match.score(seat))
                talk.trace.record_metrics(match.metrics(seat))


def load_environment(**options: Any) -> MatchEnv:
    """Returns the environment; the options are those of :class:`MatchConfig`."""
    return MatchEnv(MatchEnvConfig(taskset={"id": "nashzoo_matches", **options}))
