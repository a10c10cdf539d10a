"""Faithfulness in pytest: `assert_faithful`, the `faithmeter` fixture, `@pytest.mark.faithful`, `faithmeter_cases`.

    def test_answer():
        assert_faithful(bot.answer, bot.contexts, question=bot.question, min_score=0.9)

Loaded when first used; what pytest itself needs to know is in `faithmeter_pytest`.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import pytest

import faithmeter_pytest as hooks
from faithmeter.cache import cache_file, location_or_switch, wrap, wrap_extractor
from faithmeter.data import jsonl
from faithmeter.data.datasets import only_samples, read_samples
from faithmeter.data.files import keep_apart
from faithmeter.datamodels import Context, Failure, Outcome, Sample, Verdict
from faithmeter.display import LOOKS, is_derived, rounded, why
from faithmeter.errors import BudgetReached, FaithmeterError, UsageError
from faithmeter.evaluator import Evaluator
from faithmeter.evidence.passages import Index, best_evidence, select
from faithmeter.extract import load_extractor
from faithmeter.llm.budget import limited
from faithmeter.pytest_recording import RecordedResult, Recording, write_recording
from faithmeter.report import format_of, summarise, write_report
from faithmeter.report.escaping import one_line
from faithmeter.report.github import announce
from faithmeter.report.summary import OWN_LIMIT, OWN_PLACE, Summary, to_look_at
from faithmeter.results import Result
from faithmeter.runtime import sync
from faithmeter.runtime.specs import finite
from faithmeter.scoring import load_scoring
from faithmeter.verify import DEFAULT_VERIFIER, load_verifier

__all__ = ["Checker", "assert_faithful", "faithmeter_cases"]

Contexts = str | Iterable[str | Context | dict[str, Any]]
F = TypeVar("F", bound=Callable[..., Any])

DEFAULTS = {"verifier": DEFAULT_VERIFIER, "extractor": "sentences", "scoring": "plain", "min-score": "1"}
MARKED = ("min_score", "verifier", "extractor", "scoring")  # what @pytest.mark.faithful takes

SPENT = pytest.StashKey[float]()
RECORDING = pytest.StashKey[Recording]()
NOTES = pytest.StashKey[list[str]]()


def assert_faithful(
    answer: str | Sample,
    contexts: Contexts = (),
    *,
    question: str | None = None,
    min_score: float | None = None,
) -> Result:
    """Fail unless the contexts support the answer; the message shows which claims they do not.

    Takes a `Sample` as well. `min_score` is the run's or the test's if not given; what could not be judged
    counts as unsupported.
    """
    __tracebackhide__ = True
    node = hooks.running[-1] if hooks.running else None
    return Checker(node).assert_faithful(answer, contexts, question=question, min_score=min_score)


def faithmeter_cases(
    path: str | Path, *, argument: str = "sample", columns: Mapping[str, str] | None = None
) -> Callable[[F], F]:
    """Run a test once for each answer of a data set, which it gets as `sample`.

    A path is looked for beside the test's file, then in the current folder. Reads what `faithmeter eval` reads;
    a row that is no sample is an error when tests are collected.
    """
    beside = Path(inspect.stack()[1].filename).parent / path
    samples = list(only_samples(read_samples(beside if beside.exists() else path, columns=columns)))

    def decorate(test: F) -> F:
        cases = pytest.mark.parametrize(argument, samples, ids=[sample.id for sample in samples])
        decorated: F = pytest.mark.faithful(cases(test))
        return decorated

    return decorate


class Checker:
    """Checks answers with a test's settings: its marker's, then the command line's, then the ini file's."""

    def __init__(self, node: pytest.Item | None = None) -> None:
        self.node = node
        self.config = node.config if node else (hooks.active[-1] if hooks.active else None)

    def setting(self, name: str) -> str | None:
        """What holds for this test; None if nobody said anything."""
        marker = self.node.get_closest_marker("faithful") if self.node else None
        if marker:
            unknown = set(marker.kwargs) - set(MARKED)
            if marker.args or unknown:
                raise UsageError(f"@pytest.mark.faithful takes {', '.join(MARKED)} by name, not {marker!r}")
            key = name.replace("-", "_")
            if key in marker.kwargs:
                return str(marker.kwargs[key])
        if self.config:
            ini = hooks.ini_name(name)
            said = self.config.getoption(ini) or self.config.getini(ini)
            if said:
                return str(said)
        return DEFAULTS.get(name)

    def numeric_setting(self, name: str) -> float | None:
        """A setting that is a number."""
        said = self.setting(name)
        try:
            return None if said is None else finite(said)
        except ValueError:
            raise UsageError(f"faithmeter-{name}: expected a number, found {said!r}") from None

    def check(self, answer: str | Sample, contexts: Contexts = (), *, question: str | None = None) -> Result:
        """Judge an answer, or take its result from the recording; counted in the run's summary and report."""
        __tracebackhide__ = True
        return self._checked(_sample(answer, contexts, question), None)

    def _checked(self, sample: Sample, limit: float | None) -> Result:
        __tracebackhide__ = True
        verifier, extractor = self.setting("verifier") or "", self.setting("extractor") or ""
        recording = self.config.getoption("faithmeter_replay") if self.config else None
        if self.config and recording:
            result = self._replayed(self.config, recording, RecordedResult.key_of(verifier, extractor, sample), sample)
        else:
            result = self._judged(sample, verifier, extractor)
        if self.config:
            checked = Checked(verifier=verifier, extractor=extractor, result=result, limit=limit, **self._where())
            hooks.pending.append(jsonl.encode(checked).decode())
        return result

    def _where(self) -> dict[str, str]:
        """The test that asks: its name, and its place in the repository."""
        if self.node is None:
            return {}
        file, line, _ = self.node.location
        return {"test": self.node.nodeid.rpartition("::")[2], "place": f"{file}:{(line or 0) + 1}"}

    def assert_faithful(
        self,
        answer: str | Sample,
        contexts: Contexts = (),
        *,
        question: str | None = None,
        min_score: float | None = None,
    ) -> Result:
        """Fail unless the contexts support the answer."""
        __tracebackhide__ = True
        limit = self.numeric_setting("min-score") if min_score is None else min_score
        result = self._checked(_sample(answer, contexts, question), limit)
        if not faithful(result, limit or 0.0):
            raise AssertionError(failure_message(result, limit or 0.0))
        return result

    def _replayed(self, config: pytest.Config, recording: str, key: str, sample: Sample) -> Result:
        __tracebackhide__ = True
        result = config.stash[RECORDING].find(key, sample, load_scoring(self.setting("scoring") or "plain"))
        if result is None:
            words = f"{recording} has no result for this answer, by verifier {self.setting('verifier')}"
            pytest.fail(
                f"{words}: record it with --faithmeter-record={recording}\n  answer: {one_line(sample.answer)}",
                pytrace=False,
            )
        return result

    def _judged(self, sample: Sample, verifier: str, extractor: str) -> Result:
        __tracebackhide__ = True
        limit = self.numeric_setting("max-cost")
        spent = self.config.stash.get(SPENT, 0.0) if self.config else 0.0
        if limit is not None:  # each xdist worker gets its share: they cannot see what the others spend
            limit /= int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
            if spent >= limit:
                pytest.fail(f"the cost limit is reached: ${spent:.4f} of ${limit:.4f} were spent", pytrace=False)
        try:
            evaluator = _evaluator(verifier, extractor, self.setting("scoring") or "plain", self.setting("cache"))
            result = sync.run(_limited(evaluator, sample, limit, spent))
        except BudgetReached as stop:
            pytest.fail(f"the cost limit is reached: {stop}", pytrace=False)
        except FaithmeterError as error:  # its message says it all
            pytest.fail(f"the answer could not be checked: {error}", pytrace=False)
        if self.config:
            self.config.stash[SPENT] = spent + (result.usage.cost or 0.0)
        return result


async def _limited(evaluator: Evaluator, sample: Sample, max_cost: float | None, spent: float) -> Result:
    with limited(max_cost, spent=spent):
        return await evaluator.check(sample)


@lru_cache(maxsize=16)
def _evaluator(verifier: str, extractor: str, scoring: str, cache: str | None) -> Evaluator:
    """One evaluator for all tests with the same settings: a model is loaded once."""
    return Evaluator(
        verifier=wrap(load_verifier(verifier), cache=cache),
        extractor=wrap_extractor(load_extractor(extractor), cache=cache),
        scoring=scoring,
    )


def _sample(answer: str | Sample, contexts: Contexts, question: str | None) -> Sample:
    if isinstance(answer, Sample):
        return answer
    given = contexts if isinstance(contexts, str) else tuple(contexts)
    return Sample.model_validate({"answer": answer, "contexts": given, "question": question})


def faithful(result: Result, limit: float) -> bool:
    """Whether an answer reaches the limit whatever the claims are that could not be judged; no claim, no fault."""
    if result.status == "no_claims" and result.score is None:
        return True
    return result.status != "failed" and result.bounds is not None and result.bounds[0] >= limit - 1e-9


# --- what a failed test says ------------------------------------------------------------------------


def failure_message(result: Result, limit: float) -> str:
    """The score and the limit, then each claim that is not supported, with the nearest evidence."""
    lines = [_headline(result, limit)]
    for outcome in to_look_at(result):
        support = getattr(outcome, "support", None)
        shown = "" if support is None else f" (support {rounded(support)})"
        claim = one_line(outcome.claim.text, 2000) if outcome.claim else "the whole answer"
        lines += ["", f"  {LOOKS[outcome.word].mark} {outcome.word}{shown}: {claim}"]
        lines += [f"      {line}" for line in _details(outcome, result)]
    return "\n".join(lines)


def _headline(result: Result, limit: float) -> str:
    if result.status == "failed":
        return "the answer could not be judged"
    if result.failures and result.bounds:
        low, high = map(rounded, result.bounds)
        share = f"{len(result.failures)} of {len(result.outcomes)} claims could not be judged"
        return f"the answer may not be faithful: score {low} to {high}, the limit is {limit:g}; {share}"
    claims = f"{len(result.unsupported)} of {len(result.outcomes)} claims not supported"
    return f"the answer is not faithful: score {rounded(result.score)}, the limit is {limit:g}; {claims}"


def _details(outcome: Outcome, result: Result) -> list[str]:
    if isinstance(outcome, Failure):
        return [f"{outcome.kind}: {one_line(outcome.message)}"]
    gaps = ", ".join(f"“{one_line(outcome.claim.text[start:end], 80)}”" for start, end in outcome.gaps[:6])
    lines = [f"not supported: {gaps}"] if gaps else []
    quotes = [(item.context, item.quote) for item in outcome.evidence] or _nearest(outcome, result)
    lines += [f"context {context + 1}: “{one_line(quote)}”" for context, quote in quotes] or ["no context is near it"]
    return lines + ([one_line(reason)] if (reason := why(outcome)) else [])


def _nearest(verdict: Verdict, result: Result) -> list[tuple[int, str]]:
    """What comes closest, where the verifier shows nothing."""
    texts = [context.text for context in result.sample.contexts]
    index = Index(texts)
    passages = best_evidence(verdict.claim.text, index, among=select(verdict.claim.text, index), at_most=1)
    return [(passage.context, texts[passage.context][passage.start : passage.end]) for passage in passages]


# --- the end of the run -----------------------------------------------------------------------------


class Checked(RecordedResult):
    """A result with the test that asked for it."""

    limit: float | None = None
    test: str = ""
    place: str = ""

    @property
    def named(self) -> Result:
        """The result as reports show it: under the test's name where the sample has none, with the test's limit."""
        sample = self.result.sample
        own: dict[str, Any] = {OWN_PLACE: self.place} if self.place else {}
        own |= {} if self.limit is None else {OWN_LIMIT: self.limit}
        name = self.test if self.test and is_derived(sample) else sample.id
        changed = sample.model_copy(update={"id": name, "metadata": {**sample.metadata, **own}})
        return self.result.model_copy(update={"sample": changed})

    @property
    def recorded(self) -> RecordedResult:
        """What a recording keeps."""
        return RecordedResult(verifier=self.verifier, extractor=self.extractor, result=self.result)


def _entries(config: pytest.Config) -> list[Checked]:
    return [Checked.model_validate_json(line) for line in config.stash[hooks.ENTRIES]]


def check_options(config: pytest.Config) -> None:
    """Find out before the tests run what could not be written or read after them."""
    try:
        for path in config.getoption("faithmeter_report"):
            format_of(path)
        reports, record = config.getoption("faithmeter_report"), config.getoption("faithmeter_record")
        outputs = {f"--faithmeter-report={path}": path for path in reports} | {"--faithmeter-record": record}
        replay = config.getoption("faithmeter_replay")
        keep_apart(outputs, [replay] if replay else [])
        cache = config.getoption("faithmeter_cache") or config.getini("faithmeter_cache")
        cache_location = location_or_switch(cache) if cache else None
        if isinstance(cache_location, str) and "://" not in cache_location:
            cache_file(cache_location)
        if record and Path(record).exists():
            Recording.read(record)  # to be added to
        if replay:
            config.stash[RECORDING] = Recording.read(replay)
    except FaithmeterError as error:
        raise pytest.UsageError(str(error)) from None


def write_files(config: pytest.Config) -> bool:
    """Write the reports and the recording that the command line asks for; false, with a note, if that fails."""
    entries = _entries(config)
    notes = config.stash.setdefault(NOTES, [])
    try:
        for path in config.getoption("faithmeter_report"):
            write_report(path, [entry.named for entry in entries], min_score=Checker().numeric_setting("min-score"))
            notes.append(f"wrote {path}")
        if path := config.getoption("faithmeter_record"):
            write_recording(path, [entry.recorded for entry in entries])
            notes.append(f"wrote {path}")
    except FaithmeterError as error:
        notes.append(f"ERROR: {one_line(str(error))}")
        return False
    return True


def summary_lines(config: pytest.Config) -> Iterable[str]:
    """What the end of a test run says: how many answers, how faithful, what it cost, what was written."""
    results = [entry.named for entry in _entries(config)]
    summary = summarise(results, min_score=Checker().numeric_setting("min-score"))
    yield _answers(summary)
    usage = summary.usage
    if usage.calls:
        cost = "" if usage.cost is None else f", ${usage.cost:.4f}"
        yield f"{usage.calls} calls, {usage.prompt_tokens + usage.completion_tokens} tokens{cost}"
    if summary.cached:
        yield f"{summary.cached} of {summary.verdicts} verdicts from the cache"
    if replay := config.getoption("faithmeter_replay"):
        yield f"replayed from {replay}: no verifier was asked"
    yield from config.stash.get(NOTES, [])
    yield from announce(summary, title="Faithfulness in the tests")


def _answers(summary: Summary) -> str:
    labels = ", ".join(f"{count} {label.replace('_', ' ')}" for label, count in summary.labels.items())
    answers = f"{summary.count} answer{'s' * (summary.count != 1)} checked, mean score {rounded(summary.mean)}"
    return f"{answers}; claims: {labels}" if labels else answers
