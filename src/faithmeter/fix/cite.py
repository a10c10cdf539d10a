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
    found = marks(sample.answer, [id_ for id_ in ids if id_])
    said = definitions(sample.answer)
    from_zero = any("0" in mark.names for mark in found)
    claims = [verdict.claim for verdict in result.verdicts]
    checked: list[Citation] = []
    uncited: list[tuple[int, int]] = []
    cited = 0
    for claim, own in _assigned(claims, found):
        if not own:
            uncited.append((claim.start, claim.end))
            continue
        named = [(mark, name, resolve(name, ids, said, from_zero=from_zero)) for mark in own for name in mark.names]
        judge = _Judge(claim, sample, verifier)
        supported, items = await _claim(judge, named, sample.answer)
        cited += supported
        checked += items
    return Citations(marks=tuple(checked), claims=len(claims), cited=cited, uncited=tuple(uncited))


def _assigned(claims: Sequence[Claim], found: Sequence[Mark]) -> list[tuple[Claim, list[Mark]]]:
    """Each claim with its marks: those inside it, and those after it before the next claim."""
    own: list[list[Mark]] = [[] for _ in claims]
    for mark in found:
        inside = [n for n, claim in enumerate(claims) if claim.start <= mark.start < claim.end]
        before = [n for n, claim in enumerate(claims) if claim.start <= mark.start]
        places = inside or before[-1:] or ([0] if claims else [])
        for place in places:
            own[place].append(mark)
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
        missing = [places for places in dict.fromkeys(sets) if places not in self.known]
        self.known |= {places: False for places in missing if not places}
        asked = [places for places in missing if places]
        pairs = []
        for places in asked:
            contexts = tuple(self.sample.contexts[place] for place in sorted(places))
            claim = Claim(text=self.text, start=self.start, end=self.start + len(self.text))
            pairs.append(Pair(claim, self.sample.model_copy(update={"contexts": contexts})))
        outcomes = await verified(self.verifier.verify, pairs) if pairs else []
        for places, outcome in zip(asked, outcomes, strict=True):
            self.known[places] = isinstance(outcome, Verdict) and outcome.label is Label.SUPPORTED
        return [self.known[places] for places in sets]


async def _claim(
    judge: _Judge, named: Sequence[tuple[Mark, str, int | None]], answer: str
) -> tuple[bool, list[Citation]]:
    """Whether the cited passages together support a claim, and what is found about each."""
    cited = frozenset(place for _, _, place in named if place is not None)
    alone = [frozenset({place}) for place in sorted(cited)]
    together, *each = await judge.supports(cited, *alone)
    by_place = {next(iter(places)): right for places, right in zip(alone, each, strict=True)}
    needed = await _needed(judge, cited) if together else frozenset()
    better: int | None = None
    if not all(place is not None and (by_place[place] or place in needed) for _, _, place in named):
        better = await _better(judge, cited, by_place)
    found = []
    for mark, name, place in named:
        base = {"start": mark.start, "end": mark.end, "mark": answer[mark.start : mark.end], "name": name}
        if place is None:
            found.append(Citation.model_validate({**base, "found": "unknown", "better": better}))
        elif by_place[place] or place in needed:
            found.append(Citation.model_validate({**base, "context": place, "found": "right"}))
        else:
            word = "unsupported" if better is None else "wrong_passage"
            found.append(Citation.model_validate({**base, "context": place, "found": word, "better": better}))
    return together or any(by_place.values()), found


async def _needed(judge: _Judge, cited: frozenset[int]) -> frozenset[int]:
    """The passages without which the others do not support the claim."""
    if len(cited) < 2:
        return cited
    places = sorted(cited)
    without = await judge.supports(*(cited - {place} for place in places))
    return frozenset(place for place, rest in zip(places, without, strict=True) if not rest)


async def _better(judge: _Judge, cited: frozenset[int], by_place: dict[int, bool]) -> int | None:
    """The passage that supports the claim: one that is cited rightly, else the likeliest of the others."""
    if right := [place for place, good in by_place.items() if good]:
        return right[0]
    wanted = set(terms(judge.text))
    shares = {
        place: len(wanted.intersection(terms(context.text)))
        for place, context in enumerate(judge.sample.contexts)
        if place not in cited
    }
    tried = sorted((place for place in shares if shares[place]), key=lambda place: (-shares[place], place))[:OTHERS]
    supported = await judge.supports(*(frozenset({place}) for place in tried))
    return next((place for place, good in zip(tried, supported, strict=True) if good), None)


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
    for (start, end), found in sorted(by_mark.items()):
        if all(item.found == "right" for item in found):
            continue
        names = [item.name for item in found if item.found == "right"]
        for item in found:
            if item.found != "right" and item.better is not None:
                name = ids[item.better] if item.name in ids and ids[item.better] else None
                names.append(name or str(item.better + (not from_zero)))
        new = _written(found[0], list(dict.fromkeys(names)))
        if not new and sample.answer[start - 1 : start] == " ":
            start -= 1
        old = sample.answer[start:end]
        reason = "; ".join(_why(item) for item in found if item.found != "right")
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
    first = next((place for place, letter in enumerate(mark) if letter.isdigit()), None)
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
