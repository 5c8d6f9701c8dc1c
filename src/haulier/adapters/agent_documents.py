"""The documents of agents, fetched from addresses that strangers give: never from our own network (OWASP API7:2023).

The name is looked up once, every address it has must be public, and the connection goes to the very address that was looked
at: a name that says something else a moment later does not help. The certificate is checked against the name all the same.
"""

import asyncio
import ssl
from collections.abc import Callable
from urllib.parse import urlsplit

import httpx

from haulier.adapters.addresses import Resolve, is_public, looked_up, one_of
from haulier.adapters.asking import client
from haulier.contexts.access.ports import DocumentRefused

TIMEOUT_S = 5.0
DOCUMENT_MAX_BYTES = 16 * 1024


class WebAgentDocuments:
    """Fetches documents over HTTPS. `allowed` judges the addresses of a name, `port` is the only one that is asked."""

    def __init__(
        self,
        *,
        resolve: Resolve = looked_up,
        allowed: Callable[[str], bool] = is_public,
        port: int = 443,
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        self._resolve = resolve
        self._allowed = allowed
        self._port = port
        self._trusted = trusted

    async def fetch(self, url: str) -> bytes:
        """The document at an https address. Raises `DocumentRefused`."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise DocumentRefused(str(error)) from None
        if parts.scheme != "https" or not host or "@" in parts.netloc or port not in (None, self._port):
            raise DocumentRefused("no plain https address")
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await self._got(host, await self._address(host), url)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, TimeoutError) as error:
            raise DocumentRefused(f"{host} gives nothing: {error!r}") from None

    async def _address(self, host: str) -> str:
        """The address to ask. One address that is not public is enough to ask none."""
        address = one_of(await self._resolve(host, self._port), self._allowed)
        if address is None:
            raise DocumentRefused(f"{host} is not a public address")
        return address

    async def _got(self, host: str, address: str, url: str) -> bytes:
        there = httpx.URL(url).copy_with(host=address, port=self._port)
        named = host if self._port == 443 else f"{host}:{self._port}"
        headers = {"Host": named, "Accept": "application/json"}
        async with (
            client(believing=self._trusted, trust_env=False, timeout=TIMEOUT_S) as http,
            http.stream("GET", there, headers=headers, extensions={"sni_hostname": host}) as answer,
        ):
            kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
            if answer.status_code != 200 or not (kind == "application/json" or kind.endswith("+json")):
                raise DocumentRefused(f"{host} answers {answer.status_code} {kind!r}")
            body = b""
            async for part in answer.aiter_bytes():
                body += part
                if len(body) > DOCUMENT_MAX_BYTES:
                    raise DocumentRefused(f"{host} sends more than {DOCUMENT_MAX_BYTES} bytes")
            return body
