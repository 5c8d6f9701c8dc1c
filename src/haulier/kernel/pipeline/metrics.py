"""Prometheus metrics: number and duration of calls."""

from prometheus_client import Counter, Histogram

_CALL_COUNTER = Counter("haulier_calls_total", "Calls of operations", ("operation", "door", "status"))
_CALL_SECONDS = Histogram(
    "haulier_call_seconds",
    "Duration of calls in seconds",
    ("operation",),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
_DATABASE_ERRORS = Counter("haulier_database_errors_total", "Calls that failed because of the database", ("kind",))
_counters: dict[tuple[str, str, int], Counter] = {}
_histograms: dict[str, Histogram] = {}


def count_call(operation: str, interface: str, status: int, seconds: float) -> None:
    """Count one call.

    Labelled children are cached, because looking them up costs more than counting.
    """
    key = (operation, interface, status)
    counter = _counters.get(key)
    if counter is None:
        counter = _counters[key] = _CALL_COUNTER.labels(operation, interface, str(status))
        _histograms.setdefault(operation, _CALL_SECONDS.labels(operation))
    counter.inc()
    _histograms[operation].observe(seconds)


def count_database_error(error: Exception) -> None:
    """Count a call that an outage or a conflict of transactions ended."""
    _DATABASE_ERRORS.labels(type(error).__name__).inc()
