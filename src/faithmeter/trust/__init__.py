"""Measuring a judge: human labels, agreement, calibration, stability, the self-test."""
