"""Kaggle's Game Arena: the functions that its harness asks for, and its replays with the regret of each action."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import Command
from nashzoo.app.text.harness import Harness
from nashzoo.app.text.replays import replayed
from nashzoo.arena.trajectory import Trajectory
from nashzoo.envs import Game, footsies_v0, make_game, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.text.situation import as_json, as_text, situation
from nashzoo.envs.text.wording import disguise
from nashzoo.examples import kuhn, pig

FOOTSIES, TICTACTOE = footsies_v0.game(), tictactoe_v0.game()


def agent(harness: Harness, replies: Sequence[str], observation: dict[str, Any]) -> tuple[int | None, list[str]]:
    """Returns the action that Kaggle's loop submits, and the prompts: as ``create_agent_fn`` describes itself."""
    legal = harness.get_legal_moves(observation)
    prompts: list[str] = []
    response = action = None
    for reply in replies:
        prompts.append(harness.make_prompt(observation, [], previous_response=response, previous_action=action))
        result = harness.parse_response(reply, list(legal.values()), observation=observation)
        assert (result.submission, result.thoughts) == (None, None)  # read by newer versions
        if result.legal_action is not None:
            return list(legal)[list(legal.values()).index(result.legal_action)], prompts
        response, action = reply, result.raw_action
    return None, prompts


class TestHarness:
    def test_its_prompt_has_both_names(self) -> None:
        assert Harness.generate_prompt is Harness.make_prompt  # of a module's function, and of an object's

    def test_its_prompt_is_what_a_player_reads(self) -> None:
        match = Trajectory(FOOTSIES, FOOTSIES.first_decision)
        match.follow(0, 2)
        observation = Harness(FOOTSIES).observation(match.code, 1, match.steps)
        assert observation["observationString"] == as_text(situation(FOOTSIES, match.code, 1, match.steps))
        assert observation["legalActions"] == [0, 1, 2, 3]
        assert observation["legalActionStrings"] == ["Attack", "Block", "Grab", "Dragon Punch"]
        assert (observation["currentPlayer"], observation["playerId"], observation["isTerminal"]) == (-2, 1, False)
        assert agent(Harness(FOOTSIES), ["I am hit.\nAction: dragon punch"], observation) == (
            3,
            [observation["observationString"]],
        )

    def test_a_wrong_answer_is_told_with_its_end(self) -> None:
        harness = Harness(TICTACTOE)
        code = TICTACTOE.code(board="x...o....")
        observation = harness.observation(code, 0)
        assert observation["currentPlayer"] == 0 and 0 not in observation["legalActions"]
        action, prompts = agent(harness, ["Let us see.", "The corner again!\nAction: 0", "Action: 8"], observation)
        assert action == 8
        legal = "legal actions are 1, 2, 3, 5, 6, 7, 8."
        assert prompts[0] == observation["observationString"]
        unread = "'Let us see.' is no legal action"
        assert prompts[1] == f"{prompts[0]}\n\nYour last answer ended with:\nLet us see.\n\n{unread}; {legal}"
        assert prompts[2].endswith(f"The corner again!\nAction: 0\n\n'0' is no legal action; {legal}")
        assert agent(harness, ["a\nb", "Action: 9"], observation)[0] is None

    def test_what_an_answer_names_is_told_also_if_it_is_illegal(self) -> None:
        harness = Harness(TICTACTOE)
        for reply, legal, raw in (
            ('{"action": 4}', "4", "4"),
            ("Action: 3", None, "3"),
            ("I think.\nSo I do.", None, None),
            ("4", "4", "4"),
        ):
            result = harness.parse_response(reply, ["4", "5"])
            assert (result.legal_action, result.raw_action) == (legal, raw)

    def test_the_form_and_the_words_can_be_chosen(self) -> None:
        other = disguise(FOOTSIES, 2)
        harness = Harness(FOOTSIES, "json", 2)
        observation = harness.observation(FOOTSIES.first_decision, 0)
        assert observation["observationString"] == as_json(situation(other, FOOTSIES.first_decision, 0))
        assert agent(harness, [other.actions[2]], observation)[0] == 2
        assert agent(harness, ["Grab"], observation)[0] is None
        with pytest.raises(UsageError, match="prompt must be 'text' or 'json', not 'verse'"):
            Harness(FOOTSIES, "verse")

    def test_who_does_not_choose_has_no_moves(self) -> None:
        harness = Harness(Game(kuhn))
        code = Game(kuhn).first_decision
        waits = harness.observation(code, 1)
        assert (waits["currentPlayer"], waits["legalActions"], waits["observationString"]) == (0, [], "")
        assert "player 1: card ?" in harness.observation(code, 0)["observationString"]
        over = Harness(TICTACTOE).observation(TICTACTOE.code(board="xxxoo...."), 0)
        assert (over["isTerminal"], over["currentPlayer"], over["legalActions"]) == (True, -4, [])


def replay(*moves: Any, game: str = "tic_tac_toe_proxy()", **info: Any) -> dict[str, Any]:
    """Returns an episode with the fields that Kaggle writes, of moves by number; pairs where both choose."""
    steps: list[Any] = [[{"action": {"submission": -1}, "info": {}, "status": "INACTIVE"} for _ in range(2)]] * 2
    for number, move in enumerate(moves):
        applied = move if isinstance(move, tuple) else [move, None][:: 1 - 2 * (number % 2)]
        steps = [*steps, [{"action": {"submission": -1}, "info": {"actionApplied": one}} for one in applied]]
    return {"configuration": {"openSpielGameString": game}, "info": info, "steps": steps}


class TestReplays:
    def test_a_match_of_ours(self, nashzoo: Command) -> None:
        # Noughts beside the corner loses (1 point less), the answer in the far corner of the same column wins still.
        Path("match.json").write_text(json.dumps(replay(0, 1, 4, 8, 6, 2, 3)))
        shown = nashzoo.json("text review match.json --game tictactoe_v0")
        assert [move["action"] for move in shown["moves"]] == list("0148623")
        assert [round(move["loss"], 9) for move in shown["moves"]] == [0, 1, 0, 0, 0, 0, 0]
        assert shown["totals"] == pytest.approx([0, 1]) and shown["expected"][-1] == 1
        out = nashzoo.raw("text review match.json --game tictactoe_v0").out
        assert out.splitlines()[:3] == [
            "step  player  regret   action",
            "   1       0  0.0000   0",
            "   2       1  1.0000   1",
        ]
        assert out.splitlines()[-1] == "noughts lost 1.0000 points by its actions."

    def test_who_forfeits_is_told_apart_from_regret(self, nashzoo: Command) -> None:
        match = replay(0, 4)
        asked, waits = match["steps"][-1]
        match["steps"][-1] = [asked | {"status": "ACTIVE"}, waits]
        last = [{"action": {"submission": -1}, "info": {}, "status": "DONE"} for _ in range(2)]
        Path("match.json").write_text(json.dumps(match | {"steps": [*match["steps"], last]}))
        assert nashzoo.json("text review match.json --game tictactoe_v0")["forfeited"] == [0]
        out = nashzoo.raw("text review match.json --game tictactoe_v0").out
        assert out.splitlines()[-1] == "crosses gave no legal action in the end and forfeited; no regret counts that."
        Path("match.json").write_text(json.dumps(match))
        assert nashzoo.json("text review match.json --game tictactoe_v0")["forfeited"] == []

    @pytest.mark.slow
    def test_the_game_of_openspiel_in_the_file_has_the_same_regrets(self, nashzoo: Command) -> None:
        pytest.importorskip("pyspiel")
        rng = np.random.default_rng(0)
        for _ in range(3):
            Path("match.json").write_text(json.dumps(replay(*rng.permutation(9)[:5].tolist())))
            ours = nashzoo.json("text review match.json --game tictactoe_v0")
            theirs = nashzoo.json("text review match.json")
            assert theirs["totals"] == pytest.approx(ours["totals"])
            assert [move["loss"] for move in theirs["moves"]] == pytest.approx([move["loss"] for move in ours["moves"]])

    def test_both_choose_and_an_opening_is_played_first(self) -> None:
        match = replayed(replay((0, 2), (3, 3)), FOOTSIES)
        assert [step.actions for step in match.steps] == [(0, 2), (3, 3)]
        opened = replayed(replay(8, initialActions=[0, 4]), TICTACTOE)
        assert [step.actions for step in opened.steps] == [(0, 0), (0, 4), (8, 0)]

    def test_what_chance_decided_is_in_the_history_of_all_actions(self) -> None:
        pyspiel = pytest.importorskip("pyspiel")
        name, rng = "markov_soccer(horizon=6)", np.random.default_rng(0)
        game, theirs = make_game(f"openspiel:{name}"), pyspiel.load_game(name)
        for _ in range(20):
            state, history, applied = theirs.new_initial_state(), list[str](), list[Any]()
            while not state.is_terminal():
                if state.is_chance_node():
                    said: Any = int(rng.choice([outcome for outcome, _ in state.chance_outcomes()]))
                    state.apply_action(said)
                else:
                    said = [int(rng.choice(state.legal_actions(player))) for player in (0, 1)]
                    state.apply_actions(said)
                    applied.append((*said,))
                history.append(str(said))
            match = replayed(replay(*applied, game=name, actionHistory=history), game)
            assert [step.actions for step in match.steps] == applied
            assert (match.over, match.points) == (True, state.returns()[0])
        with pytest.raises(UsageError, match="action 1 of the replay's actionHistory cannot be"):
            replayed(replay(*applied, game=name, actionHistory=["9", *history[1:]]), game)
        with pytest.raises(UsageError, match="moves were applied, and the replay's actionHistory has 0"):
            replayed(replay(*applied, game=name, actionHistory=history[:1]), game)
        with pytest.raises(UsageError, match="what it decided is not read from this replay"):
            replayed(replay(*applied, game=name), game)

    def test_an_illegal_action_was_not_applied(self) -> None:
        ended = replay(0, 4)
        ended["steps"].append([{"info": {"actionSubmitted": 4, "actionApplied": None}}, {"info": {}}])
        assert len(replayed(ended, TICTACTOE).steps) == 2

    @pytest.mark.parametrize(
        ("moves", "message"),
        [
            ((0, 0), "move 2 of the replay: player 1 played 0, which is not legal there"),
            ((0, "4"), "move 2 of the replay: an action is a whole number, not '4'"),
            (((0, 4, 5),), "the replay is none of two players in a game of OpenSpiel: their steps have info"),
        ],
    )
    def test_broken_matches_are_told(self, moves: tuple[Any, ...], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            replayed(replay(*moves), TICTACTOE)

    def test_what_chance_decides_is_not_read(self) -> None:
        with pytest.raises(UsageError, match="chance decides in pig_v0, and what it decided is not read"):
            replayed(replay(0), Game(pig, target=10))

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("{", "match.json: it is not JSON"),
            ("[]", "match.json is no replay of Kaggle's: it has no steps"),
            ('{"steps": []}', "match.json is no replay of Kaggle's: it has no info"),
            (
                '{"steps": [], "info": {}, "configuration": {}}',
                "the replay names no game of OpenSpiel; name its game with",
            ),
            (json.dumps(replay(game="no_such_game()")), "OpenSpiel has no game no_such_game"),
        ],
    )
    def test_other_files_are_refused_in_a_sentence(self, nashzoo: Command, text: str, message: str) -> None:
        Path("match.json").write_text(text)
        assert nashzoo.refused("text review match.json").startswith(message)

    def test_a_missing_file_is_told(self, nashzoo: Command) -> None:
        assert "No such file" in nashzoo.refused("text review nothing.json")
