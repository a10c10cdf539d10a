"""`faithmeter calibrate`: a profile for a verifier, from labels by people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from faithmeter.cli.calibrate_prompt import choose_prompt
from faithmeter.cli.help import Command, labels_option, quiet_option
from faithmeter.data.files import keep_apart, replacing
from faithmeter.data.results_file import ResultsFile, read_results
from faithmeter.display import printable
from faithmeter.errors import DataError
from faithmeter.runs.progress import counted, doing
from faithmeter.trust.human_labels import read_labels

if TYPE_CHECKING:
    from faithmeter.trust.metrics import Aim, Estimate
    from faithmeter.verify.calibrated import Profile


@click.command("calibrate", cls=Command)
@click.argument("results", type=click.Path(dir_okay=False))
@labels_option
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write the profile here.")
@click.option("--aim", type=click.Choice(["balanced", "f1"]), default="balanced", show_default=True,
              help="What the threshold is to be best for: balanced accuracy, or F1 of unfaithful.")  # fmt: skip
@click.option("--estimate", "others", multiple=True, type=click.Path(dir_okay=False),
              help="Further results of this verifier: estimate their unfaithful rate too. Repeatable.")  # fmt: skip
@click.option("--choose-prompt", "judge", metavar="JUDGE",
              help="Instead: which prompt this LLM judge (openai:MODEL, …) needs, tried on the labels.")  # fmt: skip
@click.option("--prompt-file", "prompts", multiple=True, type=click.Path(dir_okay=False),
              help="With --choose-prompt: a verify prompt of your own to try too. Repeatable.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="With --choose-prompt: estimate calls, tokens and cost; ask nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
@quiet_option
def command(
    results: str,
    label_files: tuple[str, ...],
    output: str | None,
    aim: Aim,
    others: tuple[str, ...],
    judge: str | None,
    prompts: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Fit a threshold and calibrated probabilities to the verifier behind RESULTS.

    \b
    faithmeter calibrate results.jsonl --labels labels.jsonl -o profile.json
    faithmeter eval answers.jsonl --profile profile.json

    What is shown is cross-validated: every claim is judged by a fit that has not seen its answer. The true rate of
    unfaithful claims in all of RESULTS is estimated from how often the verifier is right about either kind.

    \b
    faithmeter calibrate results.jsonl --labels labels.jsonl --choose-prompt openai:MODEL -o profile.json

    With --choose-prompt an LLM judges the labelled claims of RESULTS again with each prompt: full, brief, small, full
    with some of your labelled claims as worked examples, and your own files. A profile is written only if one is
    certainly better than full, or as good and cheaper.
    """
    from faithmeter.trust.agreement import measure
    from faithmeter.trust.calibrate import fit_profile, unfaithful_rate

    keep_apart({"-o": output}, [results, *label_files, *others, *prompts])
    if judge is None and (prompts or dry_run):
        raise click.UsageError("--prompt-file and --dry-run go with --choose-prompt")
    labels = [label for path in label_files for label in read_labels(path)]
    if judge is not None:
        choose_prompt(results, labels, judge, prompts=prompts, output=output, dry_run=dry_run, as_json=as_json)
        return
    file = ResultsFile(results)
    with doing(quiet=quiet) as say:
        say(f"reading {results}")
        agreements = measure(counted(file, say), labels, name=results)
        if not agreements:
            raise DataError(f"{results}: no label is about a claim or answer in it; do the sample ids agree?")
        say(f"fitting to {len(agreements[0].units)} labelled {agreements[0].level}s, cross-validated")
        profile = fit_profile(agreements[0], aim=aim)
        say("estimating the unfaithful rate")
        rates = {results: unfaithful_rate(agreements[0], file)}
        rates |= {path: unfaithful_rate(agreements[0], read_results(path)) for path in others}
    if output:
        with replacing(output) as written:
            written.write(profile.model_dump_json(indent=2) + "\n")
    if as_json:
        click.echo(json.dumps(_numbers(profile, rates)))
    elif not quiet:
        _show(profile, rates)
        if output:
            click.echo(f"wrote {output}")


def _numbers(profile: Profile, rates: dict[str, tuple[int, Estimate]]) -> dict[str, Any]:
    return {
        "profile": profile.model_dump(mode="json"),
        "hash": profile.hash,
        "unfaithful_rate": {path: {"units": n, **rate._asdict()} for path, (n, rate) in rates.items()},
    }


def _show(profile: Profile, rates: dict[str, tuple[int, Estimate]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from faithmeter.cli.console import Console
    from faithmeter.trust.agreement import NAMES
    from faithmeter.trust.metrics import Estimate

    console = Console()
    console.print(
        Text(f"{printable(profile.verifier)}: {profile.labels} labelled {profile.level}s, profile {profile.hash}")
    )
    if profile.measured:
        table = Table()
        for word in ("", "as it is", "calibrated"):
            table.add_column(word, justify="right" if word else "left")
        for name in profile.measured["before"]:
            both = (str(Estimate(**profile.measured[side][name])) for side in ("before", "after"))
            table.add_row(NAMES[name], *both)
        console.print(table)
        console.print(f"threshold {profile.threshold:g} on the support that the verifier gives")
    for label, share in profile.shares.items():
        console.print(f"{label.replace('_', ' ')}: people find {share:.0%} of them supported")
    for path, (count, rate) in rates.items():
        if rate.value is None:
            line = f"{path}: the verifier is no better than chance on these labels: no rate can be estimated"
        else:
            line = f"{path}: about {rate.value:.1%} of {count} {profile.level}s are unfaithful"
            line += f" ({rate.low:.1%} to {rate.high:.1%})"
        console.print(Text(printable(line)))
