"""Tasks about routes and drivers."""

from tests.agents.agent_world import AgentWorld

TODAY = "2026-06-10"


async def test_describe_a_drivers_day(world: AgentWorld) -> None:
    orders = [await world.order() for _ in range(3)]
    route = await world.route(*(order.id for order in orders))
    async with world.agent() as agent:
        (dan,) = (await agent.does("get_drivers", search="Dan"))["drivers"]
        today = await agent.does("get_driver_routes_today", driver_id=dan["id"])
    assert (today["day"], [one["id"] for one in today["routes"]]) == (TODAY, [route.id])


async def test_find_a_route_of_a_day_and_read_its_stops_in_order(world: AgentWorld) -> None:
    orders = [await world.order() for _ in range(3)]
    await world.route(*(order.id for order in orders))
    async with world.agent() as agent:
        (found,) = (await agent.does("get_routes", day=TODAY))["routes"]
        detail = (await agent.does("get_route_detail", route_id=found["id"]))["route"]
    assert len(detail["stops"]) == 3


async def test_a_drivers_agent_sees_only_the_drivers_own_route(world: AgentWorld) -> None:
    order = await world.order()
    route = await world.route(order.id)
    async with world.agent("driver") as mine, world.agent("driver2") as other:
        assert (await mine.does("get_routes"))["total"] == 1
        told = await other.is_refused("get_route_detail", route_id=route.id)
    assert told["code"] == "NOT_FOUND"


async def test_list_orders_not_yet_on_a_route(world: AgentWorld) -> None:
    planned, waiting = await world.order(order_ref="on"), await world.order(order_ref="off")
    await world.route(planned.id)
    async with world.agent() as agent:
        listed = await agent.does("get_orders", status="NEW_ORDER")
    assert [one["id"] for one in listed["orders"]] == [waiting.id]


async def test_list_the_inputs_for_building_routes(world: AgentWorld) -> None:
    await world.order()
    planned = await world.order()
    await world.route(planned.id)
    async with world.agent() as agent:
        options = await agent.does("get_build_route_options", day=TODAY)
    assert (len(options["depots"]), len(options["drivers"])) == (1, 1)
