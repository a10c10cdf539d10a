"""What the site is made of besides its pages: real outputs, pictures, the command reference, schemas, llms.txt.

MkDocs calls these (`hooks:` in mkdocs.yml). What takes long is kept in build/docs, by the hash of what it was made of.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))

import figures
import outputs
import pictures
from commands import reference

ROOT = Path(__file__).parents[2]
MARKERS = {
    "<!-- commands -->": reference,
    "<!-- accuracy -->": figures.accuracy,
    "<!-- selftest -->": figures.selftest,
    "<!-- peers -->": figures.peers,
    "<!-- speed of peers -->": figures.speed_of_peers,
    "<!-- model card -->": figures.model_card,
}

_pages: dict[str, tuple[str, str]] = {}  # address -> title, Markdown


def on_files(files: Files, config: Any) -> Files:
    """Add what is made here as if it lay in docs/."""
    for name, content in {**figures.plots(), **_schemas()}.items():
        files.append(File.generated(config, name, content=content))
    for name, path in pictures.made(ROOT).items():
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


@event_priority(100)
def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Fill in what is made here, and run the page's examples."""
    for marker, make in MARKERS.items():
        if marker in markdown:
            markdown = markdown.replace(marker, make())
    markdown = re.sub(r"<!-- printed: (\S+) -->", lambda match: figures.printed(match[1]), markdown)
    if not page.file.src_uri.startswith(("reference/cli", "decisions/")):
        markdown = outputs.filled_in(markdown, ROOT)
    _pages[page.file.dest_uri] = (page.title or page.file.name, markdown)
    return markdown


def on_post_page(output: str, *, page: Any, config: Any) -> str:
    """Name the search for screen readers, and keep the theme from asking GitHub's API about the repository.

    A column without a name has no header cell.
    """
    dialog = 'data-md-component="search" role="dialog"'
    output = output.replace(dialog, f'{dialog} aria-label="Search"')
    output = re.sub(r"<th[^>]*></th>", "<td></td>", output)
    return output.replace(' class="md-source" data-md-component="source"', ' class="md-source"')


def on_post_build(config: Any) -> None:
    """Each page as Markdown beside it, and llms.txt, which lists them."""
    site = Path(config["site_dir"])
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}", "", "## Pages", ""]
    for address, (title, markdown) in _pages.items():
        target = (site / address).with_suffix(".md")
        target.write_text(markdown, "utf-8")
        if not address.startswith("decisions/"):
            lines.append(f"- [{title}]({target.relative_to(site).as_posix()})")
    lines += ["", "## Schemas", ""]
    lines += [f"- [{name}]({name})" for name in _schemas()]
    (site / "llms.txt").write_text("\n".join(lines) + "\n", "utf-8")


def _schemas() -> dict[str, str]:
    from faithmeter import Result, Sample, Verdict

    made = {}
    for model in (Sample, Verdict, Result):
        mode = "validation" if model is Sample else "serialization"
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema(mode=mode)}
        made[f"schemas/{model.__name__.lower()}.json"] = json.dumps(schema, indent=2) + "\n"
    return made
