"""How the cost of each pattern and each function on text grows with the length of bad text.

`python tests/support/growth.py` prints the worst. Costs are CPU time of this process, compared between a text and one
four times as long: 1 is linear, 2 quadratic. What takes less than a few milliseconds at the longest is linear enough.
"""

from __future__ import annotations

import ast
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
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import faithmeter
from faithmeter import agreement, corrupt, evidence
from faithmeter._source import Source, names
from faithmeter.datamodels import Sample

SHORT, LONG = 4_000, 16_000
NEGLIGIBLE = 0.01  # seconds of CPU for LONG characters: a quadratic pattern takes 256 million steps there

# What is repeated; each also after a letter, and before an end that fits nothing.
PIECES = (
    " ", "\n", "\t", "_", "*", "-", "=", "#", "|", "`", "'", '"', "(", "[", "{", "<", ")", "]", "}", ".", ",", ":", ";",
    "!", "?", "/", "\\", "$", "%", "…", "’", "“", "”", "•", "§", "a", "A", "I", "1", "é", "中", "ا", "\u0301",
    "a ", "A ", "1 ", "a.", "1.", "1,", "1:", "a-", "a'", "- ", "* ", "> ", ". ", ", ", "| ", "[1]", "[ ", "( ", "a_",
    "\n ", "\n\n", "\\n", "\\\"", "a\n", "1\n", "1. a ", "a. b ", "• a ", "a | b\n", "| a |\n", "| - |\n", "a\tb\n",
    "a: b\n", "a:\n", "A. B. ", "Mr. ", "e.g. ", "May ", "1990 ", "1 May ", "12:30 ", "5 km ", "in 1990, ", "some ",
    "not ", "is ", "wrote ", "John Smith ", "of the ", "and ", "five ", "percent ", "passages 1, ", "... ", "[...] ",
    '"k": 1, foo bar. ', '{"k": 1} ', '{"k": ', '["a", ', "'k': 'v', ", "<think>", "</think>", "```\n", "``` a ",
    "\r\n", "He said. ", "he said. ", "(See above.) ", "http://a.b/", "a@b.", "1/2 ", "$1,000 ", "3.5% ", "n't ",
    "don't ", "x=1 ",
)  # fmt: skip


class Growth(NamedTuple):
    """What grew fastest: of what, on which text, and by which power of the length."""

    name: str
    piece: str
    exponent: float
    seconds: float


def texts(length: int) -> Iterator[tuple[str, str]]:
    """Bad texts of about a length, each with what it is made of."""
    for piece in PIECES:
        body = piece * (length // len(piece))
        yield piece, body
        yield f"a…{piece}…\\x00", "a" + body + "\x00"


def cpu(work: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    work(text)
    return time.process_time() - start


def growth(name: str, work: Callable[[str], object], *, worst: float = 1.5) -> Growth:
    """The fastest growth of a function over all bad texts; a growth that seems bad is measured again."""
    top = Growth(name, "", 1.0, 0.0)
    for (piece, short), (_, long) in zip(texts(SHORT), texts(LONG), strict=True):
        taken = cpu(work, long)
        if taken < NEGLIGIBLE:
            continue
        exponent = math.inf
        for _ in range(4):  # other work on the machine makes a timing longer, never shorter
            taken = min(taken, cpu(work, long)) if exponent < math.inf else taken
            quick = min(cpu(work, short) for _ in range(3))
            exponent = min(exponent, math.log(taken / max(quick, 1e-6), LONG / SHORT))
            if exponent < worst or taken < NEGLIGIBLE:
                break
        if taken >= NEGLIGIBLE and exponent > top.exponent:
            top = Growth(name, piece, exponent, taken)
    return top


def patterns() -> dict[str, Callable[[str], object]]:
    """Every compiled pattern of the package, as it is used: by a search through a text, or at one place only."""
    sources = {path: path.read_text() for path in Path(faithmeter.__file__).parent.rglob("*.py")}
    everything = "\n".join(sources.values())
    found: dict[str, Callable[[str], object]] = {}
    for module in modules():
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                only_here = not re.search(rf"\b{name}\.(?:search|finditer|findall|subn?|split)\b", everything)
                anchored = only_here and re.search(rf"\b{name}\.(?:match|fullmatch)\b", everything)
                found.setdefault(f"{module.__name__}.{name}", value.match if anchored else _through(value))
            elif isinstance(value, (tuple, list)):
                for item in (part for entry in value for part in (entry if isinstance(entry, tuple) else (entry,))):
                    if isinstance(item, re.Pattern):
                        found.setdefault(f"{module.__name__}.{name}: {item.pattern[:30]}", _through(item))
    for path, source in sources.items():
        for method, pattern in _literals(source):
            compiled = re.compile(pattern)
            anchored = method in ("match", "fullmatch")
            found.setdefault(f"{path.stem}: {pattern}", compiled.match if anchored else _through(compiled))
    return found


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


def _through(pattern: re.Pattern[str]) -> Callable[[str], object]:
    return lambda text: deque(pattern.finditer(text), maxlen=0)


def _literals(source: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[ast.Constant(value=str(pattern)), *_]
            ) if method != "compile" and method != "escape":
                yield method, pattern


TEXT_MODULES = (
    "text", "evidence", "facts", "records", "paraphrase", "overlap", "_grammar", "_clauses", "_numerals", "_window",
    "_blocks", "_prose", "_ngrams", "_treebank", "llm.reading", "llm.fence", "report.escaping", "verify.checks",
    "extract.sentences", "cache.guard", "render",
)  # fmt: skip
_FIXED: dict[str, Any] = {"language": "en", "key": "verdicts"}


def functions() -> dict[str, Callable[[str], object]]:
    """Every public function of the modules on text that takes strings only, and the others by hand."""
    found: dict[str, Callable[[str], object]] = {}
    for name in TEXT_MODULES:
        module = importlib.import_module(f"faithmeter.{name}")
        for function in vars(module).values():
            if not inspect.isfunction(function) or function.__module__ != module.__name__:
                continue
            if function.__name__.startswith("_"):
                continue
            wanted = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
            if wanted and all(p.annotation in ("str", "str | None") for p in wanted):
                found[f"{name}.{function.__name__}"] = _filled(function, wanted)
    for kind, change in corrupt.CORRUPTIONS.items():
        found[f"corrupt.{kind}"] = lambda text, change=change: change(text, _source(text), random.Random(0))
    found["_source.names"] = lambda text: names(text, _source(text))
    found["evidence.locate, a long quote"] = lambda text: evidence.locate(text + "y", "x" + text)
    found["evidence.locate, a short quote"] = lambda text: evidence.locate(text[:300] + " words nobody wrote", text)
    found["evidence.select"] = lambda text: evidence.select(text[:2000], evidence.Index([text]))
    found["agreement.span_overlap"] = lambda text: agreement.span_overlap([([(0, 10 ** len(text))], [(5, 10**12)])])
    return found


def _source(text: str) -> Source:
    return Source(Sample(answer="a", contexts=[text or "-"]))


def _filled(function: Callable[..., Any], wanted: list[inspect.Parameter]) -> Callable[[str], object]:
    def work(text: str) -> object:
        given = {p.name: _FIXED.get(p.name, text) for p in wanted}
        positional = [given[p.name] for p in wanted if p.kind is not p.KEYWORD_ONLY]
        try:
            result = function(*positional, **{p.name: given[p.name] for p in wanted if p.kind is p.KEYWORD_ONLY})
            return deque(result, maxlen=0) if isinstance(result, Iterator) else result
        except ValueError:
            return None

    return work


def main() -> None:
    """Print how many were tried, and the worst."""
    for title, group in (("patterns", patterns()), ("functions", functions())):
        found = sorted((growth(name, work) for name, work in group.items()), key=lambda item: -item.exponent)
        print(f"{len(group)} {title}, {2 * len(PIECES)} texts each")
        for item in found[: int(sys.argv[1]) if len(sys.argv) > 1 else 12]:
            print(f"  {item.exponent:.2f}  {item.seconds * 1000:7.1f} ms  {item.name}  on {item.piece!r}", flush=True)


if __name__ == "__main__":
    main()
