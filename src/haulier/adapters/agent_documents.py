"""Client for agent documents at untrusted URLs, protected against SSRF.

See OWASP API7:2023. The host name is resolved once and every resolved address must be public. The connection is pinned to
the checked address, which prevents DNS rebinding. The certificate is still verified against the host name.
"""

import asyncio
import ssl
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from haulier.adapters.host_addresses import HostResolver, choose_address, is_public_address, resolve_host
from haulier.adapters.http_client import open_client
from haulier.contexts.oauth.ports import AgentDocumentRefused
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")

TIMEOUT_S = 5.0
MAX_DOCUMENT_BYTES = 16 * 1024


class HttpAgentDocuments:
    """HTTPS client for agent documents.

    `allowed` checks each resolved address. `port` is the only port that is allowed.
    """

    def __init__(
        self,
        *,
        resolve: HostResolver = resolve_host,
        allowed: Callable[[str], bool] = is_public_address,
        port: int = 443,
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        self._resolve = resolve
        self._allowed = allowed
        self._port = port
        self._trusted = trusted

    async def fetch(self, url: str) -> bytes:
        """Return the document at an HTTPS URL. Raises `AgentDocumentRefused`."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise AgentDocumentRefused(str(error)) from None
        if parts.scheme != "https" or not host or "@" in parts.netloc or port not in (None, self._port):
            raise AgentDocumentRefused("no plain https address")
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await self._fetch_from_address(host, await self._address(host), url)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, TimeoutError) as error:
            raise AgentDocumentRefused(f"{host} gives nothing: {error!r}") from None

    async def _address(self, host: str) -> str:
        """Resolve the host and return the address to connect to.

        Raises `AgentDocumentRefused` if any of its addresses is not public.
        """
        address = choose_address(await self._resolve(host, self._port), self._allowed)
        if address is None:
            raise AgentDocumentRefused(f"{host} is not a public address")
        return address

    async def _fetch_from_address(self, host: str, address: str, url: str) -> bytes:
        pinned_url = httpx.URL(url).copy_with(host=address, port=self._port)
        named = host if self._port == 443 else f"{host}:{self._port}"
        headers = {"Host": named, "Accept": "application/json"}
        async with (
            open_client(certificates=self._trusted, trust_env=False, timeout=TIMEOUT_S) as http,
            http.stream("GET", pinned_url, headers=headers, extensions={"sni_hostname": host}) as answer,
        ):
            kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
            if answer.status_code != 200 or not (kind == "application/json" or kind.endswith("+json")):
                raise AgentDocumentRefused(f"{host} answers {answer.status_code} {kind!r}")
            body = b""
            async for part in answer.aiter_bytes():
                body += part
                if len(body) > MAX_DOCUMENT_BYTES:
                    raise AgentDocumentRefused(f"{host} sends more than {MAX_DOCUMENT_BYTES} bytes")
            return body
