"""Short answers to yes-or-no questions, as statements: "Yes, it is." says what the question asks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from faithmeter.text.english import verbs
from faithmeter.text.english.clause_words import DETERMINERS, PREPOSITIONS, Word, tokens
from faithmeter.text.english.word_tables import words

_LONGEST = 300
"""Characters of a short answer, and of a question that it is taken for an answer to."""
_YES = words("yes yeah yep")
_NO = words("no nope")
_DENIALS = words("not cannot never")
_DO = words("do does did")
_ASKS = frozenset(word for word in verbs.AUXILIARIES if "n't" not in word) - words("am cannot")
_PRONOUNS = words("i you we it he she they this that these those there")
_MAY_BE_SAID = _PRONOUNS | _DENIALS | words("a an the so indeed them him her us me one ones do does did")
"""What a short answer may say beside what the question says: nothing that could be false by itself."""
_TURNED = {"i": "you", "my": "your", "me": "you", "mine": "yours", "myself": "yourself"}
_QUESTION = re.compile(r"(?:\A|(?<=[.!?\n]))[^.!?\n]++\?")


def as_statement(claim: str, question: str | None) -> str | None:
    """What a short answer states, in the words of the question; None if it says more, or it is no such question.

    "Yes, you can." to "Can I return a laptop after five weeks?" is "You can return a laptop after five weeks."
    """
    if not question or len(claim) > _LONGEST or len(question) > _LONGEST:
        return None
    answer = [word for word in tokens(claim) if word.text[0].isalnum()]
    questions = _QUESTION.findall(question)
    asked = [word for word in tokens(questions[-1]) if word.text != "?"] if questions else []
    if not answer or answer[0].lower not in _YES | _NO or len(asked) < 3 or asked[0].lower not in _ASKS:
        return None
    if any(word.lower == "or" for word in asked):
        return None  # which of the two?
    denied = answer[0].lower in _NO
    verb = asked[0].lower
    if not _adds_nothing(answer[1:], asked, denied=denied):
        return None
    end = _end_of_subject(asked, answer[1:])
    subject = _subject(asked[1:end], {word.lower for word in answer}) if end else []
    if not subject:
        return None
    denial = "cannot" if verb == "can" else f"{verb} not"
    said = [*subject, denial if denied else verb, *(_TURNED.get(word.lower, word.text) for word in asked[end:])]
    statement = re.sub(r" (?=[,;:.)%])", "", " ".join(said))
    return f"{statement[0].upper()}{statement[1:]}."


def _adds_nothing(answer: Sequence[Word], asked: Sequence[Word], *, denied: bool) -> bool:
    """Whether all that an answer says is asked, with the same verb and as its "yes" or "no" would have it."""
    if answer and answer[0].lower not in _PRONOUNS:
        return False  # "Yes, the museum is open." stands alone
    known = {word.lower for word in asked}
    verb, negated = asked[0].lower, False
    for word in answer:
        lower = word.lower
        plain = lower.removesuffix("n't")
        plain = {"ca": "can", "wo": "will", "cannot": "can"}.get(plain, plain) if lower not in known else lower
        negated = negated or lower in _DENIALS or lower.endswith("n't")
        if plain in verbs.AUXILIARIES:
            if plain != verb and not (plain in _DO and verb in _DO):
                return False  # "Yes, you must." to "Can I …?"
        elif lower not in _MAY_BE_SAID and lower not in known:
            return False
    return negated == denied or not answer


def _end_of_subject(asked: Sequence[Word], answer: Sequence[Word]) -> int | None:
    """Where the subject of a question ends; None if that cannot be told."""
    if asked[1].lower in _PRONOUNS:
        return 2
    first = 3 if asked[1].lower in DETERMINERS else 2
    echoed = {word.lower for word in answer} - _MAY_BE_SAID - verbs.AUXILIARIES
    for index in range(first, len(asked)):
        if asked[index].lower in echoed:
            return index  # "Yes, it will refund them."
    verb = asked[0].lower
    if verb in verbs.BE:
        ends = (n for n in range(first, len(asked)) if asked[n].lower in PREPOSITIONS or not asked[n].text[0].isalnum())
        last = next(ends, len(asked))
        return last - 1 if last - 1 >= first else last if last < len(asked) else None
    for index in range(first, len(asked)):
        lower = asked[index].lower
        if verbs.is_participle(lower) if verb in verbs.HAVE else lower in verbs.BASES:
            return index
    return None


def _subject(said: Sequence[Word], answer: set[str]) -> list[str]:
    """The subject of a question as who answers calls it: "I" is "you", and "you" is "we" or "I"."""
    if [word.lower for word in said] == ["you"]:
        return [] if "you" in answer else ["I" if "i" in answer else "we"]
    return [_TURNED.get(word.lower, word.text) for word in said]
