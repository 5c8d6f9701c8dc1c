"""Asking a carrier over HTTP: what an answer, or the lack of one, says about what the carrier did."""

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
    """The carrier does not know what was named (404)."""


_REFUSALS: Mapping[int, type[CarrierRefused]] = {401: CredentialsRefused, 403: CredentialsRefused, 404: NotFound}


class CallEffect(Enum):
    """Whether a request changes anything at the carrier that cannot be had twice."""

    READS = "reads"
    CHANGES = "changes"


class Ask(Struct, frozen=True):
    """A request. `path` begins with a slash, or is a whole address that the carrier gave us."""

    method: str
    path: str
    json: Any = None
    content: bytes | None = None
    form: Mapping[str, str] | None = None
    params: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    effect: CallEffect = CallEffect.READS


class Authorization(Protocol):
    """How calls show whose they are."""

    async def headers(self) -> Mapping[str, str]:
        """The headers of the next call. Raises as the port says."""
        ...

    def refused(self) -> bool:
        """The carrier refused the last headers. True when asking again with new ones makes sense."""
        ...


class FixedHeaders:
    """A key that never changes."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    async def headers(self) -> Mapping[str, str]:
        """The same each time."""
        return self._headers

    def refused(self) -> bool:
        """Another try would be refused as well."""
        return False


class Clients:
    """Connections to carriers, shared by all accounts, of each event loop its own."""

    def __init__(self, answer_s: float = ANSWER_S) -> None:
        self._limits: WeakKeyDictionary[Any, dict[CallEffect, httpx.AsyncClient]] = WeakKeyDictionary()
        self._answer_s = answer_s

    def client(self, effect: CallEffect) -> "httpx.AsyncClient":
        """The client for such calls.

        Why two: a kept connection that the carrier closed in the meantime fails after the request was sent. That is
        harmless for a read; a purchase would have to be looked for. A handshake costs less.
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
    """A carrier's address under an account."""

    def __init__(
        self, clients: Clients, address: str, authorization: Authorization, read_refusal: ReadRefusal, name: str
    ) -> None:
        self._clients, self._address, self._name = clients, address.rstrip("/"), name
        self._authorization, self._read_refusal = authorization, read_refusal

    async def ask(self, ask: Ask, read: Callable[["httpx.Response"], T]) -> T:
        """What `read` makes of a successful answer.

        Raises what the port says: a changing call of which we do not know whether it was done is `OutcomeUnknown`, and so
        is one whose answer cannot be read.
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
        """A document that the carrier named in an answer to a call of this effect.

        Why the effect: a label that was bought and cannot be had now is a purchase of which we know too little. An address
        elsewhere, such as that of an object store, never sees the account's key.
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
        """Raise what anything but a success means."""
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
    """The seconds that `Retry-After` asks for, as a number or as a moment by the carrier's own clock; at most an hour."""
    said = answer.headers.get("Retry-After", "")
    if said.isdecimal():
        return min(int(said[:9]), MOST_WAIT_S)
    with suppress(ValueError, TypeError, KeyError):
        wait = parsedate_to_datetime(said) - parsedate_to_datetime(answer.headers["Date"])
        return min(max(int(wait.total_seconds()), 0), MOST_WAIT_S)
    return None


def nothing(_: "httpx.Response") -> None:
    """For answers without content."""


def content(answer: "httpx.Response") -> bytes:
    """The bytes of an answer; never none."""
    if not answer.content:
        raise ValueError("an empty document")
    return answer.content


def basic_authorization(user: str, password: str) -> dict[str, str]:
    """The header of HTTP Basic authentication."""
    return {"Authorization": "Basic " + b64encode(f"{user}:{password}".encode()).decode()}


def path_part(text: str) -> str:
    """A text of strangers as one part of a path."""
    return quote(text, safe="")
