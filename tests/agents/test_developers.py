"""Tasks of developers: find endpoints, read guides and query GraphQL."""

from tests.agents.agent_world import AgentWorld


async def test_find_the_endpoint_that_creates_an_order_and_its_arguments(world: AgentWorld) -> None:
    async with world.agent(None, server="developer") as agent:
        found = await agent.does("get_api_endpoints", search="orderCreate", method="POST", schemas=True)
    (one,) = [endpoint for endpoint in found["endpoints"] if endpoint["operation"] == "create_order"]
    assert "consignee" in one["schema"]["properties"]


async def test_find_the_graphql_field_and_run_it(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent(server="developer") as agent:
        listed = await agent.does("get_graphql_operations", search="trackingPublic", kind="query")
        (field,) = listed["operations"]
        query = f'{{ {field["name"]}(number: "{order.tracking_number}") {{ status }} }}'
        told = await agent.does("run_graphql_query", query=query)
    assert told["data"]["trackingPublic"]["status"]


async def test_a_mutation_is_refused_as_a_query(world: AgentWorld) -> None:
    async with world.agent(server="developer") as agent:
        told = await agent.is_refused("run_graphql_query", query="mutation { logout { result } }")
    assert told["code"] == "ONLY_QUERIES"


async def test_an_invalid_query_reports_its_position(world: AgentWorld) -> None:
    async with world.agent(server="developer") as agent:
        told = await agent.is_refused("run_graphql_query", query="{ nope }")
    assert "nope" in str(told)


async def test_a_query_without_the_scope_returns_null_and_the_reason(world: AgentWorld) -> None:
    async with world.agent(server="developer", profile="datasets-readonly") as agent:
        told = await agent.does("run_graphql_query", query="{ orders { total } }")
    assert (told["data"]["orders"], told["errors"][0]["extensions"]["code"]) == (None, "SCOPE_NARROWED")


async def test_follow_the_guide_from_sign_in_to_an_order(world: AgentWorld) -> None:
    async with world.agent(None, server="developer") as agent:
        guide = await agent.does("get_integration_guide")
    assert guide["steps"][0]["url"].endswith("/api/v1/user/login")
    assert len(guide["steps"]) >= 5


async def test_detect_an_outdated_skill_file(world: AgentWorld) -> None:
    async with world.agent(None, server="developer") as agent:
        old = await agent.does("check_skill_update", current_hash="0" * 32)
        new = await agent.does("check_skill_update", current_hash=old["hash"])
    assert (old["update_available"], new["update_available"]) == (True, False)


async def test_read_the_user_and_time_of_an_order_change(world: AgentWorld) -> None:
    order = await world.order()
    await world.app.answer("employee", "update_order_note", {"order_id": order.id, "note": "x"})
    async with world.agent(server="developer") as agent:
        told = await agent.does("get_order_audit_timeline", order_id=order.id)
    assert [entry["operation"] for entry in told["entries"]].count("update_order_note") == 1
