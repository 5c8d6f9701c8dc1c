"""The fast path responds like the SDK: every request is sent with and without it."""

import itertools
import json
from typing import Any

import httpx
import pytest
from tests.api.mcp.mcp_servers import McpClient

from haulier.api.mcp.fast_path import FastPath

NEWEST = "2026-07-28"
VERSIONS = (None, "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", NEWEST, "1999-01-01", "")
WHO = (None, "admin", "reader", "customer", "stranger")
META = {
    "io.modelcontextprotocol/protocolVersion": NEWEST,
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
GREET = {"name": "greet", "arguments": {"name": "Bo"}}
PARCEL = {"to": {"street": "x"}, "weight_g": 1}
CALLS: dict[str, Any] = {
    "a call": GREET,
    "refused": {"name": "greet", "arguments": {"name": "x", "times": 9}},
    "no arguments": {"name": "list_parcels"},
    "null arguments": {"name": "list_parcels", "arguments": None},
    "arguments in a list": {"name": "greet", "arguments": ["Bo"]},
    "unknown": {"name": "nope", "arguments": {}},
    "no name": {"arguments": {}},
    "a number for a name": {"name": 7},
    "more than is known": {**GREET, "colour": "red"},
    "confirmed beside": {"name": "send_parcel", "arguments": PARCEL, "confirm": True},
    "confirmed among": {"name": "send_parcel", "arguments": {**PARCEL, "confirm": True}},
    "not confirmed": {"name": "send_parcel", "arguments": PARCEL},
    "broken": {"name": "break_down"},
    "watched": {**GREET, "_meta": {"progressToken": 5}},
    "meta in a list": {**GREET, "_meta": []},
}
LISTS: dict[str, Any] = {"a list": {}, "a cursor": {"cursor": "x"}, "a number for a cursor": {"cursor": 5}}
IDS = (0, -1, 2**53, "a", "", None, True, 1.5, {}, 2**70)
TALKS = ({}, {"x-mcp-dry-run": "1"}, {"x-mcp-require-approval": "1"}, {"accept-language": "fr"}, {"x-mcp-profile": "?"})
BODIES = (
    b"", b"nope", b"{}", b"[]", b"null", b"\xff", b"\xef\xbb\xbf{}", b'{"jsonrpc": "2.0", "id": 1}',
    b'{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": null}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"} x',
    b'[{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "greet", "arguments": {"name": NaN}}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "greet", "arguments": {"name": "\\ud800"}}}',
    b'{"jsonrpc": "2.0", "id": 1, "result": {}}',
    b"[" * 5000,
)  # fmt: skip
TYPES = (
    "application/json",
    "application/json; charset=utf-8",
    "APPLICATION/JSON",
    "application/jsonp",
    "text/plain",
    "",
)
ACCEPTS = ("*/*", "application/json", "application/*;q=0.1", "text/event-stream", "text/html, application/json", "")


class Both:
    """The two ways into the user's server."""

    def __init__(self, servers: McpClient, monkeypatch: pytest.MonkeyPatch) -> None:
        self._servers = servers
        self._monkeypatch = monkeypatch
        self.fast_path = 0
        open_way = FastPath.answer

        async def counted(way: FastPath, *given: Any) -> bytes | None:
            answer = await open_way(way, *given)
            self.fast_path += answer is not None
            return answer

        self._counted = counted

    async def ask(self, body: bytes, headers: dict[str, str]) -> Any:
        """Send a request both ways and check that the responses agree."""
        self._monkeypatch.setattr(FastPath, "answer", self._counted)
        fast_path = await self._post(body, headers)
        self._monkeypatch.setattr(FastPath, "answer", _closed)
        long = await self._post(body, headers)
        assert told(fast_path) == told(long), (body, headers)
        return told(fast_path)

    async def _post(self, body: bytes, headers: dict[str, str]) -> httpx.Response:
        said = {"content-type": "application/json", "accept": "*/*", "x-request-id": "same", **headers}
        return await self._servers.http.post(f"{self._servers.base}/mcp", content=body, headers=said)


async def _closed(*_: Any) -> None:
    return None


def told(answer: httpx.Response) -> Any:
    """Return status, headers except the date, and body of a response."""
    headers = {name: value for name, value in answer.headers.items() if name not in {"date", "content-length"}}
    body: Any = answer.text
    if body and headers.get("content-type", "").startswith("application/json"):
        headers["content-type"] = "application/json"
        body = answer.json()
    return answer.status_code, headers, body


def message(
    method: str, params: Any, version: str | None, who: str | None, id: Any = 1
) -> tuple[bytes, dict[str, str]]:
    """A request in a version of the protocol."""
    headers = {} if version is None else {"mcp-protocol-version": version}
    if who:
        headers["authorization"] = f"Bearer {who}"
    if version == NEWEST:
        headers |= {"mcp-method": method, "mcp-name": str(params.get("name", ""))}
        params = {"_meta": META, **params}
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode(), headers


@pytest.fixture
def both(servers: McpClient, monkeypatch: pytest.MonkeyPatch) -> Both:
    return Both(servers, monkeypatch)


@pytest.mark.parametrize("version", VERSIONS)
async def test_every_kind_of_call_and_list_matches_in_every_version(both: Both, version: str | None) -> None:
    for params in CALLS.values():
        await both.ask(*message("tools/call", params, version, "admin"))
    for params in LISTS.values():
        await both.ask(*message("tools/list", params, version, "admin"))
    for who in WHO:
        await both.ask(*message("tools/list", {}, version, who))
    assert (both.fast_path > 0) == (version not in {"1999-01-01", ""})


@pytest.mark.parametrize("version", [None, NEWEST])
async def test_every_caller_and_header_combination_matches(both: Both, version: str | None) -> None:
    for who, said in itertools.product(WHO, TALKS):
        body, headers = message("tools/call", CALLS["not confirmed"], version, who)
        await both.ask(body, {**headers, **said})
        body, headers = message("tools/list", {}, version, who)
        await both.ask(body, {**headers, **said})


@pytest.mark.parametrize("version", [None, NEWEST])
async def test_every_request_id_matches(both: Both, version: str | None) -> None:
    for id in IDS:
        await both.ask(*message("tools/call", GREET, version, None, id))


async def test_every_body_matches(both: Both) -> None:
    for body, version in itertools.product(BODIES, ({}, {"mcp-protocol-version": NEWEST})):
        await both.ask(body, dict(version))


@pytest.mark.parametrize("version", [None, NEWEST])
async def test_every_content_and_accept_type_matches(both: Both, version: str | None) -> None:
    body, headers = message("tools/call", GREET, version, None)
    for given, taken in itertools.product(TYPES, ACCEPTS):
        await both.ask(body, {**headers, "content-type": given, "accept": taken})
    assert both.fast_path > 5


@pytest.mark.parametrize(
    "changed",
    [
        {"mcp-method": "tools/list"}, {"mcp-name": "nope"}, {"mcp-name": ""}, {"mcp-protocol-version": "2025-11-25"},
        {"mcp-name": "=?base64?Z3JlZXQ=?="}, {"mcp-param-name": "Bo"},
        {"mcp-session-id": "1"},
    ],
)  # fmt: skip
async def test_every_header_of_the_newest_version_matches(both: Both, changed: dict[str, str]) -> None:
    body, headers = message("tools/call", GREET, NEWEST, None)
    await both.ask(body, {**headers, **changed})


async def test_other_methods_use_the_regular_path(both: Both) -> None:
    for method in (
        "ping",
        "initialize",
        "server/discover",
        "resources/list",
        "tools/destroy",
        "notifications/initialized",
    ):
        await both.ask(*message(method, {}, None, None))
        await both.ask(*message(method, {}, NEWEST, None))
    assert both.fast_path == 0
