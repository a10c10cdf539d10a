"""Sentence vectors for the semantic cache: the embedded static table, or any embedder the user names."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
from collections.abc import Awaitable, Callable, Sequence
from functools import cached_property, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from faithmeter.errors import MissingExtra, UsageError
from faithmeter.runtime.specs import imported

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Vectors = NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """Turns sentences into vectors whose cosine says how alike they are."""

    @property
    def signature(self) -> str:
        """Names the embedder and its version: vectors of different signatures are never compared."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length row per text."""
        ...


class StaticEmbedder:
    """The embedded table: a sentence is the sum of its word pieces' rows; no network is run."""

    @property
    def signature(self) -> str:
        return "static-minilm-96"

    @cached_property
    def _table(self) -> Vectors:
        import numpy as np  # at first use: a run without semantic hits never pays for it

        with (resources.files("faithmeter") / "weights/static/table.npz").open("rb") as file:
            arrays = np.load(file)
            table: Vectors = arrays["table"].astype(np.float32) * arrays["scale"][:, None]
        return table

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

        names = (resources.files("faithmeter") / "weights/static/vocab.txt").read_text(encoding="utf-8")
        vocabulary = {piece: i for i, piece in enumerate(names.splitlines())}
        tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        return tokenizer

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """The rows, without awaiting: a few microseconds a sentence."""
        import numpy as np

        rows = np.zeros((len(texts), self._table.shape[1]), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            ids = self._tokenizer.encode(text, add_special_tokens=False).ids
            if ids:
                row[:] = self._table[ids].sum(0)
        return unit(rows)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return self.vectors(texts)


Embed = Callable[[Sequence[str]], Any]


class FunctionEmbedder:
    """Any function from a list of texts to a matrix, sync or async; sync ones run in a thread."""

    def __init__(self, function: Embed, *, name: str | None = None) -> None:
        self._function = function
        self._name = name or _function_name(function)

    @property
    def signature(self) -> str:
        return self._name

    async def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        if inspect.iscoroutinefunction(self._function):
            returned = await self._function(list(texts))
        else:
            returned = await asyncio.to_thread(self._function, list(texts))
            if isinstance(returned, Awaitable):
                returned = await returned
        rows = np.asarray(returned, dtype=np.float32)
        if rows.ndim != 2 or len(rows) != len(texts):
            raise UsageError(f"{self._name}: gave shape {rows.shape} for {len(texts)} texts; expected one row each")
        return unit(rows)


def unit(rows: Vectors) -> Vectors:
    """Scale each row to length one; a zero row stays zero, and so is like nothing."""
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths == 0, 1, lengths)).astype(np.float32)


@lru_cache(maxsize=1)
def static() -> StaticEmbedder:
    """The one embedded table of this process."""
    return StaticEmbedder()


def load_embedder(spec: str | Embedder | Embed) -> Embedder:
    """Build an embedder from a function, or a spec.

    `static` (the embedded table), `sentence-transformers:MODEL` (a name or folder; extra `[hf]`),
    `openai:MODEL` (extra `[llm]`), or `python:MODULE:FUNCTION` (a function of yours from texts to rows).
    """
    if isinstance(spec, str):
        name, _, argument = spec.partition(":")
        if name == "static":
            return static()
        if name in _LOADERS:
            return _LOADERS[name](argument)
        raise UsageError(f"unknown embedder {spec!r}; known: static, {', '.join(f'{name}:…' for name in _LOADERS)}")
    if isinstance(spec, Embedder):
        return spec
    if callable(spec):
        return FunctionEmbedder(spec)
    raise UsageError(f"{spec!r} is no embedder: give a spec, a function of a list of texts, or an Embedder")


def _sentence_transformers(model: str) -> Embedder:
    try:
        from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise MissingExtra(f"the embedder sentence-transformers:{model}", "hf") from error
    encoder = SentenceTransformer(model)
    return FunctionEmbedder(encoder.encode, name=f"sentence-transformers:{model}")


def _openai(model: str) -> Embedder:
    try:
        from openai import AsyncOpenAI
    except ImportError as error:
        raise MissingExtra(f"the embedder openai:{model}", "llm") from error

    async def embed(texts: Sequence[str]) -> list[list[float]]:
        # A client per call: its connections belong to one event loop, and calls may come from several.
        async with AsyncOpenAI() as client:
            response = await client.embeddings.create(model=model, input=list(texts))
        return [row.embedding for row in response.data]

    return FunctionEmbedder(embed, name=f"openai:{model}")


_LOADERS: dict[str, Callable[[str], Embedder]] = {
    "sentence-transformers": _sentence_transformers,
    "openai": _openai,
    "python": lambda path: FunctionEmbedder(imported(path, "embedder"), name=f"python:{path}"),
}


def _function_name(function: Embed) -> str:
    """A name that changes with the code where there is code, so that other functions' vectors do not match."""
    name = f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', type(function).__name__)}"
    code = getattr(function, "__code__", None)
    return name if code is None else f"{name}-{hashlib.sha256(code.co_code).hexdigest()[:8]}"
