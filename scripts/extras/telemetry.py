"""Check of the extra `telemetry`: a server exports the spans of its calls."""

import gzip
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from scripts.stranger import serving

sent: list[tuple[str, bytes]] = []


class Collector(BaseHTTPRequestHandler):
    """Stores received requests."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        sent.append((self.path, gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Suppress logs: standard output is the result."""


collector = HTTPServer(("127.0.0.1", 0), Collector)
threading.Thread(target=collector.serve_forever, daemon=True).start()
endpoint = {"HAULIER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}"}
with tempfile.TemporaryDirectory() as folder:
    command = (sys.executable, "-m", "haulier", "serve", "--demo")
    with serving(*command, at=Path(folder), more=endpoint) as visit:
        visit.one_order()
        visit.stop()
assert {path for path, _ in sent} == {"/v1/traces"}
assert any(b"create_order" in body and b"haulier" in body for _, body in sent)
print(f"{len(sent)} requests with spans received, including the order")
