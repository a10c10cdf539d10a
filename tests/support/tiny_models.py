"""Tiny random models in the public classifiers' on-disk formats."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, T5Config, T5ForTokenClassification

from faithmeter.verify.classifier import HHEM_PROMPT

PREMISE, HYPOTHESIS = "I am in California", "I am in United States."
WORDS = f"{HHEM_PROMPT} {PREMISE} {HYPOTHESIS} predict : . , The tower is 330 metres tall It opened in 1889".split()


def tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    vocabulary = {"<pad>": 0, "</s>": 1, "<unk>": 2, "[SEP]": 3, "[CLS]": 4}
    for word in WORDS:
        vocabulary.setdefault(word, len(vocabulary))
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    made = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        sep_token="[SEP]",
        cls_token="[CLS]",
    )
    made.save_pretrained(folder)
    return made


def t5_config() -> T5Config:
    return T5Config(vocab_size=256, d_model=16, d_kv=4, d_ff=32, num_layers=2, num_heads=4, num_labels=2)


def hhem_folder(parent: Path) -> tuple[Path, T5ForTokenClassification]:
    """A folder as the hub holds HHEM-2.1-Open: its own model type, a foundation, weights under `t5.`."""
    torch.manual_seed(1)
    foundation, folder = parent / "flan-t5", parent / "hhem"
    folder.mkdir()
    tokenizer(foundation)
    t5_config().save_pretrained(foundation)
    model = T5ForTokenClassification(t5_config()).eval()
    torch.nn.init.normal_(model.classifier.weight, std=2.0)
    (folder / "config.json").write_text(json.dumps({"model_type": "HHEMv2", "foundation": str(foundation)}), "utf-8")
    weights = {f"t5.{name}": value.clone().contiguous() for name, value in model.state_dict().items()}
    save_file(weights, folder / "model.safetensors")
    return folder, model
