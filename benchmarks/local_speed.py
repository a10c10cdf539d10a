"""Measures the embedded verifier's speed: `python -m benchmarks.local_speed`.

Samples of five sentences and four contexts of 133 words, as in the field's other measurements; CPU time, which a busy
machine does not distort, and wall time. `--hhem` adds a classifier of HHEM-2.1-Open's shape (T5-base encoder, random
weights, the same pairs, two threads), which needs the extra `hf`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from faithmeter.datamodels import Claim, Context, Pair, Sample
from faithmeter.evidence.passages import Index, select
from faithmeter.verify import Verifier
from faithmeter.verify.local import WEIGHTS, LocalVerifier, load_model

THREADS = 2
NOUNS = ("harbour", "museum", "river", "council", "engine", "garden", "letter", "station", "bridge", "market", "school")
VERBS = ("opened", "replaced", "described", "visited", "painted", "measured", "sold", "repaired", "closed", "planned")
NAMES = ("Maria Ito", "Anders Holm", "Priya Quinn", "Omar Rossi", "Wei Novak", "Ruth Carver", "Luca Silva")


class Speed(NamedTuple):
    """Seconds per pair."""

    cpu: float
    wall: float


def sentence(rng: random.Random) -> str:
    """A sentence of about seventeen words."""
    noun, other = rng.sample(NOUNS, 2)
    return (
        f"{rng.choice(NAMES)} {rng.choice(VERBS)} the {noun} near the old {other} in {rng.randint(1800, 2020)}"
        f" and {rng.choice(VERBS)} {rng.randint(2, 90)} more."
    )


def samples(count: int, *, contexts: int = 4, words: int = 133, claims: int = 5) -> list[Pair]:
    """Pairs of `count` samples; every other claim stands in a context word for word."""
    rng = random.Random(0)
    pairs = []
    for _ in range(count):
        texts = []
        for _ in range(contexts):
            text: list[str] = []
            while len(text) < words:
                text += sentence(rng).split()
            texts.append(" ".join(text[:words]))
        said = [sentence(rng) if n % 2 else rng.choice(texts).split(". ")[1] + "." for n in range(claims)]
        sample = Sample(answer=" ".join(said), contexts=tuple(Context(text=text) for text in texts))
        starts = [len(" ".join([*said[:n], ""])) for n in range(claims)]
        pairs += [
            Pair(Claim(text=text, start=at, end=at + len(text)), sample) for text, at in zip(said, starts, strict=True)
        ]
    return pairs


def timed(verifier: Verifier, pairs: Sequence[Pair]) -> Speed:
    """Judge once to warm up, then measure."""
    asyncio.run(verifier.verify(pairs[:2]))
    cpu, wall = time.process_time(), time.perf_counter()
    outcomes = asyncio.run(verifier.verify(pairs))
    assert len(outcomes) == len(pairs)
    return Speed((time.process_time() - cpu) / len(pairs), (time.perf_counter() - wall) / len(pairs))


def hhem_of_random_weights(folder: Path) -> Verifier:
    """A classifier in HHEM's on-disk format and T5-base's shape; its tokenizer is ours, which cuts words alike."""
    import torch
    from safetensors.torch import save_file
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForTokenClassification

    from faithmeter.verify.classifier import load

    torch.set_num_threads(THREADS)
    foundation = folder / "foundation"
    shape = T5Config(
        vocab_size=32128, d_model=768, d_kv=64, d_ff=2048, num_layers=12, num_heads=12, num_labels=2,
        feed_forward_proj="gated-gelu",
    )  # fmt: skip
    shape.save_pretrained(foundation)
    PreTrainedTokenizerFast(
        tokenizer_file=str(WEIGHTS / "tokenizer.json"), pad_token="[PAD]", eos_token="[SEP]", unk_token="[UNK]"
    ).save_pretrained(foundation)
    (folder / "config.json").write_text(json.dumps({"model_type": "HHEMv2", "foundation": str(foundation)}), "utf-8")
    state = T5ForTokenClassification(shape).state_dict()
    save_file({f"t5.{name}": value.clone().contiguous() for name, value in state.items()}, folder / "model.safetensors")
    return load("hhem", str(folder))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--hhem", action="store_true")
    options = parser.parse_args()
    begun = time.process_time()
    load_model()
    print(f"load: {1000 * (time.process_time() - begun):.0f} ms CPU")
    verifier = LocalVerifier(threads=THREADS)
    pairs = samples(options.samples)
    local = timed(verifier, pairs)
    print(f"local: {5000 * local.cpu:.0f} ms CPU a sample of 5 claims, {1 / local.wall:.1f} pairs a second (wall)")
    begun = time.process_time()
    for pair in pairs[::5]:
        index = Index([context.text for context in pair.sample.contexts])
        for asked in pairs[:5]:
            select(asked.claim.text, index)
    print(f"  of which selection: {1000 * (time.process_time() - begun) / options.samples:.1f} ms a sample")
    for times in (1, 4, 16):
        more = timed(verifier, samples(max(1, options.samples // 4), contexts=4 * times))
        print(f"  {4 * times:3d} contexts: {1000 * more.cpu:.1f} ms CPU a claim")
    if options.hhem:
        with tempfile.TemporaryDirectory() as folder:
            other = timed(hhem_of_random_weights(Path(folder)), pairs[:10])
        ratio = other.cpu / local.cpu
        print(f"hhem: {5000 * other.cpu:.0f} ms CPU a sample; local is {ratio:.1f} times as fast by CPU time")


if __name__ == "__main__":
    main()
