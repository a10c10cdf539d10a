"""The page of `faithmeter label`: served to this machine only, behind a token that only the printed address holds."""

from __future__ import annotations

import hmac
import json
import secrets
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from faithmeter.errors import FaithmeterError
from faithmeter.report.html.page import page
from faithmeter.trust.label_session import WORDS, Session

LARGEST = 64 * 1024  # of a request: a label and a note
STYLES = ("base.css", "report.css", "label.css")
SCRIPTS = ("core.js", "label.js")


class LabelServer:
    """Serves a session until it is closed."""

    def __init__(self, session: Session, *, port: int = 0) -> None:
        self.token = secrets.token_urlsafe(24)
        self.finished = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(session, self.token, self.finished.set))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="faithmeter-label", daemon=True)

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://127.0.0.1:{self._server.server_port}/{self.token}/"

    def __enter__(self) -> LabelServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(session: Session, token: str, finish: Callable[[], None]) -> type[BaseHTTPRequestHandler]:
    title = "Labelling claims"
    document = "".join(page("label.html", title=title, styles=STYLES, scripts=SCRIPTS, parts={})).encode()

    class Handler(BaseHTTPRequestHandler):
        server_version = "faithmeter"
        sys_version = ""

        def do_GET(self) -> None:
            path = self._allowed()
            if path == "":
                self._send(document, "text/html; charset=utf-8")
            elif path == "state":
                self._json(session.state())
            elif path is not None and path.startswith("state/") and path[6:].isdecimal():
                self._json(session.state(int(path[6:])))
            elif path is not None:
                self._fail(HTTPStatus.NOT_FOUND)

        def do_POST(self) -> None:
            path = self._allowed()
            if path is None:
                return
            body = self._body()
            if body is None:
                self._fail(HTTPStatus.BAD_REQUEST)
            elif path == "label":
                self._label(body)
            elif path == "finish":
                self._json(session.state())
                finish()
            else:
                self._fail(HTTPStatus.NOT_FOUND)

        def _label(self, body: dict[str, Any]) -> None:
            index, word, note = body.get("place"), body.get("label"), body.get("note", "")
            known = isinstance(index, int) and 0 <= index < len(session.items) and isinstance(note, str)
            if not known or word not in WORDS:
                self._fail(HTTPStatus.BAD_REQUEST)
                return
            try:
                session.label(index, word, note=note)  # type: ignore[arg-type]
            except FaithmeterError as error:
                self._json({"error": str(error)}, HTTPStatus.INTERNAL_SERVER_ERROR)
                return
            self._json(session.state())

        def _allowed(self) -> str | None:
            """The path behind the token; None, and the request is answered, for anyone without it.

            The host must be ours too: a page elsewhere whose name resolves to this machine is not.
            """
            assert isinstance(self.server, ThreadingHTTPServer)
            port = self.server.server_port
            host = self.headers.get("Host", "")
            origin = self.headers.get("Origin")
            ours = {f"127.0.0.1:{port}", f"localhost:{port}"}
            given, _, rest = self.path.split("?")[0].removeprefix("/").partition("/")
            known = hmac.compare_digest(given.encode(), token.encode())
            if known and host in ours and (origin is None or origin.removeprefix("http://") in ours):
                return rest
            self._fail(HTTPStatus.FORBIDDEN)
            return None

        def _body(self) -> dict[str, Any] | None:
            length = self.headers.get("Content-Length", "")
            if self.headers.get_content_type() != "application/json" or not length.isdecimal() or int(length) > LARGEST:
                return None
            try:
                body = json.loads(self.rfile.read(int(length)))
            except ValueError:
                return None
            return body if isinstance(body, dict) else None

        def _json(self, value: dict[str, Any], status: HTTPStatus = HTTPStatus.OK) -> None:
            self._send(json.dumps(value).encode(), "application/json", status)

        def _fail(self, status: HTTPStatus) -> None:
            self._send(status.phrase.encode(), "text/plain", status)

        def _send(self, body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("Referrer-Policy", "no-referrer")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("X-Frame-Options", "DENY")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet: the address holds the token."""

    return Handler
