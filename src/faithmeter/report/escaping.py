"""Makes text from the data harmless in each form: shown as it is, and nothing else."""

from __future__ import annotations

import re
from html import escape

from faithmeter.display import printable

# What XML 1.0 cannot carry, even escaped.
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN = re.compile(r"([\\`*_\[\]#|~$])")
_LINK = re.compile(r"(?i)(@|://|www\.)")
# Spreadsheets take these for the beginning of a formula, the wide ones in East Asian settings; some trim blanks.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_IGNORED = " \u00a0\u200b\ufeff"
_BREAKS = frozenset("\t\r\n")
_ZERO_WIDTH = "\u200b"


def one_line(text: str, limit: int = 300) -> str:
    """White space as single spaces, and an ellipsis where the text goes on."""
    flat = " ".join(printable(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def markdown(text: str, limit: int = 300) -> str:
    """For Markdown: one line without markup, mentions or links."""
    plain = _LINK.sub(lambda match: match.group()[:1] + _ZERO_WIDTH + match.group()[1:], one_line(text, limit))
    return _MARKDOWN.sub(r"\\\1", escape(plain, quote=False))


def xml(text: str) -> str:
    """For XML, between tags."""
    return escape(_NOT_XML.sub("\ufffd", text)).replace("\r", "&#13;")


def xml_attribute(text: str) -> str:
    """For a quoted attribute of XML, where a parser takes bare white space for blanks."""
    return xml(text).replace("\n", "&#10;").replace("\t", "&#9;")


def spreadsheet(text: str) -> str:
    """For a cell of a spreadsheet: what it would take for a formula gets an apostrophe in front."""
    return "'" + text if text.lstrip(_IGNORED).startswith(_FORMULA) or text[:1] in _BREAKS else text


def workflow_message(text: str) -> str:
    """For the message of a GitHub workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def workflow_property(text: str) -> str:
    """For a property of a GitHub workflow command."""
    return workflow_message(text).replace(":", "%3A").replace(",", "%2C")
