"""The clients `Haulier` and `AsyncHaulier`."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Self, TypedDict, Unpack

import httpx

from haulier_client._calls import Options
from haulier_client.api import AsyncGroups, Groups

TEST_PREFIX = "hltest_"


class Settings(TypedDict, total=False):
    """Settings of a client besides its address and key."""

    timeout_s: float
    max_retries: int
    max_wait_s: float
    language: str | None
    dry_run: bool
    headers: Mapping[str, str]


class Changes(Settings, total=False):
    """Settings that `with_options` can change."""

    key: str | None


class _Configured:
    """Settings of a client, and clients with other settings on its connections."""

    options: Options

    def with_options(self, **changes: Unpack[Changes]) -> Self:
        """Return a client with other settings on the same connections, such as `dry_run=True`."""
        other = copy(self)
        other.__dict__ = {"_http": vars(self)["_http"], "options": replace(self.options, **changes)}
        return other

    @property
    def is_test(self) -> bool:
        """True if the key is one of the test mode."""
        return (self.options.key or "").startswith(TEST_PREFIX)


class Haulier(_Configured, Groups):
    """A client of a Haulier server. Use it as a context manager, or call `close`.

    Args:
        base_url: Address of the server, such as `https://freight.example`.
        key: API key.
        timeout_s: Seconds to wait for each attempt.
        max_retries: Attempts after the first one, for broken connections, 408, 429 and 5xx. Writes repeat their
            `Idempotency-Key`, so that nothing happens twice.
        max_wait_s: A longer `Retry-After` raises the error at once.
        language: Language of messages: en, fr, de, es, zh-Hans or zh-Hant.
        dry_run: Run writes and roll them back; the answers show what would change.
        headers: More headers for each call.
        http: An httpx client with settings of your own, such as a proxy.
    """

    def __init__(
        self, base_url: str, key: str | None = None, *, http: httpx.Client | None = None, **more: Unpack[Settings]
    ) -> None:
        super().__init__(Options(base_url, key, **more), http)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncHaulier(_Configured, AsyncGroups):
    """A client for `await`, with the settings of `Haulier`. Use it with `async with`, or call `close`."""

    def __init__(
        self, base_url: str, key: str | None = None, *, http: httpx.AsyncClient | None = None, **more: Unpack[Settings]
    ) -> None:
        super().__init__(Options(base_url, key, **more), http)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
