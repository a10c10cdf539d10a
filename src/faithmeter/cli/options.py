"""Options that several commands share, and what they build."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import click

from faithmeter.evaluator import Evaluator
from faithmeter.scoring import PROFILES, load_scoring
from faithmeter.verify import DEFAULT_VERIFIER

F = TypeVar("F", bound=Callable[..., Any])


class ScoreOrNone(click.ParamType[float | str]):
    """A number, or `none`."""

    name = "number|none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | str:
        try:
            return "none" if value == "none" else float(value)
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


def evaluator_options(function: F) -> F:
    """The options that choose the extractor, the verifier and the scoring."""
    function = _with_profile(function)
    for option in reversed(
        [
            click.option(
                "-v",
                "--verifier",
                default=DEFAULT_VERIFIER,
                show_default=True,
                help="Who judges: lexical, lexical:METRIC=THRESHOLD, or python:MODULE:FUNCTION for your own.",
            ),
            click.option(
                "--profile",
                type=click.Path(dir_okay=False),
                help="Thresholds and calibration for the verifier, from `faithmeter calibrate`; or the name of a "
                "tool (ragas, deepeval, …) whose way of counting to use.",
            ),
            click.option(
                "-x",
                "--extractor",
                default="sentences",
                show_default=True,
                help="Who finds the claims: sentences, sentences:LANGUAGE, or python:MODULE:FUNCTION.",
            ),
            click.option(
                "--scoring",
                default="plain",
                show_default=True,
                help="plain: supported / judged; strict: all or nothing; weighted or weighted:raw: by label; "
                "or as another tool counts: ragas, deepeval, continuous-eval, rag_evals, ragaliq.",
            ),
            click.option(
                "--weight",
                "weights",
                type=Assignment(),
                multiple=True,
                help="With --scoring weighted: what a label is worth, e.g. contradicted=-2. Repeatable.",
            ),
            click.option(
                "--no-claims",
                type=ScoreOrNone(),
                help="The score of an answer that claims nothing, 1 if not said; none leaves it out of the mean.",
            ),
            click.option(
                "--refusal",
                type=ScoreOrNone(),
                help="The score of an answer that only says it cannot tell, 1 if not said; none leaves it out.",
            ),
        ]
    ):
        function = option(function)
    return function


def _with_profile(function: F) -> F:
    """Make --profile a part of the verifier's spec, which is what travels to the processes of a run."""

    @wraps(function)
    def command(*arguments: Any, profile: str | None, verifier: str, **options: Any) -> Any:
        if profile in PROFILES:
            options["scoring"] = profile
        elif profile is not None:
            verifier = f"profile:{verifier}@{profile}"
        return function(*arguments, verifier=verifier, **options)

    return cast(F, command)


def build_evaluator(
    *,
    verifier: str,
    extractor: str,
    scoring: str,
    weights: Sequence[tuple[str, str]],
    no_claims: float | str | None,
    refusal: float | str | None,
) -> Evaluator:
    """The evaluator that the shared options describe."""
    said = {"no_claims": no_claims, "refusal": refusal}
    changes: dict[str, Any] = {}
    for name, value in said.items():
        if value is not None:
            changes[name] = None if value == "none" else value
    if weights:
        changes["weights"] = dict(weights)
    policy = load_scoring(scoring).revised(**changes)
    return Evaluator(verifier=verifier, extractor=extractor, scoring=policy)

