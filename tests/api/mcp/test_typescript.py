"""Both official TypeScript clients: for handshake versions and for the newest one."""

import json
from typing import Any

import jsonschema
import pytest
from tests.api.mcp.mcp_servers import McpClient
from tests.api.node_packages import run_script

CLIENTS = {"sdk": "2025-11-25", "client": "2026-07-28"}


@pytest.mark.parametrize("client", CLIENTS)
async def test_the_sdk_lists_tools_calls_them_and_understands_refusals(servers: McpClient, client: str) -> None:
    told: dict[str, Any] = json.loads(await run_script("client.mjs", client, f"{servers.base}/mcp", "admin"))
    tools = {tool["name"]: tool for tool in told["tools"]}
    assert told["server"]["name"] == "haulier-user"
    assert tools["send_parcel"]["annotations"]["destructiveHint"] is True
    jsonschema.validate(told["page"]["structuredContent"], tools["list_parcels"]["outputSchema"])
    assert told["wrong"]["structuredContent"]["code"] == "INVALID_REQUEST"
    assert told["refused"]["isError"] is True
    assert told["refused"]["structuredContent"]["code"] == "CONFIRM_REQUIRED"
    assert not told["sent"].get("isError")
    assert told["unknown"]["thrown"]["code"] == -32602


@pytest.mark.parametrize(("client", "version"), CLIENTS.items())
async def test_each_sdk_version_uses_the_newest_protocol_it_supports(
    servers: McpClient, client: str, version: str
) -> None:
    told = json.loads(await run_script("client.mjs", client, f"{servers.base}/mcp", "admin"))
    assert told["version"] == version


@pytest.mark.parametrize("client", CLIENTS)
async def test_without_a_token_the_public_tools_are_visible(servers: McpClient, client: str) -> None:
    told = json.loads(await run_script("client.mjs", client, f"{servers.base}/mcp", ""))
    assert {tool["name"] for tool in told["tools"]} == {"break_down", "find_nothing", "greet"}
    assert told["greeted"]["structuredContent"] == {"result": True, "words": "hello Bo"}


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_call_that_needs_a_token_returns_401(servers: McpClient, client: str) -> None:
    told = json.loads(await run_script("client.mjs", client, f"{servers.base}/mcp", ""))
    assert "401" in str(told["page"]["thrown"]) or "Unauthorized" in str(told["page"]["thrown"])
