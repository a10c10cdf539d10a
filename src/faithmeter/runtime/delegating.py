"""A verifier around a verifier, an extractor around an extractor: a cache, a profile, a second opinion."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

Inner = TypeVar("Inner")


class Delegating(Generic[Inner]):
    """What it does not define itself, e.g. `cpu_bound`, comes from the inner part."""

    def __init__(self, inner: Inner) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        if name == "inner":  # not there yet: while being unpickled
            raise AttributeError(name)
        return getattr(self.inner, name)

    @property
    def signature(self) -> str:
        """The inner part's, for a wrapper that changes no finding."""
        signature: str = self.__getattr__("signature")
        return signature

    @property
    def threads(self) -> int:
        """The inner part's, where it has any."""
        count: int = self.__getattr__("threads")
        return count

    @threads.setter
    def threads(self, count: int) -> None:
        setattr(self.inner, "threads", count)  # noqa: B010  # not every part has it
