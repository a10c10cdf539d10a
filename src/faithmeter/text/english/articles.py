"""A or an, as the next word is said."""

from __future__ import annotations

import re

_ARTICLE = re.compile(r"\b([Aa]n?)( +)([^\W\d_]+)")


def with_article(text: str) -> str:
    """Put a or an right before the word that follows it."""
    return _ARTICLE.sub(_fitting, text)


def _fitting(match: re.Match[str]) -> str:
    article, space, following = match.groups()
    before = match.string[: match.start()].rstrip()[-1:]
    if article == "A" and (before.isalnum() or before == ","):
        return match.group()  # a capital inside a sentence is a letter's name: "vitamin A is"
    an = following[0].lower() in "aeiou" and not following.lower().startswith(("uni", "eu", "one", "use", "usu"))
    an = an or following.lower().startswith(("hour", "honest", "heir"))
    new = "an" if an else "a"
    return (new.capitalize() if article[0].isupper() else new) + space + following
