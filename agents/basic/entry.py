"""What is known of a player by its name."""

import importlib
from typing import Any, NamedTuple

from nashzoo.envs.core.game import Game


class Entry(NamedTuple):
    """A player with a name."""

    title: str
    entry_point: str | type[Any]  # module:Class, as Gymnasium has them, imported on demand; or the class
    game: str | None = None  # the one game it plays; None for all
    turn_based: bool = False  # whether it plays only turn-based games
    chance: bool = True  # whether it plays games with chance
    hidden: bool = True  # whether it plays games with hidden information
    open: bool = True  # whether it plays games whose state both players see
    scripted: bool = True  # whether it is a scripted player: no person, search, or exact solution
    actions: tuple[str, ...] = ()  # of the games it plays; empty for any
    self_play: bool = False  # whether it is a SelfPlayLearner, which must be trained first
    called_by: tuple[str, ...] = ()  # options of which the first that is given is its name in tables
    does: str = ""  # what it does, in a line to its opponent, with names of options in braces
    listed: bool = True  # whether it can be made without options, and so is in the lists of the players of a game

    def sees_enough(self, game: Game) -> bool:
        """Returns whether it can play by what its seat sees of a game."""
        return self.hidden if game.hides else self.open

    def load(self) -> type[Any]:
        """Returns the class."""
        return loaded(self.entry_point)


def loaded(entry_point: str | type[Any]) -> type[Any]:
    """Returns the class of an entry point."""
    if not isinstance(entry_point, str):
        return entry_point
    module, name = entry_point.split(":")
    kind: type[Any] = getattr(importlib.import_module(module), name)
    return kind
