"""JSON-RPC batches, which only protocol version 2025-03-26 requires.

The messages are answered one after the other, as if sent separately. A notification gets no answer.
"""

# The SDK reads one message per request, even in the version that requires batches.

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec import Raw
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from haulier.kernel.operations import codec

BATCH_PROTOCOL_VERSION = "2025-03-26"
MAX_BATCH_CALLS = 50
"""Maximum number of messages in one request. A longer list goes to the SDK, which rejects it."""
AnswerMessage = Callable[[Scope, Receive, Send], Awaitable[None]]
_list_decoder = msgspec.json.Decoder(list[Raw])


def split_batch(body: bytes, version: str) -> list[bytes]:
    """Split a batch; returns an empty list if the body is not a batch."""
    if version != BATCH_PROTOCOL_VERSION or not body.lstrip(b" \t\r\n").startswith(b"["):
        return []
    try:
        messages = _list_decoder.decode(body)
    except msgspec.DecodeError:
        return []
    return [bytes(message) for message in messages] if len(messages) <= MAX_BATCH_CALLS else []


async def answer_batch(
    messages: list[bytes], scope: Scope, receive: Receive, answer_message: AnswerMessage
) -> Response:
    """Return the answers as a list, or 202 without a body if there are none."""
    bodies = [await _answer_message(message, scope, receive, answer_message) for message in messages]
    answers = [Raw(body) for body in bodies if body]
    if not answers:
        return Response(status_code=202)
    return Response(codec.encode_json(answers), media_type="application/json")


async def _answer_message(message: bytes, scope: Scope, receive: Receive, answer_message: AnswerMessage) -> bytes:
    """Return the body of the answer to one message."""
    waiting: list[Message] = [{"type": "http.request", "body": message, "more_body": False}]
    headers = [pair for pair in scope["headers"] if pair[0] != b"content-length"]
    body = b""

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    async def collect(answer: Any) -> None:
        nonlocal body
        if answer["type"] == "http.response.body":
            body += answer.get("body", b"")

    length = str(len(message)).encode()
    await answer_message({**scope, "headers": [*headers, (b"content-length", length)]}, replay, collect)
    return body
