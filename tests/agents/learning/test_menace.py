"""MENACE: its boxes, what it learns, and the file it is kept in. Two routes: compiled training, and a game by hand."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.agents.learning.menace.agent import MenaceAgent
from nashzoo.agents.learning.menace.boxes import (
    NO_BOX,
    PRESETS,
    Boxes,
    Settings,
    load,
    read_json,
    settings_of,
    shelf,
    signed,
    write_json,
)
from nashzoo.agents.learning.menace.training import BOTH_LEARN, CROSSES_LEARN, NOUGHTS_LEARN, Lessons, Training
from nashzoo.baselines import exploitability, nash_conv
from nashzoo.envs import footsies_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.kernels import draw_uniform
from nashzoo.envs.games.tictactoe.rules import CELLS
from nashzoo.envs.games.tictactoe.view import board_of

GAME = tictactoe_v0.game()
EXACT = 1e-12
MICHIE = PRESETS["michie"]
FIRST = "........."  # the board of the first box
STANDARD_ERRORS = 5


def code_of(board: str) -> int:
    return GAME.code(board=board)


def beads_of(boxes: Boxes, board: str) -> dict[int, int]:
    """Returns the beads of every move at a state; equal moves share theirs."""
    box, kinds = boxes.find(code_of(board))
    return {cell: int(boxes.beads[box, kinds[cell]]) for cell in range(CELLS) if kinds[cell] >= 0}


def move(code: int, cell: int) -> int:
    return GAME.step(code, *((cell, 0) if GAME.turn(code) == 0 else (0, cell)))


class TestBoxes:
    def test_michie_has_304_for_crosses(self) -> None:
        # Michie (1963): 304 boxes of a side that moves first, up to turns and mirror images, for the first four moves.
        plies = [CELLS - board_of(GAME.state(int(code))).count(".") for code in shelf().codes]
        assert sum(1 for ply in plies if ply % 2 == 0) == 304
        assert [plies.count(ply) for ply in (0, 2, 4)] == [1, 12, 108]  # OEIS A008907

    def test_the_first_box_has_a_corner_an_edge_and_the_middle(self) -> None:
        boxes = Boxes(MICHIE)
        assert beads_of(boxes, ".........") == dict.fromkeys(range(CELLS), 4)
        assert boxes.beads[0].sum() == 12
        policy = boxes.policy(shelf().states.ids([code_of(".........")]))[0]
        assert policy == pytest.approx(np.array([1, 1, 1, 1, 4, 1, 1, 1, 1]) / 12)

    def test_michie_starts_with_4_3_2_and_1_bead(self) -> None:
        boxes = Boxes(MICHIE)
        for boards, beads in {
            (".........", "x........"): 4, ("x...o....", "xo..x...."): 3, ("xo..x...o", "xoxo.x..."): 2,
            ("xoo.x.xo.", "xoxo.xox."): 1,
        }.items():  # fmt: skip
            assert [set(beads_of(boxes, board).values()) for board in boards] == [{beads}] * 2

    @pytest.mark.slow
    def test_policies_are_the_same_up_to_symmetry(self) -> None:
        boxes = Boxes(MICHIE)
        boxes.beads += np.random.default_rng(0).integers(0, 9, boxes.beads.shape) * (boxes.beads > 0)
        codes = shelf().states.codes
        policy = boxes.policy(shelf().states.ids(codes))
        for images in zip(*map(GAME.images, codes.tolist()), strict=True):
            moved, symmetries = map(np.array, zip(*images, strict=True))
            there = np.take_along_axis(boxes.policy(shelf().states.ids(moved)), symmetries, axis=1)
            assert there == pytest.approx(policy, abs=EXACT)

    @pytest.mark.slow
    def test_moves_in_a_box_lead_to_the_same_state(self) -> None:
        boxes = Boxes()
        for code in shelf().states.codes[::4].tolist():
            box, kinds = boxes.find(code)
            if box == NO_BOX:
                assert (kinds >= 0).sum() == 1
                continue
            on_box = int(shelf().codes[box])
            for cell in GAME.legal_actions(code, GAME.turn(code)):
                followed = {image for image, _ in GAME.images(move(code, cell))}
                assert move(on_box, int(kinds[cell])) in followed

    def test_no_side_looks_into_a_box_of_the_other(self) -> None:
        for box in range(len(shelf().codes)):
            assert len(set(shelf().movers[shelf().boxes == box])) == 1

    def test_a_state_that_is_over_has_none(self) -> None:
        with pytest.raises(ValueError, match=r"play does not lead to xxxoo\.\.\.\., or is over there"):
            Boxes().find(code_of("xxxoo...."))


class TestRewards:
    # Crosses take the middle, a corner and the opposite corner; noughts take two edges.
    MOVES = ((".........", 4), (".o..x....", 0), ("xo.ox....", 8))

    @pytest.mark.parametrize(("points", "beads"), [(1, (7, 6, 5)), (0, (5, 4, 3)), (-1, (3, 2, 1))])
    def test_michie_adds_three_one_and_takes_one(self, points: int, beads: tuple[int, int, int]) -> None:
        boxes = Boxes(MICHIE)
        boxes.reward([(code_of(board), cell) for board, cell in self.MOVES], points)
        for (board, cell), expected, first in zip(self.MOVES, beads, (4, 3, 2), strict=True):
            found = beads_of(boxes, board)
            assert found.pop(cell) == expected
            assert set(found.values()) <= {first, expected}
            assert list(found.values()).count(first) >= 2

    def test_without_a_floor_a_move_may_go(self) -> None:
        boxes = Boxes(Settings(alpha=4, gamma=3, floor=0, per="kind"))
        for expected in (1, 0, 0):
            boxes.reward([(code_of("........."), 4)], -1)
            assert beads_of(boxes, ".........")[4] == expected

    def test_the_last_cell_takes_no_box(self) -> None:
        boxes = Boxes(MICHIE)
        before = boxes.beads.copy()
        boxes.reward([(code_of("xoxoxoox."), 8)], 1)
        assert (boxes.beads == before).all()


class TestSettings:
    @pytest.mark.parametrize(
        ("wrong", "told"),
        [
            ({"alpha": 0}, "alpha must be a whole number of beads from 1 to 1000000, not 0"),
            ({"alpha": (4, 3, 2)}, "alpha must be one number or 4, one for each move of a side, not 3"),
            ({"beta": -1}, "beta must be a whole number of beads from 0 to 1000000, not -1"),
            ({"gamma": 1.5}, "gamma must be a whole number of beads from 0 to 1000000, not 1.5"),
            ({"delta": True}, "delta must be a whole number of beads from 0 to 1000000, not True"),
            ({"floor": -2}, "floor must be a whole number of beads from 0 to 1000000, not -2"),
            ({"per": "box"}, "per must be one of cell, kind, not 'box'"),
        ],
    )
    def test_wrong_ones_are_refused(self, wrong: dict[str, Any], told: str) -> None:
        with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
            Settings(**wrong)

    def test_presets(self) -> None:
        assert settings_of("classroom") == Settings(4, "cell", 1, 1, 0, 1)
        assert settings_of("michie") == Settings((4, 3, 2, 1), "kind", 3, 1, 1, 0)
        with pytest.raises(ValueError, match="no preset 'donald' of MENACE; there are classroom, michie"):
            settings_of("donald")


def by_hand(boxes: Boxes, lessons: Lessons, games: int) -> tuple[list[list[int]], Boxes]:
    """Plays lessons with the rules of the game, without compiled training and its tables.

    It draws the same random numbers: one for a mistake, one for a move. A MENACE without mistakes draws none for them.
    """
    training = Training(Boxes(), lessons)
    state = training._seeds.copy()
    trainer: Any = lessons.trainer()
    told = []
    for number in range(games):
        sides = int(lessons.learners(np.array([number]))[0])
        mistake = float(lessons.mistakes(np.array([number]))[0])
        code, used, result, resigned = int(GAME.start_codes[0]), [], 0, 0
        while not GAME.terminal(code):
            mover = GAME.turn(code)
            legal = np.isin(np.arange(CELLS), GAME.legal_actions(code, mover))
            own = 1.0 - lessons.menace_probability
            if sides >> mover & 1 and own > 0 and draw_uniform(state, 0) < own:
                chances = legal / legal.sum()
            elif sides >> mover & 1:
                box, _ = boxes.find(code)
                if box != NO_BOX and boxes.beads[box].sum() == 0:
                    result, resigned = (-1 if mover == 0 else 1), 1
                    break
                chances = boxes.policy(shelf().states.ids([code]))[0]
            elif draw_uniform(state, 0) < mistake:
                chances = legal / legal.sum()
            else:
                chances = trainer.action_probabilities(GAME.observe(code, mover)[None], legal[None].astype(np.int8))[0]
            sums = chances.cumsum()
            cell = int((sums <= draw_uniform(state, 0) * sums[-1]).sum())
            used.append((mover, code, cell))
            code = move(code, cell)
            result = int(GAME.payoff(code))
        for side in range(2):
            if sides >> side & 1:
                boxes.reward([(c, a) for mover, c, a in used if mover == side], result if side == 0 else -result)
        told.append([sides, result, len(used), resigned])
    return told, boxes


LESSONS = {
    "human": Lessons(seed=1),
    "noughts": Lessons(side="noughts", seed=2),
    "both": Lessons(side="both", seed=3),
    "random": Lessons("random", seed=4),
    "perfect": Lessons("perfect", seed=5),
    "self": Lessons("self", seed=6),
    "by chance": Lessons(menace_probability=0.6, side="both", seed=8),
    "both by chance": Lessons("self", menace_probability=0.3, seed=9),
    "annealed": Lessons(probability=0.0, final_probability=1.0, anneal=40, side="both", seed=7),
}


class TestTraining:
    @pytest.mark.parametrize("name", PRESETS)
    @pytest.mark.parametrize("lessons", LESSONS.values(), ids=LESSONS)
    def test_it_is_what_is_played_by_hand(self, lessons: Lessons, name: str) -> None:
        boxes = Boxes(PRESETS[name])
        played = Training(boxes, lessons).run(60)
        rows, expected = by_hand(Boxes(PRESETS[name]), lessons, 60)
        assert np.stack([played.learners, played.crosses_won, played.plies, played.resigned], axis=1).tolist() == rows
        assert (boxes.beads == expected.beads).all()
        assert (boxes.beads != Boxes(PRESETS[name]).beads).any()

    def test_parts_make_the_same_whole(self) -> None:
        whole, parts = (Training(Boxes(), Lessons(final_probability=0.9, anneal=40_000, side="both")) for _ in range(2))
        told = whole.run(50_000)
        pieces = [parts.run(games) for games in (1, 30_000, 19_999)]
        assert (whole.boxes.beads == parts.boxes.beads).all()
        assert whole.random_state == parts.random_state
        for name in ("learners", "crosses_won", "plies", "resigned", "mistakes"):
            assert (getattr(told, name) == np.concatenate([getattr(piece, name) for piece in pieces])).all()
        assert [piece.first for piece in pieces] == [0, 1, 30_001]

    def test_it_stops_when_told_to(self) -> None:
        training = Training(Boxes(), Lessons())
        assert len(training.run(1_000_000, lambda games: games.first >= 20_000).plies) == training.games == 40_000

    def test_who_learns(self) -> None:
        numbers = np.arange(3)
        assert Lessons(side="crosses").learners(numbers).tolist() == [CROSSES_LEARN] * 3
        assert Lessons(side="noughts").learners(numbers).tolist() == [NOUGHTS_LEARN] * 3
        assert Lessons(side="both").learners(numbers).tolist() == [CROSSES_LEARN, NOUGHTS_LEARN, CROSSES_LEARN]
        assert Lessons("self", side="noughts").learners(numbers).tolist() == [BOTH_LEARN] * 3

    def test_mistakes_get_rarer_in_equal_steps(self) -> None:
        lessons = Lessons(probability=0.5, final_probability=1.0, anneal=4)
        assert lessons.mistakes(np.array([0, 1, 2, 3, 4, 50])) == pytest.approx([0.5, 0.375, 0.25, 0.125, 0, 0])
        assert Lessons(probability=0.7).mistakes(np.array([0, 9])) == pytest.approx([0.3, 0.3])

    def test_noughts_tell_their_own_points(self) -> None:
        played = Training(Boxes(), Lessons("random", side="both")).run(10)
        assert (played.points[::2] == played.crosses_won[::2]).all()
        assert (played.points[1::2] == -played.crosses_won[1::2]).all()

    @pytest.mark.parametrize(
        ("wrong", "told"),
        [
            ({"probability": 1.2}, "probability must be a number from 0 to 1, not 1.2"),
            ({"final_probability": -1}, "final_probability must be a number from 0 to 1, not -1"),
            (
                {"opponent": "random", "final_probability": 1.0},
                "final_probability is for the human; random has no prob",
            ),
            ({"anneal": 0}, "anneal must be a whole number of at least 1, not 0"),
            ({"seed": -1}, "seed must be a whole number of at least 0, not -1"),
            ({"side": "x"}, "side must be one of crosses, noughts, both, not 'x'"),
        ],
    )
    def test_wrong_lessons_are_refused(self, wrong: dict[str, Any], told: str) -> None:
        with pytest.raises(ValueError, match=f"^{told}"):
            Lessons(**wrong)

    def test_wrong_trainers_are_refused(self) -> None:
        with pytest.raises(ValueError, match="no player 'nobody'"):
            Training(Boxes(), Lessons("nobody"))
        with pytest.raises(NoPolicyError, match="manual chooses by more than the state: exact measures need a policy"):
            Training(Boxes(), Lessons("manual"))


def test_michies_resigns_for_ever_when_its_first_box_is_empty() -> None:
    boxes = Boxes(MICHIE)
    played = Training(boxes, Lessons(probability=0.9)).run(5_000)
    assert boxes.beads[0].sum() == 0
    assert (played.resigned[-1], played.plies[-1], played.crosses_won[-1]) == (1, 0, -1)


class TestFile:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        boxes = Boxes(MICHIE)
        Training(boxes, Lessons()).run(500)
        write_json(tmp_path / "boxes.json", boxes.as_json())
        return tmp_path / "boxes.json"

    def test_what_is_read_is_what_was_written(self, path: Path) -> None:
        boxes = load(path)
        assert boxes.settings == MICHIE
        again = Boxes(MICHIE)
        Training(again, Lessons()).run(500)
        assert (boxes.beads == again.beads).all()

    def test_a_person_can_read_it(self, path: Path) -> None:
        told = json.loads(path.read_text())
        assert told["settings"] == {"alpha": [4, 3, 2, 1], "per": "kind", "beta": 3, "gamma": 1, "delta": 1, "floor": 0}
        assert sum(told["boxes"]["........."]) > 0
        assert len(told["boxes"]) == len(shelf().codes)
        assert re.search(
            r'^    "x\.\.\.o\.\.\.\.": \[0, \d+, \d+, 0, 0, \d+, 0, 0, \d+\],$', path.read_text(), re.MULTILINE
        )

    CHANGES: tuple[tuple[Callable[[dict[str, Any]], Any], str], ...] = (
        (lambda told: told["boxes"].pop("x...o...."), r"lacks the box x\.\.\.o\.\.\.\."),
        (lambda told: told["boxes"].update(spare=[0] * 9), r"has a box 'spare', which is none of MENACE's"),
        (lambda told: told["boxes"].update({FIRST: [4] * 9}), r"\.{9} has beads on cell 2; they belong on 0, 1, 4"),
        (lambda told: told["boxes"].update({FIRST: [4, 4]}), r"must be 9 whole numbers of beads, not \[4, 4\]"),
        (lambda told: told["boxes"].update({FIRST: [1.5] + [0] * 8}), "must be 9 whole numbers of beads"),
        (lambda told: told["boxes"].update({FIRST: [-1] + [0] * 8}), "must be 9 whole numbers of beads"),
        (lambda told: told["boxes"].update({FIRST: [2**60] + [0] * 8}), "there can be 9007199254740992 of a move"),
        (lambda told: told["settings"].pop("alpha"), "lacks 'alpha'"),
        (lambda told: told["settings"].update(beta=-3), "has wrong settings: beta must be a whole number"),
        (lambda told: told["settings"].update(extra=1), "has wrong settings: there is no setting extra"),
        (lambda told: told.pop("boxes"), "lacks 'boxes'"),
        (lambda told: told.update(format="other"), "no boxes of this version of MENACE .its format must be 'nashzoo "),
    )

    def test_no_bit_can_flip_unnoticed(self, path: Path) -> None:
        whole, boxes = path.read_bytes(), load(path)
        for place in range(0, len(whole), 101):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
            with pytest.raises(UsageError, match=r"boxes\.json (is damaged|holds no boxes)"):
                read_json(path)
        path.write_bytes(whole)
        assert np.array_equal(load(path).beads, boxes.beads)

    @pytest.mark.parametrize(("change", "told"), CHANGES)
    def test_damage_is_told(self, path: Path, change: Callable[[dict[str, Any]], Any], told: str) -> None:
        contents = read_json(path)
        change(contents)
        path.write_text(json.dumps(signed(contents)))
        with pytest.raises(ValueError, match=told) as raised:
            load(path)
        assert str(path) in str(raised.value)

    def test_other_files_are_refused(self, tmp_path: Path) -> None:
        other = tmp_path / "other"
        with pytest.raises(FileNotFoundError, match="there is no file"):
            read_json(other)
        for content, message in (
            (b"beads", "of MENACE: it is not JSON"),
            (b"[]", "of this version"),
            (b"\xff", "not JSON"),
        ):
            other.write_bytes(content)
            with pytest.raises(ValueError, match=f"holds no boxes .*{message}"):
                read_json(other)


class TestAgent:
    def test_untaught_it_is_as_exploitable_as_random_play(self) -> None:
        assert nash_conv(GAME, MenaceAgent(GAME, games=0)) == pytest.approx(1.919659391534391, abs=1e-9)  # OpenSpiel's

    def test_it_is_taught_the_same_way_every_time(self) -> None:
        first, second = agents.make("menace", GAME, seed=1), agents.make("menace", GAME, seed=2)
        assert isinstance(first, MenaceAgent)
        assert isinstance(second, MenaceAgent)
        assert (first.boxes.beads == second.boxes.beads).all()
        assert exploitability(GAME, first) < exploitability(GAME, MenaceAgent(GAME, games=0))

    def test_it_takes_boxes_from_a_file(self, tmp_path: Path) -> None:
        boxes, path = Boxes(MICHIE), tmp_path / "boxes.json"
        Training(boxes, Lessons()).run(10)
        write_json(path, boxes.as_json())
        by_name = agents.make("menace", GAME, file=str(path))
        for agent in (by_name, agents.as_agent(path, GAME), agents.as_agent(str(path), GAME)):
            assert isinstance(agent, MenaceAgent)
            assert (agent.boxes.beads == boxes.beads).all()
            agent.learn(100)
            assert (agent.boxes.beads == boxes.beads).all()
        with pytest.raises(TypeError, match="a file of boxes takes none, not games"):
            agents.as_agent(path, GAME, games=1)

    def test_learners_start_with_nothing_and_get_better(self) -> None:
        agent = MenaceAgent.untaught(GAME, agents.make("human", GAME), 0, seed=0)
        before = exploitability(GAME, agent, player=0)
        agent.learn(20_000)
        assert exploitability(GAME, agent, player=0) < before / 10

    def test_wrong_games_and_options_are_refused(self) -> None:
        with pytest.raises(ValueError, match="MenaceAgent plays tictactoe_v0, not footsies_v0"):
            MenaceAgent(footsies_v0.game())
        with pytest.raises(ValueError, match="games must be a whole number of at least 0, not -1"):
            MenaceAgent(GAME, games=-1)
        with pytest.raises(ValueError, match="no preset"):
            MenaceAgent(GAME, preset="donald")
        with pytest.raises(FileNotFoundError, match=r"there is no file nowhere\.json"):
            MenaceAgent(GAME, file="nowhere.json")
