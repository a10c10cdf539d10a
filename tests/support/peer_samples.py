"""What the cases of our metric inside other frameworks judge, and a verifier that fails them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from faithmeter import Pair

TOWER = "The Eiffel Tower is 330 metres tall and stands in Paris."
GOOD = "The Eiffel Tower is 330 metres tall."
HALF = "The Eiffel Tower is 330 metres tall. Quokkas love jazz music deeply."
QUESTION = "How tall is the Eiffel Tower?"


class Broken:
    """A verifier that cannot judge."""

    signature = "broken"

    async def verify(self, pairs: Sequence[Pair]) -> list[Any]:
        raise RuntimeError("out of order")
