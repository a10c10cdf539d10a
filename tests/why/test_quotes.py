"""What a reason quotes says something by itself: whole phrases and whole code, and like for like."""

from __future__ import annotations

import pytest
from support.reasons import why

METFORMIN = "The usual starting dose is 500 mg twice a day, given with meals."
TIDY = "`tidy` moves files older than 30 days to the trash. Files listed in `.tidyignore` are never touched."


@pytest.mark.parametrize(
    ("claim", "context"),
    [
        ("Yes, you can return it.", "Laptops must be sent back within 30 days."),
        ("Files in `.tidyignore` are moved to the trash as well.", TIDY),
        ("Indeed, therefore it opens soon too.", "The museum is closed."),
        ("Run the museum tour.", "The museum tour is closed."),
    ],
)
@pytest.mark.parametrize("label", ["contradicted", "not_enough_info"])
def test_words_that_only_lead_or_join_are_not_quoted(claim: str, context: str, label: str) -> None:
    reason = str(why(claim, context, label=label).reason)
    assert not any(f"“{word}”" in reason for word in ("Yes", "well", "Indeed", "soon", "too", "Run"))


@pytest.mark.parametrize(
    ("claim", "context", "quoted"),
    [
        ("Use `kubectl rollout undo deployment/web` now.", "Use kubectl rollout undo deployment/NAME.",
         "`kubectl rollout undo deployment/web`"),
        ("Files are moved to the trash with `tidy undo`.", TIDY, "`tidy undo`"),
        ("It was sung in the \"Mike Trivisonno Show\" and is loud.", "It was sung in the bar.", "Mike Trivisonno Show"),
        ("Rolling back deletes the failed revision's logs.", "Rolling back restores a revision.",
         "deletes the failed revision's logs"),
        ("Specifically, a choir of miners sings there.", "The town lies on a lake.", "choir of miners sings"),
        ("It was opened by Park Geun-hye.", "It was opened by him.", "Park Geun-hye"),
    ],
)  # fmt: skip
def test_phrases_names_and_code_are_quoted_whole(claim: str, context: str, quoted: str) -> None:
    reason = str(why(claim, context, label="not_enough_info").reason)
    assert f"“{quoted}”" in reason


def test_code_of_the_contexts_is_not_cut() -> None:
    found = why("Without `--purge`, `tidy` only moves old files to the trash.", TIDY)
    assert found.reason == "the contexts say the opposite: “`tidy` moves files older than 30 days to the trash”"


def test_amounts_are_set_against_amounts_of_their_kind_alone() -> None:
    assert "twice" not in str(why("It works in most patients.", METFORMIN).reason)
    assert why("It works in most patients.", "It works in few patients.").reason == (
        "the contexts say “few”, the claim “most”"
    )


@pytest.mark.parametrize(
    ("claim", "context", "quoted"),
    [
        ("Most patients take it.", "Patients take it.", "Most patients"),
        ("It found hardly any new strains.", "It found new strains.", "hardly any new strains"),
        ("It costs at least $1,500 to join.", "It costs $1,500 to join.", "at least $1,500"),
        ("It is always open.", "It is open.", "always"),
        ("It opens twice a year.", "It opens every year.", "twice a year"),
    ],
)
def test_an_amount_is_quoted_with_what_it_is_said_of(claim: str, context: str, quoted: str) -> None:
    assert why(claim, context).reason == f"the contexts do not say “{quoted}”"


def test_a_name_of_a_place_is_set_against_places_alone() -> None:
    claim = "The couple married in Mongolia in December."
    assert why(claim, "Kate Winslet married her friend in December.").reason == "no passage mentions “Mongolia”"
    assert why(claim, "The couple married in Norway in December.").reason == (
        "the contexts say “Norway”, the claim “Mongolia”"
    )


@pytest.mark.parametrize(
    ("claim", "context", "kind", "reason"),
    [
        ("It has signed the deal.", "A deal could be signed in May.", "certainty",
         "the contexts say “could be signed”, not that it is so"),
        ("The company has opened five restaurants.", "The board wants to open five restaurants.", "certainty",
         "the contexts say “wants to open five”, not that it is so"),
        ("Members can borrow reference works.", "Reference works cannot be borrowed by anyone.", "negation",
         "the contexts say the opposite: “cannot be borrowed by anyone”"),
        ("A book cannot be renewed.", "A book can be renewed twice.", "negation",
         "the contexts say the opposite: “can be renewed”"),
        ("The tablets should not be taken together with milk.", "Take the tablets two hours after milk products.",
         "negation", "the contexts say the opposite: “Take the tablets two hours after milk products”"),
        ("You cannot ask for unpaid leave.", "Unpaid leave can be requested by all.", "negation",
         "the contexts say the opposite: “Unpaid leave can be requested by all”"),
    ],
)  # fmt: skip
def test_what_is_planned_or_denied_is_said_to_be(claim: str, context: str, kind: str, reason: str) -> None:
    found = why(claim, context)
    assert (found.kind, found.reason) == (kind, reason)


def test_what_the_contexts_call_otherwise_is_not_missing() -> None:
    context = "Tamarind Foods opens up to five restaurants in 2025. One restaurant was closed."
    found = why("The company has opened six restaurants.", context, label="not_enough_info")
    assert "company" not in str(found.reason)


def test_what_no_passage_says_is_not_called_the_opposite() -> None:
    found = why("You cannot ask for unpaid leave.", "Unpaid leave can be requested by all.", label="not_enough_info")
    assert found.reason == "no passage says this; the nearest is “Unpaid leave can be requested by all.”"
