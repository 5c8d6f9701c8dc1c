"""Requests to the server of a model, and the cost of its responses."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from haulier.adapters.http_client import open_client
from haulier.contexts.control_tower.ports import ModelFailed, Usage
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")

log = logging.getLogger("haulier.agent")
CONNECT_TIMEOUT_S, READ_TIMEOUT_S = 10.0, 120.0
"""Local servers can take a minute to process a long prompt before the first token."""
ATTEMPTS = 3
RETRY_AFTER_S, RETRY_AFTER_MAX_S = 1.0, 10.0
SHOWN_ERROR = 300
TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses that are retried."""
PER_MILLION = 1_000_000


class ModelEndpoint(Struct, frozen=True, kw_only=True):
    """Server and model name.

    Prices are in millionths of a US dollar per million tokens.
    """

    base: str
    model: str
    key: str | None = None
    input_micro_usd_per_million: int = 0
    output_micro_usd_per_million: int = 0

    def usage(self, input_tokens: int, output_tokens: int) -> Usage:
        """Return the token usage of a response with its cost, rounded up."""
        cost = input_tokens * self.input_micro_usd_per_million + output_tokens * self.output_micro_usd_per_million
        return Usage(input_tokens=input_tokens, output_tokens=output_tokens, cost_micro_usd=-(-cost // PER_MILLION))


@asynccontextmanager
async def post_request(
    url: str, headers: Mapping[str, str], body: Mapping[str, Any]
) -> "AsyncGenerator[httpx.Response]":
    """Send a request and yield the response with an unread body.

    Retries transient errors. Raises `ModelFailed`.
    """
    timeout = httpx.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
    content = msgspec.json.encode(body)
    sent = {"content-type": "application/json", **headers}
    try:
        async with open_client(timeout=timeout) as http:
            response = await _send(http, url, sent, content)
            try:
                yield response
            finally:
                await response.aclose()
    except httpx.HTTPError as error:
        log.warning("the agent's model at %s: %s", url, type(error).__name__)
        raise ModelFailed(type(error).__name__) from error


async def _send(http: "httpx.AsyncClient", url: str, headers: Mapping[str, str], content: bytes) -> "httpx.Response":
    attempt = 1
    while True:
        response = await _try_once(http, url, headers, content, last=attempt == ATTEMPTS)
        if response is not None and response.is_success:
            return response
        if response is not None and (response.status_code not in TRANSIENT or attempt == ATTEMPTS):
            log.warning("the agent's model at %s: %s %s", url, response.status_code, response.text[:SHOWN_ERROR])
            raise ModelFailed(f"status {response.status_code}")
        attempt += 1
        await asyncio.sleep(_wait_s(response) if response is not None else RETRY_AFTER_S)


async def _try_once(
    http: "httpx.AsyncClient", url: str, headers: Mapping[str, str], content: bytes, *, last: bool
) -> "httpx.Response | None":
    """Send a request once. The body of an error response is read.

    Returns None if the connection fails, except on the last attempt, which raises the error.
    """
    request = http.build_request("POST", url, headers=dict(headers), content=content)
    try:
        response = await http.send(request, stream=True)
    except httpx.ConnectError:
        if last:
            raise
        return None
    if not response.is_success:
        await response.aread()
        await response.aclose()
    return response


def _wait_s(response: "httpx.Response") -> float:
    text = response.headers.get("retry-after", "")
    return min(float(text), RETRY_AFTER_MAX_S) if text.isdecimal() else RETRY_AFTER_S


async def read_events(response: "httpx.Response", take: Callable[[str], Awaitable[bool]]) -> None:
    """Pass the data of each server-sent event to `take` until it returns False.

    See WHATWG HTML, 9.2.
    """
    data: list[str] = []
    async for line in response.aiter_lines():
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            text, data = "\n".join(data), []
            if not await take(text):
                return
    if data:
        await take("\n".join(data))


def read_document(text: str | bytes) -> dict[str, Any]:
    """Parse a JSON object. Raises `ModelFailed` for anything else."""
    try:
        document = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise ModelFailed("an answer that is no JSON") from error
    if not isinstance(document, dict):
        raise ModelFailed("an answer that is no object")
    return document


def read_arguments(text: str) -> dict[str, Any]:
    """Parse the arguments of a tool call.

    Invalid arguments are passed on as `malformed_arguments`, so that the tool rejects them.
    """
    if not text.strip():
        return {}
    try:
        return read_document(text)
    except ModelFailed:
        return {"malformed_arguments": text[:SHOWN_ERROR]}
