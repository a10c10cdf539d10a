"""Reports: what a run found, in the forms people and machines read. `write_report` chooses by the file's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from faithmeter.data.files import replacing
from faithmeter.data.results_file import read_results, repeatable
from faithmeter.errors import UsageError
from faithmeter.report.summary import Summary, summarise
from faithmeter.results import Result
from faithmeter.runtime.specs import named

__all__ = ["FORMATS", "format_of", "read_results", "summarise", "write_report"]

# ending -> ("module:function", opened as, what it is); the longest ending that fits counts
FORMATS = {
    ".html": ("faithmeter.report.html.page:write_html", "w", "a page to look at"),
    ".md": ("faithmeter.report.markdown:write_markdown", "w", "Markdown"),
    ".xml": ("faithmeter.report.junit:write_junit", "w", "JUnit XML"),
    ".json": ("faithmeter.report.gitlab:write_gitlab", "w", "GitLab code quality"),
    ".csv": ("faithmeter.report.tables:write_csv", "w", "CSV, a row for each sample"),
    ".claims.csv": ("faithmeter.report.tables:write_claims_csv", "w", "CSV, a row for each claim"),
    ".parquet": ("faithmeter.report.tables:write_parquet", "wb", "Parquet, a row for each sample"),
    ".claims.parquet": ("faithmeter.report.tables:write_claims_parquet", "wb", "Parquet, a row for each claim"),
    ".jsonl": ("faithmeter.report.tables:write_jsonl", "wb", "the results themselves, one JSON object a line"),
    ".svg": ("faithmeter.report.html.plot:write_svg", "w", "the main plot"),
}


def format_of(path: str | Path) -> str:
    """The ending that decides a report's form; a usage error if none fits."""
    name = Path(path).name.lower()
    fitting = [ending for ending in FORMATS if name.endswith(ending)]
    if not fitting:
        raise UsageError(f"{path}: what kind of report? Known endings: {', '.join(FORMATS)}")
    return max(fitting, key=len)


def origin(results: object) -> dict[str, str]:
    """What describes a file of results: its name, and when it was written."""
    path = Path(results) if isinstance(results, str | Path) else getattr(results, "path", None)
    if not isinstance(path, Path) or not path.is_file():
        return {}
    written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return {"Results": path.name, "Written": f"{written:%Y-%m-%d %H:%M} UTC"}


def write_report(
    path: str | Path,
    results: str | Path | Iterable[Result],
    *,
    min_score: float | None = None,
    title: str | None = None,
    about: Mapping[str, str] | None = None,
) -> Summary:
    """Write results, or a file of them, in the form that the path's ending names; gives the numbers back.

    The file appears when it is whole: a full disk leaves no half report, and an old one stays. `about` is what the
    page's header says about where it comes from; default: the name and the date of the file of results.
    """
    ending = format_of(path)
    writer, mode, _ = FORMATS[ending]
    write = named(writer)
    with repeatable(results) as again:
        summary = summarise(again, min_score=min_score)
        with replacing(path, mode) as file:
            if ending == ".html":
                write(file, summary, again, title=title, about=origin(results) if about is None else about)
            else:
                write(file, summary, again, title=title)
    return summary
