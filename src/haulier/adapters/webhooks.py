"""Posts webhooks to addresses that clients gave, and never into our own network (OWASP API7:2023).

The name is looked up once, every address it has must be allowed, and the connection goes to the very address that was looked
at. No redirect is followed, and no connection is kept: the next message may be for another name at the same address.
"""

import asyncio
import ipaddress
import ssl
import time
from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

import httpx

from haulier.adapters.addresses import Resolve, is_public, looked_up, one_of
from haulier.adapters.asking import client
from haulier.contexts.access.ports import SecretLost, Vault
from haulier.contexts.integrations.ports import Letterhead, Reply
from haulier.kernel.storable import clean

TIMEOUT_S = 15.0
REPLY_MAX_BYTES = 2048
PORTS = {"http": 80, "https": 443}
USER_AGENT = "Haulier-Webhooks/2"


class _Refused(Exception):
    """An address that nothing may be posted to."""


def is_in_private_network(address: str) -> bool:
    """Whether an address is of this machine or a network of one's own. The link-local ones, where clouds keep keys, are not."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    return (ip.is_loopback or ip.is_private) and not (ip.is_link_local or ip.is_multicast or ip.is_unspecified)


class WebCallbacks:
    """Posts over HTTPS to the public web; with `private`, also to private networks, where plain HTTP will do."""

    def __init__(
        self,
        *,
        private: bool = False,
        resolve: Resolve = looked_up,
        public: Callable[[str], bool] = is_public,
        trusted: ssl.SSLContext | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.private = private
        self._resolve = resolve
        self._public = public
        self._trusted = trusted
        self._timeout_s = timeout_s

    async def post(self, letter: Letterhead) -> Reply:
        """Post a document and tell how it was taken."""
        began = time.perf_counter()
        status, text, fault, wait = None, "", None, None
        try:
            async with asyncio.timeout(self._timeout_s):
                status, text, wait = await self._posted(letter)
        except _Refused:
            fault = "address_refused"
        except TimeoutError:
            fault = "timeout"
        except httpx.ConnectError as error:
            fault = "no_tls" if isinstance(_cause(error), ssl.SSLError) else "unreachable"
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            fault = "broken_off"
        except OSError:
            fault = "name_unknown"
        took = round((time.perf_counter() - began) * 1000)
        return Reply(status=status, latency_ms=took, text=text, fault=fault, retry_after_s=wait)

    async def _posted(self, letter: Letterhead) -> tuple[int, str, int | None]:
        parts = urlsplit(letter.url)
        host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
        address = await self._address(host, port, secure=parts.scheme == "https")
        there = httpx.URL(letter.url).copy_with(host=address, port=port)
        headers = {
            "Host": parts.netloc,
            "Content-Type": "application/json",
            "User-Agent": USER_AGENT,
            "Accept-Encoding": "identity",
            **letter.headers,
        }
        async with (
            client(believing=self._trusted, trust_env=False, timeout=self._timeout_s) as http,
            http.stream(
                "POST", there, content=letter.body, headers=headers, extensions={"sni_hostname": host}
            ) as answer,
        ):
            return answer.status_code, await _beginning(answer), _retry_after(answer)

    async def _address(self, host: str, port: int, *, secure: bool) -> str:
        """The address to post to. One that is not allowed is enough to post to none, and the clear text never leaves."""
        address = one_of(await self._resolve(host, port), partial(self._allowed, secure=secure))
        if address is None:
            raise _Refused
        return address

    def _allowed(self, address: str, *, secure: bool) -> bool:
        return (secure and self._public(address)) or (self.private and is_in_private_network(address))


def _cause(error: BaseException) -> BaseException:
    while error.__cause__ or error.__context__:
        error = error.__cause__ or error.__context__ or error
    return error


async def _beginning(answer: httpx.Response) -> str:
    """The beginning of what a receiver said, as text that a database keeps."""
    said = b""
    async for part in answer.aiter_raw():
        said += part
        if len(said) >= REPLY_MAX_BYTES:
            break
    return clean(said[:REPLY_MAX_BYTES].decode("utf-8", "replace"))


def _retry_after(answer: httpx.Response) -> int | None:
    """The seconds of a Retry-After with 429 or 503. A date would need the receiver's clock, so it counts for nothing."""
    told = answer.headers.get("retry-after", "")
    asked = answer.status_code in (429, 503) and told.isascii() and told.isdecimal() and len(told) <= 6
    return int(told) if asked else None


class VaultSecrets:
    """Keeps signing secrets in the vault, and as they are where it has no key: they open nothing of ours."""

    def __init__(self, vault: Vault) -> None:
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
        except SecretLost:
            return None
