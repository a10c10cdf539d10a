"""Ways to leave out the part of a sentence that is not supported, and to take a sentence out of its answer.

Within a sentence: parts that can go without the rest falling apart. In the answer: the sentence with its bullet and its
line, the numbers of the list after it, and a lead-in or heading that has nothing left to introduce.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from faithmeter.datamodels import Aside
from faithmeter.revision import Edit
from faithmeter.text.english import verbs
from faithmeter.text.english.clause_words import tokens
from faithmeter.text.english.word_tables import words

Change = tuple[int, int, str]
"""(start, end, new words) of a sentence."""

LEAST_WORDS = 4  # of a sentence that is worth keeping
MOST_CUTS = 32  # that are looked at: a sentence of a thousand commas has a thousand
_TAIL = re.compile(
    r",? (?=(?:in|on|at|by|since|from|for|with|during|after|before|until|near|including|such as|according to|following|"
    r"despite|because of|due to|as|through|throughout|under|over|within|without|across|along with|thanks to|to|of) )",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"(?<!\s)\s*+(?:\([^()]*\)|\[[^\[\]]*\])|,? [–—-] [^–—-]* [–—-](?= )")
_LEAD = re.compile(r"\A(?:[A-Z][\w'’-]*(?: [\w'’%$.-]+){0,7}), (?=\S)")
_STOP = re.compile(r"[.!?][\"'”’)\]*_]*\s*\Z")
_MARKER = re.compile(
    r"[ \t]*+(?:(?:[-*+•‣◦▪●–—]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])[ \t]++)?(?:\[[ xX]\][ \t]++)?[*_>#]*+[ \t]*+\Z"
)
_NEW_PARAGRAPH = re.compile(r"(?<!\s)[^\S\n]*+(\n)[^\S\n]*+\n\s*+(?=[^\d•*+-])")
_NUMBERED = re.compile(r"^(?P<before>[ \t]*\(?)(?P<value>\d{1,3})(?P<after>[.)][ \t]+)", re.MULTILINE)


def changed(sentence: str, changes: Sequence[Change]) -> str:
    """A sentence after some changes, which are in order."""
    for start, end, new in reversed(changes):
        sentence = sentence[:start] + new + sentence[end:]
    return sentence


def phrases(sentence: str, gaps: Sequence[tuple[int, int]] = ()) -> list[list[Change]]:
    """Ways to leave one phrase out of a sentence, the smallest first; those that leave out what `gaps` mark before."""
    stop = _STOP.search(sentence)
    end = stop.start() if stop else len(sentence.rstrip())
    cuts: set[Change] = {(*match.span(), "") for match in _BRACKETED.finditer(sentence, 0, end)}
    for match in _TAIL.finditer(sentence, 0, end):
        cuts.add((match.start(), end, ""))
        comma = sentence.find(",", match.end(), end)
        if comma >= 0 and match[0].startswith(","):
            cuts.add((match.start(), comma + 1, ""))
    for comma in (offset for offset in range(end) if sentence[offset] == ","):
        cuts.add((comma, end, ""))
    if lead := _LEAD.match(sentence):
        first = sentence[lead.end()]
        cuts.add((0, lead.end() + 1, first.upper()))
    marked = sorted(cuts, key=lambda change: (-_marked(change, gaps), change[1] - change[0], change[0]))
    return [[change] for change in marked[:MOST_CUTS] if stands(changed(sentence, [change]))]


def _marked(change: Change, gaps: Sequence[tuple[int, int]]) -> bool:
    """Whether a cut leaves out most of what is marked."""
    total = sum(end - start for start, end in gaps)
    covered = sum(max(0, min(end, change[1]) - max(start, change[0])) for start, end in gaps)
    return bool(total) and covered > 0.6 * total


def stands(sentence: str) -> bool:
    """Whether what is left has the look of a sentence: enough words, a verb, brackets in pairs, no loose end."""
    kept_words = [word for word in tokens(sentence) if word.text[0].isalnum()]
    if len(kept_words) < LEAST_WORDS or sentence.count("(") != sentence.count(")") or sentence.count('"') % 2:
        return False
    last = kept_words[-1].lower
    if last in _LOOSE_ENDS:
        return False
    return any(
        word.lower in verbs.AUXILIARIES or word.lower in verbs.SHORTENED or word.lower in verbs.THIRD
        or word.lower in verbs.BASES or verbs.is_past(word.lower) for word in kept_words
    )  # fmt: skip


_LOOSE_ENDS = words(
    "of in on at by to from with for as and or but the a an is are was were be been that which who his her its their "
    "into between than not has have had will would can could may might must should also such including about"
)


def sentence_cut(answer: str, start: int, end: int) -> tuple[int, int]:
    """What goes with a sentence: the space before it, or, when it is alone on its lines, its bullet and line break."""
    line = answer.rfind("\n", 0, start) + 1
    after = answer.find("\n", end)
    after = len(answer) if after < 0 else after
    alone_before = _MARKER.match(answer[line:start]) is not None
    alone_after = not answer[end:after].strip(" \t*_\r")
    if alone_before and alone_after:
        if after < len(answer):
            after += 1
            if answer[after : after + 1] == "\n" and (line == 0 or answer[line - 2 : line] == "\n\n"):
                after += 1  # of a paragraph by itself, the blank line goes too
            return line, after
        return max(0, len(answer[:line].rstrip("\n"))) if line else 0, len(answer)
    if alone_before:
        return start, end + (len(answer[end:]) - len(answer[end:].lstrip(" ")))
    begin = start
    while begin > line and answer[begin - 1] in " \t":
        begin -= 1
    return begin, end


def tidied(answer: str, cuts: Sequence[Edit], asides: Sequence[Aside]) -> Iterator[Edit]:
    """What cuts leave behind: lead-ins and headings with nothing below, and the numbers of lists."""
    gone = [(edit.start, edit.end) for edit in cuts if not edit.new]
    yield from _orphans(answer, gone, asides)
    yield from _renumbered(answer, gone)


def _orphans(answer: str, gone: Sequence[tuple[int, int]], asides: Sequence[Aside]) -> Iterator[Edit]:
    """Lead-ins and headings whose every following line, up to the next one, was cut."""
    marks = [aside for aside in asides if aside.kind in ("lead_in", "heading")]
    for index, aside in enumerate(marks):
        following = marks[index + 1].start if index + 1 < len(marks) else len(answer)
        blank = _NEW_PARAGRAPH.search(answer[aside.end : following]) if aside.kind == "lead_in" else None
        if blank and blank.start(1) > 2:
            following = aside.end + blank.start(1)
        rest = list(answer[aside.end : following])
        for start, end in gone:
            for offset in range(max(start, aside.end), min(end, following)):
                rest[offset - aside.end] = " "
        if "".join(rest).strip() or not any(aside.end <= start < following for start, _ in gone):
            continue
        start, end = sentence_cut(answer, aside.start, aside.end)
        end = min([end, *(cut for cut, _ in gone if cut >= aside.end)])
        if start < end:
            yield Edit(start=start, end=end, old=answer[start:end], kind="tidy", reason="nothing is left below it")


def _renumbered(answer: str, gone: Sequence[tuple[int, int]]) -> Iterator[Edit]:
    """The numbers of a list after one of its items has gone."""
    shift, last, indent = 0, 0, ""
    for match in _NUMBERED.finditer(answer):
        value = int(match["value"])
        if value != last + 1 or match["before"] != indent:
            shift = 0
            indent = match["before"]
            if value != 1:
                last = value
                continue
        last = value
        if any(start <= match.start("value") < end for start, end in gone):
            shift += 1
        elif shift:
            yield Edit(start=match.start("value"), end=match.end("value"), old=match["value"], new=str(value - shift),
                       kind="tidy", reason="the list is numbered again")  # fmt: skip
