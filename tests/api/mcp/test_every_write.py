"""Every write tool over a day of work: dry run and write fit the listed schema."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.api.mcp.schema_fit import assert_fits_schema
from tests.contexts.planning.builds.makers import build_and_read, make_small_day, read_build
from tests.contexts.shipping.makers import SHIPMENT, make_parcelo_account
from tests.invariants.dry_run_day import Known, Step, day, learn, step, taken
from tests.support import databases
from tests.support.app import App, make_app

from haulier.api.mcp.tools import tool_bindings, tool_output_schema
from haulier.app import registry
from haulier.contexts.shipping.ports import CarrierMessage, CarrierRefused
from haulier.kernel.operations.enums import Effect, McpServer

TOOLS = {
    operation.name: (tool.name, server, tool_output_schema(operation))
    for server in (McpServer.DEVELOPER, McpServer.USER)
    for tool, operation in tool_bindings(registry(), server)
    if operation.effect is Effect.WRITE
}
AFTER_SOMETHING_ELSE = {
    *("commit_load_plan", "commit_packing_plan", "commit_plan_search", "commit_route_build"),
    *("uniorder_purchase_label", "update_piece_exception"),
}
"""They quote an answer, or mend a failure, that a day does not have."""
PATHS = {McpServer.USER: "/mcp", McpServer.DEVELOPER: "/mcp/developer"}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    async with make_app(databases.migrated_file(tmp_path)) as app:
        yield app


@pytest.fixture
async def servers(app: App) -> AsyncIterator[McpClient]:
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        yield McpClient(base, http)


async def by_tool(app: App, servers: McpClient, one: Step, asked: dict[str, Any]) -> Any:
    """Run a step with its tool as a dry run, then for real; return the response."""
    name, server, schema = TOOLS[one.operation]
    words: dict[str, Any] = {"path": PATHS[server], "beside": {"confirm": True}}
    for headers in ({"x-mcp-dry-run": "1"}, {}):
        result = await servers.call(name, asked, app.tokens[one.who], headers=headers, **words)
        assert result["isError"] is False, (name, result["structuredContent"])
        assert_fits_schema(result["structuredContent"], schema)
        assert ("dry_run" in result["structuredContent"]) == bool(headers), name
    return result["structuredContent"]


async def test_a_plan_can_be_committed_by_its_tool(app: App, servers: McpClient) -> None:
    await make_small_day(app, orders=2, drivers=1)
    build = await build_and_read(app)
    await by_tool(app, servers, step("admin", "commit_route_build", build_id=build.id), {"build_id": build.id})
    assert (await read_build(app, build.id)).committed_at is not None


async def test_a_refused_label_can_be_bought_by_its_tool(app: App, servers: McpClient) -> None:
    carrier = await make_parcelo_account(app)
    carrier.before_buying = [CarrierRefused((CarrierMessage("No."),))]
    by_label = {"order": SHIPMENT, "kind": "label", "service": "next_day"}
    order = (await app.answer("admin", "uniorder_create", by_label)).order
    asked = {"orderId": order.id}
    bought = await by_tool(app, servers, step("admin", "uniorder_purchase_label", **asked), asked)
    assert (order.status, bought["order"]["status"]) == ("LABEL_PURCHASE_FAILED", "CREATED")


async def test_every_write_tool_returns_its_schema(app: App, servers: McpClient) -> None:
    known: Known = dict(app.ids)
    reached: set[str] = set()
    for one in day():
        await learn(app, one, known)
        asked = one.asked(known)
        if one.operation in TOOLS:
            done = await by_tool(app, servers, one, asked)
            reached.add(one.operation)
        else:
            done = msgspec.to_builtins(await app.answer(one.who, one.operation, asked))
        known.update({name: taken(done, path) for name, path in one.brings.items()})
    assert sorted(TOOLS.keys() - reached - AFTER_SOMETHING_ELSE) == []
