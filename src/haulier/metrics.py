"""Prometheus metrics on a separate address, served by a thread.

With a histogram per operation, interface and status, the page grows to hundreds of kilobytes and takes a good part of
a second to render. It is therefore neither on the public address nor rendered by the event loop, and is cached for
concurrent requests.
"""

import contextlib
import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Generator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

from haulier.observability import METRICS_TYPE, render_metrics
from haulier.settings import InvalidSetting, Settings

METRICS_PATH = "/metrics"
HEALTH_PATH = "/healthz"
NOT_SERVED = "off"
HEALTHY = "ok"
Health = Callable[[], str]
"""Returns `HEALTHY`, or what is wrong with the process."""
KEPT_S = 1.0
"""Time for which a page is cached."""
WORKER_PORT_DISTANCE = 100
SLOWEST_CALLER_S = 10.0
log = logging.getLogger("haulier.metrics")


class MetricsPage:
    """The page, rendered at most once in `KEPT_S`. Concurrent requests share it."""

    def __init__(
        self, render: Callable[[], bytes] = render_metrics, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._render = render
        self._clock = clock
        self._lock = threading.Lock()
        self._content = b""
        self._stale_at = float("-inf")

    def read(self) -> bytes:
        """Return the page, at most `KEPT_S` old."""
        with self._lock:
            if self._clock() >= self._stale_at:
                self._content = self._render()
                self._stale_at = self._clock() + KEPT_S
            return self._content


class MetricsServer(ThreadingHTTPServer):
    """An HTTP server for one page."""

    daemon_threads = True

    def __init__(self, host: str, port: int, page: MetricsPage, health: Health | None = None) -> None:
        """Listen on an address. Raises `OSError` if that fails."""
        self.page = page
        self.health = health
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _MetricsHandler)


class _MetricsHandler(BaseHTTPRequestHandler):
    timeout = SLOWEST_CALLER_S

    def do_GET(self) -> None:
        path, server = self.path.partition("?")[0], cast("MetricsServer", self.server)
        if path == METRICS_PATH:
            self._answer(HTTPStatus.OK, METRICS_TYPE, server.page.read())
        elif path == HEALTH_PATH and server.health:
            status = server.health()
            code = HTTPStatus.OK if status == HEALTHY else HTTPStatus.SERVICE_UNAVAILABLE
            self._answer(code, "application/json", json.dumps({"status": status}).encode())
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _answer(self, status: HTTPStatus, media_type: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def version_string(self) -> str:
        return "haulier"

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing for a scrape."""


@contextlib.contextmanager
def serve_metrics(settings: Settings, health: Health | None = None) -> Generator[MetricsServer | None]:
    """Serve the metrics while the context is open, unless disabled.

    With `health`, `/healthz` of the same address answers 200 if it returns `HEALTHY`, otherwise 503.

    Raises `InvalidSetting` if the address cannot be used; for the default address, logs a warning.
    """
    server = _listen(settings, health)
    if server is None:
        yield None
        return
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def _listen(settings: Settings, health: Health | None) -> MetricsServer | None:
    if settings.metrics_address == NOT_SERVED:
        return None
    host, _, port = settings.metrics_address.rpartition(":")
    try:
        return MetricsServer(host.strip("[]"), int(port), MetricsPage(), health)
    except (OSError, OverflowError) as error:
        fault = f"setting 'metrics_address': cannot listen on {settings.metrics_address}: {error}"
        if "metrics_address" in settings.model_fields_set:
            raise InvalidSetting(fault) from None
        log.warning("no metrics are served: %s", fault)
        return None


def worker_metrics(settings: Settings) -> Settings:
    """Return settings with the default metrics address of a worker.

    Its port is 100 above that of the server.
    """
    if "metrics_address" in settings.model_fields_set:
        return settings
    host, _, port = settings.metrics_address.rpartition(":")
    settings = settings.model_copy(update={"metrics_address": f"{host}:{int(port) + WORKER_PORT_DISTANCE}"})
    settings.model_fields_set.discard("metrics_address")
    return settings
