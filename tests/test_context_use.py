"""What the contexts were good for: used by supported claims, shown for others, or for none."""

from __future__ import annotations

from faithmeter import Claim, Context, Evidence, Label, Origin, Report, Result, Sample, Verdict
from faithmeter.results import Tally

CONTEXTS = tuple(Context(id=name, text=f"It is {name}.") for name in ("red", "blue", "green"))


def result(*found: tuple[Label, int | None]) -> Result:
    sample = Sample(answer="It is red.", contexts=CONTEXTS)
    verdicts = [
        Verdict(
            claim=Claim(text="It is red.", start=0, end=10),
            label=label,
            evidence=() if index is None else (Evidence.of(CONTEXTS, index, 0, 5),),
            origin=Origin(verifier="mine"),
        )
        for label, index in found
    ]
    return Result(sample=sample, outcomes=tuple(verdicts), signature="x")


def test_a_sample_says_which_contexts_its_supported_claims_rest_on() -> None:
    one = result((Label.SUPPORTED, 0), (Label.CONTRADICTED, 0), (Label.NOT_ENOUGH_INFO, 1))
    assert one.context_use == ("used", "shown", "unused")
    assert (one.utilisation, one.noise) == (1 / 3, 1 / 3)
    none = result()
    assert (none.utilisation, none.noise) == (None, None)


def test_a_run_adds_them_up_and_names_what_is_never_used() -> None:
    results = (result((Label.SUPPORTED, 0)), result((Label.SUPPORTED, 1)), result((Label.CONTRADICTED, 2)), result())
    report = Report(results=results)
    assert (report.utilisation, report.noise) == (2 / 9, 6 / 9)
    assert report.tally.contexts.never_used == [("green", 3)]
    halves = [Tally(), Tally()]
    for place, item in enumerate(results):
        halves[place % 2].add(item)
    halves[0].merge(halves[1])
    assert halves[0].as_dict() == report.tally.as_dict()
