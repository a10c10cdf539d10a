"""Cuts a compound sentence into clauses that each say something on their own.

Each clause has its offsets in the sentence, a text that stands alone (the subject carried over), and the stretch that
would have to go for the rest to stay a sentence. What is not surely two assertions stays one: conditions, reported
speech, "or", negated pairs and questions are never cut. No word of content is lost: a clause that drops some is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from faithmeter.text.english import verbs
from faithmeter.text.english.clause_insets import RELATIVES, appositions, items, relatives
from faithmeter.text.english.clause_words import (
    ADVERBS,
    DETERMINERS,
    NEGATION,
    PREPOSITIONS,
    REPORTS,
    SUBJECTS,
    Clause,
    Role,
    Word,
    first_finite,
    tokens,
)
from faithmeter.text.english.word_tables import STOP_WORDS, words

LONGEST = 90  # words of a sentence that is looked into
_STOP = re.compile(r"(?<![.!])[.!]++[\"'”’)\]*_]*+(?>(?:\s*+\[[^\]]{1,12}\]){0,20})\s*+\Z")
_BLOCKED = re.compile(r"[?\n:{}<>|`]|https?://|\bnot only\b|\beither\b|\bneither\b|\bwhether\b|\bboth\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"(?:if|when|because|unless|after|before|since|until|once|as soon as|as long as|given that|in case|whenever)\b",
    re.IGNORECASE,
)
_SAID_OF_IT = re.compile(
    r",\s*(?:who|which|whose|an?|the|one|his|her|its|their)\b.*\Z|(?<!\s)\s*+\([^)]{0,400}\)", re.DOTALL
)
_JOINS = words("and but while whereas although though yet")


def clauses(sentence: str) -> list[Clause]:
    """The clauses of a sentence, in order; one, if it cannot surely be cut."""
    stop = _STOP.search(sentence)
    end = stop.start() if stop else len(sentence.rstrip())
    lead = len(sentence) - len(sentence.lstrip())
    whole = Clause(lead, len(sentence.rstrip()), sentence.strip(), (lead, len(sentence)), "main")
    body = sentence[:end]
    words = tokens(body)
    if not 4 <= len(words) <= LONGEST or _BLOCKED.search(body) or _CONDITION.match(body.lstrip("\"'“*_ ")):
        return [whole]
    if body.count('"') or "“" in body:
        return [whole]
    parts = [clause for segment in _coordinate(body, words) for clause in _inside(body, segment)]
    parts.sort(key=lambda clause: clause.start)
    if len(parts) < 2 or not _complete(body, parts):
        return [whole]
    return [clause._replace(text=_finished(clause.text)) for clause in parts]


class _Segment(NamedTuple):
    """A coordinate clause: its words, what joins it to the rest, and the subject it is given, if it has none."""

    first: int
    last: int  # one past
    words: list[Word]
    cut: tuple[int, int]
    role: Role
    given: str = ""


def _coordinate(body: str, words: list[Word]) -> Iterator[_Segment]:
    """The coordinate clauses and verb phrases of a sentence."""
    cuts: list[tuple[int, int, Role, str]] = []  # (where the joining words begin, where the clause begins, …)
    begin = 0
    depth = 0
    for at, word in enumerate(words):
        depth += (word.text in "([") - (word.text in ")]")
        if depth or at < 2 or at + 2 >= len(words) or not (word.lower in _JOINS or word.text == ";"):
            continue
        joined = at - 1 if words[at - 1].text == "," else at
        start = at + 1
        if word.text == ";" and words[start].lower in _JOINS:
            start += 1
        if not _is_whole(words, begin, joined, strict=word.lower == "and"):
            continue
        role, given = _after_join(body, words, begin, joined, start, comma=joined < at or word.text == ";")
        if role is None or (word.lower in ("while", "although", "though", "whereas") and role != "clause"):
            continue
        cuts.append((joined, start, role, given))
        if role == "clause":
            begin = start
    if not cuts:
        yield _Segment(0, len(words), words, (words[0].start, len(body)), "main")
        return
    edges = [*(joined for joined, *_ in cuts), len(words)]
    yield _Segment(0, edges[0], words, (words[0].start, words[cuts[0][1]].start), "main")
    for index, (joined, start, role, given) in enumerate(cuts):
        cut = (words[joined].start, words[edges[index + 1] - 1].end)
        if words[joined].start > 0 and body[words[joined].start - 1] == " ":
            cut = (words[joined].start - 1, cut[1])
        yield _Segment(start, edges[index + 1], words, cut, role, given)


def _is_whole(words: list[Word], first: int, last: int, *, strict: bool) -> bool:
    """Whether the words before a join are a whole clause that says nothing under a condition or in another's name."""
    verb = first_finite(words, first, last)
    if verb is None:
        return False
    between = {word.lower for word in words[first:last]}
    if between & REPORTS:
        return False
    return not (strict and words[last - 1].lower in PREPOSITIONS)


def _after_join(
    body: str, words: list[Word], begin: int, joined: int, start: int, *, comma: bool
) -> tuple[Role | None, str]:
    """What comes after a join: a clause with a subject of its own, or a verb that needs the one before; else None."""
    last = next((at for at in range(start, len(words)) if words[at].text == ";"), len(words))
    at = start
    while at < last - 1 and (words[at].lower in ADVERBS or words[at].lower.endswith("ly")):
        at += 1
    head = _subject(body, words, begin, joined)
    if head is None:
        return None, ""
    subject, verb = head
    related = any(word.lower in RELATIVES for word in words[verb:joined])
    carried = None if related else _carried_over(body, words, verb, joined, at)
    if carried is not None:
        return "verb", f"{subject} {carried}".rstrip()
    own = first_finite(words, start, last)
    if own is None or own - start > 9 or own == at:
        return None, ""
    phrase = words[at:own]
    if any(word.text in ",;:" or word.lower in ("who", "which", "that") for word in phrase[1:]):
        return None, ""
    if words[last - 1].lower in verbs.AUXILIARIES | NEGATION or phrase[0].lower.endswith("ing"):
        return None, ""
    first = phrase[0]
    opens = first.lower in DETERMINERS or first.lower in SUBJECTS or first.text[0].isupper()
    opens = opens or (comma and first.text[0].isalnum() and first.lower not in PREPOSITIONS)
    return ("clause", "") if opens else (None, "")


def _subject(body: str, words: list[Word], begin: int, end: int) -> tuple[str, int] | None:
    """The words of a clause's subject, without an adverbial before it, and the index of its verb."""
    verb = first_finite(words, begin, end)
    if verb is None:
        return None
    first = begin
    for at in range(begin, verb):
        if words[at].text == "," and words[begin].lower in PREPOSITIONS | ADVERBS | {"additionally", "however"}:
            first = at + 1
    while first < verb and words[first].lower in ADVERBS | {"additionally", "however", "moreover", "furthermore"}:
        first += 1
    if words[verb].lower in verbs.SHORTENED and first == verb:
        word = words[verb].text.replace("’", "'").partition("'")[0]
        return word, verb
    last = verb
    while last > first and (words[last - 1].lower in ADVERBS or words[last - 1].lower.endswith("ly")):
        last -= 1
    if first >= last:
        return None
    text = body[words[first].start : words[last - 1].end]
    text = _SAID_OF_IT.sub("", text)
    text = re.sub(r",\s*(?:however|though|therefore|too|also)\b,?", "", text).rstrip(" ,")
    return text, verb


def _carried_over(body: str, words: list[Word], verb: int, joined: int, at: int) -> str | None:
    """What goes between the subject and a verb without one: "" or the auxiliary; None if the word is no such verb."""
    word = words[at].lower
    if not words[at].text[0].islower() or at + 1 >= len(words):
        return None
    main = words[verb].lower
    following = words[verb + 1].lower if verb + 1 < joined else ""
    before = {item.lower for item in words[verb:joined]}
    if word in verbs.AUXILIARIES:
        return ""
    if main in verbs.BE or (main in verbs.HAVE and following == "been"):
        if verbs.is_participle(word) and any(verbs.is_participle(item.lower) for item in words[verb + 1 : joined]):
            if before & NEGATION:
                return None
            return body[words[verb].start : words[verb + (following == "been")].end]
        return "" if _plain_verb(words, at) else None
    if main in verbs.HAVE and verbs.is_participle(following):
        return body[words[verb].start : words[verb].end] if verbs.is_participle(word) else None
    if main in verbs.MODALS:
        named = word in verbs.BASES and not before & (NEGATION | {"to"}) and following in verbs.BASES | {"be", "also"}
        return body[words[verb].start : words[verb].end] if named else None
    parallel = (word in verbs.THIRD and main in verbs.THIRD) or (verbs.is_past(word) and verbs.is_past(main))
    parallel = parallel or (word in verbs.BASES and main in verbs.BASES and "to" not in before)
    return "" if _plain_verb(words, at) or (parallel and words[at + 1].text[0].isalnum()) else None


def _plain_verb(words: list[Word], at: int) -> bool:
    """Whether a word is a verb rather than a noun or a participle: by what follows it."""
    word, after = words[at].lower, words[at + 1]
    opens = after.lower in DETERMINERS | PREPOSITIONS | ADVERBS or after.text[0].isupper() or after.text[0].isdigit()
    if word in verbs.THIRD:
        return opens
    return verbs.is_past(word) and (opens or not after.lower.isalpha() or word in verbs.PAST)


def _inside(body: str, segment: _Segment) -> Iterator[Clause]:
    """A coordinate clause, and what can be taken out of it: relative clauses, appositions, items of a list."""
    words, first, last = segment.words, segment.first, segment.last
    taken: list[Clause] = []
    for clause in [*relatives(body, words, first, last), *appositions(body, words, first, last)]:
        if all(clause.cut[1] <= other.cut[0] or other.cut[1] <= clause.cut[0] for other in taken):
            taken.append(clause)
    start, end = words[first].start, words[last - 1].end
    text, offset = "", start
    for clause in sorted(taken, key=lambda clause: clause.cut):
        text, offset = text + body[offset : clause.cut[0]], clause.cut[1]
    text = re.sub(r"(?<!\s)\s++([,.])", r"\1", (text + body[offset:end]).strip(" ,"))
    if segment.given:
        text = f"{segment.given} {text}"
    if not taken and segment.role == "main":
        listed = list(items(body, words, first, last))
        if listed:
            yield from listed
            return
    trimmed = max((clause.cut[0] for clause in taken if clause.cut[1] >= end), default=end)
    yield Clause(start, trimmed, text, segment.cut, segment.role, segment.given)
    yield from taken


def _complete(body: str, parts: list[Clause]) -> bool:
    """Whether every word of content is in some clause, and every clause has a verb and something besides."""
    said = {word.lower for clause in parts for word in tokens(clause.text)}
    wanted = {word.lower for word in tokens(body) if word.text[0].isalnum()}
    missing = wanted - said - STOP_WORDS - _JOINS - RELATIVES - ADVERBS
    return not missing and all(len(clause.text.split()) >= 3 for clause in parts)


def _finished(text: str) -> str:
    text = text.strip(" ,;")
    return text[:1].upper() + text[1:] + "."
