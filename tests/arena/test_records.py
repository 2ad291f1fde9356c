"""Records of matches: what is written is read again, and what breaks the rules is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nim
from nashzoo import agents
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.arena import records
from nashzoo.arena.match import play_match
from nashzoo.arena.recorder import Recorder
from nashzoo.arena.trajectory import Trajectory
from nashzoo.envs import Game, make_game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.seeds import streams
from opponents import Always, Opponent

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "games"
GAMES: list[Any] = [
    ("footsies_v0", {"rounds": 2, "max_turns": 6}),
    ("roshambo_v0", {"rounds": 20, "payoff": [[0, 0.3], [-0.3, 0]]}),
    ("bodega_brawl_v0", {"preset": "small", "double_ko": "sudden_death"}),
    ("tictactoe_v0", {}),
    pytest.param("soccer_v0", {}, marks=pytest.mark.slow),
    (str(EXAMPLES / "pig.py"), {"target": 10}),
    (str(EXAMPLES / "littman_soccer.py"), {}),
    (str(EXAMPLES / "goofspiel.py"), {}),
]
MATCHES = 12


def recorded(game: Game, path: Path, max_cycles: int | None = None, players: tuple[Any, Any] | None = None) -> Any:
    """Plays matches of random players into a file; returns their result."""
    recorder = Recorder(game, ("random", "random"), lambda found: records.append(path, found), 5)
    first, second = players or ("random", "random")
    return play_match(game, first, second, MATCHES, 5, max_cycles, recorder)


@pytest.mark.parametrize(("name", "options"), GAMES, ids=lambda value: str(value).rpartition("/")[2])
def test_what_was_played_is_read_again(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    game, path = make_game(name, **options), tmp_path / "some" / "games.jsonl"
    result = recorded(game, path, 100)
    found = list(records.read(path, make_game))
    assert [record.points for record in found] == pytest.approx(result.points.tolist())
    assert sum(record.ended == "truncated" for record in found) == result.unfinished
    assert [record.number for record in found] == list(range(MATCHES)) and {record.seed for record in found} == {5}
    assert all(record.game == game and record.players == ("random", "random") for record in found)
    assert [json.dumps(record.as_json(), ensure_ascii=False) for record in found] == path.read_text().splitlines()
    for record in found:
        assert record.trajectory.codes[-1] == record.trajectory.code
        assert all(record.trajectory.event(step) for step in record.trajectory.steps)
    again = tmp_path / "again.jsonl"
    records.append(again, records.read(path, make_game))
    assert again.read_bytes() == path.read_bytes()


def test_a_game_of_a_module_is_found_again() -> None:
    assert make_game(records.source_of(Game(nim))) == Game(nim)
    assert records.source_of(make_game("footsies_v0")) == "footsies_v0"


def test_a_record_has_no_rules_loaded(tmp_path: Path) -> None:
    recorded(make_game("tictactoe_v0"), tmp_path / "games.jsonl")
    line = json.loads((tmp_path / "games.jsonl").read_text().splitlines()[0])
    rules = tmp_path / "evil.py"
    rules.write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    for name in (str(rules), "nashzoo.app.main", "openspiel:tic_tac_toe", str(tmp_path / "matrix.csv")):
        (tmp_path / "games.jsonl").write_text(json.dumps(line | {"game": name}) + "\n")
        for attempt in (lambda path: list(records.read(path)), lambda path: records.nth(path, 1)):
            with pytest.raises(UsageError, match=r"line 1: there is no game '.*' with a registered name, and files"):
                attempt(tmp_path / "games.jsonl")
    assert not (tmp_path / "ran").exists()


def test_recording_changes_no_game(tmp_path: Path) -> None:
    game = make_game("footsies_v0")
    without = play_match(game, "random", "bayesian", 300, 5)
    recorder = Recorder(game, ("random", "bayesian"), lambda found: records.append(tmp_path / "g", found), 5)
    assert play_match(game, "random", "bayesian", 300, 5, recorder=recorder).points.tolist() == without.points.tolist()
    assert [record.points for record in records.read(tmp_path / "g")] == without.points.tolist()


class Offender(RandomAgent):
    """Plays an illegal action where it has no ball to kick."""

    def act(self, observations: Any, memory: Any, masks: Any, uniforms: Any) -> Any:
        return np.zeros(len(observations), np.int64), memory


@pytest.mark.slow
def test_who_plays_an_illegal_action_has_forfeited(tmp_path: Path) -> None:
    game, path = make_game("soccer_v0"), tmp_path / "games.jsonl"
    result = recorded(game, path, players=(agents.make("random", game), Offender(game)))
    found = list(records.read(path))
    assert {(record.ended, record.by) for record in found} == {("forfeited", (1,))}
    assert [record.points for record in found] == result.points.tolist() == [1.0] * MATCHES


def test_options_and_titles_of_players_are_in_the_record(tmp_path: Path) -> None:
    game = make_game("tictactoe_v0")
    played = Trajectory(game, int(game.start_codes[0]))
    played.act(4, 0, streams(0, 1))
    players = "mcts(simulations=10, exploration=1.4)", "openspiel:nobody"
    records.append(tmp_path / "g", [records.Record(played, players, "unfinished")])
    (line,) = (tmp_path / "g").read_text().splitlines()
    assert json.loads(line)["players"] == [
        {"name": "mcts", "options": {"simulations": 10, "exploration": 1.4}, "title": "Monte Carlo tree search"},
        {"name": "openspiel:nobody", "options": {}},
    ]
    record = records.nth(tmp_path / "g", 1)
    assert record.players == players
    assert record.trajectory.event(record.trajectory.steps[0]) == "crosses marked middle"


def test_draws_agreed_and_resigned_matches() -> None:
    game = make_game("roshambo_v0", rounds=10)
    played = Trajectory(game, int(game.start_codes[0]))
    for _ in range(3):
        played.act(0, 2, streams(0, 1))
    assert records.outcome(played, "draw agreed") == 0.0
    assert records.outcome(played, "resigned", (0,)) == -7.0
    assert records.outcome(played, "resigned", (1,)) == 10.0
    assert game.forfeited(played.code, -2.0, (0,)) == -9.0
    assert game.forfeited(played.code, -2.0, (1,)) == 7.0
    assert records.outcome(played, "forfeited", (0, 1)) == 0.0
    assert records.outcome(played, "unfinished") == 3.0


class Stops(Opponent):
    """Throws rock so many times, and then nothing."""

    memory_size = 1

    def __init__(self, throws: int) -> None:
        self.throws = throws

    def act(self, observations: Any, memory: Any, masks: Any, uniforms: Any) -> Any:
        return np.where(memory[:, 0] < self.throws, 0, -1), memory + 1


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_nobody_loses_less_by_giving_up(tmp_path: Path, scale: float) -> None:
    payoff = [[0, -scale, scale], [scale, 0, -scale], [-scale, scale, 0]]
    game, path = make_game("roshambo_v0", rounds=100, payoff=payoff), tmp_path / "games.jsonl"
    for throws in (0, 50, 99, 100):
        for seat in (0, 1):
            players = (Stops(throws), Always(1)) if seat == 0 else (Always(1), Stops(throws))
            result = recorded(game, path, players=players)
            assert result.points.tolist() == [(-100.0, 100.0)[seat] * scale] * MATCHES
            assert [record.points for record in records.read(path)][-MATCHES:] == result.points.tolist()


def test_moves_are_checked_where_they_are_made() -> None:
    game = make_game("soccer_v0", random_positions=False)
    played = Trajectory(game, int(game.start_codes[0]))
    with pytest.raises(UsageError, match="player 0 played Kick, which is not legal there; legal actions are Right, "):
        played.act(0, 0, streams(0, 1))
    assert played.steps == []


def of_tictactoe(change: Callable[[dict[str, Any]], Any]) -> str:
    """Returns a line in which crosses win in the middle row, with a change."""
    game = make_game("tictactoe_v0")
    played = Trajectory(game, int(game.start_codes[0]))
    for cell in (3, 0, 4, 1, 5):
        played.follow(cell, cell)
    line = records.Record(played, ("random", "perfect"), "terminated").as_json()
    change(line)
    return json.dumps(line)


def without_chance(line: dict[str, Any]) -> None:
    line |= {"game": str(EXAMPLES / "pig.py"), "parameters": {}, "steps": [["roll", None]], "rewards": [0]}
    line |= {"start": {"score0": 0, "score1": 0, "total": 0, "mover": 0, "rolls": 0}, "chance": [None]}


MISTAKES: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda line: line.pop("format"), ": this is no record of a match"),
    (lambda line: line.update(format="nashzoo match 2"), ": the format is 'nashzoo match 2'; this version of nashzoo "),
    (lambda line: line.pop("rewards"), ": the record has no 'rewards'"),
    (lambda line: line.update(game="chess"), ": there is no game 'chess'"),
    (lambda line: line.update(parameters={"size": 4}), ": tictactoe_v0 has no parameter size; it has none"),
    (lambda line: line["steps"].__setitem__(2, ["3", None]), ", move 3: player 0 played 3, which is not legal there"),
    (lambda line: line["steps"].__setitem__(1, [None, "9"]), ", move 2: player 1 played 9; the actions are 0, 1, 2"),
    (lambda line: line["steps"].__setitem__(1, ["7", "0"]), ", move 2: player 0 played 7, but is not to move"),
    (lambda line: line["steps"].__setitem__(0, "3"), ", move 1: a time step has two actions, null for a player "),
    (lambda line: line["rewards"].__setitem__(4, -1), ", move 5: the reward of player 0 is 1 by the rules, not -1"),
    (lambda line: line["steps"].append([None, "8"]) or line["rewards"].append(0), ", move 6: the game was over"),
    (lambda line: line["rewards"].pop(), ": steps, rewards and what chance decided must be equally many"),
    (lambda line: line.update(ended="won"), ": ended must be one of terminated, truncated, unfinished, draw agreed"),
    (lambda line: line.update(ended="truncated"), ": the match is said to be truncated, but the game is over after"),
    (lambda line: (line["steps"].pop(), line["rewards"].pop()), ": the match is said to be terminated, but the game "),
    (lambda line: line.update(points=0), ": the match brought player 0 1 points, not 0"),
    (lambda line: line.update(players=["random"]), ": a match has two players, not 1"),
    (lambda line: line["players"][1].update(name=None), ": the name of a player is a text, not None"),
    (lambda line: line.update(by=[0]), ": by must name the players who forfeited or resigned, not [0]"),
    (lambda line: line["start"].update(crosses=7, noughts=24), ": the game is over where the match starts"),
    (lambda line: line["start"].pop("crosses"), ": a state of tictactoe_v0 has crosses"),
    (lambda line: line["start"].update(crosses=1000), ": crosses must be from 0 to 511, not 1000"),
    (without_chance, ", move 1: what chance decided after "),
]


@pytest.mark.parametrize(("change", "message"), MISTAKES, ids=[message[:60] for _, message in MISTAKES])
def test_what_is_wrong_is_told_with_line_and_move(change: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(f"{of_tictactoe(lambda line: None)}\n{of_tictactoe(change)}\n")
    found = records.read(path, make_game)
    assert next(found).points == 1.0
    for attempt in (lambda: next(found), lambda: records.nth(path, 2, make_game)):
        with pytest.raises(UsageError) as refused:
            attempt()
        assert str(refused.value).startswith(f"{path}, line 2{message}")


def test_text_that_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for content in (b"hello\n", b"\xff\xfe\n", b"[1]\n", b"\n", 200_000 * b"[" + b"\n"):
        path.write_bytes(content)
        with pytest.raises(UsageError, match="line 1: this is no record of a match"):
            list(records.read(path))
    with pytest.raises(FileNotFoundError, match="there is no file "):
        list(records.read(tmp_path / "nothing"))


def test_a_match_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    recorded(make_game("tictactoe_v0"), path)
    assert records.nth(path, MATCHES).number == MATCHES - 1
    for number in (0, MATCHES + 1):
        with pytest.raises(UsageError, match=f"holds {MATCHES} matches; there is no match {number}"):
            records.nth(path, number)


@pytest.mark.parametrize("cut", [1, 7, 10_000_000])
def test_what_a_killed_writer_left_is_no_match_and_is_written_over(cut: int, tmp_path: Path) -> None:
    game, path = make_game("roshambo_v0", rounds=9000), tmp_path / "games.jsonl"  # lines longer than a block
    played = Trajectory(game, int(game.start_codes[0]))
    for _ in range(4000):
        played.follow(0, 1)
    record = records.Record(played, ("random", "random"), "unfinished")
    records.append(path, [record, record])
    whole = path.read_bytes()
    path.write_bytes(whole[: max(len(whole) // 2 + 1, len(whole) - cut)])
    assert len(list(records.read(path))) == 1
    records.append(path, [record])
    assert path.read_bytes() == whole


def test_other_files_are_not_written_into(tmp_path: Path) -> None:
    path = tmp_path / "diary.txt"
    path.write_text("Dear diary")
    with pytest.raises(UsageError, match=r"diary\.txt exists and holds no records of matches; choose another file"):
        records.append(path, [])
    assert path.read_text() == "Dear diary"
