"""One connection to the one server that was named: no redirects, keys in headers only."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from faithmeter._version import __version__
from faithmeter.errors import MissingExtra, OutputError, UsageError

if TYPE_CHECKING:
    import httpx

_AGAIN = (408, 429, 500, 502, 503, 504)
_TRIES = 4
TIMEOUT = 60.0


def shown(url: str) -> str:
    """An address as messages name it: without a user's name and password."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}" if mark else url


class Connection:
    """Requests to a server; what goes wrong is one line that names it."""

    def __init__(self, url: str, *, headers: dict[str, str] | None = None, auth: tuple[str, str] | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"{shown(url)}: expected an address such as http://HOST:PORT")
        try:
            import httpx
        except ImportError:
            raise MissingExtra("sending scores", "traces") from None
        self.url = url.rstrip("/")
        agent = {"user-agent": f"faithmeter/{__version__}"}
        self._client = httpx.Client(
            headers={**agent, **(headers or {})}, auth=auth, timeout=TIMEOUT, follow_redirects=False
        )
        self._errors = (httpx.HTTPError, httpx.InvalidURL)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def ask(self, method: str, path: str, *, accept: tuple[int, ...] = (), **body: Any) -> httpx.Response:
        """Send a request, again if the server is busy; a status of 400 and more is an error unless accepted."""
        for attempt in range(_TRIES):
            try:
                response = self._client.request(method, self.url + path, **body)
            except self._errors as error:
                if attempt + 1 < _TRIES and not isinstance(error, self._errors[1]):
                    time.sleep(0.2 * 2**attempt)
                    continue
                raise OutputError(f"{shown(self.url)}: does not answer: {str(error) or type(error).__name__}") from None
            if response.status_code in _AGAIN and attempt + 1 < _TRIES:
                time.sleep(0.2 * 2**attempt)
                continue
            break
        if response.is_success or response.status_code in accept:
            return response
        where = f"{shown(self.url)}{path}"
        detail = " ".join(response.text.split())[:300]
        hint = "; is the key right?" if response.status_code in (401, 403) else ""
        raise OutputError(f"{where}: refused with {response.status_code}: {detail or 'no reason given'}{hint}")

    def json(self, method: str, path: str, **body: Any) -> Any:
        """The reply, as JSON."""
        response = self.ask(method, path, **body)
        try:
            return response.json()
        except ValueError:
            raise OutputError(f"{shown(self.url)}{path}: the reply is no JSON; is this the right address?") from None
