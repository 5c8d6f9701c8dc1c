"""A local server that answers POST requests with JSON from a fake provider."""

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, TypeVar


class Answering(Protocol):
    """A fake provider that receives POST requests."""

    def answer(self, path: str, headers: Message, body: bytes) -> tuple[int, dict[str, Any]]:
        """Return the status and document of an answer."""
        ...


F = TypeVar("F", bound=Answering)


@contextmanager
def run_posted_json(fake_at: Callable[[str], F]) -> Generator[F]:
    """Run a fake behind a real server while the context is open.

    It is created with the server's URL.
    """

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status, document = fake.answer(self.path, self.headers, body)
            said = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    fake = fake_at(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
