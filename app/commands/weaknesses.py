"""Show where a player loses points, and why: the states with the largest shares.

The shares of all states add up to the exploitability. At each state it prints what the player does, what the
equilibrium does, and the action that punishes it. With --against they add up to what a best response to the
opponent wins more.

Example: nashzoo weaknesses footsies_v0 counter
"""

from pathlib import Path
from typing import Annotated, cast

import rich
from rich.markup import escape
from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import PLAYER, RUN_DIR, GameName, Json, Option, Param, Quiet, be_quiet


def main(
    game: GameName,
    player: Annotated[
        Positional[str], arg(metavar="PLAYER", help=f"The player: {PLAYER}; with --records a player's name there.")
    ],
    /,
    param: Param = (),
    option: Option = (),
    most: Annotated[int, arg(help="Largest number of mistakes.")] = 10,
    apart: Annotated[bool, arg(help="List states with the same mistake apart.")] = False,
    states: Annotated[
        int | None, arg(help="Ask the player at so many decisions only, drawn from games of the equilibrium.")
    ] = None,
    seed: Annotated[int, arg(help="Seed of these games.")] = 0,
    against: Annotated[
        str | None, arg(metavar="PLAYER", help="Measure what it wins less from this opponent than a best response.")
    ] = None,
    records: Annotated[
        Path | None, arg(metavar="FILE|FOLDER", help="Measure how a player played in matches recorded by --save.")
    ] = None,
    out: Annotated[Path | None, arg(aliases=RUN_DIR, help="File to draw the states into: .png, .svg or .pdf.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measures a player, prints where it loses, and draws it."""
    import numpy as np

    from nashzoo.agents.loading import called
    from nashzoo.app.shared import weaknesses
    from nashzoo.app.shared.parsing import game_of
    from nashzoo.app.shared.policies import announce, others_named
    from nashzoo.app.shared.weak_spots import described, explained, losing
    from nashzoo.app.shared.weak_spots_picture import write_picture
    from nashzoo.arena.pictures import need_matplotlib
    from nashzoo.arena.recorded_policy import RecordedPolicy
    from nashzoo.baselines import Policy
    from nashzoo.envs.base.errors import UsageError
    from nashzoo.envs.base.files import PICTURES, check_file
    from nashzoo.envs.base.json_text import json_text
    from nashzoo.envs.base.progress import working
    from nashzoo.envs.base.words import counted, points, wrapped
    from nashzoo.envs.core.checks import check_count, check_seed

    be_quiet(quiet)
    check_count("most", most)
    if against is not None and states is not None:
        raise UsageError("against an opponent all states are measured; leave out --states")
    if out is not None:
        need_matplotlib()
        check_file(out, PICTURES)
    chosen = game_of(game, param)
    policy, other = weaknesses.policies(game, chosen, player, option, records, against)
    known = {}
    if states is None:
        announce(policy)
    looked_at = most if apart else weaknesses.MOST_MERGED
    with working("computing where it loses"), others_named(chosen):
        if against is not None:
            measured = weaknesses.in_a_pair(chosen, policy, cast(Policy, other), against, looked_at)
        elif states is None:
            measured = weaknesses.everywhere(chosen, policy, looked_at)
        else:
            rng = np.random.default_rng(check_seed(seed))
            measured = weaknesses.sampled(chosen, policy, check_count("states", states, weaknesses.LEAST_DRAWN), rng)
    spots = weaknesses.spots_of(chosen, measured, policy, most, not apart)
    if isinstance(policy, RecordedPolicy):
        known = {"decisions": policy.decisions, "matches": policy.matches}
    lost = losing(spots, measured.total)
    if out is not None:
        seen, _, about = measured.about.partition(" (")
        seen, about = f"{called(player)} {seen}", about.replace(")", "", 1)
        if against is not None:
            less, about = f"{points(measured.total)} per game less", measured.about
            seen = f"{called(player)} wins {less} from {called(against)} than a best response"
        write_picture(chosen, seen, about, lost, measured.total, measured.unit, out)
    if as_json:
        told = {"game": chosen.name, "parameters": chosen.options, "player": player} | known | measured.figures
        told |= {} if against is None else {"against": against}
        share = sum(spot.share for spot in spots)
        print(json_text(told | {"explained": share, "weaknesses": [spot.as_json(chosen) for spot in spots]}))
        return
    rich.print(f"[bold]{escape(player)}[/bold] in {escape(str(chosen))} {escape(measured.about)}")
    if known:
        decisions, matches = counted(known["decisions"], "decision"), counted(known["matches"], "game")
        print(f"{decisions} in {matches}; where it chose nothing it is taken to play the equilibrium")
    for text in described(chosen, [spot.labelled(chosen) for spot in lost], measured.total, measured.unit):
        print(f"\n{text}")
    if lost:
        print("\n" + wrapped(explained(lost, measured.total, measured.unit)))
    if out is not None:
        print(f"Drawn into {out}.")
