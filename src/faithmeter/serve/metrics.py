"""What /metrics tells Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from faithmeter._version import __version__
from faithmeter.datamodels import Failure
from faithmeter.results import Result

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        self.requests = Counter(
            "faithmeter_requests", "Requests answered", ["route", "method", "status"], registry=registry
        )
        self.seconds = Histogram(
            "faithmeter_request_seconds", "Time to answer", ["route"], buckets=_SECONDS, registry=registry
        )
        self.claims = Counter("faithmeter_claims", "Claims judged, by label", ["verifier", "label"], registry=registry)
        self.failures = Counter(
            "faithmeter_failures", "Claims that could not be judged, by kind", ["verifier", "kind"], registry=registry
        )
        self.decisions = Counter(
            "faithmeter_decisions", "Guarded answers, by what was done", ["where", "action"], registry=registry
        )
        self.refused = Counter(
            "faithmeter_refused", "Requests not answered as asked, by kind of problem", ["problem"], registry=registry
        )
        self.waiting = Gauge("faithmeter_waiting_claims", "Claims admitted and not judged yet", registry=registry)
        self.streams = Gauge("faithmeter_streams", "Streamed and proxied answers under way", registry=registry)
        self.batches = Histogram(
            "faithmeter_batch_claims",
            "Claims judged together",
            buckets=(1, 2, 4, 8, 16, 32, 64),
            registry=registry,
        )
        self.upstream = Counter(
            "faithmeter_upstream", "Answers of the model's endpoint, by status", ["status"], registry=registry
        )
        self.promise_threshold = Gauge(
            "faithmeter_promise_threshold", "Support that the promise takes; 0 without a promise", registry=registry
        )
        self.promise_at_most = Gauge(
            "faithmeter_promise_at_most", "Share of passed answers that may be unfaithful", registry=registry
        )
        self.promise_answers = Counter(
            "faithmeter_promise_answers",
            "Guarded answers, by whether they pass the promise",
            ["passes"],
            registry=registry,
        )
        self.promise_drift = Gauge(
            "faithmeter_promise_drift",
            "In how many ways recent answers look unlike the labelled ones",
            registry=registry,
        )
        Gauge("faithmeter_info", "The version", ["version"], registry=registry).labels(__version__).set(1)

    def count(self, verifier: str, result: Result) -> None:
        """Count a result's outcomes."""
        for outcome in result.outcomes:
            if isinstance(outcome, Failure):
                self.failures.labels(verifier, outcome.kind).inc()
            else:
                self.claims.labels(verifier, outcome.label.value).inc()
