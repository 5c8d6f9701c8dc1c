"""Reading of request bodies up to a limit."""

from starlette.types import Receive

from haulier.kernel.operations.errors import BODY_TOO_LARGE


async def read_body(receive: Receive, limit: int) -> bytes:
    """Read the whole body. Raises `BODY_TOO_LARGE` as soon as it exceeds the limit."""
    message = await receive()
    if not message.get("more_body"):
        body = message.get("body", b"")
        if len(body) > limit:
            raise BODY_TOO_LARGE(limit_bytes=limit)
        return body
    parts, size = [message.get("body", b"")], len(message.get("body", b""))
    while message.get("more_body"):
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise BODY_TOO_LARGE(limit_bytes=limit)
        parts.append(part)
    return b"".join(parts)
