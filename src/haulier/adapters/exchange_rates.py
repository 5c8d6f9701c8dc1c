"""Daily file of exchange rates over HTTP."""

from typing import TYPE_CHECKING

from haulier.adapters.http_client import open_client
from haulier.contexts.billing.ports import ExchangeRatesUnavailable
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")

TIMEOUT_S = 20.0
MAX_BYTES = 1_000_000


class HttpExchangeRateFeed:
    """Client of a server with a file in a format of the European Central Bank."""

    def __init__(self, url: str | None) -> None:
        self._url = url

    async def fetch(self) -> bytes | None:
        """Return the file, or None without a URL. Raises `ExchangeRatesUnavailable`."""
        if self._url is None:
            return None
        try:
            async with open_client(timeout=TIMEOUT_S, follow_redirects=True) as http:
                return await self._read(http, self._url)
        except httpx.HTTPError as fault:
            raise ExchangeRatesUnavailable(f"the server did not answer: {type(fault).__name__}") from None

    async def _read(self, http: "httpx.AsyncClient", url: str) -> bytes:
        content = bytearray()
        async with http.stream("GET", url) as answer:
            if not answer.is_success:
                raise ExchangeRatesUnavailable(f"the server answered {answer.status_code}")
            async for chunk in answer.aiter_bytes():
                content += chunk
                if len(content) > MAX_BYTES:
                    raise ExchangeRatesUnavailable("the file is too large")
        return bytes(content)
