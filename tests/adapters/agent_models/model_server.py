"""Server for both documented model protocols, streamed and complete.

It returns scripted responses and records requests. Tests with the providers' own clients verify it.
"""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from tests.api.mcp.mcp_servers import serve_asgi


class Told(NamedTuple):
    """One answer: words, tools with their arguments, or a fault."""

    text: str = ""
    tools: Sequence[tuple[str, dict[str, Any]]] = ()
    status: int = 200
    breaks_off: bool = False
    arguments: str | None = None
    """The arguments of the first tool as they are written, where they are no JSON."""
    headers: dict[str, str] = {}


class ModelServer:
    """The answers that wait, and the requests that came."""

    def __init__(self, answers: Sequence[Told], *, streams: bool = True) -> None:
        self._answers, self._streams = list(answers), streams
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.base = ""

    async def messages(self, request: Request) -> Response:
        """The Messages API."""
        told = await self._next(request)
        if told.status != 200:
            error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
            return JSONResponse(error, told.status, told.headers)
        return StreamingResponse(_encoded(_message_events(told), named=True), media_type="text/event-stream")

    async def completions(self, request: Request) -> Response:
        """The chat completions API."""
        told = await self._next(request)
        if told.status != 200:
            return JSONResponse({"error": {"message": "busy", "type": "server_error"}}, told.status, told.headers)
        if not self._streams:
            return JSONResponse(_completion(told))
        return StreamingResponse(_encoded(_chunks(told)), media_type="text/event-stream")

    async def _next(self, request: Request) -> Told:
        self.requests.append(await request.json())
        self.headers.append(dict(request.headers))
        return self._answers.pop(0)


@asynccontextmanager
async def serve_model(*answers: Told, streams: bool = True) -> AsyncIterator[ModelServer]:
    """The server, on a free port."""
    server = ModelServer(answers, streams=streams)
    routes = [
        Route("/v1/messages", server.messages, methods=["POST"]),
        Route("/v1/chat/completions", server.completions, methods=["POST"]),
    ]
    async with serve_asgi(Starlette(routes=routes)) as base:
        server.base = base
        yield server


async def _encoded(events: Iterator[dict[str, Any]], *, named: bool = False) -> AsyncIterator[bytes]:
    for event in events:
        name = f"event: {event['type']}\n" if named else ""
        yield f"{name}data: {json.dumps(event)}\n\n".encode()
    if not named:
        yield b"data: [DONE]\n\n"


def _message_events(told: Told) -> Iterator[dict[str, Any]]:
    usage = {"input_tokens": 7, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 100, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}}
    yield {"type": "ping"}
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if told.text:
        pieces = [{"type": "text_delta", "text": piece} for piece in _halves(told.text)]
        blocks.append(({"type": "text", "text": ""}, pieces))
    for number, (name, arguments) in enumerate(told.tools):
        text = told.arguments or json.dumps(arguments)
        pieces = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *_halves(text))]
        blocks.append(({"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}, pieces))
    for index, (block, pieces) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for piece in pieces:
            yield {"type": "content_block_delta", "index": index, "delta": piece}
        if told.breaks_off:
            return
        yield {"type": "content_block_stop", "index": index}
    reason = "tool_use" if told.tools else "end_turn"
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": {"output_tokens": 20},
    }
    yield {"type": "message_stop"}


def _chunks(told: Told) -> Iterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    yield chunk({"role": "assistant", "content": ""})
    for piece in _halves(told.text):
        yield chunk({"content": piece})
    for index, (name, arguments) in enumerate(told.tools):
        begun = {"index": index, "id": f"call_{index}", "type": "function"}
        yield chunk({"tool_calls": [{**begun, "function": {"name": name, "arguments": ""}}]})
        for piece in _halves(told.arguments or json.dumps(arguments)):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    if told.breaks_off:
        return
    yield chunk({}, "tool_calls" if told.tools else "stop")
    usage = {"prompt_tokens": 107, "completion_tokens": 20, "total_tokens": 127}
    yield {**chunk({}), "choices": [], "usage": usage}


def _completion(told: Told) -> dict[str, Any]:
    tools = [
        {"id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for index, (name, arguments) in enumerate(told.tools)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": told.text or None}
    if tools:
        message["tool_calls"] = tools
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if tools else "stop"}
    usage = {"prompt_tokens": 107, "completion_tokens": 20, "total_tokens": 127}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def _halves(text: str) -> list[str]:
    middle = len(text) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]
