"""``python -m nashzoo.app`` is the ``nashzoo`` command."""

import sys

from nashzoo.app.main import main

sys.exit(main())
