"""Measurements: side by side with peers, and against human labels; not in the wheel."""
