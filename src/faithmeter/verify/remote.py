"""A team's server as the verifier: `http://HOST:8000`, or `http://HOST:8000?verifier=NAME` for one of its others."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from faithmeter.client import Client, ServerProblem, sample_body
from faithmeter.datamodels import Failure, Outcome, Pair
from faithmeter.errors import EndpointDown, UsageError
from faithmeter.results import Result
from faithmeter.runtime.specs import read_spec


class RemoteVerifier:
    """Judges claims on a faithmeter server; judged the same as there, so with the signature of the verifier there."""

    concurrency = 16

    def __init__(self, client: Client) -> None:
        self.client = client

    @cached_property
    def _info(self) -> dict[str, Any]:
        """What the server says of the verifier; asked for once, when it is first needed."""
        info = self.client.info()
        for item in info.get("verifiers", ()):
            if item["name"] == self.client.verifier or (self.client.verifier is None and item["default"]):
                chosen: dict[str, Any] = item
                return chosen
        known = ", ".join(item["name"] for item in info.get("verifiers", ()))
        raise UsageError(f"{self.client.url}: verifier {self.client.verifier!r} is not enabled there; enabled: {known}")

    @property
    def signature(self) -> str:
        """The verifier's on the server."""
        signature: str = self._info["signature"]
        return signature

    @property
    def languages(self) -> Collection[str] | None:
        """Those of the verifier on the server."""
        languages: Collection[str] | None = self._info.get("languages")
        return languages

    def reads(self, pair: Pair) -> Sequence[str]:
        """Whatever a verifier may look at: the question, and the answer before the claim."""
        return (pair.sample.question or "", pair.sample.answer[: pair.claim.start])

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """Send each sample's claims; a server that cannot be reached stops the run, as any endpoint's does."""
        signature = await asyncio.to_thread(lambda: self.signature)
        groups: dict[int, list[int]] = {}
        for index, pair in enumerate(pairs):
            groups.setdefault(id(pair.sample), []).append(index)
        judged = await asyncio.gather(
            *(self._judge([pairs[at] for at in group], signature) for group in groups.values())
        )
        outcomes = {
            at: one
            for group, some in zip(groups.values(), judged, strict=True)
            for at, one in zip(group, some, strict=True)
        }
        return [outcomes[index] for index in range(len(pairs))]

    async def _judge(self, pairs: Sequence[Pair], signature: str) -> list[Outcome]:
        body = sample_body(pairs[0].sample, [pair.claim for pair in pairs])
        try:
            result = Result.model_validate(await self.client.post("/v1/check", body))
        except ServerProblem as problem:
            if problem.kind == "endpoint":
                raise EndpointDown(f"{self.client.url}: {problem}") from None
            return _failed(pairs, str(problem))
        except ValidationError as error:
            return _failed(pairs, f"the server's reply cannot be read: {error.error_count()} problems")
        if f"|verify:{signature}|" not in result.signature:
            return _failed(pairs, "the server's verifier changed while it was being asked")
        return list(result.outcomes)


def _failed(pairs: Sequence[Pair], message: str) -> list[Outcome]:
    return [Failure(claim=pair.claim, kind="error", message=message) for pair in pairs]


def load(name: str, argument: str) -> RemoteVerifier:
    """`http://HOST:PORT`, with `?verifier=NAME` for another than the server's default."""
    _, address, given, _ = read_spec(f"{name}:{argument}")
    options = dict(given)
    verifier = options.pop("verifier", None)
    if options:
        raise UsageError(f"unknown option {next(iter(options))!r} in '{name}:{argument}'; known: verifier")
    return RemoteVerifier(Client(f"{name}:{address}", verifier=verifier))
