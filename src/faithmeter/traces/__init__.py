"""Scores out: results as scores on the traces they were made from.

`scores` makes them, `otlp` writes them as OpenTelemetry's and OpenInference's files, `targets` sends them to Phoenix,
Langfuse, MLflow, LangSmith or a collector, `pull` fetches the spans of a Phoenix project.
"""
