"""The command reference, from the commands themselves, with their groups of options."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from faithmeter.cli import main
from faithmeter.cli.help import grouped


def reference() -> str:
    """Every command, one after the other."""
    context = click.Context(main, info_name="faithmeter", help_option_names=["-h", "--help"])
    parts = ["\n".join(_help(main))]
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command
        parts += _command(command, context, name, level=2)
    return "\n\n".join(parts)


def _command(command: click.Command, parent: click.Context, name: str, *, level: int) -> Iterator[str]:
    context = click.Context(command, parent=parent, info_name=name)
    yield f"{'#' * level} {context.command_path}"
    yield "\n".join(_help(command))
    yield f"```sh\n{context.command_path} {' '.join(command.collect_usage_pieces(context))}\n```"
    for title, options in grouped(command, context):
        rows = [_row(option, context) for option in options]
        yield f"**{title}**\n\n" + "\n".join(["| option | |", "|---|---|", *rows])
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found
            yield from _command(found, context, inner, level=level + 1)


def _help(command: click.Command) -> Iterator[str]:
    for paragraph in re.split(r"\n[ \t]*\n", inspect.cleandoc(command.help or "")):
        if paragraph.startswith("\b"):
            language = "sh" if "faithmeter " in paragraph else "text"
            lines = [line.strip() if language == "sh" else line for line in paragraph[1:].strip("\n").splitlines()]
            yield "\n".join([f"```{language}", *lines, "```", ""])
        else:
            yield paragraph + "\n"


def _row(option: click.Option, context: click.Context) -> str:
    record = option.get_help_record(context)
    assert record
    names, said = record
    names = " ".join(f"`{part}`" for part in re.split(r"\s*,\s*", names))
    return f"| {_cell(names)} | {_cell(said)} |"


def _cell(text: str) -> str:
    """A cell of a table: a bar inside it would end it, and a tag would be one."""
    parts = re.split(r"(`[^`]*`)", re.sub(r"\s+", " ", text))
    return "".join(
        part.replace("|", "&#124;") if not part.startswith("`") else "<code>" + _escaped(part[1:-1]) + "</code>"
        for part in parts
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("|", "&#124;")
