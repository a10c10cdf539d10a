"""`faithmeter models`: who can judge, and what that takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from subprocess import CompletedProcess

from faithmeter.verify import _LOADERS
from faithmeter.verify.catalogue import catalogue

Cli = Callable[..., "CompletedProcess[str]"]


def test_every_verifier_is_listed_with_all_that_matters(cli: Cli) -> None:
    shown = cli("models")
    assert shown.returncode == 0, shown.stderr
    entries = json.loads(cli("models", "--json").stdout)
    for entry in entries:
        assert entry["spec"] in shown.stdout
        assert all(entry[field] for field in ("what", "needs", "licence", "figures", "card"))
    assert {"local", "lexical[:METRIC[=THRESHOLD]]"} <= {entry["spec"] for entry in entries if entry["ready"]}


def test_no_loader_is_left_out_of_the_list() -> None:
    text = " ".join(f"{entry.spec} {entry.what}" for entry in catalogue())
    inner = {"profile", "openai-responses"}  # made by --profile; a variant of openai
    assert not [name for name in _LOADERS if name not in text and name not in inner]


def test_every_verifier_has_a_card_in_the_package(cli: Cli) -> None:
    for entry in catalogue():
        assert entry.card_text.startswith("# ")
    shown = cli("models", "openai:gpt-5-mini")
    assert "an LLM as the judge" in shown.stdout
    assert cli("models", "nope").returncode == 2
