"""Several messages in one request: version 2025-03-26 has every server take them, the others know no such thing.

Each is answered as if it had come alone, one after the other; what asks for no answer gets none.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec import Raw
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from haulier.kernel.operations import codec

BATCH_PROTOCOL_VERSION = "2025-03-26"
MAX_BATCH_CALLS = 50
"""Messages in one request. A longer list is refused like any other list."""
AnswerMessage = Callable[[Scope, Receive, Send], Awaitable[None]]
_list_decoder = msgspec.json.Decoder(list[Raw])


def split_batch(body: bytes, version: str) -> list[bytes]:
    """The messages of a list; none where a body is no list, or the version knows none."""
    if version != BATCH_PROTOCOL_VERSION or not body.lstrip(b" \t\r\n").startswith(b"["):
        return []
    try:
        found = _list_decoder.decode(body)
    except msgspec.DecodeError:
        return []
    return [bytes(each) for each in found] if len(found) <= MAX_BATCH_CALLS else []


async def answer_batch(messages: list[bytes], scope: Scope, receive: Receive, one: AnswerMessage) -> Response:
    """The answers in a list; 202 and nothing where none of the messages asks for one."""
    said = [await _answer_message(message, scope, receive, one) for message in messages]
    answers = [Raw(body) for body in said if body]
    if not answers:
        return Response(status_code=202)
    return Response(codec.encode_json(answers), media_type="application/json")


async def _answer_message(message: bytes, scope: Scope, receive: Receive, one: AnswerMessage) -> bytes:
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
