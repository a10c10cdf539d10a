"""Checks each citation mark against the passage that it names, with the verifier that judges the claims.

Precision and recall are those of ALCE (Gao et al. 2023): a mark is right if its passage supports the claim, or is
needed besides the others that are cited; a claim counts as cited if its passages, taken together, support it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from faithmeter.citations import Citation, Citations
from faithmeter.datamodels import Claim, Label, Pair, Sample, Verdict
from faithmeter.evaluator import Evaluator
from faithmeter.evidence.passages import terms
from faithmeter.results import Result
from faithmeter.revision import Edit
from faithmeter.runtime.boundary import verified
from faithmeter.text.citation_marks import Mark, definitions, marks, resolve, unmarked
from faithmeter.verify import Verifier

OTHERS = 4
"""Other passages that are tried where the cited one does not support a claim."""


class CitationStep(NamedTuple):
    """Checks the citations of each answer that an evaluator has judged: `Evaluator(steps=[CitationStep()])`."""

    @property
    def signature(self) -> str:
        """How citations are checked."""
        return "citations:1"

    async def run(self, result: Result, evaluator: Evaluator) -> Result:
        """The result with its citations."""
        return result.model_copy(update={"citations": await check_citations(result, evaluator.verifier)})


async def check_citations(result: Result, verifier: Verifier) -> Citations:
    """Hold each mark of an answer against its passage, and find the claims without marks."""
    sample = result.sample
    ids = [context.id for context in sample.contexts]
    all_marks = marks(sample.answer, [id_ for id_ in ids if id_])
    said = definitions(sample.answer)
    from_zero = any("0" in mark.names for mark in all_marks)
    claims = [verdict.claim for verdict in result.verdicts]
    checked: list[Citation] = []
    uncited: list[tuple[int, int]] = []
    cited = 0
    for claim, own in _assigned(claims, all_marks):
        if not own:
            uncited.append((claim.start, claim.end))
            continue
        named = [(mark, name, resolve(name, ids, said, from_zero=from_zero)) for mark in own for name in mark.names]
        judge = _Judge(claim, sample, verifier)
        supported, items = await _claim(judge, named, sample.answer)
        cited += supported
        checked += items
    return Citations(marks=tuple(checked), claims=len(claims), cited=cited, uncited=tuple(uncited))


def _assigned(claims: Sequence[Claim], all_marks: Sequence[Mark]) -> list[tuple[Claim, list[Mark]]]:
    """Each claim with its marks: those inside it, and those after it before the next claim."""
    own: list[list[Mark]] = [[] for _ in claims]
    for mark in all_marks:
        inside = [n for n, claim in enumerate(claims) if claim.start <= mark.start < claim.end]
        before = [n for n, claim in enumerate(claims) if claim.start <= mark.start]
        indices = inside or before[-1:] or ([0] if claims else [])
        for index in indices:
            own[index].append(mark)
    return list(zip(claims, own, strict=True))


class _Judge:
    """Asks whether some passages alone support a claim, each set once."""

    def __init__(self, claim: Claim, sample: Sample, verifier: Verifier) -> None:
        self.sample = sample
        self.verifier = verifier
        self.text = unmarked(claim.text).strip() or claim.text
        self.start = claim.start
        self.known: dict[frozenset[int], bool] = {}

    async def supports(self, *sets: frozenset[int]) -> list[bool]:
        """Whether each set of passages supports the claim."""
        missing = [indices for indices in dict.fromkeys(sets) if indices not in self.known]
        self.known |= {indices: False for indices in missing if not indices}
        asked = [indices for indices in missing if indices]
        pairs = []
        for indices in asked:
            contexts = tuple(self.sample.contexts[index] for index in sorted(indices))
            claim = Claim(text=self.text, start=self.start, end=self.start + len(self.text))
            pairs.append(Pair(claim, self.sample.model_copy(update={"contexts": contexts})))
        outcomes = await verified(self.verifier.verify, pairs) if pairs else []
        for indices, outcome in zip(asked, outcomes, strict=True):
            self.known[indices] = isinstance(outcome, Verdict) and outcome.label is Label.SUPPORTED
        return [self.known[indices] for indices in sets]


async def _claim(
    judge: _Judge, named: Sequence[tuple[Mark, str, int | None]], answer: str
) -> tuple[bool, list[Citation]]:
    """Whether the cited passages together support a claim, and what is found about each."""
    cited = frozenset(index for _, _, index in named if index is not None)
    alone = [frozenset({index}) for index in sorted(cited)]
    together, *each = await judge.supports(cited, *alone)
    by_index = {next(iter(indices)): right for indices, right in zip(alone, each, strict=True)}
    needed = await _needed(judge, cited) if together else frozenset()
    better: int | None = None
    if not all(index is not None and (by_index[index] or index in needed) for _, _, index in named):
        better = await _better(judge, cited, by_index)
    citations = []
    for mark, name, index in named:
        base = {"start": mark.start, "end": mark.end, "mark": answer[mark.start : mark.end], "name": name}
        if index is None:
            citations.append(Citation.model_validate({**base, "found": "unknown", "better": better}))
        elif by_index[index] or index in needed:
            citations.append(Citation.model_validate({**base, "context": index, "found": "right"}))
        else:
            word = "unsupported" if better is None else "wrong_passage"
            citations.append(Citation.model_validate({**base, "context": index, "found": word, "better": better}))
    return together or any(by_index.values()), citations


async def _needed(judge: _Judge, cited: frozenset[int]) -> frozenset[int]:
    """The passages without which the others do not support the claim."""
    if len(cited) < 2:
        return cited
    indices = sorted(cited)
    without = await judge.supports(*(cited - {index} for index in indices))
    return frozenset(index for index, rest in zip(indices, without, strict=True) if not rest)


async def _better(judge: _Judge, cited: frozenset[int], by_index: dict[int, bool]) -> int | None:
    """The passage that supports the claim: one that is cited rightly, else the likeliest of the others."""
    if right := [index for index, good in by_index.items() if good]:
        return right[0]
    wanted = set(terms(judge.text))
    shares = {
        index: len(wanted.intersection(terms(context.text)))
        for index, context in enumerate(judge.sample.contexts)
        if index not in cited
    }
    tried = sorted((index for index in shares if shares[index]), key=lambda index: (-shares[index], index))[:OTHERS]
    supported = await judge.supports(*(frozenset({index}) for index in tried))
    return next((index for index, good in zip(tried, supported, strict=True) if good), None)


def mark_edits(result: Result) -> list[Edit]:
    """What puts an answer's wrong marks right: the passage that supports the claim, or no mark."""
    if result.citations is None:
        return []
    sample = result.sample
    ids = [context.id for context in sample.contexts]
    from_zero = any(mark.name == "0" for mark in result.citations.marks)
    by_mark: dict[tuple[int, int], list[Citation]] = {}
    for citation in result.citations.marks:
        by_mark.setdefault((citation.start, citation.end), []).append(citation)
    edits = []
    for (start, end), citations in sorted(by_mark.items()):
        if all(item.found == "right" for item in citations):
            continue
        names = [item.name for item in citations if item.found == "right"]
        for item in citations:
            if item.found != "right" and item.better is not None:
                name = ids[item.better] if item.name in ids and ids[item.better] else None
                names.append(name or str(item.better + (not from_zero)))
        new = _written(citations[0], list(dict.fromkeys(names)))
        if not new and sample.answer[start - 1 : start] == " ":
            start -= 1
        old = sample.answer[start:end]
        reason = "; ".join(_why(item) for item in citations if item.found != "right")
        edits.append(Edit(start=start, end=end, old=old, new=new, kind="mark", reason=reason))
    return edits


def _written(citation: Citation, names: Sequence[str]) -> str:
    """A mark in its own style that names other passages; "" if there is none to name."""
    if not names:
        return ""
    mark = citation.mark
    if mark.startswith("【"):
        zero = ":" in mark.partition("†")[0]
        return "".join(_lenticular(mark, int(name) - 1 if zero else int(name)) for name in names)
    if mark.startswith("[^"):
        return "".join(f"[^{name}]" for name in names)
    first = next((index for index, letter in enumerate(mark) if letter.isdigit()), None)
    if mark[0] in "([" and first is not None:
        return mark[:first] + ", ".join(names) + mark[-1]
    if mark[0] in "([":
        return "".join(f"[{name}]" for name in names)
    return "".join(name.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")) for name in names)


def _lenticular(mark: str, number: int) -> str:
    head, dagger, tail = mark[1:-1].partition("†")
    message, colon, _ = head.rpartition(":")
    return f"【{message}{colon}{number}{dagger}{tail}】"


def _why(citation: Citation) -> str:
    said = {
        "wrong_passage": "does not support it",
        "unsupported": "does not support it, nor does another",
        "unknown": "is no passage",
    }
    instead = f"; passage {citation.better + 1} does" if citation.better is not None else ""
    return f"{citation.name!r} {said.get(citation.found, '')}{instead}"
