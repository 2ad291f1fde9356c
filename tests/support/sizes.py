"""The sizes of the pages that checks open in a browser."""

import pytest

SIZES = {"desk": {"width": 1280, "height": 800}, "telephone": {"width": 390, "height": 844}}

# For what a page says and does, where the other size has nothing to click elsewhere.
AT_A_DESK = pytest.mark.parametrize("page", ["desk"], indirect=True)
