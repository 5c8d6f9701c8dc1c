"""Webhook receiver over real HTTP with scripted responses and signature checks."""

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from msgspec import Struct


class ReceivedWebhook(Struct, kw_only=True):
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        """Return the received document."""
        return json.loads(self.body)

    def signed_with(self, secret: str) -> bool:
        """Return True if a signature matches, computed as Standard Webhooks describes."""
        key = base64.b64decode(secret.split("_", 1)[1])
        text = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.{self.body.decode()}"
        expected = base64.b64encode(hmac.new(key, text.encode(), hashlib.sha256).digest()).decode()
        return f"v1,{expected}" in self.headers["webhook-signature"].split()


HELD_UP_S = 120.0
"""The longest that an answer waits for what it is to come after."""


class FakeReceiver:
    """Received requests, and the next responses: status, headers and delay."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.received: list[ReceivedWebhook] = []
        self.answers: list[tuple[int, dict[str, str], float | threading.Event]] = []
        self.says = b"thank you"

    def url(self, path: str = "/hooks") -> str:
        """An address here."""
        return self.base + path

    def will(self, status: int, *, after: float | threading.Event = 0, **headers: str) -> None:
        """Script the next response, after a delay or an event; later ones are 200 again."""
        self.answers.append((status, {name.replace("_", "-"): text for name, text in headers.items()}, after))

    @property
    def events(self) -> list[str]:
        """The events that came in, in their order."""
        return [each.document["event"] for each in self.received]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    receiver: FakeReceiver

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore early disconnects, which are intentional here."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        """Store the request, then send the scripted response."""
        receiver = self.server.receiver
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): text for name, text in self.headers.items()}
        status, more, after = receiver.answers.pop(0) if receiver.answers else (200, {}, 0.0)
        receiver.received.append(ReceivedWebhook(path=self.path, headers=headers, body=body))
        after.wait(HELD_UP_S) if isinstance(after, threading.Event) else time.sleep(after)
        self.send_response(status)
        for name, text in {**more, "content-length": str(len(receiver.says))}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(receiver.says)

    def log_message(self, format: str, *args: Any) -> None:
        """Suppress logs."""


@contextmanager
def run_receiver() -> Iterator[FakeReceiver]:
    """A receiver on this machine while the context is open."""
    server = _Server(("127.0.0.1", 0), _Handler)
    receiver = server.receiver = FakeReceiver(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
