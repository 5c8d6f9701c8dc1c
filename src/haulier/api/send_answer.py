"""Answers whose body is complete."""

from collections.abc import Iterable

from starlette.types import Send


async def send_answer(send: Send, status: int, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> None:
    """Send an answer in one piece. Its headers, in small letters, are all that is sent."""
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
    await send({"type": "http.response.body", "body": body})
