"""The page at `/`: an answer and its contexts, judged as one types; the look and code are the report's."""

from __future__ import annotations

import re
from html import unescape
from itertools import islice
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from faithmeter.data.results_file import read_results
from faithmeter.report.html.page import data_script, page
from faithmeter.report.html.payload import details, row
from faithmeter.results import Result
from faithmeter.serve.app_parts import fixed_of, note, service_of
from faithmeter.serve.bodies import ChosenBody
from faithmeter.serve.problems import Refused
from faithmeter.serve.settings import Settings

MOST_ROWS = 2_000
STYLES = ("base.css", "sample.css", "check.css")
SCRIPTS = ("core.js", "markdown.js", "sample.js", "check.js")
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')
EXAMPLES: list[dict[str, Any]] = [
    {
        "name": "A wrong date",
        "question": "When and where was Albert Einstein born?",
        "answer": "Einstein was born in Germany on 20th March 1879. He was a theoretical physicist.",
        "contexts": [
            "Albert Einstein (born 14 March 1879) was a German-born theoretical physicist, widely held to be one of "
            "the greatest and most influential scientists of all time."
        ],
    },
    {
        "name": "A wrong number",
        "question": "Can I return a laptop after three weeks?",
        "answer": "Laptops must be returned within 30 days. Opened laptops carry a restocking fee of 25 %.",
        "contexts": [
            "Returns. Most items may be returned within 60 days of delivery. Laptops, tablets and phones must be "
            "returned within 30 days.",
            "Restocking. Opened laptops and tablets are subject to a restocking fee of 15 % of the purchase price.",
        ],
    },
    {
        "name": "A sum that follows",
        "question": "How much did the two quarters bring in together?",
        "answer": "Revenue in the two quarters totalled $7.5 million.",
        "contexts": ["Revenue was $3.2 million in the first quarter and $4.3 million in the second quarter."],
    },
    {
        "name": "A faithful answer",
        "question": "How tall is the Eiffel Tower?",
        "answer": "The Eiffel Tower is 330 metres tall.",
        "contexts": ["The Eiffel Tower stands 330 metres tall and was the tallest structure until 1930."],
    },
]

router = APIRouter(include_in_schema=False)


class Page:
    """The page of a server, and the results whose rows it offers."""

    def __init__(self, settings: Settings) -> None:
        self.results: list[Result] = []
        if settings.results is not None:
            self.results = list(islice(read_results(settings.results), MOST_ROWS))
        info = {
            "verifiers": list(settings.verifiers),
            "examples": EXAMPLES,
            "keys": settings.has_keys,
            "rows": bool(self.results),
            "fix": True,
        }
        before, after = page("check.html", title="Check an answer", styles=STYLES, scripts=SCRIPTS, parts={})
        self.html = (before + data_script("info", info) + after).encode()
        match = _POLICY.search(before)
        assert match is not None
        self.policy = unescape(match[1]) + "; frame-ancestors 'none'"


class PageBody(ChosenBody):
    """What the page asks for."""

    fix: bool = False


def page_of(request: Request) -> Page:
    served: Page = request.app.state.page
    return served


@router.get("/")
async def index(request: Request) -> Response:
    """The page itself, which holds no user's texts."""
    shown = page_of(request)
    headers = {"content-security-policy": shown.policy, "cache-control": "no-cache"}
    return Response(shown.html, headers=headers, media_type="text/html")


@router.post("/page/check")
async def check(request: Request, body: PageBody) -> Response:
    """A result as the report's code reads it; with `fix`, the fixed answer as well."""
    service = service_of(request)
    result = await service.check(body.sample(), verifier=body.verifier)
    note(request, result)
    if body.fix:
        fixed = await fixed_of(service, result, verifier=body.verifier)
        result = result.model_copy(update={"revision": fixed.revision})
    return JSONResponse(_shown(result))


@router.get("/page/rows")
async def rows(request: Request) -> Response:
    """The rows of the results file, the worst first."""
    ranked = sorted(enumerate(page_of(request).results), key=lambda item: (item[1].score is not None, item[1].score))
    listed = [{"place": place, "id": result.sample.id, "score": result.score} for place, result in ranked]
    return JSONResponse({"rows": listed})


@router.get("/page/rows/{place}")
async def one_row(request: Request, place: int) -> Response:
    """One of them, as it was judged then."""
    results = page_of(request).results
    if not 0 <= place < len(results):
        raise Refused(404, "not-found", "there is no such row")
    return JSONResponse(_shown(results[place]) | {"sample": results[place].sample.model_dump(mode="json")})


def _shown(result: Result) -> dict[str, Any]:
    return {"row": row(result), "details": details(result, 0), "signature": result.signature}
