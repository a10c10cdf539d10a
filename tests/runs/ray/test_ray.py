"""A real Ray cluster of two nodes on this machine: the same results as a local run, also when a node dies."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from support.killing import judgement, lines_of, make_rows, write_rows
from support.llm_server import Behaviour, LLMServer

from faithmeter import evaluate
from faithmeter.data.selection import Selection
from faithmeter.errors import OutputError, StopRun, UsageError
from faithmeter.runs.ray.engine import RayReport, RayRun, run_on_ray
from faithmeter.runs.ray.parts import ReadOptions, read_results
from faithmeter.runs.worker import Specs
from faithmeter.scoring import Scoring

# Read when Ray is imported: no statistics, loopback only.
os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0")
pytest.importorskip("ray")
# Ray's own: modules that use what is deprecated, sockets and pipes that it leaves to the garbage collector
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

TOKEN = "0123456789abcdef" * 4
# When a node is taken for dead: soon, but not so soon that a busy machine's nodes are.
HEALTH = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 1000, "health_check_failure_threshold": 8}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 2, "include_dashboard": False, "node_ip_address": "127.0.0.1", "object_store_memory": 10**8}
    head = {**node, "_system_config": HEALTH}
    with pytest.MonkeyPatch.context() as patch:  # the nodes inherit the environment
        patch.setenv("OPENAI_API_KEY", "no-key")
        patch.setenv("FAITHMETER_CACHE", "off")
        cluster = Cluster(initialize_head=True, head_node_args=head)
        cluster.add_node(**node)
        cluster.wait_for_nodes(timeout=600)
        yield cluster
        cluster.shutdown()


def ray_run(
    cluster: Any, data: Path, folder: Path, *, verifier: str = "lexical", size: int = 20, **more: Any
) -> RayRun:
    specs = Specs(verifier, "sentences", Scoring())
    return RayRun(
        engine=cluster.address,
        data=[str(data)],
        folder=folder,
        specs=specs,
        signature=specs.build().signature,
        reading=ReadOptions({}, None, size),
        **more,
    )


def local(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    report = evaluate(rows, verifier="lexical", workers=1)
    return [judgement(json.loads(result.model_dump_json())) for result in report]


def from_disk(folder: Path) -> list[dict[str, Any]]:
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    results = [result for part in manifest["parts"] for result in read_results(folder / part["file"])]
    assert manifest["rows"] == len(results)
    return [judgement(json.loads(result.model_dump_json())) for result in results]


def test_equal_to_a_local_run_and_resumed_by_parts(cluster: Any, tmp_path: Path) -> None:
    rows = make_rows(90)
    data, folder = write_rows(tmp_path / "in.jsonl", rows), tmp_path / "out"
    report = run_on_ray(ray_run(cluster, data, folder, kind="parquet"))
    assert (report.tally.count, report.parts, report.reused, report.bad) == (90, 5, 0, [])
    assert from_disk(folder) == local(rows)
    rows[25]["answer"] = "It has changed."
    write_rows(data, rows)
    again = run_on_ray(ray_run(cluster, data, folder, kind="parquet"))
    assert (again.parts, again.reused) == (5, 4)
    assert from_disk(folder) == local(rows)
    assert len(list(folder.glob("part-*"))) == 5
    assert len(list((folder / "unused").iterdir())) == 1


def test_what_kills_a_worker_is_a_failure_and_what_stops_a_run_keeps_the_rest(cluster: Any, tmp_path: Path) -> None:
    busy = "python:support.verifiers:busy"
    rows = [{"id": f"r{number}", "answer": "It is so.", "contexts": ["c"]} for number in range(60)]
    rows[33]["answer"] = "You die always here."
    data, folder = write_rows(tmp_path / "in.jsonl", rows), tmp_path / "out"
    report = run_on_ray(ray_run(cluster, data, folder, verifier=busy))
    failed = [result for result in report.results() if result.failures]
    assert [result.sample.id for result in failed] == ["r33"]
    assert "died twice" in failed[0].failures[0].message
    assert report.tally.count == 60
    rows[33]["answer"] = "It is down."
    write_rows(data, rows)
    with pytest.raises(StopRun, match="the endpoint is down"):
        run_on_ray(ray_run(cluster, data, folder, verifier=busy))
    rows[33]["answer"] = "It is up again."
    write_rows(data, rows)
    again = run_on_ray(ray_run(cluster, data, folder, verifier=busy))
    assert (again.tally.count, again.reused) == (60, 2)


def test_a_rate_limit_is_the_clusters(cluster: Any, tmp_path: Path) -> None:
    rows = make_rows(40)
    data = write_rows(tmp_path / "in.jsonl", rows)
    with LLMServer(behaviour=Behaviour(latency=0.1, gather=3)) as server:
        verifier = f"openai:stub?concurrency=4@{server.url}"
        report = run_on_ray(ray_run(cluster, data, tmp_path / "out", verifier=verifier, size=10, workers=2))
        assert server.counts == {"ok": 40}
        assert 3 <= server.most_active <= 4
    assert report.tally.count == 40
    assert {result.signature for result in report.results()} == {
        Specs(verifier, "sentences", Scoring()).build().signature
    }


def test_starting_over_and_trying_again(cluster: Any, tmp_path: Path) -> None:
    """`--retry-failed` judges only the answers that had failed; `--fresh` judges all."""
    busy = "python:support.verifiers:busy"
    rows = [{"id": f"r{number}", "answer": "It is so.", "contexts": ["c"]} for number in range(60)]
    rows[33]["answer"] = f"You die until {tmp_path}/healed exists."
    data, folder = write_rows(tmp_path / "in.jsonl", rows), tmp_path / "out"

    def run(**how: bool) -> tuple[int, dict[str, dict[str, Any]]]:
        report = run_on_ray(ray_run(cluster, data, folder, verifier=busy, **how))
        return report.reused, {result.sample.id: json.loads(result.model_dump_json()) for result in report.results()}

    reused, first = run()
    assert (reused, first["r33"]["status"]) == (0, "failed")
    (tmp_path / "healed").touch()
    reused, same = run()
    assert (reused, same) == (3, first)
    reused, healed = run(retry_failed=True)
    assert (reused, healed["r33"]["status"]) == (2, "ok")
    assert list(healed) == list(first)
    assert {name for name in first if first[name] != healed[name]} == {"r33"}  # not even judged again
    reused, fresh = run(fresh=True)
    assert (reused, len(fresh)) == (0, 60)
    same_time = [name for name in first if healed[name] == fresh[name]]  # the time each took tells, but for chance
    assert len(same_time) < 30


def test_a_retry_that_was_cut_short_goes_on(cluster: Any, tmp_path: Path) -> None:
    """What a part had before it was taken up again is kept by a run that knows nothing of it, too."""
    rows = make_rows(60)
    data, folder = write_rows(tmp_path / "in.jsonl", rows), tmp_path / "out"
    first = list(run_on_ray(ray_run(cluster, data, folder)).results())
    (part,) = folder.glob("part-000001-*")
    part.rename(folder / f".again-{part.stem.rpartition('-')[2]}.jsonl")
    run_on_ray(ray_run(cluster, data, folder, selection=Selection(limit=20)))
    assert len(list(folder.glob(".again-*"))) == 1
    report = run_on_ray(ray_run(cluster, data, folder))
    assert (report.reused, list(report.results())) == (2, first)
    assert not list(folder.glob(".again-*"))


def test_bad_calls_are_one_line(cluster: Any, tmp_path: Path) -> None:
    data = write_rows(tmp_path / "in.jsonl", make_rows(2))
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="on Ray the output is a folder"):
        run_on_ray(ray_run(cluster, data, tmp_path / "file"))
    with pytest.raises(UsageError, match="standard input cannot be read on Ray"):
        run_on_ray(ray_run(cluster, Path("-"), tmp_path / "out"))


def test_a_node_that_dies_in_mid_run_costs_no_row_and_doubles_none(cluster: Any, tmp_path: Path) -> None:
    rows = make_rows(400)
    data, folder = write_rows(tmp_path / "in.jsonl", rows), tmp_path / "out"
    seen: list[int] = []

    def kill_the_node() -> None:
        while not seen or seen[-1] < 3:
            time.sleep(0.02)
        (second,) = cluster.worker_nodes
        cluster.remove_node(second, allow_graceful=False)

    killer = threading.Thread(target=kill_the_node, daemon=True)
    killer.start()

    def tell(report: RayReport) -> None:
        seen.append(report.done)

    slow = "python:support.verifiers:slow_lexical"
    run = ray_run(cluster, data, folder, verifier=slow, workers=3)  # one at least on the second node
    report = run_on_ray(run, tell=tell)
    killer.join()
    assert not cluster.worker_nodes
    assert report.done == report.parts == 20
    assert from_disk(folder) == local(rows)


def test_on_the_command_line(tmp_path: Path) -> None:
    """Starts a Ray of its own."""
    rows = make_rows(30)
    write_rows(tmp_path / "in.jsonl", [*rows, {"answer": "no contexts"}])
    command = [sys.executable, "-m", "faithmeter", "eval", "in.jsonl", "-v", "lexical", "--engine", "ray", "-o", "out",
               "--part-size", "10", "--bad-rows", "report", "--json"]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    numbers = json.loads(done.stdout)
    assert (numbers["samples"], numbers["parts"], numbers["skipped_rows"]) == (30, 3, 1)
    assert from_disk(tmp_path / "out") == local(rows)
    assert lines_of(tmp_path / "out" / "bad-rows.jsonl")[0]["line"] == 31
    elsewhere = ["127.0.0.1:1" if word == "ray" else word for word in command]
    nowhere = subprocess.run(elsewhere, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert nowhere.returncode == 2
    assert nowhere.stderr == (
        "faithmeter: Ray cannot be reached at '127.0.0.1:1': Connection refused; "
        "3 parts kept in out: the same command goes on from there\n"
    )


@pytest.fixture
def client_server() -> Iterator[str]:
    """The address of Ray's client server on a head node of its own, which asks for a token."""
    ports = free_ports(2)
    with tempfile.TemporaryDirectory(prefix="ray-") as folder:  # a short path: sockets go there
        options = [f"--port={ports[0]}", f"--ray-client-server-port={ports[1]}", f"--temp-dir={folder}"]
        options += ["--node-ip-address=127.0.0.1", "--num-cpus=3", "--object-store-memory=100000000"]
        options += ["--include-dashboard=false", "--disable-usage-stats", "--head", "--block"]
        start = [sys.executable, "-c", "from ray.scripts.scripts import main; main()", "start", *options]
        environment = {**os.environ, "FAITHMETER_CACHE": "off", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": TOKEN}
        environment["GRPC_ENABLE_FORK_SUPPORT"] = "0"  # see ray_link: else one start in ten fails
        head = subprocess.Popen(
            start,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert head.stdout
        try:
            said = "".join(iter_until(head.stdout, "Ray runtime started"))
            assert "Ray runtime started" in said, said
            wait_for(ports[1])
            yield f"ray://127.0.0.1:{ports[1]}"
        finally:
            os.killpg(head.pid, signal.SIGKILL)  # if asked, the client server takes half a minute to go
            head.wait()
            head.stdout.close()


def free_ports(count: int) -> list[int]:
    """Above those that Ray keeps for its workers, below those that the system gives to whoever asks for any."""
    found: list[int] = []
    for port in random.sample(range(20_000, 32_000), 1000):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            found.append(port)
        if len(found) == count:
            return found
    raise AssertionError("no free port")


def wait_for(port: int) -> None:
    for _ in range(3000):
        with socket.socket() as knock:
            if knock.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError("no client server")


def iter_until(lines: Iterable[str], words: str) -> Iterator[str]:
    for line in lines:
        yield line
        if words in line:
            return


def test_from_outside_through_rays_client(client_server: str, tmp_path: Path) -> None:
    """The run is driven on the head node; a token that is there is shown without being told to."""
    rows = make_rows(60)
    write_rows(tmp_path / "in.jsonl", [*rows, {"answer": "no contexts"}])
    command = [sys.executable, "-m", "faithmeter", "eval", "in.jsonl", "-v", "lexical", "--engine", client_server,
               "-o", "out", "--part-size", "20", "--bad-rows", "report", "--report", "out.md", "--json"]  # fmt: skip
    environment = {name: value for name, value in os.environ.items() if name != "RAY_AUTH_MODE"}
    environment["RAY_AUTH_TOKEN"] = TOKEN

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *options], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    done = run()
    assert done.returncode == 0, done.stderr
    numbers = json.loads(done.stdout)
    assert (numbers["samples"], numbers["parts"], numbers["reused_parts"], numbers["skipped_rows"]) == (60, 3, 0, 1)
    assert from_disk(tmp_path / "out") == local(rows)
    assert lines_of(tmp_path / "out" / "bad-rows.jsonl")[0]["line"] == 61
    assert (tmp_path / "out.md").exists()
    again = run()
    assert json.loads(again.stdout)["reused_parts"] == 3
    assert run("--bad-rows", "error").stderr.startswith("faithmeter: in.jsonl:61: no column 'contexts'")
