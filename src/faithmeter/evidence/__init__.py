"""Passages for a claim, and quotes found in their contexts."""
