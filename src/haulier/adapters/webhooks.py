"""Posts webhooks to addresses that clients gave, and never into our own network (OWASP API7:2023).

The name is looked up once, every address it has must be allowed, and the connection goes to the very address that was looked
at. No redirect is followed, and no connection is kept: the next message may be for another name at the same address.
"""

import asyncio
import ssl
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from haulier.adapters.host_addresses import (
    HostResolver,
    choose_address,
    is_private_address,
    is_public_address,
    resolve_host,
)
from haulier.adapters.http_client import open_client
from haulier.contexts.integrations.ports import WebhookRequest, WebhookResponse
from haulier.contexts.messaging.ports import SecretUnreadable, SecretVault
from haulier.kernel.operations.text_safety import replace_unstorable
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")

TIMEOUT_S = 15.0
MAX_REPLY_BYTES = 2048
DEFAULT_PORTS = {"http": 80, "https": 443}
USER_AGENT = "Haulier-Webhooks/2"


class _AddressRefused(Exception):
    """An address that nothing may be posted to."""


class HttpWebhookSender:
    """Posts over HTTPS to the public web; with `private`, also to private networks, where plain HTTP will do."""

    def __init__(
        self,
        *,
        private: bool = False,
        resolve: HostResolver = resolve_host,
        public: Callable[[str], bool] = is_public_address,
        trusted: ssl.SSLContext | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.private = private
        self._resolve = resolve
        self._public = public
        self._trusted = trusted
        self._timeout_s = timeout_s

    async def post(self, request: WebhookRequest) -> WebhookResponse:
        """Post a document and return the receiver's response."""
        began = time.perf_counter()
        address, status, text, fault, wait = None, None, "", None, None
        try:
            async with asyncio.timeout(self._timeout_s):
                address = await self._address(request.url)
                status, text, wait = await self._post_to_address(request, address)
        except _AddressRefused:
            fault = "address_refused"
        except TimeoutError:
            fault = "timeout"
        except httpx.ConnectError as error:
            fault = "no_tls" if isinstance(_root_cause(error), ssl.SSLError) else "unreachable"
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            fault = "broken_off"
        except OSError:
            fault = "name_unknown"
        if fault and address and not self._public(address):
            fault = "unreachable"  # one word for all: they would tell the open ports of a network from the closed ones
        took = round((time.perf_counter() - began) * 1000)
        return WebhookResponse(status=status, latency_ms=took, text=text, fault=fault, retry_after_s=wait)

    async def _post_to_address(self, request: WebhookRequest, address: str) -> tuple[int, str, int | None]:
        parts = urlsplit(request.url)
        host = parts.hostname or ""
        pinned_url = httpx.URL(request.url).copy_with(host=address, port=_port(parts))
        headers = {
            "Host": parts.netloc,
            "Content-Type": "application/json",
            "User-Agent": USER_AGENT,
            "Accept-Encoding": "identity",
            **request.headers,
        }
        async with (
            open_client(certificates=self._trusted, trust_env=False, timeout=self._timeout_s) as http,
            http.stream(
                "POST", pinned_url, content=request.body, headers=headers, extensions={"sni_hostname": host}
            ) as answer,
        ):
            return answer.status_code, await _read_beginning(answer), _retry_after(answer)

    async def _address(self, url: str) -> str:
        """The address to post to. A name with an address that is not allowed is refused, as is public plain HTTP."""
        parts = urlsplit(url)
        found = await self._resolve(parts.hostname or "", _port(parts))
        address = choose_address(found, partial(self._allowed, secure=parts.scheme == "https"))
        if address is None:
            raise _AddressRefused
        return address

    def _allowed(self, address: str, *, secure: bool) -> bool:
        return (secure and self._public(address)) or (self.private and is_private_address(address))


def _port(parts: SplitResult) -> int:
    return parts.port or DEFAULT_PORTS[parts.scheme]


def _root_cause(error: BaseException) -> BaseException:
    while error.__cause__ or error.__context__:
        error = error.__cause__ or error.__context__ or error
    return error


async def _read_beginning(answer: "httpx.Response") -> str:
    """The beginning of the receiver's response body, as text that a database can store."""
    body = b""
    async for part in answer.aiter_raw():
        body += part
        if len(body) >= MAX_REPLY_BYTES:
            break
    return replace_unstorable(body[:MAX_REPLY_BYTES].decode("utf-8", "replace"))


def _retry_after(answer: "httpx.Response") -> int | None:
    """The seconds of a Retry-After with 429 or 503. A date is ignored, because it depends on the receiver's clock."""
    header = answer.headers.get("retry-after", "")
    is_valid = answer.status_code in (429, 503) and header.isascii() and header.isdecimal() and len(header) <= 6
    return int(header) if is_valid else None


class VaultWebhookSecrets:
    """Keeps signing secrets in the vault, and as they are where it has no key: they open nothing of ours."""

    def __init__(self, vault: SecretVault) -> None:
        self._vault = vault

    @property
    def encrypts(self) -> bool:
        """Whether the vault has a key."""
        return self._vault.available

    def seal(self, secret: str, about: str) -> str:
        """A secret as it is kept."""
        return self._vault.seal(secret, about) if self._vault.available else secret

    def open(self, sealed: str, about: str) -> str | None:
        """The secret, or None when its key is gone. What was kept without a key has the form of a secret still."""
        if sealed.startswith("whsec_"):
            return sealed
        try:
            return self._vault.open(sealed, about)
        except SecretUnreadable:
            return None
