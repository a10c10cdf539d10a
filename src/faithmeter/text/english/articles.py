"""A or an, as the next word is said."""

from __future__ import annotations

import re

_ARTICLE = re.compile(r"\b([Aa]n?)( +)([^\W\d_]+)")
_BEFORE = re.compile(r"\b([Aa]n?)( +)\Z")
_SAID = re.compile(r"[^\W_]+")


def with_article(text: str) -> str:
    """Put a or an right before every word that follows one."""
    return _ARTICLE.sub(_fitting, text)


def put(text: str, start: int, end: int, new: str) -> str:
    """Other words in a place of a text, with the article before them put right, and nothing else."""
    before, said = _BEFORE.search(text, max(0, start - 8), start), _SAID.match(new)
    head = text[:start]
    if before and said and not _names_a_letter(text, before):
        head = text[: before.start()] + _article(before[1], said[0]) + before[2]
    return head + new + text[end:]


def _fitting(match: re.Match[str]) -> str:
    article, space, following = match.groups()
    if _names_a_letter(match.string, match):
        return match.group()
    return _article(article, following) + space + following


def _names_a_letter(text: str, match: re.Match[str]) -> bool:
    """Whether a capital inside a sentence is a letter's name: "vitamin A is"."""
    before = text[max(0, match.start() - 20) : match.start()].rstrip()[-1:]
    return match[1] == "A" and (before.isalnum() or before == ",")


def _article(article: str, following: str) -> str:
    """The article before a word; as it is where the letters do not tell: "an FBI agent", "a NATO member"."""
    said = following.lower()
    capitals = following.isupper()
    if following.isdigit():
        an = following[0] == "8" or following in ("11", "18")
    elif capitals and following[0] in "FHLMNRSX":
        return article
    elif capitals:
        an = following[0] in "AEIO"
    else:
        an = said[0] in "aeiou" and not said.startswith(("uni", "eu", "one", "use", "usu"))
        an = an or said.startswith(("hour", "honest", "heir"))
    new = "an" if an else "a"
    return new.capitalize() if article[0].isupper() else new
