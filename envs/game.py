"""Hands on what models that were saved before rules had a room of their own ask for here."""

from nashzoo.envs.core.game import Game, _rebuild

__all__ = ["Game", "_rebuild"]
