"""The MCP door, over HTTP: with the official client, and with plain JSON-RPC."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from sqlalchemy import select
from tests.a_house import a_house
from tests.live import a_server

from haulier.app import registry
from haulier.doors.mcp.app import McpDoor
from haulier.doors.mcp.tools import bindings, input_schema
from haulier.kernel.data.work import Database
from haulier.kernel.declarations import Server
from haulier.kernel.steps.record import entries

OLDER = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")


@pytest.fixture
async def http(database: Database) -> AsyncIterator[httpx.AsyncClient]:
    door = McpDoor(a_house(database), Server.USER)
    ready, over = asyncio.Event(), asyncio.Event()

    async def run() -> None:
        """The server wants to be opened and closed by one task; a fixture's two halves are two."""
        async with door.running():
            ready.set()
            await over.wait()

    task = asyncio.create_task(run())
    await ready.wait()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=door), base_url="http://127.0.0.1:8000") as client:
        yield client
    over.set()
    await task


async def rpc(http: httpx.AsyncClient, method: str, params: dict[str, Any] | None = None, **headers: str) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
    return (await http.post("/mcp", json=body, headers=headers)).json()


async def call(http: httpx.AsyncClient, name: str, arguments: dict[str, Any], **headers: str) -> Any:
    return (await rpc(http, "tools/call", {"name": name, "arguments": arguments}, **headers))["result"]


WITHOUT_A_RECORD = {"get_async_batch_result"}
"""Read tools for which the demo has nothing to show: no batch was ever sent to it."""
ADMIN = {"Authorization": "Bearer admin"}


async def test_a_plain_call_without_a_handshake_is_answered(http: httpx.AsyncClient) -> None:
    assert (await call(http, "greet", {"name": "Bo"}))["structuredContent"] == {"result": True, "words": "hello Bo"}


async def test_only_what_the_caller_may_call_is_listed(http: httpx.AsyncClient) -> None:
    async def names(**headers: str) -> list[str]:
        return [tool["name"] for tool in (await rpc(http, "tools/list", **headers))["result"]["tools"]]

    assert await names() == ["greet"]
    assert await names(**ADMIN) == ["erase", "greet", "list_offers", "write_note"]
    assert await names(Authorization="Bearer reader") == ["greet", "list_offers"]
    assert await names(**ADMIN, **{"X-MCP-Profile": "support"}) == ["greet", "list_offers"]
    assert await names(**ADMIN, **{"X-MCP-Scopes": "orders:write"}) == ["erase", "greet", "write_note"]


async def test_a_refusal_is_an_answer_that_an_agent_can_read(http: httpx.AsyncClient) -> None:
    refused = await call(http, "greet", {"name": "x"}, **{"Accept-Language": "es"})
    assert refused["isError"] is True
    assert refused["structuredContent"]["code"] == "INVALID_REQUEST"
    assert refused["structuredContent"]["errors"][0]["message"] == "Al menos 2 caracteres."


async def test_a_dangerous_tool_needs_confirmation(http: httpx.AsyncClient) -> None:
    assert (await call(http, "erase", {}, **ADMIN))["structuredContent"]["code"] == "CONFIRM_REQUIRED"
    assert (await call(http, "erase", {"confirm": True}, **ADMIN))["structuredContent"]["words"] == "gone"


async def test_a_dry_run_is_a_preview_and_leaves_no_row(http: httpx.AsyncClient, database: Database) -> None:
    async def written() -> int:
        async with database.read(None) as work:
            return len(await work.unwalled("the trail of every client").all(select(entries.c.id)))

    shown = (await call(http, "write_note", {"name": "Bo"}, **ADMIN, **{"X-MCP-Dry-Run": "1"}))["structuredContent"]
    assert (shown["dry_run"], shown["letters"]) == (True, [])
    assert shown["preview"]["words"].startswith("Bo at")
    assert await written() == 0
    await call(http, "write_note", {"name": "Bo"}, **ADMIN)
    assert await written() == 1


async def test_a_tool_that_does_not_exist_is_an_error_of_the_protocol(http: httpx.AsyncClient) -> None:
    answer = await rpc(http, "tools/call", {"name": "nope", "arguments": {}})
    assert answer["error"]["code"] == -32602


@pytest.mark.parametrize("version", OLDER)
async def test_each_older_version_is_negotiated_as_asked(http: httpx.AsyncClient, version: str) -> None:
    hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    greeted = await rpc(http, "initialize", hello, Accept="application/json, text/event-stream")
    assert greeted["result"]["protocolVersion"] == version
    answer = await call(http, "greet", {"name": "Bo"}, **{"MCP-Protocol-Version": version})
    assert answer["isError"] is False


async def test_the_newest_version_needs_no_handshake(http: httpx.AsyncClient) -> None:
    version = "2026-07-28"
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    headers = {"MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "greet"}
    answer = await rpc(http, "tools/call", {"name": "greet", "arguments": {"name": "Bo"}, "_meta": meta}, **headers)
    assert answer["result"]["resultType"] == "complete"
    assert answer["result"]["structuredContent"]["words"] == "hello Bo"


@pytest.mark.parametrize("server", list(Server))
def test_every_argument_of_every_tool_is_described(server: Server) -> None:
    schemas = {tool.name: input_schema(operation, server) for tool, operation in bindings(registry(), server)}
    silent = [
        f"{tool}.{name}"
        for tool, schema in schemas.items()
        for name, part in schema["properties"].items()
        if not part.get("description")
    ]
    assert schemas
    assert silent == []


@asynccontextmanager
async def a_session(base: str) -> AsyncIterator[ClientSession]:
    """The official client, signed in to the demo business as its admin."""
    login = {"email": "admin@demo.example", "password": "haulier-demo"}
    async with httpx.AsyncClient() as plain:
        token = (await plain.post(f"{base}/api/v1/user/login", json=login)).json()["access_token"]
    async with (
        httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as client,
        streamable_http_client(f"{base}/mcp", http_client=client) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        yield session


async def some_arguments(session: ClientSession) -> dict[str, dict[str, Any]]:
    """For the tools that need to be told which record: one that the demo has."""
    orders = (await session.call_tool("get_orders", {"per_page": 1})).structured_content
    routes = (await session.call_tool("get_routes", {"per_page": 1})).structured_content
    drivers = (await session.call_tool("get_drivers", {"per_page": 1})).structured_content
    assert orders
    assert routes
    assert drivers
    order = orders["orders"][0]
    one = {"order_id": order["id"]}
    return {
        "get_operation_events": {"order_ids": [order["id"]]},
        "find_order": {"query": order["tracking_number"]},
        "get_order_detail": one,
        "otep_client_tracking": one,
        "order_snapshot": one,
        "print_local_label": one,
        "get_async_batch_result": {"id": 1},
        "get_route_detail": {"route_id": routes["routes"][0]["id"]},
        "get_driver_routes_today": {"driver_id": drivers["drivers"][0]["id"]},
        "track_package": {"number": order["tracking_number"]},
        "otep_tracking": {"tracking_number": order["tracking_number"]},
    }


async def test_what_a_real_server_answers_to_the_official_client_fits_the_schemas(tmp_path: Path) -> None:
    with a_server(tmp_path) as base:
        async with a_session(base) as session:
            tools = {tool.name: tool for tool in (await session.list_tools()).tools}
            arguments = await some_arguments(session)
            reads = [tool for tool in tools.values() if tool.annotations and tool.annotations.read_only_hint]
            answers = {tool.name: await session.call_tool(tool.name, arguments.get(tool.name, {})) for tool in reads}
            found = await session.call_tool("get_orders", {"per_page": 2})
    assert {"create_order", "get_routes", "track_package"} <= tools.keys()
    assert len(reads) >= 12
    refused = {name: answer.structured_content for name, answer in answers.items() if answer.is_error}
    assert refused.keys() == WITHOUT_A_RECORD, refused
    for name in answers.keys() - refused.keys():
        jsonschema.validate(answers[name].structured_content, tools[name].output_schema)
    assert found.structured_content
    assert found.structured_content["total"] == 60
