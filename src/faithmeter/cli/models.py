"""`faithmeter models`: who can judge."""

from __future__ import annotations

import json

import click

from faithmeter.cli.help import Command, complete_verifier
from faithmeter.display import printable
from faithmeter.errors import UsageError
from faithmeter.runtime.specs import is_llm
from faithmeter.verify.catalogue import VerifierInfo, catalogue


@click.command("models", cls=Command)
@click.argument("name", required=False, shell_complete=complete_verifier)
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def command(name: str | None, as_json: bool) -> None:
    """List the verifiers: what each is, needs and scores; or show the card of the one that NAME begins with.

    \b
    faithmeter models
    faithmeter models local
    faithmeter models --json
    """
    entries = catalogue() if name is None else (_named(name),)
    if as_json:
        click.echo(json.dumps([entry.model_dump() | {"ready": entry.ready} for entry in entries], indent=2))
        return
    from rich.console import Group
    from rich.markdown import Markdown
    from rich.panel import Panel
    from rich.text import Text

    from faithmeter.cli.console import Console

    console = Console(highlight=False)
    for entry in entries:
        state = Text.assemble(
            (entry.spec, "bold"),
            "  ",
            ("ready", "green") if entry.ready else ("its packages are not installed", "yellow"),
        )
        if name is not None:
            console.print(state)
            console.print(Markdown(entry.card_text))
            continue
        facts = [Text.assemble((f"{word:8} ", "dim"), getattr(entry, word)) for word in ("needs", "licence", "figures")]
        console.print(Panel(Group(Text(entry.what), *facts), title=state, title_align="left"))
    if name is None:
        console.print(
            "`faithmeter models NAME` shows a card: what it is for, how it decides, where it fails.", style="dim"
        )


def _named(name: str) -> VerifierInfo:
    """The entry that a spec belongs to."""
    first = name.partition(":")[0]
    for entry in catalogue():
        if entry.name == first or (entry.name == "PROVIDER" and (is_llm(f"{first}:") or first in ("llm", "PROVIDER"))):
            return entry
    raise UsageError(f"unknown verifier {printable(name)!r}; known: {', '.join(entry.name for entry in catalogue())}")
