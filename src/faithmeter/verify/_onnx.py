"""onnxruntime, without its telemetry: the one place that imports it.

From 1.31 on the wheel writes a device id and a queue of events into the user's cache folder, and it does so as it
is imported: the variable has to be there before, and the call covers a process that had imported it already.
"""

from __future__ import annotations

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime as ort

ort.disable_telemetry_events()

__all__ = ["ort"]
