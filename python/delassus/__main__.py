"""The command `delassus`: `python -m delassus run card_house`."""

from __future__ import annotations

import signal
import sys

from . import _core


def main() -> None:
    """Does what the command does, and ends with its exit code."""
    # The command has its own answer to Ctrl-C: it ends the run file cleanly.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_core.command(sys.argv[1:]))


if __name__ == "__main__":
    main()
