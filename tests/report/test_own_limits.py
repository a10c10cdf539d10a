"""An answer that a test checked has its own limit, name and place in the reports."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest

from faithmeter import Sample
from faithmeter.pytest_plugin import Checked
from faithmeter.report.github import annotation_lines
from faithmeter.report.junit import write_junit
from faithmeter.report.summary import summarise
from faithmeter.results import Result

from .conftest import judge  # type: ignore[import-not-found]


@pytest.fixture
def checked() -> list[Result]:
    contexts = ({"text": "The tower opened in 1889."},)
    bad = Sample(answer="It opened in 1999.", contexts=contexts)  # type: ignore[arg-type]
    named = Sample(id="mine", answer="It opened in 1998.", contexts=contexts)  # type: ignore[arg-type]
    first, second = judge([bad, named])
    return [
        Checked(
            verifier="v", extractor="x", result=first, limit=0.9, test="test_opening", place="tests/test_a.py:7"
        ).named,
        Checked(
            verifier="v", extractor="x", result=second, limit=0.0, test="test_low", place="tests/test_a.py:9"
        ).named,
    ]


def test_junit_has_the_tests_names_limits_and_places(checked: list[Result]) -> None:
    file = io.StringIO()
    write_junit(file, summarise(checked, min_score=1.0), checked)
    suite = ElementTree.fromstring(file.getvalue().partition("\n")[2])[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    first, second = suite
    assert (first.get("name"), first.get("file"), first.get("line")) == ("test_opening", "tests/test_a.py", "7")
    assert first[0].get("message") == "score 0.00 is below 0.9"
    assert (second.get("name"), len(second)) == ("mine", 0)


def test_annotations_point_at_the_line_of_the_test(checked: list[Result]) -> None:
    (line,) = annotation_lines(summarise(checked, min_score=1.0))
    assert line.startswith("::error file=tests/test_a.py,line=7,title=test_opening")


def test_what_is_recorded_holds_nothing_of_the_test(checked: list[Result]) -> None:
    entry = Checked(verifier="v", extractor="x", result=checked[0], limit=0.5, test="t", place="p:1").recorded
    assert set(entry.model_dump()) == {"verifier", "extractor", "result"}
