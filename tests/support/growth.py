"""How the cost of each pattern and each function on text grows with the length of bad text.

`python tests/support/growth.py` prints the worst, and takes minutes; `--quick` is what the slow tests do. A cost is the
CPU time of this thread, and a growth the ratio of two costs, of a text and of one four times as long, as a power: 1 is
linear, 2 quadratic. No number of seconds is judged. What would take too long is cut off, and its growth is then taken
from shorter texts.
"""

from __future__ import annotations

import ast
import asyncio
import gc
import importlib
import inspect
import io
import math
import pkgutil
import random
import re
import signal
import statistics
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import faithmeter
from faithmeter.compat.continuous_eval.overlap import Reference
from faithmeter.data import text_formats
from faithmeter.datamodels import Claim, Label, Origin, Pair, Sample, Verdict
from faithmeter.errors import FaithmeterError
from faithmeter.evidence import passages, quotes
from faithmeter.extract import asides, sentences
from faithmeter.report import FORMATS, summarise
from faithmeter.results import Result
from faithmeter.scoring import Scoring
from faithmeter.trust import metrics
from faithmeter.trust.selftest import corrupt, paraphrase
from faithmeter.trust.selftest.source_text import Source, names
from faithmeter.verify import quick_checks, window
from faithmeter.verify.derive import derive
from faithmeter.verify.lexical import LexicalVerifier

Work = Callable[[str], object]

BASE = 1_000  # characters; the longer texts have 4 and 16 times as many
CAP = 1.0  # seconds of CPU for one text
NEGLIGIBLE = 2e-3  # seconds for the longest text: below it nothing can be told, and what is quadratic is far above
PER_CHARACTER = 2.5e-7  # seconds at 4 times BASE: a pattern that is quadratic takes ten times as long there
LINEAR = 1.5  # below it a cost counts as linear: a quadratic one is near 2, and a busy machine adds a few tenths
SUSPECT = 2.5  # times what a function takes for most texts of that length

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
    "a@b.", "1/2 ", "$1,000 ", "3.5% ", "n't ", "don't ", "x=1 ", "    a\n", "3 of the 5 ", "from 1 to 2 ", "twice as ",
    "more than ", "$5 million ", "12 March 2020 ", "at 5 pm ", "Monday ", "| 1 | 2 |\n", "Rome: 5 km. ", "Rome had 5. ",
    "The total is 5. ", "Bob was born in 1990. ", "Is it A or B? ", "Yes, ", "Absolutely! ", "Option B: ", "[link](a) ",
)  # fmt: skip


class Text(NamedTuple):
    """A bad text: what it is made of, and how to make it of a length."""

    name: str
    make: Callable[[int], str]


class Growth(NamedTuple):
    """What grew fastest: of what, on which text, by which power of the length, and the seconds for the longest."""

    name: str
    piece: str
    exponent: float
    seconds: float

    def __str__(self) -> str:
        return f"{self.exponent:5.2f} {self.seconds * 1000:9.1f} ms  {self.name[:90]!r}  on {self.piece[:60]!r}"


# --- texts ------------------------------------------------------------------------------------------


def repeated(piece: str, before: str = "", after: str = "") -> Text:
    name = f"{before}…{piece}…{after}" if before or after else piece
    return Text(name, lambda length: before + piece * (length // len(piece)) + after)


def texts(*, quick: bool = False) -> list[Text]:
    """Bad texts for anything."""
    plain = [] if quick else [repeated(piece) for piece in PIECES]
    return [*plain, *(repeated(piece, "a", "\x00") for piece in PIECES)]


def attacks(pattern: re.Pattern[str]) -> Iterator[Text]:
    """Bad texts for one pattern: whatever it repeats, again and again, after what must come before, and no end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = re._parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)  # type: ignore[attr-defined]
    seen = set()
    for before, piece in _repeats(tree, ""):
        if piece and (before, piece) not in seen:
            seen.add((before, piece))
            yield repeated(piece, before, "\x00")
    if whole := _fitting(tree):
        yield repeated(whole)


def _repeats(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    """What comes before each repetition without an end, and what is repeated."""
    for code, value in tree:
        name = str(code)
        if name.endswith("REPEAT"):
            _, most, inner = value
            if most > 1000:
                yield before, _fitting(inner)
            yield from _repeats(inner, before)
        elif name == "SUBPATTERN":
            yield from _repeats(value[-1], before)
        elif name == "BRANCH":
            for branch in value[1]:
                yield from _repeats(branch, before)
        elif name in ("ATOMIC_GROUP",):
            yield from _repeats(value, before)
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from _repeats(value[1], before)
        before += _fitting([(code, value)])


_MEMBERS = {"WORD": "a", "DIGIT": "1", "SPACE": " ", "NOT_WORD": "-", "NOT_DIGIT": "a", "NOT_SPACE": "a"}


def _fitting(tree: Any) -> str:
    """A text that a parsed pattern fits, or nearly."""
    found = ""
    for code, value in tree:
        name = str(code)
        if name == "LITERAL":
            found += chr(value)
        elif name in ("ANY", "NOT_LITERAL"):
            found += "b" if name == "NOT_LITERAL" and value == ord("a") else "a"
        elif name == "IN":
            found += _member(value)
        elif name == "CATEGORY":
            found += _MEMBERS[str(value).removeprefix("CATEGORY_")]
        elif name == "BRANCH":
            found += _fitting(value[1][0])
        elif name == "SUBPATTERN":
            found += _fitting(value[-1])
        elif name == "ATOMIC_GROUP":
            found += _fitting(value)
        elif name.endswith("REPEAT"):
            found += _fitting(value[2]) * max(1, value[0])
    return found


def _member(entries: Sequence[tuple[Any, Any]]) -> str:
    """A character of a class."""
    if str(entries[0][0]) == "NEGATE":
        inside = re.compile("[" + "".join(_shown(*entry) for entry in entries[1:]) + "]")
        return next((char for char in "a1 -.\n,A(é" if not inside.match(char)), "\x01")
    code, value = entries[0]
    match str(code):
        case "LITERAL":
            return chr(value)
        case "RANGE":
            return chr(value[0])
        case _:
            return _MEMBERS[str(value).removeprefix("CATEGORY_")]


def _shown(code: Any, value: Any) -> str:
    match str(code):
        case "LITERAL":
            return re.escape(chr(value))
        case "RANGE":
            return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
        case _:
            return {"WORD": r"\w", "DIGIT": r"\d", "SPACE": r"\s", "NOT_WORD": r"\W", "NOT_DIGIT": r"\D",
                    "NOT_SPACE": r"\S"}[str(value).removeprefix("CATEGORY_")]  # fmt: skip


# --- costs ------------------------------------------------------------------------------------------


class _CutOff(BaseException):
    """A text took more than its share."""


def _cut_off(*_: object) -> None:
    raise _CutOff


def cpu(work: Work, given: str) -> float:
    """What a text costs; infinity if more than CAP."""
    # While such a timer runs, Linux counts the process's time in ticks of milliseconds, and a thread's as ever.
    timed = threading.current_thread() is threading.main_thread() and hasattr(signal, "SIGPROF")
    if timed:
        signal.signal(signal.SIGPROF, _cut_off)
        signal.setitimer(signal.ITIMER_PROF, CAP)
    start = time.thread_time()
    try:
        work(given)
        return time.thread_time() - start
    except _CutOff:
        return math.inf
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_PROF, 0)


def exponent(work: Work, short: str, long: str, *, tries: int = 5, enough: float = 1.2) -> tuple[float, float]:
    """By which power the cost grows between two texts, and the seconds for the longer.

    Whatever else the machine does can make a measurement longer, never shorter: the least of several tries counts.
    """
    quick = slow = power = math.inf
    for _ in range(tries):
        quick = min(quick, *(cpu(work, short) for _ in range(3)))
        slow = min(slow, cpu(work, long))
        power = math.log(slow / max(quick, 1e-6), len(long) / len(short)) if slow < math.inf else math.inf
        if power < enough:
            break
    return power, slow


def confirmed(power: float, work: Work, make: Callable[[int], str], length: int) -> float:
    """A growth that was seen over 4 times the length; if it seems too fast, that over 16 times where that is linear.

    A core that is shared for a while is half as fast, which adds .5 over 4 times the length, and .25 over 16.
    """
    if not LINEAR < power < math.inf:
        return power
    wider, _ = exponent(work, make(length // 16), make(length))
    return wider if wider < LINEAR else power


def growth(name: str, work: Work, bad: Sequence[Text], *, base: int) -> Growth:
    """The fastest growth of one work over bad texts, at 1, 4 and 16 times the base.

    All are tried at 4 times; those that cost more there than most, and the one in the middle, also at the others: the
    longest if that does not take too long, else the shortest. What seems to grow too fast is tried at longer ones yet:
    what reads a text through a window grows fast up to its width only. What still does is tried over 16 times as well.
    """
    costs = sorted(((cpu(work, text.make(4 * base)), number) for number, text in enumerate(bad)), reverse=True)
    middle = statistics.median(cost for cost, _ in costs)
    least = max(PER_CHARACTER * 4 * base, SUSPECT * min(middle, CAP / 16))
    suspects = [costs[0], costs[len(costs) // 2], *(entry for entry in costs[1:9] if entry[0] > least)]
    worst = Growth(name, bad[costs[0][1]].name, 0.0, costs[0][0])
    for cost, number in suspects:
        text = bad[number]
        if cost * 4 < NEGLIGIBLE / 2:
            continue
        longest = base if cost == math.inf else 4 * base if cost * 16 > CAP else 16 * base
        power, seconds = exponent(work, text.make(longest // 4), text.make(longest))
        while 1.3 < power < math.inf and seconds * 4 < CAP and longest < 1000 * base:
            longest *= 4
            longer, seconds = exponent(work, text.make(longest // 4), text.make(longest))
            power = longer if longer < math.inf else power  # cut off: what was seen before counts
        power = confirmed(power, work, text.make, longest)
        if seconds >= NEGLIGIBLE and power > worst.exponent:
            worst = Growth(name, text.name, power, seconds)
    return worst


def fuzz(
    works: Mapping[str, tuple[Work, Sequence[Text]]],
    *,
    base: int = BASE,
    show: Callable[[Growth], object] = lambda _: None,
) -> list[Growth]:
    """The growth of each, the worst first."""
    found = []
    gc.disable()  # it would charge one text with what others left behind
    try:
        for name, (work, bad) in works.items():
            found.append(growth(name, work, bad, base=base))
            show(found[-1])
            gc.collect(0)
    finally:
        gc.enable()
    return sorted(found, key=lambda item: -item.exponent)


# --- patterns ---------------------------------------------------------------------------------------


def patterns(*, quick: bool = False) -> dict[str, tuple[Work, Sequence[Text]]]:
    """Every compiled pattern of the package, as it is used: by a search through a text, or at one place only."""
    code = {path: path.read_text("utf-8") for path in sorted(Path(faithmeter.__file__).parent.rglob("*.py"))}
    used: dict[tuple[str, str], set[str]] = {}
    for path, source in code.items():
        for name, method in re.findall(r"\b(\w+)\.(match|fullmatch|search|finditer|findall|subn?|split)\b", source):
            used.setdefault((str(path) if name.startswith("_") else "", name), set()).add(method)
    compiled: dict[tuple[str, int, str], str] = {}
    for module in modules():
        for name, value in list(vars(module).items()):
            methods = used.get((str(module.__file__) if name.startswith("_") else "", name), set())
            for pattern in _held(value):
                compiled.setdefault((pattern.pattern, pattern.flags, _use(methods)), f"{module.__name__}.{name}")
    for path, source in code.items():
        for method, literal in _literals(source):
            compiled.setdefault((literal, 0, _use({method})), path.stem)
    for kind, formula in asides._kinds(label=True, affirms=True):
        pattern = asides._pattern(formula)
        compiled[pattern.pattern, pattern.flags, "match"] = f"{_FORMULAS}, {kind}"
    bad, found = texts(quick=quick), {}
    for (what, flags, use), name in compiled.items():
        pattern = re.compile(what, flags)
        longest = asides._LONGEST if name.startswith(_FORMULAS) else None
        found[f"{name}: {what}"] = (_searching(pattern, use, longest), [*bad, *attacks(pattern)])
    return found


def _use(methods: set[str]) -> str:
    """How a pattern is used at most: at one place, up to the first place that fits, or through a whole text."""
    if methods and methods <= {"match", "fullmatch"}:
        return "match"
    return "search" if methods and methods <= {"match", "fullmatch", "search"} else "finditer"


_FORMULAS = "faithmeter.extract.aside_formulas"  # a longer sentence is none of them, and is not read by them


def modules() -> Iterable[Any]:
    """Every module of the package that can be imported here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for info in pkgutil.walk_packages(faithmeter.__path__, "faithmeter."):
            if info.name.endswith("__main__"):
                continue
            try:
                yield importlib.import_module(info.name)
            except (ImportError, FaithmeterError):
                continue


def _held(value: object) -> Iterator[re.Pattern[str]]:
    """The patterns that a module's name stands for: one, or those in a table."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, (tuple, list)):
        for entry in value:
            yield from _held(entry)
    elif isinstance(value, dict):
        for entry in list(value.items()):
            yield from _held(entry)


def _literals(source: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[ast.Constant(value=str(pattern)), *_]
            ) if method not in ("compile", "escape"):
                yield method, pattern


def _searching(pattern: re.Pattern[str], use: str, longest: int | None) -> Work:
    if use == "finditer":
        return lambda given: deque(pattern.finditer(given[:longest]), maxlen=0)
    once: Callable[[str], object] = pattern.match if use == "match" else pattern.search
    return lambda given: once(given[:longest])


# --- functions --------------------------------------------------------------------------------------

# What is no text from outside: the names of files, of verifiers, of settings.
_NOT_TEXT = {"path", "place", "spec", "argument", "kind", "name", "source", "engine", "provider", "template", "said"}
_FIXED = {"language": "en", "key": "verdicts", "where": "here"}
_ROOMS = {"cache", "compat", "data", "display", "evidence", "extract", "fix", "judge", "llm", "report", "text", "trust",
          "verify"}  # fmt: skip


def functions(*, quick: bool = False) -> dict[str, tuple[Work, Sequence[Text]]]:
    """Every public function of the rooms that work on text which takes strings only, and others by hand."""
    found: dict[str, Work] = {}
    for module in modules():
        if module.__name__.split(".")[1] not in _ROOMS:
            continue
        for function in list(vars(module).values()):
            if not inspect.isfunction(function) or function.__module__ != module.__name__:
                continue
            wanted = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
            if (
                not function.__name__.startswith("_")
                and not inspect.iscoroutinefunction(function)
                and wanted
                and all(p.annotation == "str" and p.name not in _NOT_TEXT for p in wanted)
            ):
                found[f"{module.__name__}.{function.__name__}"] = _filled(function, wanted)
    found |= _corruptions() | _verifiers() | _files()
    found["quotes.locate, a long quote"] = lambda given: quotes.locate(given + "y", "x" + given)
    found["quotes.locate, a short quote"] = lambda given: quotes.locate(given[:300] + " nobody wrote it", given)
    found["passages.select"] = lambda given: passages.select(given[:2000], passages.Index([given]))
    found["metrics.span_overlap"] = lambda given: metrics.span_overlap([([(0, 10**9 * len(given))], [(5, 10**12)])])
    bad = texts(quick=quick)
    return {name: (work, bad) for name, work in found.items()}


def _filled(function: Callable[..., Any], wanted: list[inspect.Parameter]) -> Work:
    def work(given: str) -> object:
        values = [(p, _FIXED.get(p.name, given)) for p in wanted]
        by_name = {p.name: value for p, value in values if p.kind is p.KEYWORD_ONLY}
        try:
            result = function(*(value for p, value in values if p.kind is not p.KEYWORD_ONLY), **by_name)
            return deque(result, maxlen=0) if isinstance(result, Iterator) else result
        except (ValueError, FaithmeterError):
            return None

    return work


def _corruptions() -> dict[str, Work]:
    def changing(change: Any) -> Work:
        return lambda given: change(given, _source(given), random.Random(0))

    changes = {**corrupt.CORRUPTIONS, **paraphrase.PARAPHRASES}
    found = {f"corrupt or paraphrase: {kind}": changing(change) for kind, change in changes.items()}
    return found | {"source_text.names": lambda given: names(given, _source(given))}


def _source(given: str) -> Source:
    return Source(Sample(answer="a", contexts=[given or "-"]))


def _verifiers() -> dict[str, Work]:
    """The way of an answer: its claims, and what judges them without a model, with bad text in each of the places."""
    extractor, lexical = sentences.SentenceExtractor(), LexicalVerifier()
    quote, fact = quick_checks.QuoteVerifier(), quick_checks.FactVerifier()

    def pair(claim: str, context: str) -> Pair:
        return Pair(Claim(text=claim or "-", start=0, end=1), Sample(answer="a", contexts=[context or "-"]))

    def derived(claim: str, context: str) -> object:
        return derive(claim, passages.Index([context]), Sample(answer="a", contexts=[context or "-"]).contexts)

    known = "The total of Rome and Bob is 5 km, 3 of them in 1990."
    return {
        "extract": lambda given: asyncio.run(extractor.extract(Sample(answer=given + "a", contexts=["b"]))),
        "extract, of a question": lambda given: asyncio.run(
            extractor.extract(Sample(answer="Yes. Option B: it is.", contexts=["b"], question=given + "a"))
        ),
        "derive, contexts": lambda given: derived(known, given),
        "derive, a claim": lambda given: derived(given, known * 3),
        "derive, both": lambda given: derived(given[:2000], given),
        "lexical, contexts": lambda given: asyncio.run(lexical.verify([pair(known, given)])),
        "lexical, both": lambda given: asyncio.run(lexical.verify([pair(given, given)])),
        "window, bleu": lambda given: window.best_window(given[:2000], [window.ContextIndex(given)], metric="bleu"),
        "quote": lambda given: asyncio.run(quote.verify([pair(given, given + "x")])),
        "fact, contexts": lambda given: asyncio.run(fact.verify([pair(known, given)])),
        "fact, both": lambda given: asyncio.run(fact.verify([pair(given, given + "x")])),
        "turned": lambda given: quick_checks.turned(pair(given, given + "x")),
        "overlap of 0.3": lambda given: Reference([given]).token_overlap([given], tokens="0.3"),
    }


def _files() -> dict[str, Work]:
    """Files that are read, and reports that are written."""

    def reading(suffix: str) -> Work:
        def work(given: str) -> object:
            try:
                records = text_formats.parse(io.BytesIO(given.encode()), "file", suffix)
                for record in records:
                    if isinstance(record.value, text_formats.Cells):
                        for cell in record.value.values():
                            record.value.typed("contexts", cell or "")
            except (ValueError, FaithmeterError):
                return None
            return None

        return work

    def writing(place: str, mode: str) -> Work:
        module, _, function = place.partition(":")
        write = getattr(importlib.import_module(module), function)

        def work(given: str) -> object:
            claim = Claim(text=given, start=0, end=len(given))
            verdict = Verdict(claim=claim, label=Label.SUPPORTED, reason=given, origin=Origin(verifier=given))
            sample = Sample(id="a", answer=given, contexts=[given], question=given)
            results = [Result(sample=sample, outcomes=(verdict,), scoring=Scoring(), signature="s")]
            file: Any = io.BytesIO() if "b" in mode else io.StringIO()
            return write(file, summarise(results), results, title=given)

        return work

    found = {f"read {suffix}": reading(suffix) for suffix in (".jsonl", ".json", ".csv", ".tsv")}
    return found | {f"write {ending}": writing(place, mode) for ending, (place, mode, _) in FORMATS.items()}


def main() -> None:
    """Print each growth as it is found, then how many were tried, and the worst."""
    quick = "--quick" in sys.argv
    kinds = [("patterns", patterns, BASE // 2 if quick else BASE), ("functions", functions, BASE // 4)]
    for title, make, base in kinds:
        if any(kind in sys.argv for kind, _, _ in kinds) and title not in sys.argv:
            continue
        start = time.thread_time()
        works = make(quick=quick)
        found = fuzz(works, base=base, show=lambda item: item.exponent > 1.3 and print("   ", item, flush=True))
        tried = sum(len(bad) for _, bad in works.values())
        print(f"{len(found)} {title}, {tried} texts in all, {time.thread_time() - start:.0f} s of CPU")
        for item in found[:8]:
            print(" ", item, flush=True)


if __name__ == "__main__":
    main()
