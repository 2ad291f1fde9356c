"""Learners with networks that PyTorch trains on values of matrix games: for games too large for tables."""

from importlib.util import find_spec

from nashzoo.envs.base.errors import MissingPackageError

if find_spec("torch") is None:  # it is loaded where it is used, as that takes seconds
    raise MissingPackageError("deep learners need PyTorch: pip install '.[train]' in nashzoo's folder")
