"""Times continuous-eval's numbers, ours against its own, on the same samples: `python benchmarks/overlap.py`.

The text is made up, so that anyone can make the same: 5,000 invented words whose frequency falls with their rank, as in
any language, among 60 English function words that make 45 % of the text (never the last word of a sentence); sentences
of 8 to 22 words, a comma after one word in twelve. A sample has 4 contexts of 133 words and an answer of 5 sentences;
each of these is taken from a context with one word left out (supported), or newly made from the same words
(unsupported), by the toss of a coin.

continuous-eval is optional, large (382 MB) and nothing for the project's own environment; `--how` says how to get it.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import itertools
import math
import os
import random
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from faithmeter.compat import DeterministicFaithfulness
from faithmeter.compat.continuous_eval.overlap import Reference
from faithmeter.verify.window import ContextIndex, Metric, best_window

HOW = """\
To compare with continuous-eval, make an environment that can be thrown away, and run this there:

    python -m venv /tmp/overlap-peer
    /tmp/overlap-peer/bin/pip install . continuous-eval==0.3.14
    /tmp/overlap-peer/bin/pip install --no-deps llama-index-core
    /tmp/overlap-peer/bin/python benchmarks/overlap.py

(The last package is there for its copy of NLTK's sentence model and stop words, which NLTK would download.)"""

FUNCTION_WORDS = """
    the of and to in a is was for on that by with as it at from his an were are which be this had he or has not but also
    their one its after first her who they have been new two when she more other there all most into some would during
    only time while about where than before
"""
TIMES = (1, 4, 16, 64)
BLOCK = 25  # samples that each side takes in turn, so that a busy machine slows both
METRICS: tuple[Metric, ...] = ("rouge", "tokens", "bleu")


class Sample(NamedTuple):
    """An answer's sentences, whether each is supported, and the contexts."""

    sentences: list[str]
    supported: list[bool]
    contexts: list[str]

    @property
    def answer(self) -> str:
        return " ".join(self.sentences)


class Writer:
    """Makes up sentences; the same seed, the same sentences."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        parts = ["".join(pair) for pair in itertools.product("bcdfglmnprstvz", "aeiou")]
        words = sorted({"".join(self.random.choices(parts, k=self.random.randint(2, 4))) for _ in range(6000)})
        self.random.shuffle(words)
        self.words = words[:5000]
        self.function_words = FUNCTION_WORDS.split()
        self.steps = list(itertools.accumulate(1 / rank for rank in range(3, 5003)))

    def sentence(self, length: int | None = None) -> str:
        """Make one sentence, of 8 to 22 words unless told."""
        length = length or self.random.randint(8, 22)
        *words, last = self.random.choices(self.words, cum_weights=self.steps, k=length)
        words = [self.random.choice(self.function_words) if self.random.random() < 0.45 else word for word in words]
        text = " ".join([*(word + ("," if self.random.random() < 1 / 12 else "") for word in words), last])
        return text[0].upper() + text[1:] + "."

    def context(self, words: int = 133) -> str:
        """Make a context of so many words."""
        sentences = []
        while words:
            length = self.random.randint(8, 22)
            length = words if words - length < 8 else length
            sentences.append(self.sentence(length))
            words -= length
        return " ".join(sentences)

    def sample(self) -> Sample:
        """Make one sample."""
        contexts = [self.context() for _ in range(4)]
        whole = [sentence.rstrip(".") for context in contexts for sentence in context.split(". ")]
        supported = [self.random.random() < 0.5 for _ in range(5)]
        return Sample([self._shortened(whole) if good else self.sentence() for good in supported], supported, contexts)

    def _shortened(self, sentences: Sequence[str]) -> str:
        words = self.random.choice(sentences).split()
        del words[self.random.randrange(1, len(words) - 1)]
        return " ".join(words) + "."


def load_peer() -> Callable[[Sample], dict[str, Any]] | None:
    """Load continuous-eval, as it is, with NLTK's data from a package; None if it is not installed."""
    os.environ.setdefault("CONTINUOUS_EVAL_DO_NOT_TRACK", "true")
    for file in metadata.files("llama-index-core") or () if _installed("llama-index-core") else ():
        if file.name == "punkt_tab.zip":
            os.environ["NLTK_DATA"] = str(Path(file.locate()).parents[1])
    if not _installed("continuous-eval"):
        return None
    warnings.simplefilter("ignore")  # it switches warnings off and on again itself, once a sentence
    metric = importlib.import_module("continuous_eval.metrics.generation.text").DeterministicFaithfulness()
    return lambda sample: metric.compute(answer=sample.answer, retrieved_context=sample.contexts)


def _installed(package: str) -> bool:
    return any(True for _ in metadata.distributions(name=package))


def seconds(work: Callable[[Sample], object], samples: Sequence[Sample]) -> tuple[float, list[Any]]:
    """CPU seconds for some samples, and what came out."""
    begun = time.process_time()
    results = [work(sample) for sample in samples]
    return time.process_time() - begun, results


def compare(samples: Sequence[Sample]) -> None:
    """Print both rates and their ratio, having checked that the numbers are the same."""
    forms = {tokens: DeterministicFaithfulness(tokens=tokens) for tokens in ("0.3", "0.2")}
    ours = {name: _calculate(metric) for name, metric in forms.items()}
    peer = load_peer()
    gc.collect()
    gc.freeze()  # neither side is to pay for going through the other's modules
    spent = dict.fromkeys(("peer", *ours), 0.0)
    different = 0
    for start in range(0, len(samples), BLOCK):
        block = samples[start : start + BLOCK]
        results = {}
        for name, work in ours.items():
            used, results[name] = seconds(work, block)
            spent[name] += used
        if peer:
            used, theirs = seconds(peer, block)
            spent["peer"] += used
            different += sum(not same(one, other) for one, other in zip(theirs, results["0.3"], strict=True))
    cost = {name: used / len(samples) * 1000 for name, used in spent.items()}
    print(f"CPU milliseconds a sample, {len(samples)} samples of 5 sentences and 4 contexts of 133 words:")
    for name in ours:
        print(f"  faithmeter, tokens of {name}       {cost[name]:8.2f}")
    if peer is None:
        print(f"  continuous-eval                 not installed\n\n{HOW}")
        return
    versions = ", ".join(f"{package} {metadata.version(package)}" for package in ("continuous-eval", "nltk", "rouge"))
    print(f"  {versions}  {cost['peer']:.1f}")
    print(f"  ratio {cost['peer'] / cost['0.3']:.0f} (the same numbers; {different} samples differ by more than 1e-9)")


def _calculate(metric: DeterministicFaithfulness) -> Callable[[Sample], dict[str, Any]]:
    return lambda sample: dict(metric.calculate(answer=sample.answer, retrieved_contexts=sample.contexts))


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two sets of scores agree."""
    flat = [[number for value in scores.values() for number in _numbers(value)] for scores in (one, other)]
    return len(flat[0]) == len(flat[1]) and all(math.isclose(*pair, abs_tol=1e-9) for pair in zip(*flat, strict=True))


def _numbers(value: float | list[float]) -> list[float]:
    return value if isinstance(value, list) else [value]


def grown(samples: Sequence[Sample], times: int, writer: Writer) -> Iterator[Sample]:
    """The same samples, with so many times as many contexts."""
    for sample in samples:
        more = [writer.context() for _ in range(4 * (times - 1))]
        yield sample._replace(
            contexts=[" ".join([text, *more[place::4]]) for place, text in enumerate(sample.contexts)]
        )


def windows(sample: Sample, metric: Metric) -> list[float]:
    """The score of each sentence against the best window."""
    contexts = [ContextIndex(context) for context in sample.contexts]
    found = (best_window(sentence, contexts, metric=metric) for sentence in sample.sentences)
    return [window.score if window else 0.0 for window in found]


def growth(samples: Sequence[Sample], writer: Writer) -> None:
    """Print cost and scores as the contexts grow."""
    compatible = _calculate(DeterministicFaithfulness())
    print(f"\nAs contexts grow ({len(samples)} samples): CPU milliseconds a sample, and divided by the growth")
    scores: dict[tuple[str, bool], list[float]] = {}
    for times in TIMES:
        some = list(grown(samples, times, writer))
        print(f"  {times:2} times:", end="")
        for name, work in (("compatible", compatible), ("windows", lambda sample: windows(sample, "rouge"))):
            used = min(seconds(work, some)[0] for _ in range(3)) / len(some) * 1000
            print(f"  {name} {used:7.2f} ({used / times:.2f})", end="")
        print()
        for name, score in measures().items():
            values = [pair for sample in some for pair in zip(score(sample), sample.supported, strict=True)]
            for good in (True, False):
                scores.setdefault((name, good), []).append(mean(value for value, label in values if label is good))
    print(f"\nMean score of sentences as contexts grow {', '.join(map(str, TIMES))} times")
    for (name, good), row in scores.items():
        print(f"  {name:32} {'supported' if good else 'unsupported':12}" + "".join(f"{value:9.2g}" for value in row))


def measures() -> dict[str, Callable[[Sample], list[float]]]:
    """The measures whose growth is shown, by name."""

    def joined(name: str) -> Callable[[Sample], list[float]]:
        metric = DeterministicFaithfulness()
        return lambda sample: list(metric.calculate(sample.answer, sample.contexts)[name])  # type: ignore[literal-required]

    def best(metric: Metric) -> Callable[[Sample], list[float]]:
        return lambda sample: windows(sample, metric)

    continuous = {"ROUGE-L": "rouge_p", "token overlap": "token_overlap_p", "BLEU": "bleu_score"}
    found = {f"continuous-eval, {name}": joined(f"{key}_by_sentence") for name, key in continuous.items()}
    return found | {f"best window, {metric}": best(metric) for metric in METRICS}


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=500, help="how many to compare on (500: two minutes)")
    parser.add_argument("--grown", type=int, default=20, help="how many to lengthen the contexts of")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--how", action="store_true", help="say how to install continuous-eval, and stop")
    options = parser.parse_args()
    if options.how:
        sys.exit(HOW)
    writer = Writer(options.seed)
    samples = [writer.sample() for _ in range(max(options.samples, options.grown))]
    Reference(["warm up: numpy loads when first used"]).bleu(["so that it is not timed"])
    compare(samples[: options.samples])
    growth(samples[: options.grown], writer)


if __name__ == "__main__":
    main()
