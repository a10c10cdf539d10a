"""The smallest faithful answer."""

from __future__ import annotations

import pytest

from faithmeter import Context, Fixed, Sample, check, fix
from faithmeter.revision import applied

TOWER = (
    "The Eiffel Tower in Paris is 330 metres tall. It opened in March 1889 and was designed by Gustave Eiffel's firm."
    " Nearly seven million people visit it every year."
)


def fixed(answer: str, context: str = TOWER, *, strict: bool = True, **options: str) -> Fixed:
    sample = Sample(answer=answer, contexts=(Context(text=context),))
    return fix(sample, strict=strict, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("The Eiffel Tower is 350 metres tall.", "The Eiffel Tower is 330 metres tall."),
        ("The Eiffel Tower is 330 feet tall.", "The Eiffel Tower is 330 metres tall."),
        ("The Eiffel Tower opened in 1899.", "The Eiffel Tower opened in 1889."),
        ("The Eiffel Tower opened in May 1889.", "The Eiffel Tower opened in March 1889."),
        ("The Eiffel Tower in Lisbon is 330 metres tall.", "The Eiffel Tower in Paris is 330 metres tall."),
        ("Nearly nine million people visit it every year.", "Nearly seven million people visit it every year."),
    ],
)  # fmt: skip
def test_what_is_named_wrongly_is_exchanged_for_what_is_quoted(wrong: str, right: str) -> None:
    found = fixed(wrong)
    assert (found.answer, found.status) == (right, "fixed")
    (edit,) = found.edits
    assert edit.kind == "swap"
    assert edit.evidence
    assert all(item.holds_in(found.result_before.sample.contexts) for item in edit.evidence)
    assert found.result_after.score == 1.0
    assert found.result_after.verdicts[0].evidence


def test_what_is_right_stays_to_the_letter() -> None:
    answer = "The Eiffel Tower is 330 metres tall.  It   opened in March 1889."
    found = fixed(answer)
    assert (found.answer, found.status, found.edits) == (answer, "faithful", ())


def test_one_false_half_goes_and_the_other_stays() -> None:
    found = fixed("The Eiffel Tower is 330 metres tall, and it was painted pink by Napoleon in a single night.")
    assert found.answer == "The Eiffel Tower is 330 metres tall."
    assert found.status == "fixed"


def test_an_unsupported_sentence_goes_with_its_space() -> None:
    found = fixed("The Eiffel Tower is 330 metres tall. Bananas are cheap in Norway. It opened in 1889.")
    assert found.answer == "The Eiffel Tower is 330 metres tall. It opened in 1889."
    assert [edit.kind for edit in found.edits] == ["cut"]


def test_lists_keep_their_structure_and_their_numbers() -> None:
    answer = (
        "Facts about the tower:\n\n1. The Eiffel Tower is 330 metres tall.\n2. Bananas are cheap in Norway.\n"
        "3. The Eiffel Tower opened in 1889.\n"
    )
    found = fixed(answer)
    assert found.answer == (
        "Facts about the tower:\n\n1. The Eiffel Tower is 330 metres tall.\n2. The Eiffel Tower opened in 1889.\n"
    )


def test_a_lead_in_with_nothing_below_it_goes() -> None:
    answer = "The Eiffel Tower is 330 metres tall.\n\nOther facts include:\n- Bananas are cheap in Norway.\n"
    assert fixed(answer).answer.strip() == "The Eiffel Tower is 330 metres tall."


def test_nothing_left_is_a_refusal_in_the_users_words() -> None:
    found = fixed("Bananas are cheap in Norway.", refusal="The sources do not say.")
    assert (found.answer, found.status) == ("The sources do not say.", "refused")


def test_a_dropped_hedge_is_put_back() -> None:
    context = "The company plans to open a plant in Leipzig in 2026, its chief executive said."
    found = fixed("The company opened a plant in Leipzig in 2026.", context)
    assert found.answer == "The company plans to open a plant in Leipzig in 2026."
    assert found.edits[0].kind == "hedge"


def test_edits_make_the_answer() -> None:
    answer = "The Eiffel Tower is 350 metres tall. Bananas are cheap in Norway. It opened in 1889."
    found = fixed(answer)
    assert applied(answer, found.edits) == found.answer
    assert all(answer[edit.start : edit.end] == edit.old for edit in found.edits)
    assert "".join(text for change, text in found.pieces if change != "added") == answer


def test_a_result_fixes_itself_and_a_fix_round_trips() -> None:
    result = check("The Eiffel Tower is 350 metres tall.", [TOWER])
    found = result.fixed()
    assert found.answer == "The Eiffel Tower is 330 metres tall."
    assert Fixed.model_validate_json(found.model_dump_json()) == found
    assert "<del" in found._repr_html_()
    assert "<ins" in found._repr_html_()


def test_an_answer_that_cannot_be_judged_is_as_it_was() -> None:
    sample = Sample(answer="It is 350 metres tall.", contexts=(Context(text=TOWER),))
    found = fix(sample, verifier=Broken())
    assert (found.status, found.answer) == ("unjudged", sample.answer)


class Broken:
    """A verifier that always breaks."""

    signature = "broken"

    async def verify(self, pairs: object) -> list[object]:
        raise ValueError("no")


def test_a_sentence_keeps_what_no_context_hedges() -> None:
    context = "The plant may close in 2027, but the company said that it opened the plant in Leipzig in 2020."
    answer = "The company opened the plant in Leipzig in 2020."
    assert fixed(answer, context).answer == answer


def test_a_word_with_the_capital_of_its_sentence_is_no_name() -> None:
    context = "Rub the meat with House Seasoning. Do not salt it before."
    assert "House Seasoning that" not in fixed("Note that the meat is not salted before.", context, strict=False).answer
