"""Runs the cases of one file, in the environment of a peer, and prints an outcome a line."""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import json
import logging
import re
import sys
import traceback
import warnings
from importlib.metadata import version
from typing import Any

_ROW = re.compile(r"(.+?) \(([\w.-]+)\): (.+)", re.DOTALL)


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    spec = importlib.util.spec_from_file_location("cases", sys.argv[1])
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    wanted = sys.argv[2:]
    for name, function in list(vars(module).items()):
        if name.startswith("case_") and (not wanted or name in wanted):
            print("::: " + json.dumps(_outcome(name, function)), flush=True)


def _outcome(name: str, function: Any) -> dict[str, Any]:
    row = _ROW.match(" ".join((function.__doc__ or "").split()))
    system, package, given = row.groups() if row else ("", "", "")
    found = {"case": name, "system": system, "version": f"{package} {version(package)}" if row else "", "given": given}
    try:
        out = function()
        if inspect.iscoroutine(out):
            out = asyncio.run(out)
    except BaseException:
        return found | {"out": "", "error": traceback.format_exc()[-3000:]}
    return found | {"out": str(out or "as it should"), "error": ""}


if __name__ == "__main__":
    main()
