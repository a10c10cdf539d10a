"""Public classifiers: the real loading code, on tiny random weights in the real formats, saved and loaded back."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from support.tiny_models import HYPOTHESIS, PREMISE, WORDS, hhem_folder, t5_config, tokenizer
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    T5ForConditionalGeneration,
    T5ForTokenClassification,
)

from faithmeter import Label, Pair, Sample, UsageError, check, load_verifier
from faithmeter.datamodels import Claim
from faithmeter.verify.classifier import HHEM_PROMPT, ClassifierVerifier, Options, Probability, _label_columns


@pytest.fixture(scope="module")
def hhem(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, T5ForTokenClassification]:
    return hhem_folder(tmp_path_factory.mktemp("hhem"))


@pytest.fixture(scope="module")
def minicheck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(2)
    folder = tmp_path_factory.mktemp("minicheck")
    tokenizer(folder)
    T5ForConditionalGeneration(t5_config()).save_pretrained(folder)
    return folder


def nli_folder(folder: Path, names: dict[int, str]) -> Path:
    torch.manual_seed(3)
    tokenizer(folder)
    config = BertConfig(
        vocab_size=256, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=66, id2label=names, label2id={name: number for number, name in names.items()},
    )  # fmt: skip
    model = BertForSequenceClassification(config)
    torch.nn.init.normal_(model.classifier.weight, std=3.0)
    model.save_pretrained(folder)
    return folder


def test_hhem_scores_the_first_token_of_its_prompt(hhem: tuple[Path, T5ForTokenClassification]) -> None:
    folder, model = hhem
    verifier = load_verifier(f"hhem:{folder}?device=cpu&batch_size=2")
    assert isinstance(verifier, ClassifierVerifier)
    inputs = tokenizer(folder.parent)(HHEM_PROMPT.format(premise=PREMISE, hypothesis=HYPOTHESIS), return_tensors="pt")
    with torch.inference_mode():
        expected = model(**inputs).logits[0, 0].softmax(-1)[1].item()
    result = check(HYPOTHESIS, [PREMISE], verifier=verifier)
    assert result.verdicts[0].support == pytest.approx(expected, abs=1e-5)
    assert result.verdicts[0].evidence[0].quote == PREMISE


def test_minicheck_compares_two_tokens_of_one_decoder_step(minicheck: Path) -> None:
    model = T5ForConditionalGeneration.from_pretrained(minicheck).eval()
    inputs = tokenizer(minicheck)(f"predict: {PREMISE}</s>{HYPOTHESIS}", return_tensors="pt")
    with torch.inference_mode():
        logits = model(**inputs, decoder_input_ids=torch.zeros((1, 1), dtype=torch.long)).logits[0, 0]
    expected = logits[[3, 209]].softmax(-1)[1].item()
    assert check(HYPOTHESIS, [PREMISE], verifier=f"minicheck:{minicheck}").verdicts[0].support == pytest.approx(
        expected, abs=1e-5
    )


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        ({0: "entailment", 1: "neutral", 2: "contradiction"}, (0, 2)),
        ({0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}, (2, 0)),
        ({0: "not_entailment", 1: "entailment"}, (1, None)),
        ({0: "LABEL_0", 1: "LABEL_1"}, (1, None)),
        ({0: "unsupported", 1: "supported"}, (1, None)),
    ],
)
def test_label_names_are_read_from_the_config(names: dict[int, str], columns: tuple[int, int | None]) -> None:
    assert _label_columns(names, "m") == columns


def test_unknown_label_names_are_an_error(tmp_path: Path) -> None:
    folder = nli_folder(tmp_path, {0: "good", 1: "bad", 2: "ugly"})
    with pytest.raises(UsageError, match="cannot tell which label means supported; its config names good, bad, ugly"):
        load_verifier(f"nli:{folder}")


def test_an_nli_model_gives_three_way_verdicts_in_any_batch_size(tmp_path: Path) -> None:
    folder = nli_folder(tmp_path, {0: "contradiction", 1: "neutral", 2: "entailment"})
    contexts = [" ".join(WORDS[n : n + 12]) + "." for n in range(0, 24, 3)]
    answer = "The tower is 330 metres tall. It opened in 1889. I am in California."
    one = check(answer, contexts, verifier=f"nli:{folder}?batch_size=1")
    many = check(answer, contexts, verifier=f"nli:{folder}?batch_size=7")
    assert [verdict.label for verdict in one.verdicts] == [verdict.label for verdict in many.verdicts]
    for first, second in zip(one.verdicts, many.verdicts, strict=True):
        assert first.support == pytest.approx(second.support, abs=1e-5)
    assert one.status == "ok"


class WordScorer:
    """Supports a claim whose every word is in the window; contradicts one that says "not"."""

    window = 64

    def length(self, text: str) -> int:
        return len(text.split())

    def score(self, pairs: list[tuple[str, str]]) -> list[Probability]:
        return [
            Probability(
                supported=float(set(claim.split()) <= set(window.split())), contradicted=0.9 if "not" in claim else 0.0
            )
            for window, claim in pairs
        ]


def test_long_contexts_are_windowed_and_the_best_window_decides() -> None:
    filler = "Nothing of interest happened that year. " * 30
    contexts = [filler + "The tower opened in 1889. " + filler, filler]
    verifier = ClassifierVerifier("words", WordScorer(), fingerprint="x", options=Options(window=64))
    result = check("The tower opened in 1889. The tower did not open. Cats sleep.", contexts, verifier=verifier)
    labels = [verdict.label for verdict in result.verdicts]
    assert labels == [Label.SUPPORTED, Label.CONTRADICTED, Label.NOT_ENOUGH_INFO]
    assert any("The tower opened in 1889." in item.quote for item in result.verdicts[0].evidence)


async def test_windows_cover_every_passage() -> None:
    seen: list[str] = []

    class Watching(WordScorer):
        def score(self, pairs: list[tuple[str, str]]) -> list[Probability]:
            seen.extend(window for window, _ in pairs)
            return super().score(pairs)

    sentences = [f"Fact number {n} is written here for all to read." for n in range(100)]
    sample = Sample(answer="a", contexts=[" ".join(sentences[:70]), " ".join(sentences[70:])])
    verifier = ClassifierVerifier("words", Watching(), fingerprint="x")
    await verifier.verify([Pair(Claim(text="A claim.", start=0, end=1), sample)])
    assert all(any(sentence in window for window in seen) for sentence in sentences)
    assert max(len(window.split()) for window in seen) <= 64


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nli", "nli needs a folder or a hub id"),
        ("nli:x?batch_size=0", "nli: batch_size: input should be greater than or equal to 1"),
        ("nli:x?fast", "cannot read the options 'fast' of 'nli:x\\?fast': write NAME=VALUE"),
        ("nli:x?speed=9", "nli: speed: extra inputs are not permitted"),
        ("hhem:/no/such/folder", "cannot load the model '/no/such/folder'"),
    ],
)
def test_wrong_specs_get_one_clear_line(spec: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UsageError, match=message) as caught:
        load_verifier(spec)
    assert "\n" not in str(caught.value)


def test_the_signature_tells_weights_apart(hhem: tuple[Path, T5ForTokenClassification], tmp_path: Path) -> None:
    other = nli_folder(tmp_path, {0: "no", 1: "supported"})
    signatures = {
        load_verifier(spec).signature for spec in (f"hhem:{hhem[0]}", f"nli:{other}", f"nli:{other}?threshold=0.7")
    }
    assert len(signatures) == 3
