"""Semantic hits: only claims that say the same thing share a verdict, and the verdict says so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from faithmeter.cache.embedding import FunctionEmbedder, load_embedder, static
from faithmeter.cache.semantic import Semantic
from faithmeter.cache.sqlite import SQLiteStore
from faithmeter.cache.store import Store
from faithmeter.cache.wrapper import Cached
from faithmeter.datamodels import Verdict
from faithmeter.errors import UsageError
from faithmeter.text.english.claim_facts import differences

from .test_wrapper import Substring, pair, sample

BORN = "Einstein was born on 14 March 1879."


async def ask(cached: Cached, text: str, **of: object) -> Verdict:
    (outcome,) = await cached.verify([pair(text, sample(**of))])  # type: ignore[arg-type]
    assert isinstance(outcome, Verdict)
    return outcome


async def test_a_rewording_hits_and_says_where_from(store: Store) -> None:
    inner = Substring()
    cached = Cached(inner, store, semantic=Semantic())
    first = await ask(cached, BORN)
    hit = await ask(cached, "Einstein was born on March 14th, 1879")
    assert inner.asked == [BORN]
    assert hit.label is first.label
    assert (hit.origin.cache, hit.origin.matched) == ("semantic", BORN)
    assert hit.origin.similarity is not None
    assert 0.85 <= hit.origin.similarity <= 1
    assert hit.claim.text == "Einstein was born on March 14th, 1879"


@pytest.mark.parametrize(
    "other",
    [
        "Einstein was born on 20 March 1879.",
        "Einstein was not born on 14 March 1879.",
        "Bohr was born on 14 March 1879.",
        "Einstein may have been born on 14 March 1879.",
    ],
)
async def test_another_fact_misses_however_similar(store: Store, other: str) -> None:
    inner = Substring()
    cached = Cached(inner, store, semantic=Semantic(threshold=0.5))
    await ask(cached, BORN)
    assert (await ask(cached, other)).origin.cache is None
    assert inner.asked == [BORN, other]


async def test_off_by_default(store: Store) -> None:
    cached = Cached(Substring(), store)
    await ask(cached, BORN)
    assert (await ask(cached, "Einstein was born on March 14, 1879.")).origin.cache is None


async def test_only_the_very_same_contexts_signature_and_question(store: Store) -> None:
    await ask(Cached(Substring(), store), BORN)
    reworded = BORN.removesuffix(".")
    for cached, of in [
        (Cached(Substring(), store, semantic=Semantic()), {"contexts": ["Another."]}),
        (Cached(Substring(), store, semantic=Semantic()), {"question": "When?"}),
        (Cached(Substring(name="other"), store, semantic=Semantic()), {}),
    ]:
        assert (await ask(cached, reworded, **of)).origin.cache is None


async def test_a_hit_is_never_stored(store: Store) -> None:
    cached = Cached(Substring(), store, semantic=Semantic())
    await ask(cached, BORN)
    for _ in range(2):
        assert (await ask(cached, BORN.removesuffix("."))).origin.cache == "semantic"
    assert store.size().entries["verdict"] == 1
    assert len(store.logged()) == 2


async def test_the_best_match_is_taken(store: Store) -> None:
    cached = Cached(Substring(), store, semantic=Semantic())
    for known in ("The film began in 1999.", "The movie began in 1999."):
        await ask(Cached(Substring(), store), known)
    assert (await ask(cached, "the movie began in 1999")).origin.matched == "The movie began in 1999."


async def test_where_known_verdicts_disagree_none_is_taken(store: Store) -> None:
    inner = Substring()
    cached = Cached(inner, store, semantic=Semantic())
    context = ["The film began in 1999."]
    await ask(Cached(inner, store), "The film began in 1999.", contexts=context)
    await ask(Cached(inner, store), "The movie began in 1999.", contexts=context)
    assert (await ask(cached, "The film started in 1999", contexts=context)).origin.cache is None


async def test_the_signature_names_the_semantic_cache(store: Store) -> None:
    cached = Cached(Substring(), store, semantic=Semantic(threshold=0.9))
    assert cached.signature == "substring|semantic:0.9,static-minilm-96"


async def test_a_users_embedder_is_asked_once_for_a_text(tmp_path: Path) -> None:
    texts: list[str] = []

    async def embed(batch: Sequence[str]) -> list[list[float]]:
        texts.extend(batch)
        return [[1.0, float(len(text) % 2)] for text in batch]

    for _ in range(2):
        store = SQLiteStore(tmp_path / "cache.sqlite")
        cached = Cached(
            Substring(), store, semantic=Semantic(embedder=FunctionEmbedder(embed, name="mine"), threshold=0.1)
        )
        await ask(cached, BORN)
        assert (await ask(cached, BORN.removesuffix("."))).origin.cache == "semantic"
        store.close()
    assert len(texts) == len(set(texts)) == 2


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.5])
def test_a_threshold_that_makes_no_sense_is_refused(threshold: float) -> None:
    with pytest.raises(UsageError, match="threshold"):
        Semantic(threshold=threshold)


def test_the_embedded_table_knows_what_is_alike() -> None:
    near, far = "The movie grossed three million dollars.", "Penguins cannot fly."
    rows = static().vectors(["The film earned three million dollars.", near, far, ""])
    assert rows.shape == (4, 96)
    assert rows[0] @ rows[1] > 0.8 > 0.5 > rows[0] @ rows[2]
    assert np.linalg.norm(rows[0]) == pytest.approx(1, abs=1e-5)
    assert not rows[3].any()


async def test_embedders_by_name_or_as_functions() -> None:
    assert load_embedder("static") is static()
    from_function = load_embedder(lambda texts: [[2.0, 0.0]] * len(texts))
    assert (await from_function.embed(["a", "b"])).tolist() == [[1.0, 0.0]] * 2
    by_path = load_embedder("python:faithmeter.cache.embedding:load_embedder")
    assert by_path.signature == "python:faithmeter.cache.embedding:load_embedder"
    for wrong in ("nonsense", "python:no.such:thing"):
        with pytest.raises(UsageError):
            load_embedder(wrong)
    with pytest.raises(UsageError, match="one row each"):
        await load_embedder(lambda texts: [1.0]).embed(["a"])


def test_the_guard_is_the_reading_of_facts() -> None:
    assert not differences("It's 5 km.", "It is five kilometres")
    assert differences("It is 5 km.", "It is 6 km.")
