"""No number option takes `nan` or `inf`: no score is below the first, and no cost reaches the second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from subprocess import CompletedProcess

import click
import pytest

from faithmeter import UsageError
from faithmeter.cli import main
from faithmeter.llm.settings import JudgeSettings
from faithmeter.scoring import Scoring
from faithmeter.verify import load_verifier

Cli = Callable[..., "CompletedProcess[str]"]
NOT_FINITE = ["nan", "NaN", "-nan", "inf", "-inf", "1e999"]


def number_options(command: click.Command, path: str = "faithmeter") -> Iterator[tuple[str, click.Parameter]]:
    """Every option of every command that takes a number which need not be whole."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from number_options(inner, f"{path} {name}")
    for parameter in command.params:
        if isinstance(parameter.type, click.types.FloatParamType) or parameter.type.name == "number|none":
            yield f"{path} {parameter.opts[0]}", parameter


OPTIONS = dict(number_options(main))


def test_the_walk_finds_the_options() -> None:
    assert {"faithmeter check --min-score", "faithmeter eval --max-cost", "faithmeter eval --no-claims"} <= set(OPTIONS)


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("value", NOT_FINITE)
def test_no_option_takes_what_is_not_finite(name: str, value: str) -> None:
    with pytest.raises(click.UsageError):
        OPTIONS[name].type.convert(value, OPTIONS[name], None)


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_gate_that_cannot_be_read_is_a_usage_error(cli: Cli, value: str) -> None:
    done = cli("check", "Bananas are blue.", "-c", "Bananas are yellow.", "-v", "lexical", "--min-score", value)
    assert done.returncode == 2
    assert "--min-score" in done.stderr
    assert value in done.stderr


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_specs_take_no_such_number_either(value: str) -> None:
    with pytest.raises(UsageError):
        load_verifier(f"lexical:tokens={value}")
    with pytest.raises(UsageError):
        load_verifier(f"cascade:0.01,{value}:lexical")
    with pytest.raises(UsageError, match="timeout"):
        JudgeSettings.of([("timeout", value)])
    with pytest.raises(UsageError, match="no_claims"):
        Scoring().revised(no_claims=float(value))
