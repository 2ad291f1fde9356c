"""``nashzoo export``: a player of Roshambo as a script that runs elsewhere."""

from pathlib import Path

import rich

from nashzoo import agents
from nashzoo.agents.export import export
from nashzoo.app.names import assignments, game_of
from nashzoo.envs.files import written_whole


def main(
    game: str,
    agent: str,
    format: str,
    param: tuple[str, ...],
    option: tuple[str, ...],
    seed: int | None,
    out: Path | None,
) -> None:
    """Writes the script."""
    chosen = game_of(game, param)
    player = agents.as_agent(agent, chosen, seed, **assignments(option))
    path = Path(f"{agent}.py") if out is None else out
    text = export(player, format, agent, seed)
    with written_whole(path) as temporary:
        temporary.write_text(text)
    rich.print(f"Written to {path}.")
