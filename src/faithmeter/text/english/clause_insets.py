"""What can be taken out of a clause and stands alone: relative clauses, appositions, items of a list."""

from __future__ import annotations

from collections.abc import Iterator

from faithmeter.text.english import verbs
from faithmeter.text.english.clause_words import (
    ADVERBS,
    DETERMINERS,
    PREPOSITIONS,
    REPORTS,
    Clause,
    Word,
    finite,
    first_finite,
)
from faithmeter.text.english.word_tables import words

LONGEST_ITEM = 6  # words of an item of a list
RELATIVES = words("which who whose")
_NO_LIST = words("or nor between either neither not never no from total together combined versus")
_LIST_CUES = words("including like as")
"""After these, as after a verb, a list may begin; "as" is that of "such as"."""


def relatives(body: str, words: list[Word], first: int, last: int) -> Iterator[Clause]:
    """ ", which …" and ", who …": what they say of the words before them."""
    for at in range(first + 2, last - 2):
        if words[at - 1].text != "," or words[at].lower not in RELATIVES:
            continue
        verb = first_finite(words, at, last) if words[at].lower == "whose" else at + 1
        if verb is None or not (words[at].lower == "whose" or _finite_after_pronoun(words, at + 1)):
            continue
        main = first_finite(words, first, at - 1)
        end = last
        if main is None:  # in the subject: up to the comma before the main verb
            closing = [comma for comma in range(at + 2, last - 1) if words[comma].text == ","]
            closed = next((comma for comma in closing if _verb_at(words, comma + 1)), None)
            if closed is None:
                continue
            end = closed
            antecedent = body[words[first].start : words[at - 2].end]
            if {word.lower for word in words[first : at - 1]} & (REPORTS | {"of"}):
                continue
        else:
            after = (words[comma + 1] for comma in range(at + 2, min(last, len(words) - 1)) if words[comma].text == ",")
            goes_on = any(word.lower not in ("and", "or") for word in after)
            unclear = (PREPOSITIONS | REPORTS | {"and"}) - {"of"}
            if goes_on or any(word.lower in unclear for word in words[main + 1 : at - 1]):
                continue  # where the clause ends, or which noun is meant, cannot be told
            antecedent = _phrase_before(body, words, main + 1, at - 1)
            if not antecedent:
                continue
        if not _agrees(antecedent, words[at + 1].lower) and words[at].lower != "whose":
            continue  # the whole clause is meant: "…, which sends a message"
        rest = body[words[at + 1].start : words[end - 1].end]
        text = f"{antecedent}'s {rest}" if words[at].lower == "whose" else f"{antecedent} {rest}"
        stop = words[end].end if main is None else words[end - 1].end
        yield Clause(words[at].start, words[end - 1].end, text, (words[at - 1].start, stop), "relative")


def _finite_after_pronoun(words: list[Word], at: int) -> bool:
    """Whether a relative pronoun is the subject of the verb that follows it."""
    word = words[at].lower
    if word in ADVERBS and at + 1 < len(words):
        word = words[at + 1].lower
    return word in verbs.AUXILIARIES or word in verbs.THIRD or verbs.is_past(word) or word in verbs.BASES


def _agrees(antecedent: str, verb: str) -> bool:
    """Whether a verb can be that of a noun phrase, one or many."""
    last = antecedent.split(" of ")[0].split()[-1].lower()
    many = " and " in antecedent or (last.endswith("s") and not last.endswith(("ss", "us", "is", "'s")))
    if verb in ("is", "was", "has", "does") or verb in verbs.THIRD:
        return not many or last[:1].isupper()
    if verb in ("are", "were", "have", "do") or (verb in verbs.BASES and verb not in verbs.PAST):
        return many
    return True


def _verb_at(words: list[Word], at: int) -> bool:
    """Whether a finite verb stands at an index, or after an adverb there."""
    if at < len(words) - 1 and (words[at].lower in ADVERBS or words[at].lower.endswith("ly")):
        at += 1
    word = words[at].lower if at < len(words) else ""
    return word in verbs.AUXILIARIES or word in verbs.THIRD or verbs.is_past(word)


def _phrase_before(body: str, words: list[Word], first: int, last: int) -> str:
    """The noun phrase that ends before `last`: back to its determiner, or to the start of a name."""
    at = last - 1
    if not words[at].text[0].isalnum():
        return ""
    while at > first:
        word, before = words[at], words[at - 1]
        if word.lower in DETERMINERS and before.lower != "of":
            break
        if before.text in ",;()" or (before.lower in PREPOSITIONS and before.lower != "of") or before.lower == "and":
            break
        named = word.text[0].isupper() and before.text[0].islower()
        if named and before.lower != "of" and before.lower not in DETERMINERS:
            break
        if finite(words, at - 1) or before.lower in verbs.AUXILIARIES:
            break
        at -= 1
    return body[words[at].start : words[last - 1].end]


def appositions(body: str, words: list[Word], first: int, last: int) -> Iterator[Clause]:
    """ "X, a Y, …": X is a Y. Only after a name or "the …" that begins the clause."""
    comma = next((at for at in range(first, last) if words[at].text == ","), None)
    if comma is None or comma + 3 >= last or comma == first:
        return
    if not any(word.text[0].isupper() for word in words[first:comma]) or first_finite(words, first, comma) is not None:
        return
    if words[comma + 1].lower not in ("a", "an", "the", "one", "his", "her", "their", "its"):
        return
    closed = next((at for at in range(comma + 2, last - 1) if words[at].text == ","), None)
    if closed is None or not _verb_at(words, closed + 1) or words[first].lower in PREPOSITIONS:
        return
    inner = words[comma + 1 : closed]
    if any(word.lower in ("and", "or") for word in inner):
        return
    verb = words[closed + 1].lower
    past = verb in ("was", "were", "had", "did") or verbs.is_past(verb)
    subject = body[words[first].start : words[comma - 1].end]
    rest = body[words[comma + 1].start : words[closed - 1].end]
    yield Clause(words[comma + 1].start, words[closed - 1].end, f"{subject} {'was' if past else 'is'} {rest}",
                 (words[comma].start, words[closed].end), "apposition")  # fmt: skip


def items(body: str, words: list[Word], first: int, last: int) -> Iterator[Clause]:
    """ "X has A, B, and C": X has A, X has B, X has C. Three items at least."""
    lowered = {word.lower for word in words[first:last]}
    if lowered & (_NO_LIST | REPORTS | RELATIVES) or any(word.text in ";()" for word in words[first:last]):
        return
    joins = [at for at in range(first, last) if words[at].lower == "and"]
    if len(joins) != 1:
        return
    join = joins[0]
    commas = [at for at in range(first, join) if words[at].text == ","]
    verb = first_finite(words, first, last)
    commas = [at for at in commas if verb is not None and at > verb]
    if verb is None or not commas or any(words[at].text == "," for at in range(join, last)):
        return
    inner = commas[:-1] if commas[-1] == join - 1 else commas
    if not inner:
        return
    begins = [at + 1 for at in inner]
    cue = next((at for at in range(inner[0] - 1, verb - 1, -1)
                if words[at].lower in _LIST_CUES or at == verb), verb)  # fmt: skip
    begins = [cue + 1, *begins, join + 1]
    if begins[0] >= inner[0]:
        return
    ends = [*(begin - 1 for begin in begins[1:-1]), commas[-1] if commas[-1] == join - 1 else join, last]
    spans = list(zip(begins, ends, strict=True))
    texts = [words[begin:end] for begin, end in spans]
    if any(not item or len(item) > LONGEST_ITEM or any(_is_verb(word) for word in item) for item in texts):
        return
    if any(_goes_on(item[0]) for item in texts) or any(word.lower in PREPOSITIONS - {"of"} for word in texts[0]):
        return
    bare = [[word for word in item if word.lower not in DETERMINERS] for item in texts]
    described = not any(item[-1].lower.endswith("s") for item in texts[:-1])
    if all(len(item) == 1 for item in bare[:-1]) and len(bare[-1]) > 1 and described:
        return  # adjectives of one noun
    head = body[words[first].start : words[cue].end]
    for index, (begin, end) in enumerate(spans):
        start, stop = words[begin].start, words[end - 1].end
        yield Clause(start if index else words[first].start, stop, f"{head} {body[start:stop]}", (start, stop), "item")


def _goes_on(word: Word) -> bool:
    """Whether a word opens no item but an addition: "…, with reviewers praising", "…, known for", "…, offering"."""
    lower = word.lower
    opens = lower in PREPOSITIONS or lower in ("such", "both", "also", "then") or lower.endswith("ing")
    return opens or (verbs.is_participle(lower) and word.text[0].islower())


def _is_verb(word: Word) -> bool:
    return word.lower in verbs.AUXILIARIES or (word.lower in verbs.PAST and word.lower not in verbs.BASES)
