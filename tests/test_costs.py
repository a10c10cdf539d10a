"""Bad text costs no more than its length: what was quadratic once, and a fuzz over every pattern and function on text.

Costs are CPU times of this process, compared between two lengths as a power of the length: no test waits for seconds.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from support.growth import BASE, LINEAR, Work, confirmed, exponent, functions, fuzz, growth, patterns, repeated

from faithmeter.datamodels import Sample
from faithmeter.evidence import quotes
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.text import units
from faithmeter.trust.metrics import span_overlap
from faithmeter.trust.selftest import corrupt
from faithmeter.trust.selftest.source_text import Source


def power(work: Work, piece: str, length: int) -> float:
    """By which power of the length the cost grows, up to so many pieces."""
    found = exponent(work, piece * (length // 4), piece * length)[0]
    return confirmed(found, work, lambda count: piece * count, length)


def test_white_space_in_a_quote() -> None:
    assert power(lambda given: quotes.locate(f"a{given}b", "nothing like it"), " ", 8_000) < LINEAR


def test_a_long_quote_in_a_long_context() -> None:
    rng = random.Random(1)
    words = [f"word{rng.randrange(10**6)}" for _ in range(6_000)]

    def work(given: str) -> object:
        context = " ".join(words[: len(given)])
        assert quotes.locate(context[: len(context) // 5].replace("7", "8"), context) is None
        return None

    assert power(work, "x", 6_000) < LINEAR


@pytest.mark.parametrize(
    ("piece", "times"), [("_", 8_000), ('"k": 1, foo bar. ', 2_000), ('{"k": 1, "l": ', 2_000), ("a\tb\n", 4_000)]
)
def test_units(piece: str, times: int) -> None:
    assert power(lambda given: list(units(f"{given} a")), piece, times) < LINEAR


@pytest.mark.parametrize("kind", ["number", "date", "negation", "name", "quantifier"])
@pytest.mark.parametrize("piece", ["12 May 1990, ", "some 5 are wrote Bob in 2004. "])
def test_corruptions(kind: str, piece: str) -> None:
    change, source = corrupt.CORRUPTIONS[kind], Source(Sample(answer="a", contexts=["It is so."]))
    assert power(lambda given: change(given, source, random.Random(0)), piece, 1_000) < LINEAR


def test_spans_of_any_length() -> None:
    # Seen to grow with the span, it would not come to an end with the longest: first the cost, then the numbers.
    assert power(lambda given: span_overlap([([(0, 1_000 * len(given))], [(5, 10)])]), "x", 2_000) < 0.5
    people, judge = [(3, 10**12), (0, 4)], [(10**12 - 1, 10**12 + 5), (2, 3), (7, 7)]
    assert span_overlap([(people, judge)]).tolist() == [[2, 5, 10**12 - 2]]


def test_an_answer_of_many_code_blocks() -> None:
    extractor = SentenceExtractor()

    def work(given: str) -> object:
        return asyncio.run(extractor.extract(Sample(answer=given, contexts=["b"])))

    assert power(work, "```\na = 1\n```\n\n", 1_000) < LINEAR


# --- the fuzz ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("make", "base"), [(patterns, BASE // 2), (functions, BASE // 4)])
def test_no_pattern_or_function_takes_more_than_its_share_for_any_bad_text(make: Callable[..., Any], base: int) -> None:
    works = make(quick=True)
    assert len(works) > 100
    found = fuzz(works, base=base)
    assert not [str(item) for item in found if item.exponent > LINEAR]


def test_the_fuzz_finds_what_is_quadratic_and_what_never_ends() -> None:
    bad = [repeated(piece, "a", "\x00") for piece in (" ", "a", "1")]
    quadratic = growth("", re.compile(r"\s+$").search, bad, base=BASE)
    assert (quadratic.piece, quadratic.exponent > 1.8) == ("a… …\x00", True)
    endless = growth("", re.compile(r"(a|aa)+$").match, bad, base=BASE)
    assert (endless.piece, endless.exponent > LINEAR) == ("a…a…\x00", True)
    assert growth("", re.compile(r"\S+").match, bad, base=BASE).exponent < LINEAR
