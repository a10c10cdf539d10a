"""What tells a name from a word that only has the capital of its place, and how alike two names are in their places."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from faithmeter.evidence.passages import Index, terms
from faithmeter.text.english import verbs, word_tables
from faithmeter.text.english.mentions import OPENERS, Mention

PART = re.compile(r"\w+")
NAME_WORD = re.compile(r"[^\W_](?:\.(?=\w)|[\w&’'-])*+(?:(?<=\.\w)\.)?")
_NEXT = re.compile(
    r"(?<=[\w.])(?:[\"”’)]*+\s++(?P<word>[^\W\d_][\w’'-]*+)|, (?:who|whose|which|known|named|called|born|\d)|"
    r"['’]s?\b|['’](?= ))"
)
_LABEL = re.compile(r"\A[\W\d_]*+[\w*/&’' -]{2,60}+:(?=[\s*]|\Z)")
_SEQUENCE = re.compile(r"[A-Z][\w’']*(?:(?: (?:of|for|the|and|in|on|to|de|[A-Z][\w’']*))* [A-Z][\w’']*)?")
_ABBREVIATION = re.compile(r"\b(?:[A-Z]|St|Mr|Mrs|Ms|Dr|Mt|Ft|Sen|Rep|Gov|Gen|Prof|vs)\.\Z")
_COMPOUND = re.compile(r"\A[A-Z]\w++(?=-[a-z]++\Z)")
_IN = re.compile(r"\b(?:in|near|at|from) \Z", re.IGNORECASE)
_JOINT = re.compile(r" of (?:the )?|['’]s ")
_AFTER = re.compile(r" ([^\W\d_][\w’'-]*+)")
_BEFORE = re.compile(r"(?<![\w’'-])([A-Z][\w’'-]*\w) \Z")
_PLACE_AFTER = re.compile(r", ((?:[A-Z][\w.]*+ ?){1,2})")
_FIELD = re.compile(r"\W*(?P<key>\w+)\W*:")
PLACES = {"city": 2.5, "town": 2.5, "place": 2.5, "location": 2.0, "state": 1.5, "country": 1.5, "address": 1.0}
_ADVERBS = word_tables.words("also then later still now never often soon first once again already")
_NATIONAL = re.compile(r"(?:[eiy]an|ese|ish)\Z")
_NATIONS = word_tables.words(
    "american german french greek dutch swiss thai czech iraqi israeli pakistani welsh roman korean mexican cuban "
    "african european asian chilean arab latin muslim islamic jewish hindu catholic mediterranean"
)


def begins(text: str, start: int) -> bool:
    """Whether a sentence, an item or a quotation begins at a place."""
    before = text[max(0, start - 100) : start].rstrip("\"'“‘(*_[ \n\t")
    return not before or (before[-1] in ".!?:•-–;" and not _ABBREVIATION.search(before))


def is_common(word: str) -> bool:
    """Whether a word is one of everyday English rather than a name."""
    return word in verbs.BASES or word in verbs.THIRD or word.endswith(("ing", "ly", "ed"))


def is_named(text: str, mention: Mention, *, speaks: bool = False) -> bool:
    """Whether a capitalised stretch is a name for all that can be seen: in the label of an item ("Note: …") it is none,
    unless somebody `speaks` there, and a single word that begins a sentence is one if it does something or has
    something: "Melt butter", "Tapper has"."""
    label = _LABEL.match(text)
    if label and mention.end < label.end():
        return speaks and mention.end == label.end() - 1
    word = mention.text
    if " " in word or not word[1:].islower() or not begins(text, mention.start):
        return True
    return acts(text, mention.end)


def acts(text: str, end: int) -> bool:
    """Whether a verb, an apposition or what is its own follows the name that ends at a place."""
    match = _NEXT.match(text, end)
    if not match or match["word"] is None:
        return match is not None
    word = match["word"].lower()
    if word in _ADVERBS or word.endswith("ly"):  # "Clinton also pledged"
        further = _NEXT.match(text, match.end())
        match, word = (further, further["word"].lower()) if further and further["word"] else (match, word)
    after = text[match.end() : match.end() + 20].split(maxsplit=1)[:1]
    joined = word == "and" and bool(after) and (not after[0].islower() or after[0] in word_tables.SMALL)
    verb = word in verbs.AUXILIARIES or word in verbs.BASES or word in verbs.THIRD or verbs.is_past(word)
    return joined or verb


def short_forms(texts: Iterable[str]) -> frozenset[str]:
    """The initials of what texts write with capitals, and their own short names: "cdc" of the Centers for Disease
    Control, "us" of "U.S."."""
    found: set[str] = set()
    for text in texts:
        for match in _SEQUENCE.finditer(text):
            words = [word for word in re.split(r"[ ’'-]", match[0]) if word[:1].isupper()]
            letters = "".join(word[0] for word in words).lower()
            found.update(letters[start:end] for start in range(len(letters)) for end in range(start + 2, start + 7))
        found.update(match[0].replace(".", "").lower() for match in re.finditer(r"\b(?:[A-Z]\.){2,}", text))
    return frozenset(found)


def is_short_for_known(mention: Mention, short: frozenset[str], said: frozenset[str]) -> bool:
    """Whether a name is the short or the long form of one that the contexts have."""
    letters = mention.text.replace(".", "").rstrip("s")
    if letters.isupper() and 2 <= len(letters) <= 6:
        return letters.lower() in short
    initials = "".join(word[0] for word in PART.findall(mention.text) if word[0].isupper()).lower()
    return len(initials) > 1 and " " in mention.text and initials in said


def parts(mine: Mention, other: Mention) -> Iterator[Mention]:
    """The parts of a longer name that may be meant: its first and last word, as many words as `mine` has around one
    that both have ("Don Meij" of "Domino's Pizza CEO Don Meij"), and "Windows" of "Windows-based"."""
    words = [*NAME_WORD.finditer(other.text)] if other.kind == mine.kind == "name" else []
    if len(words) < 2:
        if words and (head := _COMPOUND.match(other.text)):
            yield Mention(other.start, other.start + head.end(), "name", head[0], head[0].lower())
        return
    spans = {(0, 1), (len(words) - 1, len(words))}
    ours = [match[0] for match in NAME_WORD.finditer(mine.text)]
    for index, match in enumerate(words):
        first = index - ours.index(match[0]) if match[0] in ours else -1
        if first >= 0 and first + len(ours) <= len(words) and 1 < len(ours) < len(words):
            spans.add((first, first + len(ours)))
    for first, last in sorted(spans):
        start, end = words[first].start(), words[last - 1].end()
        text = re.sub(r"['’]s?\Z", "", other.text[start:end]).rstrip(".")
        if text[0].isupper() and len(text) > 2 and "'" not in text and "’" not in text:
            start += other.start
            yield Mention(start, start + len(text), "name", text, text.lower().replace(".", ""))


def without_accents(name: str) -> str:
    """A name as those write it who leave accents out: "raul castro"."""
    if name.isascii():
        return name
    return "".join(letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))


def split(mention: Mention) -> Iterator[Mention]:
    """The names that one may be made of: "Slovenia" of "Chief Officer of Slovenia", "KELTA" of "KELTA's Sam Keane"."""
    ends = [0, *(match.end() for match in _JOINT.finditer(mention.text)), len(mention.text)]
    for start, end in pairwise(ends) if mention.kind == "name" and len(ends) > 2 else ():
        text = _JOINT.sub("", mention.text[start:end]).strip()
        begin = mention.start + start
        yield Mention(begin, begin + len(text), "name", text, text.lower().replace(".", ""))


def strange_words(mention: Mention, index: Index) -> Iterator[Mention]:
    """The words of a name that no passage has and that are no verbs: "Quillby" of "Yemen's Quillby Ministry"."""
    for match in NAME_WORD.finditer(mention.text):
        word = re.sub(r"['’]s?\Z", "", match[0])
        known = [*terms(word), *terms(without_accents(word))]
        held = not known or is_common(word.lower()) or any(index.holders(term) for term in known)
        if word[:1].isupper() and not held:
            start = mention.start + match.start()
            yield Mention(start, start + len(word), "name", word, word.lower().replace(".", ""))


def beside_same(text: str, mine: Mention, passage: str) -> Iterator[str]:
    """The words with a capital that stand in a passage before the same word as `mine`, or within a name behind it."""
    after = _AFTER.match(text, mine.end)
    if after and after[1].lower() not in word_tables.STOP_WORDS:
        for match in re.finditer(rf"(?<!\w){re.escape(after[1])}(?!\w)", passage, re.IGNORECASE):
            before = _BEFORE.search(passage, max(0, match.start() - 40), match.start())
            if before and before[1].lower() not in OPENERS and not is_common(before[1].lower()):
                yield before[1]
    before = _BEFORE.search(text, max(0, mine.start - 40), mine.start)
    if before and before[1].lower() not in OPENERS:
        for match in re.finditer(rf"(?<!\w){re.escape(before[1])} (?P<next>[A-Z][\w’'-]*\w)", passage):
            yield re.sub(r"['’]s\Z", "", match["next"])


def line_of_address(text: str, mine: Mention, places: Mapping[str, str]) -> str:
    """The field of a record that a name is in the place of: behind a record's city and a comma it is the state."""
    before, comma, rest = text[max(0, mine.start - 40) : mine.start].lower().rpartition(", ")
    if comma and not rest and any(places.get(name) in ("city", "town") for name in _endings(before)):
        return "state"
    after = _PLACE_AFTER.match(text, mine.end)
    if after and any(places.get(name) == "state" for name in (after[1].lower(), after[1].lower().split()[0])):
        return "city"
    return ""


def _endings(words: str) -> list[str]:
    """What a text ends with, up to four words, the longest first."""
    parts = words.split()[-4:]
    return [" ".join(parts[first:]) for first in range(len(parts))]


def likeness(text: str, mine: Mention, passage: str, other: Mention, *, record: bool, named: bool) -> float:
    """How much two names look like names of one kind, and the second like a name at all."""
    ours, theirs = PART.findall(mine.value), PART.findall(other.value)
    shared = bool(set(ours) & set(theirs))
    score = 3.0 * shared - 0.3 * abs(len(ours) - len(theirs))
    capitals = mine.text.isupper(), other.text.isupper()
    score += 1.5 if all(capitals) and len(theirs) == 1 else -0.6 if any(capitals) else 0.0
    score -= 1.0 * (_has_digit(mine.text) != _has_digit(other.text))  # "Q2" is no "EBITDA"
    nations = [bool(_NATIONAL.search(name[-1])) or name[-1] in _NATIONS for name in (ours, theirs)]
    score += 2.0 if all(nations) else -0.5 * any(nations)
    if mine.start == 0 and other.start == 0 and not passage[:1].isdigit():
        score += 0.8  # both are what the sentence is about
    places = ((text, mine), (passage, other))
    score += 0.8 * all(re.match(r"['’]s\b", said[name.end :]) for said, name in places)
    score += 0.8 * all(said[: name.start].endswith(('"', "“")) for said, name in places)
    score += 0.6 * (not shared and all(acts(said, name.end) for said, name in places))
    here, there = (stands_in(said, name) for said, name in places)
    score += 0.8 * (here and there)
    field = _FIELD.match(passage) if record else None
    if field:
        key = field["key"].lower()
        score += (PLACES.get(key, 0.0) if here else 0.0) + 2.5 * (
            key == "name" and (mine.start == 0 or acts(text, mine.end))
        )
    score -= 1.0 * bool(_COMPOUND.match(other.text))
    alone = len(theirs) == 1 and not capitals[1]
    return score - 1.5 * (alone and is_common(theirs[0])) - 1.5 * (not named)


def stands_in(text: str, mention: Mention) -> bool:
    """Whether a name stands behind "in", "near", "at" or "from"."""
    return _IN.search(text, max(0, mention.start - 6), mention.start) is not None


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)
