"""The protocol over real HTTP: every version, raw and with the official client."""

from typing import Any

import httpx
import jsonschema
import pytest
from mcp import Client
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import UNSUPPORTED_PROTOCOL_VERSION
from tests.api.mcp.mcp_servers import McpClient

NEWEST = "2026-07-28"
OLDER = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
META = {
    "io.modelcontextprotocol/protocolVersion": NEWEST,
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
GREET = {"name": "greet", "arguments": {"name": "Bo"}}
HELLO = {"result": True, "words": "hello Bo"}


@pytest.mark.parametrize("version", OLDER)
async def test_an_older_version_is_negotiated_and_used(servers: McpClient, version: str) -> None:
    asked = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    greeted = (await servers.post("initialize", asked)).json()["result"]
    assert greeted["protocolVersion"] == version
    assert greeted["serverInfo"]["name"] == "haulier-user"
    assert "X-MCP-Dry-Run" in greeted["instructions"]
    headers = {"mcp-protocol-version": version}
    assert await servers.names(headers=headers) == ["break_down", "find_nothing", "greet"]
    answer = await servers.post("tools/call", GREET, headers=headers)
    assert answer.json()["result"]["structuredContent"] == HELLO


async def test_the_newest_version_needs_no_handshake(servers: McpClient) -> None:
    async def ask(method: str, params: dict[str, Any], **named: str) -> Any:
        headers = {"mcp-protocol-version": NEWEST, "mcp-method": method, **named}
        return (await servers.post(method, {**params, "_meta": META}, headers=headers)).json()["result"]

    assert NEWEST in (await ask("server/discover", {}))["supportedVersions"]
    listed = await ask("tools/list", {})
    assert [tool["name"] for tool in listed["tools"]] == ["break_down", "find_nothing", "greet"]
    assert listed["cacheScope"] == "private"
    called = await ask("tools/call", GREET, **{"mcp-name": "greet"})
    assert (called["resultType"], called["structuredContent"]) == ("complete", HELLO)


async def test_an_unsupported_version_is_refused(servers: McpClient) -> None:
    for method, params in (("tools/call", GREET), ("tools/list", {}), ("ping", {})):
        answer = await servers.post(method, params, headers={"mcp-protocol-version": "1999-01-01"})
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (400, UNSUPPORTED_PROTOCOL_VERSION)
        assert (error["data"]["requested"], error["data"]["supported"]) == ("1999-01-01", [*reversed(OLDER), NEWEST])
        assert all(version in error["message"] for version in ("1999-01-01", *OLDER, NEWEST))


async def test_plain_json_rpc_needs_no_handshake_version_or_accept_header(servers: McpClient) -> None:
    message = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": GREET}
    request = servers.http.build_request("POST", f"{servers.base}/mcp", json=message)
    del request.headers["accept"]
    answer = await servers.http.send(request)
    assert answer.headers["content-type"].startswith("application/json")
    assert (answer.json()["id"], answer.json()["result"]["structuredContent"]) == (5, HELLO)


async def test_every_response_states_its_request_id_and_language(servers: McpClient) -> None:
    headers = {"x-request-id": "mine-1", "accept-language": "fr"}
    answer = await servers.post("tools/call", {"name": "find_nothing"}, headers=headers)
    assert (answer.headers["x-request-id"], answer.headers["content-language"]) == ("mine-1", "fr")
    assert answer.json()["result"]["structuredContent"]["request_id"] == "mine-1"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_only_post_is_supported(servers: McpClient, method: str) -> None:
    headers = {"accept": "text/event-stream"}
    answer = await servers.http.request(method, f"{servers.base}/mcp", headers=headers, timeout=60)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.json()["code"] == "METHOD_NOT_ALLOWED"


@pytest.mark.parametrize("body", [b"nope", b"{}", b'{"jsonrpc": "2.0", "id": 1}', b"[]"])
async def test_a_message_that_is_not_json_rpc_is_refused(servers: McpClient, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    answer = await servers.http.post(f"{servers.base}/mcp", content=body, headers=headers)
    assert answer.status_code == 400
    assert "error" in answer.json()


class TestBatches:
    """Version 2025-03-26 has every server take them."""

    LIST = {"jsonrpc": "2.0", "id": "a", "method": "tools/list"}
    CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": GREET}
    WRONG = {"jsonrpc": "2.0", "id": 3, "method": "tools/destroy"}
    NOTE = {"jsonrpc": "2.0", "method": "notifications/initialized"}

    async def post(self, servers: McpClient, *messages: Any, version: str | None = "2025-03-26") -> httpx.Response:
        headers = {"mcp-protocol-version": version} if version else {}
        return await servers.http.post(f"{servers.base}/mcp", json=list(messages), headers=headers)

    @pytest.mark.parametrize("version", ["2025-03-26", None])
    async def test_each_request_in_a_batch_is_answered_in_order(self, servers: McpClient, version: str | None) -> None:
        answer = await self.post(servers, self.LIST, self.NOTE, self.CALL, self.WRONG, version=version)
        listed, called, refused = answer.json()
        assert (answer.status_code, listed["id"], called["id"], refused["id"]) == (200, "a", 2, 3)
        assert [tool["name"] for tool in listed["result"]["tools"]] == ["break_down", "find_nothing", "greet"]
        assert called["result"]["structuredContent"] == HELLO
        assert refused["error"]["code"] == -32601

    async def test_notifications_are_accepted_without_a_response(self, servers: McpClient) -> None:
        answer = await self.post(servers, self.NOTE, self.NOTE)
        assert (answer.status_code, answer.content) == (202, b"")

    async def test_an_empty_or_too_long_batch_is_refused(self, servers: McpClient) -> None:
        for messages in ([], [self.CALL] * 51):
            assert (await self.post(servers, *messages)).status_code == 400

    @pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2024-11-05", NEWEST])
    async def test_other_versions_do_not_support_batches(self, servers: McpClient, version: str) -> None:
        assert (await self.post(servers, self.CALL, self.CALL, version=version)).status_code == 400


async def test_an_unknown_method_is_refused(servers: McpClient) -> None:
    assert (await servers.post("tools/destroy")).json()["error"]["code"] == -32601


async def test_an_oversized_body_is_refused(servers: McpClient) -> None:
    answer = await servers.post("tools/call", {"name": "greet", "arguments": {"name": "x" * 5_000_000}})
    assert answer.status_code == 413


@pytest.mark.parametrize("mode", ["legacy", "auto", NEWEST])
async def test_the_official_client_can_list_and_call_tools(servers: McpClient, mode: str) -> None:
    async with (
        httpx_client("admin") as http,
        Client(streamable_http_client(f"{servers.base}/mcp", http_client=http), mode=mode) as client,
    ):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        page = await client.call_tool("list_parcels", {"per_page": 1})
        refused = await client.call_tool("send_parcel", {"to": {"street": "x"}, "weight_g": 1})
        sent = await client.call_tool("send_parcel", {"to": {"street": "x"}, "weight_g": 1, "confirm": True})
        with pytest.raises(MCPError, match="nope"):
            await client.call_tool("nope", {})
    assert tools["send_parcel"].annotations
    assert tools["send_parcel"].annotations.destructive_hint is True
    assert page.structured_content["total"] == 2
    jsonschema.validate(page.structured_content, tools["list_parcels"].output_schema)
    assert (refused.is_error, refused.structured_content["code"]) == (True, "CONFIRM_REQUIRED")
    assert sent.is_error is False


@pytest.mark.parametrize("header", ["x-mcp-dry-run", "x-mcp-require-approval"])
async def test_previews_and_queued_writes_fit_the_schema_checked_by_the_official_client(
    servers: McpClient, header: str
) -> None:
    async with (
        httpx_client("admin", **{header: "1"}) as http,
        streamable_http_client(f"{servers.base}/mcp", http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        await session.list_tools()
        result = await session.call_tool("send_parcel", {"to": {"street": "x"}, "weight_g": 1})
    assert result.is_error is False
    assert result.structured_content.keys() & {"dry_run", "queued"}


def httpx_client(who: str, **headers: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(headers={"authorization": f"Bearer {who}", **headers}, timeout=60)
