"""The architecture page tells the truth: its table of rooms is the import graph."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from .test_layers import SOURCE, imports, layer, modules  # type: ignore[import-not-found]

PAGE = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text("utf-8")
ROW = re.compile(r"^\| `([\w./]+)` \| [^|]+ \| ([^|]*) \|$", re.MULTILINE)


def room(module: str) -> str:
    """The file or folder at the top of the package that a module belongs to."""
    top = module.split(".")[0]
    return f"{top}/" if (SOURCE / top).is_dir() else f"{top}.py"


def graph() -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for module, path in modules().items():
        found[room(module)] |= {room(imported) for imported in imports(path)} - {room(module)}
    return found


def test_the_table_of_rooms_is_the_import_graph() -> None:
    told = {name: set(re.findall(r"`([\w./]+)`", uses)) for name, uses in ROW.findall(PAGE)}
    real = {name: uses for name, uses in graph().items() if not name.startswith("_")}
    assert told == {name: {use for use in uses if not use.startswith("_")} for name, uses in real.items()}


def test_rooms_stand_in_the_order_of_the_layers() -> None:
    names = [name for name, _ in ROW.findall(PAGE)]
    low = ("data.jsonl", "data.chat", "data.foreign")  # what the words themselves need of the room
    order = [min(layer(module) for module in modules() if room(module) == name and module not in low) for name in names]
    assert order == sorted(order)


def test_every_path_on_the_page_exists() -> None:
    for path in set(re.findall(r"`([a-z_]+/[\w./]*|[a-z_]+\.py)`", PAGE)):
        places = (SOURCE / path, SOURCE.parents[1] / path)
        assert any(place.exists() for place in places), path


def test_a_name_in_brackets_is_defined_in_the_file_before_it() -> None:
    named = re.findall(r"`([\w./]+\.py)` \(`(\w+)`", PAGE)
    assert len(named) >= 6
    for path, name in named:
        defined = re.compile(rf"^(?:def |class )?{name}\b\s*[,:=(]", re.MULTILINE)
        assert defined.search((SOURCE / path).read_text("utf-8")), (path, name)
