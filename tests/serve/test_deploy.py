"""The files to run the server with: their commands exist, and they keep their promises of being locked down."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import yaml

from faithmeter.cli.serve import command

DEPLOY = Path(__file__).parents[2] / "deploy"


def parsed(arguments: list[str]) -> dict[str, object]:
    return command.make_context("serve", arguments).params


def test_the_container_file() -> None:
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    entry = json.loads(re.findall(r"^ENTRYPOINT (.*)$", text, re.MULTILINE)[0])
    assert entry[:2] == ["faithmeter", "serve"]
    assert parsed(entry[2:])["host"] == "0.0.0.0"
    assert re.search(r"^USER \d{4,}:\d{4,}$", text, re.MULTILINE)
    assert "HEALTHCHECK" in text
    for source in re.findall(r"^COPY (?!--)(.*) \S+$", text, re.MULTILINE):
        assert all((DEPLOY.parent / name).exists() for name in source.split())


def test_the_compose_file() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]
    for service in services.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
    options = parsed(services["faithmeter"]["command"])
    assert (options["cache_location"], options["rate"]) == ("redis://redis:6379/0", 50.0)
    assert services["faithmeter"]["ports"] == ["127.0.0.1:8000:8000"]


def test_the_systemd_unit() -> None:
    text = (DEPLOY / "faithmeter.service").read_text("utf-8")
    program, name, *arguments = shlex.split(re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)[0])
    assert (Path(program).name, name) == ("faithmeter", "serve")
    assert parsed(arguments)["keys_file"] == Path("/etc/faithmeter/keys.txt")
    for line in ("DynamicUser=yes", "ProtectSystem=strict", "NoNewPrivileges=yes", "CapabilityBoundingSet="):
        assert f"\n{line}\n" in text
