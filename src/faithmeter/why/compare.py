"""A claim and the passage it is held against, word by word: what only one side has, and what stands in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

from faithmeter.datamodels import Kind, Sample
from faithmeter.evidence.passages import WORD, Index, as_text, best_evidence, select, stem
from faithmeter.text import Span
from faithmeter.text.english import word_tables as lexicon
from faithmeter.text.english.name_forms import has_other_form
from faithmeter.verify.local_features import numbers_in

LIGHT = (
    lexicon.STOP_WORDS
    | lexicon.FUNCTION
    | lexicon.words(
        "would could may might must shall cannot s t one also hardly barely ever never least majority minority handful "
        "additionally however moreover furthermore overall according st nd rd th"
    )
    | lexicon.DISCOURSE
)
"""Words that say little by themselves: whether a passage has them tells nothing."""
_REFERRING = lexicon.words(
    "company firm business organisation organization agency team group band author authors writer artist film movie "
    "book novel album song article report study paper survey city town village country region area place building "
    "hotel restaurant store shop venue establishment product item device model tool system software program service "
    "man woman person couple family player actor singer president event incident case passage passages context contexts"
)
"""What "the" and one of these refer to has another name in the contexts."""
_LONGEST = 3000
"""Characters of a claim or a passage that are compared: the time grows with their product."""
_WINDOWS = 8
"""Places of a number that are looked at."""
_SHORT = 1500
"""Characters of contexts that are looked at as a whole."""
BREAK = re.compile(r"[,;:()–—]|\s-\s")
_REACH = 200
"""Characters to either side of a quote in which its sentence begins and ends."""
_STOPS = (". ", "! ", "? ", "\n")
_OPENERS = '.!?:•*"“(\n-–'
_LINKS = frozenset({"of", "the", "de", "la", "van", "von", "del", "al", "bin", "for"})


class Word(NamedTuple):
    """A word of a text."""

    text: str
    stem: str
    """What it is matched by: lower case, number words as digits, inflections cut off."""
    start: int
    end: int
    heavy: bool
    """Whether it says something by itself."""
    opens: bool
    """Whether a sentence begins with it, so that its capital tells nothing."""


@lru_cache(maxsize=2048)
def read(text: str) -> tuple[Word, ...]:
    """The words of a text, in order."""
    words = []
    for match in WORD.finditer(text):
        lower = match[0].lower()
        before = text[max(0, match.start() - 3) : match.start()].rstrip()
        opens = (before[-1] in _OPENERS) if before else match.start() <= 3
        heavy = lower not in LIGHT or (match[0] == "May" and not opens)
        words.append(Word(match[0], stem(lower), *match.span(), heavy, opens))
    return tuple(words)


@lru_cache(maxsize=1 << 14)
def bases(word: str) -> tuple[str, ...]:
    """What a word may be an inflection of, in stems: open, of "opened" and "opening"."""
    for ending in ("ing", "ed", "es"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            bare = word[: -len(ending)]
            double = bare[:-1] if bare[-1] == bare[-2] else bare
            return tuple(dict.fromkeys((stem(bare), stem(f"{bare}e"), stem(double))))
    return ()


_HYPHENED = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?:[-‐‑][^\W\d_]++)+")
_CAMEL = re.compile(r"(?<![A-Za-z])[A-Z]?[a-z]{2,}+(?:[A-Z][a-z]++)+")
_HUMP = re.compile(r"[A-Z]?[a-z]+")
_INNER_CAPITAL = re.compile("[A-Z](?<=[a-z].)")
"""What every camel has; looked for by its capitals, of which there are few."""


def forms(text: str) -> frozenset[str]:
    """The stems of a text's words, however they are written: "Wi-Fi" is "wifi", and "TakeOut" "take" and "out"."""
    plain = {form for word in set(WORD.findall(text.lower())) for form in (stem(word), *bases(word))}
    if any(hyphen in text for hyphen in "-‐‑"):
        plain.update(stem(re.sub(r"\W", "", match[0].lower())) for match in _HYPHENED.finditer(text))
    if _INNER_CAPITAL.search(text):
        plain.update(stem(part.lower()) for match in _CAMEL.finditer(text) for part in _HUMP.findall(match[0]))
    return frozenset(plain)


def _known(words: Sequence[Word], text: str, stems: frozenset[str]) -> frozenset[int]:
    """The indices of the words that are among these forms, or whose other way of writing is."""
    known = {
        index
        for index, word in enumerate(words)
        if word.stem in stems or any(base in stems for base in bases(word.text.lower()))
    }
    if len(known) < len(words):
        for match in (*_HYPHENED.finditer(text), *_CAMEL.finditer(text)):
            others = forms(match[0]) - {word.stem for word in read(match[0])}
            if others and others <= stems:
                known.update(n for n, word in enumerate(words) if match.start() <= word.start < match.end())
    return frozenset(known)


class Finding(NamedTuple):
    """Something that may be wrong with a claim: some of its words, and those of the contexts that say otherwise."""

    kind: Kind
    weight: float
    ours: Span
    """The words of the claim."""
    theirs: str = ""
    """The words of the contexts that say otherwise."""
    wrong: Span | None = None
    """The words of the claim that are wrong, where they are not `ours`: the number that is said of something else."""


class Sources:
    """What the contexts of a sample hold, looked up once for all its claims."""

    def __init__(self, sample: Sample) -> None:
        self.texts = [context.text for context in sample.contexts]
        self.question = sample.question or ""

    @cached_property
    def whole(self) -> str:
        """All contexts, spaces levelled."""
        return " ".join("\n".join(self.texts).split())

    @cached_property
    def lower(self) -> str:
        """The same in lower case."""
        return self.whole.lower()

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all their words, and of the question's, which a claim may take up."""
        return forms("\n".join([*self.texts, self.question]))

    @cached_property
    def numbers(self) -> set[str]:
        """Their numbers, and the question's, in plain digits."""
        return numbers_in(f"{self.lower} {self.question}")

    def sentence(self, context: int, start: int, end: int) -> str:
        """A quote with the rest of its sentence: a verifier may show a few words of it."""
        text = self.texts[context]
        before = max((text.rfind(mark, max(0, start - _REACH), start) for mark in _STOPS), default=-1)
        begin = before + 1 if before >= 0 else start if start > _REACH else 0
        after = [stop for mark in _STOPS if (stop := text.find(mark, max(start, end - 1), end + _REACH)) >= 0]
        return text[begin : min(after) + 1 if after else max(end, min(len(text), end))].strip() or text[start:end]

    def near(self, claim: str) -> list[str]:
        """The passages that come nearest to a claim."""
        passages = best_evidence(claim, self._index, among=select(claim, self._index)) if self._index.passages else []
        return [self.texts[passage.context][passage.start : passage.end] for passage in passages]

    def about(self, claim: str) -> str:
        """What of the contexts bears on a claim: all of them if they are short."""
        if sum(map(len, self.texts)) <= _SHORT:
            return "\n".join(self.texts)
        return as_text(select(claim, self._index))

    @cached_property
    def _index(self) -> Index:
        return Index(self.texts)

    def around(self, words: str) -> Iterator[str]:
        """What stands around these words wherever a context has them, a few at most."""
        if words:
            pattern = re.compile(
                rf"(?<![\w.,]){re.escape(words)}(?![\w]|[.,]\d)|{re.escape(words)}(?=[^\W\d_])", re.IGNORECASE
            )
            windows = (
                text[max(0, m.start() - 12) : m.end() + 28] for text in self.texts for m in pattern.finditer(text)
            )
            yield from islice(windows, _WINDOWS)

    def has(self, words: str) -> bool:
        """Whether they say these words, in whatever case and spacing; a single word also in other ways of writing."""
        if " ".join(words.lower().split()) in self.lower:
            return True
        return bool(_HYPHENED.fullmatch(words) or _CAMEL.fullmatch(words)) and not self.lacking(read(words), words)

    def lacking(self, words: Sequence[Word], text: str) -> list[Word]:
        """Those of a text's words that they do not have."""
        known = _known(words, text, self.stems)
        return [word for n, word in enumerate(words) if n not in known]


class Comparison:
    """A claim beside a passage."""

    def __init__(self, claim: str, passage: str, sources: Sources) -> None:
        self.claim = claim = claim[:_LONGEST]
        self.passage = passage = passage[:_LONGEST]
        self.sources = sources
        self.ours = read(claim)
        self.theirs = read(passage)
        self.held = forms(passage)
        self.said = frozenset(word.stem for word in self.ours)

    @cached_property
    def coverage(self) -> float:
        """The share of the claim's heavy words that the passage has."""
        heavy = sum(word.heavy for word in self.ours)
        return 1 - len(self.foreign) / max(1, heavy)

    @cached_property
    def known(self) -> float:
        """The share of the claim's heavy words that any context has."""
        heavy = sum(word.heavy for word in self.ours)
        return 1 - len(self.absent) / max(1, heavy)

    @cached_property
    def absent(self) -> frozenset[int]:
        """The indices of the claim's heavy words that no context has, names in none of their forms."""
        lacking = self._lacking(self.sources.stems)
        return frozenset(n for n in lacking if not self._is_named_otherwise(self.ours[n].text))

    def _is_named_otherwise(self, word: str) -> bool:
        return word[:1].isupper() and has_other_form(word, self.sources.whole, self.sources.lower)

    @cached_property
    def foreign(self) -> frozenset[int]:
        """The indices of the claim's heavy words that the passage does not have."""
        return self._lacking(self.held)

    def _lacking(self, stems: frozenset[str]) -> frozenset[int]:
        known = _known(self.ours, self.claim, stems)
        return frozenset(
            n for n, word in enumerate(self.ours) if word.heavy and n not in known and not _refers(self.ours, n)
        )

    @cached_property
    def _steps(self) -> Sequence[tuple[str, int, int, int, int]]:
        ours, theirs = [word.stem for word in self.ours], [word.stem for word in self.theirs]
        return SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()

    def opposite(self, span: Sequence[int]) -> Span | None:
        """What of the passage stands where these characters stand in the claim; None where nothing does."""
        start, end = span[0], span[1]
        for step, low, high, first, last in self._steps:
            if step != "replace" or not self.ours[low].start < end or not start < self.ours[high - 1].end:
                continue
            return Span(self.theirs[first].start, self.theirs[last - 1].end)
        return None

    @cached_property
    def in_order(self) -> frozenset[int]:
        """The indices of the claim's words that the passage has in the same order."""
        return frozenset(n for step, low, high, _, _ in self._steps if step == "equal" for n in range(low, high))


def _refers(words: Sequence[Word], index: int) -> bool:
    """Whether a word takes up something that was named before: "The company" at the beginning."""
    lead = words[index - 1].text.lower() if index else ""
    return index < 3 and lead in ("the", "this", "these", "both") and words[index].text.lower() in _REFERRING


def names(words: Sequence[Word], text: str) -> list[Span]:
    """Where names stand, as far as capitals show them; one word that opens a sentence is none by itself."""
    spans: list[Span] = []
    index = 0
    while index < len(words):
        verb = words[index].opens and words[index + 1 : index + 2] and words[index + 1].text in ("the", "for")
        if verb or not _capital(words[index]):  # "Note the IPv6 entry" names no Note
            index += 1
            continue
        last = ahead = index
        while ahead + 1 < len(words) and text[words[ahead].end : words[ahead + 1].start] in (
            " ",
            "-",
            ". ",
            ".",
            "'",
            "’",
        ):
            ahead += 1
            if _capital(words[ahead]):
                last = ahead
            elif words[ahead].text not in _LINKS or ahead - last > 2:
                break
        first = words[index]
        if last > index or not first.opens or len(re.findall("[A-Z]", first.text)) > 1:
            spans.append(Span(first.start, words[last].end))
        index = last + 1
    return spans


def whole(text: str, span: Span) -> Span:
    """The span with the rest of the words that it cuts: "IPv4", not "IPv", and "Geun-hye"."""
    start, end = span
    while 0 < start < len(text) and text[start].isalnum() and text[start - 1].isalnum():
        start -= 1
    named = text[start : start + 1].isupper()
    while 0 < end < len(text) and text[end - 1].isalnum() and (text[end].isalnum() or (named and _joins(text, end))):
        end += 1 + (text[end] == "-")
    return Span(start, end)


def _joins(text: str, at: int) -> bool:
    """Whether a hyphen between letters stands there."""
    return text[at] == "-" and text[at - 1].isalpha() and text[at + 1 : at + 2].isalpha()


def _capital(word: Word) -> bool:
    if word.opens and word.stem.isdecimal():
        return False  # "Two deputies"
    return word.text[:1].isupper() and (word.heavy or not word.opens) and word.text.lower() not in LIGHT


def nearest(claim: str, pieces: Sequence[str]) -> str:
    """The piece that has most of the claim's words, the shorter of two with as many."""
    wanted = {word.stem for word in read(claim) if word.heavy}
    return max(pieces, key=lambda piece: (len(wanted & {word.stem for word in read(piece)}), -len(piece)))
