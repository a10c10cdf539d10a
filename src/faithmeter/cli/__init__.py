"""The command line: `faithmeter COMMAND`, one file a command, each loaded when it is called."""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from faithmeter._version import __version__
from faithmeter.cli.streams import silence
from faithmeter.display import printable
from faithmeter.errors import FaithmeterError
from faithmeter.runtime.specs import did_you_mean

# command -> (module with a `command` in it, what it does): the help needs no module loaded
COMMANDS = {
    "check": ("faithmeter.cli.check", "Check one answer against its contexts."),
    "eval": ("faithmeter.cli.eval", "Check every answer of a data set: the main job."),
    "fix": ("faithmeter.cli.fix", "Make an answer faithful by the smallest edit."),
    "report": ("faithmeter.cli.report", "Show a results file, and write it in other forms."),
    "compare": ("faithmeter.cli.compare", "Compare two runs, paired by sample id."),
    "agree": ("faithmeter.cli.agree", "Compare a judge with labels by people."),
    "label": ("faithmeter.cli.label", "Label claims, the uncertain first."),
    "calibrate": ("faithmeter.cli.calibrate", "Fit a verifier to labels by people."),
    "promise": ("faithmeter.cli.promise", "Find the threshold that keeps unfaithful answers below a share."),
    "selftest": ("faithmeter.cli.selftest", "Corrupt supported claims and see what the verifier catches."),
    "stability": ("faithmeter.cli.stability", "Judge the same answers again and again: which verdicts flip?"),
    "models": ("faithmeter.cli.models", "List the verifiers: what each needs, its licence and its figures."),
    "serve": ("faithmeter.cli.serve", "Serve checks and guarded answers over HTTP, or guard a model's endpoint."),
    "traces": ("faithmeter.cli.traces", "Put scores onto traces: Phoenix, Langfuse, MLflow, LangSmith, OpenTelemetry."),
    "mcp": ("faithmeter.cli.mcp", "Serve the tools check and eval to agents, over MCP."),
    "cache": ("faithmeter.cli.cache", "Manage the verdict cache: stats, prune, export, verify."),
}

PASSED, BELOW, BAD_INPUT, UNJUDGED = 0, 1, 2, 3  # the exit codes
INTERRUPTED = 130  # as shells have it: 128 and the number of SIGINT


class Commands(click.Group):
    """A group whose commands are imported when called, and whose errors are one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no such command {args[0]!r}{did_you_mean(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_line) for name, (_, help_line) in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from faithmeter.cli.help import complete_commands

        names = [(name, said) for name, (_, said) in COMMANDS.items()]
        return complete_commands(names, incomplete) + click.Command.shell_complete(self, ctx, incomplete)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        _prepare_streams()
        try:
            return super().main(*args, **kwargs)
        except SystemExit as end:
            problem = _flushed()
            if problem is None or end.code == BAD_INPUT:
                raise
            complain(problem)
            sys.exit(BAD_INPUT)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except FaithmeterError as error:
            complain(str(error))
        except KeyboardInterrupt:  # before a command has its own way to stop: while it reads its files and models
            complain("interrupted")
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:  # the reader of a pipe has gone: `faithmeter … | head`
            silence(1)
            ctx.exit(PASSED)
        except OSError as error:  # a file that no other message is about, or standard output
            where = error.filename or "standard output: cannot be written"
            complain(f"{where}: {error.strerror or error}")
            _flushed()
        ctx.exit(BAD_INPUT)


def complain(message: str) -> None:
    """Say what is wrong, in one line, whatever is in it."""
    click.echo(f"faithmeter: {printable(' '.join(message.splitlines()))}", err=True)


def speaks_utf8() -> bool:
    """Whether standard output can take any character."""
    return sys.stdout is None or sys.stdout.encoding.lower().replace("-", "") == "utf8"


def _prepare_streams() -> None:
    """What a terminal cannot show is shown as escapes; where a stream is closed, no file may take its number."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _flushed() -> str | None:
    """Have standard output written; what went wrong, if something did, and nothing more is written then."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        silence(1)
    except OSError as error:
        silence(1)
        return f"standard output: cannot be written: {error.strerror}"
    return None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="faithmeter")
def main() -> None:
    """Tells whether answers are faithful to the contexts they were generated from.

    \b
    faithmeter check "The tower is 330 m tall." -c "The Eiffel Tower is 330 metres tall."
    faithmeter eval answers.jsonl -o results.jsonl --min-score 0.9

    Exit codes: 0 passed, 1 below --min-score, 2 usage or bad input, 3 too much could not be judged.
    """
