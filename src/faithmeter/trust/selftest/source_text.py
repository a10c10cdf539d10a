"""What a sample says, for looking things up in it, and the names in a text."""

from __future__ import annotations

import re
from functools import cached_property

from faithmeter.datamodels import Sample
from faithmeter.trust.selftest import english as grammar

TOKEN = re.compile(r"\w[\w.&’'-]*\w|\w")
_LINKS = frozenset({"of", "the", "de", "la", "van", "von", "del", "al", "bin", "and"})


class Source:
    """What a sample says, for looking up whether a change could be supported by it after all."""

    def __init__(self, sample: Sample) -> None:
        self.text = "\n".join([sample.question or "", *(context.text for context in sample.contexts)])
        self._had: dict[str, bool] = {}

    @cached_property
    def lower(self) -> str:
        return self.text.lower()

    @cached_property
    def words(self) -> frozenset[str]:
        """The words as written."""
        return frozenset(re.findall(r"[^\W\d_][\w'’-]*", self.text))

    @cached_property
    def inner(self) -> frozenset[str]:
        """The capitalised words inside sentences, where capitals tell names."""
        return frozenset(re.findall(r"(?<=[a-z,;] )[^\W\d_a-z][\w'’-]*", self.text))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers, without commas, words as digits."""
        digits = {numeral.replace(",", "") for numeral in re.findall(r"\d[\d,]*(?:\.\d+)?", self.text)}
        return frozenset(digits | {str(n) for n, word in enumerate(grammar.NUMBERS) if word in self.lower})

    def has(self, phrase: str) -> bool:
        """Whether the phrase occurs, in whatever case."""
        if phrase not in self._had:
            self._had[phrase] = phrase.lower() in self.lower
        return self._had[phrase]


def names(text: str, source: Source) -> list[tuple[int, int]]:
    """Where names are in a text, as far as capitals show them and the sample writes them so too."""
    tokens = list(TOKEN.finditer(text))
    spans: list[tuple[int, int]] = []
    for index, token in enumerate(tokens):
        word = re.sub(r"['’]s$|['’.]$", "", token[0])
        before = text[tokens[index - 1].end() - 1 if index else 0 : token.start()].rstrip()
        if not _is_name(word, source, first=token.start() == 0 or before[-1:] in ".!?:•*"):
            continue
        start, end = token.start(), token.start() + len(word)
        if spans and _joined(text, tokens, index, spans[-1][1]):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return [(start, end) for start, end in spans if source.has(text[start:end])]


def _is_name(word: str, source: Source, *, first: bool) -> bool:
    if len(word) < 2 or not word[0].isupper() or word.lower() in grammar.FUNCTION or word[0].isdigit():
        return False
    if word in grammar.MONTHS or word.removesuffix("s") in grammar.WEEKDAYS:
        return False
    if re.search("[a-z][A-Z]", word):
        return False  # WiFi, YouTube: things rather than names
    return word in (source.inner if first else source.words)


def _joined(text: str, tokens: list[re.Match[str]], index: int, end: int) -> bool:
    """Whether a name goes on from the one before: a space, or words such as "of the", between them."""
    between = text[end : tokens[index].start()]
    links = between.split()
    return between[:1] == " " and between[-1:] == " " and all(link in _LINKS - {"and"} for link in links)
