"""`faithmeter label`: a team's own labels in half an hour."""

from __future__ import annotations

import getpass
import os
import shutil
import sys
import textwrap
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from faithmeter.cli.help import Command
from faithmeter.data.files import keep_apart
from faithmeter.display import printable
from faithmeter.report import read_results
from faithmeter.trust.human_labels import Word, read_labels
from faithmeter.trust.label_session import QueueItem, Session, make_queue

KEYS: dict[str, Word] = {
    "1": "supported",
    "2": "partially_supported",
    "3": "contradicted",
    "4": "not_enough_info",
    "0": "unclear",
}
MENU = "1 supported  2 partially supported  3 contradicted  4 not enough info  0 unclear  b back  q quit"


@click.command("label", cls=Command)
@click.argument("results", type=click.Path(dir_okay=False))
@click.option("-o", "--output", default="labels.jsonl", show_default=True, type=click.Path(dir_okay=False),
              help="The label file; labels are added to what is there.")  # fmt: skip
@click.option("--by", default=None, help="Your name; the login name by default.")
@click.option("-n", "--count", type=click.IntRange(1), default=50, show_default=True, help="How many claims.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed, other claims.")
@click.option("--terminal", is_flag=True, help="Here in the terminal, without a browser.")
@click.option("--open", "open_browser", is_flag=True, help="Open the page in the browser.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Of the page; any free one by default.")
def command(
    results: str,
    output: str,
    by: str | None,
    count: int,
    seed: int,
    terminal: bool,
    open_browser: bool,
    port: int,
) -> None:
    """Label a sample of the claims in RESULTS, the uncertain first.

    \b
    faithmeter label results.jsonl --by ana
    faithmeter label results.jsonl --by ben --terminal
    faithmeter agree results.jsonl --labels labels.jsonl

    Everybody gets the same claims in the same order, so that the agreement between people can be measured. The judge's
    verdict is not shown, so that it does not influence you. Stop whenever you like: every label is saved at once.
    """
    keep_apart({"-o": output}, [results])
    session = Session(
        make_queue(read_results(results), seed=seed), output, by=by or _user(), count=count, source=results
    )
    try:
        if terminal:
            _loop(session)
        else:
            _serve(session, port=port, open_browser=open_browser)
    except KeyboardInterrupt:
        click.echo()
    _summary(session)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def _serve(session: Session, *, port: int, open_browser: bool) -> None:
    from faithmeter.report.html.label_server import LabelServer

    with LabelServer(session, port=port) as server:
        click.echo(f"Open {server.url}")
        click.echo("Labels are kept as you go. Press Ctrl-C, or Finish on the page, when done.")
        sys.stdout.flush()
        if open_browser:
            webbrowser.open(server.url)
        while not server.finished.wait(0.2):
            pass


def _loop(session: Session) -> None:
    position = session.next()
    with _keys() as read:
        while position is not None:
            _show(session, position)
            click.echo(f"{MENU} > ", nl=False)
            sys.stdout.flush()
            key = read()
            if key in ("q", ""):
                return
            if key == "b":
                position = max(0, position - 1)
            elif key in KEYS:
                session.label(position, KEYS[key])
                position = session.next()
            else:
                click.echo(f"{key!r} is no key here")


@contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """Reads a key on a terminal, a line from a pipe; nothing at its end.

    The terminal gives keys at once from the first claim to the last: switched for each key, it would drop what is
    typed in between.
    """
    if not sys.stdin.isatty():
        yield lambda: sys.stdin.readline().strip()
        return
    try:
        import termios
        import tty
    except ImportError:  # Windows
        yield lambda: click.getchar(echo=True)
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSANOW)
        yield lambda: _pressed(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, before)


def _pressed(terminal: int) -> str:
    key = os.read(terminal, 1).decode(errors="replace")
    click.echo(key)
    return "q" if key in ("\x04", "\x1b") else key


def _show(session: Session, position: int) -> None:
    item: QueueItem = session.items[position]
    sample, claim = item.result.sample, item.verdict.claim
    click.echo(f"\n─── {session.done} of {len(session.items)} labelled ── sample {printable(sample.id)} " + "─" * 20)
    for index, context in enumerate(sample.contexts):
        click.secho(f"context {index + 1}" + (f" ({printable(context.id)})" if context.id else ""), dim=True)
        click.echo(_wrapped(context.text))
    if sample.question:
        click.secho("question", dim=True)
        click.echo(_wrapped(sample.question))
    click.secho("claim", dim=True)
    click.secho(_wrapped(claim.text), bold=True)


def _wrapped(text: str) -> str:
    width = min(100, shutil.get_terminal_size((100, 24)).columns)
    lines = [textwrap.fill(line, width, initial_indent="  ", subsequent_indent="  ") for line in text.splitlines()]
    return printable("\n".join(lines))


def _summary(session: Session) -> None:
    click.echo(f"{session.done} of {len(session.items)} labelled by {printable(session.by) or '?'}, in {session.path}")
    if not session.path.exists():
        return
    from faithmeter.trust.agreement import people_kappa

    for (one, two), (count, kappa) in people_kappa(read_labels(session.path)).items():
        click.echo(f"{printable(one)} and {printable(two)}: kappa {kappa} over {count} that both labelled")
    if session.done:
        for what, line in session.next_steps():
            click.echo(f"{what} {printable(line)}")
