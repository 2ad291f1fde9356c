"""Numbers for codes, see :mod:`nashzoo.envs.states.code_index`; some files import them from here."""

from nashzoo.envs.states.code_index import Numbering, Numbers

__all__ = ["Numbering", "Numbers"]
