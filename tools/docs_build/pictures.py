"""Pictures of what people look at, made of real runs of examples/ by a real browser.

Pages are shown at 1280 pixels, light and dark; the terminal as SVG, from what the command really prints.
"""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import outputs

SCHEMES = ("light", "dark")
# What a release changed in the answers of examples/, for the comparison.
EDITS = {
    "on 20th March 1879": "on 14 March 1879",
    "It does not improve circulation.": "It improves circulation.",
    "It cures type 2 diabetes in most patients.": "It is given with meals.",
    "330 metres tall": "300 metres tall",
}
NOTEBOOK = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A notebook</title>
<meta name="color-scheme" content="light dark">
<style>body{{font:14px/1.5 system-ui,sans-serif;margin:24px 32px;max-width:1100px;color:light-dark(#1b1f24,#e9ebee);
background:light-dark(#fff,#131518)}}.in{{display:grid;grid-template-columns:60px 1fr;gap:12px;margin-bottom:16px}}
.in span{{color:light-dark(#2a6fa9,#8cc8ff);font-family:monospace;text-align:right}}pre{{margin:0;padding:8px 12px;
border:1px solid light-dark(#e0e0e0,#333);border-radius:4px;background:light-dark(#f7f7f7,#1b1e22);
font:13px/1.5 monospace}}
.out{{margin-left:72px}}</style>
<main><div class="in"><span>[1]:</span><pre>from faithmeter import evaluate

evaluate("examples/answers.jsonl")</pre></div><div class="out">{output}</div></main>"""


def made(root: Path) -> dict[str, Path]:
    """Name in the site -> file; made anew when the package or the examples have changed."""
    folder = root / "build" / "docs" / "pictures" / outputs.source_hash(root)[:20]
    if not (folder / "done").exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as name:
            _make(root, Path(name), folder)
        (folder / "done").touch()
    return {f"images/{path.name}": path for path in sorted(folder.iterdir()) if path.suffix in (".png", ".svg")}


def _make(root: Path, work: Path, folder: Path) -> None:
    shutil.copytree(root / "examples", work / "examples")
    before, after = work / "examples" / "answers.jsonl", work / "new.jsonl"
    text = before.read_text("utf-8")
    for old, new in EDITS.items():
        text = text.replace(old, new)
    after.write_text(text, "utf-8")

    def faithmeter(command: str, **environment: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", "faithmeter", *shlex.split(command)],
            cwd=work,
            env=outputs.environment(root, work, **environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ).stdout

    faithmeter("eval examples/answers.jsonl -o results.jsonl --report report.html --min-score 0.8")
    faithmeter("eval new.jsonl -o new-results.jsonl")
    faithmeter("compare results.jsonl new-results.jsonl -o compare.html")
    faithmeter("agree results.jsonl --labels examples/labels.jsonl --html agree.html")
    _trend(work, faithmeter)
    _notebook(root, work)
    for name, command in {
        "terminal-check": 'check "The tower opened in 1889. It was painted pink in 1999." '
        '-c "The Eiffel Tower opened to the public on 15 May 1889. It is painted brown."',
        "terminal-eval": "eval examples/answers.jsonl --min-score 0.8 --worst 3",
    }.items():
        _terminal(folder / f"{name}.svg", command, faithmeter(command, FORCE_COLOR="1", COLUMNS="92"))
    with _browser() as browser:
        for scheme in SCHEMES:
            context = browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900})
            page = context.new_page()
            _shoot(page, work, folder, scheme)
            _label(page, work, folder / f"label-{scheme}.png")
            context.close()


def _shoot(page: Any, work: Path, folder: Path, scheme: str) -> None:
    for name in ("report", "compare", "agree", "trend", "notebook"):
        page.goto((work / f"{name}.html").as_uri())
        page.wait_for_load_state("load")
        page.screenshot(path=folder / f"{name}-{scheme}.png")
    page.goto((work / "report.html").as_uri() + "#sample=einstein&claim=1")
    page.wait_for_selector("#sample .card")
    page.screenshot(path=folder / f"sample-{scheme}.png")


def _trend(work: Path, faithmeter: Any) -> None:
    """Three runs as three releases would give them."""
    (work / "runs").mkdir()
    for name, source in (("1-first", "examples/answers.jsonl"), ("2-shorter", "new.jsonl"), ("3-better", "new.jsonl")):
        if name.startswith("3"):
            rows = [json.loads(line) for line in (work / "new.jsonl").read_text("utf-8").splitlines()]
            rows = [row | {"answer": row["answer"].replace("300 metres", "330 metres")} for row in rows]
            (work / "third.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
            source = "third.jsonl"
        faithmeter(f"eval {source} -o runs/{name}.jsonl")
    faithmeter("report runs/1-first.jsonl runs/2-shorter.jsonl runs/3-better.jsonl --trend -o trend.html")


def _notebook(root: Path, work: Path) -> None:
    code = "from faithmeter import evaluate; print(evaluate('examples/answers.jsonl')._repr_html_())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=work,
        env=outputs.environment(root, work),
        capture_output=True,
        text=True,
        check=True,
    )
    (work / "notebook.html").write_text(NOTEBOOK.format(output=done.stdout), "utf-8")


def _label(page: Any, work: Path, target: Path) -> None:
    from faithmeter.report import read_results
    from faithmeter.report.html.label_server import LabelServer
    from faithmeter.trust.label_session import Session, make_queue

    session = Session(make_queue(read_results(work / "results.jsonl"), seed=0), work / "my.jsonl", by="ana", count=20)
    with LabelServer(session) as server:
        page.goto(server.url)
        page.wait_for_selector("h2")
        page.wait_for_timeout(300)
        page.screenshot(path=target)


def _terminal(target: Path, command: str, printed: str) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=94, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text(f"$ faithmeter {command}", style="bold"))
    console.print(Text.from_ansi(printed))
    svg = console.export_svg(title="faithmeter", font_aspect_ratio=0.61)
    target.write_text(re.sub(r"@font-face\s*{.*?}\s*", "", svg, flags=re.DOTALL), "utf-8")  # a font from elsewhere


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        raise RuntimeError("the pictures of the site need chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()
