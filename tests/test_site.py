"""The documentation site builds without a broken link, and leaves no command and no public name out."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

import faithmeter
from faithmeter.cli import COMMANDS

ROOT = Path(__file__).parents[1]
PATIENCE = 120_000  # milliseconds: a page comes, be the machine as busy as it likes


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_every_command_and_option_is_in_the_reference(site: Path) -> None:
    page = (site / "reference" / "cli" / "index.html").read_text("utf-8")
    text = re.sub(r"<[^>]+>", "", page)
    for command in COMMANDS:
        assert f"faithmeter {command}" in text, command
    assert "--min-score" in text


@pytest.mark.slow
def test_every_public_name_is_in_the_reference(site: Path) -> None:
    page = (site / "reference" / "api" / "index.html").read_text("utf-8")
    missing = [name for name in faithmeter.__all__ if name != "__version__" and f'id="faithmeter.{name}"' not in page]
    assert not missing


def test_every_command_is_explained_in_a_guide() -> None:
    pages = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/guides/*.md"), ROOT / "README.md"]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    missing = [command for command in COMMANDS if f"faithmeter {command}" not in text]
    assert not missing


def test_links_of_the_readme_lead_somewhere() -> None:
    for name in ("README.md", "CONTRIBUTING.md"):
        for link in re.findall(r"\]\(([^)#]+)\)", (ROOT / name).read_text("utf-8")):
            assert "://" in link or (ROOT / link).exists(), f"{name}: {link}"


@pytest.mark.slow
def test_the_reference_reads_as_the_help_does(site: Path) -> None:
    page = (site / "reference" / "cli" / "index.html").read_text("utf-8")
    assert "UNSET" not in page
    for title in ("Who judges", "What is read", "When it fails", "On a Ray cluster"):
        assert f"<strong>{title}</strong>" in page
    examples = re.search(r"<pre>.*?faithmeter.*?eval.*?</pre>", page, re.DOTALL)
    assert examples
    assert "\n" in re.sub(r"<[^>]+>", "", examples[0]).strip()  # a line each, not run together


@pytest.mark.slow
def test_pages_show_what_is_printed_and_have_their_pictures(site: Path) -> None:
    first = (site / "index.html").read_text("utf-8")
    assert "95 % interval" in first
    for picture in ("report", "sample", "compare", "agree", "trend", "label", "notebook"):
        for scheme in ("light", "dark"):
            assert (site / "images" / f"{picture}-{scheme}.png").stat().st_size > 10_000


@pytest.mark.slow
def test_programs_find_markdown_and_schemas(site: Path) -> None:
    listed = re.findall(r"\]\(([^)]+)\)", (site / "llms.txt").read_text("utf-8"))
    assert "index.md" in listed
    assert all((site / name).is_file() for name in listed)
    schema = json.loads((site / "schemas" / "result.json").read_text("utf-8"))
    assert {"score", "status", "sample"} <= set(schema["properties"])


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.slow
def test_pages_are_accessible_fit_a_phone_and_ask_nobody_else(site: Path) -> None:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    assert program, "this needs chromium: apt-get install chromium"
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}/"
    asked: set[str] = set()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=PATIENCE)
            for width, scheme in ((1280, "light"), (390, "dark")):
                context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
                context.set_default_timeout(PATIENCE)
                for name in ("", "accuracy/", "guides/your-framework/", "reference/cli/", "reports/"):
                    page = context.new_page()
                    page.on("request", lambda request: asked.add(request.url))
                    page.goto(home + name)
                    page.wait_for_selector("[data-md-type=copy], article table")  # the theme's script has run
                    found = Axe().run(page)
                    assert found.violations_count == 0, f"{name} {width} {scheme}: {found.generate_report()}"
                    assert page.evaluate("document.documentElement.scrollWidth") <= width, name
                    page.close()
                context.close()
            browser.close()
    finally:
        server.shutdown()
        server.server_close()
    assert {url for url in asked if not url.startswith(home)} == set()
