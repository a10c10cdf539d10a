"""What code sees and a small network does not, written into the text that the network reads; see `noted`."""

from __future__ import annotations

from faithmeter.verify.notes.kin import with_kin
from faithmeter.verify.notes.limits import with_limits
from faithmeter.verify.notes.orders import with_orders

__all__ = ["noted", "with_kin", "with_limits", "with_orders"]


def noted(evidence: str, claim: str, *, hint: str = "") -> str:
    """The evidence with notes on its amounts and its families as far as the claim speaks of them, in brackets.

    `hint` says what the claim's pronouns refer to. Nothing else of the evidence changes.
    """
    return with_limits(with_orders(with_kin(evidence, claim, hint), claim), claim)
