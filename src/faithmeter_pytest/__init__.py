"""The pytest plugin's entry point: options, the marker and the fixture; everything else is loaded when first used.

It stands beside the package, not in it, because importing anything of `faithmeter` imports what its front page
needs, and test runs that check no answer should not wait for that. What you import is `faithmeter.pytest_plugin`.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from faithmeter.pytest_plugin import Checker

# option -> (placeholder, help); each is `--faithmeter-NAME` on the command line and `faithmeter_NAME` in the ini file
SETTINGS = {
    "verifier": ("SPEC", "who judges, e.g. local, lexical or openai:MODEL"),
    "extractor": ("SPEC", "who finds the claims, e.g. sentences"),
    "scoring": ("SPEC", "plain, strict or weighted"),
    "min-score": ("NUMBER", "what an answer must reach; default 1: every claim must be supported"),
    "cache": ("PLACE", "keep verdicts here: a path, a URL, on or off"),
    "max-cost": ("DOLLARS", "stop asking models when this much was spent, in the whole run"),
}

ENTRIES = pytest.StashKey[list[str]]()
"""What was checked, as lines of JSON, in the process that prints the summary."""

active: list[pytest.Config] = []
"""The runs in this process, the innermost last (pytest can run inside pytest)."""
running: list[pytest.Item] = []
"""The tests that run now, the innermost last."""
pending: list[str] = []
"""What was checked since the last report: travels with the next one, from an xdist worker too."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("faithmeter", "faithfulness of generated answers")
    for name, (placeholder, words) in SETTINGS.items():
        group.addoption(f"--faithmeter-{name}", metavar=placeholder, default=None, help=words)
        parser.addini(ini_name(name), help=words, default="")
    group.addoption(
        "--faithmeter-report",
        metavar="FILE",
        action="append",
        default=[],
        help="write what was checked: .html, .xml, …",
    )
    group.addoption("--faithmeter-record", metavar="FILE", help="keep the results, to be replayed without a model")
    group.addoption("--faithmeter-replay", metavar="FILE", help="take results from a recording; never ask a verifier")


def ini_name(option: str) -> str:
    """What an option is called in the ini file."""
    return "faithmeter_" + option.replace("-", "_")


def pytest_configure(config: pytest.Config) -> None:
    words = "faithful(min_score=…, verifier=…, extractor=…, scoring=…): settings for the answers this test checks"
    config.addinivalue_line("markers", words)
    if config.getoption("faithmeter_record") and config.getoption("faithmeter_replay"):
        raise pytest.UsageError("--faithmeter-record and --faithmeter-replay exclude each other")
    names = ("report", "record", "replay", "cache")
    if any(config.getoption(f"faithmeter_{name}") for name in names) or config.getini("faithmeter_cache"):
        from faithmeter.pytest_plugin import check_options

        check_options(config)
    config.stash[ENTRIES] = []
    active.append(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    if config in active:
        active.remove(config)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    running.append(item)
    try:
        return (yield)
    finally:
        running.pop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if pending:
        report.faithmeter = list(pending)  # type: ignore[attr-defined]  # xdist sends a report's attributes along
        pending.clear()
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if active and not hasattr(active[-1], "workerinput"):
        active[-1].stash[ENTRIES] += getattr(report, "faithmeter", [])


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.stash.get(ENTRIES, []):
        from faithmeter.pytest_plugin import write_files

        if not write_files(session.config):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if config.stash.get(ENTRIES, []):
        from faithmeter.pytest_plugin import summary_lines

        terminalreporter.section("faithmeter")
        for line in summary_lines(config):
            terminalreporter.write_line(line)


@pytest.fixture(name="faithmeter")
def _faithmeter(request: pytest.FixtureRequest) -> Checker:
    """Checks answers with the run's settings, and this test's."""
    from faithmeter.pytest_plugin import Checker

    return Checker(request.node)
