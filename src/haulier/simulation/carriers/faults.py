"""Scripted faults: what goes wrong with the next calls, told over HTTP."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CARRIERS = ("ups", "shipengine", "easypost", "canada-post")


class FaultKind(StrEnum):
    """What goes wrong."""

    SLOW = "slow"
    """Done and answered after `seconds`."""
    TOO_MANY = "too_many"
    """429 with `Retry-After: seconds`; nothing is done."""
    ERROR = "error"
    """500; nothing is done."""
    MALFORMED = "malformed"
    """Done, and the answer is cut in half within its text."""
    TOKEN_EXPIRED = "token_expired"
    """401; every token so far is over."""
    CUT_BEFORE = "cut_before"
    """The connection ends; nothing is done."""
    CUT_AFTER = "cut_after"
    """Done, and the connection ends before the answer: bought, but the answer is lost."""


@dataclass
class Fault:
    """A fault of the next `times` calls to `carrier` (any, when empty) whose path contains `path`."""

    kind: FaultKind
    carrier: str = ""
    path: str = ""
    method: str = ""
    times: int = 1
    seconds: float = 1.0

    def meets(self, method: str, path: str) -> bool:
        """Whether a call is one of those."""
        here = path.startswith(f"/{self.carrier}/") if self.carrier else not path.startswith("/simulator/")
        return self.times > 0 and here and self.path in path and self.method in {"", method}


@dataclass
class Faults:
    """The script. `calls` counts what came in by method and path, faults or not."""

    waiting: list[Fault] = field(default_factory=list[Fault])
    token_epoch: int = 0
    """Tokens of an earlier epoch are over."""
    calls: list[str] = field(default_factory=list[str])

    def take(self, method: str, path: str) -> Fault | None:
        """The fault of a call, once less to come."""
        for fault in self.waiting:
            if fault.meets(method, path):
                fault.times -= 1
                self.waiting = [each for each in self.waiting if each.times > 0]
                return fault
        return None


class FaultyServer:
    """A server whose calls go wrong as `faults` says."""

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self._app, self._faults = app, faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a call, or fail to."""
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
    """The answer goes nowhere."""


async def _cut(send: Send) -> None:
    """Begin an answer and never end it: the server closes the connection of such a one."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"9")]})


def _halving(send: Send) -> Send:
    """Sends half of each text."""

    async def halved(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [pair for pair in message["headers"] if pair[0] != b"content-length"]
            await send({**message, "headers": headers})
        else:
            body = message.get("body", b"")
            await send({**message, "body": body[: len(body) // 2]})

    return halved


def address_of(request: Request) -> str:
    """The address under which this carrier is reached, without a slash at its end."""
    return f"{request.url.scheme}://{request.url.netloc}{request.scope.get('root_path', '')}"


async def post_fault(request: Request) -> Response:
    """Add a fault to the script."""
    faults: Faults = request.app.state.faults
    values: Mapping[str, object] = await request.json()
    try:
        fault = Fault(**{**values, "kind": FaultKind(str(values.get("kind")))})  # pyright: ignore[reportArgumentType]
        if fault.carrier not in ("", *CARRIERS):
            raise ValueError(f"there is no carrier {fault.carrier}; there are {', '.join(CARRIERS)}")
    except (TypeError, ValueError) as wrong:
        return JSONResponse({"error": str(wrong)}, 422)
    faults.waiting.append(fault)
    return JSONResponse(asdict(fault), 201)


async def get_faults(request: Request) -> Response:
    """The script, as far as it is still to come."""
    faults: Faults = request.app.state.faults
    return JSONResponse([asdict(fault) for fault in faults.waiting])


async def delete_faults(request: Request) -> Response:
    """Nothing more goes wrong."""
    request.app.state.faults.waiting.clear()
    return Response(status_code=204)
