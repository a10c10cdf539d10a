"""Splits one block of running text into sentences: sentencex, and what it needs before and after.

sentencex says where a sentence may end. It sees a mask of the text, of equal length, in which line breaks are
blanks, and so are quotes and brackets that hold nothing together (an inch mark, an opener without closer).
Afterwards stray closers and citation marks move to the sentence that they close, and boundaries that are none
(a lower-case continuation, "Eq. (3)") go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters

from sentencex import segment

from faithmeter.text.blocks import blocks
from faithmeter.text.english.word_tables import words

# At every full stop sentencex looks back to the start of its input: long input would cost quadratic time.
_WINDOW = 8192
_OVERLAP = 512
# A longer quotation or bracket does not hold its sentences together: nobody can judge it as one claim.
_HOLD = 300

# Equal-length stand-ins: breaks and bullets are blanks; Khmer and Tibetan stops, unknown to sentencex, are dandas.
_STANDINS = {ord(c): " " for c in "\n\r\t\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029<>•◦▪▫■□●○⁃⁌⁍◆◇★☆➤➢➣▶▸►"}
_STANDINS |= {ord(c): "।" for c in "។៕།"}
_ASCII_STANDINS = [chr(code) for code in _STANDINS if code < 128]
_STANDIN = re.compile(f"[{''.join(map(chr, _STANDINS))}]")
# sentencex looks for inline lists too, and where it sees one ("(Canada, 2006) … (Latvia, 1999)") it splits no more.
# Another bracket stops that: lists are found before, in blocks.
_CLOSES = re.compile(r"\)(?=\s)")
_INLINE_MARKER = re.compile(r"(?:\A|\s)\(?(?:\d+|[ivxlcdmIVXLCDM]+|[A-Za-z])\.?\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DEGREES = re.compile(r"(?<=°) (?=[CF]\.)")  # a lone letter with a stop would pass for an initial
# "No. Flight AZ610 is late." is an answer and a sentence, "No. 5" and "No. Five" are numbers.
_NUMBER_WORD = r"(?:One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|Eleven|Twelve)\b"
_ANSWERED_NO = re.compile(
    rf"(?:(?:\A|(?<=[.!?:\n] )|(?<=[\"“(*\n]))No|(?<=\s)no)(?=[.]\s+(?!{_NUMBER_WORD})[A-Z][a-z]+)"
)
_ELLIPSIS = re.compile(r"…(?=\s+[A-Z\"“])")

# Quotes and brackets, but no apostrophe inside a word. One class comes first so that the search is quick.
_MARK = re.compile(r"[\"“”„«»()\[\]{}（）'‘’](?:(?<!['‘’])|(?!(?<=\w.)\w))")
_ASCII_MARKS = "\"'()[]{}"
_OPENER = {"”": "“", "»": "«", ")": "(", "]": "[", "}": "{", "）": "（", "’": "‘"}
_OPENERS = frozenset("“„«([{（‘")
_ELISION = re.compile(r"'(?:\d\ds?\b|n'|t(?:is|was)\b|em\b|cause\b)", re.IGNORECASE)
_STOPS = frozenset(".!?。！？")
_LETTERS = frozenset(ascii_letters)
_NONSPACE = re.compile(r"\S")
_WORD = re.compile(r"[^\W_]")
# A bullet of a list that lost its line breaks is no part of the item.
_NEXT = re.compile(r"\s*+(?:[-*•]\s++|(?![-*•]\s))(?=\S)")

# What may follow the stop and still belong to the sentence: closers, emphasis, citations, sources, smileys.
_TRAILER = re.compile(
    r"""(?:
        [)\]}”’»›」』】〉》）］]                                   # closers
      | ["'](?=[\s)\]*_,.]|\Z)
      | (?<=[)\]”’"'])[.!?](?=\s|\Z)                              # a second stop: "(See above.)."
      | [*_~`]{1,3}(?=[\s)\]"'”,]|\Z)                            # the end of emphasis
      | </[a-zA-Z]+>
      | [¹²³⁴-⁹⁰†‡]                                              # footnote marks
      | \s*+\[(?:\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*|[a-z]|note\s\d+|citation\sneeded|sic)\](?!\()
      | \s*+[\[(](?:sources?|passages?|see|ref(?:erence)?s?|documents?|docs?|context|citation)\b[^()\[\]]{0,80}[\])]\.?
      | \s*+[:;]-?[)D(](?=\s|\Z)                                 # smileys
      | \s*+[\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d]
    )*""",
    re.VERBOSE | re.IGNORECASE,
)
_LOWER = re.compile(r"[\"'“‘«„(\[*_]*+(?P<word>\w*+)")
_MIXED = re.compile(r"[a-z]+[A-Z]")
# All words that stand in the four patterns below.
_SHORT = words(
    "eq fig ref sec vol no thm lem prop def alg tab ch chap app art p para eqs figs refs secs vols nos thms lems props "
    "defs algs tabs chs chaps apps arts ps paras pp pt ed eds approx est al cf vs op ver trans incl excl avg resp "
    "max min st mt ft dr mr mrs ms"
)
_REFERENCE = re.compile(
    r"(?:^|[\s(\[])(?:(?:eq|fig|ref|sec|vol|no|thm|lem|prop|def|alg|tab|ch|chap|app|art|p|para)s?|pp|pt|eds?"
    r"|approx|est|et\sal|cf|vs|op|ver|trans)\.\Z",
    re.IGNORECASE,
)
_SHORTENED = re.compile(r"(?:^|[\s(\[])(?:incl|excl|approx|avg|resp)\.\Z", re.IGNORECASE)  # they end no sentence
_AMOUNT = re.compile(r"(?:^|[\s(\[])(?:max|min)\.\Z", re.IGNORECASE)
_AMOUNTS_TO = re.compile(rf"[(\[$€£#§~]*\d|{_NUMBER_WORD}")
_SAINT = re.compile(r"[-–/](?:St|Mt|Ft|Dr|Mr|Mrs|Ms)\.\Z")  # "Kansas City-St. Joseph"
_CLOCK_TIME = re.compile(r"\d\s?[ap]\.m\.\Z", re.IGNORECASE)  # "from 7 a.m. to 3 p.m. Monday through Thursday"
_TIME_GOES_ON = re.compile(
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?:s\b|\s?[-–—,.;:)]|\s(?:to|through|thru|until|and|or|night|morning"
    r"|afternoon|evening)\b|\Z)|(?:[ECMP][SD]?T|GMT|UTC|BST|CES?T|IST)\b"
    r"|(?:January|February|March|April|May|June|July|August|September|October|November|December)\s\d"
)
_REFERRED = re.compile(r"[(\[$€£#§~]*\d|\(|\[|[A-Z]\d|[IVXLC]+\b|[A-Z]\b")
_ENUMERATOR = re.compile(r"\W*+(?:(?:step|part|tip|q|a|method)\s)?(?:\d{1,3}|[A-Za-z])[.)]\W*\Z", re.IGNORECASE)
_LEAD_IN = re.compile(r"(?:\*\*|__)\S+(?:[ \t]+\S+){0,2}(?:\*\*|__)\Z")
_GLUED = re.compile(r"(?<![\w./@:_-])[^\W\d_]*[^\W\d_A-Z]{2}[.!?]\Z")
_GLUED_NEXT = re.compile(r"[A-Z][\w'’]*(?=[\s,;]|\Z)|[\"“(]")
_SENTENCE_END = re.compile(r"(?<![\w.])(?P<word>[a-z]{2,})[.!?]++\s++(?P<next>[a-zA-Z])")
_LAST_WORD = re.compile(r"(?<![\w.])[a-z]{1,6}\.\Z")
# Words cut short, after which a lower-case word goes on with the sentence. A word without vowel counts too (tsp).
_CUT_SHORT = re.compile(
    r"[^aeiou]+\.?\Z|(?:oz|min|sec|gal|in|approx|est|etc|al|ca|max|vol|esp|incl|excl|ave|dept|eds?|trans|temp|avg)\.?\Z"
)


def spans(text: str, *, language: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of each sentence of a whole text."""
    for block in blocks(text):
        if block.kind in ("prose", "item"):
            for start, end in split(text[block.start : block.end], language=language):
                yield block.start + start, block.start + end, block.kind
        else:
            yield block.start, block.end, "heading" if block.kind == "header" else block.kind


def split(text: str, *, language: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of one block, in order, without white space at their ends."""
    sentences: list[tuple[int, int]] = []
    first = _NONSPACE.search(text)
    if first is None:
        return sentences
    start = first.start()
    word = _word_from(text, start)
    uncased: bool | None = None
    for stop in _candidates(_mask(text), language):
        end, after = _edge(text, stop)
        if after is None:
            break
        if end <= word or _continues(text, start, end, after):
            continue
        if _lower_case(text, after):
            if uncased is None:
                uncased = _is_uncased(text)
            if not uncased or _goes_on(text, start, end):
                continue
        sentences.append((start, end))
        start = after
        if word < start:
            word = _word_from(text, start)
    if sentences and word == len(text):
        start = sentences.pop()[0]
    sentences.append((start, len(text.rstrip())))
    return sentences


def _word_from(text: str, start: int) -> int:
    """Return where the next word starts, or the end of the text."""
    if text[start : start + 1] in _LETTERS:
        return start
    word = _WORD.search(text, start)
    return word.start() if word else len(text)


def _mask(text: str) -> str:
    """Blank what would mislead sentencex, at equal length."""
    plain = text.isascii()  # and then quicker to look through
    held = any(char in text for char in _ASCII_STANDINS) if plain else _STANDIN.search(text)
    mask = text.translate(_STANDINS) if held else text
    if "…" in mask:
        mask = _ELLIPSIS.sub(".", mask)
    if ")" in mask:
        mask = _CLOSES.sub(_other_bracket, mask)
    if "o. " in mask and (
        "No." in mask or " no." in mask or not plain
    ):  # a plain text's only blank is the space by now
        mask = _ANSWERED_NO.sub("xx", mask)
    if "° " in mask:
        mask = _DEGREES.sub("x", mask)
    loose = _loose_marks(text) if not plain or any(mark in text for mark in _ASCII_MARKS) else ()
    if loose:
        chars = list(mask)
        for at in loose:
            chars[at] = " "
        mask = "".join(chars)
    return mask


def _other_bracket(close: re.Match[str]) -> str:
    before = close.string[max(0, close.start() - 10) : close.start()]
    return "]" if _INLINE_MARKER.search(before) else ")"


def _loose_marks(text: str) -> list[int]:
    """Return where quotes and brackets stand that hold nothing together."""
    loose: list[int] = []
    opened: dict[str, int] = {}
    for match in _MARK.finditer(text):
        at = match.start()
        char = text[at]
        if char in "\"'":
            opener, opens = char, _opens(text, at, char in opened)
        else:
            opener, opens = _OPENER.get(char, char), char in _OPENERS
            if char == "“" and "„" in opened:
                opener, opens = "„", False
        if opens:
            if opener in opened:
                loose.append(opened[opener])
            opened[opener] = at
            continue
        start = opened.pop(opener, None)
        if start is None:
            loose.append(at)
        elif at - start > _HOLD or (opener in "([（" and _stands_alone(text, start, at)):
            loose += (start, at)
    loose.extend(opened.values())
    return loose


def _opens(text: str, at: int, is_open: bool) -> bool:
    """Say whether a straight quote opens a quotation."""
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if text[at] == "'":
        return not (before.isalnum() or _ELISION.match(text, at)) and after.isalnum()
    if not after or after.isspace():
        return False
    if not before or before.isspace() or before in "([{—–-/*_":
        return True
    return not is_open and not before.isdigit() and before not in _STOPS


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Say whether a bracket holds whole sentences, as "(See above.)" does."""
    before = text[max(0, start - 8) : start].rstrip()
    return text[end - 1] in _STOPS and (before == "" or before[-1] in _STOPS)


def _candidates(mask: str, language: str) -> Iterator[int]:
    """Yield where sentencex ends a sentence: the offset after its last character that is not blank."""
    at = 0
    while len(mask) - at > _WINDOW:
        window = mask[at : at + _WINDOW]
        pieces = _segment(window, language)[:-1]
        yield from _ends(pieces, at)
        done = sum(map(len, pieces))
        # Without a boundary in the window go on behind it; the overlap gives the next one something to look at.
        at += done if done > _OVERLAP else _WINDOW - _OVERLAP
    yield from _ends(_segment(mask[at:], language), at)


def _ends(pieces: list[str], at: int) -> Iterator[int]:
    for piece in pieces:
        yield at + len(piece.rstrip())
        at += len(piece)


def _segment(mask: str, language: str) -> list[str]:
    try:
        pieces: list[str] = segment(language, mask)
    except UnicodeEncodeError:
        pieces = segment(language, _SURROGATE.sub("\ufffd", mask))
    return pieces


def _edge(text: str, stop: int) -> tuple[int, int | None]:
    """Return where the sentence that stops at `stop` really ends, and where the next one starts."""
    if text[stop : stop + 1] == " " and text[stop + 1 : stop + 2] in _LETTERS:
        return stop, stop + 1  # as nearly always: neither of the two below begins with a letter
    trailer = _TRAILER.match(text, stop)
    end = trailer.end() if trailer else stop
    after = _NEXT.match(text, end)
    return end, after.end() if after else None


def _continues(text: str, start: int, end: int, after: int) -> bool:
    """Say whether the sentence goes on behind a stop that sentencex took for its end."""
    tail = text[max(start, end - 16) : end]
    if _may_be_short(tail):
        if _REFERENCE.search(tail) and _REFERRED.match(text, after):
            return True
        if _SHORTENED.search(tail) or (_AMOUNT.search(tail) and _AMOUNTS_TO.match(text, after)):
            return True
        if _SAINT.search(tail) or (_CLOCK_TIME.search(tail) and _TIME_GOES_ON.match(text, after)):
            return True
    if end - start < 16 and _ENUMERATOR.match(tail):
        return True
    if text[start] in "*_" and end - start < 66 and start == 0 and _LEAD_IN.match(text[start:end]):
        return True
    last = text[end - 1]
    if last in "」』" and text[after] in "とっ":  # the Japanese quotative
        return True
    if after == end and last in ".!?" and ord(text[after]) < 0x3000:
        return not (_GLUED.search(text[max(start, end - 40) : end]) and _GLUED_NEXT.match(text, after))
    before = text[max(0, end - 3) : end - 1]  # an abbreviation of one letter, not of English: "г. Москва"
    return last == "." and before[-1:] > "\x7f" and before[-1].islower() and not before[:-1].isalpha()


def _may_be_short(tail: str) -> bool:
    """Say whether a word cut short may stand before a stop: a plain word is looked up, anything else may be one."""
    words = tail[:-1].rsplit(None, 1) if tail[-1] == "." else []
    return bool(words) and (not (words[-1].isalpha() and words[-1].isascii()) or words[-1].lower() in _SHORT)


def _lower_case(text: str, at: int) -> bool:
    if "A" <= text[at] <= "Z":
        return False
    word = _LOWER.match(text, at)
    if word is None or not word["word"][:1].islower():
        return False
    return not _MIXED.match(word["word"])  # iPhone, eBay


def _goes_on(text: str, start: int, end: int) -> bool:
    """Say whether a lower-case word goes on with the sentence even where sentences start in lower case."""
    word = _LAST_WORD.search(text[max(start, end - 8) : end])
    return text[end - 1] in "\"'”’»" or (word is not None and _CUT_SHORT.match(word[0]) is not None)


def _is_uncased(text: str) -> bool:
    """Say whether the writer starts sentences in lower case, as in chats and reviews."""
    lower = upper = 0
    for end in _SENTENCE_END.finditer(text):
        if end["next"].isupper():
            upper += 1
        elif not _CUT_SHORT.match(end["word"]):
            lower += 1
    return lower >= (1 if text.lstrip()[:1].islower() else 2) and 2 * lower >= upper
