"""`faithmeter serve`: the guard over HTTP."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from pydantic import SecretStr

from faithmeter.cli.help import Command
from faithmeter.cli.numbers import FiniteRange
from faithmeter.errors import MissingExtra, UsageError
from faithmeter.guard import Policy
from faithmeter.runs.worker import Caching
from faithmeter.scoring import load_scoring
from faithmeter.verify import DEFAULT_VERIFIER

if TYPE_CHECKING:
    from faithmeter.serve.settings import ProxySettings

KEYS = "FAITHMETER_API_KEYS"


@click.command("serve", cls=Command)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; elsewhere only with a key.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free port.")
@click.option("-v", "--verifier", "verifiers", multiple=True, default=[DEFAULT_VERIFIER], show_default=True,
              help="Who judges. Repeatable: requests may choose, the first is the default.")  # fmt: skip
@click.option("-x", "--extractor", default="sentences", show_default=True, help="Who finds the claims.")
@click.option("--scoring", default="plain", show_default=True, help="How verdicts become a score.")
@click.option("--cache", "cache_location", metavar="PATH_OR_URL",
              help="Where verdicts are kept: a file, or redis://HOST. Default: nowhere.")  # fmt: skip
@click.option("--keys", "keys_file", type=click.Path(dir_okay=False, path_type=Path),
              help=f"A file of API keys, one a line: NAME KEY [REQUESTS A SECOND]; read again when it changes. {KEYS} "
              "in the environment has more, separated by commas.")  # fmt: skip
@click.option("--rate", type=FiniteRange(0, min_open=True), help="Requests a second for each key.")
@click.option("--queue", type=click.IntRange(1), default=256, show_default=True,
              help="Claims that may wait; beyond: 503 at once.")  # fmt: skip
@click.option("--max-body", type=click.IntRange(1), default=4_000_000, show_default=True, help="Bytes of a request.")
@click.option("--max-answer", type=click.IntRange(1), default=100_000, show_default=True,
              help="Characters of an answer.")  # fmt: skip
@click.option("--max-context", type=click.IntRange(1), default=1_000_000, show_default=True,
              help="Characters of all contexts.")  # fmt: skip
@click.option("--max-claims", type=click.IntRange(1), default=500, show_default=True, help="Claims of an answer.")
@click.option("--time-limit", type=FiniteRange(0, min_open=True), default=30.0, show_default=True,
              help="Seconds to judge a request's claims; what is not judged by then is a failure in its result."
              )  # fmt: skip
@click.option("--on-failure", type=click.Choice(["closed", "open"]), default="closed", show_default=True,
              help="What could not be judged is held back like an unfaithful claim (closed), or let through and "
              "counted (open).")  # fmt: skip
@click.option("--min-support", type=FiniteRange(0, 1),
              help="A claim with less support than this is unfaithful as well, whatever its label.")  # fmt: skip
@click.option("--promise", type=click.Path(dir_okay=False, path_type=Path), help="A promise from `faithmeter promise`: "
              "claims with less support than it takes are unfaithful as well.")  # fmt: skip
@click.option("--proxy", "upstream", metavar="URL", help="Guard this OpenAI-compatible endpoint: https://HOST/v1.")
@click.option("--upstream-key-env", metavar="NAME",
              help="The environment variable with the endpoint's key; else the caller's own is passed on.")  # fmt: skip
@click.option("--on-unfaithful", type=click.Choice(["release", "flag", "replace", "end"]), default="replace",
              show_default=True, help="For a sentence of a proxied answer that is not supported: let it through, mark "
              "it, replace it, or end there.")  # fmt: skip
@click.option("--replacement", metavar="TEXT", help="What replaces a sentence that is held back.")
@click.option("--mark", metavar="TEXT", help="What --on-unfaithful flag puts behind a sentence.")
@click.option("--without-contexts", type=click.Choice(["judge", "pass"]), default="judge", show_default=True,
              help="A proxied request without contexts: nothing in its answer is supported (judge), or it passes "
              "unchecked.")  # fmt: skip
@click.option("--context-path", default="faithmeter.contexts", show_default=True,
              help="Where a proxied request holds contexts, besides tool messages and marked passages: a.b.*.text"
              )  # fmt: skip
@click.option("--results", type=click.Path(dir_okay=False, path_type=Path),
              help="A results file whose rows the page offers to look at and to check again.")  # fmt: skip
@click.option("--log-texts", is_flag=True, help="Write answers into the log.")
@click.option("--drain", type=FiniteRange(0), default=30.0, show_default=True,
              help="On SIGTERM, seconds that requests under way may still take.")  # fmt: skip
def command(
    host: str,
    port: int,
    verifiers: Sequence[str],
    cache_location: str | None,
    upstream: str | None,
    scoring: str,
    keys_file: Path | None,
    **options: Any,
) -> None:
    """Serve checks, guarded answers and fixes over HTTP.

    \b
    faithmeter serve
    faithmeter serve -v local -v cascade:openai:MODEL --cache redis://cache
    faithmeter serve --host 0.0.0.0 --keys keys.txt --rate 20
    faithmeter serve --proxy https://HOST/v1 --on-unfaithful flag
    """
    try:
        from faithmeter.serve.run import serve
        from faithmeter.serve.settings import Handling, Limits, Settings
    except ImportError:
        raise MissingExtra("`faithmeter serve`", "server") from None
    given = [key.strip() for key in os.environ.get(KEYS, "").split(",") if key.strip()]
    settings = Settings(
        host=host,
        port=port,
        verifiers=tuple(dict.fromkeys(verifiers)),
        extractor=options["extractor"],
        scoring=load_scoring(scoring),
        caching=Caching(cache_location or False),
        policy=Policy(on_failure=options["on_failure"], min_support=options["min_support"]),
        handling=Handling(
            on_unfaithful=options["on_unfaithful"],
            without_contexts=options["without_contexts"],
            context_path=options["context_path"],
            **{name: options[name] for name in ("replacement", "mark") if options[name] is not None},
        ),
        promise=options["promise"],
        proxy=_proxy(upstream, options["upstream_key_env"]),
        limits=Limits(
            body=options["max_body"],
            answer=options["max_answer"],
            context_characters=options["max_context"],
            claims=options["max_claims"],
            seconds=options["time_limit"],
        ),
        queue=options["queue"],
        keys_file=keys_file,
        keys=tuple(given),  # type: ignore[arg-type]  # pydantic hides them
        rate=options["rate"],
        log_texts=options["log_texts"],
        drain_seconds=options["drain"],
        results=options["results"],
    )

    def started(address: Sequence[Any]) -> None:
        where = f"[{address[0]}]" if ":" in str(address[0]) else address[0]
        keys = "with keys" if settings.has_keys else "without keys, this machine only"
        click.echo(
            f"faithmeter: http://{where}:{address[1]} ({keys}); verifiers: {', '.join(settings.verifiers)}; "
            f"what cannot be judged: fail {settings.policy.on_failure}"
            + (f"; promise: {settings.promise.name}" if settings.promise else ""),
            err=True,
        )

    serve(settings, started=started)


def _proxy(url: str | None, variable: str | None) -> ProxySettings | None:
    from faithmeter.serve.settings import ProxySettings

    if url is None:
        if variable:
            raise UsageError("--upstream-key-env goes with --proxy")
        return None
    key = os.environ.get(variable) if variable else None
    if variable and not key:
        raise UsageError(f"--upstream-key-env: {variable} is not set")
    return ProxySettings(url=url, key=SecretStr(key) if key else None)
