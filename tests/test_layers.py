"""The layout keeps its promises: imports point one way, there are no cycles, importing does nothing."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import faithmeter

SOURCE = Path(faithmeter.__file__).parent

# From the bottom up. A module may import its own layer and those above it in this list, never below. A name
# stands for the module or everything in the package.
LAYERS = [
    {"_version", "errors"},
    {"render", "loading", "data"},
    {"datamodels"},
    {"metering", "stats", "boundary"},
    {"text", "facts", "_lexicon", "_numerals", "_prose", "_blocks", "records", "_records"},
    {"overlap", "language", "_ngrams", "_treebank", "_window", "evidence", "scoring"},
    {"results"},
    {"weights", "llm"},
    {"extract", "verify", "cache"},
    {"sync", "evaluator"},
    {"runs"},
    {"report", "recording", "agreement", "labels", "judges", "calibration", "labelling", "stability"},
    {"_grammar", "_clauses", "_source", "corrupt", "paraphrase", "selftest"},
    {"__init__"},
    {"cli", "pytest_plugin", "server", "integrations", "compat", "__main__"},
]


def modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(SOURCE.rglob("*.py"))
    }


def imports(path: Path, *, lazy: bool) -> set[str]:
    """The faithmeter modules that a module imports: at its top only, or also inside functions."""
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
    known = modules()
    named = {name for name in found if name in known or name == "__init__"}
    # `from faithmeter import render` names the module render, not the package's door
    return named - {"__init__"} if named != {"__init__"} else named


def layer(module: str) -> int:
    top = module.split(".")[0]
    for number, names in enumerate(LAYERS):
        if top in names:
            return number
    pytest.fail(f"module {module!r} is in no layer: add it to LAYERS")


def test_imports_point_one_way() -> None:
    wrong = [
        f"{module} imports {imported}"
        for module, path in modules().items()
        for imported in imports(path, lazy=True)
        if layer(imported) > layer(module)
    ]
    assert not wrong


def test_there_are_no_import_cycles() -> None:
    graph = {module: imports(path, lazy=False) - {module} for module, path in modules().items()}
    order = list(TopologicalSorter(graph).static_order())
    assert len(order) >= len(graph)


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
    too_long = {name: n for name, path in modules().items() if (n := len(path.read_text("utf-8").splitlines())) > 450}
    assert not too_long


def test_every_field_of_a_data_model_is_documented() -> None:
    undocumented = []
    for path in (SOURCE / "datamodels.py", SOURCE / "results.py", SOURCE / "scoring.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "Model" for base in node.bases):
                for item, after in zip(node.body, [*node.body[1:], None], strict=True):
                    doc = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                    if isinstance(item, ast.AnnAssign) and not doc:
                        undocumented.append(f"{node.name}.{ast.unparse(item.target)}")
    assert not undocumented
