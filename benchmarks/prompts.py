"""What a judge's prompt is worth: balanced accuracy on labelled claims, tokens, unreadable replies, beside ragas.

    python -m benchmarks.prompts DATA --prompt full --prompt small --prompt mine.md --prompt ragas \\
        --endpoint http://127.0.0.1:8080/v1 --model NAME [--per-call 5] [--claims 150]
    python -m benchmarks.prompts DATA --prompt full --requests FOLDER     # write what would be sent, as JSON lines
    python -m benchmarks.prompts DATA --prompt full --replies FOLDER      # score the replies to it

DATA is a folder with claim sets (`prompt_claims.SETS`). Every prompt is given the same claims in plain chat messages,
with the schema in the prompt and temperature 0, once: what the judge would ask for again counts as wrong here.
A reply of `--replies` has the request's `id`, `text`, `finish` (stop or length), `prompt_tokens` and `tokens`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import numpy as np

from benchmarks.prompt_claims import SETS, Labelled, calls, load
from benchmarks.prompt_variant import NAMES, Variant
from faithmeter.datamodels import Claim, Context, Label, Sample
from faithmeter.judge.parsing import Unreadable, read_object
from faithmeter.judge.prompts import Instructions
from faithmeter.judge.verify import Verification
from faithmeter.llm.protocol import Reply
from faithmeter.llm.providers import instructions
from faithmeter.llm.settings import JudgeSettings, ModelSpec, Size

RAGAS = (Path(__file__).parent / "ragas_nli.txt").read_text("utf-8")
"""The prompt of ragas 0.4.3's faithfulness (`NLIStatementPrompt`; Apache License 2.0), up to its input."""

TOKENS_A_CLAIM = 190
DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Said:
    """What a prompt brought for a claim: None if the reply gives it no verdict."""

    claim: Labelled
    supported: bool | None
    problem: str = ""


@dataclass
class Score:
    """What a prompt brought for all claims."""

    said: list[Said] = field(default_factory=list)
    prompt_tokens: int = 0
    tokens: int = 0

    def right(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """For a set: which supported claims were found so, and which others were not."""
        some = [said for said in self.said if said.claim.set == name]
        return tuple(  # type: ignore[return-value]
            np.array([said.supported is kind for said in some if said.claim.supported is kind])
            for kind in (True, False)
        )


class Ours:
    """A prompt of the judge: `full`, `brief`, `small` or a file."""

    def __init__(self, prompt: str) -> None:
        own = {"prompt": prompt} if prompt in get_args(Size) else {"verify_prompt": prompt}
        self._settings = JudgeSettings.of(own.items())
        self._instructions = Instructions("verify", self._settings)

    def _question(self, call: Sequence[Labelled]) -> Verification:
        sample = Sample(answer="", question=call[0].question, contexts=(Context(text=call[0].context),))
        return Verification(sample, self._settings, self._instructions, ModelSpec(provider="openai", model="any"))

    def put(self, call: Sequence[Labelled]) -> tuple[list[dict[str, str]], list[int]]:
        """The messages, and the claims' numbers."""
        request, key = self._question(call).put([_claim(claim) for claim in call])
        said = [("system", instructions(request, "prompt"))]
        for turn in request.turns:
            said += [("user", turn.user), ("assistant", turn.assistant)]
        said.append(("user", request.user))
        return [{"role": role, "content": text} for role, text in said], list(key)

    def read(self, call: Sequence[Labelled], numbers: Sequence[int], reply: Reply) -> Iterable[Said]:
        """What the judge reads in a reply."""
        key = {number: (place, _claim(claim)) for place, (number, claim) in enumerate(zip(numbers, call, strict=True))}
        reading = self._question(call).read(reply, key)
        found = reading.good | reading.doubtful
        for place, claim in enumerate(call):
            if place in found:
                yield Said(claim, found[place].label is Label.SUPPORTED)
            else:
                yield Said(claim, None, reading.bad[place].kind if place in reading.bad else "missing")


class Varied(Ours):
    """A variant of the full prompt, sent as the judge sends its own."""

    def __init__(self, name: str) -> None:
        super().__init__("full")
        self._variant = Variant(name)

    def put(self, call: Sequence[Labelled]) -> tuple[list[dict[str, str]], list[int]]:
        """The messages, and the claims' numbers."""
        return self._variant.messages(self._question(call), [_claim(claim) for claim in call])

    def read(self, call: Sequence[Labelled], numbers: Sequence[int], reply: Reply) -> Iterable[Said]:
        """What the variant reads in a reply."""
        for claim, supported in self._variant.verdicts(call, numbers, reply):
            yield Said(claim, supported, "" if supported is not None else "missing")


class Ragas:
    """ragas's own prompt, sent as ragas sends it."""

    def put(self, call: Sequence[Labelled]) -> tuple[list[dict[str, str]], list[int]]:
        """The message; statements have no numbers."""
        asked = {"context": call[0].context, "statements": [claim.claim for claim in call]}
        text = f"{RAGAS}input: {json.dumps(asked, indent=4, ensure_ascii=False)}\nOutput: "
        return [{"role": "user", "content": text}], []

    def read(self, call: Sequence[Labelled], numbers: Sequence[int], reply: Reply) -> Iterable[Said]:
        """The verdicts in order, as ragas takes them."""
        rows = read_object(reply.text, key="statements")
        for place, claim in enumerate(call):
            row = rows[place] if place < len(rows) else {}
            verdict = row.get("verdict") if isinstance(row, dict) else None
            yield Said(claim, bool(verdict)) if verdict in (0, 1) else Said(claim, None, "missing")


def score(prompt: Ours | Ragas, answered: Iterable[tuple[Sequence[Labelled], Sequence[int], Reply]]) -> Score:
    """Read the replies; only the claims that were drawn count."""
    found = Score()
    for call, numbers, reply in answered:
        found.prompt_tokens += reply.prompt_tokens
        found.tokens += reply.completion_tokens
        try:
            said = (
                list(prompt.read(call, numbers, reply))
                if reply.finish == "stop"
                else [Said(claim, None, "truncated") for claim in call]
            )
        except Unreadable:
            said = [Said(claim, None, "unreadable") for claim in call]
        found.said += [item for item in said if item.claim.asked]
    return found


def balanced(score: Score, names: Sequence[str], draw: Callable[[np.ndarray], np.ndarray] = lambda x: x) -> list[float]:
    """Balanced accuracy on each set."""
    return [float(np.mean([draw(part).mean() for part in score.right(name)])) for name in names]


def show(scores: dict[str, Score], names: Sequence[str]) -> None:
    """Print a table, and each prompt's difference to ragas's on the same claims."""
    print(f"\n{'prompt':10}" + "".join(f"{name:>22}" for name in names) + f"{'mean':>22}   right: supported, not")
    drawn = {}
    for title, one in scores.items():
        draws = np.array(
            [
                balanced(one, names, lambda part, rng=rng: part[rng.integers(len(part), size=len(part))])  # type: ignore[misc]
                for rng in map(np.random.default_rng, range(DRAWS))
            ]
        )  # the same seeds for all prompts, and the claims in one order: differences are paired
        drawn[title] = draws.mean(axis=1)
        means = balanced(one, names)
        cells = [*zip(means, draws.T, strict=True), (float(np.mean(means)), drawn[title])]
        right = [np.mean([part.mean() for part in kind]) for kind in zip(*map(one.right, names), strict=True)]
        print(
            f"{title:10}" + "".join(f"{_interval(*cell):>22}" for cell in cells) + f"   {right[0]:.2f}, {right[1]:.2f}"
        )
    print(f"\n{'prompt':10}{'claims':>8}{'no verdict':>12}  tokens a claim sent, received; why there is no verdict")
    for title, one in scores.items():
        why = Counter(said.problem for said in one.said if said.supported is None)
        count = len(one.said)
        each = f"{one.prompt_tokens / count:6.0f} {one.tokens / count:6.0f}"
        print(f"{title:10}{count:8}{why.total():12}  {each}   {dict(why) or ''}")
    if "ragas" in drawn:
        for title in drawn.keys() - {"ragas"}:
            print(f"{title} - ragas: {_interval(*_gain(scores, drawn, title, names))}")


def _gain(
    scores: dict[str, Score], drawn: dict[str, np.ndarray], title: str, names: Sequence[str]
) -> tuple[float, np.ndarray]:
    mean = np.mean(balanced(scores[title], names)) - np.mean(balanced(scores["ragas"], names))
    return float(mean), drawn[title] - drawn["ragas"]


def _interval(value: float, draws: np.ndarray) -> str:
    low, high = np.quantile(draws, [0.025, 0.975])
    return f"{value:.3f} ({low:.3f}, {high:.3f})"


def _claim(claim: Labelled) -> Claim:
    return Claim(text=claim.claim, start=0, end=0)


def _room(call: Sequence[Labelled]) -> int:
    return 190 + TOKENS_A_CLAIM * len(call)


def write(prompt: Ours | Ragas, grouped: Sequence[Sequence[Labelled]], path: Path) -> None:
    """Write the requests; the id says which claims, under which numbers."""
    with path.open("w", encoding="utf-8") as file:
        for call in grouped:
            sent, numbers = prompt.put(call)
            name = json.dumps([[claim.id for claim in call], numbers])
            file.write(json.dumps({"id": name, "messages": sent, "max_tokens": _room(call)}, ensure_ascii=False) + "\n")


def answered(path: Path, claims: Sequence[Labelled]) -> Iterable[tuple[Sequence[Labelled], Sequence[int], Reply]]:
    """The replies in a file, each with its claims and their numbers."""
    known = {claim.id: claim for claim in claims}
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        ids, numbers = json.loads(row["id"])
        reply = Reply(row["text"], row["finish"], row["prompt_tokens"], row["tokens"])
        yield [known[id_] for id_ in ids], numbers, reply


async def ask(
    prompt: Ours | Ragas, grouped: Sequence[Sequence[Labelled]], url: str, model: str, at_once: int
) -> list[tuple[Sequence[Labelled], Sequence[int], Reply]]:
    """Send the requests to an OpenAI-compatible endpoint; the key, if it wants one, is in OPENAI_API_KEY."""
    from openai import AsyncOpenAI

    gate = asyncio.Semaphore(at_once)
    async with AsyncOpenAI(base_url=url, timeout=600) as client:

        async def one(call: Sequence[Labelled]) -> tuple[Sequence[Labelled], Sequence[int], Reply]:
            sent: Any
            sent, numbers = prompt.put(call)
            async with gate:
                came: Any = await client.chat.completions.create(
                    model=model,
                    messages=sent,
                    temperature=0,
                    max_tokens=_room(call),
                )
            choice = came.choices[0]
            finish: Any = "length" if choice.finish_reason == "length" else "stop"
            reply = Reply(choice.message.content or "", finish, came.usage.prompt_tokens, came.usage.completion_tokens)
            return call, numbers, reply

        return await asyncio.gather(*map(one, grouped))


def main() -> None:
    """Run, write or score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--prompt", action="append", help="full, brief, small, ragas, a variant, or a file; repeatable")
    parser.add_argument("--variants", action="store_true", help="and all of prompt_variants/")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--claims", type=int, default=150, help="of each set")
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--per-call", type=int, default=1, help="claims in a call")
    parser.add_argument("--endpoint", help="address of an OpenAI-compatible endpoint")
    parser.add_argument("--model", default="model")
    parser.add_argument("--concurrency", type=int, default=4)
    parser.add_argument("--requests", type=Path, help="write the requests into this folder instead")
    parser.add_argument("--replies", type=Path, help="score the replies in this folder instead")
    given = parser.parse_args()
    if sum(map(bool, (given.endpoint, given.requests, given.replies))) != 1:
        parser.error("give one of --endpoint, --requests and --replies")
    claims = load(given.data, given.sets, given.claims, seed=given.seed)
    scores = {}
    asked = given.prompt or ["full", "brief", "ragas"]
    for name in [*asked, *(NAMES if given.variants else [])]:
        prompt = Ragas() if name == "ragas" else Varied(name) if name in NAMES else Ours(name)
        title = Path(name).stem
        file = f"{title}-{given.per_call}.jsonl"
        grouped = calls(claims, 1 if name == "small" else given.per_call)  # as the judge sends it
        if given.requests:
            given.requests.mkdir(parents=True, exist_ok=True)
            write(prompt, grouped, given.requests / file)
        elif given.replies:
            scores[title] = score(prompt, answered(given.replies / file, claims))
        else:
            came = asyncio.run(ask(prompt, grouped, given.endpoint, given.model, given.concurrency))
            scores[title] = score(prompt, came)
    if scores:
        show(scores, given.sets)


if __name__ == "__main__":
    main()
