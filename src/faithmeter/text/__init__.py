"""Sentences, words and readable units of a text, each with exact character offsets."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from faithmeter.text.sentences import spans
from faithmeter.text.structured import Unit
from faithmeter.text.structured import units as read_units

__all__ = ["Sentence", "Span", "Unit", "sentences", "units", "words"]


class Span(NamedTuple):
    """A stretch of a text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the stretch of `text` that the span marks."""
        return text[self.start : self.end]


class Sentence(NamedTuple):
    """A sentence of a text: where it lies, and what kind of block it stands in."""

    start: int
    end: int
    kind: str

    def of(self, text: str) -> str:
        """Return the sentence as it stands in `text`."""
        return text[self.start : self.end]


_made = tuple.__new__  # what `Span(*pair)` comes to, at a third of its time: contexts have many words

# Combining marks (Unicode categories Mn, Mc, Me), which `\w` leaves out though Hindi or Thai words hold many. Ranges
# run over letters and unassigned places between marks, never over punctuation; tests hold them to `unicodedata`.
_MARK_RANGES = """
300-36f 483-489 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 610-61a 64b-65f 670 6d6-6dc 6df-6e8 6ea-6ed 711-7f3 7fd
816-82d 859-85b 898-8e1 8e3-963 981-9e3 9fe-a75 a81-ae3 afa-b63 b82-bd7 c00-c63 c81-c83 cbc-d4d d57-d63
d81-df3 e31-e3a e47-e4e eb1-ecd f18-f19 f35 f37 f39 f3e-f84 f86-fbc fc6 102b-103e 1056-109d 135d-135f
1712-1734 1752-17d3 17dd 180b-180d 180f-193b 1a17-1a1b 1a55-1a7f 1ab0-1b44 1b6b-1b73 1b80-1bf3 1c24-1c37
1cd0-1cd2 1cd4-1dff 20d0-20f0 2cef-2cf1 2d7f-2dff 302a-302f 3099-309a a66f-a672 a674-a67d a69e-a6f1
a802-a827 a82c a880-a8c5 a8e0-a8f1 a8ff-a92d a947-a953 a980-a9c0 a9e5-aa4d aa7b-aac1 aaeb-aaef aaf5-aaf6
abe3-abea abec-abed fb1e fe00-fe0f fe20-fe2f 101fd-1037a 10a01-10a3f 10ae5-10ae6 10d24-10eac 10f46-10f50
10f82-10f85 11000-11046 11070-110ba 110c2 11100-11134 11145-11173 11180-111c0 111c9-111cc 111ce-111cf
1122c-11237 1123e 112df-11446 1145e-114c3 115af-115c0 115dc-11640 116ab-116b7 1171d-1172b 1182c-1183a
11930-11943 119d1-119e0 119e4-11a3e 11a47-11a99 11c2f-11c3f 11c92-11ef6 16af0-16af4 16b30-16b36
16f4f-16f92 16fe4-16ff1 1bc9d-1bc9e 1cf00-1cf46 1d165-1d169 1d16d-1d172 1d17b-1d182 1d185-1d18b
1d1aa-1d1ad 1d242-1d244 1da00-1da36 1da3b-1da6c 1da75 1da84 1da9b-1e136 1e2ae-1e2ef 1e8d0-1e94a
e0100-e01ef
"""


# Scripts that put no space between words. Han and Kana:
_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u303c\u3041-\u30ff\u3105-\u312f\u31a0-\u31bf"
_HAN += "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
# Thai, Lao, Burmese, Khmer, without their marks:
_SOUTH_EAST = "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6"
_SOUTH_EAST += "\u1000-\u102a\u103f\u1050-\u1055\u1780-\u17b3"


def _word_pattern(letter: str, run: str, single: str) -> str:
    return rf"""
        {letter}(?:\.{letter})+(?!\w|\.{letter})            # U.S., e.g.
      | {run}(?:['’](?![sS]\b){run})*                       # a word, with don't and l'homme
      | (?<=\w)['’][sS]\b                                   # the possessive
      | \d++(?:st|nd|rd|th)\b
      | \d{{4}}-\d{{1,2}}-\d{{1,2}}(?!\d) | \d{{1,2}}/\d{{1,2}}/\d{{2,4}}(?!\d)
      | \d{{1,2}}:\d{{2}}(?::\d{{2}})?(?!\d)
      | \d++(?:[.,٫٬]\d++)*                                 # 3.5 and 1,000
      | {single}
      | [%‰°$€£¥₹₩₽₺₿¢]"""


_ASCII_WORD = re.compile(_word_pattern("[A-Za-z]", "[A-Za-z][A-Za-z0-9]*+", r"(?!)"), re.VERBOSE | re.ASCII)


@cache
def _word() -> re.Pattern[str]:
    """Compile the pattern for text beyond ASCII when it is first needed: it takes as long as all others together."""
    bounds = (pair.partition("-") for pair in _MARK_RANGES.split())
    marks = "".join(f"{chr(int(low, 16))}-{chr(int(high or low, 16))}" for low, _, high in bounds)
    marks += "\u00ad\u200c\u200d"  # the soft hyphen and the joiners stand inside words
    letter = rf"[^\W\d_{_HAN}{_SOUTH_EAST}]"
    run = rf"{letter}++(?:[\d{marks}]++{letter}*+)*"
    single = rf"[{_HAN}{_SOUTH_EAST}][{marks}]*+"
    return re.compile(_word_pattern(letter, run, single), re.VERBOSE)


def sentences(text: str, *, language: str = "en") -> list[Sentence]:
    """Split a text into its sentences, in order."""
    return [Sentence(*span) for span in spans(text, language=language)]


def words(text: str) -> list[Span]:
    """Find the words of a text, as they are best matched against another text.

    A number keeps its separators (3.5, 1,000, 2018-12-02, 11:00) and stands apart from its unit or sign (5 km, 5 %),
    hyphenated words come apart (gluten-free, gluten free), a possessive does too, and don't is one word. Scripts
    without spaces give one character a word.
    """
    pattern = _ASCII_WORD if text.isascii() else _word()
    return [_made(Span, match.span()) for match in pattern.finditer(text)]


def units(text: str, *, language: str = "en") -> list[Unit]:
    """Cut a context into readable pieces: sentences of prose, fields of records, rows of tables."""
    return list(read_units(text, language=language))
