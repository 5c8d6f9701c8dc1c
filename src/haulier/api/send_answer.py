"""Sending of complete answers."""

from collections.abc import Iterable

from starlette.types import Send


async def send_answer(send: Send, status: int, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> None:
    """Send a complete answer with exactly these headers, in lower case."""
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
    await send({"type": "http.response.body", "body": body})
