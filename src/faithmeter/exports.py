"""What a report can do with itself: files of every form, and frames. The room that does it is loaded when asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from faithmeter.runtime.specs import named

if TYPE_CHECKING:
    from faithmeter.results import Result


class Exports:
    """`report.save("report.html")`, `report.to_pandas()`."""

    if TYPE_CHECKING:
        results: tuple[Result, ...]
        min_score: float | None

    def save(self, path: str | Path, *, title: str | None = None) -> None:
        """Write the report; the path's ending decides its form, as for `faithmeter report`.

        `.html`, `.md`, `.xml` (JUnit), `.json` (GitLab), `.csv` and `.parquet` (also `.claims.csv`,
        `.claims.parquet`), `.svg`, or `.jsonl`, the results themselves.

        ```python
        report.save("report.html")
        ```
        """
        named("faithmeter.report:write_report")(path, self.results, min_score=self.min_score, title=title)

    def to_pandas(self, rows: Literal["samples", "claims"] = "samples") -> Any:
        """A pandas frame with a row for each sample, or for each claim.

        ```python
        worst = report.to_pandas("claims").query("label == 'contradicted'")
        ```
        """
        return named("faithmeter.report.tables:to_frame")(self.results, rows, "pandas")

    def to_polars(self, rows: Literal["samples", "claims"] = "samples") -> Any:
        """A polars frame with a row for each sample, or for each claim."""
        return named("faithmeter.report.tables:to_frame")(self.results, rows, "polars")
