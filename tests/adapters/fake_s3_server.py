"""Minimal S3 server over real HTTP that verifies Amazon's documented signatures.

It recomputes the signature of a request with separate code, and verifies that the body is the signed one.
"""

import hashlib
import hmac
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import reduce
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY, SECRET, REGION, BUCKET = "AKIDHAULIER", "s3cr3t/with+odd=signs", "eu-west-1", "papers"
AUTHORIZATION_PATTERN = re.compile(
    r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})"
)
REQUIRED_SIGNED_HEADERS = {"host", "x-amz-content-sha256", "x-amz-date"}
SKEW = timedelta(minutes=15)


class FakeBucket:
    """Objects in the bucket, and the next error."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.objects: dict[str, tuple[bytes, str]] = {}
        self.puts = 0
        self.faults: list[tuple[int, str]] = []

    def setting(self, secret: str = "s3cr3t%2Fwith%2Bodd%3Dsigns", bucket: str = BUCKET) -> str:
        """The setting that leads here."""
        return f"s3+http://{KEY}:{secret}@{self.url}/{bucket}?region={REGION}"

    def answer(self, method: str, path: str, headers: Any, body: bytes) -> tuple[int, bytes]:
        """As documented: the object, or an error document with a code."""
        if refusal := self.faults.pop(0) if self.faults else self._refusal(method, path, headers, body):
            return refusal[0], f"<Error><Code>{refusal[1]}</Code><Message>{path}</Message></Error>".encode()
        if method == "PUT":
            self.puts += 1
            self.objects[path] = (body, headers["Content-Type"])
            return 200, b""
        if method == "DELETE":
            self.objects.pop(path, None)
            return 204, b""
        return 200, self.objects[path][0]

    def _refusal(self, method: str, path: str, headers: Any, body: bytes) -> tuple[int, str] | None:
        said = AUTHORIZATION_PATTERN.fullmatch(headers.get("Authorization", ""))
        if said is None or not set(said[4].split(";")) >= REQUIRED_SIGNED_HEADERS:
            return 403, "AccessDenied"
        if said[1] != KEY:
            return 403, "InvalidAccessKeyId"
        at = datetime.strptime(headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        if abs(datetime.now(UTC) - at) > SKEW:
            return 403, "RequestTimeTooSkewed"
        if hashlib.sha256(body).hexdigest() != headers["x-amz-content-sha256"]:
            return 400, "XAmzContentSHA256Mismatch"
        if said[3] != REGION:
            return 400, "AuthorizationHeaderMalformed"
        if not hmac.compare_digest(said[5], expected_signature(method, path, headers, said[4].split(";"))):
            return 403, "SignatureDoesNotMatch"
        if not path.startswith(f"/{BUCKET}/"):
            return 404, "NoSuchBucket"
        return (404, "NoSuchKey") if method == "GET" and path not in self.objects else None


def expected_signature(method: str, path: str, headers: Any, names: list[str]) -> str:
    """Return the signature of a request by the steps of the S3 API reference."""
    request = f"{method}\n{path}\n\n"
    for name in names:
        request += f"{name}:{headers[name].strip()}\n"
    request += f"\n{';'.join(names)}\n{headers['x-amz-content-sha256']}"
    at = headers["x-amz-date"]
    scope = [at[:8], REGION, "s3", "aws4_request"]
    text = f"AWS4-HMAC-SHA256\n{at}\n{'/'.join(scope)}\n{hashlib.sha256(request.encode()).hexdigest()}"
    key = reduce(lambda key, part: hmac.new(key, part.encode(), "sha256").digest(), scope, f"AWS4{SECRET}".encode())
    return hmac.new(key, text.encode(), "sha256").hexdigest()


@contextmanager
def run_bucket() -> Iterator[FakeBucket]:
    """A server with an empty bucket, on a port of its own."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_PUT(self) -> None:
            self._answer("PUT", self.rfile.read(int(self.headers.get("Content-Length", 0))))

        def do_GET(self) -> None:
            self._answer("GET", b"")

        def do_DELETE(self) -> None:
            self._answer("DELETE", b"")

        def _answer(self, method: str, body: bytes) -> None:
            status, answer = bucket.answer(method, self.path, self.headers, body)
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    bucket = FakeBucket(f"127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield bucket
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
