"""`faithmeter models`: who can judge."""

from __future__ import annotations

import json

import click

from faithmeter.verify.catalogue import catalogue


@click.command("models")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def command(as_json: bool) -> None:
    """List the verifiers: what each needs, its licence, its figures and where its card is.

    \b
    faithmeter models
    faithmeter models --json
    """
    if as_json:
        click.echo(json.dumps([entry.model_dump() | {"ready": entry.ready} for entry in catalogue()], indent=2))
        return
    from rich.text import Text

    from faithmeter.cli.console import Console

    console = Console(highlight=False)
    for entry in catalogue():
        state = "ready" if entry.ready else "its packages are not installed"
        console.print(Text.assemble((entry.spec, "bold"), "  ", (state, "green" if entry.ready else "yellow")))
        for name in ("what", "needs", "licence", "figures", "card"):
            console.print(Text(f"  {name:8} {getattr(entry, name)}"))
        console.print()
