"""Runs over many samples."""

from faithmeter.runs.runner import aevaluate, evaluate

__all__ = ["aevaluate", "evaluate"]
