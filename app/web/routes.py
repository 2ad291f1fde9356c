"""The endpoint: it answers the requests of the pages with JSON. See ``docs/reference/http.md``."""

import contextlib
import json
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import anyio
import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from nashzoo.app.web import folders, information
from nashzoo.app.web.kept import Kept, UnknownError
from nashzoo.app.web.ladder import ladder
from nashzoo.app.web.library import PERSON, Library, NotAllowedError
from nashzoo.app.web.locks import changes_json, locked_json, locks_in
from nashzoo.app.web.matches import BusyError, WebMatch, advice, alone, held, steps_json
from nashzoo.app.web.pages import Page, navigation, sample_certificate
from nashzoo.app.web.requests import ApiRequest, body_of
from nashzoo.app.web.solver import Solver, SolvingError
from nashzoo.app.web.states import code_in, ranges_json, solution_json, state_json, viewers
from nashzoo.app.web.weaknesses import recorded_json, spots_json, weaknesses_json
from nashzoo.arena import records
from nashzoo.arena.recorded_policy import RecordedPolicy
from nashzoo.arena.review import MOST_COUNTED, between, lesson
from nashzoo.arena.trajectory import Trajectory
from nashzoo.baselines import Policy, Solution, equilibria
from nashzoo.baselines.certificate.checker import Progress
from nashzoo.baselines.even_solution import as_found
from nashzoo.baselines.forms import form_of
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.baselines.locked import MOST_COMPARED, LockedSolution
from nashzoo.baselines.practice import decided_start
from nashzoo.baselines.weak_states import NO_LOSS
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.json_text import json_value
from nashzoo.envs.base.modules import failing_line
from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.checks import check_seen
from nashzoo.envs.core.game import named_actions
from nashzoo.envs.drawing.palette import THEMES
from nashzoo.envs.jit.clock import FIRST_USE, compiling
from nashzoo.envs.text.steps import Step, moves

STATIC = Path(__file__).parent / "static"
LARGEST_BODY = 2_000_000  # bytes
LONGEST_ANSWER = 60.0  # seconds after which a request fails
MOST_EARLIER = 20  # matches that count for how a person mixes
MOST_ASKING = 8  # threads in which agents choose
STATUS_OF = {BusyError: 503, NotAllowedError: 403, UnknownError: 404}  # other errors of users: 400
NO_POLICY = "this player remembers earlier moves, or searches at random: where it loses is not computed; choose another"
LOG = logging.getLogger("nashzoo.web")


class Application:
    """The state of the endpoint, and its request handlers.

    Args:
        library: The games and agents that may be loaded.
        saved: Files of records of matches that may be shown.
        folders: Folders of runs, tournaments and tables of results that may be shown.
        pages: Further pages.
    """

    def __init__(
        self,
        library: Library,
        saved: tuple[Path, ...] = (),
        folders: tuple[Path, ...] = (),
        pages: Sequence[Page] = (),
    ) -> None:
        self.library, self.saved, self.folders, self.pages = library, saved, folders, pages
        self.solver, self.measuring = Solver(), Solver()
        self.matches = Kept[WebMatch]("match", end=lambda match: match.match.close())
        self._free = threading.BoundedSemaphore(MOST_ASKING)

    def routes(self) -> list[Route | Mount]:
        """Returns the routes and their handlers."""
        get = {
            "/api": self.home,
            "/api/compiling": lambda _: compiling(),
            "/api/game": self.game,
            "/api/state": self.state,
            "/api/board.svg": self.board,
            "/api/solution": self.solution,
            "/api/ranges": self.ranges,
            "/api/locked": self.locked,
            "/api/changes": self.changes,
            "/api/chances": self.chances,
            "/api/next": self.next,
            "/api/policy": self.policy,
            "/api/spots": self.spots,
            "/api/ladder": self.ladder,
            "/api/certificate": lambda _: sample_certificate(),
            "/api/matches/{id}": self.match,
            "/api/matches/{id}/review": self.review,
            "/api/matches/{id}/mixtures": self.mixtures,
            "/api/matches/{id}/advice": self.advice,
            "/api/matches/{id}/record": self.record,
            "/api/saved": self.saved_matches,
            "/api/folder": self.folder,
        } | {f"/api/{page.name}": lambda _, page=page: page.data() for page in self.pages}
        post = {
            "/api/matches": self.begin,
            "/api/matches/{id}/step": self.step,
            "/api/matches/{id}/undo": self.undo,
            "/api/replay": self.replay,
            "/api/weaknesses": self.weaknesses,
        }
        nowhere = {"/api/{rest:path}": self.nowhere}
        methods = (get, ["GET"]), (post, ["POST"]), (nowhere, ["GET", "POST", "PUT", "PATCH", "DELETE"])
        pages = [Mount(f"/pages/{page.name}", StaticFiles(directory=page.static)) for page in self.pages]
        return [
            *(Route(path, _answer(what), methods=how) for paths, how in methods for path, what in paths.items()),
            *pages,
            Mount("/", StaticFiles(directory=STATIC, html=True)),
        ]

    def close(self) -> None:
        """Closes the solver and the matches."""
        self.solver.close()
        self.measuring.close()
        self.matches.close()

    def agents_at_work(self) -> contextlib.AbstractContextManager[None]:
        """Limits the number of threads in which agents choose; one that never ends counts for ever.

        Raises:
            BusyError: none is free.
        """
        return held(self._free, "too many agents are choosing at the moment; wait, or begin nashzoo web anew")

    def home(self, request: ApiRequest) -> Any:
        """Returns the version, the games, the files and folders of the command line, and further pages."""
        return {
            "version": version("nashzoo"),
            "games": self.library.games(),
            "themes": THEMES,
            "saved": [str(path) for path in self.saved],
            "folders": [{"folder": str(path), "kind": folders.kind(path)} for path in self.folders],
            "pages": navigation(self.pages),
        }

    def nowhere(self, request: ApiRequest) -> Any:
        """Refuses requests for unknown addresses."""
        raise HTTPException(404, "no such address, or it is not asked in this way; docs/reference/http.md lists all")

    def game(self, request: ApiRequest) -> Any:
        """Returns the description of a game with parameters."""
        return self.library.about(request.text("game"))

    def state(self, request: ApiRequest) -> Any:
        """Returns a state, by its code or by its fields; with hidden information, as a player sees it."""
        game, code = self._place(request)
        return state_json(game, code, request.seats()) | {"history": str(code)}

    def board(self, request: ApiRequest) -> Response:
        """Returns the drawing of a state."""
        game, code = self._place(request)
        svg = game.svg(code, request.query.get("theme", "light"))
        return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"})

    def solution(self, request: ApiRequest) -> Any:
        """Returns value, equilibrium, matrix and regrets at a state, or those of a player's information state."""
        game, code = self._place(request)
        reached = self.solver.solution(game)
        if not reached.has_values:
            return solution_json(reached, code, request.seats())
        if game.terminal(code) or code in reached.states:
            return solution_json(reached, code) | {"reached": True}
        return solution_json(self.solver.solution(game, code), code) | {"reached": False}

    def ranges(self, request: ApiRequest) -> Any:
        """Returns the ranges of probabilities over all equilibria, at a state or a player's information state."""
        game, code = self._place(request)
        solution, seats = self.solver.solution(game, *(() if game.terminal(code) else (code,))), request.seats()
        found = self.measuring.result(("equilibria", solution), lambda show: equilibria(game, as_found(solution)))
        return self.measuring.result(("ranges", solution, code, seats), lambda show: ranges_json(found, code, seats))

    def locked(self, request: ApiRequest) -> Any:
        """Returns the solution at a state, or a player's information state, of the game with a player fixed at some."""
        game, code = self._place(request)
        found = self._locked(game, request.text("locks"))
        return locked_json(found, self.solver.solution(game).start_value, code, request.seats())

    def changes(self, request: ApiRequest) -> Any:
        """Returns the choices that have to change because of locks; null in a large game."""
        game, locks = self.library.game(request.text("game")), request.text("locks")
        free = self.solver.solution(game)
        if free.num_states > MOST_COMPARED:
            return None
        found = self._locked(game, locks)
        return self.measuring.result(("changes", game, locks), lambda show: changes_json(found, free))

    def _locked(self, game: Game, locks: str) -> LockedSolution:
        player, mixes = locks_in(game, locks)
        key = "locked", game, locks
        return self.measuring.result(key, lambda show: LockedSolution(form_of(game), player, mixes))

    def next(self, request: ApiRequest) -> Any:
        """Returns the state that a pair of actions leads to, and what happened."""
        game, code = self._place(request)
        movers = game.movers(code)
        if not movers:
            raise UsageError("nobody chooses there: the game is over, or chance decides")
        actions = request.number("action0", 0), request.number("action1", 0)
        for player in movers:
            legal = game.legal_actions(code, player)
            if actions[player] not in legal:
                choices = named_actions(game, legal)
                raise UsageError(f"action{player}={actions[player]} is not legal there; legal are {choices}")
        after = game.step(code, *actions)
        told = moves(game, Step(code, actions, after, after, game.payoff(after)), ())
        return {"state": state_json(game, after), "told": told, "reward": game.payoff(after) + game.half(code, after)}

    def policy(self, request: ApiRequest) -> Any:
        """Returns an agent's action probabilities at a state if a match began there."""
        game, code = self._place(request)
        player = request.player()
        match = WebMatch(self.library, game, "", (PERSON, PERSON), 0, code)
        return self._advice(match, request.text("agent"), player)

    def chances(self, request: ApiRequest) -> Any:
        """Returns how often player 0 of two policies wins, draws and loses; null if that is not computed."""
        game, names = self.library.game(request.text("game")), [request.text(f"p{seat}") for seat in (0, 1)]
        if self.solver.solution(game).num_states > MOST_COUNTED:
            return None
        players = [self.library.player(name, game, seat) for seat, name in enumerate(names)]
        return self.measuring.result(("chances", game, *names), lambda show: between(game, *players))

    def weaknesses(self, request: ApiRequest) -> Any:
        """Returns where an agent loses most, or a player of recorded matches, which are sent or in a file."""
        game, player = self.library.game(request.text("game")), request.text("player")
        check_seen(game, NO_LOSS)
        solution = self.solver.solution(game)
        kept, found = self._recorded(request)

        def work(show: Progress) -> Any:
            show("looking for the positions at which points are lost", 0, 1)
            if found is not None:
                return recorded_json(solution, RecordedPolicy(game, player, found, solution))
            try:
                return weaknesses_json(solution, cast(Policy, self.library.agent(player, game, 0)))
            except NoPolicyError:
                return {"refused": NO_POLICY}  # no error on the console of a browser

        return self.measuring.result((game, player, kept), work)

    def _recorded(self, request: ApiRequest) -> tuple[str, Iterator[records.Record] | None]:
        """Returns the matches that a request sends, or whose file it names, and a key for them; None if it does not."""
        if "records" in request.body:
            lines = request.text("records")
            return lines, (self._record(line) for line in lines.splitlines())
        if "file" in request.body:
            path = _named(self.saved, request.text("file"), "files")
            return f"{path} {path.stat().st_mtime_ns}", records.read(path, self.library.game_in_file)
        return "", None

    def spots(self, request: ApiRequest) -> Any:
        """Returns states worth practising, of which the pages choose the spot of the day."""
        game = self.library.game(request.text("game"))
        solution = self.solver.solution(game)
        return self.measuring.result(("spots", game), lambda show: spots_json(solution))

    def ladder(self, request: ApiRequest) -> Any:
        """Returns the opponents of a game by strength, with what perfect play wins from each."""
        game = self.library.game(request.text("game"))
        solution = self.solver.solution(game)
        names = [one["name"] for one in self.library.agents(game)]
        return self.measuring.result(("ladder", game), lambda show: ladder(self.library, game, solution, names, show))

    def begin(self, request: ApiRequest) -> Any:
        """Begins a match; with hidden information, a start is what a player sees, and what is hidden is drawn."""
        game = self.library.game(request.text("game"))
        start = request.body.get("start")
        code = None if start is None else code_in(game, str(start))
        seed, players = request.seed(), request.players()
        if "nash" in players:  # it would solve the game itself, and say nothing meanwhile
            self.solver.solution(game)
        if code is not None and viewers(game, code):
            solution = self.solver.solution(game)
            assert isinstance(solution, InformationSolution)
            code = information.drawn(solution, code, request.player(), seed)
        if request.body.get("decided") and len(game.start_codes) > 1 and not game.hides:
            code = decided_start(self.solver.solution(game), seed)
        match = WebMatch(self.library, game, request.text("game"), players, seed, code)
        return {"id": self.matches.add(match), **match.as_json()}

    def match(self, request: ApiRequest) -> Any:
        """Returns a match so far."""
        return self.matches[request.id].as_json(*request.seats())

    def step(self, request: ApiRequest) -> Any:
        """Makes a time step of a match."""
        match = self.matches[request.id]
        chosen = request.actions()
        with self.agents_at_work(), alone(match.lock):
            match.step(chosen)
            return match.as_json()

    def undo(self, request: ApiRequest) -> Any:
        """Takes back the last move of a person."""
        match = self.matches[request.id]
        with alone(match.lock):
            match.take_back()
            return match.as_json()

    def review(self, request: ApiRequest) -> Any:
        """Returns the regret of each action of a match against perfect play, and a headline."""
        match, *earlier = played = self._played(request)
        solution, before = self._solved(played), request.number("before", 0)
        key = "review", *played, *match.match.trajectory.steps, before
        return self.measuring.result(key, lambda _: match.review(solution, earlier, before))

    def mixtures(self, request: ApiRequest) -> Any:
        """Returns how a person mixes in a match and earlier ones; asked after each move, it has the game solved."""
        match, *earlier = played = self._played(request)
        player = request.player()
        match.seats(player)  # refuses what another sees
        return match.mixtures(self._solved(played), player, earlier)

    def _played(self, request: ApiRequest) -> list[WebMatch]:
        """Returns a match and the earlier ones of ``with``; those that the server no longer keeps are left out."""
        matches = [self.matches[request.id]]
        for name in filter(None, request.query.get("with", "").split(",")[-MOST_EARLIER:]):
            with contextlib.suppress(UnknownError):
                matches.append(self.matches[name])
        return matches

    def _solved(self, played: Sequence[WebMatch]) -> Solution:
        return self.solver.solution(played[0].game, *{one.match.trajectory.start for one in played})

    def advice(self, request: ApiRequest) -> Any:
        """Returns an agent's action probabilities now in the place of a player of a match."""
        match = self.matches[request.id]
        player = request.player()
        if player not in match.match.movers or match.match.ended is not None:
            raise UsageError(f"player {player} does not choose now")
        match.seats(player)  # refuses the advice on what is hidden
        return self._advice(match, request.text("agent"), player)

    def _advice(self, match: WebMatch, agent: str, player: int) -> Any:
        """Returns an agent's action probabilities in the place of a player of a match."""
        with self.agents_at_work(), contextlib.closing(self.library.player(agent, match.game, match.seed)) as asked:
            sampled, shares = advice(match.match.trajectory, asked, player)
        game, code = match.game, match.match.code
        named = {game.action_label(code, one): float(shares[one]) for one in game.legal_actions(code, player)}
        return {"sampled": sampled, "probabilities": named}

    def record(self, request: ApiRequest) -> Response:
        """Returns the record of a match, a line of JSON to save."""
        match = self.matches[request.id]
        line = json.dumps(match.record().as_json(), ensure_ascii=False) + "\n"
        name = f"{match.game.name}-{match.seed}.jsonl"
        return PlainTextResponse(line, headers={"Content-Disposition": f'attachment; filename="{name}"'})

    def saved_matches(self, request: ApiRequest) -> Any:
        """Returns a match of a file that was named on the command line."""
        path = _named(self.saved, request.text("file"), "files")
        return self._match_json(records.nth(path, request.number("match", 1), self.library.game_in_file))

    def folder(self, request: ApiRequest) -> Any:
        """Returns the contents of a folder that was named on the command line, as charts and tables."""
        return folders.shown(_named(self.folders, request.text("folder"), "folders"))

    def replay(self, request: ApiRequest) -> Any:
        """Returns the match of a record, which is a line of JSON, or that of a link: its start and its moves.

        With ``review`` it is the review of the match, for a person who played a seat alone.
        """
        found = self._linked(request) if "moves" in request.body else self._record(request.text("record"))
        if not request.body.get("review"):
            return self._match_json(found)
        solution, people = self.solver.solution(found.game, found.trajectory.start), found.players.count(PERSON)
        return lesson(found.trajectory, solution, found.points, found.players.index(PERSON) if people == 1 else None)

    def _linked(self, request: ApiRequest) -> records.Record:
        """Returns the match of a link, whose moves are as in ``0.2-1.3``; what chance decided stands behind them."""
        text = request.text("game")
        game = self.library.game(text)
        played = Trajectory(game, code_in(game, request.text("start")))
        for move in request.text("moves").split("-"):
            first, second, *after = [*move.split("."), ""][: 2 + game.has_chance]
            if not all(_is_number(part or "0") for part in (first, second)):
                raise UsageError(f"a move is two actions as in 0.2, not {move!r}")
            played.follow(int(first or 0), int(second or 0), code_in(game, after[0]) if after else None)
        cut = records.TRUNCATED if len(played.steps) >= game.max_cycles else records.UNFINISHED
        ended, names = records.TERMINATED if played.over else cut, request.players()
        return records.Record(played, (names[0], names[1]), ended, source=text.partition("(")[0])

    def _record(self, text: str) -> records.Record:
        """Returns the match of a record, which is a line of JSON."""
        try:
            named = json_value(text)["game"]
        except (ValueError, KeyError, TypeError):
            named = None  # the record is refused below
        if isinstance(named, str):
            self.library.game(named)  # a record must not load rules that are not allowed
        try:
            return records.parsed(text, self.library.game_in_file)
        except UsageError as error:
            raise UsageError(f"the record is refused{error}") from None

    def _match_json(self, record: records.Record) -> Any:
        played, options = record.trajectory, record.game.options
        parameters = [f"{name}={value}".replace(" ", "") for name, value in options.items() if value is not None]
        return {
            "game": f"{record.source}({','.join(parameters)})",
            "players": record.players,
            "start": str(played.start),
            "steps": steps_json(played),
            "points": record.points,
            "ended": record.ended,
        }

    def _place(self, request: ApiRequest) -> tuple[Game, int]:
        """Returns the game of a request, and the state, which it names by its code or by its fields."""
        game = self.library.game(request.text("game"))
        if "code" in request.query:
            before, _, after = request.query["code"].rpartition(">")
            code = code_in(game, after)
            return game, game.view.shown(game.params, code_in(game, before), code) if before else code
        fields = {name: value for name, value in request.query.items() if name in game.field_maxima._fields}
        return game, game.code(**{name: int(text) if _is_number(text) else text for name, text in fields.items()})


def _named(paths: tuple[Path, ...], text: str, what: str) -> Path:
    """Returns the path with this text.

    Raises:
        NotAllowedError: it is not among ``paths``.
    """
    for path in paths:
        if str(path) == text:
            return path
    raise NotAllowedError(f"only {what} that were named on the command line can be looked at")


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 20  # digits of the largest code


def _answer(what: Callable[[ApiRequest], Any]) -> Callable[[Request], Any]:
    """Returns the handler of a route: it answers with JSON, or with the error in one sentence."""

    async def answer(request: Request) -> Response:
        try:
            asked = ApiRequest(dict(request.query_params), await _body(request), str(request.path_params.get("id", "")))
            with anyio.fail_after(LONGEST_ANSWER):
                answered = await anyio.to_thread.run_sync(what, asked, abandon_on_cancel=True)
        except TimeoutError:
            slow = "the player may be too slow: choose another, or options"
            why = f"this takes longer than {LONGEST_ANSWER:g} s; {f'{FIRST_USE}; try again' if compiling() else slow}"
            return JSONResponse({"error": why}, 504)
        except SolvingError as error:
            return JSONResponse({"solving": str(error)}, 202)
        except (UsageError, OSError) as error:
            status = next((status for kind, status in STATUS_OF.items() if isinstance(error, kind)), 400)
            return JSONResponse({"error": str(error)}, status)
        except HTTPException as error:
            return JSONResponse({"error": error.detail}, error.status_code)
        except ClientDisconnect:
            return Response()  # which nobody reads
        except Exception as error:
            LOG.exception("while %s was answered", request.url.path)
            place = failing_line(error)
            why = f"{place}: {error}" if place else "an error of nashzoo; its terminal says more"
            return JSONResponse({"error": why}, 500)
        return answered if isinstance(answered, Response) else JSONResponse(answered)

    return answer


async def _body(request: Request) -> dict[str, Any]:
    if request.method != "POST":
        return {}
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise HTTPException(415, "send JSON, with the content type application/json")
    sent = b""
    async for part in request.stream():
        sent += part
        if len(sent) > LARGEST_BODY:
            raise HTTPException(413, f"a request has at most {LARGEST_BODY:,} bytes")
    return body_of(sent)
