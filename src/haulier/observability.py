"""Logs, metrics and spans: how an operator sees what the house does."""

import logging
from collections.abc import Callable

import structlog
from opentelemetry import trace

from haulier.settings import Settings

QUIET = ("uvicorn.access", "httpx", "httpcore", "mcp", "sse_starlette")


def configure(settings: Settings) -> None:
    """Structured logs on standard error, and spans where an endpoint is set."""
    _configure_logs(settings)
    if settings.otlp_endpoint:
        _configure_spans(settings.otlp_endpoint)


def _configure_logs(settings: Settings) -> None:
    shared: list[Callable[..., object]] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.stdlib.ExtraAdder(),
    ]
    last = structlog.processors.JSONRenderer() if settings.log_format == "json" else structlog.dev.ConsoleRenderer()
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,  # type: ignore[arg-type]
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                last,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    for name in QUIET:
        logging.getLogger(name).setLevel("WARNING")


def _configure_spans(endpoint: str) -> None:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": "haulier"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")))
    trace.set_tracer_provider(provider)
