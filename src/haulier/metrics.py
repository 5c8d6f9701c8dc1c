"""Prometheus metrics on a separate address, served by a thread.

With a histogram per operation, interface and status, the page grows to hundreds of kilobytes and takes a good part of
a second to render. It is therefore neither on the public address nor rendered by the event loop, and is cached for
concurrent requests.
"""

import contextlib
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
NOT_SERVED = "off"
KEPT_S = 1.0
"""Time for which a page is cached."""
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

    def __init__(self, host: str, port: int, page: MetricsPage) -> None:
        """Listen on an address. Raises `OSError` if that fails."""
        self.page = page
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _MetricsHandler)


class _MetricsHandler(BaseHTTPRequestHandler):
    timeout = SLOWEST_CALLER_S

    def do_GET(self) -> None:
        if self.path.partition("?")[0] != METRICS_PATH:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        content = cast("MetricsServer", self.server).page.read()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", METRICS_TYPE)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def version_string(self) -> str:
        return "haulier"

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing for a scrape."""


@contextlib.contextmanager
def serve_metrics(settings: Settings) -> Generator[MetricsServer | None]:
    """Serve the metrics while the context is open, unless disabled.

    Raises `InvalidSetting` if the address cannot be used; for the default address, logs a warning.
    """
    server = _listen(settings)
    if server is None:
        yield None
        return
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def _listen(settings: Settings) -> MetricsServer | None:
    if settings.metrics_address == NOT_SERVED:
        return None
    host, _, port = settings.metrics_address.rpartition(":")
    try:
        return MetricsServer(host.strip("[]"), int(port), MetricsPage())
    except (OSError, OverflowError) as error:
        fault = f"setting 'metrics_address': cannot listen on {settings.metrics_address}: {error}"
        if "metrics_address" in settings.model_fields_set:
            raise InvalidSetting(fault) from None
        log.warning("no metrics are served: %s", fault)
        return None
