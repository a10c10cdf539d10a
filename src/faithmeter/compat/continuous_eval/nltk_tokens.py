"""English word tokens and sentence ends in the manner of NLTK 3.9, for numbers equal to continuous-eval's.

The rules, though not their arrangement, are those of NLTK's word tokenizer and of its Punkt sentence splitter (both
Apache-2.0, © NLTK Project); rule by rule they have to be, to give the same tokens. Punkt's trained tables are not here:
a short list of abbreviations replaces them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from faithmeter.text.english.word_tables import STOP_WORDS, words

_OPENERS = re.compile(r"[«“‘„]|``?")
_OPENING_QUOTE = re.compile(r"""([ (\[{<])(?:"|'')""")
_QUOTED_LETTER = re.compile(r"'(?!re|ve|ll|m|t|s|d|n)(\w)\b", re.IGNORECASE)
_FINAL_STOP = re.compile(r"""([^.])\.([\])}>"'»”’ ]*+)\s*+$""")
_INNER_COMMA = re.compile(r"([:,])(\D)")
_FINAL_COMMA = re.compile(r"[:,]$")
_MARKS = re.compile(r"\.{2,}|[;@#$%&?!]")
_CLOSING_QUOTE = re.compile(r"([^'])' ")
_BRACKETS = re.compile(r"[*\[\](){}<>»”’]|--")
_DOUBLE_QUOTE = re.compile(r"""''|\"""")
_SHORT_CLITIC = re.compile(r"([^' ])('[sSmMdD]?) ")
_LONG_CLITIC = re.compile(r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ")
_FUSED = re.compile(
    r"\b(?:(can)(not)|(d)('ye)|(gim)(me)|(gon)(na)|(got)(ta)|(lem)(me)|(more)('n))\b|\b(wan)(na)(?=\s)",
    re.IGNORECASE,
)
_TIS = re.compile(r" ('t)(is)\b", re.IGNORECASE)
_TWAS = re.compile(r" ('t)(was)\b", re.IGNORECASE)
# The last two: to a pattern that ignores case, a Turkish i is an i.
_FUSED_WORDS = frozenset({"cannot", "gonna", "gotta", "lemme", "wanna", "gimme", "gımme", "gi\u0307mme"})
# What most chunks look like, for which the long way gives what one can see. A comma within a number stays.
_ORDINARY = r"""[^\s«»“”‘’„`"'()\[\]{}<>:,;@#$%&?!*.-]"""
_SIMPLE = re.compile(rf"([(\[{{#$]?)({_ORDINARY}+(?:(?:[-.]|[:,](?=\d)){_ORDINARY}+)*)(?:('s)?([,;:!?)\]}}%]?)|(\.))")
_QUOTES = frozenset("\"'")
_CLOSERS = frozenset("])}>\"'»”’")


def nltk_words(sentence: str) -> list[str]:
    """Cut one sentence into NLTK's word tokens; only the stop that ends the sentence leaves its word."""
    chunks = _chunks(sentence)
    if chunks is None:
        return _cascade(sentence)
    last = len(chunks) - 1
    tokens: list[str] = []
    for index, chunk in enumerate(chunks):
        if chunk.isalnum() and chunk.lower() not in _FUSED_WORDS:
            tokens.append(chunk)
        else:
            tokens += _chunk(chunk, index == 0, index == last)
    return tokens


def nltk_vocabulary(sentences: Iterable[str]) -> set[str]:
    """Return the distinct word tokens of many sentences, cutting each distinct chunk once."""
    tokens: set[str] = set()
    inner: set[str] = set()
    for sentence in sentences:
        chunks = _chunks(sentence)
        if chunks is None:
            tokens.update(_cascade(sentence))
        elif chunks:
            last = chunks.pop()
            tokens.update(_chunk(last, not chunks, True))
            if chunks and chunks[0][0] in _QUOTES:  # only a quotation mark is treated differently at the start
                tokens.update(_chunk(chunks.pop(0), True, False))
            inner.update(chunks)
    plain = {chunk for chunk in inner if chunk.isalnum() and chunk.lower() not in _FUSED_WORDS}
    tokens |= plain
    for chunk in inner - plain:
        tokens.update(_chunk(chunk, False, False))
    return tokens


def _chunks(sentence: str) -> list[str] | None:
    """Cut a sentence at its blanks, or return None if its chunks depend on their neighbours.

    To quotation marks a plain space is not a line break, and closing marks that stand alone still belong to
    the stop before them.
    """
    chunks = sentence.split()
    quoted = "'" in sentence or '"' in sentence
    if (quoted and chunks != sentence.split(" ")) or (chunks and _CLOSERS.issuperset(chunks[-1])):
        return None
    return chunks


@lru_cache(maxsize=1 << 14)
def _chunk(chunk: str, first: bool, last: bool) -> tuple[str, ...]:
    """Cut one blank-delimited chunk as it would be cut within its sentence."""
    simple = _SIMPLE.fullmatch(chunk)
    if simple and not _FUSED.search(simple.group(2) + " "):
        opener, body, clitic, mark, stop = simple.groups()
        if stop and not last:
            body, stop = body + stop, ""
        return tuple(filter(None, (opener, body, clitic, mark, stop)))
    text = chunk if first else " " + chunk
    return tuple(_cascade(text) if last else _cascade(text + " x")[:-1])


def _cascade(text: str) -> list[str]:
    """Set tokens apart with spaces, rule by rule; the order matters, since later rules see those spaces."""
    if text.startswith('"'):
        text = "``" + text[1:]
    text = _OPENERS.sub(r" \g<0> ", text)
    text = _OPENING_QUOTE.sub(r"\1 `` ", text)
    text = _QUOTED_LETTER.sub(r"' \1", text)
    text = _FINAL_STOP.sub(r"\1 . \2 ", text)
    text = _INNER_COMMA.sub(r" \1 \2", text)
    text = _FINAL_COMMA.sub(r" \g<0> ", text)
    text = _MARKS.sub(r" \g<0> ", text)
    text = _CLOSING_QUOTE.sub(r"\1 ' ", text)
    text = _BRACKETS.sub(r" \g<0> ", text)
    text = _DOUBLE_QUOTE.sub(" '' ", text)
    text = f" {' '.join(text.split())} "
    text = _SHORT_CLITIC.sub(r"\1 \2 ", text)
    text = _LONG_CLITIC.sub(r"\1 \2 ", text)
    text = _FUSED.sub(lambda match: f" {' '.join(filter(None, match.groups()))} ", text)
    text = _TIS.sub(r" \1 \2 ", text)
    text = _TWAS.sub(r" \1 \2 ", text)
    return text.split()


# What may end a sentence: a mark before white space and more text, or before a mark no word contains.
_END = re.compile(r"""[.?!](?=[)";}\]*:@'({\[!?]|\s+\S)""")
_BREAKER = re.compile(r"""[\s)";}\]*:@'({\[!?]""")
_NEXT = re.compile(r"""\s*([;:,.!?]|\w\.|[^\s)";}\]*:@'({\[!?,.]*)""")
_BLANK = re.compile(r"\s+")
_CLOSED = re.compile(r"""["')\]}]+?(?:\s+|(?=--)|$)""", re.MULTILINE)
_NUMBER = re.compile(r"-?[.,]?\d[\d,.-]*")
_CLOSING = frozenset("\"')]}")
_INNER_MARKS = frozenset(";:,.!?")
_LONGEST_ABBREVIATION = 40

# Abbreviations of American newspaper prose; the letters before the last stop, lower case. Latin ones (e.g.,
# etc., i.e., et al.) are left out on purpose: Punkt's English model ends a sentence there.
_ABBREVIATIONS = words(
    """
    mr mrs ms dr st jr sr sen rep gen lt col messrs
    jan feb aug sept oct nov dec
    inc corp co cos ltd bros vs ft
    ala ariz ark calif colo conn del fla ga ill ind kan ky mass mich minn miss mo mont neb nev okla ore pa
    tenn vt va wash wis wyo n.h n.j n.m n.y n.c n.d r.i s.c s.d w.va
    u.s u.k u.n d.c a.m p.m ph.d
    """
)


def punkt_sentences(text: str) -> list[str]:
    """Split English prose much as Punkt does, by rule and a short list of abbreviations."""
    sentences = []
    start = 0
    for end in _candidates(text):
        if text[end - 1] == "." and not _stop_ends(text, end):
            continue
        blank = _BLANK.match(text, end)
        following = blank.end() if blank else end
        if text[following] in _CLOSING:  # what closes a quotation or bracket goes with what the stop ended
            closed = _CLOSED.match(text, following)
            if closed:
                end, following = following + len(closed.group().rstrip()), closed.end()
        sentences.append(text[start:end])
        start = following
    sentences.append(text[start:].rstrip())
    return [sentence for sentence in sentences if sentence]


def _candidates(text: str) -> Iterator[int]:
    """Yield the offsets just after a mark that may end a sentence: the last such mark of each chunk."""
    pending = 0
    for match in _END.finditer(text):
        start = match.start()
        if pending and (text[pending].isspace() or _BLANK.search(text, pending, start)):
            yield pending
        pending = start + 1
    if pending:
        yield pending


def _stop_ends(text: str, end: int) -> bool:
    """Tell whether the full stop before `end` ends a sentence, or an abbreviation, initial or number."""
    word = text[max(0, end - _LONGEST_ABBREVIATION) : end - 1].rpartition(" ")[2].lower()
    if not word.isalpha():
        word = _BREAKER.split(word)[-1]
    if word.endswith(".") or word.rpartition("-")[2] in _ABBREVIATIONS or (len(word) == 1 and word.isalpha()):
        following = _next_word(text, end)
        # a function word with a capital most likely opens a sentence
        return following[:1].isupper() and following.lower() in STOP_WORDS
    if _NUMBER.fullmatch(word):
        following = _next_word(text, end)
        return not (following[:1].islower() or following in _INNER_MARKS)
    return True


def _next_word(text: str, end: int) -> str:
    match = _NEXT.match(text, end)
    return match.group(1) if match else ""
