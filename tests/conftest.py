"""What all tests share: failures in the inheritable contract are explained like others; no window opens."""

import os

import pytest

pytest.register_assert_rewrite("contract", "ecosystem_contract", "rules_contract", "traces")

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
