"""Connects to Ray: one that is started here, a cluster's own node, or a cluster from outside, through Ray's client."""

from __future__ import annotations

import logging
import os
import re
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from faithmeter.errors import FaithmeterError, MissingExtra, UsageError
from faithmeter.runs.runner import cores

CLIENT = "ray://"

# Set before Ray is imported: nothing is reported to anybody, and no warning is given about GPUs.
_ENVIRONMENT = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
# Despite its name, what keeps Ray on the loopback interface on every system.
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
# What Ray's client says, and what it may mean. The server that the head node forks for a client dies at its start one
# time in ten or so (ray-project/ray#63202); with this setting it did not in any try.
_FORK_HINT = "; try again, or start the head node with GRPC_ENABLE_FORK_SUPPORT=0"
_CLIENT_HINTS = {
    "timeout": "; if the cluster asks for a token, put it in RAY_AUTH_TOKEN and set RAY_AUTH_MODE=token",
    "client server failed": _FORK_HINT,
    "ZombieProcess": _FORK_HINT,
}


@contextmanager
def linked(engine: str) -> Iterator[Any]:
    """Ray, connected; what is started here ends here."""
    own = engine == "ray" or re.match(r"(ray://)?(127\.|localhost\b)", engine)
    for name, value in (_ENVIRONMENT | (_LOOPBACK if own else {})).items():
        os.environ.setdefault(name, value)
    if engine.startswith(CLIENT) and _has_token():
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    _probe(engine)
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtra("--engine ray", "ray") from None
    joined = ray.is_initialized()
    if not joined:
        _connect(ray, engine)
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    try:
        yield ray
    except ray.exceptions.RayError as error:
        raise FaithmeterError(f"Ray failed: {_first_line(error)}") from None
    except ConnectionError as error:  # the client's own
        raise FaithmeterError(f"the link to Ray at {engine!r} broke: {_first_line(error)}") from None
    finally:
        if not joined:
            ray.shutdown()


def _connect(ray: Any, engine: str) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if engine == "ray":
            ray.init(
                address="local",
                num_cpus=cores() + 1,  # Ray Data wants one for itself
                include_dashboard=False,
                _node_ip_address="127.0.0.1",
                object_store_memory=200 * 2**20,  # a part says where its rows are, and holds no data
                **quiet,
            )
        else:
            with warnings.catch_warnings():  # what there is to say is said below, in one line
                warnings.simplefilter("ignore")
                ray.init(address=engine, **quiet)
    except Exception as error:  # Ray raises what its parts raise: sockets, processes, its own
        hints = [hint for words, hint in _CLIENT_HINTS.items() if engine.startswith(CLIENT) and words in str(error)]
        raise UsageError(f"Ray cannot be reached at {engine!r}: {_first_line(error)}{''.join(hints[:1])}") from None


def _has_token() -> bool:
    """Whether there is a token to show to a cluster that asks for one.

    A head node that finds one asks for it, and a node that joins shows it; Ray's client alone has to be told to
    (Ray 2.60). A cluster that does not ask ignores it.
    """
    named = any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    return named or Path("~/.ray/auth_token").expanduser().is_file()


def _probe(engine: str) -> None:
    """Ask whether anybody is there; Ray itself would ask for eight minutes."""
    address = re.fullmatch(r"(?:ray://)?(.+):(\d+)", engine)
    if not address:
        if engine not in ("ray", "auto"):
            raise UsageError(f"unknown engine {engine!r}; known: local, ray, ray://HOST:PORT, HOST:PORT, auto")
        return
    try:
        socket.create_connection((address[1].strip("[]"), int(address[2])), timeout=5).close()
    except (OSError, OverflowError) as error:
        problem = getattr(error, "strerror", None) or error
        raise UsageError(f"Ray cannot be reached at {engine!r}: {problem}") from None


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
