"""A local server that answers what is posted to it with JSON, as a fake of some provider says."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, TypeVar


class Answering(Protocol):
    """A fake that takes what is posted."""

    def answer(self, path: str, headers: Message, body: bytes) -> tuple[int, dict[str, Any]]:
        """The status and the document of an answer."""
        ...


F = TypeVar("F", bound=Answering)


@contextmanager
def run_posted_json(fake_at: Callable[[str], F]) -> Iterator[F]:
    """A fake behind a real server, while the context is open; it is made with the server's address."""

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
            """Nothing is said on the terminal."""

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
