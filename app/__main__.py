"""``python -m nashzoo.app`` is the ``nashzoo`` command."""

import os
import sys

if __name__ == "__main__":
    # With -m Python puts the current folder before all others; its files are not those that the command imports.
    if not sys.flags.safe_path and os.path.exists(sys.path[0]) and os.path.samefile(sys.path[0], os.curdir):
        del sys.path[0]

    from nashzoo.app.main import main

    sys.exit(main())
