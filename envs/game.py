"""Compatibility: models saved by version 0.1.0 look for the game here."""

from nashzoo.envs.core.game import Game, _rebuild

__all__ = ["Game", "_rebuild"]
