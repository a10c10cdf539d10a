"""Options that several commands share, and what they build."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import click

from faithmeter.cli.help import complete_extractor, complete_profile, complete_scoring, complete_verifier
from faithmeter.cli.numbers import FiniteRange
from faithmeter.evaluator import Evaluator, Step
from faithmeter.runs.worker import Caching, Specs
from faithmeter.runtime.specs import finite, judge_of, with_options
from faithmeter.scoring import PROFILES, load_scoring
from faithmeter.verify import DEFAULT_VERIFIER

F = TypeVar("F", bound=Callable[..., Any])


class ScoreOrNone(click.ParamType[float | str]):
    """A number, or `none`."""

    name = "number|none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | str:
        try:
            return "none" if value == "none" else finite(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor 'none'", param, ctx)


class Assignment(click.ParamType[tuple[str, str]]):
    """`NAME=VALUE`."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        name, equals, rest = value.partition("=")
        if not (name and equals and rest):
            self.fail(f"{value!r} is not NAME=VALUE", param, ctx)
        return name, rest


_EVALUATOR_OPTIONS = (
    click.option("-v", "--verifier", default=DEFAULT_VERIFIER, show_default=True, shell_complete=complete_verifier,
                 help="Who judges: local, lexical, openai:MODEL and other providers, cascade:openai:MODEL, hhem, …; "
                 "`faithmeter models` lists all."),
    click.option("--profile", type=click.Path(dir_okay=False), shell_complete=complete_profile,
                 help="Thresholds and calibration for the verifier, from `faithmeter calibrate`; or the name of a "
                 "tool (ragas, deepeval, …) whose way of counting to use."),
    click.option("-x", "--extractor", default="sentences", show_default=True, shell_complete=complete_extractor,
                 help="Who finds the claims: sentences, clauses, sentences:LANGUAGE, openai:MODEL and other "
                 "providers, or python:MODULE:FUNCTION."),
    click.option("--scoring", default="plain", show_default=True, shell_complete=complete_scoring,
                 help="plain: supported / judged; strict: all or nothing; weighted or weighted:raw: by label; "
                 "or as another tool counts: ragas, deepeval, continuous-eval, rag_evals, ragaliq."),
    click.option("--weight", "weights", type=Assignment(), multiple=True,
                 help="With --scoring weighted: what a label is worth, e.g. contradicted=-2. Repeatable."),
    click.option("--no-claims", type=ScoreOrNone(),
                 help="The score of an answer that claims nothing (default 1); none leaves it out of the mean."),
    click.option("--refusal", type=ScoreOrNone(),
                 help="The score of an answer that only says it cannot tell (default 1); none leaves it out."),
    click.option("--judge-option", "judge_options", multiple=True, metavar="NAME=VALUE",
                 help="A setting of the LLM judge, e.g. votes=3 or inference=lenient. Repeatable."),
    click.option("--cache", "cache_location", metavar="PATH_OR_URL",
                 help="Where verdicts are kept: a file, or redis://HOST; none is the same as --no-cache. By default, "
                 "LLM and classifier verdicts are kept in the user's cache folder."),
    click.option("--no-cache", is_flag=True, help="Neither look verdicts up nor keep them."),
    click.option("--semantic-cache", type=FiniteRange(0, 1, min_open=True), is_flag=False, flag_value=0.85,
                 metavar="[THRESHOLD]", help="Also take the verdict of a claim that says the same in other words of "
                 "the same contexts; default threshold 0.85."),
    click.option("--refresh", is_flag=True, help="Judge again what is in the cache, and keep that."),
)  # fmt: skip


def evaluator_options(function: F) -> F:
    """The options that choose the extractor, the verifier and the scoring."""
    function = _collected(function)
    for option in reversed(_EVALUATOR_OPTIONS):
        function = option(function)
    return function


def _collected(function: F) -> F:
    """Fold options into the specs, which are what travels to the processes of a run, and the cache's into one."""

    @wraps(function)
    def command(
        *arguments: Any,
        verifier: str,
        extractor: str,
        profile: str | None,
        judge_options: Sequence[str],
        **options: Any,
    ) -> Any:
        if judge_options and not (judge_of(verifier) or judge_of(extractor)):
            raise click.UsageError(f"--judge-option goes with an LLM judge, not with {verifier!r}")
        if judge_options:
            verifier, extractor = (
                with_options(spec, judge_options) if judge_of(spec) else spec for spec in (verifier, extractor)
            )
        if profile in PROFILES:
            options["scoring"] = profile
        elif profile is not None:
            verifier = f"profile:{verifier}@{profile}"
        location, off = options.pop("cache_location"), options.pop("no_cache")
        choice = Caching(False if off else location, options.pop("semantic_cache"), options.pop("refresh"))
        return function(*arguments, verifier=verifier, extractor=extractor, cache=choice, **options)

    return cast(F, command)


corpus_option = click.option("--corpus", type=click.Path(exists=True), metavar="FOLDER_OR_JSONL", help="What "
                             "retrieval could have brought: tells claims that it missed from those that were made "
                             "up.")  # fmt: skip
columns_option = click.option("--map", "columns", type=Assignment(), multiple=True,
                              help="FIELD=COLUMN, e.g. answer=reply. Repeatable.")  # fmt: skip


def citation_options(function: F) -> F:
    """Whether citation marks are checked, and what they must reach."""
    function = click.option("--min-citation-precision", type=FiniteRange(0, 1), help="Exit 1 if a smaller share of the "
                            "citation marks is right, or there are none; implies --citations.")(function)  # fmt: skip
    return click.option("--citations", is_flag=True, help="Check each citation mark ([1], [^2], (Doc 3), …) against "
                        "the passage it names.")(function)  # fmt: skip


NO_CACHE = Caching(False)


def build_evaluator(
    *,
    verifier: str,
    extractor: str,
    scoring: str,
    weights: Sequence[tuple[str, str]],
    no_claims: float | str | None,
    refusal: float | str | None,
    cache: Caching,
    corpus: str | None = None,
    steps: tuple[Step, ...] = (),
) -> Evaluator:
    """The evaluator that the shared options describe."""
    said = {"no_claims": no_claims, "refusal": refusal}
    changes: dict[str, Any] = {
        name: None if value == "none" else value for name, value in said.items() if value is not None
    }
    if weights:
        changes["weights"] = dict(weights)
    policy = load_scoring(scoring).revised(**changes)
    return Specs(verifier, extractor, policy, cache, steps, corpus).build()
