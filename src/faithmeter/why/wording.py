"""How a claim says it: negations, extents, roles, whose number it is, how certain, by whom, why and when."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from faithmeter.evidence.passages import stem
from faithmeter.text import Span
from faithmeter.text.english.verbs import AUXILIARIES
from faithmeter.text.english.word_tables import MODALS, words
from faithmeter.verify.bound_numbers import misbound
from faithmeter.verify.local_features import AMOUNTS, OPPOSITES
from faithmeter.verify.owners import misowned
from faithmeter.why.compare import BREAK, LIGHT, Comparison, Finding, names, read
from faithmeter.why.figures import DATES, same
from faithmeter.why.numbered import counted

_NEGATION = re.compile(
    r"\b(?:not(?! only\b)|never|no(?! (?:more|less|fewer|longer) than\b)|none|nobody|nothing|neither|nor|cannot|without"
    r"|\w+n['’]t)\b",
    re.IGNORECASE,
)
_STRETCH, _LEAD = 5, 3
"""Words that a quote of what is denied reaches over, and light ones that lead to it: "can be renewed"."""
_LEADS = AUXILIARIES | {"be", "been", "being", "a", "an", "the"}
_PREFIXED = re.compile(r"^(?:un|in|im|dis|non|ir|il)(?=\w{4})")
_OPPOSED = {
    stem(word): stem(other)
    for pair in (
        "increase decrease", "increased decreased", "rise fall", "rose fell", "raised lowered", "higher lower",
        "more less", "open close", "opened closed", "win lose", "won lost", "accept reject", "accepted rejected",
        "allow forbid", "allowed banned", "include exclude", "support oppose", "best worst", "better worse",
        "strong weak", "early late", "above below", "good bad", "success failure", "succeeded failed",
        "approved rejected", "legal illegal", "safe dangerous", "true false", "easy difficult", "cheap expensive",
        "friendly rude", "clean dirty", "hot cold", "large small", "larger smaller", "largest smallest", "fast slow",
        "young old", "gained lost", "positive negative", "enabled disabled", "required optional", "indoor outdoor",
        "north south", "east west", "left right", "buy sell", "bought sold", "male female", "import export",
        "public private", "guilty innocent", "alive dead",
    )
    for word, other in (pair.split(), pair.split()[::-1])
}  # fmt: skip


def negations(seen: Comparison) -> Iterator[Finding]:
    """A "not" on one side only, or a word against its opposite."""
    ours, theirs = list(_scopes(seen.claim)), list(_scopes(seen.passage))
    for span, scope in ours:
        if any(not set(scope).isdisjoint(other) for _, other in theirs):
            continue
        shared = not seen.held.isdisjoint(scope)
        weight = 0.83 if shared and not theirs else 0.7 if shared else 0.5
        yield Finding("negation", weight, _with_auxiliary(seen.claim, span), _said(seen, scope))
    for span, scope in theirs:
        if not ours and not seen.said.isdisjoint(scope):
            yield Finding("negation", 0.6 if len(theirs) == 1 else 0.4, _span_of_first(seen, scope),
                          _phrase(seen.passage, span).of(seen.passage))  # fmt: skip
    others = [(other, other.text.lower()) for other in seen.theirs] if seen.foreign else []
    others_bare = [_PREFIXED.sub("", lower) for _, lower in others]
    for index in sorted(seen.foreign):
        word = seen.ours[index]
        opposed, said = _OPPOSED.get(word.stem), word.text.lower()
        bare = _PREFIXED.sub("", said)
        for (other, lower), other_bare in zip(others, others_bare, strict=True):
            denied = lower != said and ((bare != said and bare == lower) or other_bare == said)
            if denied or (opposed and other.stem == opposed):
                yield Finding("negation", 0.72, Span(word.start, word.end), other.text)
                break


def _scopes(text: str) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Each negation with the stems of what it denies: the few heavy words after it."""
    words = read(text)
    for match in _NEGATION.finditer(text):
        after = [word.stem for word in words if word.start >= match.end() and word.heavy]
        before = [word.stem for word in words if word.end <= match.start() and word.heavy]
        yield Span(*match.span()), tuple(after[:3] or before[-2:])


_AUXILIARY = re.compile(r"\b(?:is|are|was|were|am|will|would|can|could|should|must|has|have|had|does|do|did) $", re.I)


def _with_auxiliary(text: str, span: Span) -> Span:
    auxiliary = _AUXILIARY.search(text, max(0, span.start - 8), span.start)
    return Span(auxiliary.start() if auxiliary else span.start, span.end)


def _phrase(text: str, span: Span, *, heavy: int = 2) -> Span:
    """A word with those that follow, up to the next break, the last of them one that says something."""
    end = last = span.end
    for word in read(text):
        if word.start < span.end:
            continue
        if BREAK.search(text, span.end, word.start) or not heavy or text[last : word.start].strip(" '’-"):
            break
        last = word.end
        if word.heavy:
            end, heavy = word.end, heavy - 1
    return Span(span.start, end)


def _said(seen: Comparison, denied: Sequence[str]) -> str:
    """Where the passage says what the claim denies: all of the sentence if it lacks the first word that is denied."""
    indices = [n for n, word in enumerate(seen.theirs) if word.stem in denied]
    if not indices:
        return ""
    first, last = indices[0], max(n for n in indices if n - indices[0] < _STRETCH)
    said = {word.stem for word in seen.theirs[first : last + 1]}
    if denied[0] not in said or seen.theirs[last].stem.isdecimal():
        return _sentence(seen.passage, seen.theirs[first].start)  # "not taken with milk", of "two hours after milk"
    for _ in range(_LEAD):
        if first and seen.theirs[first - 1].text.lower() in _LEADS and not _apart(seen, first):
            first -= 1
    return seen.passage[seen.theirs[first].start : seen.theirs[last].end]


def _sentence(text: str, at: int) -> str:
    start = max(text.rfind(stop, 0, at) for stop in (". ", "! ", "? ", "\n")) + 1
    ends = [end for stop in (". ", "! ", "? ", "\n") if (end := text.find(stop, at)) >= 0]
    return text[start : min(ends, default=len(text))].strip(" .!?\n")


def _apart(seen: Comparison, index: int) -> bool:
    between = seen.passage[seen.theirs[index - 1].end : seen.theirs[index].start]
    return bool(between.strip(" '’-"))


def _span_of_first(seen: Comparison, stems: Sequence[str]) -> Span:
    words = [word for word in seen.ours if word.stem in stems]
    return Span(words[0].start, words[0].end)


_PHRASES = {
    "hardly any": "few", "hardly ever": "few", "very often": "many", "a small minority": "few", "a handful": "few",
    "the great majority": "many", "the majority": "many", "a minority": "few", "at least": "above", "at most": "below",
    "more than": "above", "less than": "below", "fewer than": "below", "no more than": "below", "no less than": "above",
    "up to": "below", "over": "above", "under": "below", "above": "above", "below": "below", "almost": "below",
    "nearly": "below", "upwards of": "above", "exceeding": "above", "once": "times", "twice": "times", "half": "half",
    "ten times": "times", "each": "all", "least popular": "low", "most popular": "high", "only": "only",
}  # fmt: skip
_CLASSES = AMOUNTS | _PHRASES
_AMOUNT = re.compile(rf"\b(?:{'|'.join(sorted(_CLASSES, key=len, reverse=True))})\b", re.IGNORECASE)
_NUMERIC = re.compile(r"\s+(?:the\s+|an?\s+)?[$€£]?\s?(?:\d|half\b|one\b|two\b|three\b)|\s+an?\s")
_MORE_OPPOSED = {
    "above": {"below"},
    "below": {"above"},
    "half": {"all", "none"},
    "times": {"times"},
    "only": set[str](),
}
_FAMILIES = {
    kind: family.split()[0]
    for family in ("all many some few none half", "high low", "above below", "times", "only")
    for kind in family.split()
}
"""Kinds of amounts that can stand for each other: "most" is no answer to "twice"."""


class _Extent(NamedTuple):
    form: str
    kind: str
    span: Span
    thing: str


def _extents(text: str) -> Iterator[_Extent]:
    words = read(text)
    for match in _AMOUNT.finditer(text):
        form = match[0].lower()
        kind = _CLASSES[form]
        if kind in ("above", "below") and not _NUMERIC.match(text, match.end()):
            continue
        thing = next((word.stem for word in words if word.start >= match.end() and word.heavy), "")
        yield _Extent(form, kind, Span(*match.span()), thing)


_OF = re.compile(
    r"\s(?:of\s)?(?:the\s|its\s|their\s|these\s|those\s|his\s|her\s|an?\s)?"
    r"(?:(?P<figure>[$€£]?\d[\d,.]*+(?<=\d))|(?P<thing>[^\W\d_]{3,40}+(?:-[^\W\d_]{1,40})?)(?P<more>\s[^\W\d_]{3,40})?)"
)
_HOW_OFTEN = re.compile(r"\w+ly|always|often|sometimes|never|seldom|hardly ever", re.IGNORECASE)


def _of_what(text: str, span: Span) -> Span:
    """An amount with what it is said of: "most of the patients", "hardly any new strains"."""
    match = None if _HOW_OFTEN.fullmatch(span.of(text)) else _OF.match(text, span.end)
    if not match or (match["thing"] or "").lower() in LIGHT:
        return span
    more = (match["more"] or "").strip().lower()
    whole = bool(match["figure"]) or match["thing"].endswith("s") or not more or more in LIGHT
    return Span(span.start, match.end() - (len(match["more"] or "") if whole else 0))


def extents(seen: Comparison) -> Iterator[Finding]:
    """How many, how often, at least or at most: turned round."""
    theirs = list(_extents(seen.passage))
    for ours in _extents(seen.claim):
        if any(other.form == ours.form or (other.kind == ours.kind != "times") for other in theirs):
            continue
        against = OPPOSITES.get(ours.kind) or _MORE_OPPOSED.get(ours.kind, set())
        opposed = [other for other in theirs if other.kind in against]
        across = seen.opposite(ours.span)
        alike = [other for other in theirs if _FAMILIES.get(other.kind) == _FAMILIES.get(ours.kind)]
        there = [o for o in alike if across and o.span.start < across.end and across.start < o.span.end]
        same = [other for other in opposed if other.thing == ours.thing]
        if same or there:
            yield Finding("quantity", 0.89, ours.span, (same or there)[0].span.of(seen.passage))
        elif opposed:
            yield Finding("quantity", 0.75, ours.span, opposed[0].span.of(seen.passage))
        elif ours.form not in ("no", "none", "neither", "only", "first", "last", "both"):
            yield Finding("quantity", 0.5, _of_what(seen.claim, ours.span))


_DENIED = 0.3
"""What it takes from a turned role that the passage denies it."""


def turned(seen: Comparison) -> Iterator[Finding]:
    """The same words in another order: who did what to whom."""
    held = {word.stem for word in seen.theirs}
    moved = [
        n
        for n, word in enumerate(seen.ours)
        if word.heavy and word.stem in held and n not in seen.in_order and not word.stem.isdecimal()
    ]
    if not moved or any(not seen.ours[n].text[:1].isupper() for n in seen.absent):
        return  # what is new was not turned round
    inside = [span for span in names(seen.ours, seen.claim)
              if any(span.start <= seen.ours[n].start < span.end for n in moved)]  # fmt: skip
    weight = 0.35 + 0.25 * (not seen.absent) + 0.1 * (len(seen.foreign) <= 1) + 0.1 * bool(inside)
    span = inside[0] if inside else Span(seen.ours[moved[0]].start, seen.ours[moved[0]].end)
    theirs = _between(seen)
    said = {word.text.lower() for word in seen.ours}
    hedge = next((word for word in read(theirs) if word.text in _HEDGES and word.text not in said), None)
    if hedge and said.isdisjoint(_HEDGES):  # "A deal could be signed", of which the claim says that it was
        yield Finding("certainty", weight, _whole(seen), _phrase(theirs, Span(hedge.start, hedge.end)).of(theirs))
    elif _NEGATION.search(theirs) and not _NEGATION.search(seen.claim):
        yield Finding("role", weight - _DENIED, span, theirs)
    else:
        yield Finding("role", weight, span, theirs)


def _between(seen: Comparison) -> str:
    """The stretch of the passage that has the claim's words, in its own order."""
    shared = [word for word in seen.theirs if word.stem in seen.said and word.heavy]
    return seen.passage[shared[0].start : shared[-1].end] if len(shared) > 1 else ""


_BOUND = 1.3
"""Weight of a number that the contexts say of something else, and another of what the claim speaks of, and of what is
someone else's: it is what the verifier goes by."""
_CLAUSE = re.compile(r"[,;]|\b(?:while|whereas|but|and)\b", re.IGNORECASE)


def misattributed(seen: Comparison) -> Iterator[Finding]:
    """A number that the passage has, but says of something else; a thing that is someone else's."""
    if found := misbound(seen.claim, seen.sources.about(seen.claim)):
        yield Finding("attribution", _BOUND, found.subject, found.of, found.number)
        return
    another = misowned(seen.claim, seen.sources.about(seen.claim))
    if another and not another.named:  # another name is found as such
        yield Finding("attribution", _BOUND, another.owner, another.of, another.owner)
        return
    ours = [word for word in seen.ours if word.heavy]
    others = counted(seen.passage, seen.claim.lower())
    for quantity in counted(seen.claim, seen.sources.lower):
        for other in others:
            if quantity.dimension in DATES or not same(quantity, other):
                continue
            breaks = [match.end() for match in _CLAUSE.finditer(seen.passage, 0, other.start)]
            begin = breaks[-1] if breaks else 0
            clause = [word for word in seen.theirs if begin <= word.start < other.start]
            known = {word.stem for word in clause}
            not_of = [w for w in ours if w.stem not in known and w.stem in seen.held and w.end <= quantity.start]
            of = [word for word in clause if word.heavy and word.stem not in seen.said and not word.stem.isdecimal()]
            not_of = [word for word in not_of if not word.stem.isdecimal()]
            if clause and not_of and of and sum(word.stem in seen.said for word in clause if word.heavy):
                run = [word for n, word in enumerate(of) if n == 0 or of[n - 1].end + 1 == word.start]
                yield Finding("attribution", 0.78, Span(not_of[0].start, not_of[0].end),
                              seen.passage[run[0].start : run[-1].end])  # fmt: skip
                return


_HEDGES = (MODALS - words("will would if unless can must claim claims claimed")) | words(
    "want wants wanted hope hopes hoped aim aims propose proposes proposed consider considers considering"
)
_SOURCES = re.compile(r"\b(?:according to|said|says|say|told|stated|claimed|claims|argued|reported|announced)\b", re.I)
_CAUSES = re.compile(
    r"\b(?:because|due to|caused?|causes|led to|leads to|result(?:s|ed)? (?:in|of|from)|thanks to|owing to"
    r"|therefore)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:before|after|since|until|prior to|later|earlier|following|then|during|while)\b", re.IGNORECASE
)


_LATER = dict.fromkeys(("before", "until", "prior to", "earlier"), False)
_LATER |= dict.fromkeys(("after", "since", "later", "following", "then"), True)


def _opposed_order(one: str, other: str) -> bool:
    sides = _LATER.get(one.lower()), _LATER.get(other.lower())
    return None not in sides and sides[0] != sides[1]


def manners(seen: Comparison) -> Iterator[Finding]:
    """How certain it is, who says so, why, and in which order."""
    said = {word.text.lower() for word in seen.ours}
    hedged = [w for w in seen.theirs if w.text in _HEDGES and w.text not in said]
    if hedged and not any(word in _HEDGES for word in said) and seen.coverage >= 0.5:
        yield Finding("certainty", 0.47, _whole(seen),
                      _phrase(seen.passage, Span(hedged[0].start, hedged[0].end)).of(seen.passage))  # fmt: skip
    for kind, pattern, weight in (("attribution", _SOURCES, 0.4), ("cause", _CAUSES, 0.46), ("time", _ORDER, 0.44)):
        ours, theirs = list(pattern.finditer(seen.claim)), list(pattern.finditer(seen.passage))
        lower = {match[0].lower() for match in theirs}
        for match in ours:
            if match[0].lower() in lower or (kind == "attribution" and theirs):
                continue
            other = next((t[0] for t in theirs if _opposed_order(t[0], match[0])), "") if kind == "time" else ""
            span = (
                Span(*match.span()) if other else _with_speaker(seen, match) or _phrase(seen.claim, Span(*match.span()))
            )
            yield Finding(kind, weight + 0.1 * bool(other), span, other)  # type: ignore[arg-type]
            break


def _with_speaker(seen: Comparison, match: re.Match[str]) -> Span | None:
    """A verb of saying with the words before it: "the mayor said"."""
    before = [word for word in seen.ours if word.end <= match.start()][-2:]
    if not _SOURCES.fullmatch(match[0]) or match[0].lower() == "according to" or not before:
        return None
    return None if BREAK.search(seen.claim, before[0].end, match.start()) else Span(before[0].start, match.end())


def _whole(seen: Comparison) -> Span:
    return Span(seen.ours[0].start, seen.ours[-1].end) if seen.ours else Span(0, len(seen.claim))
