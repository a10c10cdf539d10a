"""Word overlap between a sentence and its contexts: ROUGE-L, token overlap and BLEU.

`Reference` gives continuous-eval's numbers, to the digit, for people who move over from it. As measures of support
they are poor: a long context saturates the first two and crushes the third. `verify/window.py` is the form to judge by.
"""

from __future__ import annotations

import math
import re
import string
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Literal

from faithmeter.compat.continuous_eval.nltk_tokens import nltk_vocabulary, nltk_words, punkt_sentences
from faithmeter.text.english.word_tables import STOP_WORDS

Splitter = Callable[[str], Sequence[str]]
Tokens = Literal["0.2", "0.3"]

_PUNCTUATION = frozenset(string.punctuation)
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_PUNCTUATION_RUN = re.compile(f"[{re.escape(string.punctuation)}]+")
# A run of marks that may end a sentence, right before a word; from its start only, so that each run is read once.
_CLOSE_END = re.compile(r"""(?<![.)";}\]*:@'({\[!?])[)";}\]*:@'({\[]*+[.?!][.)";}\]*:@'({\[!?]++\S""")
_NUMBER = re.compile(r"\d+(?:e\d+)?")
_FUSED = re.compile(r"\b(?:(can)(not)|(gim)(me)|(gon)(na)|(got)(ta)|(lem)(me))\b|\b(wan)(na)(?=\s)", re.IGNORECASE)
_FUSED_WORDS = frozenset({"cannot", "gimme", "gımme", "gonna", "gotta", "lemme", "wanna"})


class Reference:
    """The contexts of one sample, joined by line breaks; each view of them is made once, when first needed.

    `splitter` finds the sentences that word tokens are taken from; without one, a built-in approximation of
    NLTK's Punkt model does.
    """

    def __init__(self, contexts: Sequence[str], *, splitter: Splitter | None = None) -> None:
        self.text = "\n".join(contexts)
        self._splitter = splitter

    @cached_property
    def _parts(self) -> list[list[str]]:
        return _rouge_parts(self.text)

    @cached_property
    def _nltk_vocabulary(self) -> set[str]:
        return nltk_vocabulary((self._splitter or punkt_sentences)(self.text))

    @cached_property
    def _plain_tokens(self) -> set[str | float]:
        text = self.text
        if self._splitter:
            text = "\n".join(self._splitter(text))
        elif _CLOSE_END.search(text):  # else every sentence ends in white space, where tokens end anyway
            text = "\n".join(punkt_sentences(text))
        words = set(_bare(text).split()) - STOP_WORDS
        odd = {word for word in words if not word.isalpha()} | (words & _FUSED_WORDS)
        return (words - odd).union(_plain_tokens(odd))

    def rouge_l(self, sentences: Sequence[str]) -> list[float]:
        """Return the share of each sentence's distinct words that lie on a common subsequence with a part."""
        cut = [_rouge_parts(sentence) for sentence in sentences]
        wanted = {word for parts in cut for part in parts for word in part}
        parts_with: dict[str, list[int]] = {}
        for index, words in enumerate(self._parts):
            for word in wanted.intersection(words):
                parts_with.setdefault(word, []).append(index)
        return [
            0.0 if _PUNCTUATION.issuperset(sentence) else self._share_found(parts, parts_with)
            for sentence, parts in zip(sentences, cut, strict=True)
        ]

    def _share_found(self, hypotheses: list[list[str]], parts_with: dict[str, list[int]]) -> float:
        """Walk the parts that hold a word not yet found, as only they can have something new."""
        wanted = set().union(*hypotheses)
        missing = set(wanted)
        for hypothesis in hypotheses:
            masks = _masks(hypothesis)
            walked: set[int] = set()
            for word in hypothesis:
                for index in parts_with.get(word, ()) if word in missing else ():
                    if index not in walked:
                        walked.add(index)
                        missing -= _path(self._parts[index], masks, len(hypothesis))
                    if word not in missing:
                        break
        return (len(wanted) - len(missing)) / len(wanted)

    def token_overlap(self, sentences: Sequence[str], *, tokens: Tokens = "0.2") -> list[float]:
        """Return, for each sentence, the distinct tokens shared with the contexts over all its tokens."""
        return [self._token_overlap(sentence, tokens) for sentence in sentences]

    def _token_overlap(self, sentence: str, tokens: Tokens) -> float:
        # continuous-eval splits again what is a sentence already, which now and then (`1. First`) makes a difference
        parts = self._splitter(sentence) if self._splitter else [sentence]
        if tokens == "0.2":
            words = [word for part in parts for word in nltk_words(part)]
            count, shared = len(words), len(self._nltk_vocabulary.intersection(words))
        else:
            bare = _bare("\n".join(parts)).split()
            plain = _plain_tokens(word for word in bare if word not in STOP_WORDS)
            count, shared = len(plain), len(self._plain_tokens.intersection(plain))
        return shared / count if count else 0.0

    def bleu(self, sentences: Sequence[str]) -> list[float]:
        """Return the character BLEU of each sentence against the joined contexts."""
        from faithmeter.compat.continuous_eval.char_ngrams import (
            clipped_matches,  # loads numpy, which the rest does without
        )

        matches = clipped_matches(sentences, self.text)
        return [
            _bleu(counts, len(sentence), len(self.text)) for sentence, counts in zip(sentences, matches, strict=True)
        ]


def _rouge_parts(text: str) -> list[list[str]]:
    """Cut a text into parts at every full stop, and each part into words; a blank part is one empty word."""
    return [part.split() or [""] for part in text.split(".") if part]


def _masks(words: list[str]) -> dict[str, int]:
    """Map each word to the integer whose bits mark the word's places."""
    masks: dict[str, int] = {}
    bit = 1
    for word in words:
        masks[word] = masks.get(word, 0) | bit
        bit <<= 1
    return masks


def _path(words: list[str], masks: dict[str, int], width: int) -> set[str]:
    """Return the words on the longest common subsequence that continuous-eval's backtrack walks.

    A row of the table is one integer whose set bits are the columns where the length grows. From the last
    corner the walk takes a match if there is one, goes up where the row grows, and left where it does not: so
    in each row it stops at the highest bit that is either. A word without a match repeats the row above, and
    one such row does the work of many.
    """
    full = flat = (1 << width) - 1
    rows: list[tuple[str, int, int]] = []
    matched = False
    for word in words:
        mask = masks.get(word, 0)
        if mask:
            hits = flat & mask
            flat = ((flat + hits) | (flat - hits)) & full
        elif not matched:
            continue
        matched = mask != 0
        rows.append((word, mask, full ^ flat))

    path = set()
    reach = full  # a bit for each column not yet passed
    for word, mask, grows in reversed(rows):
        stop = (grows | mask) & reach
        if not stop:
            break
        column = 1 << (stop.bit_length() - 1)
        reach = column - 1
        if mask & column:
            path.add(word)
        else:
            reach |= column
    return path


def _bare(text: str) -> str:
    """Return a text in lower case and without ASCII punctuation."""
    text = text.lower()
    # `translate` is the quicker only where it can work on bytes
    return text.translate(_NO_PUNCTUATION) if text.isascii() else _PUNCTUATION_RUN.sub("", text)


def _plain_tokens(words: Iterable[str]) -> list[str | float]:
    """Split fused words in two and read numbers, as the 0.3 releases do with what is left of a text."""
    tokens: list[str | float] = []
    for word in words:
        if word.isalpha() and word not in _FUSED_WORDS:
            tokens.append(word)
        elif word.isdecimal():
            tokens.append(float(word))
        else:
            spaced = _FUSED.sub(lambda match: f" {' '.join(filter(None, match.groups()))} ", word + " ")
            tokens += [float(token) if _NUMBER.fullmatch(token) else token for token in spaced.split()]
    return tokens


def _bleu(matches: Sequence[int], length: int, context_length: int) -> float:
    """Combine clipped n-gram matches into BLEU with NLTK's default smoothing, which is next to none."""
    if not matches[0]:
        return 0.0
    logs = [
        0.25 * math.log(count / max(1, length + 1 - order) if count else sys.float_info.min)
        for order, count in enumerate(matches, 1)
    ]
    brevity = 1.0 if length > context_length else math.exp(1 - context_length / length)
    return brevity * math.exp(math.fsum(logs))
