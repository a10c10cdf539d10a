"""The integrations stay thin and apart: each is imported only when used, and finds the sample where a tool keeps it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import faithmeter
from faithmeter import DataError
from faithmeter.cli import main
from faithmeter.compat import Unjudged
from faithmeter.integrations.metric import Metric, sample_of
from faithmeter.scoring import Scoring

FOLDER = Path(faithmeter.__file__).parent / "integrations"
TOWER = "The Eiffel Tower is 330 metres tall."
MESSAGES = [
    {"role": "user", "content": "How tall?"},
    {"role": "tool", "tool_call_id": "1", "content": TOWER},
    {"role": "assistant", "content": TOWER},
]


def test_each_is_under_eighty_lines() -> None:
    lengths = {path.name: len(path.read_text("utf-8").splitlines()) for path in FOLDER.glob("*.py")}
    assert len(lengths) >= 15
    assert not {name: length for name, length in lengths.items() if length >= 80}


def test_none_is_imported_before_it_is_used() -> None:
    code = "import sys, faithmeter, faithmeter.cli, faithmeter.integrations; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not [name for name in loaded if name.startswith("faithmeter.integrations.")]
    assert "mcp" not in loaded


@pytest.mark.parametrize(
    ("answer", "places"),
    [
        ({"answer": TOWER, "contexts": [TOWER], "question": "How tall?"}, ()),
        (
            {"result": TOWER, "source_documents": [{"page_content": TOWER}], "query": "How tall?"},
            ({"context": "else"},),
        ),
        (TOWER, ({"question": "How tall?"}, {"contexts": [TOWER]})),
        (TOWER, (None, "a text", {"input": "How tall?", "retrieval_context": [TOWER], "context": ["the ideal"]})),
        (TOWER, ({}, MESSAGES)),
        ({"role": "assistant", "content": TOWER}, (MESSAGES,)),
    ],
)
def test_contexts_and_question_are_found_where_they_are(answer: Any, places: tuple[Any, ...]) -> None:
    sample = sample_of(answer, *places, question="the last resort")
    assert (sample.answer, sample.question) == (TOWER, "How tall?")
    assert [context.text for context in sample.contexts] == [TOWER]


def test_a_question_of_the_callers_counts_where_there_is_no_other() -> None:
    assert sample_of(TOWER, {"contexts": [TOWER]}, question="How tall?").question == "How tall?"


@pytest.mark.parametrize("places", [(), ({},), ({"question": "How tall?"},), (MESSAGES[:1],), (MESSAGES[::2],)])
def test_no_contexts_is_an_error_and_not_an_empty_list(places: tuple[Any, ...]) -> None:
    with pytest.raises(DataError, match=r"no contexts|no answer"):
        sample_of(TOWER, *places)


def test_contexts_that_are_empty_support_nothing() -> None:
    assert Metric("lexical").score(sample_of({"answer": TOWER, "contexts": []}, {"contexts": [TOWER]})).score == 0.0


def test_what_is_not_judged_raises() -> None:
    class Broken:
        signature = "broken"

        async def verify(self, pairs: Any) -> Any:
            raise RuntimeError("out of order")

    sample = sample_of({"answer": TOWER, "contexts": [TOWER]})
    with pytest.raises(Unjudged, match="out of order"):
        Metric(Broken()).score(sample)
    with pytest.raises(Unjudged, match="nothing is claimed"):
        Metric("lexical", scoring=Scoring(no_claims=None)).score(sample_of({"answer": "", "contexts": [TOWER]}))


def test_the_reason_names_the_claims_to_look_at() -> None:
    found = Metric("lexical").score(sample_of({"answer": f"{TOWER} Quokkas love jazz deeply.", "contexts": [TOWER]}))
    assert found.score == 0.5
    assert "Quokkas" in found.reason
    assert TOWER not in found.reason.split("Quokkas")[0]


def test_mcp_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    monkeypatch.delitem(sys.modules, "faithmeter.integrations.mcp", raising=False)
    done = CliRunner().invoke(main, ["mcp"])
    assert (done.exit_code, len(done.output.splitlines())) == (2, 1)
    assert "pip install 'faithmeter[mcp]'" in done.output


def test_mcp_with_an_unknown_verifier_does_not_start() -> None:
    done = CliRunner().invoke(main, ["mcp", "-v", "lexcal"])
    assert done.exit_code == 2
    assert "lexical" in done.output
