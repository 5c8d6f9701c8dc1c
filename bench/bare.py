"""The bare server that everything is compared with: an ASGI application of one constant answer of 17 bytes."""

from typing import Any

BODY = b'{"status":"okay"}'
START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", b"application/json"), (b"content-length", str(len(BODY)).encode())],
}
REST = {"type": "http.response.body", "body": BODY}


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answer without looking."""
    if scope["type"] == "http":
        await send(START)
        await send(REST)
