"""Language models as players: a server of the test speaks by a policy whose figures are known."""

import csv
import json
import re
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import staked_rps
from chat_server import (
    ACTIONS,
    DIGITS,
    TOKENS,
    Asked,
    Behaviour,
    ChatServer,
    Drawn,
    Fails,
    Says,
    Speaker,
    drips,
    first_fails,
    sends,
    serving,
    slowly,
)
from command import Command
from nashzoo import agents
from nashzoo.agents.language.agent import LanguageAgent
from nashzoo.agents.registry import entries
from nashzoo.app.web.library import Library
from nashzoo.arena.match import play_match
from nashzoo.arena.tournament import tournament
from nashzoo.baselines import exploitability, exploitability_interval
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.baselines.visited_states import sampled_regret
from nashzoo.envs import footsies_v0, roshambo_v0, tictactoe_v0
from nashzoo.envs.base.errors import MissingPackageError, UsageError, UsageTypeError
from nashzoo.envs.core.agent import NoPolicyError, PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Mask
from nashzoo.envs.imported.matrix import matrix_game
from nashzoo.envs.text.wording import disguise
from nashzoo.examples import connect_four, kuhn

FOOTSIES, SMALL = footsies_v0.game(), footsies_v0.game(blocks=0)
KUHN, THROW = Game(kuhn), roshambo_v0.game(rounds=1)
BOARD = Game(connect_four, width=3, height=2, line=3)
KUHN_STATES = 12
STATES = {FOOTSIES: 129, SMALL: 9, KUHN: KUHN_STATES}  # in which there is a choice, as the players see them
ROUNDED = 10.0**-DIGITS * 100  # points: a hundred times the rounding of the log-probabilities
EXACT = 1e-9
SAMPLES = 40

SPEAKS = {mode: f"mode={mode},n=3" for mode in ("samples", "logprobs")}


class Symmetric(PolicyAgent):
    """The mean of another policy at all states that are the same by symmetry."""

    def __init__(self, policy: PolicyAgent) -> None:
        super().__init__(policy.game)
        self.policy = policy

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        rows = action_masks.astype(np.float64)
        for row, code, player in zip(rows, *self.states_of(observations), strict=True):
            if row.sum() > 1:
                images, numbers = zip(*self.game.images(int(code)), strict=True)
                seen = np.stack([self.game.observe(image, int(player)) for image in images])
                there = self.policy.action_probabilities(seen, self.legal(seen))
                row[:] = np.take_along_axis(there, np.array(numbers), axis=1).mean(axis=0)
        return rows


class Trembling(PolicyAgent):
    """An equilibrium player that plays every tenth action at random."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.players = [agents.make(name, game) for name in ("nash", "random")]

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        nash, random = (player.action_probabilities(observations, action_masks) for player in self.players)
        mixed: Floats = 0.9 * nash + 0.1 * random
        return mixed


def player(game: Game, url: str, options: str = "mode=logprobs", seed: int = 1) -> LanguageAgent:
    described = ",".join(filter(None, ["model=parrot", f"url={url}", *options.split(",")]))
    made = agents.as_agent(f"llm({described})", game, seed)
    assert isinstance(made, LanguageAgent)
    return made


def says(text: str) -> Behaviour:
    return lambda asked: Says(text)


def completion(text: str) -> bytes:
    """Returns the body of a reply."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    return json.dumps(
        {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    ).encode()


def contents(asked: Asked) -> list[str]:
    return [message["content"] for message in asked["messages"]]


@pytest.mark.parametrize(
    "policy",
    [agents.make("counter", FOOTSIES), agents.make("random", FOOTSIES), Trembling(SMALL), Trembling(KUHN)],
    ids=["counter", "random", "trembling", "hidden"],
)
def test_probabilities_of_letters_have_the_exploitability_of_the_policy(policy: PolicyAgent) -> None:
    game = policy.game
    with serving(Speaker(game, policy)) as server:
        elicited = player(game, server.url)
        assert exploitability(game, elicited) == pytest.approx(exploitability(game, policy), abs=ROUNDED)
        assert len(server.asked) == elicited.interview.calls == STATES[game]
        assert elicited.invalid == pytest.approx(0, abs=ROUNDED)


def test_counter_loses_half_a_point() -> None:
    with serving(Speaker(FOOTSIES, agents.make("counter", FOOTSIES))) as server:
        assert exploitability(FOOTSIES, player(FOOTSIES, server.url)) == pytest.approx(0.5, abs=ROUNDED)


@pytest.mark.parametrize("game", [SMALL, KUHN], ids=["footsies", "kuhn"])
def test_samples_have_the_exploitability_of_their_frequencies(game: Game) -> None:
    speaker = Speaker(game, Trembling(game), spoken=lambda name: f"A thought.\n**Action:** {name}")
    with serving(speaker) as server:
        elicited = player(game, server.url, "mode=samples,n=5")
        measured = exploitability(game, elicited)
        assert len(server.asked) == 5 * STATES[game] and elicited.invalid == 0
    assert measured == pytest.approx(exploitability(game, Drawn(speaker)), abs=EXACT)
    assert measured > 0.01


def boards_with_a_choice(game: Game) -> set[str]:
    """Returns the boards of a game in turn at which there is a choice, as text."""
    codes = ListedStates(game).codes.tolist()
    return {game.text(code) for code in codes if len(game.legal_actions(code, game.turn(code))) > 1}


class TestSymmetry:
    @pytest.mark.parametrize("options", ["mode=logprobs", "mode=samples,n=10"])
    def test_one_question_stands_for_a_board_and_its_mirror_image(self, options: str) -> None:
        policy, samples = Symmetric(Trembling(BOARD)), 10 if "samples" in options else 1
        boards = boards_with_a_choice(BOARD)
        classes = {min(board, "\n".join(line[::-1] for line in board.splitlines())) for board in boards}
        with serving(Speaker(BOARD, policy)) as server:
            elicited = player(BOARD, server.url, options)
            assert elicited.estimate().startswith(f"{len(classes) * samples} questions to parrot, about ")
            assert elicited.estimate().endswith(", one for all states that are the same by symmetry")
            measured = exploitability(BOARD, elicited)
            assert len(server.asked) == samples * len(classes) < samples * len(boards)
            each = player(BOARD, server.url, f"{options},symmetry=False")
            assert each.estimate().startswith(f"{len(boards) * samples} questions to parrot, about ")
            if samples == 1:
                assert measured == pytest.approx(exploitability(BOARD, policy), abs=ROUNDED)
                assert exploitability(BOARD, each) == pytest.approx(measured, abs=ROUNDED)
            else:
                lower, upper = exploitability_interval(BOARD, elicited)
                assert lower <= exploitability(BOARD, policy) <= upper and lower <= measured <= upper
        assert measured > 0.001

    def test_a_match_is_played_on_the_board_as_it_is(self) -> None:
        stones = BOARD.step(BOARD.first_decision, 2, 0)
        seen = BOARD.observe(stones, 1)
        assert BOARD.canonical(stones)[0] != stones
        with serving(Speaker(BOARD)) as server:
            player(BOARD, server.url, "").predict(seen)
            player(BOARD, server.url, "mode=logprobs").predict(seen)
            played, measured = (contents(asked)[0] for asked in server.asked)
        assert BOARD.text(stones) in played and BOARD.text(BOARD.canonical(stones)[0]) in measured

    @pytest.mark.parametrize(
        ("game", "mode", "reason"),
        [
            (SMALL, "logprobs", "footsies_v0 has no symmetries"),
            (SMALL, "sample", "footsies_v0 has no symmetries"),
            (tictactoe_v0.game(), "sample", "mode=sample asks anew at each decision"),
        ],
    )
    def test_it_is_refused_for_one_reason_where_there_is_none(self, game: Game, mode: str, reason: str) -> None:
        with pytest.raises(UsageError, match=f"^{reason}, so it has no option symmetry=True; leave it out$"):
            player(game, "http://127.0.0.1:1", f"mode={mode},symmetry=True")

    @pytest.mark.slow
    def test_tic_tac_toe_has_a_question_for_each_box_of_menace(self) -> None:
        """Michie's 304 boxes of the player who moves first, and 289 of the other."""
        game = tictactoe_v0.game()
        policy = Symmetric(Trembling(game))
        with serving(Speaker(game, policy)) as server:
            elicited = player(game, server.url)
            assert "593 questions" in elicited.estimate()
            assert exploitability(game, elicited) == pytest.approx(exploitability(game, policy), abs=ROUNDED)
            assert len(server.asked) == 304 + 289
        assert "4,298 questions" in player(game, server.url, "mode=logprobs,symmetry=False").estimate()


def test_at_drawn_states_it_is_asked_a_question_each() -> None:
    policy, rngs = Trembling(FOOTSIES), [np.random.default_rng(3) for _ in range(2)]
    with serving(Speaker(FOOTSIES, policy)) as server:
        elicited = sampled_regret(FOOTSIES, player(FOOTSIES, server.url), 60, rngs[0])
        assert 1 < len(server.asked) < 60
    known = sampled_regret(FOOTSIES, policy, 60, rngs[1])
    assert elicited.mean == pytest.approx(known.mean, abs=ROUNDED)
    assert known.mean > 0.01


def test_temperature_is_applied_to_the_probabilities_of_letters() -> None:
    observation, mask = THROW.observe(THROW.first_decision, 0)[None], np.ones((1, 3), np.int8)
    with serving(lambda asked: Says("A", {"A": 0.3, " B": 0.1, "B": 0.05, "The": 0.4, "C": 0.15})) as server:
        plain = player(THROW, server.url)
        assert plain.action_probabilities(observation, mask)[0] == pytest.approx([0.5, 0.25, 0.25], abs=ROUNDED)
        assert plain.invalid == pytest.approx(0.4, abs=ROUNDED)
        sharp = player(THROW, server.url, "mode=logprobs,temperature=0.5")
        assert sharp.action_probabilities(observation, mask)[0] == pytest.approx([2 / 3, 1 / 6, 1 / 6], abs=ROUNDED)
        greedy = player(THROW, server.url, "mode=logprobs,temperature=0")
        assert greedy.action_probabilities(observation, mask)[0] == pytest.approx([1, 0, 0])
        assert {asked["temperature"] for asked in server.asked} == {1.0}
        assert {asked["max_tokens"] for asked in server.asked} == {1}


def test_it_reads_the_rules_in_the_words_and_the_form_chosen() -> None:
    other = disguise(SMALL, 7)
    with serving(Speaker(SMALL, wording=other)) as server:
        assert exploitability(SMALL, player(SMALL, server.url, "mode=logprobs,disguise=7")) < ROUNDED
        assert all("Grab" not in contents(asked)[0] for asked in server.asked)
    with serving(says('{"action": "Rock"}')) as server:
        player(THROW, server.url, "prompt=json").predict(THROW.observe(THROW.first_decision, 0))
        (asked,) = server.asked
        assert json.loads(contents(asked)[0])["actions"] == ["Rock", "Paper", "Scissors"]
        assert asked["model"] == "parrot" and asked["temperature"] == 1.0


class TestWrongAnswers:
    def test_a_wrong_answer_is_told_once(self) -> None:
        with serving(lambda asked: Says("Lizard" if len(asked["messages"]) == 1 else "Paper")) as server:
            action, _ = player(THROW, server.url, "").predict(THROW.observe(THROW.first_decision, 0))
            assert THROW.actions[action] == "Paper"
            first, second = map(contents, server.asked)
        assert second[:2] == [first[0], "Lizard"]
        assert second[2] == "'Lizard' is no legal action; legal actions are Rock, Paper, Scissors."

    @pytest.mark.parametrize("text", ["Lizard", "", "I would rather not.\nSorry."])
    def test_two_wrong_answers_lose_the_match(self, text: str) -> None:
        with serving(says(text)) as server:
            talker = player(THROW, server.url, "")
            result = play_match(THROW, talker, "random", 2, seed=1)
            assert result.points.tolist() == [-1, -1]
            assert len(talker.forfeits) == 2 and talker.forfeits[0].startswith("parrot lost a match at ")
            assert len(server.asked) == 4

    def test_samples_that_stay_wrong_do_not_count(self) -> None:
        replies = {1: "Rock", 2: "Lizard", 3: "Lizard", 4: "Paper"}
        numbers, lock = iter(range(1, 5)), threading.Lock()

        def mixed(asked: Asked) -> Says:
            with lock:
                return Says("Lizard" if len(asked["messages"]) > 1 else replies[next(numbers)])

        with serving(mixed) as server:
            talker = player(THROW, server.url, "mode=samples,n=4")
            policy = talker.action_probabilities(THROW.observe(THROW.first_decision, 0)[None], np.ones((1, 3), np.int8))
            counts = talker.sample_counts(THROW.observe(THROW.first_decision, 0)[None], np.ones((1, 3), np.int8))
        assert policy[0] == pytest.approx([1 / 2, 1 / 2, 0])
        assert talker.invalid == 0.5 and counts.tolist() == [[1, 1, 0]]


class TestUnlisted:
    """Noughts answer crosses, who took the middle, and are not told which cells are free."""

    game = tictactoe_v0.game()
    code = game.code(board="....x....")
    free = np.array([[1, 1, 1, 1, 0, 1, 1, 1, 1]], np.int8)

    def policy(self, server: ChatServer, options: str) -> tuple[LanguageAgent, Any]:
        talker = player(self.game, server.url, f"legal_actions=False,symmetry=False,{options}")
        return talker, talker.action_probabilities(self.game.observe(self.code, 1)[None], self.free)[0]

    def test_a_correction_does_not_name_legal_actions(self) -> None:
        with serving(lambda asked: Says("5" if len(asked["messages"]) > 1 else "4")) as server:
            _, policy = self.policy(server, "mode=samples,n=2")
            first, _, correction = server.asked[-1]["messages"]
        assert policy[5] == 1 and correction["content"] == "'4' is not legal here."
        assert "The actions of the game, of which the rules may forbid some here:\n- 0\n" in first["content"]

    def test_letters_of_illegal_actions_are_invalid(self) -> None:
        with serving(lambda asked: Says("E", {"E": 0.5, "A": 0.3, "I": 0.1, "x": 0.1})) as server:
            talker, policy = self.policy(server, "mode=logprobs")
        assert policy == pytest.approx([0.75, 0, 0, 0, 0, 0, 0, 0, 0.25]) and talker.invalid == pytest.approx(0.6)
        with serving(lambda asked: Says("E", {"E": 1.0})) as server:
            talker, policy = self.policy(server, "mode=logprobs")
        assert policy == pytest.approx(self.free[0] / 8) and talker.invalid == 1

    def test_rules_in_words_must_say_what_is_legal(self) -> None:
        with pytest.raises(UsageError, match="has no rules_text, so its prompts have to say which actions are legal"):
            player(Game(staked_rps), "http://127.0.0.1:1", "legal_actions=False")


class TestMatches:
    def test_a_match_is_played_again_from_the_replies(self, tmp_path: Path) -> None:
        options = f"replies={tmp_path / 'replies.jsonl'}"
        game = roshambo_v0.game(rounds=5)
        with serving(lambda asked: Says(game.actions[len(server.asked) % 3])) as server:
            first = play_match(game, player(game, server.url, options), "random", 3, seed=4)
            asked = len(server.asked)
            again = play_match(game, player(game, server.url, options), "random", 3, seed=4)
            assert asked == len(server.asked) == 15 and (first.points == again.points).all()
            play_match(game, player(game, server.url, options), "random", 3, seed=5)
            assert len(server.asked) == 30

    def test_a_single_legal_action_is_no_question(self) -> None:
        game = tictactoe_v0.game()
        last = game.code(board="xoxxoo.xo")
        with serving(says("nothing")) as server:
            for options in ("", "mode=samples", "mode=logprobs"):
                assert player(game, server.url, options).predict(game.observe(last, 0))[0] == 6
            assert not server.asked

    def test_it_draws_from_its_policy_or_plays_the_likeliest(self) -> None:
        seen = np.stack([THROW.observe(THROW.first_decision, 0)] * 50)
        with serving(lambda asked: Says("A", {"A": 0.25, "C": 0.75})) as server:
            talker = player(THROW, server.url)
            assert set(talker.predict(seen)[0]) == {0, 2}
            assert set(talker.predict(seen, deterministic=True)[0]) == {2}
            assert len(server.asked) == 1

    def test_asking_anew_is_no_policy(self) -> None:
        with serving(says("Rock")) as server:
            talker = player(THROW, server.url, "")
            with pytest.raises(NoPolicyError, match="mode=samples or mode=logprobs"):
                exploitability(THROW, talker)
            assert talker.predict(THROW.observe(THROW.first_decision, 0), deterministic=True)[0] == 0


class TestReplies:
    def test_they_cost_once(self, tmp_path: Path) -> None:
        options = f"mode=samples,n=3,replies={tmp_path / 'new' / 'replies.jsonl'}"
        with serving(Speaker(KUHN)) as server:
            first = exploitability(KUHN, player(KUHN, server.url, options))
            asked = len(server.asked)
        again = player(KUHN, server.url, options)  # the server is gone
        assert exploitability(KUHN, again) == first
        assert asked == 3 * KUHN_STATES and again.interview.calls == again.interview.tokens == 0

    def test_those_before_an_error_are_kept(self, tmp_path: Path) -> None:
        file, speaker = tmp_path / "replies.jsonl", Speaker(KUHN)
        options = f"mode=logprobs,concurrency=1,retries=0,replies={file}"
        with serving(lambda asked: speaker(asked) if len(server.asked) != 5 else Fails(400)) as server:
            with pytest.raises(UsageError, match="out of order"):
                exploitability(KUHN, player(KUHN, server.url, options))
            asked, kept = len(server.asked), len(file.read_text().splitlines())
            assert 4 <= kept == asked - 1
            assert exploitability(KUHN, player(KUHN, server.url, options)) == pytest.approx(0, abs=ROUNDED)
            assert len(server.asked) == asked + KUHN_STATES - kept

    def test_a_torn_last_line_is_asked_again(self, tmp_path: Path) -> None:
        file = tmp_path / "replies.jsonl"
        options = f"mode=logprobs,replies={file}"
        with serving(Speaker(KUHN)) as server:
            exploitability(KUHN, player(KUHN, server.url, options))
            whole = file.read_bytes()
            for torn in (whole[:-1], whole[:-40], whole[: whole[:-1].rindex(b"\n") + 5], whole[:20]):
                file.write_bytes(torn)
                before = len(server.asked)
                exploitability(KUHN, player(KUHN, server.url, options))
                assert len(server.asked) - before == KUHN_STATES - torn.count(b"\n")
                assert sorted(file.read_bytes().splitlines()) == sorted(whole.splitlines())

    def test_halves_of_characters_are_kept_as_question_marks(self, tmp_path: Path) -> None:
        options = f"mode=samples,n=1,replies={tmp_path / 'replies.jsonl'}"
        with serving(says("\ud83d, hm.\nAction: Rock")) as server:
            for _ in range(2):
                assert exploitability(THROW, player(THROW, server.url, options)) == pytest.approx(1)
            assert len(server.asked) == 1 and '"?, hm.' in (tmp_path / "replies.jsonl").read_text()

    @pytest.mark.parametrize("text", ["name,points\n", '{"game": "kuhn"}\n', "[1]\n", "notes without an end of line"])
    def test_a_file_of_something_else_is_refused_and_kept(self, tmp_path: Path, text: str) -> None:
        file = tmp_path / "other.jsonl"
        file.write_text(text)
        with pytest.raises(UsageError, match="holds no replies of a model, see line 1"):
            player(KUHN, "http://127.0.0.1:1", f"replies={file}")
        assert file.read_text() == text

    def test_other_settings_are_other_questions(self, tmp_path: Path) -> None:
        observation = THROW.observe(THROW.first_decision, 0)
        with serving(lambda asked: Says("Rock", {"A": 1.0})) as server:
            for options in ("", "temperature=0.5", "max_tokens=5", "mode=logprobs", "prompt=json", ""):
                talker = player(THROW, server.url, f"replies={tmp_path / 'replies.jsonl'},{options}")
                talker.predict(observation)
            assert len(server.asked) == 5


class TestBudget:
    @pytest.mark.parametrize("mode", SPEAKS)
    def test_too_many_questions_are_refused_before_any_is_sent(self, mode: str) -> None:
        needed = KUHN_STATES // 2 * (3 if mode == "samples" else 1)  # one seat at a time
        with serving(Speaker(KUHN)) as server:
            talker = player(KUHN, server.url, f"{SPEAKS[mode]},budget_calls={needed - 1}")
            with pytest.raises(
                UsageError, match=f"^{needed} questions to parrot can take {needed} calls, and {needed - 1}"
            ):
                exploitability(KUHN, talker)
            assert not server.asked
            assert exploitability(KUHN, player(KUHN, server.url, f"{SPEAKS[mode]},budget_calls={2 * needed}")) < 1

    def test_they_are_refused_before_they_are_written(self) -> None:
        talker = player(KUHN, "http://127.0.0.1:1", "mode=logprobs,budget_calls=5")
        talker.prompts = None  # so that nothing can be written
        with pytest.raises(UsageError, match="6 questions to parrot can take 6 calls"):
            exploitability(KUHN, talker)

    def test_kept_replies_need_no_budget(self, tmp_path: Path) -> None:
        options = f"mode=logprobs,replies={tmp_path / 'replies.jsonl'}"
        with serving(Speaker(KUHN)) as server:
            exploitability(KUHN, player(KUHN, server.url, options))
            exploitability(KUHN, player(KUHN, server.url, f"{options},budget_calls=0,budget_tokens=0"))
            assert len(server.asked) == KUHN_STATES

    def test_the_command_refuses_them_before_the_first_is_paid(self, nashzoo: Command) -> None:
        with serving(Speaker(SMALL)) as server:
            talker = f"llm(model=parrot,url={server.url},mode=logprobs,budget_calls={{}})"
            measure = f"{{}} footsies_v0 {talker} --param blocks=0"
            for command in ("exploitability", "weaknesses"):
                message = nashzoo.refused(measure.format(command, STATES[SMALL] - 1))
                assert message.startswith(f"{STATES[SMALL]} questions to parrot can take")
            assert not server.asked
            code, _, told = nashzoo(f"{measure.format('exploitability', STATES[SMALL])} --json")
            assert code == 0
            assert re.fullmatch(r"nashzoo: 9 questions to parrot, about [0-9,]+ tokens of prompts .*\n", told)
            quiet = f"{measure.format('weaknesses', STATES[SMALL])} --quiet"
            assert "footsies_v0" in nashzoo.prints(quiet)

    def test_an_interrupted_measure_says_where_replies_are_kept(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        talker = player(KUHN, "http://127.0.0.1:1", f"mode=logprobs,replies={tmp_path / 'replies.jsonl'}")
        monkeypatch.setattr(talker.interview.server, "ask", interrupt)
        with pytest.raises(KeyboardInterrupt, match=r"kept in .*replies\.jsonl; the same command goes on from there"):
            exploitability(KUHN, talker)

    def test_it_holds_for_all_batches_together(self) -> None:
        with serving(Speaker(KUHN)) as server:
            talker = player(KUHN, server.url, "mode=logprobs,budget_calls=11")
            with pytest.raises(
                UsageError, match=r"can take 6 calls, and 5 of budget_calls=11 are left: .*would keep them"
            ):
                exploitability(KUHN, talker)
            assert len(server.asked) == talker.interview.calls == 6

    def test_tokens_are_bounded_before_and_counted_afterwards(self) -> None:
        observation = THROW.observe(THROW.first_decision, 0)
        with serving(says("Rock")) as server:
            talker = player(THROW, server.url, "budget_tokens=3000,max_tokens=50")
            with pytest.raises(UsageError, match=r"tokens, and \d+ of budget_tokens=3,000 are left: none .* was sent"):
                for _ in range(9):
                    talker.predict(observation)
            most = sum(len(text.encode()) for text in ["user", *contents(server.asked[0])]) + 50
            sent = (3000 - most) // TOKENS + 1
            assert len(server.asked) == sent and talker.interview.tokens == sent * TOKENS

    def test_without_a_count_the_bound_is_spent(self) -> None:
        with serving(says("Rock"), counts_tokens=False) as server:
            talker = player(THROW, server.url, "max_tokens=50")
            talker.predict(THROW.observe(THROW.first_decision, 0))
            assert talker.interview.tokens == sum(len(text) for text in ["user", *contents(server.asked[0])]) + 50

    def test_corrections_are_questions_too(self) -> None:
        with serving(says("Lizard")) as server:
            with pytest.raises(UsageError, match="1 question to parrot can take 1 calls, and 0 of budget_calls=1"):
                player(THROW, server.url, "budget_calls=1").predict(THROW.observe(THROW.first_decision, 0))
            assert len(server.asked) == 1


def test_questions_are_sent_side_by_side_up_to_a_limit() -> None:
    with serving(slowly(0.01, Speaker(KUHN))) as server:
        exploitability(KUHN, player(KUHN, server.url, "mode=samples,n=4,concurrency=3"))
        assert server.most_at_once == 3


def test_states_in_which_a_player_sees_the_same_are_one_question() -> None:
    """A player of Kuhn poker has three cards and two situations with each, so both have twelve questions."""
    with serving(Speaker(KUHN)) as server:
        elicited = player(KUHN, server.url)
        assert elicited.estimate().startswith(f"{KUHN_STATES} questions to parrot, about ")
        exploitability(KUHN, elicited)
        assert len(server.asked) == KUHN_STATES
        with pytest.raises(UsageError, match=f"{KUHN_STATES} questions to parrot"):
            player(KUHN, server.url, f"mode=logprobs,budget_calls={KUHN_STATES - 1}").estimate()
        assert len(server.asked) == KUHN_STATES


def test_tokens_of_prompts_are_estimated_by_their_length() -> None:
    with serving(Speaker(SMALL)) as server:
        for options in ("mode=logprobs", "mode=samples,n=2"):
            estimate = player(SMALL, server.url, options).estimate()
            exploitability(SMALL, player(SMALL, server.url, options))
            letters = sum(len(content) for asked in server.asked for content in contents(asked))
            (told,) = re.findall(r"about ([\d,]+) tokens of prompts \(estimated by their length\)", estimate)
            assert int(told.replace(",", "")) == pytest.approx(letters / 4, rel=0.05)
            server.asked.clear()


class TestServers:
    @pytest.mark.parametrize("status", [429, 500, 503])
    def test_a_busy_server_is_asked_again(self, status: int) -> None:
        with serving(first_fails(2, status, says("Paper"))) as server:
            assert player(THROW, server.url, "retries=2").predict(THROW.observe(THROW.first_decision, 0))[0] == 1
            assert len(server.asked) == 3

    @pytest.mark.parametrize(
        ("behaviour", "options", "message"),
        [
            (lambda asked: Fails(404, "no such model"), "", "does not know the model parrot: .*no such model"),
            (lambda asked: Fails(401, "bad key"), "", "refuses the key in OPENAI_API_KEY: .*bad key"),
            (lambda asked: Fails(429, "out of quota"), "", "takes no more requests, in 2 attempts: .*out of quota"),
            (lambda asked: Fails(500), "", "does not answer: .*out of order"),
            (lambda asked: Fails(400, "x" * 999), "", r"does not answer: [^x]*\.\.\.$"),
            (lambda asked: Fails(200), "", "sends no reply of the chat completions protocol"),
            (says("A"), "mode=logprobs", "sends no log-probabilities .* mode=samples does without"),
            (lambda asked: Says("<think>", {"<think>": 0.9, "Well": 0.1}), "mode=logprobs", "begins .* with '<think>'"),
            (slowly(5.0, says("Rock")), "timeout=0.05", r"gives no reply within 0.05 s, in 2 attempts"),
        ],
    )
    def test_what_goes_wrong_is_a_sentence(self, behaviour: Behaviour, options: str, message: str) -> None:
        with serving(behaviour) as server:
            talker = player(THROW, server.url, f"retries=1,{options}")
            with pytest.raises(UsageError, match=message) as error:
                talker.predict(THROW.observe(THROW.first_decision, 0))
            assert "\n" not in str(error.value)

    @pytest.mark.parametrize("first", [10, 120])  # in the status line and the headers, or in the body
    def test_a_deadline_is_for_the_whole_answer(self, first: int) -> None:
        whole = sends(completion("Paper") + b" " * 400)
        with (
            serving(lambda asked: drips(whole, first, 40, 0.1)) as server,  # 4 s, in each half of a second some bytes
            pytest.raises(UsageError, match=r"gives no reply within 0.5 s, in 1 attempt$"),
        ):
            player(THROW, server.url, "retries=0,timeout=0.5").predict(THROW.observe(THROW.first_decision, 0))

    @pytest.mark.parametrize("status", ["200 OK", "400 Bad Request"])
    def test_an_answer_has_a_largest_size(self, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("nashzoo.agents.language.server.LARGEST", 2**20)
        body = completion("Paper")
        for length, message in ((2**20, "400|None"), (2**20 + 1, "answers with more than 1 MB")):
            with serving(lambda asked, size=length: sends(body.ljust(size), status)) as server:  # type: ignore[misc]
                found = "None"
                try:
                    player(THROW, server.url, "retries=0").predict(THROW.observe(THROW.first_decision, 0))
                except UsageError as error:
                    found = str(error)
                assert re.search(message, found)

    def test_it_is_asked_at_its_address_alone(self) -> None:
        with serving(lambda asked: sends(b"", "307 Moved", "Location: /v1/chat/completions")) as server:
            with pytest.raises(UsageError, match="sends its visitors to another address, /v1/chat/completions; give"):
                player(THROW, server.url, "retries=2").predict(THROW.observe(THROW.first_decision, 0))
            assert len(server.asked) == 1

    def test_the_key_is_neither_printed_nor_kept(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        key = "sk-0123456789"
        monkeypatch.setenv("OPENAI_API_KEY", key)
        kept = tmp_path / "replies.jsonl"
        with serving(lambda asked: Fails(400, f"\x1b[31m you sent Bearer {key}\u202e")) as server:
            with pytest.raises(UsageError, match=r"you sent Bearer \(key\)") as error:
                player(THROW, server.url, "retries=0").predict(THROW.observe(THROW.first_decision, 0))
            assert str(error.value).isprintable() and "?[31m" in str(error.value)
        with serving(says(f"{key}\nAction: Paper")) as server:
            talker = player(THROW, server.url, f"replies={kept}")
            assert talker.predict(THROW.observe(THROW.first_decision, 0))[0] == 1
        assert "(key)" in kept.read_text() and key not in kept.read_text()

    @pytest.mark.parametrize(
        "url",
        [
            "not a url", "localhost:8000/v1", "ftp://127.0.0.1/v1", "http://", "http://a b/v1", "http://h:99999/v1",
            "http://user:sk-0123456789@127.0.0.1/v1", "http://127.0.0.1/v1?key=sk-0123456789", "http://x:sk-0123456789",
        ],
    )  # fmt: skip
    def test_what_is_no_address_is_told_before_anything_is_asked(self, url: str) -> None:
        with pytest.raises(UsageError, match="url must be an address such as http") as error:
            agents.make("llm", THROW, model="parrot", url=url)
        assert "0123456789" not in str(error.value)

    def test_no_server_is_a_sentence(self) -> None:
        with serving(says("Rock")) as server:
            pass
        with pytest.raises(UsageError, match=f"^there is no server at {server.url}, in 1 attempt$"):
            player(THROW, server.url, "retries=0").predict(THROW.observe(THROW.first_decision, 0))

    def test_the_key_of_the_environment_is_sent_and_is_needed_without_a_url(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        with pytest.raises(UsageError, match=r"parrot needs a key in OPENAI_API_KEY, or .* url="):
            agents.make("llm", THROW, model="parrot")
        monkeypatch.setenv("OPENAI_API_KEY", "a-key")
        with serving(says("Rock")) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            agents.make("llm", THROW, model="parrot").predict(THROW.observe(THROW.first_decision, 0))
            assert server.headers[0]["authorization"] == "Bearer a-key"

    def test_without_the_package_it_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "openai", None)
        with pytest.raises(MissingPackageError, match=r"pip install '.\[llm\]'"):
            player(THROW, "http://127.0.0.1:1", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": ""}, r"named by model=, as in llm\(model=qwen"),
        ({"model": 7}, "model must be a text, not 7"),
        ({"mode": "argmax"}, "mode must be 'sample' or 'samples' or 'logprobs'"),
        ({"prompt": "yaml"}, "prompt must be 'text' or 'json'"),
        ({"temperature": -1}, "temperature must be a finite number of at least 0"),
        ({"n": 0}, "n must be a whole number of at least 1"),
        ({"concurrency": 0}, "concurrency must be"),
        ({"temperature": "hot"}, "temperature must be a finite number of at least 0"),
        ({"budget_calls": -1}, "budget_calls must be"),
        ({"budget_tokens": 0.5}, "budget_tokens must be"),
        ({"disguise": "no"}, "disguise must be"),
        ({"replies": 3}, "replies must be a text"),
    ],
)
def test_options_out_of_their_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        agents.make("llm", THROW, **{"model": "parrot", "url": "http://127.0.0.1:1"} | options)


def test_the_command_says_how_many_answers_were_invalid(nashzoo: Command) -> None:
    measure = "exploitability roshambo_v0 llm(model=parrot,url={},mode=samples,n=1) --param rounds=1 --quiet"
    with serving(says("Lizard")) as server:
        figures = nashzoo.json(measure.format(server.url))
        assert figures["invalid_answers"] == 1 and figures["exploitability"] == pytest.approx(0, abs=EXACT)
        assert "invalid answers 1" in nashzoo(measure.format(server.url))[1]
        spots = nashzoo.prints(measure.format(server.url).replace("exploitability", "weaknesses", 1))
        assert "(of the frequencies of 1 sample a state); 100.0% of the answers were invalid" in spots
    with serving(says("Rock")) as server:
        figures = nashzoo.json(measure.format(server.url))
        assert "invalid_answers" not in figures and figures["exploitability"] == pytest.approx(1)


def test_the_command_prints_an_interval_of_the_exploitability_of_the_model(nashzoo: Command) -> None:
    measure = f"{{}} llm(model=parrot,url={{}},mode=samples,n={SAMPLES}) {{}} --quiet"
    with serving(says("Rock")) as server:
        throw = measure.format("exploitability roshambo_v0", server.url, "--param rounds=1")
        figures, out = nashzoo.json(throw), nashzoo.prints(throw)
    rock = (0.05 / 6) ** (1 / SAMPLES)  # three actions, from both sides; the least if only Rock was said
    assert figures["interval_lower"] == pytest.approx(2 * rock - 1, abs=ROUNDED)  # the rest Scissors, against Paper
    assert figures["interval_upper"] == pytest.approx(1, abs=ROUNDED)
    assert f"of the frequencies of {SAMPLES} samples a state exploitability 1 point per game" in " ".join(out.split())
    assert f"95 % interval {figures['interval_lower']:.9g} to 1, of the" in out
    with serving(Speaker(KUHN)) as server:
        hidden = measure.format("exploitability nashzoo.examples.kuhn", server.url, "")
        assert (
            "95 % interval none: no interval is known: the players of kuhn_v0 see a part of the state each"
            in nashzoo.prints(hidden)
        )
        assert "interval_lower" not in nashzoo.json(hidden)


@pytest.mark.slow
def test_a_tournament_counts_the_matches_lost_by_answers_under_a_short_name(nashzoo: Command, tmp_path: Path) -> None:
    line = "tournament footsies_v0 --param blocks=0 --games 6 --out {} --agents random counter {}"
    with serving(says("Lizard")) as server:
        talkers = [f"llm(model=parrot,url={server.url}{name})" for name in ("", ",name=polly")]
        told = nashzoo.json(line.format(tmp_path / "first", talkers[0]))
        assert {one["player"]: one["forfeits"] for one in told["standings"]} == {
            "random": 0,
            "counter": 0,
            "parrot": 12,
        }
        out = nashzoo.prints(line.format(tmp_path / "both", " ".join(talkers)))
        assert "forfeits" in out and out.count("parrot") == out.count("polly") == 1
    rows = list(csv.DictReader((tmp_path / "both" / "standings.csv").read_text().splitlines()))
    assert {row["player"]: row["forfeits"] for row in rows} == dict.fromkeys(("random", "counter"), "0") | {
        "parrot": "18",
        "polly": "18",
    }
    assert {row["player"] for row in rows if not row["points_without_forfeits"]} == {"parrot", "polly"}
    assert "forfeits" not in nashzoo.prints(line.format(tmp_path / "none", "nash"))
    message = nashzoo.refused(line.format(tmp_path / "twice", f"{talkers[0]} {talkers[0][:-1]},n=5)"))
    assert message.startswith(
        "parrot takes part twice; name it once, or with other options, a language model with name="
    )


@pytest.mark.slow
def test_it_plays_a_tournament_on_several_processes_by_its_name(tmp_path: Path) -> None:
    with serving(Speaker(SMALL, Trembling(SMALL))) as server:
        players = {"random": "random", "counter": "counter"}
        named = f"llm(model=parrot,url={server.url},mode=logprobs,replies={tmp_path / 'replies.jsonl'})"
        here, there = (
            tournament(SMALL, players | {"parrot": named}, 6, seed=3, exact=True, processes=processes)
            for processes in (1, 2)
        )
        packed = [{pair: one.packed() for pair, one in played.results.items()} for played in (here, there)]
        assert packed[0] == packed[1] and here.exact == there.exact and len(here.exact) == 6
        assert len(server.asked) == STATES[SMALL]
        with pytest.raises(
            UsageError, match=r"parrot cannot be sent to other processes \(cannot .*\): give it as a text"
        ):
            tournament(SMALL, players | {"parrot": player(SMALL, server.url)}, 6, processes=2)


def test_probabilities_are_no_samples() -> None:
    with pytest.raises(NoPolicyError, match="llm has samples with mode=samples, not with mode=logprobs"):
        exploitability_interval(THROW, player(THROW, "http://127.0.0.1:1"))


def test_an_unknown_option_is_told() -> None:
    with pytest.raises(UsageTypeError, match="llm has no option heat"):
        player(THROW, "http://127.0.0.1:1", "heat=1")


def test_letters_end_at_twenty() -> None:
    with serving(lambda asked: Says("T", {"T": 1.0})) as server:
        for actions in (20, 21):
            game = matrix_game([[0.0] * actions] * actions)
            talker = player(game, server.url)
            if actions == 20:
                assert talker.predict(game.observe(game.first_decision, 0))[0] == 19
                assert "- T: " in contents(server.asked[0])[0].partition(ACTIONS)[2]
            else:
                with pytest.raises(UsageError, match="up to 20 actions, and there are 21 at"):
                    talker.predict(game.observe(game.first_decision, 0))


def test_it_joins_no_lists_and_is_not_for_visitors_of_pages() -> None:
    assert "llm" not in agents.names(FOOTSIES) and not entries()["llm"].scripted
    assert agents.title("llm") == "A language model" and agents.registry.options("llm")["mode"] == "sample"
    with pytest.raises(UsageError, match="llm"):
        Library().agent("llm(model=parrot,url=http://127.0.0.1:1)", FOOTSIES, 1)
