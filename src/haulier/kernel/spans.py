"""Spans of calls, where an operator asked for them; otherwise a call does not pay for what nobody collects."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from opentelemetry import trace

_tracer = trace.get_tracer("haulier")
_quiet = nullcontext()
_switch = {"on": False}


def turn_on() -> None:
    """Make spans from now on: a provider that exports them is set."""
    _switch["on"] = True


def span(name: str) -> AbstractContextManager[Any]:
    """The span of one call, while the context is open."""
    return _tracer.start_as_current_span(name) if _switch["on"] else _quiet
