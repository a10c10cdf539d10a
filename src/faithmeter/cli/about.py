"""What a report's header says of how it was made."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from faithmeter.llm.secrets import MASK, scrubbed

_LONGEST = 300


def about(*, data: Sequence[str] = ()) -> dict[str, str]:
    """The data, the date and the command, without keys and passwords."""
    described = {"Data": shortened(", ".join(data))} if data else {}
    return {**described, "Made": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", "Command": command_line()}


def command_line() -> str:
    """What was typed, as far as it may be shown."""
    return shortened("faithmeter " + shlex.join(sys.argv[1:]))


def shortened(text: str) -> str:
    clean = re.sub(r"://[^/@\s]*@", f"://{MASK}@", scrubbed(text))
    return clean if len(clean) <= _LONGEST else clean[: _LONGEST - 1] + "…"
