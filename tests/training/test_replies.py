"""What a language model writes becomes rows: it writes as transformers makes it write, and whole sentences are kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("gguf")
pytest.importorskip("transformers")

import torch
from support.tiny_decoder import reference, write_model

from training import replies, tutor
from training.decoder import load_decoder, tokenizer_of
from training.rows import REPLIED, Row, read_rows, write_rows
from training.steps import Run, reply

TEXT = "The harbour of Lund has 14 piers. Its red tower was built in 1901 by Anna Berg."
ROW = Row("It has 14 piers.", "How many piers are there? And towers?", TEXT, 0, None, "toy")
PROMPT = replies.Prompt(ROW, TEXT, "", "How many piers are there?")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("qwen") / "model.gguf"
    write_model(path)
    return path


def test_the_likeliest_reply_is_that_of_transformers_whatever_stands_beside_the_prompt(model: Path) -> None:
    network = load_decoder(model).eval()
    prompts = [[5, 9, 200, 31], [7] * 21, [3, 80]]
    found = replies.replies(prompts, network, samples=2, stop=-1, device="cpu", generator=None, longest=6)
    for prompt, both in zip(prompts, found, strict=True):
        ids = list(prompt)
        for _ in range(6):
            ids.append(int((reference(network, ids)[-1] @ network.words.weight.T).argmax()))
        assert both == [ids[len(prompt) :]] * 2


def test_a_reply_ends_where_the_model_ends_it(model: Path) -> None:
    network = load_decoder(model).eval()
    (((first, *_),),) = replies.replies([[5, 9]], network, samples=1, stop=-1, device="cpu", generator=None, longest=3)
    assert replies.replies([[5, 9]], network, samples=1, stop=first, device="cpu", generator=None) == [[[]]]


def test_drawn_replies_differ_and_a_seed_gives_them_again(model: Path) -> None:
    network = load_decoder(model).eval()

    def drawn(seed: int) -> list[list[list[int]]]:
        generator = torch.Generator().manual_seed(seed)
        return replies.replies([[5, 9]], network, samples=2, stop=-1, device="cpu", generator=generator, longest=8)

    assert drawn(1) == drawn(1) != drawn(2)
    assert drawn(1)[0][0] != drawn(1)[0][1]


def test_whole_new_sentences_become_claims_that_know_the_one_before() -> None:
    said = "Sure, here it is:\n1. **Lund** has 14 piers by the sea.\n2. The text says that its tower is very old.\n"
    said += "港口有十四个码头.\n"
    rows = list(replies.claims(PROMPT, said + "- The harbour of Lund has 14 piers.\n- It was built by someone who"))
    assert [row.claim for row in rows] == ["Lund has 14 piers by the sea.", "Its tower is very old."]
    assert [row.hint for row in rows] == [PROMPT.question, f"{PROMPT.question} Lund has 14 piers by the sea."]
    assert {(row.evidence, row.label, row.source) for row in rows} == {(TEXT, 4, REPLIED)}


def test_each_text_is_asked_about_once_with_its_question_or_a_task() -> None:
    many = [Row("c", "", f"{TEXT * 2} {n}", 0, None, "toy") for n in range(200)]
    rows = [ROW, ROW._replace(claim="It has a tower."), *many]
    asked = list(replies.prompts(rows, seed=1))
    assert sorted(prompt.row.evidence for prompt in asked) == sorted({row.evidence for row in rows})
    assert list(replies.prompts(rows, seed=1)) == asked
    parts = [prompt for prompt in asked if prompt.task == replies.FROM_A_PART]
    assert 20 < len(parts) < 60
    assert all(len(prompt.text) == 80 for prompt in parts)
    assert {prompt.task for prompt in asked} >= set(replies.TASKS)
    questions = {prompt.question for seed in range(9) for prompt in replies.prompts([ROW], seed=seed)}
    assert questions == {"", "How many piers are there?"}


def test_a_prompt_has_the_form_the_model_knows(model: Path) -> None:
    tokenizer = tokenizer_of(model)
    ids = replies.prompt_ids(tokenizer, PROMPT._replace(task="Sum it up."))
    text = tokenizer.decode(ids, skip_special_tokens=False)
    assert text == (
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
        f"<|im_start|>user\nText:\n{TEXT}\n\nSum it up.<|im_end|>\n<|im_start|>assistant\n"
    )


def test_the_step_writes_rows_about_the_texts_that_the_config_names(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = [Row("A claim.", "", f"{TEXT} {'More of it. ' * 15}{n}", 0, None, f"toy_{n % 2}") for n in range(12)]
    write_rows(tmp_path / "train.jsonl.xz", [*long, ROW._replace(source="toy_1")])
    write_rows(tmp_path / "skills.jsonl.xz", [])
    base = tmp_path / "base"
    (base / "qwen").mkdir(parents=True)
    (base / "qwen" / "model.gguf").write_bytes(model.read_bytes())
    config = {"seed": 1, "teacher": {"base": "qwen"}, "replies": {"seconds": 600, "about": {"toy_1": 1, "*": 0}}}
    monkeypatch.setattr(replies, "LONGEST", 4)
    # a model of random weights writes no sentence: its words stand for one
    monkeypatch.setattr(replies, "claims", lambda prompt, text: [Row(text, "", prompt.row.evidence, 4, None, REPLIED)])
    reply(Run(config, base, tmp_path, tmp_path, "cpu"))
    written = list(read_rows(tmp_path / f"{REPLIED}.jsonl.xz"))
    assert {row.evidence for row in written} == {row.evidence for row in long if row.source == "toy_1"}
    assert len(written) > 6
    assert {row.label for row in written} == {4}
    assert tutor.load_tokenizer(base / "qwen" / "tokenizer.json").decoder is not None
    assert len({(row.claim, row.evidence) for row in written}) == len(written)


def test_short_texts_are_not_written_about() -> None:
    long = ROW._replace(evidence=TEXT * 4)
    assert replies.texts_of([ROW, long], np.ones(2), seed=1) == [long]
