"""The terminal that commands print to."""

from __future__ import annotations

import rich.console

from faithmeter.cli.streams import silence
from faithmeter.report.github import commands_off


class Console(rich.console.Console):
    """Goes on without a word when the reader of a pipe has gone: the command's own exit code counts, not 1."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        silence(1)


def show(shown: object) -> None:
    """Print what holds the user's text, which must not act on the log of a build server."""
    with commands_off():
        Console().print(shown)
