"""Webhook delivery to client-supplied addresses, protected against SSRF.

The host name is resolved once, every address of it must be allowed, and the connection goes to the resolved address
(OWASP API7:2023). Redirects are not followed. Connections are not reused, because the next message may be for another
name at the same address.
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
    """Raised for an address that must not receive requests."""


class HttpWebhookSender:
    """Sender over HTTPS to public addresses.

    With `private`, private networks are allowed too, also over plain HTTP.
    """

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
            fault = "unreachable"  # one fault for all cases, which hides the open ports of a network
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
        """Return the address to post to.

        Raises `_AddressRefused` if the name has an address that is not allowed, and for public addresses over plain
        HTTP.
        """
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
    """Return the beginning of the response body as text that a database can store."""
    body = b""
    async for part in answer.aiter_raw():
        body += part
        if len(body) >= MAX_REPLY_BYTES:
            break
    return replace_unstorable(body[:MAX_REPLY_BYTES].decode("utf-8", "replace"))


def _retry_after(answer: "httpx.Response") -> int | None:
    """Return the seconds of a Retry-After header with status 429 or 503.

    A date is ignored, because it depends on the receiver's clock.
    """
    header = answer.headers.get("retry-after", "")
    is_valid = answer.status_code in (429, 503) and header.isascii() and header.isdecimal() and len(header) <= 6
    return int(header) if is_valid else None


class VaultWebhookSecrets:
    """Store of signing secrets, encrypted if the vault has a key.

    Unencrypted secrets are acceptable because they grant no access to this installation.
    """

    def __init__(self, vault: SecretVault) -> None:
        self._vault = vault

    @property
    def encrypts(self) -> bool:
        """Return True if the vault has a key."""
        return self._vault.available

    def seal(self, secret: str, about: str) -> str:
        """Return the secret in its stored form."""
        return self._vault.seal(secret, about) if self._vault.available else secret

    def open(self, sealed: str, about: str) -> str | None:
        """Return the secret, or None if its key is missing.

        A secret that was stored without a key is recognized by its prefix.
        """
        if sealed.startswith("whsec_"):
            return sealed
        try:
            return self._vault.open(sealed, about)
        except SecretUnreadable:
            return None
