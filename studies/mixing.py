"""The picture of ``docs/mixing.md``: what ``examples/mixing.py`` draws of a scripted stand-in, which is no model.

python -m studies.mixing
"""

import sys
import tempfile
from pathlib import Path

from examples import mixing
from studies.tables import DOCS

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))
from chat_server import serving
from stand_in import speaking

SEED = 1
NAME = "A scripted stand-in (not a model)"

if __name__ == "__main__":
    with serving(speaking(mixing.GAMES.values(), SEED)) as server, tempfile.TemporaryDirectory() as folder:
        mixing.main(NAME, server.url, replies=f"{folder}/replies.jsonl", out=str(DOCS / "images" / "mixing.png"))
