"""Prompts are files: checked when read, fitted to the settings, and named in the signature."""

from __future__ import annotations

from pathlib import Path

import pytest

from faithmeter.errors import DataError, UsageError
from faithmeter.judge.prompts import Instructions, load_examples, load_prompt, parse_prompt
from faithmeter.llm.settings import JudgeSettings

HEAD = "---\nname: mine\nversion: 3\nlanguage: en\n---\n"


@pytest.mark.parametrize("task", ["extract", "verify", "joint"])
def test_our_own_prompts_are_sound(task: str) -> None:
    prompt = load_prompt(task)  # type: ignore[arg-type]
    assert prompt.name == task
    for settings in (JudgeSettings(), JudgeSettings(inference="lenient", partial=True, language="French")):
        text = prompt.text(settings)
        assert "[" not in text
        assert "{" not in text
    assert prompt.signature.startswith(f"{task}.{prompt.version}.")


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
    assert verify.text.startswith(plain.text + "\nExample: passage")
    assert "green" in verify.text
    assert "Rome" not in verify.text
    assert "Rome" in extract.text
    assert "green" not in extract.text
    assert "green" in joint.text
    assert "Rome" in joint.text
    assert verify.signature.startswith(plain.signature + ".ex")


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
