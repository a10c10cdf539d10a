"""Set-up for all tests: under CI a skipped test is a failure, and nothing leaves this machine."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None)  # a timing is never a test
settings.load_profile("default")

# Whoever starts the tests in the background of a shell has Ctrl-C ignored, and so would every process started here.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

DATA = Path(os.environ.get("FAITHMETER_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of training and measuring data, which lies beside the checkout and is never committed."""
    if not DATA.is_dir():
        pytest.skip(f"no data at {DATA}; set FAITHMETER_DATA")
    return DATA


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or fills the cache of whoever runs it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, so that no process waits at the end for another."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    outcome = yield
    report = outcome.get_result()
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"skipped under CI: {report.longrepr}"
