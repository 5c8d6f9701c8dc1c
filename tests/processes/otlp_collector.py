"""A local OTLP endpoint that stores the received spans."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Collector(ThreadingHTTPServer):
    """Received requests by path, parsed with the protocol's classes."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), TraceHandler)
        self.requests: list[tuple[str, ExportTraceServiceRequest]] = []

    @property
    def endpoint(self) -> str:
        """The URL of the endpoint."""
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def spans(self) -> list[Span]:
        """All spans of all requests."""
        return [
            span
            for _, request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


class TraceHandler(BaseHTTPRequestHandler):
    """Stores a request."""

    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.requests.append((self.path, ExportTraceServiceRequest.FromString(body)))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextmanager
def make_collector() -> Iterator[Collector]:
    """Run a collector while the context is open."""
    collector = Collector()
    thread = threading.Thread(target=collector.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield collector
    collector.shutdown()
    thread.join()
    collector.server_close()
