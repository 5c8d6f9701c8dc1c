"""OpenTelemetry spans of calls, created only if enabled."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from opentelemetry import trace

_tracer = trace.get_tracer("haulier")
_no_span = nullcontext()
_switch = {"on": False}


def enable_spans() -> None:
    """Create spans from now on. Requires a tracer provider that exports them."""
    _switch["on"] = True


def call_span(name: str) -> AbstractContextManager[Any]:
    """Return a context manager for the span of one call."""
    return _tracer.start_as_current_span(name) if _switch["on"] else _no_span
