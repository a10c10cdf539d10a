"""Prompts are files: checked when read, fitted to the settings, and named in the signature."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.llm_brain import parts

from faithmeter.datamodels import Claim, Context, Label, Sample
from faithmeter.errors import DataError, UsageError
from faithmeter.judge.prompts import Instructions, load_examples, load_prompt, parse_prompt
from faithmeter.judge.verify import Verification
from faithmeter.llm.protocol import Reply
from faithmeter.llm.providers import instructions
from faithmeter.llm.settings import JudgeSettings, ModelSpec

HEAD = "---\nname: mine\nversion: 3\nlanguage: en\n---\n"


@pytest.mark.parametrize("task", ["extract", "verify", "joint", "rewrite"])
@pytest.mark.parametrize("size", ["full", "brief"])
def test_our_own_prompts_are_sound(task: str, size: str) -> None:
    prompt = load_prompt(task, size=size)  # type: ignore[arg-type]
    assert prompt.name == {"full": task, "brief": f"{task}-brief"}[size]
    for settings in (JudgeSettings(), JudgeSettings(inference="lenient", partial=True, language="French")):
        text = prompt.text(settings)
        assert "[" not in text
        assert "{" not in text
    assert prompt.signature.startswith(f"{prompt.name}.{prompt.version}.")


def test_lines_are_kept_for_their_setting_only() -> None:
    body = "all\n[strict] s\n[lenient] l\n[partial] p\n[reasons] r\n[language] in {language}\n"
    prompt = parse_prompt(HEAD + body, "x")
    assert prompt.text(JudgeSettings()) == "all\ns\nr"
    chosen = JudgeSettings(inference="lenient", partial=True, reasons=False, language="Māori")
    assert prompt.text(chosen) == "all\nl\np\nin Māori"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Judge this.", "front matter"),
        ("---\nname: a\nversion: 1\n---\nbody", "language"),
        ("---\nname: a\nversion: 1\nlanguage: en\n---\n", "body"),
        ("---\nname: a\nversion: 1\nlanguage: en\nauthor: me\n---\nbody", "author"),
        ("---\nname: a\nname: b\nversion: 1\nlanguage: en\n---\nbody", "line 3"),
        ("---\nname: a\nversion\nlanguage: en\n---\nbody", "line 3"),
        ("---\nname: a b\nversion: 1\nlanguage: en\n---\nbody", "name"),
        ("---\nname: a\nversion: 1\nlanguage: English\n---\nbody", "language"),
        (HEAD + "[mild] body", r"\[mild\]"),
        (HEAD + "Judge {claims}.", r"\{claims\}"),
    ],
)
def test_a_bad_prompt_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        parse_prompt(text, "mine.md")


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        load_prompt("verify", tmp_path / "none.md")


def test_ones_own_prompt_is_used_and_signed_with_its_content(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text(HEAD + "Judge.")
    first = Instructions("verify", JudgeSettings(verify_prompt=path))
    assert first.text == "Judge."
    assert first.signature.startswith("mine.3.")
    path.write_text(HEAD + "Judge well.")
    assert Instructions("verify", JudgeSettings(verify_prompt=path)).signature != first.signature


def test_examples_follow_the_instructions_and_are_signed(tmp_path: Path) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text(
        '{"passage": "The sky is blue.", "claim": "The sky is green.", "label": "Contradicted", "quote": "is blue"}\n\n'
        '{"sentence": "It is big and old.", "question": "Is Rome big?", "claims": ["Rome is big.", "Rome is old."]}\n'
    )
    settings = JudgeSettings(examples=path)
    verify, extract, joint = (Instructions(task, settings) for task in ("verify", "extract", "joint"))  # type: ignore[arg-type]
    plain = Instructions("verify", JudgeSettings())
    assert verify.text.startswith(plain.text + "\n\nExample 2. Data:\n§0000 P1\nThe sky is blue.\n§0000 C\n")
    assert "green" in verify.text
    assert "Rome" not in verify.text
    assert "Rome" in extract.text
    assert "green" not in extract.text
    assert "green" in joint.text
    assert "Rome" not in joint.text, "a sentence without verdicts is no example of the joint call"
    assert verify.signature.partition(".ex")[0] == plain.signature.partition(".ex")[0]
    assert verify.signature != plain.signature


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"passage": "a", "claim": "b"}', "line 1"),
        ('{"passage": "a", "claim": "b", "label": "maybe"}', "label"),
        ('{"passage": "a", "claim": "b", "label": "supported", "quote": "c"}', "word for word"),
        ("{", "line 1"),
    ],
)
def test_bad_examples_are_refused_with_their_line(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text(line)
    with pytest.raises(DataError, match=says):
        load_examples(path)


def examples(task: str, settings: JudgeSettings) -> list[tuple[str, Any]]:
    """The data and the reply of each of our own worked examples."""
    text = Instructions(task, settings).text  # type: ignore[arg-type]
    found = re.findall(r"^Example \d\. Data:\n(.*?)\nReply:\n(.*?)$", text, re.DOTALL | re.MULTILINE)
    assert len(found) == 1
    return [(data, json.loads(reply)) for data, reply in found]


@pytest.mark.parametrize("options", [{}, {"partial": True}, {"reasons": False}], ids=str)
def test_a_worked_example_is_a_reply_that_the_judge_takes(options: dict[str, bool]) -> None:
    """Its data reads as a request does, and its reply has the keys of the schema and passes every check."""
    settings = JudgeSettings.of(options.items())
    labels: Counter[Label] = Counter()
    for data, reply in examples("verify", settings):
        items = parts(data)
        sample = Sample(answer="…", contexts=[Context(text=item.text) for item in items if item.kind == "passage"])
        asked = [item for item in items if item.kind == "claim"]
        claims = [Claim(text=item.text, start=0, end=1) for item in asked]
        instructions = Instructions("verify", settings)
        question = Verification(sample, settings, instructions, ModelSpec(provider="openai", model="any"))
        row = question.put(claims)[0].schema["properties"]["verdicts"]["items"]
        assert all(list(given) == list(row["properties"]) for given in reply["verdicts"])
        assert [given["text"] for given in reply["verdicts"]] == [item.text for item in asked]
        key = {item.number: (place, claims[place]) for place, item in enumerate(asked)}
        reading = question.read(Reply(json.dumps(reply), "stop", 0, 0), key)  # type: ignore[arg-type]
        assert not reading.doubtful
        assert not reading.bad
        labels.update(finding.label for finding in reading.good.values())
    expected = {Label.SUPPORTED: 1, Label.CONTRADICTED: 2, Label.NOT_ENOUGH_INFO: 2}
    assert labels == expected | ({Label.PARTIALLY_SUPPORTED: 1} if settings.partial else {})


def test_the_examples_of_extraction_have_the_claims_of_the_joint_call() -> None:
    plain, joint = examples("extract", JudgeSettings()), examples("joint", JudgeSettings(partial=True))
    for (data, reply), (_, judged) in zip(plain, joint, strict=True):
        assert not [part for part in parts(data) if part.kind == "passage"]
        assert [row["claims"] for row in reply["sentences"]] == [
            [claim["text"] for claim in row["claims"]] for row in judged["sentences"]
        ]
    assert plain[-1][1]["sentences"][-1]["claims"] == [], "a sentence that states nothing"


def test_brief_has_no_example_and_no_echo() -> None:
    sizes = {size: JudgeSettings(prompt=size) for size in ("full", "brief")}  # type: ignore[arg-type]
    shown = {size: Instructions("verify", settings) for size, settings in sizes.items()}
    assert "Example" not in shown["brief"].text
    assert len(shown["brief"].text) < len(shown["full"].text) / 5
    assert shown["brief"].signature != shown["full"].signature
    spec = ModelSpec(provider="openai", model="any")
    for size, settings in sizes.items():
        request, _ = Verification(Sample(answer="", contexts=["a"]), settings, shown[size], spec).put(
            [Claim(text="b", start=0, end=0)]
        )
        for schema in (request.schema, request.closed):
            names = list(schema["properties"]["verdicts"]["items"]["properties"])
            assert names == ["claim", *(["text"] if size == "full" else []), "reason", "label", "passages", "quote"]


def test_ones_own_prompt_has_none_of_our_examples(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text(HEAD + "Judge.")
    assert "Orvia" not in Instructions("verify", JudgeSettings(verify_prompt=path)).text


def test_our_examples_show_short_reasons_and_quotes_without_quotation_marks() -> None:
    """What a small model copies: long reasons were cut off, and quotation marks made replies unreadable."""
    settings = JudgeSettings(partial=True)
    for _, reply in examples("verify", settings):
        for row in reply["verdicts"]:
            assert len(row["reason"].split()) <= 15
            assert len(row["quote"].split()) <= 12
            assert '"' not in row["text"] + row["reason"] + row["quote"]
            assert not row["reason"].startswith("The passage")
            assert not re.match(r"\W*\d", row["text"]), "the number is not part of the text"


def test_full_is_no_longer_than_the_prompt_of_ragas() -> None:
    spec = ModelSpec(provider="openai", model="any")
    settings = JudgeSettings()
    question = Verification(Sample(answer="", contexts=["a"]), settings, Instructions("verify", settings), spec)
    request, _ = question.put([Claim(text="b", start=0, end=0)])
    ragas = Path(__file__).parents[2] / "benchmarks" / "ragas_nli.txt"
    assert len(instructions(request, "prompt")) <= len(ragas.read_text())
