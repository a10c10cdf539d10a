"""What the contexts were good for: which ones supported claims rest on, and which matter for none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from faithmeter.datamodels import Label, Sample, Verdict

Use = Literal["used", "shown", "unused"]
"""A supported claim rests on it; it was shown for another claim only; it was shown for none."""
NEVER_USED = 100  # contexts without use that the numbers name
_RESTS = (Label.SUPPORTED, Label.PARTIALLY_SUPPORTED)


def uses(sample: Sample, verdicts: Sequence[Verdict]) -> tuple[Use, ...]:
    """What each context of a sample was good for."""
    shown = {item.context for verdict in verdicts for item in verdict.evidence}
    used = {item.context for verdict in verdicts for item in verdict.evidence if verdict.label in _RESTS}
    return tuple(
        "used" if index in used else "shown" if index in shown else "unused" for index in range(len(sample.contexts))
    )


def share(context_uses: Sequence[Use], use: Use) -> float | None:
    """The share of contexts that were of this use; None if there are none."""
    return context_uses.count(use) / len(context_uses) if context_uses else None


class ContextCounts:
    """The contexts of a run's judged answers, by what they were good for."""

    def __init__(self) -> None:
        self.uses: Counter[Use] = Counter()
        self.given: Counter[str] = Counter()
        """How often each context that has an id was given."""
        self.used: Counter[str] = Counter()
        """How often a supported claim rested on it."""

    def add(self, sample: Sample, context_uses: Sequence[Use]) -> None:
        """Count the contexts of one more sample."""
        for context, use in zip(sample.contexts, context_uses, strict=True):
            self.uses[use] += 1
            if context.id:
                self.given[context.id] += 1
                self.used[context.id] += use == "used"

    def merge(self, other: ContextCounts) -> None:
        """Count another run's contexts as well."""
        self.uses.update(other.uses)
        self.given.update(other.given)
        self.used.update(other.used)

    def share(self, use: Use) -> float | None:
        """The share of all contexts that were of this use; None if there were none."""
        return self.uses[use] / self.uses.total() if self.uses else None

    @property
    def never_used(self) -> list[tuple[str, int]]:
        """The contexts with an id that no supported claim rests on, those that were given most often first."""
        return [(name, count) for name, count in self.given.most_common() if not self.used[name]]

    def as_dict(self) -> dict[str, Any]:
        """The numbers, ready for JSON."""
        return {
            "contexts": dict(self.uses),
            "utilisation": self.share("used"),
            "noise": self.share("unused"),
            "never_used": dict(self.never_used[:NEVER_USED]),
        }
