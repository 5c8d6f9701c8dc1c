"""An agent handles route problems by proposing operations by name."""

import httpx
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.stories.people import People
from tests.support.app import App

ON_A_BAD_DAY = (
    "hand_over_stops",
    "abort_route",
    "reschedule_orders",
    "correct_order",
    "correct_address",
    "return_order",
    "undo_delivery",
    "load_at_depot",
    "hand_in_cash",
    "correct_earning",
)


async def test_an_agent_hands_over_a_route_after_approval(sqlite_app: App) -> None:
    people = People(sqlite_app)
    dan, ann = await people.driver("Dan", "driver"), await people.driver("Ann", "driver2")
    order_id = await people.order()
    route = await people.route("admin", [order_id], dan)
    await people.starts("driver", route)
    async with serve_mcp(sqlite_app.application) as base, httpx.AsyncClient(timeout=60) as http:
        agent, token = McpClient(base, http), sqlite_app.tokens["employee"]
        for name in ON_A_BAD_DAY:
            described = await agent.call("describe_operation", {"name": name}, token)
            assert "arguments" in str(described["structuredContent"]), name
        handed = {"route_id": route, "driver_id": ann, "reason": "vehicle_breakdown"}
        asked = {"tool": "hand_over_stops", "arguments": handed, "note": "Dan's van stands."}
        queued = await agent.call("propose_write", asked, token)
        approval = queued["structuredContent"]["approval"]["id"]
    assert (await people.stop(route, order_id))["status"] == "planned"
    await people.does("admin", f"POST /v1/approvals/{approval}/approve")
    order = (await people.does("admin", f"GET /v1/orders/{order_id}"))["order"]
    assert order["driver_id"] == ann
