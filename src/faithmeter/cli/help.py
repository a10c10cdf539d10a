"""Help in named groups of options, and what the shell offers when Tab is pressed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
from click.shell_completion import CompletionItem

from faithmeter.runtime.specs import PROVIDERS

# Title -> the options' names in Python, for all commands: an option of the same name does the same everywhere.
GROUPS: dict[str, tuple[str, ...]] = {
    "Who judges": ("verifier", "verifiers", "extractor", "profile", "judge", "judge_options", "repeat"),
    "How verdicts become a score": ("scoring", "weights", "no_claims", "refusal", "aim"),
    "What is read": (
        *("contexts", "question", "corpus", "columns", "context_separator", "bad_rows", "label_files", "runs"),
        *("earlier_contexts", "history_as_evidence", "prompts"),
        *("project", "since", "others", "limit", "sample", "seed", "shard", "kinds", "per_kind", "count"),
    ),
    "What is sent": ("target", "form", "score_name", "claims"),
    "What is written": ("output", "outputs", "html", "report", "trend", "title", "fresh", "retry_failed"),
    "How answers are fixed": ("fix", "strict", "rewriter", "refusal_text", "answer_only"),
    "Citations and promises": ("citations", "promise", "at_most", "confidence"),
    "When it fails": (
        *("min_score", "min_coverage", "min_accuracy", "min_caught", "max_flagged", "max_flips", "min_size"),
        *("fail_fast", "max_failures", "min_citation_precision"),
    ),
    "Cost and speed": ("dry_run", "max_cost", "workers"),
    "Cache": ("cache_location", "no_cache", "semantic_cache", "refresh"),
    "Where it listens": ("host", "port", "keys_file"),
    "Limits of a request": (
        *("rate", "queue", "max_body", "max_answer", "max_context", "max_claims", "time_limit", "drain"),
    ),
    "What is let through": (
        *("on_failure", "min_support", "upstream", "upstream_key_env", "on_unfaithful", "replacement", "mark"),
        *("without_contexts", "context_path"),
    ),
    "What is kept": ("results", "log_texts"),
    "How you label": ("by", "terminal", "open_browser"),
    "On a Ray cluster": ("engine", "part_size", "parts"),
    "What is shown": ("worst", "rows", "show", "profiles", "as_json", "progress_kind", "quiet"),
}
OTHER = "Other options"

_GROUP_OF = {name: title for title, names in GROUPS.items() for name in names}


def grouped(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, list[click.Option]]]:
    """The command's options, group by group, in the order of `GROUPS`; what is in none comes last."""
    by_title: dict[str, list[click.Option]] = {title: [] for title in (*GROUPS, OTHER)}
    for parameter in command.get_params(ctx):
        if isinstance(parameter, click.Option) and not parameter.hidden:
            by_title[_GROUP_OF.get(parameter.name or "", OTHER)].append(parameter)
    yield from ((title, options) for title, options in by_title.items() if options)


class Command(click.Command):
    """A command whose help shows its options in named groups, and that takes no option for a file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, args)
        for option in self.params:
            value = ctx.params.get(option.name or "")
            if isinstance(option.type, click.Path) and isinstance(value, str) and value.startswith("--"):
                raise click.UsageError(f"{option.opts[0]} needs a file, and was given the option {value}", ctx)
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, options in grouped(self, ctx):
            records = [record for option in options if (record := option.get_help_record(ctx))]
            with formatter.section(title):
                formatter.write_dl(records)


labels_option = click.option("--labels", "label_files", multiple=True, required=True, type=click.Path(dir_okay=False),
                             help="Labels by people: JSON Lines or CSV with sample, claim and label. "
                             "Repeatable.")  # fmt: skip
quiet_option = click.option(
    "--quiet", is_flag=True, help="Print nothing but problems, and what --json asks for; the exit code tells."
)


def complete_files(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of files, by the shell itself."""
    return [CompletionItem(incomplete, type="file")]


def complete_verifier(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of verifiers; of an LLM, its provider."""
    plain = {
        "local": "the embedded model", "lexical": "word overlap",
        "lexical:rouge": "word overlap, longest common subsequence", "lexical:tokens": "word overlap, single words",
        "lexical:bleu": "word overlap, word sequences", "hhem": "Vectara's classifier",
        "minicheck:": "a MiniCheck model", "nli:": "an entailment model",
        "profile:": "calibrated by `faithmeter calibrate`", "python:": "your own function",
    }  # fmt: skip
    llms = {f"{provider}:": "an LLM as the judge" for provider in PROVIDERS}
    cascades = {f"cascade:{provider}:": "embedded first, the LLM where unsure" for provider in PROVIDERS}
    return _starting(incomplete, plain | llms | cascades)


def complete_extractor(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of extractors."""
    words = {"sentences": "the answer's sentences", "sentences:": "a language, e.g. sentences:de"}
    llms = {f"{provider}:": "an LLM finds the claims" for provider in PROVIDERS}
    return _starting(incomplete, words | llms | {"python:": "your own function"})


def complete_scoring(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of scoring policies, those of other tools included."""
    from faithmeter.scoring import POLICIES

    return _starting(incomplete, {name: policy.signature for name, policy in POLICIES.items()})


def complete_profile(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of tools, or else files."""
    from faithmeter.scoring import PROFILES

    tools = _starting(incomplete, dict.fromkeys(PROFILES, "as this tool counts"))
    return tools or complete_files(ctx, parameter, incomplete)


def complete_commands(names: Sequence[tuple[str, str]], incomplete: str) -> list[CompletionItem]:
    """Names of commands, without loading any."""
    return _starting(incomplete, dict(names))


def _starting(incomplete: str, words: dict[str, str]) -> list[CompletionItem]:
    return [CompletionItem(word, help=said) for word, said in words.items() if word.startswith(incomplete)]
