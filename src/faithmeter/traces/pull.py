"""Fetches the spans of a Phoenix project, a page at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

from faithmeter.errors import DataError
from faithmeter.traces.http import Connection, shown

_PAGE = 1000


def phoenix_spans(server: Connection, project: str, *, since: str | None = None) -> Iterator[dict[str, Any]]:
    """The spans of a project, as Phoenix's interface gives them."""
    cursor: str | None = None
    while True:
        given = {"limit": _PAGE, "start_time": since, "cursor": cursor}
        query = urlencode({name: value for name, value in given.items() if value is not None})
        page = server.json("GET", f"/v1/projects/{quote(project, safe='')}/spans?{query}")
        if not isinstance(page, dict) or not isinstance(page.get("data"), list):
            raise DataError(f"{shown(server.url)}: the reply has no spans; is this a Phoenix server?")
        yield from page["data"]
        cursor = page.get("next_cursor")
        if not cursor:
            return
