"""The console command's door: Ctrl-C while the package is still being loaded ends it as it does later.

It stands beside the package, not in it, because importing anything of `faithmeter` imports what its front page needs:
a Ctrl-C within that would print a traceback from wherever it struck. `python -m faithmeter` has no such door.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

INTERRUPTED = 130  # as shells have it: 128 and the number of SIGINT


def main() -> None:
    """Run the command line."""
    guarded = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else somebody wants it ignored
    if guarded:
        signal.signal(signal.SIGINT, _leave)
    from faithmeter.cli import main as command

    if guarded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        command(prog_name="faithmeter")
    except KeyboardInterrupt:  # in the moments when no command has begun, or when it has ended
        _say()
        sys.exit(INTERRUPTED)


def _leave(*_: object) -> None:
    """Go at once: nothing is open yet, and what is half imported cannot be left in another way."""
    _say()
    os._exit(INTERRUPTED)


def _say() -> None:
    with suppress(OSError):  # it may be closed
        os.write(2, b"faithmeter: interrupted\n")
