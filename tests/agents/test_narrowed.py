"""Tasks for restricted agents: visible tools, error messages and who to ask."""

import pytest
from tests.agents.agent_world import QUEEN_ST, AgentWorld


async def test_an_anonymous_agent_sees_public_tools_and_is_asked_to_sign_in(world: AgentWorld) -> None:
    async with world.agent(None) as agent:
        assert agent.sees == {"describe_operation", "get_capabilities", "otep_tracking", "track_package"}
        told = await agent.does("get_capabilities", allowed=False)
    assert {one["code"] for one in told["capabilities"]} == {"UNAUTHENTICATED"}


async def test_a_narrowed_agent_gets_the_reason_and_the_missing_scope(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent(profile="support") as agent:
        assert "cancel_order" not in agent.sees
        refused = await agent.is_refused("cancel_order", order_id=order.id, confirm=True)
        told = await agent.does("get_capabilities", category="orders", allowed=False)
    (cancel,) = [one for one in told["capabilities"] if one["name"] == "cancel_order"]
    assert (refused["code"], cancel["code"], cancel["scopes"]) == ("SCOPE_NARROWED", "SCOPE_NARROWED", ["orders:write"])


async def test_the_same_agent_succeeds_with_the_suggested_profile(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent(profile="ops-write") as agent:
        done = await agent.does("cancel_order", order_id=order.id, confirm=True)
    assert done["order"]["status"] == "CANCELLED"


async def test_proposing_requires_the_permission_for_the_write(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent("employee", scopes="approvals:read,orders:read") as agent:
        told = await agent.is_refused("propose_write", tool="hold_order", arguments={"order_id": order.id})
    assert told["code"] == "SCOPE_NARROWED"


async def test_a_new_token_is_read_only_until_it_is_granted_more(world: AgentWorld) -> None:
    issued = await world.app.answer("admin", "issue_api_token", {"name": "agent"})
    world.app.tokens["new"] = issued.access_token
    async with world.agent("new", scopes="*") as agent:
        assert "get_orders" in agent.sees
        told = await agent.is_refused("create_order", consignee=QUEEN_ST)
    assert told["code"] == "SCOPE_MISSING"


async def test_a_customers_agent_orders_for_the_customer_and_sees_only_their_orders(world: AgentWorld) -> None:
    other = await world.order()
    async with world.agent("customer") as agent:
        mine = await agent.does("create_order", consignee=QUEEN_ST)
        listed = await agent.does("get_orders")
        told = await agent.is_refused("get_order_detail", order_id=other.id)
    assert [one["id"] for one in listed["orders"]] == [mine["order"]["id"]]
    assert told["code"] == "NOT_FOUND"


async def test_a_competitors_agent_finds_nothing(world: AgentWorld) -> None:
    order = await world.order(order_ref="SECRET-1")
    async with world.agent("rival") as agent:
        found = await agent.does("find_order", search="SECRET-1")
        told = await agent.is_refused("order_snapshot", order_id=order.id)
    assert (found["orders"], told["code"]) == ([], "NOT_FOUND")


async def test_hidden_prices_are_absent_from_the_agents_responses(world: AgentWorld) -> None:
    hidden = {"customer_id": world.app.ids["customer"], "hidden": ["local_delivery"]}
    await world.app.answer("admin", "set_price_visibility", hidden)
    places = {"shipper": {"lat": 43.65, "lng": -79.38}, "consignee": {"lat": 43.7, "lng": -79.4}}
    async with world.agent("customer") as agent, world.agent() as office:
        blind = await agent.does("quote_delivery", weight_g=2000, **places)
        seeing = await office.does("quote_delivery", weight_g=2000, **places)
    assert all(rate.get("price_hidden") for rate in blind["rates"])
    assert not any(rate.get("price_hidden") for rate in seeing["rates"])


@pytest.mark.parametrize(("language", "same"), [("en", True), ("es-MX", False), ("zh-Hans-CN", False)])
async def test_refusals_are_in_the_users_language(world: AgentWorld, language: str, same: bool) -> None:
    order = await world.order()
    async with world.agent(language=language) as agent:
        told = await agent.is_refused("cancel_order", order_id=order.id)
    english = world.app.application.catalogues.translate("en", "confirm_required", operation="cancel_order")
    assert (told["message"] == english) is same


async def test_an_unknown_tool_is_an_error_that_names_it(world: AgentWorld) -> None:
    async with world.agent() as agent:
        with pytest.raises(Exception, match="drop_database"):
            await agent.is_refused("drop_database")
