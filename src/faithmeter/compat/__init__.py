"""The calls that users of other systems know, as faces of the one pipeline."""

from faithmeter.compat.continuous_eval import DeterministicFaithfulness

__all__ = ["DeterministicFaithfulness"]
