"""Each citation mark is checked against the passage that it names."""

from __future__ import annotations

import asyncio

from faithmeter import Context, Evaluator, Fixed, Result, Sample, fix
from faithmeter.citations import Citations
from faithmeter.fix.cite import CitationStep

CONTEXTS = (
    "The Eiffel Tower is 330 metres tall.",
    "The Golden Gate Bridge opened in 1937.",
    "Mount Etna is a volcano in Sicily.",
)


def checked(answer: str, *contexts: str | Context) -> Result:
    evaluator = Evaluator(steps=[CitationStep()])
    return asyncio.run(evaluator.check(Sample.model_validate({"answer": answer, "contexts": contexts or CONTEXTS})))


def found(answer: str) -> Citations:
    result = checked(answer)
    assert result.citations
    assert Result.model_validate_json(result.model_dump_json()) == result
    return result.citations


def test_marks_are_right_wrong_unsupported_or_unknown() -> None:
    citations = found(
        "The Eiffel Tower is 330 metres tall [1]. The Golden Gate Bridge opened in 1937 [3]. "
        "Bananas are cheap in Norway [2]. Mount Etna is a volcano [7]. Mount Etna lies in Sicily."
    )
    assert [(mark.mark, mark.found, mark.better) for mark in citations.marks] == [
        ("[1]", "right", None),
        ("[3]", "wrong_passage", 1),
        ("[2]", "unsupported", None),
        ("[7]", "unknown", 2),
    ]
    assert (citations.precision, citations.recall) == (0.25, 0.2)
    assert len(citations.uncited) == 1


def test_a_needless_passage_beside_the_right_one_is_wrong() -> None:
    citations = found("The Eiffel Tower is 330 metres tall [1, 2].")
    assert [mark.found for mark in citations.marks] == ["right", "wrong_passage"]
    assert citations.recall == 1.0


def test_an_answer_without_marks_has_no_precision() -> None:
    citations = found("The Eiffel Tower is 330 metres tall.")
    assert (citations.precision, citations.recall, len(citations.uncited)) == (None, 0.0, 1)


def test_the_signature_says_that_citations_were_checked() -> None:
    result = checked("The Eiffel Tower is 330 metres tall [1].")
    assert "|citations:1|" in result.signature


def corrected(answer: str) -> Fixed:
    return fix(Sample.model_validate({"answer": answer, "contexts": CONTEXTS}), citations=True, strict=True)


def test_fix_puts_marks_right() -> None:
    result = corrected(
        "The Eiffel Tower is 330 metres tall [2]. The Golden Gate Bridge opened in 1937 [^9]. Etna is a volcano [3]."
    )
    assert result.answer == (
        "The Eiffel Tower is 330 metres tall [1]. The Golden Gate Bridge opened in 1937 [^2]. Etna is a volcano [3]."
    )
    assert {edit.kind for edit in result.edits} == {"mark"}
    assert result.result_after.citations
    assert result.result_after.citations.precision == 1.0


def test_fix_puts_a_number_and_its_mark_right() -> None:
    result = corrected("The Golden Gate Bridge opened in 1947 【3†source】.")
    assert result.answer == "The Golden Gate Bridge opened in 1937 【2†source】."
    assert sorted(edit.kind for edit in result.edits) == ["mark", "swap"]
