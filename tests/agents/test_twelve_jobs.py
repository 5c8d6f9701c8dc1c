"""Twelve tasks of agents over real HTTP, within limits of calls and tokens.

The agents work for a dispatcher, a customer and a developer. Tokens are those of arguments and responses, counted by a
real tokenizer (o200k).
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.agents.agent_world import KING_ST, OPTION_HEADERS, QUEEN_ST, SERVER_PATHS, AgentWorld
from tests.agents.counted_agent import CountedAgent, JobCost, tokens_of

OVER = {"window_start": "2026-06-10T08:00:00Z", "window_end": "2026-06-10T09:00:00Z"}
TOMORROW = {"window_start": "2026-06-11T14:00:00-04:00", "window_end": "2026-06-11T16:00:00-04:00"}
DAY = "2026-06-11"


@asynccontextmanager
async def counted(
    world: AgentWorld, cost: JobCost, who: str = "admin", server: str = "user", **said: str
) -> AsyncIterator[CountedAgent]:
    """Yield an agent for a user; its cost is added to `cost`."""
    headers = {OPTION_HEADERS[name]: value for name, value in said.items()}
    headers["Authorization"] = f"Bearer {world.app.tokens[who]}"
    async with (
        httpx.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{world.base}{SERVER_PATHS[server]}", http_client=http)) as client,
    ):
        yield CountedAgent(client, cost)


def within(cost: JobCost, calls: int, tokens: int) -> bool:
    """Check that a task stayed within its limits."""
    print(f"{cost.calls} calls, {cost.refused} refused, {cost.tokens} tokens; at most {calls} and {tokens}")
    return cost.calls <= calls and cost.tokens <= tokens


async def some_orders(world: AgentWorld, count: int, **words: Any) -> list[Any]:
    return [await world.order(order_ref=f"A-{number}", **words) for number in range(1, count + 1)]


async def test_1_find_late_parcels_of_a_customer_with_reasons(world: AgentWorld) -> None:
    await some_orders(world, 5, customer_id=world.app.ids["customer"], **OVER)
    cost = JobCost()
    async with counted(world, cost) as agent:
        told = await agent.does("list_exceptions", customer="customer@demo.example")
    assert {row["order_ref"] for row in told["exceptions"]} == {f"A-{number}" for number in range(1, 6)}
    assert all(row["problems"][0]["message"] for row in told["exceptions"])
    assert within(cost, 1, 950)


async def test_2_hold_orders_on_a_street_with_preview_proposal_and_approval(world: AgentWorld) -> None:
    ids = [order.id for order in await some_orders(world, 5)]
    cost = JobCost()
    held = {"order_ids": ids, "reason": "Street closed"}
    async with counted(world, cost, "employee") as agent, counted(world, cost, "employee", dry_run="1") as careful:
        found = await agent.does("get_orders", search="Queen St", status="NEW_ORDER", per_page=10)
        assert {row["id"] for row in found["orders"]} == set(ids)
        assert (await careful.does("hold_orders", **held, confirm=True))["dry_run"] is True
        queued = await agent.does("propose_write", tool="hold_orders", arguments=held)
    async with counted(world, cost) as reviewer:
        approval = {"approval_id": queued["approval"]["id"], "confirm": True}
        assert (await reviewer.does("approve_pending_write", **approval))["approval"]["status"] == "executed"
    assert within(cost, 4, 2100)


async def test_3_answer_a_call_about_a_parcel(world: AgentWorld) -> None:
    order = await world.order(order_ref="A-1")
    cost = JobCost()
    async with counted(world, cost) as agent:
        (found,) = (await agent.does("find_order", search="a-1"))["orders"]
        said = {"order_id": found["id"], "delivery_instruction": "Leave it with the neighbour."}
        told = await agent.does("update_delivery_instruction", **said)
    assert told["order"]["id"] == order.id
    assert within(cost, 2, 170)


async def test_4_create_three_orders_from_an_email(world: AgentWorld) -> None:
    wanted = [{"consignee": place, "order_ref": ref} for place, ref in ((QUEEN_ST, "M-1"), (KING_ST, "M-2"))]
    wanted.append({"consignee": QUEEN_ST, "order_ref": "M-3", **TOMORROW})
    cost = JobCost()
    async with counted(world, cost) as agent:
        told = await agent.does("bulk_create_orders", orders=wanted, confirm=True)
    assert told["created"] == 3
    assert within(cost, 1, 320)
    assert cost.asked > 1600 // 10, "a tenth of what it first took is less than what the e-mail says"


async def test_5_quote_and_order_a_delivery(world: AgentWorld) -> None:
    cost = JobCost()
    async with counted(world, cost) as agent:
        told = await agent.does("quote_delivery", consignee={"postal_code": "M5V 2T6"}, weight_g=1000)
        made = (await agent.does("create_order", consignee=QUEEN_ST))["order"]
    assert within(cost, 2, 300)
    prices = [{name: rate[name] for name in ("service", "shipping_price")} for rate in told["rates"]]
    least = cost.asked + tokens_of({"rates": prices}) + tokens_of({"order": {"id": made["id"]}})
    assert least > 1000 // 10, (
        "a tenth of what it first took is less than what was asked, two prices and the order's id"
    )


async def test_6_report_one_invalid_order_of_twelve(world: AgentWorld) -> None:
    wanted: list[dict[str, Any]] = [{"consignee": QUEEN_ST, "order_ref": f"B-{number}"} for number in range(12)]
    wanted[6] = {"consignee": {**QUEEN_ST, "city": ""}, "order_ref": "B-6"}
    cost = JobCost()
    async with counted(world, cost) as agent:
        told = await agent.does("bulk_create_orders", orders=wanted, confirm=True)
        assert (told["created"], len(told["errors"])) == (11, 1)
        mended = {"consignee": QUEEN_ST, "order_ref": "B-6"}
        assert (await agent.does("bulk_create_orders", orders=[mended], confirm=True))["created"] == 1
    assert within(cost, 2, 1350)


async def test_7_plan_explain_and_commit_tomorrow(world: AgentWorld) -> None:
    orders = await some_orders(world, 6, scheduled_date=DAY)
    await world.route(orders[0].id)
    cost = JobCost()
    async with counted(world, cost) as agent:
        build = (await agent.does("build_route", day=DAY, iterations=200, confirm=True))["build"]
        await world.app.work_off()
        plan = (await agent.does("get_route_build", build_id=build["id"]))["build"]
        assert plan["state"] == "done"
        done = await agent.does("commit_route_build", build_id=build["id"], confirm=True)
        assert done["build"]["route_ids"]
    assert within(cost, 3, 5400)


async def test_8_replace_a_sick_driver(world: AgentWorld) -> None:
    order = await world.order(order_ref="A-1")
    route = await world.route(order.id)
    other = (await world.app.answer("admin", "create_driver", {"name": "Dora"})).driver.id
    cost = JobCost()
    async with counted(world, cost) as agent:
        (found,) = (await agent.does("get_routes", day="2026-06-10"))["routes"]
        moved = await agent.does("assign_route_driver", route_id=found["id"], driver_id=other)
    assert (moved["route"]["id"], moved["route"]["driver_id"]) == (route.id, other)
    assert within(cost, 2, 450)


async def test_9_reroute_a_parcel(world: AgentWorld) -> None:
    await world.order(order_ref="A-1")
    cost = JobCost()
    async with counted(world, cost) as agent:
        (found,) = (await agent.does("find_order", search="A-1"))["orders"]
        told = await agent.does("reroute_to_address", order_id=found["id"], address=KING_ST, confirm=True)
    assert told["result"] is True
    assert within(cost, 2, 250)


async def test_10_answer_a_customer_about_their_own_orders(world: AgentWorld) -> None:
    await world.order(order_ref="A-1", customer_id=world.app.ids["customer"])
    await world.order(order_ref="A-2")
    cost = JobCost()
    async with counted(world, cost, "customer") as agent:
        assert [row["order_ref"] for row in (await agent.does("get_orders"))["orders"]] == ["A-1"]
    assert within(cost, 1, 170)


async def test_11_explain_a_refusal_to_a_read_only_agent(world: AgentWorld) -> None:
    order = await world.order()
    cost = JobCost()
    async with counted(world, cost, profile="ops-readonly") as agent:
        refused = await agent.does("hold_orders", order_ids=[order.id], confirm=True)
        assert (refused["code"], "X-MCP-Profile" in refused["message"]) == ("SCOPE_NARROWED", True)
    assert within(cost, 1, 140)


async def test_12_help_a_developer_find_call_and_validate(world: AgentWorld) -> None:
    cost = JobCost()
    async with counted(world, cost, server="developer") as agent:
        found = await agent.does("get_api_endpoints", search="create order", per_page=3)
        assert found["endpoints"]
        assert (await agent.does("create_order", consignee=QUEEN_ST, order_ref="D-1"))["order"]["order_ref"] == "D-1"
        fields = await agent.does("get_graphql_operations", search="findOrder", per_page=1)
        assert fields["operations"]
        query = '{ findOrder(search: "D-1") { orders { order_ref } } }'
        assert (await agent.does("run_graphql_query", query=query))["data"]
        assert await agent.does("get_webhook_guide", event="order.created")
    assert within(cost, 5, 1900)
