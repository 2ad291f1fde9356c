"""What all tests share: failures in the inheritable contract are shown like those of tests; no window opens."""

import os

import pytest

pytest.register_assert_rewrite("contract")

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
