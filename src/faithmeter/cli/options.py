"""Options that several commands share, and what they build."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import click

from faithmeter.evaluator import Evaluator
from faithmeter.scoring import load_scoring
from faithmeter.verify import DEFAULT_VERIFIER

F = TypeVar("F", bound=Callable[..., Any])


class ScoreOrNone(click.ParamType[float | None]):
    """A number, or `none`."""

    name = "number|none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | None:
        if value == "none":
            return None
        try:
            return float(value)
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
                help="Thresholds and calibration for the verifier, from `faithmeter calibrate`.",
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
                help="plain: supported / judged; strict: all or nothing; weighted or weighted:raw: by label.",
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
                default=1.0,
                show_default=True,
                help="The score of an answer that claims nothing; none leaves it out of the mean.",
            ),
            click.option(
                "--refusal",
                type=ScoreOrNone(),
                default=1.0,
                show_default=True,
                help="The score of an answer that only says it cannot tell; none leaves it out.",
            ),
        ]
    ):
        function = option(function)
    return function


def _with_profile(function: F) -> F:
    """Make --profile a part of the verifier's spec, which is what travels to the processes of a run."""

    @wraps(function)
    def command(*arguments: Any, profile: str | None, verifier: str, **options: Any) -> Any:
        if profile is not None:
            verifier = f"profile:{verifier}@{profile}"
        return function(*arguments, verifier=verifier, **options)

    return cast(F, command)


def build_evaluator(
    *,
    verifier: str,
    extractor: str,
    scoring: str,
    weights: Sequence[tuple[str, str]],
    no_claims: float | None,
    refusal: float | None,
) -> Evaluator:
    """The evaluator that the shared options describe."""
    policy = load_scoring(scoring).revised(weights=dict(weights), no_claims=no_claims, refusal=refusal)
    return Evaluator(verifier=verifier, extractor=extractor, scoring=policy)

