"""What /metrics tells Prometheus."""

from __future__ import annotations

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from faithmeter._version import __version__
from faithmeter.datamodels import Failure
from faithmeter.results import Result

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        counter, gauge = partial(Counter, registry=registry), partial(Gauge, registry=registry)
        histogram = partial(Histogram, registry=registry)
        self.requests = counter("faithmeter_requests", "Requests answered", ["route", "method", "status"])
        self.seconds = histogram("faithmeter_request_seconds", "Time to answer", ["route"], buckets=_SECONDS)
        self.claims = counter("faithmeter_claims", "Claims judged, by label", ["verifier", "label"])
        self.failures = counter("faithmeter_failures", "Claims that could not be judged, by kind", ["verifier", "kind"])
        self.decisions = counter("faithmeter_decisions", "Guarded answers, by what was done", ["where", "action"])
        self.refused = counter("faithmeter_refused", "Requests not answered as asked, by kind of problem", ["problem"])
        self.waiting = gauge("faithmeter_waiting_claims", "Claims admitted and not judged yet")
        self.streams = gauge("faithmeter_streams", "Streamed and proxied answers under way")
        self.batches = histogram("faithmeter_batch_claims", "Claims judged together", buckets=(1, 2, 4, 8, 16, 32, 64))
        self.upstream = counter("faithmeter_upstream", "Answers of the model's endpoint, by status", ["status"])
        self.promise_threshold = gauge(
            "faithmeter_promise_threshold", "Support that the promise takes; 0 without a promise"
        )
        self.promise_at_most = gauge("faithmeter_promise_at_most", "Share of passed answers that may be unfaithful")
        self.promise_answers = counter(
            "faithmeter_promise_answers", "Guarded answers, by whether they pass the promise", ["passes"]
        )
        self.promise_drift = gauge(
            "faithmeter_promise_drift", "In how many ways recent answers look unlike the labelled ones"
        )
        gauge("faithmeter_info", "The version", ["version"]).labels(__version__).set(1)

    def count(self, verifier: str, result: Result) -> None:
        """Count a result's outcomes."""
        for outcome in result.outcomes:
            if isinstance(outcome, Failure):
                self.failures.labels(verifier, outcome.kind).inc()
            else:
                self.claims.labels(verifier, outcome.label.value).inc()
