"""A corpus at hand: what retrieval missed is told from what was made up, and shown where it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from faithmeter import DataError, Evaluator, Failure, UsageError, check, evaluate
from faithmeter.cli import main
from faithmeter.why.corpus import Corpus

CONTEXTS = ["The museum opened in 1901. It stands in Bergen and has 40 rooms."]
MISSED, INVENTED = "Admission to the museum is free on Mondays.", "The café serves smoked trout."
ANSWER = f"The museum opened in 1901. {MISSED} {INVENTED}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "corpus"
    (place / "pages").mkdir(parents=True)
    opening = "The museum is closed in January.\n\nAdmission to the museum is free on Mondays. Children pay nothing.\n"
    (place / "pages" / "hours.md").write_text(opening, "utf-8")
    rows = [{"id": "b-7", "text": "The harbour has a lighthouse."}, {"text": "Ferries leave at noon."}]
    (place / "more.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (place / "picture.png").write_bytes(b"\x89PNG")
    return place


def test_what_the_corpus_has_was_missed_by_retrieval_and_the_rest_was_made_up(folder: Path) -> None:
    result = check(ANSWER, CONTEXTS, verifier="lexical", corpus=folder)
    blame = {verdict.claim.text: verdict.blame for verdict in result.verdicts}
    assert blame == {"The museum opened in 1901.": None, MISSED: "retrieval_missed", INVENTED: "made_up"}
    (passage,) = (verdict.in_corpus for verdict in result.verdicts if verdict.in_corpus)
    assert passage.document == "pages/hours.md"
    text = (folder / "pages" / "hours.md").read_text("utf-8")
    assert text[passage.start : passage.end] == passage.quote
    assert "free on Mondays" in passage.quote


def test_without_a_corpus_it_is_only_missing() -> None:
    result = check(ANSWER, CONTEXTS, verifier="lexical")
    assert [verdict.blame for verdict in result.verdicts] == [None, "missing", "missing"]


def test_the_signature_tells_the_corpus_and_its_text(folder: Path) -> None:
    plain, first = Evaluator(verifier="lexical"), Evaluator(verifier="lexical", corpus=folder)
    (folder / "more.jsonl").write_text('{"text": "Another."}\n', "utf-8")
    second = Evaluator(verifier="lexical", corpus=folder)
    assert len({plain.signature, first.signature, second.signature}) == 3
    assert "|corpus:" in first.signature
    assert "corpus" not in plain.signature


def test_a_run_counts_the_blame(folder: Path) -> None:
    report = evaluate([{"answer": ANSWER, "contexts": CONTEXTS}], verifier="lexical", corpus=folder)
    assert report.blame == {"retrieval_missed": 1, "made_up": 1}


class Broken:
    """Judges the contexts at hand, and breaks on a corpus."""

    signature = "broken"

    def __init__(self) -> None:
        self.inner = Evaluator(verifier="lexical").verifier

    async def verify(self, pairs):  # type: ignore[no-untyped-def]
        if pairs[0].sample.contexts[0].text != CONTEXTS[0]:
            return [Failure(claim=pair.claim, kind="timeout", message="too late") for pair in pairs]
        return await self.inner.verify(pairs)


def test_what_cannot_be_judged_there_stays_missing(folder: Path) -> None:
    result = check(ANSWER, CONTEXTS, verifier=Broken(), corpus=folder)
    # no passage shares a word with the last claim, so that nothing has to be asked
    assert [verdict.blame for verdict in result.verdicts] == [None, "missing", "made_up"]


def test_rows_have_many_names_for_their_text_and_id(tmp_path: Path) -> None:
    rows = [{"_id": 5, "content": "One thing."}, {"page_content": "Two things.", "source": "b.txt"}, {"body": "Three."}]
    place = tmp_path / "rows.jsonl"
    place.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    corpus = Corpus.load(place)
    assert [(passage.document, passage.text) for passage in corpus.passages] == [
        ("5", "One thing."),
        ("b.txt", "Two things."),
        ("rows.jsonl:3", "Three."),
    ]


@pytest.mark.parametrize("text", ["word " * 5000, "One sentence. " * 900, "\n\n".join(["Short."] * 500), "x" * 9000])
def test_passages_are_verbatim_and_of_a_size(text: str) -> None:
    corpus = Corpus([("d", text)])
    assert all(text[p.start : p.start + len(p.text)] == p.text for p in corpus.passages)
    assert "".join("".join(p.text.split()) for p in corpus.passages) == "".join(text.split())


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"title": "no text"}\n', "a.jsonl:1: a document needs its text"),
        ("a.jsonl", b"{broken\n", "a.jsonl:1: not JSON"),
        ("a.txt", b"\xff\xfe\x00", "a.txt: not UTF-8 text"),
        ("a.txt", b"  \n", "the corpus has no text"),
        ("a.pdf", b"%PDF", "no .txt, .md"),
    ],
)
def test_a_corpus_that_cannot_be_read_is_one_line(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises((UsageError, DataError), match=message):
        Corpus.load(tmp_path)


def test_the_command_line_takes_it(folder: Path) -> None:
    options = ["check", ANSWER, "-c", CONTEXTS[0], "-v", "lexical", "--corpus", str(folder), "--json"]
    done = CliRunner().invoke(main, options)
    assert done.exit_code == 0, done.output
    assert [outcome["blame"] for outcome in json.loads(done.output)["outcomes"]] == [
        None,
        "retrieval_missed",
        "made_up",
    ]
    assert CliRunner().invoke(main, ["check", "A.", "-c", "B.", "--corpus", "nowhere"]).exit_code == 2
