"""Commands of the evidence with a claim's arguments in the place of their placeholders.

"kubectl rollout undo deployment/NAME" says what `kubectl rollout undo deployment/web` does. Only the text that the
network reads is changed: all else of the two commands must be the same, and the claim's must be marked as code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from faithmeter.text.english.word_tables import words

_SPANS, _LONGEST_SPAN, _LONGEST_WORD, _MOST_WORDS = 8, 300, 120, 30
_MOST_IN_WORD = 3
"""Placeholders of one word: the ways to share a word among them grow with each."""
_CODE = re.compile(rf"`([^`\n]{{1,{_LONGEST_SPAN}}})`")
_NOUNS = "|".join(
    sorted(
        words(
            "ADDRESS APP ARG ARGS ARGUMENT BRANCH BUCKET CHANNEL CLUSTER COMMAND COMMIT CONTAINER COUNT DATABASE DATE "
            "DB DEPLOYMENT DESTINATION DEST DEVICE DIR DIRECTORY DISK DOMAIN EMAIL ENVIRONMENT FILE FILENAME FILES "
            "FOLDER GROUP HASH HOST HOSTNAME ID IMAGE INPUT INSTANCE INTERFACE IP JOB KEY LABEL MESSAGE MODEL MODULE N "
            "NAME NAMESPACE NODE NUMBER OBJECT OUTPUT PACKAGE PASSWORD PATH PATTERN PID PLUGIN POD PORT PROCESS "
            "PROFILE PROJECT QUERY RECIPE REF REGION RELEASE REMOTE REPO REPOSITORY REVISION ROLE SCRIPT SECRET "
            "SERVER SERVICE SHA SIZE SOURCE SRC STRING TABLE TAG TARGET TASK TEXT THEME TOKEN TOPIC URI URL USER "
            "USERNAME UUID VALUE VERSION VOLUME ZONE"
        ),
        key=len,
        reverse=True,
    )
)
"""What a word in capitals must end with to stand for something: POST and HEAD stand for themselves."""
_EDGE = r"/=:@.,\"'-"
_PLACEHOLDER = re.compile(
    rf"(?:(?<=[{_EDGE}])|^)(?:<[A-Za-z][\w .-]{{0,40}}>|\{{[A-Za-z][\w-]{{0,40}}\}}|\{{\{{[A-Za-z][\w-]{{0,40}}\}}\}}"
    rf"|\$\{{[A-Z][A-Z_]{{0,40}}\}}|\[[A-Za-z][\w-]{{0,40}}\]"
    rf"|\$?(?:[A-Z]{{2,20}}[_-]){{0,3}}(?:{_NOUNS})\d?|(?:my|your)[_-][a-z]{{1,30}}(?:[_-][a-z]{{1,30}}){{0,2}})"
    rf"(?=$|[/:@.,\"'-])"
)
_ENVIRONMENT = words("$PATH $USER $HOST $HOSTNAME $SHELL ${HOME} ${PATH} ${USER} ${PWD} ${HOST} ${HOSTNAME} ${SHELL}")
"""They have a value of their own."""
_VALUE, _SHORT_VALUE = r"([\w~./][\w~./:@+%-]*)", r"([\w~.][\w~.+%-]*)"
_WORD = re.compile(r"(?:<[^<>\n]{1,42}>|\S)+")
_PROGRAM = re.compile(r"[a-z][\w.+-]*", re.IGNORECASE)
_OPENERS, _CLOSERS = "`(\"'“‘", "`.,;:!?)\"'”’"


class _Word(NamedTuple):
    start: int
    end: int
    text: str
    opens: bool
    """Whether code begins with it."""
    closes: bool
    """Whether code, or a sentence, ends with it."""


class _Fill(NamedTuple):
    start: int
    end: int
    name: str
    """The placeholder: two of one name in a command have one value."""
    value: str


def filled(evidence: str, claim: str) -> str:
    """The evidence, with the claim's arguments for placeholders in commands that are otherwise the claim's."""
    if "`" not in claim:
        return evidence
    commands = [match[1].split() for match in islice(_CODE.finditer(claim), _SPANS)]
    commands = [words for words in commands if 1 < len(words) <= _MOST_WORDS and _PROGRAM.fullmatch(words[0])]
    if not commands:
        return evidence
    read = [_word(match) for match in _WORD.finditer(evidence)]
    fills: dict[int, _Fill] = {}
    for command in commands:
        for at, word in enumerate(read):
            if word.text == command[0]:
                fills.update((fill.start, fill) for fill in _fills(read, at, command))
    parts, last = [], 0
    for fill in sorted(fills.values()):
        parts += [evidence[last : fill.start], fill.value]
        last = fill.end
    return "".join((*parts, evidence[last:]))


def _word(match: re.Match[str]) -> _Word:
    written = match[0]
    text = written.lstrip(_OPENERS)
    opened = match.start() + len(written) - len(text)
    bare = text.rstrip(_CLOSERS)
    return _Word(opened, opened + len(bare), bare, "`" in written[: len(written) - len(text)], bare != text)


def _fills(read: Sequence[_Word], first: int, command: Sequence[str]) -> list[_Fill]:
    """What goes where, if the command that begins at a word is the claim's but for placeholders."""
    theirs = read[first : first + len(command)]
    if len(theirs) < len(command) or any(word.closes for word in theirs[:-1]):
        return []
    following = read[first + len(command)] if first + len(command) < len(read) else None
    if not theirs[-1].closes and (theirs[0].opens or (following and _goes_on(following))):
        return []
    fills: list[_Fill] = []
    for word, ours in zip(theirs, command, strict=True):
        if word.text != ours:
            found = _fill(word, ours)
            if not found:
                return []
            fills += found
    return fills if len({fill[2:] for fill in fills}) == len({fill.name for fill in fills}) else []


def _goes_on(word: _Word) -> bool:
    """Whether a word still belongs to the command before it: an option, or another argument."""
    return word.text.startswith(("-", "[", "<", "{", "$", "|", ">", "&")) or bool(_placeholders(word.text))


def _placeholders(text: str) -> list[re.Match[str]]:
    return [match for match in _PLACEHOLDER.finditer(text) if match[0] not in _ENVIRONMENT]


def _fill(word: _Word, ours: str) -> list[_Fill]:
    """The parts of the claim's word that stand for the placeholders of a word of the evidence."""
    if len(ours) > _LONGEST_WORD or len(word.text) > _LONGEST_WORD:
        return []
    found = _placeholders(word.text)
    if not 0 < len(found) <= _MOST_IN_WORD:
        return []
    pattern, last = "", 0
    for match in found:
        pattern += re.escape(word.text[last : match.start()]) + (_VALUE if match is found[-1] else _SHORT_VALUE)
        last = match.end()
    values = re.fullmatch(pattern + re.escape(word.text[last:]), ours)
    if not values:
        return []
    return [
        _Fill(word.start + match.start(), word.start + match.end(), match[0], value)
        for match, value in zip(found, values.groups(), strict=True)
    ]
