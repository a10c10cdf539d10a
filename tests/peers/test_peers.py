"""Other people's packages, the real ones, each in its own environment: their objects in, our numbers out."""

from __future__ import annotations

import pytest
from support.peers import GUIDES, PAGES, every, outcomes

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("peer", "case"), every(), ids=lambda value: value.removeprefix("case_"))
def test_with_the_real_package(peer: str, case: str) -> None:
    outcome = outcomes(peer)[case]
    assert not outcome["error"], outcome["error"]


def test_the_docs_name_every_system_and_its_release() -> None:
    for name in {peer for peer, _ in every()}:
        page = (GUIDES / PAGES[name]).read_text("utf-8")
        for outcome in outcomes(name).values():
            if outcome["system"]:
                assert f"| {outcome['system']} | {outcome['version']} | {outcome['given'].replace('|', '/')} |" in page
