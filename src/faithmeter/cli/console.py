"""The terminal that commands print to."""

from __future__ import annotations

import rich.console

from faithmeter.cli.streams import silence


class Console(rich.console.Console):
    """Goes on without a word when the reader of a pipe has gone: the command's own exit code counts, not 1."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        silence(1)
