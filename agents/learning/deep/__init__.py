"""Learners with networks that PyTorch trains on values of matrix games: for games too large for tables."""

from nashzoo.envs.base.errors import MissingPackageError

try:
    import torch  # noqa: F401
except ImportError as error:
    raise MissingPackageError(
        f"{error}; deep learners need PyTorch: pip install '.[train]' in nashzoo's folder"
    ) from error
