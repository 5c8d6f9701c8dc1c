"""Bare server as the baseline: an ASGI application with a constant response."""

from typing import Any

BODY = b'{"status":"okay"}'
START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", b"application/json"), (b"content-length", str(len(BODY)).encode())],
}
REST = {"type": "http.response.body", "body": BODY}


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Respond without reading the request."""
    if scope["type"] == "http":
        await send(START)
        await send(REST)
