"""A faithmeter server as if it were here: `Client("http://HOST:8000").check(answer, contexts)`."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from faithmeter._version import __version__
from faithmeter.datamodels import Claim, Context, Failure, FailureKind, Sample
from faithmeter.errors import EndpointDown, MissingExtra, UsageError
from faithmeter.guard import GuardedAnswer
from faithmeter.llm.per_loop import PerLoop
from faithmeter.results import Result
from faithmeter.runtime import sync

if TYPE_CHECKING:
    import httpx

KEY = "FAITHMETER_SERVER_KEY"
_AGAIN = (408, 429, 500, 502, 503, 504)
_WRONG_CALL = (401, 403, 404, 405, 421, 422)
LONGEST_WAIT = 60.0

Contexts = Iterable[str | Context | dict[str, Any]] | str


class ServerProblem(Exception):
    """Why a request was not answered; internal, turned into a Failure or an error for the user."""

    def __init__(self, status: int | None, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.kind: FailureKind = "endpoint" if status is None or status in _AGAIN else "error"


class Client:
    """A server by its address. A problem with it is a Failure in the result; a wrong call or key is an error."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        verifier: str | None = None,
        timeout: float = 60.0,
        retries: int = 4,
    ) -> None:
        """`key`: else FAITHMETER_SERVER_KEY. `verifier`: one that the server has enabled; else its default."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"a server's address is http://HOST:PORT, found {url!r}")
        self.url = url.rstrip("/")
        self.verifier = verifier
        self._key = key or os.environ.get(KEY)
        self._timeout = timeout
        self._retries = retries

    def __repr__(self) -> str:
        return f"<Client {self.url}>"

    async def acheck(self, answer: str, contexts: Contexts, *, question: str | None = None) -> Result:
        """Check one answer against the contexts it was generated from."""
        sample = _sample(answer, contexts, question)
        return (await self.acheck_samples([sample]))[0]

    def check(self, answer: str, contexts: Contexts, *, question: str | None = None) -> Result:
        """Check one answer against the contexts it was generated from."""
        return sync.run(self.acheck(answer, contexts, question=question))

    async def acheck_samples(self, samples: Sequence[Sample]) -> list[Result]:
        """Check several answers in one request; the results are in their order."""
        try:
            reply = await self.post("/v1/check/batch", {"samples": [sample_body(sample) for sample in samples]})
            results = [Result.model_validate(item) for item in reply["results"]]
            if len(results) != len(samples):
                raise ServerProblem(200, f"the server gave {len(results)} results for {len(samples)} samples")
        except ServerProblem as problem:
            return [self._failed(sample, problem) for sample in samples]
        except (ValidationError, KeyError, TypeError) as error:
            unread = ServerProblem(200, f"the server's reply cannot be read: {type(error).__name__}")
            return [self._failed(sample, unread) for sample in samples]
        # The server made its own samples; whatever else the caller's hold, such as metadata, stays.
        pairs = zip(results, samples, strict=True)
        return [result.model_copy(update={"sample": sample}) for result, sample in pairs]

    def check_samples(self, samples: Sequence[Sample]) -> list[Result]:
        """Check several answers in one request; the results are in their order."""
        return sync.run(self.acheck_samples(samples))

    async def aguard(
        self, answer: str, contexts: Contexts, *, question: str | None = None, policy: dict[str, Any] | None = None
    ) -> GuardedAnswer:
        """Ask what to do with an answer; a server that does not answer is an `EndpointDown`: there is no decision."""
        body = sample_body(_sample(answer, contexts, question)) | ({"policy": policy} if policy else {})
        try:
            return GuardedAnswer.model_validate(await self.post("/v1/guard", body))
        except ServerProblem as problem:
            raise EndpointDown(f"{self.url}: {problem}") from None

    def guard(
        self, answer: str, contexts: Contexts, *, question: str | None = None, policy: dict[str, Any] | None = None
    ) -> GuardedAnswer:
        """Ask what to do with an answer; a server that does not answer is an `EndpointDown`: there is no decision."""
        return sync.run(self.aguard(answer, contexts, question=question, policy=policy))

    async def ainfo(self) -> dict[str, Any]:
        """What the server can do: its version, verifiers and policy."""
        try:
            return await self._send("GET", "/v1/verifiers", None)
        except ServerProblem as problem:
            raise EndpointDown(f"{self.url}: {problem}") from None

    def info(self) -> dict[str, Any]:
        """What the server can do: its version, verifiers and policy."""
        return sync.run(self.ainfo())

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a request of the server's interface; raises `ServerProblem` once the retries are spent."""
        chosen = {"verifier": self.verifier} if self.verifier else {}
        return await self._send("POST", path, {**body, **chosen})

    async def _send(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        for attempt in range(self._retries + 1):
            try:
                return await self._once(method, path, content)
            except ServerProblem as problem:
                if attempt == self._retries or problem.kind != "endpoint":
                    raise
                await asyncio.sleep(getattr(problem, "wait", None) or min(8.0, 0.2 * 2**attempt) * _jitter())
        raise AssertionError  # the last attempt gives back or raises

    async def _once(self, method: str, path: str, content: bytes | None) -> dict[str, Any]:
        client = await _connections.get()
        import httpx

        headers = {"content-type": "application/json", "user-agent": f"faithmeter/{__version__}"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        try:
            response = await client.request(
                method, self.url + path, content=content, headers=headers, timeout=self._timeout
            )
        except httpx.HTTPError as error:
            raise ServerProblem(None, f"no answer: {type(error).__name__}") from None
        if response.status_code == 200:
            try:
                reply = response.json()
            except ValueError:
                reply = None
            if isinstance(reply, dict):
                return reply
            raise ServerProblem(200, "the reply is no JSON object: is this a faithmeter server?")
        raise self._problem(response)

    def _problem(self, response: httpx.Response) -> Exception:
        try:
            detail = str(response.json()["detail"])
        except (ValueError, KeyError, TypeError):
            detail = "is this a faithmeter server?"
        if response.status_code in _WRONG_CALL:
            return UsageError(f"{self.url}: {response.status_code}: {detail}")
        problem = ServerProblem(response.status_code, f"{response.status_code}: {detail}")
        after = response.headers.get("retry-after", "")
        if after.isdecimal():
            problem.wait = min(LONGEST_WAIT, float(after)) * _jitter()  # type: ignore[attr-defined]
        return problem

    def _failed(self, sample: Sample, problem: ServerProblem) -> Result:
        failure = Failure(kind=problem.kind, message=f"{self.url}: {problem}")
        return Result(sample=sample, outcomes=(failure,), signature=f"server:{self.url}")


def _connect() -> httpx.AsyncClient:
    try:
        import httpx
    except ImportError:
        raise MissingExtra("a faithmeter server", "client") from None
    return httpx.AsyncClient(follow_redirects=False)


# One pool for all clients: a connection that its client forgets is kept for the next.
_connections: PerLoop[httpx.AsyncClient] = PerLoop(_connect, lambda client: client.aclose())


def _jitter() -> float:
    return random.uniform(0.8, 1.2)


def _sample(answer: str, contexts: Contexts, question: str | None) -> Sample:
    given = contexts if isinstance(contexts, str) else tuple(contexts)
    return Sample.model_validate({"answer": answer, "contexts": given, "question": question})


def sample_body(sample: Sample, claims: Sequence[Claim] | None = None) -> dict[str, Any]:
    body: dict[str, Any] = {
        "id": sample.id[:200],
        "answer": sample.answer,
        "contexts": [item.text if item.id is None else {"id": item.id, "text": item.text} for item in sample.contexts],
    }
    if sample.question is not None:
        body["question"] = sample.question
    if claims is not None:
        body["claims"] = [claim.model_dump(mode="json") for claim in claims]
    return body
