"""Passages that bear on a claim, and quotes found in their contexts."""
