"""Semantic hits: the verdict of another claim that says the same thing, on the very same contexts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from faithmeter.cache.codec import StoredVerdict, digest
from faithmeter.cache.embedding import Embed, Embedder, StaticEmbedder, load_embedder
from faithmeter.cache.store import Entry, Store, reading
from faithmeter.errors import UsageError
from faithmeter.text.english.claim_facts import differences

if TYPE_CHECKING:
    from faithmeter.cache.embedding import Vectors

DEFAULT_THRESHOLD = 0.85
_REMEMBERED = 20_000


class Match(NamedTuple):
    """A known claim that may answer for another, and how similar the two are."""

    record: StoredVerdict
    similarity: float


class Semantic:
    """Finds the best known claim above a similarity threshold that says the same.

    Similarity alone cannot tell "born on 14 March" from "born on 20 March": numbers, dates, units, names, negation,
    quantifiers, comparatives, modality, who did what to whom, and every other word must agree (`claim_facts`).
    """

    def __init__(self, *, threshold: float = DEFAULT_THRESHOLD, embedder: str | Embedder | Embed = "static") -> None:
        if not 0 < threshold <= 1:
            raise UsageError(f"semantic cache threshold {threshold}: expected more than 0 and at most 1")
        self.threshold = threshold
        self.embedder = load_embedder(embedder)
        self._vectors: dict[str, Vectors] = {}

    @property
    def signature(self) -> str:
        return f"semantic:{self.threshold:g},{self.embedder.signature}"

    async def matches(self, claims: Sequence[str], known: Sequence[StoredVerdict], store: Store) -> list[Match | None]:
        """The best match for each claim among what is known about its contexts.

        Where several known claims would do and their labels differ, none does.
        """
        if not claims or not known:
            return [None] * len(claims)
        import numpy as np  # at first use: only semantic hits need it

        try:
            vectors = await self._embed([*claims, *(record.claim for record in known)], store)
        except UsageError:
            raise
        except Exception as error:  # an embedder of the user's: when it fails, there is no hit
            note = f"{self.embedder.signature} failed, no semantic hits: {type(error).__name__}: {error}"
            if isinstance(kept := getattr(store, "notes", None), list) and note not in kept:
                kept.append(note)
            return [None] * len(claims)
        rows = np.stack([vectors[record.claim] for record in known])
        best_matches: list[Match | None] = []
        for claim in claims:
            similarities = rows @ vectors[claim]
            order = [int(index) for index in np.argsort(-similarities) if similarities[index] >= self.threshold]
            fit = [index for index in order if not differences(claim, known[index].claim)]
            agreed = len({known[index].verdict.get("label") for index in fit}) == 1
            best = Match(known[fit[0]], min(1.0, float(similarities[fit[0]]))) if agreed else None
            best_matches.append(best)
        return best_matches

    async def _embed(self, texts: Sequence[str], store: Store) -> dict[str, Vectors]:
        """The vectors of all texts: from memory, the store, or the embedder."""
        import numpy as np

        # Taken out at once: another thread may make room in the memory meanwhile.
        vectors = {text: self._vectors.get(text) for text in texts}
        missing = [text for text, vector in vectors.items() if vector is None]
        free = isinstance(self.embedder, StaticEmbedder)  # cheaper to make again than to look up
        keys = [digest("vector", [self.embedder.signature, text]) for text in missing]
        stored = [None] * len(missing) if free else await reading(store, store.get, keys)
        fresh: dict[str, Vectors] = {
            text: np.frombuffer(value, dtype=np.float32)
            for text, value in zip(missing, stored, strict=True)
            if value is not None
        }
        new = {text: key for key, text in zip(keys, missing, strict=True) if text not in fresh}
        if new:
            fresh.update(zip(new, await self.embedder.embed(list(new)), strict=True))
            if not free:
                entries = [Entry(key, fresh[text].tobytes(), "vector") for text, key in new.items()]
                await asyncio.to_thread(store.put, entries)
        self._vectors.update(fresh)
        for text in list(self._vectors)[: max(0, len(self._vectors) - _REMEMBERED)]:
            self._vectors.pop(text, None)
        return {text: fresh[text] if vector is None else vector for text, vector in vectors.items()}
