"""Traces as samples: spans of Phoenix, OpenTelemetry, Langfuse, LangSmith and MLflow, grouped by trace.

`shapes` tells whose a row is, `otel` and `vendors` read it, `gather` groups spans by trace, `answers` finds the
question, the answer and what was retrieved for it. What cannot be used is a RowError, like any other bad row.
"""
