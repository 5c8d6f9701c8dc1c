"""HTTP calls to carriers, with failures mapped to the port's errors."""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import quote, urljoin
from weakref import WeakKeyDictionary

import msgspec
from msgspec import Struct

from haulier.adapters.http_client import open_client
from haulier.contexts.shipping.ports import (
    CarrierMessage,
    CarrierRefused,
    CarrierUnavailable,
    CredentialsRefused,
    OutcomeUnknown,
)
from haulier.contexts.shipping.public import make_own_message
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")

T = TypeVar("T")

CONNECT_S, ANSWER_S, MOST_WAIT_S = 5.0, 20.0, 3600
MAX_ANSWER_BYTES = 20_000_000
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, SyntaxError, msgspec.MsgspecError)


class NotFound(CarrierRefused):
    """Raised when the carrier does not know the requested resource (404)."""


_REFUSALS: Mapping[int, type[CarrierRefused]] = {401: CredentialsRefused, 403: CredentialsRefused, 404: NotFound}


class CallEffect(Enum):
    """Effect of a request: reading, or a change that must not be repeated blindly."""

    READS = "reads"
    CHANGES = "changes"


class Ask(Struct, frozen=True):
    """Request to a carrier.

    `path` begins with a slash, or is a complete address that the carrier supplied.
    """

    method: str
    path: str
    json: Any = None
    content: bytes | None = None
    form: Mapping[str, str] | None = None
    params: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    effect: CallEffect = CallEffect.READS


class Authorization(Protocol):
    """Source of the authorization headers of an account."""

    async def headers(self) -> Mapping[str, str]:
        """Return the headers for the next call. Raises the port's errors."""
        ...

    def refused(self) -> bool:
        """Handle a refusal of the last headers.

        Returns True if the call should be retried with new headers.
        """
        ...


class FixedHeaders:
    """Authorization with a fixed key."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    async def headers(self) -> Mapping[str, str]:
        """Return the same headers each time."""
        return self._headers

    def refused(self) -> bool:
        """Return False, because a retry would be refused too."""
        return False


class Clients:
    """Connection pools to carriers, shared by all accounts.

    Each event loop has its own.
    """

    def __init__(self, answer_s: float = ANSWER_S) -> None:
        self._limits: WeakKeyDictionary[Any, dict[CallEffect, httpx.AsyncClient]] = WeakKeyDictionary()
        self._answer_s = answer_s

    def client(self, effect: CallEffect) -> "httpx.AsyncClient":
        """Return the client for calls with this effect.

        Changing calls never reuse a connection. One that the carrier has closed in the meantime fails after the request
        was sent. That is harmless for a read, but leaves the outcome of a purchase unknown. A handshake costs less.
        """
        own = self._limits.setdefault(asyncio.get_running_loop(), {})
        if effect not in own:
            keep = 20 if effect is CallEffect.READS else 0
            own[effect] = open_client(
                timeout=httpx.Timeout(self._answer_s, connect=CONNECT_S),
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=keep),
                follow_redirects=False,
            )
        return own[effect]

    async def close(self) -> None:
        """Close the connections of this event loop."""
        for client in self._limits.pop(asyncio.get_running_loop(), {}).values():
            await client.aclose()


ReadRefusal = Callable[["httpx.Response"], Sequence[CarrierMessage]]


class Wire:
    """HTTP access to a carrier under one account."""

    def __init__(
        self, clients: Clients, address: str, authorization: Authorization, read_refusal: ReadRefusal, name: str
    ) -> None:
        self._clients, self._address, self._name = clients, address.rstrip("/"), name
        self._authorization, self._read_refusal = authorization, read_refusal

    async def ask(self, ask: Ask, read: Callable[["httpx.Response"], T]) -> T:
        """Send a request and return the parsed response.

        Raises the port's errors: `OutcomeUnknown` for a changing call that may have succeeded, including one whose
        response cannot be parsed.
        """
        answer = await self._send(ask)
        if answer.status_code == 401 and self._authorization.refused():
            answer = await self._send(ask)
        self._judge(ask, answer)
        try:
            return read(answer)
        except _UNREADABLE as fault:
            raise self._lost(ask, f"{self._name} gave an answer that cannot be read: {type(fault).__name__}") from fault

    async def download(self, address: str, effect: CallEffect = CallEffect.READS, media_type: str = "*/*") -> bytes:
        """Download a document that the carrier named in a response.

        `effect` is that of the call that named it: a bought label that cannot be downloaded raises `OutcomeUnknown`.
        The account's key is never sent to other hosts, such as an object store.
        """
        own = urljoin(self._address + "/", "/")
        try:
            if address.startswith(own):
                return await self.ask(Ask("GET", address, headers={"Accept": media_type}), content)
            if not address.startswith("https://"):
                raise CarrierUnavailable(f"{self._name} named a document that is nowhere")
            elsewhere = Wire(self._clients, address, FixedHeaders({}), self._read_refusal, self._name)
            return await elsewhere.ask(Ask("GET", address, headers={"Accept": media_type}), content)
        except (CarrierRefused, CarrierUnavailable) as fault:
            if effect is CallEffect.READS:
                raise
            raise OutcomeUnknown(f"{self._name} did not give the document: {fault}") from fault

    async def _send(self, ask: Ask) -> "httpx.Response":
        headers = {**ask.headers, **await self._authorization.headers()}
        address = ask.path if "://" in ask.path else self._address + ask.path
        body: dict[str, Any] = {"content": ask.content} if ask.content is not None else {}
        if ask.json is not None:
            body = {"content": msgspec.json.encode(ask.json)}
            headers.setdefault("Content-Type", "application/json")
        if ask.form is not None:
            body = {"data": dict(ask.form)}
        client = self._clients.client(ask.effect)
        try:
            return await client.request(ask.method, address, headers=headers, params=dict(ask.params) or None, **body)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol) as fault:
            raise CarrierUnavailable(f"{self._name} cannot be reached: {type(fault).__name__}") from fault
        except httpx.HTTPError as fault:
            raise self._lost(ask, f"{self._name} did not answer: {type(fault).__name__}") from fault

    def _judge(self, ask: Ask, answer: "httpx.Response") -> None:
        """Raise the error for any response but a success."""
        status = answer.status_code
        if answer.is_success:
            if len(answer.content) > MAX_ANSWER_BYTES:
                raise self._lost(ask, f"{self._name} gave an answer that is too long")
            return
        if status == 429:
            raise CarrierUnavailable(f"{self._name} asks to slow down", retry_after(answer))
        if status == 408 or not answer.is_client_error:
            raise self._lost(ask, f"{self._name} said {status}", retry_after(answer))
        messages = self._messages(answer)
        raise _REFUSALS.get(status, CarrierRefused)(messages)

    def _messages(self, answer: "httpx.Response") -> Sequence[CarrierMessage]:
        messages: Sequence[CarrierMessage] = ()
        with suppress(*_UNREADABLE):
            messages = self._read_refusal(answer)
        status = str(answer.status_code)
        said = make_own_message("carrier.said_status", status, carrier=self._name, status=status)
        return messages or (said,)

    def _lost(self, ask: Ask, reason: str, wait_s: int | None = None) -> Exception:
        return OutcomeUnknown(reason) if ask.effect is CallEffect.CHANGES else CarrierUnavailable(reason, wait_s)


def retry_after(answer: "httpx.Response") -> int | None:
    """Return the seconds in `Retry-After`, at most an hour.

    The header has a number, or a time by the carrier's own clock.
    """
    said = answer.headers.get("Retry-After", "")
    if said.isdecimal():
        return min(int(said[:9]), MOST_WAIT_S)
    with suppress(ValueError, TypeError, KeyError):
        wait = parsedate_to_datetime(said) - parsedate_to_datetime(answer.headers["Date"])
        return min(max(int(wait.total_seconds()), 0), MOST_WAIT_S)
    return None


def skip_check(_: "httpx.Response") -> None:
    """Ignore the content of a response."""


def content(answer: "httpx.Response") -> bytes:
    """Return the content of a response. Raises `ValueError` if it is empty."""
    if not answer.content:
        raise ValueError("an empty document")
    return answer.content


def basic_authorization(user: str, password: str) -> dict[str, str]:
    """Return the header of HTTP Basic authentication."""
    return {"Authorization": "Basic " + b64encode(f"{user}:{password}".encode()).decode()}


def path_part(text: str) -> str:
    """Quote untrusted text as a single path segment."""
    return quote(text, safe="")
