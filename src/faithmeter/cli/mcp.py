"""`faithmeter mcp`: the tools `check` and `eval` for agents."""

from __future__ import annotations

from typing import Any

import click

from faithmeter.cli.help import Command
from faithmeter.cli.options import build_evaluator, evaluator_options
from faithmeter.errors import MissingExtra


@click.command("mcp", cls=Command)
@evaluator_options
def command(**options: Any) -> None:
    """Serve the tools `check` and `eval` over MCP, on standard input and output: an agent's host starts it.

    \b
    faithmeter mcp
    faithmeter mcp -v openai:gpt-5
    """
    evaluator = build_evaluator(**options)
    try:
        from faithmeter.integrations.mcp import build
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] != "mcp":
            raise
        raise MissingExtra("faithmeter mcp", "mcp") from None
    build(verifier=evaluator.verifier, extractor=evaluator.extractor, scoring=evaluator.scoring).run()
