"""Reads a claim as the sequence of what it asserts: numbers, dates, units, names, negation, words.

`read(text)` gives canonical tokens: spelling, contractions, number words, date formats, units and free
words are levelled out, and nothing else is. Two claims whose tokens are equal say the same thing;
`differences` names what kinds of tokens keep two claims apart. It is meant to err on the side of "apart":
a word that is not known to be a variant of another is another word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Literal, NamedTuple

from faithmeter import _lexicon as lexicon

Kind = Literal["number", "date", "unit", "name", "negation", "quantifier", "comparative", "modality", "word", "order"]


class Fact(NamedTuple):
    """One canonical token."""

    form: str
    kind: Kind
    stem: str
    """The form without the -s of a plural or third person."""


class Reading(NamedTuple):
    """A claim as read."""

    facts: tuple[Fact, ...]
    """The canonical tokens, in order."""
    indefinite: int
    """How often "a" or "an" was said: "a brother" and "brothers" are told apart by it."""


class _Token(NamedTuple):
    form: str
    raw: str
    first: bool = False


_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‑": "-"})
_TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}(?!\d)"  # an ISO date
    r"|\d+(?:,\d{3})+(?:\.\d+)?(?![\w])|\d+(?:\.\d+)?(?![\w.])|\d+(?:\.\d+)?(?=\.?(?:\W|$))"
    r"|\d+(?:\.\d+)?(?=[^\W\d_]+)"  # a number with a unit or suffix stuck to it
    r"|(?:[^\W\d_]\.)+[^\W\d_](?!\w)\.?"  # U.S.
    r"|n't(?!\w)|[^\W\d_]+?(?=n't(?!\w))|'(?:s|re|ve|ll|m|d)(?!\w)"
    r"|[^\W_]+(?:[+#]+(?!\w))?"
    r"|[$€£¥₹%&+<>≥≤~=/°,]|(?<![\w)])-(?=\d)",
    re.IGNORECASE,
)
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)$")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?$")
_ORDINAL_SUFFIXES = frozenset({"st", "nd", "rd", "th"})
_AFTER_AND = lexicon.SMALL.keys() | lexicon.TENS.keys()
_LONGEST_PHRASE = max(map(len, lexicon.PHRASES))


@lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    """The canonical tokens of a claim, in order."""
    tokens = _words(text)
    indefinite = sum(token.form in ("a", "an") for token in tokens)
    tokens = _dates(_numbers(_phrases(tokens)))
    tokens = _front_last(_before_numbers(tokens))
    tokens = [token for token in tokens if token.form not in lexicon.FREE and token.form != ","]
    return Reading(tuple(_fact(token) for token in _active(_level_tenses(tokens))), indefinite)


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


def of_kind(facts: Iterable[Fact], *kinds: Kind) -> list[str]:
    """The forms of the tokens of some kinds."""
    return [fact.form for fact in facts if fact.kind in kinds]


def _words(text: str) -> list[_Token]:
    """Split into words with contractions written out; commas and number signs kept, the rest dropped."""
    raws = _TOKEN.findall(text.translate(_QUOTES))
    shouting = text.isupper()
    found: list[_Token] = []
    for place, raw in enumerate(raws):
        form = raw.lower()
        previous = found[-1].form if found else ""
        if form == "'s":
            form = "is" if previous in lexicon.IS_AFTER else ""
        elif form == "n't" and previous in ("ca", "wo", "sha"):
            found[-1] = found[-1]._replace(form={"ca": "can", "wo": "will", "sha": "shall"}[previous])
        form = lexicon.CONTRACTIONS.get(form, form)
        if not form:
            continue
        acronym = len(raw) > 1 and raw.isupper() and not shouting
        if (acronym and form in lexicon.FUNCTION) or (raw == "A" and found and not shouting):
            form = raw  # "WHO" is not "who", and the A of "vitamin A" no article
        elif acronym or ("." in raw and not raw[0].isdecimal()):
            form = form.replace(".", "")
            form = lexicon.ACRONYMS.get(form, form)
        if form == "cannot":
            found.append(_Token("can", raw))
            form = "not"
        found.append(_Token(form, raw, first=place == 0))
    return found


def _phrases(tokens: list[_Token]) -> list[_Token]:
    """Replace phrases that have a shorter equal."""
    out: list[_Token] = []
    place = 0
    while place < len(tokens):
        for length in range(min(_LONGEST_PHRASE, len(tokens) - place), 1, -1):
            words = tuple(token.form for token in tokens[place : place + length])
            if words in lexicon.PHRASES:
                head = tokens[place]
                out += [_Token(word, head.raw, head.first) for word in lexicon.PHRASES[words].split()]
                place += length
                break
        else:
            out.append(tokens[place])
            place += 1
    return out


def _numbers(tokens: list[_Token]) -> list[_Token]:
    """Write numbers as `#VALUE`, ordinals as `#VALUEth`, and a currency sign as the unit after its number."""
    out: list[_Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token.form in lexicon.CURRENCIES:
            end, number = _number_at(tokens, place + 1)
            if number:
                out += [_Token(number, token.raw), _Token(lexicon.CURRENCIES[token.form], token.raw)]
                place = end
                continue
        end, number = _number_at(tokens, place)
        if number:
            out.append(_Token(number, token.raw, token.first))
            place = end
        else:
            out.append(token)
            place += 1
    return out


def _number_at(tokens: Sequence[_Token], place: int) -> tuple[int, str]:
    """The number that begins at a place, and where it ends; "" if none does."""
    form = tokens[place].form if place < len(tokens) else ""
    if _NUMBER.match(form):
        value = Decimal(form.replace(",", ""))
        place += 1
        following = tokens[place].form if place < len(tokens) else ""
        if following in _ORDINAL_SUFFIXES:
            return place + 1, f"#{value}th"
        if following in lexicon.SUFFIXES and "." not in tokens[place].raw:
            return place + 1, _plain(value * lexicon.SUFFIXES[following])
        while place < len(tokens) and tokens[place].form in lexicon.SCALES:
            value *= lexicon.SCALES[tokens[place].form]
            place += 1
        return place, _plain(value)
    if form in lexicon.ORDINALS:
        return place + 1, f"#{lexicon.ORDINALS[form]}th"
    if form in lexicon.SMALL or form in lexicon.TENS or form in lexicon.SCALES:
        return _spelt_out(tokens, place)
    return place, ""


def _spelt_out(tokens: Sequence[_Token], place: int) -> tuple[int, str]:
    """Read "two hundred and five thousand", or "twenty first", from a place on."""
    total = current = 0
    start = place
    while place < len(tokens):
        form = tokens[place].form
        following = tokens[place + 1].form if place + 1 < len(tokens) else ""
        if form in lexicon.SMALL and (current % 100 == 0 or (current % 10 == 0 and lexicon.SMALL[form] < 10)):
            if place > start and current == total == 0:
                break  # "zero five" is two numbers
            current += lexicon.SMALL[form]
        elif form in lexicon.TENS and current % 100 == 0:
            current += lexicon.TENS[form]
        elif form in lexicon.ORDINALS and current % 100 >= 20 and current % 10 == 0 and lexicon.ORDINALS[form] < 10:
            return place + 1, f"#{total + current + lexicon.ORDINALS[form]}th"
        elif form == "hundred" and current < 100:
            current = max(1, current) * 100
        elif form in lexicon.SCALES and form != "hundred":
            total += max(1, current) * lexicon.SCALES[form]
            current = 0
        elif not (
            form == "and"
            and current
            and current % 100 == 0
            and (following in lexicon.SMALL or following in lexicon.TENS)
        ):
            break
        place += 1
    return place, _plain(Decimal(total + current))


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return "#" + (text.rstrip("0").rstrip(".") if "." in text else text)


def _dates(tokens: list[_Token]) -> list[_Token]:
    """Write dates as `@YYYY-MM-DD` with what is known, without the preposition before them."""
    out: list[_Token] = []
    place = 0
    while place < len(tokens):
        end, date = _date_at(tokens, place)
        token = tokens[place]
        if not date and _year(token.form):
            end, date = place + 1, token.form
        if date:
            while out and out[-1].form in ("on", "in", "the", "year"):
                out.pop()
            out.append(_Token(date, token.raw, token.first))
            place = end
        else:
            out.append(token)
            place += 1
    return out


def _date_at(tokens: Sequence[_Token], place: int) -> tuple[int, str]:
    """The date that begins at a place, and where it ends; "" if none does."""

    def form(ahead: int) -> str:
        return tokens[place + ahead].form if place + ahead < len(tokens) else ""

    if iso := _ISO.match(form(0)):
        return place + 1, "@" + "-".join(iso.groups())
    if _day(form(0)):
        ahead = 2 if form(1) == "of" else 1
        if form(ahead) in lexicon.MONTHS:
            return _with_year(tokens, place + ahead + 1, lexicon.MONTHS[form(ahead)], _day(form(0)))
    month = lexicon.MONTHS.get(form(0))
    if not month:
        return place, ""
    if _day(form(1)):
        return _with_year(tokens, place + 2, month, _day(form(1)))
    end, date = _with_year(tokens, place + 1, month, "")
    # "may" and "march" alone are months only when written as names
    alone = end == place + 1 and form(0) in ("may", "march", "mar", "jan", "sep", "dec", "august")
    if alone and (tokens[place].first or not tokens[place].raw[0].isupper()):
        return place, ""
    return end, date


def _with_year(tokens: Sequence[_Token], place: int, month: int, day: str) -> tuple[int, str]:
    """Finish a date: a year may follow, after "of" or a comma."""
    ahead = place + 1 if place < len(tokens) and tokens[place].form in ("of", ",") else place
    year = _year(tokens[ahead].form) if ahead < len(tokens) else ""
    end = ahead + 1 if year else place
    return end, f"@{year}-{month:02d}" + (f"-{day}" if day else "")


def _day(form: str) -> str:
    digits = form[1:].removesuffix("th") if form.startswith("#") else ""
    return digits.zfill(2) if digits.isdecimal() and 1 <= int(digits) <= 31 else ""


def _year(form: str) -> str:
    digits = form[1:] if form.startswith("#") else ""
    return digits if len(digits) == 4 and digits.isdecimal() and 1000 <= int(digits) <= 2199 else ""


def _before_numbers(tokens: list[_Token]) -> list[_Token]:
    """Write "over 5" as "more than 5", and the like."""
    out: list[_Token] = []
    for token in tokens:
        if token.form.startswith("#"):
            for length in (2, 1):
                words = " ".join(before.form for before in out[-length:])
                if len(out) >= length and words in lexicon.BEFORE_NUMBER:
                    head = out[-length]
                    out[-length:] = [_Token(w, head.raw, head.first) for w in lexicon.BEFORE_NUMBER[words].split()]
                    break
        out.append(token)
    return out


def _front_last(tokens: list[_Token]) -> list[_Token]:
    """Move a phrase such as "In 1990," from the front to the end, in a claim of one clause."""
    forms = [token.form for token in tokens]
    dated = bool(forms) and (forms[0][0] == "@" or bool(_year(forms[0])))
    if not forms or not (dated or forms[0] in lexicon.FRONTABLE):
        return tokens
    if dated or "," not in forms:
        date = next((i for i, form in enumerate(forms[:4]) if form[0] == "@" or _year(form)), None)
        if date is None:
            return tokens
        end = date + 1
    else:
        end = forms.index(",")
    front, rest = tokens[:end], tokens[end:]
    if lexicon.CLAUSES.intersection(forms[1:]) or not any(token.form != "," for token in rest):
        return tokens
    return rest + front


def _level_tenses(tokens: list[_Token]) -> list[_Token]:
    """Write "has won" as "won", and "is jumping" as "jump": the same fact, told in two tenses."""
    out: list[_Token] = []
    for token in tokens:
        before = out[-1].form if out else ""
        participle = token.form.endswith("ed") or token.form in lexicon.PARTICIPLES
        if before in ("has", "have", "had") and participle:
            out.pop()
        elif before in ("is", "are") and (base := lexicon.GERUNDS.get(token.form)):
            out[-1] = token._replace(form=base)
            continue
        out.append(token)
    return out


def _active(tokens: list[_Token]) -> list[_Token]:
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


def _fact(token: _Token) -> Fact:
    form = token.form
    if form[0] == "@":
        return Fact(form, "date", form)
    if form[0] == "#":
        return Fact(form, "number", form)
    if form in lexicon.UNITS:
        return Fact(lexicon.UNITS[form], "unit", lexicon.UNITS[form])
    for table, kind in _TABLES:
        if form in table:
            return Fact(form, kind, form)
    if token.raw[:1].isupper() and not token.first:
        return Fact(lexicon.SYNONYMS.get(form, form), "name", lexicon.SYNONYMS.get(form, form))
    form = lexicon.SYNONYMS.get(form, form)
    return Fact(form, "word", _stem(form))


def _stem(word: str) -> str:
    """Take the -s of plurals and third persons off; tenses stay apart, for they tell other facts."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses", "zes")) else word[:-1]


_TABLES: tuple[tuple[frozenset[str], Kind], ...] = (
    (lexicon.NEGATIONS, "negation"),
    (lexicon.QUANTIFIERS, "quantifier"),
    (lexicon.COMPARATIVES, "comparative"),
    (lexicon.MODALS, "modality"),
)
