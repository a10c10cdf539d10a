"""`faithmeter calibrate --choose-prompt`: which prompt an LLM judge needs, tried on labels by people."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from faithmeter.data.files import replacing
from faithmeter.data.results_file import ResultsFile
from faithmeter.display import printable
from faithmeter.errors import DataError
from faithmeter.runtime.specs import judge_of
from faithmeter.trust.human_labels import HumanLabel

if TYPE_CHECKING:
    from faithmeter.datamodels import Usage
    from faithmeter.trust.prompt_choice import Tried


def choose_prompt(
    results: str,
    labels: Sequence[HumanLabel],
    spec: str,
    *,
    prompts: Sequence[str],
    output: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Try the prompts, show what each brought, and write a profile if one is worth it."""
    if judge_of(spec) != spec:
        raise click.UsageError(f"--choose-prompt needs an LLM judge such as openai:MODEL, not {spec!r}")
    from faithmeter.trust import prompt_choice

    claims = prompt_choice.labelled_claims(ResultsFile(results), labels)
    if not claims:
        raise DataError(f"{results}: no label is about a claim in it; do the sample ids agree?")
    examples, held = prompt_choice.split(claims, results)
    lines = "".join(example.model_dump_json(exclude_none=True) + "\n" for example in examples)
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder, "examples.jsonl")
        own.write_text(lines, "utf-8")
        options = prompt_choice.candidates(spec, own if examples else None, prompts)
        expected = prompt_choice.estimates(spec, options, held)  # a prompt that cannot be read is told before any call
        if dry_run:
            _show_estimates({name: usage for name, (_, usage) in expected.items()}, len(held), as_json=as_json)
            return
        tried = asyncio.run(prompt_choice.tried(spec, options, held))
    chosen, why = prompt_choice.choose(tried)
    written = _write(chosen, lines, output, len(claims)) if output and chosen is not tried[0] else None
    if as_json:
        click.echo(json.dumps(_numbers(tried, chosen, why, len(held), written)))
        return
    _show(tried, len(held), len(examples))
    click.echo(printable(why))
    click.echo(f"wrote {written}" if written else f"nothing to write: {tried[0].name} is what an LLM judge uses anyway"
               if chosen is tried[0] else "give -o FILE to keep it for `faithmeter eval --profile FILE`")  # fmt: skip


def _write(chosen: Tried, examples: str, output: str, labels: int) -> str:
    """The profile, and beside it the examples that it names."""
    from faithmeter.verify.calibrated import Profile

    folder = Path(output).parent
    options = dict(chosen.options)
    if "examples" in options:
        beside = Path(output).with_suffix(".examples.jsonl")
        with replacing(str(beside)) as file:
            file.write(examples)
        options["examples"] = beside.name
    if "verify_prompt" in options:
        options["verify_prompt"] = os.path.relpath(options["verify_prompt"], folder)
    profile = Profile(
        verifier=chosen.signature,
        judge=options,
        labels=labels,
        measured={"prompt": {"balanced_accuracy": chosen.accuracy._asdict(), "gain": chosen.gain._asdict()}},
    )
    with replacing(output) as file:
        file.write(profile.model_dump_json(indent=2) + "\n")
    return output


def _numbers(tried: Sequence[Tried], chosen: Tried, why: str, claims: int, written: str | None) -> dict[str, object]:
    return {
        "claims": claims,
        "prompts": {
            one.name: {
                "balanced_accuracy": one.accuracy._asdict(),
                "gain": one.gain._asdict(),
                "failures": one.failures,
                "calls": one.usage.calls,
                "tokens": one.tokens,
            }
            for one in tried
        },
        "chosen": chosen.name,
        "why": why,
        "profile": written,
    }


def _show(tried: Sequence[Tried], claims: int, examples: int) -> None:
    from rich.table import Table

    from faithmeter.cli.console import Console

    table = Table(title=f"{claims} held-out claims; {examples} others as examples")
    for word in ("prompt", "balanced accuracy", f"gain over {tried[0].name}", "no verdict", "tokens a claim"):
        table.add_column(word, justify="left" if word == "prompt" else "right")
    for one in tried:
        gain = "" if one is tried[0] else str(one.gain)
        table.add_row(printable(one.name), str(one.accuracy), gain, str(one.failures), f"{one.tokens / claims:.0f}")
    Console().print(table)


def _show_estimates(expected: Mapping[str, Usage], claims: int, *, as_json: bool) -> None:
    if as_json:
        names = {"calls", "prompt_tokens", "completion_tokens", "cost"}
        click.echo(json.dumps({name: usage.model_dump(include=names) for name, usage in expected.items()}))
        return
    for name, usage in expected.items():
        cost = "the price of this model is not known" if usage.cost is None else f"about ${usage.cost:.4f}"
        tokens = f"{usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens"
        click.echo(printable(f"{name}: {claims} claims, about {usage.calls:,} calls, {tokens}, {cost}"))
