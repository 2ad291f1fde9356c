"""Pages that other packages add to the application, and a certificate to try."""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from nashzoo.app.shared.words import introduced
from nashzoo.baselines import solve
from nashzoo.baselines.certificate_file import certificate_text
from nashzoo.envs import Game
from nashzoo.envs.base.modules import rules_at

if TYPE_CHECKING:
    from nashzoo.baselines.information_solution import InformationSolution

SAMPLE = "nashzoo.examples.kuhn"


class Page(NamedTuple):
    """A page and its data.

    Attributes:
        name: Its view in the address, ``/#NAME``.
        title: Its title in the navigation.
        static: A folder with ``NAME.js``, which exports ``show(main, given)`` as the views do, and the files it loads;
            served at ``/pages/NAME/``.
        data: Computes what it loads from ``/api/NAME``, with a server and without.
        game: The name of the game in whose export it is included; none if it is in none.
    """

    name: str
    title: str
    static: Path
    data: Callable[[], Any]
    game: str = ""


@cache
def sample_certificate() -> dict[str, Any]:
    """Returns a small certificate to try, its game's title, and its information states: texts and names of actions."""
    game = Game(rules_at(SAMPLE))  # not make_game, which would list it among the games
    solution = cast("InformationSolution", solve(game))
    states = [(code, player) for player, plex in enumerate(solution.form.treeplexes) for code in plex.codes.tolist()]
    told = [
        [game.text(code, [player]), [game.actions[action] for action in game.legal_actions(code, player)]]
        for code, player in states
    ]
    return {"title": introduced(game)[0], "text": certificate_text(solution), "told": told}


def navigation(pages: Iterable[Page]) -> list[dict[str, str]]:
    """Returns the names and titles of pages."""
    return [{"name": page.name, "title": page.title} for page in pages]
