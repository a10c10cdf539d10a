"""The cascade: cheap tiers settle what they are sure of, and the last one sees only what is left.

`cascade:openai:MODEL` asks, in this order: is the claim a verbatim quote; do the numbers, dates, names and "not"s of
a near-identical sentence agree; what does the embedded model say, and do the words support it; and only then the LLM.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from faithmeter.datamodels import Failure, Label, Outcome, Pair, Verdict
from faithmeter.errors import StopRun, UsageError
from faithmeter.runtime.boundary import checked, verified
from faithmeter.runtime.delegating import Delegating
from faithmeter.verify import Verifier, load_verifier
from faithmeter.verify.lexical import LexicalVerifier
from faithmeter.verify.quick_checks import FactVerifier, QuoteVerifier, turned

# Where the embedded model settles a claim: chosen by benchmarks/cascade.py on RAGTruth answers.
SURE_SUPPORTED = 0.72
SURE_UNSUPPORTED = 0.01
SHARED_WORDS = 0.7


class Tier(NamedTuple):
    """A verifier, and how sure it must be to have the last word."""

    verifier: Verifier
    supported: float = SURE_SUPPORTED
    """A supported claim is settled from this `support` on."""
    unsupported: float = SURE_UNSUPPORTED
    """A claim that is not supported is settled up to this `support`."""

    def settles(self, outcome: Outcome) -> bool:
        """Whether no later tier need be asked."""
        if isinstance(outcome, Failure) or outcome.support is None:
            return False
        if outcome.label is Label.SUPPORTED:
            return outcome.support >= self.supported
        return outcome.label is not Label.PARTIALLY_SUPPORTED and outcome.support <= self.unsupported


class Corroborated(Delegating[Verifier]):
    """Is sure that a claim is supported only where a second verifier sees it in the prose, too.

    The embedded model's mistakes and those of word overlap are different ones, so that together they settle twice as
    many claims as either does alone. Records such as JSON share few words with what is said about them: there the
    first verifier decides by itself. Neither hears a "not", a hedge or a swapped role well: a claim that all but
    repeats a sentence, and differs from it in one of these, is left to the next tier.
    """

    def __init__(self, verifier: Verifier, second: Verifier, *, at_least: float = SHARED_WORDS) -> None:
        super().__init__(verifier)
        self.second = second
        self.at_least = at_least

    @property
    def signature(self) -> str:
        return f"{self.inner.signature}+{self.second.signature}[{self.at_least:g}]"

    def around(self, wrapped: Callable[[Verifier], Verifier]) -> Corroborated:
        """The same with both wrapped."""
        return Corroborated(wrapped(self.inner), wrapped(self.second), at_least=self.at_least)

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """The first verifier's verdicts; without `support`, which is to say unsure, where the second does not agree."""
        outcomes = await verified(self.inner.verify, pairs)
        doubted = [
            index
            for index, outcome in enumerate(outcomes)
            if isinstance(outcome, Verdict) and outcome.label is Label.SUPPORTED and not _records(pairs[index])
        ]
        seconds = await verified(self.second.verify, [pairs[index] for index in doubted]) if doubted else []
        unsure = {
            index
            for index, second in zip(doubted, seconds, strict=True)
            if isinstance(second, Failure) or second.support is None or second.support < self.at_least
        }
        for index, outcome in enumerate(outcomes):
            supported = isinstance(outcome, Verdict) and outcome.label is Label.SUPPORTED
            if index in unsure or (supported and turned(pairs[index])):
                outcomes[index] = outcomes[index].model_copy(update={"support": None})
        return outcomes


class Cascade:
    """Asks its tiers in turn, each for the claims that none before was sure of; the last has the last word."""

    def __init__(self, tiers: Sequence[Tier]) -> None:
        if not tiers:
            raise UsageError("a cascade needs at least one tier")
        self.tiers = tuple(tiers)

    @property
    def signature(self) -> str:
        """Every tier's, with its thresholds; the last one's do not matter."""
        *early, last = self.tiers
        parts = [f"{tier.verifier.signature}[{tier.unsupported:g},{tier.supported:g}]" for tier in early]
        return " > ".join(["cascade.1", *parts, last.verifier.signature])

    @property
    def cpu_bound(self) -> bool:
        """Whether no tier waits for others."""
        return all(getattr(tier.verifier, "cpu_bound", False) for tier in self.tiers)

    @property
    def concurrency(self) -> int:
        """The last tier's: the one that is waited for."""
        limit: int = self.tiers[-1].verifier.concurrency  # type: ignore[attr-defined]  # AttributeError if it has none
        return limit

    @property
    def threads(self) -> int:
        """How many threads the tiers that use threads may use."""
        counts: list[int] = [tier.verifier.threads for tier in self.tiers if hasattr(tier.verifier, "threads")]
        return max(counts, default=1)

    @threads.setter
    def threads(self, count: int) -> None:
        for tier in self.tiers:
            if hasattr(tier.verifier, "threads"):
                tier.verifier.threads = count

    @property
    def languages(self) -> Collection[str] | None:
        """What every tier knows: an early tier may settle a claim for all; None: any language."""
        said = [getattr(tier.verifier, "languages", None) for tier in self.tiers]
        known = [set(languages) for languages in said if languages is not None]
        return sorted(set.intersection(*known)) if known else None

    def reads(self, pair: Pair) -> Sequence[str]:
        """What any tier reads."""
        question = (pair.sample.question or "",)
        tiers = (getattr(tier.verifier, "reads", None) for tier in self.tiers)
        return [text for reads in tiers for text in (reads(pair) if reads else question)]

    def around(self, wrapped: Callable[[Verifier], Verifier]) -> Cascade:
        """The same cascade with each tier wrapped: a cache then keeps a judgement whatever the thresholds are."""
        return Cascade([tier._replace(verifier=wrapped(tier.verifier)) for tier in self.tiers])

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """Judge each claim in the first tier that is sure."""
        settled: dict[int, Outcome] = {}
        left = list(range(len(pairs)))
        for tier_index, tier in enumerate(self.tiers):
            last = tier_index == len(self.tiers) - 1
            try:
                outcomes = await verified(tier.verifier.verify, [pairs[index] for index in left])
            except StopRun as stop:  # what earlier tiers settled is not lost
                known = checked(stop.outcomes, [pairs[index].claim for index in left]) if stop.outcomes else []
                settled |= {index: _in_tier(outcome, tier_index) for index, outcome in zip(left, known, strict=False)}
                stop.outcomes = tuple(
                    settled.get(index) or Failure(claim=pair.claim, kind=stop.kind, message=str(stop))
                    for index, pair in enumerate(pairs)
                )
                raise
            for index, outcome in zip(left, outcomes, strict=True):
                if last or tier.settles(outcome):
                    settled[index] = _in_tier(outcome, tier_index)
            left = [index for index in left if index not in settled]
            if not left:
                break
        return [settled[index] for index in range(len(pairs))]

    async def aclose(self) -> None:
        """Close what the tiers hold open."""
        for tier in self.tiers:
            if closing := getattr(tier.verifier, "aclose", None):
                await closing()


def settled_by_tier(outcomes: Iterable[Outcome]) -> dict[int, int]:
    """How many claims each tier settled; those of all but the last were calls saved."""
    tiers = (outcome.origin.tier for outcome in outcomes if isinstance(outcome, Verdict))
    return dict(sorted(Counter(tier for tier in tiers if tier is not None).items()))


def load(name: str, argument: str) -> Cascade:
    """`cascade:SPEC`, or `cascade:SURE,SURE:SPEC` with other thresholds for the embedded model, e.g. 0.01,0.72."""
    head, _, rest = argument.partition(":")
    low, high, spec = SURE_UNSUPPORTED, SURE_SUPPORTED, argument
    if "," in head:
        try:
            low, high = (float(threshold) for threshold in head.split(","))
        except ValueError:
            raise UsageError(f"cascade:{argument}: {head!r} is not two numbers, e.g. 0.01,0.72") from None
        spec = rest
    if not 0 <= low <= high <= 1:
        raise UsageError(f"cascade:{argument}: thresholds must be 0 to 1 and in order, found {low:g},{high:g}")
    if not spec:
        raise UsageError("cascade needs a last tier, e.g. cascade:openai:MODEL")
    return Cascade(
        [
            Tier(QuoteVerifier(), 0.9, 0.1),
            Tier(FactVerifier(), 0.9, 0.1),
            Tier(Corroborated(load_verifier("local"), LexicalVerifier(metric="tokens")), high, low),
            Tier(load_verifier(spec)),
        ]
    )


def _records(pair: Pair) -> bool:
    return any(context.text.lstrip()[:1] in ("{", "[") for context in pair.sample.contexts)


def _in_tier(outcome: Outcome, tier_index: int) -> Outcome:
    if isinstance(outcome, Failure):
        return outcome
    return outcome.model_copy(update={"origin": outcome.origin.model_copy(update={"tier": tier_index})})
