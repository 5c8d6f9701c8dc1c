"""Calls: headers, retries, errors and pages, for clients with and without `await`."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count
from typing import Any
from urllib.parse import quote

import httpx

from haulier_client.errors import BY_STATUS, ApiError, ConnectionFailed, ServerFailed

VERSION = "0.1.0"
RETRIED = {408, 429, 500, 502, 503, 504}


@dataclass(frozen=True)
class Options:
    """Settings of a client."""

    base_url: str
    key: str | None = None
    timeout_s: float = 30
    max_retries: int = 4
    max_wait_s: float = 60
    language: str | None = None
    dry_run: bool = False
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def request(self, method: str, path: str, values: tuple[object, ...], words: dict[str, Any]) -> Request:
        """Return a request with its headers. A write gets an `Idempotency-Key`, which all attempts repeat."""
        known = {k: v for k, v in (words.get("query") or {}).items() if v is not None}
        accept = words.get("accept") or "application/json"
        headers = {"Accept": accept, "User-Agent": f"haulier-client-python/{VERSION}", **self.headers}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        if self.language:
            headers["Accept-Language"] = self.language
        if self.dry_run and method != "GET":
            headers["X-Dry-Run"] = "1"
        if method != "GET":
            headers["Idempotency-Key"] = words.get("key") or str(uuid.uuid4())
        filled = path.format(*(quote(str(value), safe="") for value in values))
        url = f"{self.base_url.rstrip('/').removesuffix('/api')}/api{filled}"
        return Request(method, url, known, headers, words.get("body"), accept == "application/json")

    def delay(self, attempt: int, outcome: httpx.Response | httpx.TransportError) -> float | None:
        """Return the seconds until the next attempt, or None if the outcome is final."""
        if attempt >= self.max_retries or not is_temporary(outcome):
            return None
        asked = retry_after(outcome) if isinstance(outcome, httpx.Response) else None
        if asked is not None:
            return asked if asked <= self.max_wait_s else None
        return min(8.0, 0.25 * 2**attempt) * random.uniform(0.5, 1)


@dataclass(frozen=True)
class Request:
    """A prepared call, which can be sent more than once."""

    method: str
    url: str
    query: dict[str, Any]
    headers: dict[str, str]
    body: Any
    is_json: bool

    def words(self) -> dict[str, Any]:
        """Return the arguments for httpx."""
        return {"params": self.query, "headers": self.headers, "json": self.body}

    def read(self, outcome: httpx.Response | httpx.TransportError) -> Any:
        """Return the answer, parsed unless a file was requested. Raises `ApiError` or `ConnectionFailed`."""
        if isinstance(outcome, httpx.TransportError):
            raise ConnectionFailed(f"{self.method} {self.url}: {outcome or type(outcome).__name__}") from outcome
        if not outcome.is_success:
            raise to_error(outcome)
        return outcome.json() if self.is_json else outcome.content


def is_temporary(outcome: httpx.Response | httpx.TransportError) -> bool:
    """Return True if another attempt can succeed. None does anything twice, as it has the key of the first."""
    if isinstance(outcome, httpx.TransportError) or outcome.status_code in RETRIED:
        return True
    return outcome.status_code == 409 and _body(outcome).get("code") == "CONFLICT"


def retry_after(response: httpx.Response) -> float | None:
    """Return the seconds of `Retry-After`, which are a number or a date."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def to_error(response: httpx.Response) -> ApiError:
    """Return the error of a refused call."""
    status = response.status_code
    kind = BY_STATUS.get(status, ServerFailed if status >= 500 else ApiError)
    request_id = response.headers.get("X-Request-Id", "")
    return kind(status, _body(response), request_id=request_id, retry_after_s=retry_after(response))


def _body(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


class Caller:
    """A connection pool and the settings of its calls."""

    def __init__(self, options: Options, http: httpx.Client | None = None) -> None:
        self.options = options
        self._http = http or httpx.Client()

    def call(self, method: str, path: str, values: tuple[object, ...] = (), **words: Any) -> Any:
        """Call an operation by method and path, and return its answer."""
        request = self.options.request(method, path, values, words)
        for attempt in count():
            try:
                outcome = self._http.request(
                    request.method, request.url, timeout=self.options.timeout_s, **request.words()
                )
            except httpx.TransportError as problem:
                outcome = problem
            wait = self.options.delay(attempt, outcome)
            if wait is None:
                return request.read(outcome)
            time.sleep(wait)
        raise AssertionError

    def iterate(
        self, key: str, how: str, method: str, path: str, values: tuple[object, ...] = (), **words: Any
    ) -> Iterator[Any]:
        """Yield the records of all pages."""
        place: dict[str, Any] | None = {}
        while place is not None:
            query = {**words.get("query", {}), **place}
            answer = self.call(method, path, values, **{**words, "query": query})
            yield from answer[key]
            place = next_place(how, place, answer, len(answer[key]))


class AsyncCaller:
    """A connection pool and the settings of its calls, for `await`."""

    def __init__(self, options: Options, http: httpx.AsyncClient | None = None) -> None:
        self.options = options
        self._http = http or httpx.AsyncClient()

    async def call(self, method: str, path: str, values: tuple[object, ...] = (), **words: Any) -> Any:
        """Call an operation by method and path, and return its answer."""
        request = self.options.request(method, path, values, words)
        for attempt in count():
            try:
                outcome = await self._http.request(
                    request.method, request.url, timeout=self.options.timeout_s, **request.words()
                )
            except httpx.TransportError as problem:
                outcome = problem
            wait = self.options.delay(attempt, outcome)
            if wait is None:
                return request.read(outcome)
            await asyncio.sleep(wait)
        raise AssertionError

    async def iterate(
        self, key: str, how: str, method: str, path: str, values: tuple[object, ...] = (), **words: Any
    ) -> AsyncIterator[Any]:
        """Yield the records of all pages."""
        place: dict[str, Any] | None = {}
        while place is not None:
            query = {**words.get("query", {}), **place}
            answer = await self.call(method, path, values, **{**words, "query": query})
            for record in answer[key]:
                yield record
            place = next_place(how, place, answer, len(answer[key]))


def next_place(how: str, place: dict[str, Any], answer: dict[str, Any], found: int) -> dict[str, Any] | None:
    """Return the query of the next page, or None after the last one."""
    if how == "cursor":
        cursor = answer.get("next_cursor")
        return {"cursor": cursor} if cursor and found else None
    return {"page": place.get("page", 1) + 1} if found and found >= answer.get("per_page", 1) else None


class Group:
    """Operations of one group."""

    def __init__(self, caller: Caller) -> None:
        self._call = caller.call
        self._iterate = caller.iterate


class AsyncGroup:
    """Operations of one group, for `await`."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._call = caller.call
        self._iterate = caller.iterate
