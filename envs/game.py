"""Compatibility: models saved by version 0.1.0 refer to the game by this module."""

from nashzoo.envs.core.game import Game, _rebuild

__all__ = ["Game", "_rebuild"]
