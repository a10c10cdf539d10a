"""The layout keeps its promises: imports point one way, there are no cycles, importing does nothing."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import faithmeter

SOURCE = Path(faithmeter.__file__).parent

# From the bottom up. A module may import its own layer and those before it in this list, never after. A name stands
# for a module or for everything in a package; the longest name that fits a module counts.
LAYERS = [
    {"_version", "errors"},
    {"display", "notebook", "runtime.specs", "data.jsonl", "data.chat", "data.foreign"},
    {"datamodels"},
    {"runtime", "intervals"},
    {"text", "context_use", "scoring", "revision", "citations"},
    {"exports", "results"},
    {"guard"},
    {"data", "evidence"},
    {"weights", "llm"},
    {"client"},
    {"extract", "verify", "judge"},
    {"cache", "why"},
    {"evaluator"},
    {"fix"},
    {"runs"},
    {"trust"},
    {"report", "traces"},
    {"__init__"},
    {"serve"},
    {"cli", "pytest_plugin", "pytest_recording", "integrations", "compat", "__main__"},
]


def modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(SOURCE.rglob("*.py"))
    }


LOADER = re.compile(r"^faithmeter((?:\.\w+)+):\w+$")


def imports(path: Path, *, lazy: bool = True) -> set[str]:
    """The faithmeter modules that a module imports: at its top only, or also inside functions and by loader strings."""
    tree = ast.parse(path.read_text("utf-8"))
    checking = [
        node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    hidden = {id(child) for block in checking for child in ast.walk(block)}
    found: set[str] = set()
    for node in ast.walk(tree) if lazy else tree.body:
        if id(node) in hidden:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "faithmeter":
            inner = (node.module or "").removeprefix("faithmeter").removeprefix(".")
            found |= {".".join(filter(None, (inner, alias.name))) for alias in node.names} | {inner or "__init__"}
        elif isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("faithmeter.") for alias in node.names if "faithmeter." in alias.name}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (match := LOADER.match(node.value)):
            found.add(match[1].removeprefix("."))
    known = modules()
    named = {name for name in found if name in known or name == "__init__"}
    # `from faithmeter import display` names the module display, not the package's public names
    return named - {"__init__"} if named != {"__init__"} else named


def layer(module: str) -> int:
    parts = module.split(".")
    for count in range(len(parts), 0, -1):
        for number, names in enumerate(LAYERS):
            if ".".join(parts[:count]) in names:
                return number
    pytest.fail(f"module {module!r} is in no layer: add it to LAYERS")


def test_every_layer_names_what_exists() -> None:
    known = modules()
    names = set().union(*LAYERS) - {"__init__", "weights"}
    assert {name for name in names if name not in known and not (SOURCE / name.replace(".", "/")).is_dir()} == set()


# What a value can do with itself, by a string that is loaded when called: `report.save(…)`, `report.to_pandas()`.
BACK = {"exports imports report", "exports imports report.tables"}


def test_imports_point_one_way() -> None:
    wrong = [
        f"{module} imports {imported}"
        for module, path in modules().items()
        for imported in imports(path)
        if layer(imported) > layer(module) and f"{module} imports {imported}" not in BACK
    ]
    assert not wrong


def test_there_are_no_import_cycles() -> None:
    """Also not by imports inside functions; only what the two loaders name by string may come back."""
    known = modules()
    graph = {module: _code_imports(path) - {module} for module, path in known.items()}
    order = list(TopologicalSorter(graph).static_order())
    assert len(order) >= len(graph)


def _code_imports(path: Path) -> set[str]:
    named = {match[1].removeprefix(".") for match in map(LOADER.match, _strings(path)) if match}
    return imports(path) - named


def _strings(path: Path) -> list[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = set(json.loads(run("import sys, json, faithmeter; print(json.dumps(list(sys.modules)))")))
    heavy = {
        "numpy",
        "rich",
        "torch",
        "transformers",
        "nltk",
        "openai",
        "pydantic_ai",
        "onnxruntime",
        "click",
        "pandas",
    }
    assert not loaded & heavy


def test_importing_the_package_touches_no_network_and_no_environment() -> None:
    code = """
import socket, logging, os
def no(*args, **kwargs): raise AssertionError("network at import")
socket.socket.connect = no
handlers, environ = list(logging.root.handlers), dict(os.environ)
import faithmeter
assert logging.root.handlers == handlers and dict(os.environ) == environ
print("quiet")
"""
    assert run(code) == "quiet\n"


def test_files_stay_small() -> None:
    too_long = {name: n for name, path in modules().items() if (n := len(path.read_text("utf-8").splitlines())) > 400}
    assert not too_long


def test_every_field_of_a_data_model_is_documented() -> None:
    undocumented = []
    for path in (
        SOURCE / "datamodels.py",
        SOURCE / "revision.py",
        SOURCE / "citations.py",
        SOURCE / "results.py",
        SOURCE / "scoring.py",
    ):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "Model" for base in node.bases):
                for item, after in zip(node.body, [*node.body[1:], None], strict=True):
                    doc = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                    if isinstance(item, ast.AnnAssign) and not doc:
                        undocumented.append(f"{node.name}.{ast.unparse(item.target)}")
    assert not undocumented
