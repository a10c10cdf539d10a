"""Finds the smallest edit that makes an answer faithful, and has the verifier judge the outcome.

For each sentence with a claim that is not supported, in this order: exchange what it names wrongly for what is quoted,
put a hedge back, have an LLM rewrite it (where one is given), leave out the part that is not supported, leave out the
sentence. Each is judged before it is taken, and the whole answer once more at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from faithmeter.datamodels import Aside, Claim, Evidence, Failure, Label, Model, Outcome, Pair, Sample, Verdict
from faithmeter.evaluator import Evaluator
from faithmeter.fix.choice import in_doubt
from faithmeter.fix.cite import check_citations, mark_edits
from faithmeter.fix.cuts import Change, changed, phrases, sentence_cut, tidied
from faithmeter.fix.doubt import is_surely_unsupported
from faithmeter.fix.exchanges import TRIED, Exchanged, exchange
from faithmeter.fix.hedges import dropped
from faithmeter.fix.hedges import proposals as hedged
from faithmeter.fix.proposal import Proposal
from faithmeter.fix.rewriting import Rewriter, as_rewritten
from faithmeter.fix.swaps import proposals as swapped
from faithmeter.fix.swaps import unknown_things, wrong_units
from faithmeter.results import Result
from faithmeter.revision import Edit, EditKind, FixStatus, Revision, applied, pieces
from faithmeter.runtime.boundary import verified
from faithmeter.text.citation_marks import unmarked
from faithmeter.text.english.clause_removal import without
from faithmeter.text.english.clauses import clauses
from faithmeter.text.word_diff import differences

REFUSAL = "I cannot answer that from the sources I was given."
ROUNDS = 3
"""How often the answer is checked and what is still wrong in it cut."""


class Fixed(Model):
    """A fixed answer, and how it came about."""

    answer: str
    """The answer after all edits; the refusal text if nothing remained."""
    edits: tuple[Edit, ...]
    """The changes, in the order of the answer as it was."""
    result_before: Result
    """The check of the answer as it was."""
    result_after: Result
    """The check of the answer as it is now, by the same extractor and verifier."""
    status: FixStatus
    """faithful, fixed, doubtful, refused or unjudged; see `Revision`."""

    @property
    def revision(self) -> Revision:
        """The change without the two results, as it stands in results files."""
        return Revision(answer=self.answer, edits=self.edits, status=self.status, score=self.result_after.score)

    @property
    def pieces(self) -> list[tuple[str, str]]:
        """The difference as a reader sees it: ("kept" | "cut" | "added", words)."""
        return list(self.revision.pieces(self.result_before.sample.answer))

    def __rich__(self) -> object:
        from faithmeter.display import revision_rich

        return revision_rich(self.revision, self.result_before.sample.answer)

    def _repr_html_(self) -> str:
        from faithmeter.notebook import revision_html

        return revision_html(self.revision, self.result_before.sample.answer)


class _Sentence(NamedTuple):
    """A stretch of the answer, and the verdicts on what it claims."""

    start: int
    end: int
    verdicts: tuple[Verdict, ...]

    @property
    def failing(self) -> tuple[Verdict, ...]:
        return tuple(verdict for verdict in self.verdicts if verdict.label is not Label.SUPPORTED)


class Fixer:
    """Fixes answers with an evaluator's extractor and verifier."""

    def __init__(
        self,
        evaluator: Evaluator,
        *,
        refusal: str = REFUSAL,
        strict: bool = False,
        citations: bool = False,
        rewriter: Rewriter | None = None,
    ) -> None:
        self.evaluator = evaluator
        self.refusal = refusal
        self.strict = strict
        self.citations = citations
        self.rewriter = rewriter

    async def fix(self, given: Result | Sample) -> Fixed:
        """The smallest edit after which nothing that is surely unsupported is left; see `strict`."""
        before = given if isinstance(given, Result) else await self.evaluator.check(given)
        sample = before.sample
        if before.failures:
            return _unchanged(before, "unjudged")
        sentences = _sentences(before)
        edits: dict[tuple[int, int], list[Edit]] = {}
        for sentence in sentences:
            if new_edits := await (self._mended if sentence.failing else self._hedged)(sentence, sample):
                edits[sentence.start, sentence.end] = new_edits
        if not edits:
            fixed = _unchanged(before, "doubtful" if before.unsupported else "faithful")
        else:
            fixed = await self._settled(before, sentences, edits)
        marked = self.citations or before.citations is not None
        return await self._marked(fixed) if marked and fixed.status != "refused" else fixed

    async def _marked(self, fixed: Fixed) -> Fixed:
        """The same with its citation marks put right, which are judged on the answer as it is by then."""
        citations = await check_citations(fixed.result_after, self.evaluator.verifier)
        checked = fixed.result_after.model_copy(update={"citations": citations})
        original = fixed.result_before.sample.answer
        extra = []
        for edit in mark_edits(checked):
            start = _offset_before(original, fixed.edits, edit.start)
            if start is not None and original[start : start + len(edit.old)] == edit.old:
                extra.append(edit.model_copy(update={"start": start, "end": start + len(edit.old)}))
        extra = [e for e in extra if all(e.end <= o.start or o.end <= e.start for o in fixed.edits)]
        if not extra:
            return fixed.model_copy(update={"result_after": checked})
        edits = tuple(sorted([*fixed.edits, *extra], key=lambda edit: (edit.start, edit.end)))
        answer = applied(original, edits)
        after = await self._check(fixed.result_before.sample, answer)
        after = after.model_copy(update={"citations": await check_citations(after, self.evaluator.verifier)})
        worse = len(after.unsupported) > len(checked.unsupported) or after.failures
        if worse or (after.citations and citations.right > after.citations.right):
            return fixed.model_copy(update={"result_after": checked})
        status: FixStatus = "fixed" if fixed.status == "faithful" else fixed.status
        changes = {"answer": answer, "edits": edits, "result_after": after, "status": status}
        return fixed.model_copy(update=changes)

    async def _settled(
        self, before: Result, sentences: Sequence[_Sentence], edits: dict[tuple[int, int], list[Edit]]
    ) -> Fixed:
        """Check the answer with its edits, and cut what is wrong in it because of them, until nothing is."""
        sample = before.sample
        allowed = {verdict.claim.text for verdict in before.unsupported}
        for _ in range(ROUNDS):
            chosen = _whole(sample.answer, edits, before)
            answer = applied(sample.answer, chosen)
            after = await self._check(sample, answer)
            if after.failures:
                return _unchanged(before, "unjudged")
            if not after.outcomes:
                return await self._refused(before)
            wrong = [
                verdict
                for verdict in after.unsupported
                if not is_lead_in(verdict.claim.text) and (self.strict or verdict.claim.text not in allowed)
            ]
            if not wrong:
                if before.score is not None and (after.score is None or after.score < before.score):
                    return _unchanged(before, "doubtful")
                status: FixStatus = "doubtful" if after.unsupported else "fixed"
                return Fixed(
                    answer=answer, edits=tuple(chosen), result_before=before, result_after=after, status=status
                )
            for verdict in wrong:
                for sentence in _touched(sample.answer, chosen, verdict.claim, sentences):
                    edits[sentence.start, sentence.end] = [_cut(sample.answer, sentence)]
        return _unchanged(before, "doubtful")

    async def _refused(self, before: Result) -> Fixed:
        old = before.sample.answer
        after = await self._check(before.sample, self.refusal)
        gone = Edit(start=0, end=len(old), old=old, new=self.refusal, kind="cut", reason="no claim of it is supported")
        return Fixed(answer=self.refusal, edits=(gone,), result_before=before, result_after=after, status="refused")

    async def _check(self, sample: Sample, answer: str) -> Result:
        return await self.evaluator.check(sample.model_copy(update={"answer": answer}))

    async def _mended(self, sentence: _Sentence, sample: Sample) -> list[Edit]:
        """The edits that make one sentence faithful; none if it is to be left alone."""
        text = sample.answer[sentence.start : sentence.end]
        named = [*hedged(text, sample.contexts), *swapped(text, sample.contexts, beside=_beside(sentence, sample))]
        surely = self.strict or any(is_surely_unsupported(verdict, sample) for verdict in sentence.failing)
        surely = surely and not is_lead_in(text)  # what it introduces is judged; by itself it says too little to go
        tried = named if surely else in_doubt(named)
        if edits := await self._exchanged(sentence, sample, text, tried, doubtful=not surely):
            return edits
        if not surely:
            return []
        if self.rewriter and (edits := await self._rewritten(sentence, sample, text)):
            return edits
        if edits := await self._without_part(sentence, sample, text):
            return edits
        return [_cut(sample.answer, sentence)]

    async def _hedged(self, sentence: _Sentence, sample: Sample) -> list[Edit]:
        """A hedge that a sentence surely dropped, or something it surely has wrong, though the verifier supports it."""
        text = sample.answer[sentence.start : sentence.end]
        surely = [*dropped(text, sample.contexts), *wrong_units(text, sample.contexts)]
        if edits := await self._exchanged(sentence, sample, text, surely):
            return edits
        worst = min(sentence.verdicts, key=lambda verdict: 1.0 if verdict.support is None else verdict.support)
        asked, beside = sample.asked or "", _beside(sentence, sample)
        named = unknown_things(text, sample.contexts, asked=asked, beside=beside) if worst.support is not None else []
        return await self._exchanged(sentence, sample, text, named, instead_of=worst)

    async def _exchanged(
        self,
        sentence: _Sentence,
        sample: Sample,
        text: str,
        named: Sequence[Proposal],
        *,
        instead_of: Verdict | None = None,
        doubtful: bool = False,
    ) -> list[Edit]:
        """The exchanges that make a sentence supported, if they are clearly the best."""
        asked, beside = sample.asked or "", _beside(sentence, sample)
        done = await exchange(
            text,
            named,
            lambda texts: self._judged(texts, sentence.start, sentence.end, sample),
            unknown=lambda text: [*unknown_things(text, sample.contexts, asked=asked, beside=beside),
                                  *wrong_units(text, sample.contexts)],
            instead_of=instead_of,
            doubtful=doubtful,
        )  # fmt: skip
        return _exchange_edits(text, done, sentence.start) if done else []

    async def _without_part(self, sentence: _Sentence, sample: Sample, text: str) -> list[Edit]:
        """Leave out the clauses that are not supported, or one phrase, if the rest is supported."""
        ways: list[list[Change]] = []
        parts = clauses(text)
        if len(parts) > 1:
            judged = await self._judged([clause.text for clause in parts], sentence.start, sentence.end, sample)
            bad = {index for index, verdict in enumerate(judged) if not _supports(verdict)}
            if bad and len(bad) < len(parts) and (way := without(text, parts, bad)):
                ways.append(way)
        gaps = [gap for verdict in sentence.failing for gap in verdict.gaps if verdict.claim.text == text]
        ways += phrases(text, gaps)[:TRIED]
        texts = [changed(text, way) for way in ways]
        outcomes = await self._judged(texts, sentence.start, sentence.end, sample)
        good = [(way, verdict) for way, verdict in zip(ways, outcomes, strict=True) if _supports(verdict)]
        if not good:
            return []
        way, _ = min(good, key=lambda pair: len(text) - len(changed(text, pair[0])))
        against = sentence.failing[0]
        return [
            Edit(start=sentence.start + start, end=sentence.start + end, old=text[start:end], new=new, kind="cut",
                 reason=_why(against), evidence=against.evidence)
            for start, end, new in way
        ]  # fmt: skip

    async def _rewritten(self, sentence: _Sentence, sample: Sample, text: str) -> list[Edit]:
        assert self.rewriter
        written = await self.rewriter.rewrite(unmarked(text), sentence.failing, sample)
        new = as_rewritten(text, written, sample) if written else None
        if not new or new == text:
            return []
        (verdict,) = await self._judged([new], sentence.start, sentence.end, sample)
        if not _supports(verdict):
            return []
        return _edits(text, new, sentence.start, "rewrite", "rewritten from the evidence", _evidence(verdict))

    async def _judged(self, texts: Sequence[str], start: int, end: int, sample: Sample) -> list[Outcome]:
        """The verifier's word on other forms of a sentence, each in the answer as it would be."""
        pairs = []
        for text in texts:
            answer = sample.answer[:start] + text + sample.answer[end:]
            changed = sample.model_copy(update={"answer": answer})
            claim = Claim(text=unmarked(text), start=start, end=start + len(text))
            pairs.append(Pair(claim, changed))
        return await verified(self.evaluator.verifier.verify, pairs) if pairs else []


def _beside(sentence: _Sentence, sample: Sample) -> str:
    """What else was asked and said."""
    return " ".join([sample.asked or "", sample.answer[: sentence.start], sample.answer[sentence.end :]])


def _sentences(result: Result) -> list[_Sentence]:
    """The answer's sentences: where several claims share a stretch, or one lies in another, it is one."""
    sentences: list[_Sentence] = []
    for verdict in sorted(result.verdicts, key=lambda verdict: (verdict.claim.start, -verdict.claim.end)):
        claim = verdict.claim
        if sentences and claim.start < sentences[-1].end:
            last = sentences[-1]
            sentences[-1] = _Sentence(last.start, max(last.end, claim.end), (*last.verdicts, verdict))
        else:
            sentences.append(_Sentence(claim.start, claim.end, (verdict,)))
    return sentences


def _whole(answer: str, edits: dict[tuple[int, int], list[Edit]], before: Result) -> list[Edit]:
    """All edits in order, with what they leave behind."""
    chosen = sorted((edit for group in edits.values() for edit in group), key=lambda edit: (edit.start, edit.end))
    leads = [
        Aside(text=claim.text, start=claim.start, end=claim.end, kind="lead_in")
        for claim in (verdict.claim for verdict in before.verdicts)
        if is_lead_in(claim.text)
    ]
    for extra in tidied(answer, chosen, sorted([*before.asides, *leads], key=lambda aside: aside.start)):
        if all(extra.end <= edit.start or edit.end <= extra.start for edit in chosen):
            chosen.append(extra)
    merged: list[Edit] = []
    for edit in sorted(chosen, key=lambda edit: (edit.start, edit.end)):
        if merged and edit.start < merged[-1].end:
            end = max(edit.end, merged[-1].end)
            merged[-1] = merged[-1].model_copy(update={"end": end, "old": answer[merged[-1].start : end]})
        else:
            merged.append(edit)
    return merged


def _touched(answer: str, edits: Sequence[Edit], claim: Claim, sentences: Sequence[_Sentence]) -> list[_Sentence]:
    """The sentences of the answer as it was that a claim of the answer as it is comes from."""
    old = new = 0
    offsets: list[int] = []
    for change, text in pieces(answer, edits):
        if change == "kept":
            offsets += [old + offset for offset in range(len(text)) if claim.start <= new + offset < claim.end]
        elif change == "added" and claim.start < new + len(text) and new < claim.end:
            offsets.append(max(0, old - 1))
        old += len(text) * (change != "added")
        new += len(text) * (change != "cut")
    return [item for item in sentences if any(item.start <= offset < item.end for offset in offsets)]


def _offset_before(answer: str, edits: Sequence[Edit], offset: int) -> int | None:
    """Where an offset of the fixed answer was before its edits; None if it is in words that were added."""
    old = new = 0
    for change, text in pieces(answer, edits):
        if change == "kept" and new <= offset < new + len(text):
            return old + offset - new
        old += len(text) * (change != "added")
        new += len(text) * (change != "cut")
    return None


def _cut(answer: str, sentence: _Sentence) -> Edit:
    start, end = sentence_cut(answer, sentence.start, sentence.end)
    against = sentence.failing[0] if sentence.failing else sentence.verdicts[0]
    return Edit(
        start=start, end=end, old=answer[start:end], kind="cut", reason=_why(against), evidence=against.evidence
    )


def _edits(text: str, new: str, offset: int, kind: EditKind, reason: str, evidence: Iterable[Evidence]) -> list[Edit]:
    """The words in which two forms of a sentence differ, as edits of the answer."""
    return [
        Edit(start=offset + start, end=offset + end, old=text[start:end], new=words, kind=kind, reason=reason,
             evidence=tuple(evidence))
        for start, end, words in differences(text, new)
    ]  # fmt: skip


def _exchange_edits(text: str, done: Exchanged, offset: int) -> list[Edit]:
    """The edits of an exchange, each with the reason and the evidence of what went in there."""
    found = []
    for edit in _edits(text, done.text, offset, done.proposals[0].kind, "", ()):
        item = next((item for item in done.proposals if edit.new and edit.new in item.new), done.proposals[0])
        evidence = (item.evidence,) if item.evidence and len(done.proposals) > 1 else done.verdict.evidence
        evidence = evidence or ((item.evidence,) if item.evidence else ())
        found.append(edit.model_copy(update={"kind": item.kind, "reason": item.reason, "evidence": evidence}))
    return found


def is_lead_in(text: str) -> bool:
    """Whether a sentence only introduces what stands below it."""
    return text.rstrip("*_ ").endswith(":")


def _why(verdict: Verdict) -> str:
    return verdict.reason or verdict.word


def _supports(outcome: Outcome) -> bool:
    return not isinstance(outcome, Failure) and outcome.label is Label.SUPPORTED


def _evidence(outcome: Outcome) -> tuple[Evidence, ...]:
    return () if isinstance(outcome, Failure) else outcome.evidence


def _unchanged(before: Result, status: FixStatus) -> Fixed:
    return Fixed(answer=before.sample.answer, edits=(), result_before=before, result_after=before, status=status)
