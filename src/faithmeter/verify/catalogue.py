"""What verifiers there are: what each is, needs and costs to use, its licence and its figures."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from faithmeter.datamodels import Model

# From the model card, which has all of them with their intervals.
LOCAL_FIGURES = "RAGTruth answers, worst claim: AUROC .85 (QA .90, Summary .71, records .83)"


class VerifierInfo(Model):
    """One verifier, as `faithmeter models` lists it."""

    spec: str
    """What to write after --verifier."""
    what: str
    """What it is."""
    needs: str
    """What must be there: an extra, weights, a key; `nothing` works as installed."""
    packages: tuple[str, ...] = ()
    """The modules that its extra brings; it can be used once they are there."""
    licence: str
    """The licence of its weights, or of the code where there are none."""
    figures: str
    """What is known of its accuracy, and from where."""
    card: str
    """The file in the package that has its card: what it is for, how it decides, where it fails."""

    @property
    def name(self) -> str:
        """What its spec begins with."""
        return re.split(r"[\[:]", self.spec)[0]

    @property
    def card_text(self) -> str:
        """The card, Markdown."""
        return (Path(__file__).parents[1] / self.card).read_text("utf-8")

    @property
    def ready(self) -> bool:
        """Whether the packages it needs are installed; weights and keys are not looked for."""
        return all(find_spec(package) for package in self.packages)


_JUDGE: dict[str, Any] = {
    "needs": "faithmeter[llm] and the provider's key",
    "packages": ("pydantic_ai",),
    "licence": "the provider's terms",
}
_CLASSIFIER: dict[str, Any] = {"packages": ("torch", "transformers")}


@cache
def catalogue() -> tuple[VerifierInfo, ...]:
    """Every verifier that a spec can name."""
    return (
        VerifierInfo(spec="local", needs="nothing", licence="Apache-2.0", figures=LOCAL_FIGURES,
                     what="the embedded model: a 30M-parameter entailment model, int8, on the CPU",
                     card="weights/MODEL_CARD.md"),
        VerifierInfo(spec="lexical[:METRIC[=THRESHOLD]]", needs="nothing", licence="Apache-2.0",
                     what="word overlap with the best window of one context; metrics rouge, tokens, bleu",
                     figures="see benchmarks/README.md; sees words, not meaning", card="verify/cards/lexical.md"),
        VerifierInfo(spec="PROVIDER:MODEL", **_JUDGE, what="an LLM judge: openai, anthropic, google, mistral, groq, "
                     "bedrock, azure, or any compatible endpoint",
                     figures="depends on the model: measure yours with `faithmeter agree`",
                     card="verify/cards/llm.md"),
        VerifierInfo(spec="cascade:PROVIDER:MODEL", **_JUDGE,
                     what="cheap tiers first, the LLM only for what they are not sure of",
                     figures="see benchmarks/README.md for the calls saved", card="verify/cards/cascade.md"),
        VerifierInfo(spec="hhem[:PATH]", **_CLASSIFIER, licence="Apache-2.0",
                     what="Vectara's HHEM-2.1-Open, 110M parameters, two-way",
                     needs="faithmeter[hf] and its weights (hub id vectara/hallucination_evaluation_model, or a "
                     "folder)",
                     figures="published: RAGTruth QA 74.3, Summary 64.4 balanced accuracy",
                     card="verify/cards/hhem.md"),
        VerifierInfo(spec="minicheck:PATH_OR_HUB_ID", **_CLASSIFIER, licence="MIT",
                     what="MiniCheck: Flan-T5-Large, RoBERTa or DeBERTa, two-way",
                     needs="faithmeter[hf] and its weights", figures="not measured here",
                     card="verify/cards/minicheck.md"),
        VerifierInfo(spec="nli:PATH_OR_HUB_ID", **_CLASSIFIER, licence="the model's own",
                     what="any two- or three-way NLI sequence classifier", needs="faithmeter[hf] and its weights",
                     figures="depends on the model", card="verify/cards/nli.md"),
        VerifierInfo(spec="http://HOST:PORT[?verifier=NAME]", packages=("httpx",),
                     what="a server of your team's, also https://: `faithmeter serve`, with its verifiers",
                     needs="faithmeter[client], and FAITHMETER_SERVER_KEY where the server wants a key",
                     licence="that of the server's verifier", figures="those of the server's verifier",
                     card="verify/cards/http.md"),
        VerifierInfo(spec="python:MODULE:FUNCTION", needs="your module on the Python path", licence="yours",
                     what="your own: whatever the function returns that has `signature` and `verify`",
                     figures="measure it with `faithmeter agree`", card="verify/cards/python.md"),
    )  # fmt: skip
