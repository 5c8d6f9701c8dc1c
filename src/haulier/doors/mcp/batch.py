"""Several messages in one request: version 2025-03-26 has every server take them, the others know no such thing.

Each is answered as if it had come alone, one after the other; what asks for no answer gets none.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec import Raw
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from haulier.kernel import codec

SPOKEN_BY = "2025-03-26"
MOST = 50
"""Messages in one request. A longer list is refused like any other list."""
One = Callable[[Scope, Receive, Send], Awaitable[None]]
_list = msgspec.json.Decoder(list[Raw])


def messages_of(body: bytes, version: str) -> list[bytes]:
    """The messages of a list; none where a body is no list, or the version knows none."""
    if version != SPOKEN_BY or not body.lstrip(b" \t\r\n").startswith(b"["):
        return []
    try:
        found = _list.decode(body)
    except msgspec.DecodeError:
        return []
    return [bytes(each) for each in found] if len(found) <= MOST else []


async def answer_each(messages: list[bytes], scope: Scope, receive: Receive, one: One) -> Response:
    """The answers in a list; 202 and nothing where none of the messages asks for one."""
    said = [await _answered(message, scope, receive, one) for message in messages]
    answers = [Raw(body) for body in said if body]
    if not answers:
        return Response(status_code=202)
    return Response(codec.encode(answers), media_type="application/json")


async def _answered(message: bytes, scope: Scope, receive: Receive, one: One) -> bytes:
    """The body of the answer to one message."""
    waiting: list[Message] = [{"type": "http.request", "body": message, "more_body": False}]
    headers = [pair for pair in scope["headers"] if pair[0] != b"content-length"]
    said = b""

    async def received() -> Message:
        return waiting.pop() if waiting else await receive()

    async def heard(answer: Any) -> None:
        nonlocal said
        if answer["type"] == "http.response.body":
            said += answer.get("body", b"")

    length = str(len(message)).encode()
    await one({**scope, "headers": [*headers, (b"content-length", length)]}, received, heard)
    return said
