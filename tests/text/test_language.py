"""An answer in a language that the verifier does not know is said to be so; an English one never is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from faithmeter import Report, Result, check
from faithmeter.cli import main
from faithmeter.report import write_report
from faithmeter.text.language import other_language, unknown_language
from faithmeter.verify import load_verifier
from faithmeter.verify.cascade import Cascade, Tier
from faithmeter.verify.lexical import LexicalVerifier
from faithmeter.verify.local import LocalVerifier

OTHER = json.loads(Path(__file__).with_name("golden_languages.json").read_text("utf-8"))["other"]
ENGLISH = json.loads(Path(__file__).with_name("golden_languages.json").read_text("utf-8"))["english"]
GERMAN = "Der Eiffelturm wurde im Jahr 1889 eröffnet und steht in Paris."
CONTEXT = "The Eiffel Tower in Paris opened in 1889."
SAID = "does not seem to be in a language that the verifier knows (en)"


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in OTHER.items() for text in texts])
def test_a_sentence_in_another_language_is_told(code: str, text: str) -> None:
    found = other_language(text)
    assert found == code or {found, code} == {"da", "no"}  # nearly the same in writing


@pytest.mark.parametrize("text", ENGLISH)
def test_english_is_never_taken_for_another_language(text: str) -> None:
    assert other_language(text) is None


def test_the_table_is_large_enough() -> None:
    assert sum(map(len, OTHER.values())) >= 60
    assert len(OTHER) >= 12
    assert len(ENGLISH) >= 60


def test_one_foreign_claim_among_english_ones_is_told() -> None:
    claims = ["The tower stands in Paris.", GERMAN, "It is made of iron."]
    assert unknown_language(claims, ("en",))
    assert not unknown_language(claims, ("en", "de"))
    assert not unknown_language(claims, None)
    assert not unknown_language([claims[0], claims[2]], ("en",))


def test_short_foreign_claims_are_told_together() -> None:
    assert unknown_language(["Berlin ist groß.", "Die Stadt ist alt.", "Sie liegt im Osten."], ("en",))


def test_the_result_says_so_and_keeps_it_through_json() -> None:
    result = check(GERMAN, [CONTEXT])
    assert len(result.notes) == 1
    assert SAID in result.notes[0]
    assert Result.model_validate_json(result.model_dump_json()).notes == result.notes
    assert SAID in repr(result)
    assert SAID in result._repr_html_()
    assert check("The Eiffel Tower opened in 1889 in Paris.", [CONTEXT]).notes == ()


def test_verifiers_that_do_not_read_by_language_say_nothing() -> None:
    assert check(GERMAN, [CONTEXT], verifier="lexical:tokens").notes == ()
    assert not hasattr(load_verifier("lexical"), "languages")


def test_a_cascade_knows_what_all_its_tiers_know() -> None:
    assert Cascade([Tier(LocalVerifier()), Tier(LexicalVerifier())]).languages == ["en"]
    assert Cascade([Tier(LexicalVerifier())]).languages is None


def test_an_answer_without_claims_has_no_note() -> None:
    assert check("I don't know.", [CONTEXT]).notes == ()


def test_the_check_command_says_so_once_on_standard_error() -> None:
    outcome = CliRunner().invoke(main, ["check", GERMAN, "-c", CONTEXT, "--no-cache"])
    assert outcome.stderr.count(SAID) == 1
    assert "⚠" in outcome.stdout
    as_json = CliRunner().invoke(main, ["check", GERMAN, "-c", CONTEXT, "--no-cache", "--json"])
    assert SAID in json.loads(as_json.stdout)["notes"][0]


def test_the_eval_command_counts_them_and_says_so_once(tmp_path: Path) -> None:
    data, report = tmp_path / "answers.jsonl", tmp_path / "report.md"
    answers = [GERMAN, "Эйфелева башня находится в Париже и была открыта в 1889 году.", "The tower opened in 1889."]
    data.write_text("".join(json.dumps({"answer": text, "contexts": [CONTEXT]}) + "\n" for text in answers), "utf-8")
    arguments = ["eval", str(data), "--report", str(report), "--workers", "1", "--quiet", "--json", "--no-cache"]
    outcome = CliRunner().invoke(main, arguments)
    assert outcome.stderr.count(SAID) == 1
    assert "faithmeter: 2 of 3 answers: " in outcome.stderr
    assert list(json.loads(outcome.stdout)["notes"].values()) == [2]
    assert "2 of 3 answers: This answer does not seem" in report.read_text("utf-8")


@pytest.mark.parametrize("name", ["report.html", "report.md"])
def test_reports_show_it(name: str, tmp_path: Path) -> None:
    found = Report(results=(check(GERMAN, [CONTEXT]), check("The tower opened in 1889.", [CONTEXT])))
    assert list(found.notes.values()) == [1]
    assert "1 of 2 answers: This answer does not seem" in repr(found)
    write_report(tmp_path / name, found)
    text = (tmp_path / name).read_text("utf-8")
    assert "1 of 2 answers: This answer does not seem" in text
    if name == "report.html":
        assert '"notes":["This answer does not seem' in text
