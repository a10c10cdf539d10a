"""Makes rows; evidence is selected by the code that selects it at inference."""

from __future__ import annotations

import asyncio
import itertools
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from faithmeter.datamodels import Claim, Context, Sample
from faithmeter.evidence.passages import Index, antecedent, as_text, best_evidence, select, terms
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.text import sentences
from faithmeter.verify.local import BRIEF
from training.answered import key_of, silver_marks
from training.corrupt import corrupt, names, reword
from training.deeds import make_deeds
from training.pairs import Neighbours, cut, fuse
from training.records import make_records
from training.roles import by_pronoun, kind_of, readings
from training.rows import BLURRED, LABELS, Row
from training.skills.compose import Asked, Made
from training.skills.compose import make as make_skill
from training.skills.marks import wrong_words
from training.slips import sayings, slips
from training.written import Case, all_cases
from training.written import make as make_written

WEIGHTS = {
    "snli": 0.5, "lingnli": 0.7, "cf_snli": 0.7, "nlismall_mpe": 0.3, "covidfact": 0.5, "climate_fever": 0.5,
    "attributionbench": 3.0, "begin": 3.0, "wice_claim_oracle": 2.0, "summedits": 2.0, "diasumfact": 2.0,
    "finegrained_rlhf": 1.0, "factscore": 1.5, "control": 1.0, "ragtruth": 4.0, "silver": 2.0, "healthver": 0.7,
    "answered": 4.0, "answered_records": 4.0, "answered_retrieved": 6.0,
}  # fmt: skip
"""How often a source is drawn: more for what is close to the task and small."""

BURIED = {
    "vitaminc_real_test", "vitaminc_synthetic_test", "docnli_fever", "fever_symmetric", "fever_adversarial_test",
    "fool_me_twice", "begin", "nlismall_mnli", "lingnli", "nlismall_scitail", "healthver", "nlismall_rte",
}  # fmt: skip
"""Short contexts, some of which are put between others of their source, as a retriever would."""

MINED = {"snli": 0.0, "cf_snli": 0.0, "nlismall_mpe": 0.0, "conjnli": 0.0, "lingnli": 0.05, "nlismall_mnli": 0.1}
"""Share of a source's claims that are also set against other contexts; 0.25 for those not named."""


BLURRED_SHARE = 0.7
"""How often a written case comes a second time with a text that only the teacher judges."""

NAMES_AT_MOST = 800
"""Claims of a file in which two names are swapped that no clause has as its ends."""


class Indexes:
    """Reads each context once, as long as rows on one context come together."""

    def __init__(self) -> None:
        self._contexts: tuple[str, ...] = ()
        self._index = Index(())

    def __getitem__(self, contexts: tuple[str, ...]) -> Index:
        if contexts != self._contexts:
            self._contexts, self._index = contexts, Index(contexts)
        return self._index


class Builder:
    """Makes rows, with one source of randomness."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.indexes = Indexes()
        self.twice = False
        """Whether rows keep the evidence of a second reading too, as at inference."""

    def row(self, claim: str, contexts: Sequence[str], label: str, *, refers: str = "", **known: Any) -> Row:
        """Select the evidence and make a row; `refers` is the hint."""
        claim = " ".join(claim.split())
        index = self.indexes[tuple(contexts)]
        passages = select(claim, index, hint=refers)
        more = brief = ""
        if self.twice and len(passages) < len(index.passages):
            more = as_text(select(claim, index, hint=refers, used=passages))
        if self.twice:
            first = select(claim, index, hint=refers, share=BRIEF)
            brief = as_text(first) if first != passages else ""
        known = {"marks": None, "source": "", "more": more, "brief": brief, **known}
        return Row(claim, refers, as_text(passages), LABELS.index(label), **known)

    def claims(self, name: str, rows: list[dict[str, Any]]) -> Iterator[Row]:
        """Make rows of a claim file; every fourth goes without its question, as many claims do."""
        pool = [row["context"] for row in rows]
        for row in sorted(rows, key=lambda row: str(row["context"])):
            contexts = [row["context"]]
            if name in BURIED and self.rng.random() < 0.3:
                contexts += self.rng.choices(pool, k=self.rng.randint(1, 3))
                self.rng.shuffle(contexts)
            question = asked(row)
            refers = antecedent(row["claim"], question=question) if self.rng.random() < 0.75 else ""
            marks: list[tuple[int, int]] | None = [] if row["label"] == "supported" else None
            yield self.row(row["claim"], contexts, row["label"], refers=refers, marks=marks, source=name,
                           weight=WEIGHTS.get(name, 1.0))  # fmt: skip

    def mined(self, name: str, rows: list[dict[str, Any]]) -> Iterator[Row]:
        """Set claims against other contexts that speak of the same things; the teacher says what holds."""
        share = MINED.get(name, 0.25)
        drawn = [row for row in rows if self.rng.random() < share]
        if not drawn:
            return
        near = Neighbours(sorted({row["context"] for row in rows}))
        pairs = []
        for row in drawn:
            found = near.near(row["claim"], row["context"], count=4)
            if found:
                short = len(found[0]) < 400
                pairs.append((tuple(found[: self.rng.randint(1, 4)] if short else found[:1]), row["claim"]))
        for contexts, claim in sorted(pairs):
            yield self.row(claim, contexts, "unlabelled", source="mined")

    def merged(self, rows: list[dict[str, Any]]) -> Iterator[Row]:
        """Make one claim of two or three on a context: it holds when all do."""
        on: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in rows:
            if len(row["context"]) > 200 and len(row["claim"]) < 160:
                on[row["context"]].append(row)
        for context in sorted(context for context, some in on.items() if len(some) > 1):
            for _ in range(min(12, len(on[context]) // 2)):
                some = self.rng.sample(on[context], min(len(on[context]), self.rng.choice((2, 2, 3))))
                yield self._all_of(context, [(row["claim"].strip(), row["label"]) for row in some])

    def _all_of(self, context: str, claims: list[tuple[str, str]]) -> Row:
        joint = self.rng.choice((". ", ". ", ", and ", "; "))
        text, marks = "", []
        for claim, label in claims:
            text += joint if text else ""
            begin, text = len(text), text + claim.rstrip(".")
            if label != "supported":
                marks.append((begin, len(text)))
        labels = {label for _, label in claims} - {"supported"}
        label = "supported" if not labels else labels.pop() if len(labels) == 1 else "not_supported"
        return self.row(text + ".", [context], label, marks=marks, source="merged")

    def answers(self, rows: list[dict[str, Any]], source: str, *, first_group: int) -> Iterator[Row]:
        """Make a row of each claim of each answer; most silver answers are labelled as a whole."""
        for number, row in enumerate(sorted(rows, key=lambda row: str(row["context"]))):
            spans = row["labels"] if "labels" in row else silver_marks().get(key_of(row["answer"]))
            for claim, refers in told(row):
                label, marks = _silver(row) if spans is None else span_label(claim, spans)
                contexts = row.get("contexts") or [row["context"]]
                yield self.row(claim.text, contexts, label, refers=refers, marks=marks, source=source,
                               group=first_group + number, weight=WEIGHTS.get(source, 1.0))  # fmt: skip

    def synthetic(self, documents: dict[str, list[str]], count: int) -> Iterator[Row]:
        """Corrupt, reword and cut sentences and supported claims of documents, the longer and richer the oftener."""
        made = 0
        pool = sorted(documents)
        strangers = [m.group() for text in self.rng.sample(pool, min(1500, len(pool))) for m in names(text[:3000])]
        richness = [1 + min(3, len(name) // 600) + min(40, len(documents[name])) for name in pool]
        drawn = Counter(self.rng.choices(pool, richness, k=count // 8))
        for document in itertools.cycle([name for name in pool for _ in range(drawn[name])]):
            if made >= count:
                return
            bases = [base for base in documents[document] if 30 < len(base) < 320]
            inside = [s.of(document) for s in sentences(document)]
            inside = [text for text in inside if 40 < len(text) < 320 and text[-1:] in '.!?"”']
            for base in self.rng.sample(bases, min(5, len(bases))) + self.rng.sample(inside, min(5, len(inside))):
                flat = " ".join(base.split())
                rows = [
                    *self._variants(flat, document, copied=base in inside, pool=pool, strangers=strangers),
                    *self._pieces(flat, document, inside),
                ]
                yield from rows
                made += len(rows)

    def _pieces(self, base: str, document: str, inside: list[str]) -> Iterator[Row]:
        rng = self.rng
        other = " ".join(rng.choice(inside).split()) if inside else base
        for made, share in ((cut(base, rng), 0.2), (fuse(base, other, rng), 0.15), (fuse(other, base, rng), 0.15)):
            if made and rng.random() < share and other != base:
                yield self.row(made, [document], "unlabelled", source="pieces")

    def _variants(
        self, base: str, document: str, *, copied: bool, pool: list[str], strangers: list[str]
    ) -> Iterator[Row]:
        rng = self.rng
        if rng.random() < 0.5:
            text = reword(base, rng) if rng.random() < 0.75 else base
            yield self.row(text, [document], "supported", marks=[], source="reworded")
        done: set[str] = set()
        for _ in range(2):
            text = reword(base, rng) if rng.random() < 0.3 else base
            found = corrupt(text, document, rng, strangers=strangers, but=done)
            if found and rng.random() < 0.6:
                kind, made = found
                done.add(kind)
                yield self.row(made.text, [document], made.label, marks=made.marks, source=f"corrupt_{kind}")
        if copied and rng.random() < 0.2:
            rest = document.replace(base, " ")
            if rest != document and not _said_elsewhere(base, rest):
                yield self.row(base, [rest], "not_enough_info", source="left_out")
        if rng.random() < 0.08:
            yield self.row(base, [rng.choice(pool)], "not_enough_info", source="elsewhere")
        if rng.random() < 0.15:
            yield from self._joined(base, document, rng.choice(pool))

    def _joined(self, base: str, document: str, other: str) -> Iterator[Row]:
        """Go on with a sentence of the same document, which holds, or of another, which does not."""
        strange = self.rng.random() < 0.6
        source = other if strange else document
        found = [" ".join(s.of(source).split()) for s in sentences(source)]
        found = [text for text in found if (25 < len(text) < 140 and text not in document) or not strange]
        if not found or base[-1:] != ".":
            return
        extra = self.rng.choice(found).rstrip(".")
        joint = self.rng.choice([", and ", "; ", ". ", ", while "])
        text = base[:-1] + joint + extra + "."
        marks = [(len(base) - 1 + len(joint), len(text) - 1)] if strange else []
        label = "not_enough_info" if strange else "supported"
        yield self.row(text, [document], label, marks=marks, source="joined")

    def slips(self, rows: list[tuple[str, str, str]]) -> Iterator[Row]:
        """Make slips in claims that someone wrote about a context (claim, context, hint), and say some otherwise."""
        strangers = [m.group() for claim, _, _ in rows[::3] for m in names(claim)]
        for claim, context, refers in sorted(rows, key=lambda row: row[1]):
            text = " ".join(claim.split())
            made = list(slips(text, context, self.rng, strangers=strangers))
            for slip in made:
                yield self.row(slip.text, [context], slip.label, refers=refers, marks=slip.marks, source="slip")
            for said in sayings(text, self.rng) if made else ():
                yield self.row(said, [context], "supported", refers=refers, marks=[], source="no_slip")

    def bereft(self, rows: list[tuple[str, str, str]]) -> Iterator[Row]:
        """Take from a context what a claim rests on most; the teacher says whether the rest still bears it out."""
        whole = Indexes()
        for claim, context, refers in sorted(rows, key=lambda row: row[1]):
            index = whole[(context,)]
            if len(index.passages) < 4:
                continue
            passages = select(claim, index, hint=refers)
            rest = context
            for passage in reversed(
                best_evidence(claim, index, hint=refers, among=passages, at_most=self.rng.randint(1, 2))
            ):
                rest = f"{rest[: passage.start]} {rest[passage.end :]}"
            yield self.row(claim, [rest], "unlabelled", refers=refers, source="bereft")

    def roles(self, written: list[tuple[str, str, str]], inside: list[tuple[str, str, str]]) -> Iterator[Row]:
        """Swap the ends of claims (claim, context, hint) and of sentences of contexts; of mere names only some."""
        by_name = NAMES_AT_MOST
        for where, bases in (("written", written), ("inside", inside)):
            chosen = []
            flat = {(" ".join(claim.split()), context): refers for claim, context, refers in bases}
            for (claim, context), refers in self.rng.sample(sorted(flat.items()), len(flat)):
                kind = kind_of(claim, context)
                by_name -= kind == "names"
                if kind != "names" or by_name >= 0:
                    chosen.append((context, claim, refers, where if kind == "two_sided" else kind))
            for context, claim, refers, kind in sorted(chosen):
                yield from self._swaps(claim, context, refers, kind)

    def _swaps(self, claim: str, context: str, refers: str, kind: str) -> Iterator[Row]:
        for read in readings(claim, context, self.rng):
            same = read.context == context
            source = f"role_{kind if same or kind == 'names' else 'exchanged'}"
            yield self.row(read.claim, [read.context], read.label, refers=refers if same else "", source=source)
        for read, name in by_pronoun(claim, context, self.rng):
            last = name.split()[-1]
            near = [text for text in (s.of(context) for s in sentences(context[:3000])) if last in text]
            known = refers if last in refers else antecedent(read.claim, before=self.rng.choice(near)) if near else name
            yield self.row(read.claim, [context], read.label, refers=known, source="role_pronoun")

    def deeds(self, count: int, *, names: Sequence[str], around: Sequence[str]) -> Iterator[Row]:
        """Make rows about made deeds, some among sentences of other texts."""
        made = 0
        while made < count:
            for deed in make_deeds(self.rng, names=names, around=self.rng.choice(around) if around else ""):
                yield self.row(deed.claim, [deed.context], deed.label, refers=deed.before, source="role_made")
                made += 1

    def skills(self, kinds: Sequence[str], count: int, *, around: Sequence[str], held: bool) -> Iterator[Row]:
        """Make rows that take reasoning, as many of each kind; `held` ones use wordings kept from training."""
        for kind in kinds:
            made = 0
            while made < count // len(kinds):
                told = list(make_skill(self.rng, kind, around=around, held=held))
                good = [one.claim for one in told if one.label == "supported"]
                for one in told:
                    if one.held == held:
                        yield self._reasoned(one.claim, [one.context], one, good, source=f"skill_{one.kind}")
                        made += 1

    def written(self, count: int, *, around: Sequence[str], held: bool) -> Iterator[Row]:
        """Make rows of the written cases, each as often as any other."""
        cases = [case for case in all_cases() if case.held == held]
        order: list[Case] = []
        made = 0
        while cases and made < count:
            order = order or self.rng.sample(cases, len(cases))
            case = order.pop()
            rows = list(self._case(case, around=around))
            if not held and self.rng.random() < BLURRED_SHARE:
                rows += self._case(case, around=around, blurred=True)
            yield from rows
            made += len(rows)

    def _case(self, case: Case, *, around: Sequence[str], blurred: bool = False) -> Iterator[Row]:
        contexts, asked = make_written(self.rng, case, around=around, blurred=blurred)
        good = [one.text for one in asked if one.label == "supported"]
        for one in asked:
            source = BLURRED if blurred else f"skill_written_{one.kind}"
            yield self._reasoned(one.text, contexts, one, good, source=source)

    def _reasoned(
        self, claim: str, contexts: Sequence[str], one: Made | Asked, good: Sequence[str], *, source: str
    ) -> Row:
        """A claim that takes reasoning; `good` are those of its text that hold, beside which its wrong words show."""
        refers = antecedent(claim, question=one.question or None)
        unknown, right = one.label == "unlabelled", one.label == "supported"
        marks = None if unknown else [] if right else wrong_words(claim, good)
        return self.row(claim, contexts, one.label, refers=refers, marks=marks, source=source)

    def records(self, seed: int, count: int) -> Iterator[Row]:
        """Make rows about made records and tables."""
        for made in make_records(seed, count):
            yield self.row(made.claim, [made.context], made.label, marks=made.marks, source="records")


def asked(row: dict[str, Any]) -> str | None:
    """The question of a claim row, without the wrapping some sources put around it."""
    question = row.get("question")
    if not question or question == "n/a":
        return None
    return re.sub(r"^Question: ", "", question)


def claims_of(answer: str, context: str) -> tuple[Claim, ...]:
    """Take an answer's claims as the default extractor does."""
    return asyncio.run(SentenceExtractor().extract(Sample(answer=answer, contexts=(Context(text=context),)))).claims


def told(row: dict[str, Any]) -> Iterator[tuple[Claim, str]]:
    """The claims of an answer, each with its hint."""
    for claim in claims_of(row["answer"], row["context"]):
        yield claim, antecedent(claim.text, question=row.get("question"), before=row["answer"][: claim.start])


def span_label(claim: Claim, spans: list[dict[str, Any]]) -> tuple[str, list[tuple[int, int]]]:
    """Label a claim by the human spans that touch it: conflict before baseless, else supported."""
    label, marks = "supported", []
    for span in spans:
        start, end = max(span["start"], claim.start), min(span["end"], claim.end)
        if end - start >= min(5, span["end"] - span["start"]):
            marks.append((start - claim.start, end - claim.start))
            conflict = "Conflict" in span["label_type"]
            label = "contradicted" if conflict or label == "contradicted" else "not_enough_info"
    return label, marks


def _silver(row: dict[str, Any]) -> tuple[str, list[tuple[int, int]] | None]:
    """A good answer has good claims; of a bad one it is not known which claim is bad."""
    return ("supported", []) if row["label"] == 1 else ("unlabelled", None)


def _said_elsewhere(base: str, rest: str) -> bool:
    """Whether the rest of a document might well bear a sentence out."""
    wanted = set(terms(base))
    shared = [len(wanted & set(terms(s.of(rest)))) / max(1, len(wanted)) for s in sentences(rest)]
    return len(wanted) < 4 or max(shared, default=0.0) > 0.5
