"""Measures citation checks on made cases: `python -m benchmarks.citations`.

Answers are written from facts that stand in one passage each, with marks in six styles. By construction a mark is
right, names the wrong passage, is behind a claim that no passage bears out, or names no passage; some claims have none.
A case is right if every mark, every better passage and every claim without a mark is found as it was made.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections import Counter
from typing import NamedTuple

from faithmeter import Context, Evaluator, Sample
from faithmeter.fix.cite import CitationStep
from faithmeter.intervals import wilson_interval

RIGHT = 0.95
FACTS = (
    ("The Hartford bridge opened in 1931 and is 412 metres long.", "The Hartford bridge opened in 1931."),
    ("Maria Lopez directs the city museum, which has 220 paintings.", "The city museum is directed by Maria Lopez."),
    ("The northern ferry carries 640 passengers and 90 cars.", "The northern ferry carries 640 passengers."),
    ("Acme Robotics employs 300 people at its plant in Leipzig.", "Acme Robotics employs 300 people in Leipzig."),
    ("The old library was damaged by a flood in March 2002.", "A flood damaged the old library in March 2002."),
    ("A day ticket for the zoo costs 18 euros; children pay half.", "A day ticket for the zoo costs 18 euros."),
    ("Dr. Chen discovered the comet with a small telescope.", "The comet was discovered by Dr. Chen."),
    ("The reservoir holds 40 million litres of drinking water.", "The reservoir holds 40 million litres of water."),
    ("The orchestra plays its summer concerts in the castle park.", "Summer concerts take place in the castle park."),
    ("The town council has 21 members, elected every four years.", "The town council has 21 members."),
    ("The marathon starts at the harbour at nine in the morning.", "The marathon starts at the harbour."),
    ("Salt has been mined near Wielen since the twelfth century.", "Salt has been mined near Wielen for centuries."),
)  # fmt: skip
INVENTED = ("The mayor owns three racing horses.", "The airport will get a second runway in spring.",
            "Nobel laureates meet in the town hall every May.", "The bakery won a prize for its bread.")  # fmt: skip
STYLES = ("[{}]", "[^{}]", "(Doc {})", "【{}†source】", "[Source {}]", "super")
PASSAGES = 5


class Made(NamedTuple):
    """An answer with its passages, and what must be found about its marks and claims."""

    sample: Sample
    marks: list[tuple[str, int | None]]
    uncited: list[str]


def made(rng: random.Random) -> Made:
    """One case: three or four claims."""
    facts = rng.sample(FACTS, PASSAGES)
    style = rng.choice(STYLES)
    sentences: list[str] = []
    expected: list[tuple[str, int | None]] = []
    uncited: list[str] = []
    for place in rng.sample(range(PASSAGES), rng.choice((3, 4))):
        kinds = ("right", "right", "wrong_passage", "unsupported", "unknown", "none", "two")
        kind = rng.choice(kinds[: 6 if style == "super" else 7])
        claim = rng.choice(INVENTED) if kind == "unsupported" else facts[place][1]
        if claim in " ".join(sentences):
            continue
        other = rng.choice([n for n in range(PASSAGES) if n != place])
        if kind == "none":
            sentences.append(claim)
            uncited.append(claim)
            continue
        named = {"right": [place], "two": [place, other], "wrong_passage": [other], "unknown": [PASSAGES + 3]}
        numbers = named.get(kind, [other])
        sentences.append(
            f"{claim[:-1]} {_mark(style, numbers)}." if style != "super" else claim + _mark(style, numbers)
        )
        found: dict[str, list[tuple[str, int | None]]] = {
            "right": [("right", None)],
            "two": [("right", None), ("wrong_passage", None)],
            "wrong_passage": [("wrong_passage", place)],
            "unknown": [("unknown", place)],
        }
        expected += found.get(kind, [("unsupported", None)])
    contexts = tuple(Context(text=fact[0]) for fact in facts)
    return Made(Sample(answer=" ".join(sentences), contexts=contexts), expected, uncited)


def _mark(style: str, numbers: list[int]) -> str:
    names = [str(number + 1) for number in numbers]
    if style == "super":
        return "".join(name.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")) for name in names[:1])
    if style in ("[{}]", "(Doc {})", "[Source {}]"):
        return style.format(", ".join(names))
    return "".join(style.format(name) for name in names)


async def measure(verifier: str, count: int, show: int) -> bool:
    """Whether nineteen cases in twenty are right."""
    rng = random.Random(0)
    evaluator = Evaluator(verifier=verifier, steps=[CitationStep()])
    right = marks = marks_right = 0
    wrong: Counter[str] = Counter()
    for _ in range(count):
        case = made(rng)
        result = await evaluator.check(case.sample)
        assert result.citations
        expected = case.marks
        found = [(mark.found, mark.better) for mark in result.citations.marks]
        bare = [case.sample.answer[start:end] for start, end in result.citations.uncited]
        same = [
            want[0] == got[0] and (want[1] is None or want[1] == got[1])
            for want, got in zip(expected, found, strict=False)
        ]
        good = len(found) == len(expected) and all(same) and bare == case.uncited
        right += good
        marks += len(expected)
        marks_right += sum(same)
        both = zip(expected, found, strict=False)
        wrong.update(f"{want[0]} found {got[0]}" for want, got in both if want[0] != got[0])
        if not good and show > 0:
            show -= 1
            print(f"  {case.sample.answer}\n      expected {expected}, {case.uncited}\n      found    {found}, {bare}")
    share = right / count
    low, high = wilson_interval(share, count)
    print(
        f"cases right {share:.1%} ({low:.1%} to {high:.1%}) of {count}; "
        f"marks right {marks_right / marks:.1%} of {marks}"
    )
    if wrong:
        print("  " + ", ".join(f"{number} {what}" for what, number in wrong.most_common()))
    return share >= RIGHT


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--verifier", default="local")
    parser.add_argument("--limit", type=int, default=300, help="cases")
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    sys.exit(0 if asyncio.run(measure(given.verifier, given.limit, given.show)) else 1)


if __name__ == "__main__":
    main()
