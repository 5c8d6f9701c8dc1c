"""Short tool lists: starter tools, and the other tools found by search."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from rs_bpe.bpe import openai
from tests.api.mcp.mcp_servers import McpClient, serve_mcp

from haulier.api.mcp import sdk_server
from haulier.api.mcp.tool_catalogue import starter_tools
from haulier.api.mcp.tool_list import tool_list
from haulier.api.mcp.tool_search import SEARCH_TOOLS, find_tools
from haulier.app import registry
from haulier.kernel.application import Application
from haulier.kernel.operations import codec
from haulier.kernel.operations.enums import McpServer

NEWEST = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": NEWEST,
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
SEARCH = {"x-mcp-tools": "search"}
PARCEL = {"to": {"street": "x"}, "weight_g": 1}
MAX_TOKENS = 6_000


@pytest.fixture
async def servers(application: Application, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[McpClient]:
    monkeypatch.setattr(sdk_server, "starter_tools", lambda _server: ["greet", "erase"])
    async with serve_mcp(application) as base, httpx.AsyncClient(timeout=60) as http:
        yield McpClient(base, http)


async def call(servers: McpClient, tool: str, arguments: Any, who: str | None = "admin", **headers: str) -> Any:
    return await servers.call(tool, arguments, who, headers={**SEARCH, **headers})


class TestListing:
    async def test_the_list_contains_the_permitted_starter_tools(self, servers: McpClient) -> None:
        assert await servers.names("admin", headers=SEARCH) == ["find_tools", "call_tool", "greet", "erase"]
        assert await servers.names("reader", headers=SEARCH) == ["find_tools", "call_tool", "greet"]

    async def test_the_option_can_be_set_in_the_url(self, servers: McpClient) -> None:
        assert "find_tools" in await servers.names("admin", path="/mcp?tools=search")

    async def test_without_the_option_the_search_tools_do_not_exist(self, servers: McpClient) -> None:
        assert "find_tools" not in await servers.names("admin")
        for tool in ("find_tools", "call_tool"):
            answer = await servers.post("tools/call", {"name": tool, "arguments": {"name": "greet"}}, "admin")
            assert answer.json()["error"]["data"]["code"] == "UNKNOWN_OPERATION"


class TestFinding:
    async def test_a_task_description_returns_tools_with_the_arguments_of_the_best(self, servers: McpClient) -> None:
        found = (await call(servers, "find_tools", {"query": "send a parcel"}))["structuredContent"]["tools"]
        assert found[0]["name"] == "send_parcel"
        assert "weight_g" in found[0]["arguments"]["properties"]
        assert found[0]["confirm"] is True
        assert all("arguments" not in other for other in found[1:])

    async def test_a_tool_name_returns_its_arguments(self, servers: McpClient) -> None:
        (found,) = (await call(servers, "find_tools", {"tool": "list_parcels"}))["structuredContent"]["tools"]
        assert found["effect"] == "read"
        assert "speed" in found["arguments"]["properties"]

    async def test_an_empty_query_returns_every_tool_of_the_caller(self, servers: McpClient) -> None:
        found = (await call(servers, "find_tools", {}, "reader"))["structuredContent"]["tools"]
        assert [tool["name"] for tool in found] == await servers.names("reader")

    async def test_forbidden_tools_are_not_found(self, servers: McpClient) -> None:
        found = (await call(servers, "find_tools", {"query": "erase"}, "reader"))["structuredContent"]["tools"]
        assert "erase" not in [tool["name"] for tool in found]


class TestCalling:
    async def test_a_found_tool_answers_as_if_called_directly(self, servers: McpClient) -> None:
        arguments = {"speed": "fast"}
        direct = await servers.call("list_parcels", arguments, "admin")
        assert await call(servers, "call_tool", {"name": "list_parcels", "arguments": arguments}) == direct

    async def test_arguments_can_be_omitted(self, servers: McpClient) -> None:
        assert (await call(servers, "call_tool", {"name": "list_parcels"}))["isError"] is False

    async def test_a_tool_that_requires_confirmation_still_does(self, servers: McpClient) -> None:
        sent = {"name": "send_parcel", "arguments": PARCEL}
        refused = await call(servers, "call_tool", sent)
        assert refused["structuredContent"]["code"] == "CONFIRM_REQUIRED"
        sent["arguments"] = {**PARCEL, "confirm": True}
        assert (await call(servers, "call_tool", sent))["isError"] is False

    async def test_permissions_are_those_of_a_direct_call(self, servers: McpClient) -> None:
        refused = await call(servers, "call_tool", {"name": "send_parcel", "arguments": PARCEL}, "reader")
        assert refused["structuredContent"]["code"] == "SCOPE_MISSING"

    @pytest.mark.parametrize("arguments", [{}, {"name": 7}, {"name": "greet", "arguments": []}, {"arguments": {}}])
    async def test_a_call_without_a_tool_names_the_field(self, servers: McpClient, arguments: Any) -> None:
        refused = (await call(servers, "call_tool", arguments))["structuredContent"]
        assert refused["code"] == "INVALID_REQUEST"
        assert [error["field"] for error in refused["errors"]] == ["name"]

    async def test_an_unknown_tool_is_refused_with_similar_names(self, servers: McpClient) -> None:
        sent = {"name": "call_tool", "arguments": {"name": "list_parcel"}}
        answer = (await servers.post("tools/call", sent, "admin", headers=SEARCH)).json()
        assert "list_parcels" in answer["error"]["message"]

    async def test_the_newest_version_accepts_a_call_whose_header_names_call_tool(self, servers: McpClient) -> None:
        headers = {"mcp-protocol-version": NEWEST, "mcp-method": "tools/call", "mcp-name": "call_tool"}
        result = await servers.call(
            "call_tool",
            {"name": "greet", "arguments": {"name": "Bo"}},
            "admin",
            headers={**SEARCH, **headers},
            beside={"_meta": ENVELOPE},
        )
        assert result["isError"] is False


def shown_tokens(tools: Any, names: list[str]) -> int:
    counter = openai.o200k_base()
    listed = [*SEARCH_TOOLS, *(tools.tool(each) for each in tools.listed(names))]
    shown = [{"name": t.name, "description": t.description, "inputSchema": t.input_schema} for t in listed]
    return sum(counter.count(codec.encode_json(tool).decode()) for tool in shown)


@pytest.mark.parametrize("server", list(McpServer))
def test_the_short_list_costs_less_than_six_thousand_tokens(server: McpServer) -> None:
    tools = tool_list(registry(), server)
    assert set(starter_tools(server)) <= set(tools.tools)
    assert shown_tokens(tools, starter_tools(server)) < MAX_TOKENS


@pytest.mark.parametrize(
    ("task", "tool"),
    [
        ("build routes for tomorrow", "build_route"),
        ("buy a shipping label", "create_shipping_label"),
        ("assign a driver to a route", "assign_route_driver"),
        ("packages stored for a customer", "list_stored_packages"),
        ("void a label", "cancel_shipping_label"),
        ("stock of a product", "get_inventory"),
        ("move stops to another route", "move_stops"),
        ("change the delivery address", "reroute_to_address"),
        ("release held orders", "release_orders"),
        ("announce an inbound parcel", "create_pre_alert"),
        ("approve a proposed write", "approve_pending_write"),
        ("pack pieces into cartons", "pack"),
    ],
)
def test_a_task_description_finds_its_tool_among_the_first_three(task: str, tool: str) -> None:
    tools = tool_list(registry(), McpServer.USER)
    found = find_tools(tools, list(tools.tools), {"query": task})
    assert tool in [each.name for each in found[:3]]
