"""Scripted faults of the next calls, set over HTTP."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CARRIERS = ("ups", "shipengine", "easypost", "canada-post")


class FaultKind(StrEnum):
    """Kinds of faults."""

    SLOW = "slow"
    """Process the call and answer after `seconds`."""
    TOO_MANY = "too_many"
    """Answer 429 with `Retry-After: seconds` without processing."""
    ERROR = "error"
    """Answer 500 without processing."""
    MALFORMED = "malformed"
    """Process the call, but truncate the answer to half."""
    TOKEN_EXPIRED = "token_expired"
    """Answer 401 and invalidate all tokens."""
    CUT_BEFORE = "cut_before"
    """Close the connection without processing."""
    CUT_AFTER = "cut_after"
    """Process the call, but close the connection before the answer."""


@dataclass
class Fault:
    """A fault of the next `times` calls to `carrier` whose path contains `path`.

    An empty `carrier` means any.
    """

    kind: FaultKind
    carrier: str = ""
    path: str = ""
    method: str = ""
    times: int = 1
    seconds: float = 1.0

    def meets(self, method: str, path: str) -> bool:
        """Return True if the fault applies to a call."""
        here = path.startswith(f"/{self.carrier}/") if self.carrier else not path.startswith("/simulator/")
        return self.times > 0 and here and self.path in path and self.method in {"", method}


@dataclass
class Faults:
    """The script of faults. `calls` lists the method and path of all calls."""

    waiting: list[Fault] = field(default_factory=list[Fault])
    token_epoch: int = 0
    """Tokens of earlier epochs are invalid."""
    calls: list[str] = field(default_factory=list[str])

    def take(self, method: str, path: str) -> Fault | None:
        """Return the fault of a call and count it down."""
        for fault in self.waiting:
            if fault.meets(method, path):
                fault.times -= 1
                self.waiting = [each for each in self.waiting if each.times > 0]
                return fault
        return None


class FaultyServer:
    """A server whose calls fail according to `faults`."""

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self._app, self._faults = app, faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a call, or fail."""
        fault = None
        if scope["type"] == "http":
            fault = self._faults.take(scope["method"], scope["path"])
            self._faults.calls.append(f"{scope['method']} {scope['path']}")
        if fault is None:
            await self._app(scope, receive, send)
        else:
            await self._fail(fault, scope, receive, send)

    async def _fail(self, fault: Fault, scope: Scope, receive: Receive, send: Send) -> None:
        match fault.kind:
            case FaultKind.SLOW:
                await asyncio.sleep(fault.seconds)
                await self._app(scope, receive, send)
            case FaultKind.TOO_MANY:
                waits = {"Retry-After": f"{fault.seconds:.0f}"}
                await Response("slow down", 429, waits)(scope, receive, send)
            case FaultKind.ERROR:
                await Response("something broke", 500)(scope, receive, send)
            case FaultKind.TOKEN_EXPIRED:
                self._faults.token_epoch += 1
                await Response("the token is over", 401)(scope, receive, send)
            case FaultKind.CUT_BEFORE:
                await _cut(send)
            case FaultKind.CUT_AFTER:
                await self._app(scope, receive, _swallow)
                await _cut(send)
            case FaultKind.MALFORMED:
                await self._app(scope, receive, _halving(send))


async def _swallow(message: Message) -> None:
    """Discard an answer."""


async def _cut(send: Send) -> None:
    """Start an answer without finishing it, so that the server closes the connection."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"9")]})


def _halving(send: Send) -> Send:
    """Return a `send` that truncates each body to half."""

    async def halved(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [pair for pair in message["headers"] if pair[0] != b"content-length"]
            await send({**message, "headers": headers})
        else:
            body = message.get("body", b"")
            await send({**message, "body": body[: len(body) // 2]})

    return halved


def address_of(request: Request) -> str:
    """Return the base URL of this carrier without a trailing slash."""
    return f"{request.url.scheme}://{request.url.netloc}{request.scope.get('root_path', '')}"


async def post_fault(request: Request) -> Response:
    """Add a fault to the script."""
    faults: Faults = request.app.state.faults
    values: Mapping[str, object] = await request.json()
    try:
        fault = Fault(**{**values, "kind": FaultKind(str(values.get("kind")))})  # pyright: ignore[reportArgumentType]
        if fault.carrier not in ("", *CARRIERS):
            raise ValueError(f"unknown carrier {fault.carrier}. Use one of {', '.join(CARRIERS)}.")
    except (TypeError, ValueError) as wrong:
        return JSONResponse({"error": str(wrong)}, 422)
    faults.waiting.append(fault)
    return JSONResponse(asdict(fault), 201)


async def get_faults(request: Request) -> Response:
    """Return the remaining faults of the script."""
    faults: Faults = request.app.state.faults
    return JSONResponse([asdict(fault) for fault in faults.waiting])


async def delete_faults(request: Request) -> Response:
    """Clear the script."""
    request.app.state.faults.waiting.clear()
    return Response(status_code=204)
