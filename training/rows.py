"""The training row, and how it is kept on disk."""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

LABELS = ("supported", "contradicted", "not_enough_info", "not_supported", "unlabelled")
"""The network's three classes, "not supported, kind unknown", and rows that only the teacher labels."""

BLURRED = "written_blurred"
"""The source of written cases in neither of their worlds, which the teacher alone labels."""

CROSSED = "crossed"
"""The source of rows cut and joined out of others, which the teacher alone labels too."""

REPLIED = "replied"
"""The source of rows out of a language model's replies, which the teacher alone labels as well."""


class Row(NamedTuple):
    """One input of the network and what is known about it."""

    claim: str
    hint: str
    evidence: str
    label: int
    """An index into LABELS."""
    marks: list[tuple[int, int]] | None
    """The unsupported parts of the claim; None when they are not known."""
    source: str
    group: int = -1
    """Rows of one answer share a group; -1 for single claims."""
    weight: float = 1.0
    more: str = ""
    """What a second reading would read, of rows that are not trained on."""
    brief: str = ""
    """What a first, brief reading would read, of rows that are not trained on; empty when that is all of it."""


def held_out(context: str, share: float) -> bool:
    """Whether a context is kept from training, for calibration: the same contexts every time."""
    return int(hashlib.sha256(context.encode()).hexdigest()[:8], 16) / 16**8 < share


def write_rows(path: Path, rows: Iterable[Row]) -> int:
    """Write rows as xz-compressed JSON Lines; rows on one context should be neighbours."""
    count = 0
    with lzma.open(path, "wt", preset=4, encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
            count += 1
    return count


def read_rows(path: Path) -> Iterator[Row]:
    """Read what `write_rows` wrote."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield Row(*json.loads(line))
