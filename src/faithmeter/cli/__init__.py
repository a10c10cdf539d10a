"""The command line: `faithmeter COMMAND`, one file a command, each loaded when it is called."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from faithmeter._version import __version__
from faithmeter.errors import FaithmeterError

# command -> (module with a `command` in it, what it does): the help needs no module loaded
COMMANDS = {
    "check": ("faithmeter.cli.check", "Check one answer against its contexts."),
    "eval": ("faithmeter.cli.eval", "Check every answer of a data set: the main job."),
    "report": ("faithmeter.cli.report", "Show a results file, and write it in other forms."),
    "compare": ("faithmeter.cli.compare", "Compare two runs, paired by sample id."),
    "agree": ("faithmeter.cli.agree", "Set a judge against labels by people."),
    "label": ("faithmeter.cli.label", "Label claims, the uncertain first."),
    "calibrate": ("faithmeter.cli.calibrate", "Fit a verifier to labels by people."),
    "selftest": ("faithmeter.cli.selftest", "Corrupt supported claims and see what the verifier catches."),
    "stability": ("faithmeter.cli.stability", "Judge the same answers again and again: which verdicts flip?"),
    "models": ("faithmeter.cli.models", "List the verifiers: what each needs, its licence and its figures."),
    "cache": ("faithmeter.cli.cache", "Look after the verdict cache: stats, prune, export, verify."),
}

PASSED, BELOW, BAD_INPUT, UNJUDGED = 0, 1, 2, 3  # the exit codes
INTERRUPTED = 130  # as shells have it: 128 and the number of SIGINT


class Commands(click.Group):
    """A group whose commands are imported when called, and whose errors are one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_line) for name, (_, help_line) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except FaithmeterError as error:
            click.echo(f"faithmeter: {error}", err=True)
            ctx.exit(BAD_INPUT)
        except KeyboardInterrupt:  # before a command has its own way to stop: while it reads its files and models
            click.echo("faithmeter: interrupted", err=True)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:  # the reader of a pipe has gone: `faithmeter … | head`
            sys.stderr.close()
            ctx.exit(PASSED)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="faithmeter")
def main() -> None:
    """Tells whether answers are faithful to the contexts they were generated from.

    \b
    faithmeter check "The tower is 330 m tall." -c "The Eiffel Tower is 330 metres tall."
    faithmeter eval answers.jsonl -o results.jsonl --min-score 0.9

    Exit codes: 0 passed, 1 below --min-score, 2 usage or bad input, 3 too much could not be judged.
    """
