"""Proxy in front of a server that fails as networks and servers do."""

import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

DROP_BEFORE, DROP_AFTER = "drop before", "drop after"
"""End the connection without an answer: before the server gets the request, or after it did its work."""


class FaultyProxy:
    """Faults to come, in order, and the keys and paths of all requests."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.base = ""
        self.faults: list[str | tuple[int, dict[str, str]]] = []
        self.keys: list[str | None] = []
        self.paths: Counter[str] = Counter()


@contextmanager
def faulty_proxy(target: str) -> Generator[FaultyProxy]:
    """Yield a proxy of a server."""
    proxy = FaultyProxy(target)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            proxy.keys.append(self.headers.get("Idempotency-Key"))
            proxy.paths[self.path.partition("?")[0]] += 1
            fault = proxy.faults.pop(0) if proxy.faults else None
            if fault == DROP_BEFORE:
                self.close_connection = True
                return
            if isinstance(fault, tuple):
                status, headers = fault
                self._answer(status, headers, b"<html>proxy</html>")
                return
            sent = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
            answer = httpx.request(self.command, proxy.target + self.path, content=body, headers=sent, timeout=60)
            if fault == DROP_AFTER:
                self.close_connection = True
                return
            kept = {name: answer.headers[name] for name in ("content-type", "x-request-id") if name in answer.headers}
            self._answer(answer.status_code, kept, answer.content)

        def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    for method in ("POST", "PUT", "PATCH", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.do_GET)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        proxy.base = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield proxy
        server.shutdown()
