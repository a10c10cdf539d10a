"""Reads a claim as the sequence of what it asserts: numbers, dates, units, names, negation, words.

`read(text)` gives canonical tokens: spelling, contractions, number words, date formats, units and free
words are normalised, and nothing else is. Two claims whose tokens are equal say the same thing;
`differences` names what kinds of tokens keep two claims apart. It is meant to err on the side of "apart":
a word that is not known to be a variant of another is another word.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import zip_longest
from typing import Literal, NamedTuple

from faithmeter.text.english import word_tables as lexicon
from faithmeter.text.english.numbers_dates import Token, with_dates, with_numbers, year_of

Kind = Literal[
    "number", "date", "unit", "name", "negation", "quantifier", "comparative", "modality", "role", "word", "order"
]
"""`role`: words such as "by", "from" and "had", which say who does what to whom; `order`: the same words in another."""


class Fact(NamedTuple):
    """One canonical token."""

    form: str
    kind: Kind
    stem: str
    """The form without the -s of a plural or third person."""


class ClaimFacts(NamedTuple):
    """A claim as read."""

    facts: tuple[Fact, ...]
    """The canonical tokens, in order."""
    indefinite: int
    """How often "a" or "an" was said: "a brother" and "brothers" are told apart by it."""


QUOTES = str.maketrans("’‘`′“”″–—−‑", "''''\"\"\"----")
TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}(?!\d)"  # an ISO date
    r"|(?<![\w.])\.\d+(?!\w)"  # .5
    r"|\d+(?:,\d{3})+(?:\.\d+)?(?![\w])|\d+(?:\.\d+)?(?![\w.])|\d+(?:\.\d+)?(?=\.?(?:\W|$))"
    r"|\d+(?:\.\d+)?(?=[^\W\d_]+)"  # a number with a unit or suffix stuck to it
    r"|(?:[^\W\d_]\.)+[^\W\d_](?!\w)\.?"  # U.S.
    r"|n't(?!\w)|[^\W\d_]+?(?=n't(?!\w))|'(?:s|re|ve|ll|m|d)(?!\w)"
    r"|[^\W_]+(?:[+#]+(?!\w))?"
    r"|[$€£¥₹¢₩₽₺₿%‰&+<>≥≤~≈=/°,±×^*≠?]|(?<![\w)])-(?=\d)|(?<=\w)-(?=\w)"
    r"|(?<=\d)['\"]",  # feet and inches
    re.IGNORECASE,
)
_LONGEST_PHRASE = max(map(len, lexicon.PHRASES))


@lru_cache(maxsize=4096)
def read(text: str) -> ClaimFacts:
    """The canonical tokens of a claim, in order."""
    tokens = _words(text)
    indefinite = sum(token.form in ("a", "an") for token in tokens)
    tokens = with_dates(with_numbers(_phrases(tokens)))
    tokens = _front_last(_before_numbers(tokens))
    tokens = _definite(_determined(tokens))
    tokens = [token for token in tokens if token.form not in lexicon.FREE and token.form != ","]
    return ClaimFacts(tuple(_fact(token) for token in _active(_level_tenses(tokens))), indefinite)


def differences(a: str, b: str) -> frozenset[Kind]:
    """What kinds of tokens keep two claims apart; empty if they say the same thing."""
    first, second = read(a), read(b)
    # The kinds may differ: a name at the start of a claim cannot be told from a word.
    left, right = [fact.form for fact in first.facts], [fact.form for fact in second.facts]
    if left == right:
        return frozenset()
    stems, others = [fact.stem for fact in first.facts], [fact.stem for fact in second.facts]
    if stems == others:
        return frozenset() if first.indefinite == second.indefinite else frozenset({"number"})
    apart = (Counter(stems) - Counter(others)) + (Counter(others) - Counter(stems))
    kinds = {fact.stem: fact.kind for fact in (*first.facts, *second.facts)}
    return frozenset(kinds[stem] for stem in apart) if apart else frozenset({"order"})


def _words(text: str) -> list[Token]:
    """Split into words with contractions written out; commas and number signs kept, the rest dropped."""
    text = unicodedata.normalize("NFC", text).translate(QUOTES)
    raws = TOKEN.findall(text)
    if not text.isascii() and any(
        unicodedata.combining(character) or unicodedata.category(character) == "Mc" for character in text
    ):
        raws = [word.strip(string.punctuation + "।") or word for word in text.split()]  # marks are part of the word
    shouting = text.isupper()
    if shouting:
        raws = [raw.lower() for raw in raws]  # no capital tells a name
    tokens: list[Token] = []
    for index, raw in enumerate(raws):
        form = f"0{raw}" if raw[0] == "." and raw[1:].isdecimal() else raw.lower()
        previous = tokens[-1].form if tokens else ""
        if raw == "-" and _in_a_number(previous, raws[index + 1].lower() if index + 1 < len(raws) else ""):
            continue
        if form == "'s":
            form = "is" if previous in lexicon.IS_AFTER else "s" if previous[-1:].isdecimal() else "'s"
        elif form == "n't" and previous in ("ca", "wo", "sha"):
            tokens[-1] = tokens[-1]._replace(form={"ca": "can", "wo": "will", "sha": "shall"}[previous])
        form = lexicon.CONTRACTIONS.get(form, form)
        if not form:
            continue
        if form in lexicon.CASED_UNITS:
            form = raw
        elif raw == "A" and tokens and not shouting:
            form = raw  # the A of "vitamin A" is no article
        elif (bare := raw.replace(".", "")) and len(bare) > 1 and bare.isupper() and not shouting:
            form = lexicon.ACRONYMS.get(bare.lower(), bare)  # "WHO" is not "who", and "AIDS" are no aids
        elif "." in raw and raw[0].isalpha():
            form = form.replace(".", "")
        if form == "cannot":
            tokens.append(Token("can", raw))
            form = "not"
        tokens.append(Token(form, raw, first=index == 0))
    return tokens


def _in_a_number(before: str, after: str) -> bool:
    """Whether a hyphen joins the words of one number: "twenty-one", "two-hundred"."""
    if before in lexicon.TENS:
        return after in lexicon.SMALL or after in lexicon.ORDINALS
    return after in lexicon.SCALES and (before in lexicon.SMALL or before in lexicon.SCALES)


def _phrases(tokens: list[Token]) -> list[Token]:
    """Replace phrases that have a shorter equal."""
    out: list[Token] = []
    index = 0
    while index < len(tokens):
        for length in range(min(_LONGEST_PHRASE, len(tokens) - index), 1, -1):
            words = tuple(token.form for token in tokens[index : index + length])
            if words in lexicon.PHRASES:
                head = tokens[index]
                out += [Token(word, head.raw, head.first) for word in lexicon.PHRASES[words].split()]
                index += length
                break
        else:
            out.append(tokens[index])
            index += 1
    return out


def _before_numbers(tokens: list[Token]) -> list[Token]:
    """Write "over 5" as "more than 5", and the like; "over 5 years" may say how long it took."""
    out: list[Token] = []
    for token, following in zip_longest(tokens, tokens[1:]):
        lasts = following is not None and lexicon.UNITS.get(following.form) in lexicon.DURATIONS
        if token.form.startswith("#") and not (lasts and out and out[-1].form == "over"):
            for length in (2, 1):
                words = " ".join(before.form for before in out[-length:])
                if len(out) >= length and words in lexicon.BEFORE_NUMBER:
                    head = out[-length]
                    out[-length:] = [Token(w, head.raw, head.first) for w in lexicon.BEFORE_NUMBER[words].split()]
                    break
        out.append(token)
    return out


def _front_last(tokens: list[Token]) -> list[Token]:
    """Move a phrase such as "In 1990," from the front to the end, in a claim of one clause."""
    forms = [token.form for token in tokens]
    dated = bool(forms) and (forms[0][0] == "@" or bool(year_of(forms[0])))
    if not forms or not (dated or forms[0] in lexicon.FRONTABLE):
        return tokens
    if dated or "," not in forms:
        date = next((i for i, form in enumerate(forms[:4]) if form[0] == "@" or year_of(form)), None)
        if date is None:
            return tokens
        end = date + 1
    else:
        end = forms.index(",")
    front, rest = tokens[:end], tokens[end:]
    if lexicon.CLAUSES.intersection(forms[1:]) or not any(token.form != "," for token in rest):
        return tokens
    return rest + front


def _determined(tokens: list[Token]) -> list[Token]:
    """Mark the words that a determiner or a number comes before: for them, one or many is a fact."""
    out: list[Token] = []
    reach = 0
    for token in tokens:
        out.append(token._replace(determined=reach))
        if token.form in lexicon.DETERMINERS or token.form[0] == "#":
            reach = 3
        elif token.form != "-":
            reach = 0 if token.form in lexicon.FUNCTION else max(0, reach - 1)
    return out


def _definite(tokens: list[Token]) -> list[Token]:
    """Keep the "the" that says who somebody is: "the founder" is more than "a founder", and the Queen is no band."""
    out: list[Token] = []
    for token, following in zip_longest(tokens, tokens[1:]):
        after_be = bool(out) and out[-1].form in lexicon.BE
        before_name = following is not None and following.raw[:1].isupper()
        says_who = token.form == "the" and not token.first and (after_be or before_name)
        out.append(token._replace(form="=the") if says_who else token)
    return out


def _level_tenses(tokens: list[Token]) -> list[Token]:
    """Write "has won the" as "won the", and "is jumping" as "jump": the same fact, told in two tenses.

    "Has increased risk" stays: whether the risk is higher, or was made so, shows only in what follows.
    """
    out: list[Token] = []
    for token, following in zip_longest(tokens, tokens[1:]):
        before = out[-1].form if out else ""
        participle = token.form.endswith("ed") or token.form in lexicon.PARTICIPLES
        if before in ("has", "have", "had") and participle and _ends_a_verb(following):
            out.pop()
        elif before in ("is", "are") and (base := lexicon.GERUNDS.get(token.form)):
            out[-1] = token._replace(form=base)
            continue
        out.append(token)
    return out


def _ends_a_verb(following: Token | None) -> bool:
    """Whether what comes after a participle cannot be a noun that it describes."""
    if following is None or following.determined == 3 or following.form in lexicon.FUNCTION:
        return True
    return following.form[0] == "@" or bool(year_of(following.form))


def _active(tokens: list[Token]) -> list[Token]:
    """Write "the song was recorded by Queen" as "Queen recorded the song", where nothing more is said."""
    forms = [token.form for token in tokens]
    if forms.count("by") != 1:
        return tokens
    by = forms.index("by")
    agent = forms[by + 1 :]
    verb = forms[by - 1] if by >= 2 else ""
    passive = verb.endswith("ed") or verb in lexicon.PARTICIPLES
    if not passive or forms[by - 2] not in ("was", "were", "been") or not agent or agent[0][0] in "#@":
        return tokens
    subject = tokens[: by - 2]
    if subject and subject[-1].form in ("has", "have") and forms[by - 2] == "been":
        subject = subject[:-1]
    if not subject or lexicon.FUNCTION.intersection(agent) or subject[-1].form in lexicon.FUNCTION:
        return tokens
    return [*tokens[by + 1 :], tokens[by - 1], *subject]


def _fact(token: Token) -> Fact:
    form = token.form
    if form[0] == "@":
        return Fact(form, "date", form)
    if form[0] == "#":
        return Fact(form, "number", form)
    if unit := _unit(form):
        return Fact(unit, "unit", unit)
    for table, kind in _TABLES:
        if form in table:
            return Fact(form, kind, form)
    if token.raw[:1].isupper():  # as it is written: the Labour Party is no Labor Party, and Williams not William
        return Fact(form, _word_kind(form) if token.first else "name", form)
    form = lexicon.SYNONYMS.get(form, form)
    stem = _stem(form)
    one_or_many = token.determined == 3 or (token.determined and stem not in lexicon.VERBS)
    return Fact(form, _word_kind(form), form if one_or_many else stem)


def _word_kind(form: str) -> Kind:
    return "role" if form in lexicon.FUNCTION or form == "'s" else "word"


def _unit(form: str) -> str:
    """The one name of a unit; "" if it is none."""
    if form.lower() in lexicon.CASED_UNITS or form in ("'", '"'):
        return lexicon.UNITS.get(form, form)
    return lexicon.UNITS.get(form.lower(), "")


def _stem(word: str) -> str:
    """Take the -s of plurals and third persons off; tenses stay apart, for they tell other facts."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses", "zes")) else word[:-1]


_TABLES: tuple[tuple[frozenset[str], Kind], ...] = (
    (lexicon.NEGATIONS, "negation"),
    (lexicon.QUANTIFIERS | {"=the"}, "quantifier"),
    (lexicon.COMPARATIVES, "comparative"),
    (lexicon.MODALS | {"?"}, "modality"),
    (frozenset("-±×^*≠s"), "number"),  # the s is that of "the 1990s"
)
