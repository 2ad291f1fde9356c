"""Solve a game exactly.

Prints what player 0 wins per game if both play perfectly, the certificate (how far that can be off at most), and both
equilibrium strategies at a state. A large solution is kept in a file, where the next call finds it and an interrupted
one goes on.

Example: nashzoo solve footsies_v0 --at blocks1=0,hits0=1
"""

import contextlib
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import NAMED, RUN_DIR, Json, Param, Quiet, Ray, be_quiet

# What changes the question, and the options that go with it.
ALONE = {
    "--lock": ("--seat", "--where", "--at"),
    "--all": ("--at", "--out", "--tolerance"),
    "--bounds": ("--tolerance", "--seconds"),
}


def main(
    game: Annotated[Positional[str | None], NAMED] = None,
    /,
    at: Annotated[
        str | None, arg(metavar="FIELD=VALUE,...", help="The state to show; the start of the game when left out.")
    ] = None,
    param: Param = (),
    matrix: Annotated[
        Path | None, arg(metavar="FILE", help="Instead of GAME: a matrix of points, .csv, .tsv or .nfg.")
    ] = None,
    every: Annotated[bool, arg(name="all", help="All equilibria: the range of each action's probability.")] = False,
    select: Annotated[
        Literal["uniform", "pure", "sequential", "greedy"] | None,
        arg(
            help="Of many equilibria the most random one, one that mixes least, one optimal also where mistakes "
            "lead, or one that wins most --against a player."
        ),
    ] = None,
    against: Annotated[str | None, arg(metavar="PLAYER", help="With --select greedy: the opponent.")] = None,
    lock: Annotated[
        str | None, arg(metavar="PLAYER", help="Fix a seat: it plays like this player, or file of some states' rows.")
    ] = None,
    seat: Annotated[Literal[0, 1] | None, arg(help="With --lock: the seat that is fixed; 1 when left out.")] = None,
    where: Annotated[
        str | None, arg(metavar="FIELD=VALUE,...", help="With --lock: decisions at which it is; all when left out.")
    ] = None,
    bounds: Annotated[
        bool, arg(help="In games too large to solve: search for proven bounds of the value at the start.")
    ] = False,
    seconds: Annotated[
        float | None, arg(help="With --bounds: seconds of the search, 60 when left out; Ctrl-C ends it earlier.")
    ] = None,
    tolerance: Annotated[
        float | None,
        arg(
            help="Points: the certificate to reach where something is hidden, or the gap of --bounds. 1e-9 if left out."
        ),
    ] = None,
    out: Annotated[
        Path | None, arg(aliases=RUN_DIR, help="File of a large solution; one in the user's cache when left out.")
    ] = None,
    certificate: Annotated[
        Path | None, arg(metavar="FILE", help="Also write a proof that a small program of its own checks.")
    ] = None,
    num_procs: Annotated[int | None, arg(help="Processors to use, at most; all when left out.")] = None,
    ray: Ray = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solves a game and prints its value and certificate, the strategies at a state, and the counts of won states."""
    from nashzoo.app.shared.bounded import bounds_hint, tell_value
    from nashzoo.app.shared.equilibria import tell_all, tell_locked
    from nashzoo.app.shared.interruption import interruptible
    from nashzoo.app.shared.large_matrix import check_options, tell_large
    from nashzoo.app.shared.parsing import game_of
    from nashzoo.app.shared.solutions import Chooser, tell, tell_hidden
    from nashzoo.arena.tasks import cluster, on_cluster
    from nashzoo.baselines.certificate.bounds import PROVEN
    from nashzoo.baselines.certificate_file import write_certificate
    from nashzoo.baselines.store import default_path
    from nashzoo.envs.base.array_files import UNFINISHED
    from nashzoo.envs.base.errors import UsageError
    from nashzoo.envs.base.files import check_file
    from nashzoo.envs.base.progress import note, working
    from nashzoo.envs.base.threads import at_most
    from nashzoo.envs.core.checks import check_count
    from nashzoo.envs.registry import large_matrix

    be_quiet(quiet)
    with at_most(None if num_procs is None else check_count("num_procs", num_procs)):
        name = _named(game, matrix)
        for file in filter(None, (out, certificate)):
            check_file(file)
        given = {
            "--at": at, "--out": out, "--tolerance": tolerance, "--ray": ray, "--all": every,
            "--certificate": certificate, "--select": select, "--against": against, "--lock": lock, "--seat": seat,
            "--where": where, "--bounds": bounds, "--seconds": seconds,
        }  # fmt: skip
        if (large := large_matrix(name)) is not None:
            check_options(large, {"--param": param, **given})
            tell_large(large, as_json)
            return
        chosen = game_of(name, param)
        _check_alone({option for option, value in given.items() if value is not None and value is not False})
        if tolerance is not None and not (chosen.hides or bounds):
            raise UsageError(f"nothing is hidden in {chosen.name}: it is solved exactly; leave out --tolerance")
        if lock is not None:
            tell_locked(chosen, lock, 1 if seat is None else seat, where, at, as_json)
            return
        if every:
            tell_all(chosen, at, as_json, out, tolerance)
            return
        if bounds:
            tell_value(
                chosen, 60.0 if seconds is None else seconds, PROVEN if tolerance is None else tolerance, as_json
            )
            return
        if ray is not None and chosen.indexed_rules is None:
            raise UsageError(f"{chosen.name} is too small to be solved on a cluster; leave out --ray")
        choose = Chooser(chosen, select, against)
        if chosen.hides:
            with bounds_hint():
                solution = tell_hidden(chosen, at, as_json, out, tolerance, choose)
        else:
            kept_in = f"what is finished is kept in {out or default_path(chosen)}{UNFINISHED}."
            advice = f"Give the same command again to go on; {kept_in}"
            kept = interruptible(advice) if chosen.indexed_rules is not None else contextlib.nullcontext()
            workers = None if ray is None else lambda parts, *known: on_cluster(parts, ray, *known)
            with kept, bounds_hint(), contextlib.nullcontext() if ray is None else cluster(ray):
                solution = tell(chosen, at, as_json, out, workers, choose)
        if choose.text and not as_json:
            print(choose.text)
        if certificate is not None:
            with working("writing the certificate"):
                write_certificate(solution, certificate)
            note(f"the certificate is {certificate}; nashzoo verify {certificate} checks it")


def _check_alone(chosen: set[str]) -> None:
    """Checks that no option is given that does not go with another."""
    from nashzoo.envs.base.errors import UsageError
    from nashzoo.envs.base.words import either

    if (where := chosen & {"--seat", "--where"}) and "--lock" not in chosen:
        raise UsageError(f"{min(where)} is of a seat that is fixed: name its player with --lock")
    if "--seconds" in chosen and "--bounds" not in chosen:
        raise UsageError("--seconds is for --bounds, a search; leave it out")
    for name in filter(chosen.__contains__, ALONE):
        if wrong := sorted(chosen - {name, *ALONE[name]}):
            raise UsageError(f"{name} goes with {either(ALONE[name], 'and')} alone: leave out {', '.join(wrong)}")


def _named(game: str | None, matrix: Path | None) -> str:
    """Returns the name of the game to solve, or the file of the matrix."""
    from nashzoo.envs.base.errors import UsageError
    from nashzoo.envs.registry import MATRICES

    if (game is None) == (matrix is None):
        raise UsageError("name either a game or the file of a --matrix")
    if matrix is None:
        return str(game)
    if matrix.suffix not in MATRICES:
        raise UsageError(f"a matrix is a .csv or .tsv file of numbers, or Gambit's strategic form, .nfg, not {matrix}")
    return str(matrix)
