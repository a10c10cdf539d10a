"""Keys, rates, hosts, slow clients, full queues, broken verifiers, the end: what must hold when things go wrong."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr
from support.serving import HELD, SEINE, closed_gate, serving, until

from faithmeter.errors import UsageError
from faithmeter.guard import Policy
from faithmeter.serve.keys import KeyRing, RateLimits
from faithmeter.serve.settings import Limits, Settings, is_loopback

FIRST, SECOND = "first-key-0123456789", "second-key-0123456789"


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def test_keys_are_wanted_and_rotate_without_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faithmeter.serve.keys.LOOK_AGAIN", 0.0)
    file = tmp_path / "keys"
    file.write_text(f"# callers\nteam-a {FIRST}\n")
    with serving(keys_file=file) as server:
        refused = server.post("/v1/check", SEINE)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"].startswith("Bearer")
        assert server.post("/v1/check", SEINE, headers=bearer(SECOND)).status_code == 401
        assert server.post("/v1/check", SEINE, headers=bearer(FIRST)).status_code == 200
        for name in ("x-faithmeter-key", "x-api-key"):
            assert server.post("/v1/check", SEINE, headers={name: FIRST}).status_code == 200
        assert server.http.get("/metrics").status_code == 401
        assert server.http.get("/health").status_code == 200

        file.write_text(f"team-a {FIRST}\nteam-b {SECOND}\n")  # both, while callers change over
        assert server.post("/v1/check", SEINE, headers=bearer(SECOND)).status_code == 200
        assert server.post("/v1/check", SEINE, headers=bearer(FIRST)).status_code == 200
        file.write_text(f"team-b {SECOND}\n")
        assert server.post("/v1/check", SEINE, headers=bearer(FIRST)).status_code == 401
        file.write_text("half wri")  # a file that cannot be read leaves the keys as they were
        assert server.post("/v1/check", SEINE, headers=bearer(SECOND)).status_code == 200


def test_a_key_may_be_given_as_its_hash(tmp_path: Path) -> None:
    import hashlib

    file = tmp_path / "keys"
    file.write_text(f"team-a sha256:{hashlib.sha256(FIRST.encode()).hexdigest()} 7.5\n")
    ring = KeyRing(Settings(keys_file=file))
    key = ring.find(FIRST)
    assert key is not None
    assert (key.name, key.rate) == ("team-a", 7.5)
    assert ring.find(SECOND) is None


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("alone", "NAME KEY"),
        ("team short", "at least 16"),
        ("team sha256:zz", "64 hexadecimal digits"),
        (f"team {FIRST} fast", "requests a second"),
        (f"team {FIRST} nan", "requests a second"),
        ("", "holds no key"),
    ],
)
def test_a_bad_keys_file_says_where(tmp_path: Path, line: str, says: str) -> None:
    file = tmp_path / "keys"
    file.write_text(line + "\n")
    with pytest.raises(UsageError, match=says) as caught:
        KeyRing(Settings(keys_file=file))
    assert FIRST not in str(caught.value)


def test_each_key_has_its_own_rate() -> None:
    now = 0.0
    limits = RateLimits(2.0, clock=lambda: now)
    assert [limits.wait("a") for _ in range(4)] == [0.0] * 4  # two seconds' worth at once
    assert limits.wait("a") == pytest.approx(0.5)
    assert limits.wait("b") == 0.0
    assert limits.wait("c", 1.0) == limits.wait("c", 1.0) == 0.0
    assert limits.wait("c", 1.0) == pytest.approx(1.0)
    now = 0.6
    assert limits.wait("a") == 0.0
    assert limits.wait("a") > 0.0


def test_a_caller_over_its_rate_is_told_when_to_come_back() -> None:
    with serving(keys=(SecretStr(FIRST),), rate=1 / 3600) as server:
        statuses = [server.post("/v1/check", SEINE, headers=bearer(FIRST)) for _ in range(3)]
        assert [response.status_code for response in statuses] == [200, 429, 429]
        assert 1 <= int(statuses[-1].headers["retry-after"]) <= 3600


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.org"])
def test_it_listens_elsewhere_only_with_a_key(host: str) -> None:
    with pytest.raises(UsageError, match="refusing to listen"):
        Settings(host=host).checked()
    Settings(host=host, keys=(SecretStr(FIRST),)).checked()


def test_loopback_names() -> None:
    assert all(is_loopback(host) for host in ("127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost"))
    assert not any(is_loopback(host) for host in ("", "localhost.example.org", "0.0.0.0", "127.0.0.1.example.org"))


def test_without_keys_a_page_elsewhere_cannot_use_it() -> None:
    with serving() as server:
        assert server.post("/v1/check", SEINE, headers={"host": "evil.example"}).status_code == 421
        assert server.post("/v1/check", SEINE, headers={"origin": "https://evil.example"}).status_code == 403
        own = {"origin": server.url}
        assert server.post("/v1/check", SEINE, headers=own).status_code == 200


def test_request_ids() -> None:
    with serving() as server:
        assert server.http.get("/health", headers={"x-request-id": "abc-1"}).headers["x-request-id"] == "abc-1"
        made = server.http.get("/health", headers={"x-request-id": "a b\t<script>"}).headers["x-request-id"]
        assert len(made) == 16


@pytest.mark.parametrize("log_texts", [False, True])
def test_the_log_has_numbers_and_no_texts(caplog: pytest.LogCaptureFixture, log_texts: bool) -> None:
    with caplog.at_level(logging.INFO, "faithmeter.serve"), serving(log_texts=log_texts) as server:
        server.post("/v1/check", SEINE, headers={"x-request-id": "seen"})
        server.post("/v1/check", SEINE | {"wrong": "Seine"})
        server.http.post("/v1/check?secret=Seine", json=SEINE | {"answer": 5})
    said = [record.__dict__ for record in caplog.records if record.name == "faithmeter.serve"]
    assert [line["status"] for line in said] == [200, 422, 422]
    assert (said[0]["id"], said[0]["route"], said[0]["claims"]) == ("seen", "/v1/check", 1)
    assert ("Seine" in str(said)) == log_texts


def test_a_full_queue_refuses_at_once_and_recovers() -> None:
    with closed_gate() as gate, serving(verifiers=("python:support.serving:gate",), queue=2) as server:
        with ThreadPoolExecutor(2) as pool:
            held = [pool.submit(post, server.url, HELD) for _ in range(2)]
            until(lambda: server.app.state.service.admission.waiting == 2)
            for _ in range(3):  # while nothing is being judged at all
                refused = server.post("/v1/check", HELD)
                assert refused.status_code == 503
                assert 1 <= int(refused.headers["retry-after"]) <= 60
            gate.set()
            assert [asked.result().status_code for asked in held] == [200, 200]
        assert server.post("/v1/check", HELD).status_code == 200


@pytest.mark.parametrize("spec", ["python:support.serving:gate", "python:support.serving:far_gate"])
def test_claims_over_the_time_limit_are_failures_not_verdicts(spec: str) -> None:
    body = HELD | {"answer": "Paris is held. Rome is held. Bern is held. Oslo is held."}
    with closed_gate(), serving(verifiers=(spec,), limits=Limits(seconds=0.5)) as server:
        result = server.post("/v1/check", body).json()  # while the door is closed
        assert [outcome.get("kind") for outcome in result["outcomes"]] == ["timeout"] * 4
        assert (result["status"], result["score"]) == ("failed", None)


@pytest.mark.parametrize("spec", ["python:support.serving:dead", "python:support.serving:broken"])
@pytest.mark.parametrize(("on_failure", "action"), [("closed", "block"), ("open", "allow")])
def test_a_verifier_that_fails_is_never_a_clean_verdict(spec: str, on_failure: str, action: str) -> None:
    with serving(verifiers=(spec,), policy=Policy(on_failure=on_failure)) as server:  # type: ignore[arg-type]
        result = server.post("/v1/check", SEINE).json()
        assert (result["status"], result["score"]) == ("failed", None)
        decision = server.post("/v1/guard", SEINE).json()
        assert (decision["action"], decision["not_judged"], decision["score"]) == (action, 1, None)
        assert decision["policy"]["on_failure"] == on_failure


def post(url: str, body: object) -> httpx.Response:
    return httpx.post(f"{url}/v1/check", json=body, timeout=120, trust_env=False)


def read_all(sock: socket.socket) -> bytes:
    found = b""
    while piece := sock.recv(65536):
        found += piece
    return found


def test_slow_clients_are_let_go() -> None:
    """Those that say nothing, begin a head, or begin a body, and then wait to be answered."""
    head = b"POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    with serving(limits=Limits(body_seconds=1)) as server:

        def answer(sent: bytes) -> bytes:
            with socket.create_connection(("127.0.0.1", server.port), 120) as sock:
                sock.sendall(sent)
                said = read_all(sock)
            assert said.startswith(b"HTTP/1.1 408")
            return said

        for sent in (b"", head[:1], head):
            answer(sent)
        begun = head + b"content-length: 1000\r\n\r\n{"
        until(lambda: b"urn:faithmeter:problem:too-slow" in answer(begun))  # unless even its head came too slowly
        until(lambda: server.post("/v1/check", SEINE).status_code == 200)


def test_a_huge_head_is_refused() -> None:
    with serving() as server, socket.create_connection(("127.0.0.1", server.port), 120) as sock:
        with suppress(ConnectionError):  # it may be refused before all of it is sent
            sock.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\nx: " + b"a" * 300_000 + b"\r\n\r\n")
        assert sock.recv(100).startswith(b"HTTP/1.1 400")


def test_errors_show_no_path_key_or_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(keys=(SecretStr(FIRST),)) as server:

        def broken(sample: object) -> None:
            raise RuntimeError(f"/secret/path {FIRST}")

        monkeypatch.setattr(server.app.state.service, "within_limits", broken)
        response = server.post("/v1/check", SEINE, headers=bearer(FIRST))
        assert response.status_code == 500
        assert "secret" not in response.text
        assert "Traceback" not in response.text
        assert FIRST not in response.text


Command = tuple["subprocess.Popen[str]", str, Path]


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    """`faithmeter serve` in a process of its own, its address, and the file that lets held claims through."""
    gate = tmp_path / "opened"
    paths = os.pathsep.join([*sys.path, str(Path(__file__).parents[1])])
    environment = os.environ | {"PYTHONPATH": paths, "FAITHMETER_TEST_GATE": str(gate)}
    arguments = ["serve", "--port", "0", "-v", "python:support.serving:gate", "--time-limit", "300", "--drain", "300"]
    process = subprocess.Popen(
        [sys.executable, "-m", "faithmeter", *arguments], stderr=subprocess.PIPE, text=True, env=environment
    )
    assert process.stderr is not None
    first = process.stderr.readline()
    assert "fail closed" in first
    url = first.split()[1]
    until(lambda: is_up(url))
    yield process, url, gate
    process.kill()
    process.wait()
    process.stderr.close()


def is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", trust_env=False, timeout=60).status_code == 200
    except httpx.TransportError:
        return False


def waiting(url: str) -> float:
    """How many claims are being judged."""
    metrics = httpx.get(f"{url}/metrics", trust_env=False, timeout=60).text
    return float(re.findall(r"^faithmeter_waiting_claims (\S+)$", metrics, re.MULTILINE)[0])


def test_sigterm_finishes_what_is_under_way(command: Command) -> None:
    process, url, gate = command
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(post, url, HELD | {"answer": "Paris is held. Rome is held. Bern is held."})
        until(lambda: waiting(url) == 3)
        process.send_signal(signal.SIGTERM)
        until(lambda: not is_up(url))  # it listens no more, and the request is still there
        assert process.poll() is None
        gate.touch()
        response = asked.result(120)
    assert response.status_code == 200
    assert len(response.json()["outcomes"]) == 3
    assert process.wait(120) == 0
    assert process.stderr is not None
    lines = [json.loads(line) for line in process.stderr.read().splitlines()]
    assert lines[-1]["status"] == 200


def test_kill_and_restart_on_the_same_port(command: Command) -> None:
    process, url, _ = command
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(post, url, HELD)
        until(lambda: waiting(url) == 1)
        process.kill()
        with pytest.raises(httpx.TransportError):
            asked.result(120)
    process.wait(120)  # its connections go before its port does
    port = int(url.rpartition(":")[2])
    with socket.socket() as sock:  # the port is free at once
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", port))


def test_a_taken_port_and_an_open_door_are_one_line() -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        port = str(sock.getsockname()[1])
        for arguments, says in (
            (["--port", port, "-v", "lexical"], "cannot listen on 127.0.0.1"),
            (["--host", "0.0.0.0"], "refusing to listen on 0.0.0.0 without a key"),
            (["-v", "nonsense"], "unknown verifier"),
        ):
            done = subprocess.run(
                [sys.executable, "-m", "faithmeter", "serve", *arguments], capture_output=True, text=True, timeout=600
            )
            assert done.returncode == 2
            assert says in done.stderr
            assert len(done.stderr.splitlines()) == 1
