"""What people say about claims and answers: the label files, and which verdict each label is about.

A label file is JSON Lines or CSV, a row for each label:

    sample   the id of the sample (also `id`, `sample_id`)
    claim    the claim's text; with `start` and `end`, where it is in the answer. Without any: the whole answer's label
    label    a verdict's label, or `not_supported`; for answers also faithful, unfaithful, 1, 0, true, false
    by       who says so; several people may label the same claim
    spans    for an answer: the parts that are not supported, as [start, end] or {"start", "end", …}; implies `label`
    note     anything
    rate, bound   how `faithmeter label` drew the claim, so that figures speak for all claims, not for the doubtful
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

from pydantic import AliasChoices, ConfigDict, Field, ValidationError, field_validator, model_validator

from faithmeter.data import jsonl
from faithmeter.data.files import last_line
from faithmeter.data.jsonl import shown
from faithmeter.data.text_formats import Record, parse
from faithmeter.datamodels import Claim, Label, Model, Text
from faithmeter.errors import DataError, RowError, first_problem

Word = Literal["supported", "partially_supported", "contradicted", "not_enough_info", "not_supported", "unclear"]

_WORDS: Mapping[str, Word] = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "faithful", "consistent"), "supported"),
    **dict.fromkeys(("0", "0.0", "false", "no", "unfaithful", "hallucinated", "unsupported"), "not_supported"),
    **dict.fromkeys(("skip", "unsure", "?"), "unclear"),
}
_SEVERITY = ("contradicted", "not_supported", "not_enough_info", "partially_supported", "supported")
OVERLAP = 0.5  # of a label's part of the answer and a claim's, shared over joint, for the label to be the claim's


class MarkedSpan(Model):
    """A part of the answer that the contexts do not support."""

    start: int = Field(ge=0)
    """Where it begins."""
    end: int = Field(ge=0)
    """Where it ends."""


class HumanLabel(Model):
    """What one person says about one claim, or about a whole answer."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    sample: str = Field(validation_alias=AliasChoices("sample", "sample_id", "id"))
    """The sample's id."""
    claim: Text | None = None
    """The claim's text; None, and no start: the label is about the whole answer."""
    start: int | None = Field(default=None, ge=0)
    """Where the claim begins in the answer."""
    end: int | None = Field(default=None, ge=0)
    """Where it ends."""
    label: Word
    """What the contexts say about it; `unclear` is left out."""
    by: str = ""
    """Who says so."""
    spans: tuple[MarkedSpan, ...] | None = None
    """For an answer: the parts that are not supported; None: nobody marked any."""
    note: str = ""
    """Anything."""
    rate: float | None = Field(default=None, gt=0)
    """How eagerly `faithmeter label` picked claims like this one."""
    bound: float | None = Field(default=None, gt=0)
    """How far along the queue it was; None: the whole queue was labelled."""

    @model_validator(mode="before")
    @classmethod
    def _tidy(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        data = {key: value for key, value in data.items() if value is not None and value != ""}
        if "spans" in data:
            data["spans"] = _spans(data["spans"])
            data.setdefault("label", "not_supported" if data["spans"] else "supported")
        for name in ("sample", "sample_id", "id"):
            if isinstance(data.get(name), int):
                data[name] = str(data[name])
        return data

    @field_validator("label", mode="before")
    @classmethod
    def _known_words(cls, value: Any) -> Any:
        word = str(value).strip().lower().replace(" ", "_").replace("-", "_")
        return _WORDS.get(word, word)

    @model_validator(mode="after")
    def _place(self) -> Self:
        if (self.start is None) != (self.end is None):
            raise ValueError("start and end go together")
        return self

    @property
    def key(self) -> tuple[str, str, int | None, int | None]:
        """What it is about: equal keys, the same claim or answer."""
        return self.sample, _plain(self.claim or ""), self.start, self.end


class Gold(NamedTuple):
    """What people together say about one claim or answer."""

    sample: str
    claim: str | None
    offsets: tuple[int, int] | None
    label: Word
    spans: tuple[tuple[int, int], ...] | None
    weight: float
    """How many claims it represents: more than 1 where claims like it were rarely sampled."""


def read_labels(path: str | Path) -> list[HumanLabel]:
    """The labels of a file: CSV by its ending, JSON Lines otherwise.

    A last line that is cut off, as a kill leaves it, is no label, and is left out.
    """
    path = Path(path)
    suffix = path.suffix.lower() if path.suffix.lower() in (".csv", ".tsv") else ".jsonl"
    torn = False
    try:
        with path.open("rb") as file:
            records = list(parse(file, str(path), suffix))
            if records and isinstance(records[-1].value, RowError) and suffix == ".jsonl":
                torn = jsonl.is_torn(last_line(file))
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    labels = [_parsed(record) for record in (records[:-1] if torn else records)]
    if not labels and not torn:
        raise DataError(f"{path}: no labels; expected rows with 'sample', 'claim' and 'label'")
    return labels


def settle(labels: Iterable[HumanLabel]) -> tuple[list[Gold], int]:
    """What people say together: the majority about each claim or answer, and how many had none.

    A person who labels a claim twice is counted once, with what was said last. Where as many find it supported as
    not, or all are unclear, it is left out and counted.
    """
    last = {(label.key, label.by): label for label in labels}
    about: dict[Any, list[HumanLabel]] = defaultdict(list)
    for (key, _), label in last.items():
        about[key].append(label)
    bound = _bound(last.values())
    golds, split = [], 0
    for group in about.values():
        word = _majority([label.label for label in group])
        if word is None:
            split += 1
            continue
        first = group[0]
        marked = [label.spans for label in group if label.spans is not None]
        spans = tuple((span.start, span.end) for spans in marked for span in spans) if marked else None
        offsets = (first.start, first.end) if first.start is not None and first.end is not None else None
        golds.append(Gold(first.sample, first.claim, offsets, word, spans, _weight(first, bound)))
    return golds, split


def between_people(labels: Iterable[HumanLabel]) -> dict[tuple[str, str], list[tuple[Word, Word]]]:
    """For each two people, what they said about the claims or answers that both labelled."""
    said: dict[str, dict[Any, Word]] = defaultdict(dict)
    for label in labels:
        if label.label != "unclear":
            said[label.by or "?"][label.key] = label.label
    people = sorted(said)
    return {
        (one, two): both
        for index, one in enumerate(people)
        for two in people[index + 1 :]
        if (both := [(word, said[two][key]) for key, word in said[one].items() if key in said[two]])
    }


def find_claim(gold: Gold, claims: Sequence[Claim]) -> Claim | None:
    """The claim that a label is about: the same words, or else the same part of the answer."""
    words = _plain(gold.claim or "")
    same = [claim for claim in claims if words and _plain(claim.text) == words]
    if gold.offsets is None:
        return same[0] if same else None
    nearest = max(same or claims, key=lambda claim: _shared(claim, gold.offsets), default=None)
    return nearest if same or (nearest and _shared(nearest, gold.offsets) >= OVERLAP) else None


def touched(claim: Claim, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether a claim's part of the answer holds some of the marked parts."""
    return any(start < claim.end and claim.start < end for start, end in spans)


def _majority(words: Sequence[Word]) -> Word | None:
    """The word most people chose on the side that most people are on; None where the sides are even."""
    clear = [word for word in words if word != "unclear"]
    good = [word for word in clear if word == "supported"]
    bad = [word for word in clear if word != "supported"]
    if len(good) == len(bad):
        return None
    if len(good) > len(bad):
        return "supported"
    counts = Counter(bad)
    return max(counts, key=lambda word: (counts[word], -_SEVERITY.index(word)))


def _bound(labels: Iterable[HumanLabel]) -> float:
    """How far along the queue the labelling came, over everybody."""
    drawn = [label for label in labels if label.rate is not None]
    return max((math.inf if label.bound is None else label.bound for label in drawn), default=math.inf)


def _weight(label: HumanLabel, bound: float) -> float:
    """One over the chance that a claim with this rate is among those drawn up to the bound (see `labelling`)."""
    if label.rate is None or math.isinf(bound):
        return 1.0
    return -1 / math.expm1(-label.rate * bound)


def _shared(claim: Claim, offsets: tuple[int, int] | None) -> float:
    if offsets is None:
        return 0.0
    shared = min(claim.end, offsets[1]) - max(claim.start, offsets[0])
    return max(0, shared) / max(1, max(claim.end, offsets[1]) - min(claim.start, offsets[0]))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _spans(value: Any) -> list[Any]:
    """A list of spans; in a CSV file it is JSON in a cell."""
    try:
        spans = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError) as error:
        raise ValueError(f"spans cannot be read: {error}") from None
    if not isinstance(spans, list | tuple):
        raise ValueError("spans must be a list of [start, end]")
    return [_span(item) for item in spans]


def _span(item: Any) -> Any:
    if isinstance(item, Mapping):
        return {"start": item.get("start"), "end": item.get("end")}
    if isinstance(item, Sequence) and not isinstance(item, str) and len(item) == 2:
        return {"start": item[0], "end": item[1]}
    return item


def _parsed(record: Record) -> HumanLabel:
    if isinstance(record.value, RowError):
        raise record.value
    try:
        return HumanLabel.model_validate(record.value)
    except ValidationError as error:
        problem, given = first_problem(error), shown(error.errors()[0]["input"])
        known = f"; known: {', '.join(Label)}, not_supported, unclear" if problem.startswith("label:") else ""
        raise DataError(f"{record.where}: {problem}{known}, found {given}") from None
