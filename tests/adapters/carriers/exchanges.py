"""Recorded exchanges between a connector and a carrier."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass
class Exchange:
    """A request and its answer."""

    carrier: str
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    request: bytes
    status: int = 0
    answer: bytes = b""

    @property
    def asked(self) -> Any:
        """The body that was sent: of a form its fields, else the document; None for none."""
        if "form" in self.headers.get("content-type", ""):
            return dict(parse_qsl(self.request.decode()))
        return msgspec.json.decode(self.request) if self.request else None

    @property
    def answered(self) -> Any:
        """The document that came back; None for none."""
        return msgspec.json.decode(self.answer) if self.answer else None

    def is_of(self, operation: str) -> bool:
        """Return True for an exchange of `POST /v1/labels/{label_id}/void`."""
        method, path = operation.split(" ")
        pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path))
        return self.method == method and re.fullmatch(pattern, self.path) is not None

    def path_values(self, operation: str) -> dict[str, str]:
        """Return the values of the path parameters."""
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(operation.split(" ")[1]))
        found = re.fullmatch(pattern, self.path)
        return found.groupdict() if found else {}


@dataclass
class Recorder:
    """A server before the simulated carriers that keeps what passes."""

    app: ASGIApp
    exchanges: list[Exchange] = field(default_factory=list)

    def of(self, carrier: str) -> Iterator[Exchange]:
        """The exchanges with a carrier, by the first part of its path."""
        return (each for each in self.exchanges if each.carrier == carrier)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the carrier does."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        _, carrier, path = scope["path"].split("/", 2)
        query = dict(parse_qsl(scope["query_string"].decode(), keep_blank_values=True))
        headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
        kept = Exchange(carrier, scope["method"], f"/{path}", query, headers, b"")

        async def receiving() -> Message:
            message = await receive()
            kept.request += message.get("body", b"")
            return message

        async def sending(message: Message) -> None:
            kept.status = message.get("status", kept.status)
            kept.answer += message.get("body", b"")
            await send(message)

        await self.app(scope, receiving, sending)
        self.exchanges.append(kept)
