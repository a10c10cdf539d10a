"""How the cost of each pattern and each function on text grows with the length of bad text.

`python tests/support/growth.py` prints the worst. A cost is the CPU time of this process, and a growth the ratio of two
costs, of a text and of one four times as long, as a power: 1 is linear, 2 quadratic. No number of seconds is judged.
"""

from __future__ import annotations

import ast
import asyncio
import gc
import importlib
import inspect
import math
import pkgutil
import random
import re
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import faithmeter
from faithmeter import display as render
from faithmeter import text
from faithmeter.cache import guard
from faithmeter.compat.continuous_eval import char_ngrams as _ngrams
from faithmeter.compat.continuous_eval import nltk_tokens as _treebank
from faithmeter.compat.continuous_eval import overlap
from faithmeter.datamodels import Sample
from faithmeter.evidence import passages as evidence
from faithmeter.evidence import quotes
from faithmeter.extract import asides, sentences
from faithmeter.judge import fencing as fence
from faithmeter.judge import parsing as reading
from faithmeter.llm import secrets
from faithmeter.report import escaping
from faithmeter.text import blocks as _blocks
from faithmeter.text import sentences as _prose
from faithmeter.text import structured as records
from faithmeter.text.english import claim_facts as facts
from faithmeter.trust import metrics as agreement
from faithmeter.trust.selftest import clauses as _clauses
from faithmeter.trust.selftest import corrupt, paraphrase
from faithmeter.trust.selftest import english as _grammar
from faithmeter.trust.selftest import measure as selftest
from faithmeter.trust.selftest.source_text import Source, names
from faithmeter.verify import quick_checks as checks
from faithmeter.verify.derive import claims, derive, sources

Work = Callable[[str], object]

TEXT_MODULES = (
    _blocks, _clauses, _grammar, _ngrams, _prose, _treebank, asides, checks, claims, escaping, evidence, facts, fence,
    guard, overlap, paraphrase, reading, records, render, secrets, selftest, sources, text,
)  # fmt: skip

BASE = 1_000  # characters; the longer texts have 4 and 16 times as many
NEGLIGIBLE = 2e-3  # seconds for the longest text: below it nothing can be told, and what is quadratic is far above
PER_CHARACTER = 2.5e-7  # seconds for a pattern at 4 times BASE: one that is quadratic takes ten times as long there

# What is repeated; each also after a letter, and before an end that fits nothing.
PIECES = (
    " ", "\n", "\t", "_", "*", "-", "=", "#", "|", "`", "'", '"', "(", "[", "{", "<", ")", "]", "}", ".", ",", ":", ";",
    "!", "?", "/", "\\", "$", "%", "…", "’", "“", "”", "•", "§", "a", "A", "I", "1", "é", "中", "ا", "\u0301",
    "a ", "A ", "1 ", "a.", "1.", "1,", "1:", "a-", "a'", "- ", "* ", "> ", ". ", ", ", "| ", "[1]", "[ ", "( ", "a_",
    "\n ", "\n\n", "\\n", "\\\"", "a\n", "1\n", "1. a ", "a. b ", "• a ", "a | b\n", "| a |\n", "| - |\n", "a\tb\n",
    "a: b\n", "a:\n", "A. B. ", "Mr. ", "e.g. ", "May ", "1990 ", "1 May ", "12:30 ", "5 km ", "in 1990, ", "some ",
    "not ", "is ", "wrote ", "John Smith ", "of the ", "and ", "five ", "percent ", "passages 1, ", "... ", "[...] ",
    '"k": 1, foo bar. ', '{"k": 1} ', '{"k": ', '{"k": 1, "l": ', '["a", ', "'k': 'v', ", "<think>", "</think>",
    "```\n", "```\na\n```\n", "``` a ", "$$\na\n$$\n", "\r\n", "He said. ", "he said. ", "(See above.) ", "http://a.b/",
    "a@b.", "1/2 ", "$1,000 ", "3.5% ", "n't ", "don't ", "x=1 ", "    a\n",
)  # fmt: skip


class Growth(NamedTuple):
    """What grew fastest: of what, on which text, by which power of the length, and the seconds for the longest."""

    name: str
    piece: str
    exponent: float
    seconds: float

    def __str__(self) -> str:
        return f"{self.exponent:5.2f} {self.seconds * 1000:9.1f} ms  {self.name[:90]!r}  on {self.piece!r}"


def texts() -> Iterator[tuple[str, Callable[[int], str]]]:
    """What each bad text is made of, and how to make it of a length."""
    for piece in PIECES:
        yield piece, lambda length, piece=piece: piece * (length // len(piece))
        yield f"a…{piece}…\\x00", lambda length, piece=piece: "a" + piece * (length // len(piece)) + "\x00"


def cpu(work: Work, given: str) -> float:
    start = time.process_time()
    work(given)
    return time.process_time() - start


def exponent(work: Work, short: str, long: str, *, tries: int = 5, enough: float = 1.2) -> tuple[float, float]:
    """By which power the cost grows between two texts, and the seconds for the longer.

    Whatever else the machine does can make a measurement longer, never shorter: the least of several tries counts.
    """
    quick = slow = math.inf
    power = math.inf
    for _ in range(tries):
        quick = min(quick, *(cpu(work, short) for _ in range(3)))
        slow = min(slow, cpu(work, long))
        power = math.log(slow / max(quick, 1e-6), len(long) / len(short))
        if power < enough:
            break
    return power, slow


def growth(name: str, work: Work, *, base: int, most: float = 3.0) -> Growth:
    """The fastest growth of a function over all bad texts, at 1, 4 and 16 times the base.

    The longest is left out where the middle one shows that nothing can grow fast, or that it would take too long.
    """
    worst = Growth(name, "", 0.0, 0.0)
    for piece, make in texts():
        middle = cpu(work, make(4 * base))
        if middle < PER_CHARACTER * 4 * base:
            continue
        length = 16 * base if middle * 16 < most else 4 * base
        quick, slow = (middle, cpu(work, make(length))) if length > 4 * base else (cpu(work, make(base)), middle)
        if slow < NEGLIGIBLE or slow < 6 * quick:
            seen = Growth(name, piece, math.log(slow / max(quick, 1e-6), 4), slow)
            worst = seen if slow >= NEGLIGIBLE and seen.exponent > worst.exponent else worst
            continue
        found = Growth(name, piece, *exponent(work, make(length // 4), make(length)))
        if found.seconds >= NEGLIGIBLE and found.exponent > worst.exponent:
            worst = found
    return worst


def fuzz(
    works: Mapping[str, Work], *, base: int = BASE, show: Callable[[Growth], object] = lambda _: None
) -> list[Growth]:
    """The growth of each, the worst first."""
    found = []
    gc.disable()  # it would charge one text with what others left behind
    try:
        for name, work in works.items():
            found.append(growth(name, work, base=base))
            show(found[-1])
            gc.collect(0)
    finally:
        gc.enable()
    return sorted(found, key=lambda item: -item.exponent)


def patterns() -> dict[str, Work]:
    """Every compiled pattern of the package, as it is used: by a search through a text, or at one place only."""
    sources = {path: path.read_text("utf-8") for path in sorted(Path(faithmeter.__file__).parent.rglob("*.py"))}
    everything = "\n".join(sources.values())
    compiled: dict[tuple[str, int, bool], str] = {}
    for module in modules():
        for name, value in vars(module).items():
            only_here = not re.search(rf"\b{name}\.(?:search|finditer|findall|subn?|split)\b", everything)
            anchored = bool(only_here and re.search(rf"\b{name}\.(?:match|fullmatch)\b", everything))
            for pattern in _held(value):
                compiled.setdefault((pattern.pattern, pattern.flags, anchored), f"{module.__name__}.{name}")
    for path, source in sources.items():
        for method, literal in _literals(source):
            compiled.setdefault((literal, 0, method in ("match", "fullmatch")), path.stem)
    return {f"{name}: {what}": _used(re.compile(what, flags), here) for (what, flags, here), name in compiled.items()}


def modules() -> Iterable[Any]:
    """Every module of the package that can be imported here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for info in pkgutil.walk_packages(faithmeter.__path__, "faithmeter."):
            if info.name.endswith("__main__"):
                continue
            try:
                yield importlib.import_module(info.name)
            except (ImportError, faithmeter.errors.FaithmeterError):
                continue


def _held(value: object) -> Iterator[re.Pattern[str]]:
    """The patterns that a module's name stands for: one, or those in a table."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, (tuple, list)):
        for entry in value:
            yield from _held(entry)
    elif isinstance(value, dict):
        for entry in value.items():
            yield from _held(entry)


def _literals(source: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[ast.Constant(value=str(pattern)), *_]
            ) if method not in ("compile", "escape"):
                yield method, pattern


def _used(pattern: re.Pattern[str], anchored: bool) -> Work:
    return pattern.match if anchored else lambda given: deque(pattern.finditer(given), maxlen=0)


def functions() -> dict[str, Work]:
    """Every public function of the modules on text that takes strings only, and others by hand."""
    found: dict[str, Work] = {}
    for module in TEXT_MODULES:
        for function in vars(module).values():
            if not inspect.isfunction(function) or function.__module__ != module.__name__:
                continue
            wanted = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
            if not function.__name__.startswith("_") and wanted and all(p.annotation == "str" for p in wanted):
                found[f"{module.__name__}.{function.__name__}"] = _filled(function, wanted)
    for kind, change in {**corrupt.CORRUPTIONS, **paraphrase.PARAPHRASES}.items():
        found[f"corrupt or paraphrase: {kind}"] = lambda given, change=change: change(
            given, _source(given), random.Random(0)
        )
    extractor = sentences.SentenceExtractor()
    found["extract"] = lambda given: asyncio.run(extractor.extract(Sample(answer=given + "a", contexts=["b"])))
    found["verify.derive"] = lambda given: derive(
        "The total of a is 5 km.", evidence.Index([given]), Sample(answer="a", contexts=[given or "-"]).contexts
    )
    found["_source.names"] = lambda given: names(given, _source(given))
    found["quotes.locate, a long quote"] = lambda given: quotes.locate(given + "y", "x" + given)
    found["quotes.locate, a short quote"] = lambda given: quotes.locate(given[:300] + " nobody wrote it", given)
    found["evidence.select"] = lambda given: evidence.select(given[:2000], evidence.Index([given]))
    found["agreement.span_overlap"] = lambda given: agreement.span_overlap([([(0, 10 ** len(given))], [(5, 10**12)])])
    return found


_FIXED = {"language": "en", "key": "verdicts"}  # what is not a text from outside


def _filled(function: Callable[..., Any], wanted: list[inspect.Parameter]) -> Work:
    def work(given: str) -> object:
        values = [(p, _FIXED.get(p.name, given)) for p in wanted]
        by_name = {p.name: value for p, value in values if p.kind is p.KEYWORD_ONLY}
        try:
            result = function(*(value for p, value in values if p.kind is not p.KEYWORD_ONLY), **by_name)
            return deque(result, maxlen=0) if isinstance(result, Iterator) else result
        except ValueError:
            return None

    return work


def _source(given: str) -> Source:
    return Source(Sample(answer="a", contexts=[given or "-"]))


def main() -> None:
    """Print each growth as it is found, then how many were tried, and the worst."""
    for title, works, base in (("patterns", patterns(), BASE), ("functions", functions(), BASE // 2)):
        start = time.process_time()
        found = fuzz(works, base=base, show=lambda item: item.exponent > 1.3 and print("   ", item, flush=True))
        print(f"{len(found)} {title}, {2 * len(PIECES)} texts each, {time.process_time() - start:.0f} s of CPU")
        for item in found[: int(sys.argv[1]) if len(sys.argv) > 1 else 8]:
            print(" ", item, flush=True)


if __name__ == "__main__":
    main()
