"""Logs, metrics and spans for operators."""

import json
import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import prometheus_client
from opentelemetry import trace

from haulier.kernel.pipeline.spans import enable_spans
from haulier.settings import InvalidSetting, Settings

METRICS_TYPE = prometheus_client.CONTENT_TYPE_LATEST
FLUSH_MS = 5_000
prometheus_client.disable_created_metrics()
QUIET_LOGGERS = ("alembic", "uvicorn.access", "httpx", "httpcore", "mcp", "sse_starlette")
LINE_HEAD = frozenset({"event", "level", "logger", "timestamp"})
UNNAMED_MEMBERS = logging.makeLogRecord({}).__dict__.keys() | {"message", "asctime", "color_message"}
"""Attributes that every record has, including duplicates. All others were added by the caller."""
SIGNS_TO_QUOTE = frozenset(" \t=\r\n\"'")
QUIET_FOR_PEOPLE = ("uvicorn.error", "haulier.job")
"""Loggers that are limited to warnings in console logs. JSON logs include each step of a server's start and end."""


def configure_observability(settings: Settings) -> None:
    """Configure structured logs on standard error, and spans if an endpoint is set.

    Idempotent.
    """
    _configure_logs(settings)
    if settings.otlp_endpoint and not isinstance(trace.get_tracer_provider(), _load_span_sdk().TracerProvider):
        _configure_spans(settings.otlp_endpoint)


def render_metrics() -> bytes:
    """Return the Prometheus metrics, combined for all server processes."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return prometheus_client.generate_latest()
    from prometheus_client import CollectorRegistry, multiprocess

    together = CollectorRegistry()
    multiprocess.MultiProcessCollector(together)
    return prometheus_client.generate_latest(together)


def flush_spans() -> None:
    """Send pending spans before a process is stopped by a signal."""
    provider: Any = trace.get_tracer_provider()
    if hasattr(provider, "force_flush"):
        provider.force_flush(FLUSH_MS)


def _configure_logs(settings: Settings) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(LineFormatter(json=settings.log_format == "json", node=settings.node))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    for name in QUIET_LOGGERS if settings.log_format == "json" else (*QUIET_LOGGERS, *QUIET_FOR_PEOPLE):
        logging.getLogger(name).setLevel("WARNING")


class LineFormatter(logging.Formatter):
    """Formats a log record as one line of JSON or of console text.

    Console text is followed by the traceback, if any.
    """

    # Custom, because a library took a tenth of the time of a write and of a start (docs/decisions/libraries.md).

    def __init__(self, *, json: bool, node: str | None = None) -> None:
        """Create a formatter. JSON lines name the node."""
        super().__init__()
        self._node = {"node": node} if json and node else {}
        self._render: Callable[[dict[str, Any]], str] = _json_line if json else _console_line

    def format(self, record: logging.LogRecord) -> str:
        """Return the formatted line."""
        facts: dict[str, Any] = {
            "event": record.getMessage(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="microseconds")[:-6] + "Z",
        }
        facts |= self._node
        facts |= {name: value for name, value in record.__dict__.items() if name not in UNNAMED_MEMBERS}
        if record.exc_info:
            facts["exception"] = self.formatException(record.exc_info)
        return self._render(facts)


def _json_line(facts: dict[str, Any]) -> str:
    return json.dumps(facts, default=repr)


def _console_line(facts: dict[str, Any]) -> str:
    exception = facts.pop("exception", None)
    named = " ".join(f"{name}={_shown(facts[name])}" for name in sorted(facts.keys() - LINE_HEAD))
    head = f"{facts['timestamp']} [{facts['level']:9}] {facts['event']:30} [{facts['logger']}] {named}"
    return head.rstrip(" ") + (f"\n{exception}" if exception else "")


def _shown(value: Any) -> str:
    return value if isinstance(value, str) and not SIGNS_TO_QUOTE & set(value) else repr(value)


def _load_span_sdk() -> Any:
    try:
        from opentelemetry.sdk import trace as sdk
    except ImportError:
        raise InvalidSetting(
            "setting 'otlp_endpoint' requires the extra `telemetry`. Install haulier[telemetry]."
        ) from None
    return sdk


def _configure_spans(endpoint: str) -> None:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": "haulier"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")))
    trace.set_tracer_provider(provider)
    enable_spans()
