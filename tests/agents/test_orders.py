"""Tasks about orders: create, find and change them."""

from tests.agents.agent_world import KING_ST, QUEEN_ST, AgentWorld

AFTERNOON = {"window_start": "2026-06-11T17:00:00Z", "window_end": "2026-06-11T19:00:00Z"}
AFTERNOON_IN_TORONTO = ("2026-06-11T13:00:00-04:00", "2026-06-11T15:00:00-04:00")
"""The same, as the business reads it."""


async def test_create_an_order_and_return_its_tracking_number(world: AgentWorld) -> None:
    async with world.agent() as agent:
        taken = await agent.does("create_order", consignee=QUEEN_ST, order_ref="A-1", packages=[{"weight_g": 1200}])
        shown = await agent.does("track_package", number=taken["order"]["tracking_number"])
    assert ("existing" in taken, shown["delivered"]) == (False, False)


async def test_creating_an_order_twice_by_mistake_creates_one(world: AgentWorld) -> None:
    async with world.agent() as agent:
        first = await agent.does("create_order", consignee=QUEEN_ST, order_ref="A-1")
        again = await agent.does("create_order", consignee=QUEEN_ST, order_ref="A-1")
        listed = await agent.does("get_orders", order_ref="A-1")
    assert (again["existing"], again["order"]["id"], listed["total"]) == (True, first["order"]["id"], 1)


async def test_repeat_a_timed_out_call_with_the_same_key(world: AgentWorld) -> None:
    async with world.agent(key="call-1") as agent:
        first = await agent.does("create_order", consignee=QUEEN_ST)
        again = await agent.does("create_order", consignee=QUEEN_ST)
    async with world.agent() as agent:
        listed = await agent.does("get_orders")
    assert (again["order"]["id"], listed["total"]) == (first["order"]["id"], 1)


async def test_fix_an_invalid_order(world: AgentWorld) -> None:
    wrong = {**QUEEN_ST, "country": "Canada", "lat": 430}
    async with world.agent() as agent:
        told = await agent.is_refused("create_order", consignee=wrong, colour="red")
        assert {fault["field"] for fault in told["errors"]} == {"consignee.country", "consignee.lat", "colour"}
        mended = await agent.does("create_order", consignee={**wrong, "country": "CA", "lat": 43.65})
        shown = await agent.does("get_order_detail", order_id=mended["order"]["id"])
    assert shown["order"]["city"] == "Toronto"


async def test_find_a_customers_order_and_change_its_window(world: AgentWorld) -> None:
    await world.order(order_ref="A-7", consignee={**QUEEN_ST, "name": "Grace Hopper"})
    await world.order(order_ref="A-8")
    async with world.agent() as agent:
        (found,) = (await agent.does("find_order", search="Grace"))["orders"]
        moved = await agent.does("update_time_window_by_refs", order_refs=[found["order_ref"]], **AFTERNOON)
        shown = await agent.does("get_order_detail", order_id=found["id"])
    window = (shown["order"]["window_start"], shown["order"]["window_end"])
    assert (moved["changed"], window) == (1, AFTERNOON_IN_TORONTO)


async def test_change_the_windows_of_many_orders_and_report_failures(world: AgentWorld) -> None:
    await world.order(order_ref="A-1")
    gone = await world.order(order_ref="A-2")
    await world.app.answer("admin", "cancel_order", {"order_id": gone.id})
    async with world.agent() as agent:
        moved = await agent.does("update_time_window_by_refs", order_refs=["A-1", "A-2", "A-3"], **AFTERNOON)
    assert (moved["changed"], moved["skipped"], len(moved["outcomes"])) == (1, 2, 3)


async def test_a_window_that_ends_before_it_starts_is_refused(world: AgentWorld) -> None:
    order = await world.order(order_ref="A-1")
    backwards = {"window_start": AFTERNOON["window_end"], "window_end": AFTERNOON["window_start"]}
    async with world.agent() as agent:
        await agent.is_refused("update_time_window_by_refs", order_refs=["A-1"], **backwards)
        shown = await agent.does("get_order_detail", order_id=order.id)
    assert "window_start" not in shown["order"]  # what would be null is left out


async def test_leave_notes_for_the_driver_and_the_office(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent() as agent:
        await agent.does("update_delivery_instruction", order_id=order.id, delivery_instruction="Side door")
        await agent.does("update_order_note", order_id=order.id, note="Called twice")
        shown = (await agent.does("get_order_detail", order_id=order.id))["order"]
    assert (shown["delivery_instruction"], shown["note"]) == ("Side door", "Called twice")


async def test_hold_an_order_with_a_reason_and_release_it(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent() as agent:
        held = await agent.does("hold_order", order_id=order.id, reason="Paint is wet", confirm=True)
        assert held["order"]["status"] == "HOLD"
        released = await agent.does("release_order", order_id=order.id, confirm=True)
        story = await agent.does("order_snapshot", order_id=order.id)
    assert (released["order"]["status"], story["steps"]) == ("NEW_ORDER", 3)


async def test_ask_for_confirmation_before_cancelling(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent() as agent:
        told = await agent.is_refused("cancel_order", order_id=order.id)
        assert told["code"] == "CONFIRM_REQUIRED"
        gone = await agent.does("cancel_order", order_id=order.id, reason="Changed their mind", confirm=True)
    assert gone["order"]["status"] == "CANCELLED"


async def test_a_finished_order_cannot_be_held(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent() as agent:
        await agent.does("cancel_order", order_id=order.id, confirm=True)
        told = await agent.is_refused("hold_order", order_id=order.id, confirm=True)
        shown = await agent.does("get_order_detail", order_id=order.id)
    assert told["code"] != "INTERNAL_ERROR"
    assert "hold" not in shown["order"]["allowed_actions"]


async def test_reroute_an_order_to_another_address(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent() as agent:
        moved = await agent.does("reroute_to_address", order_id=order.id, address=KING_ST, confirm=True)
        before = await agent.does("get_order_detail", order_id=order.id)
    assert (moved["cancelled_order_id"], moved["order"]["address"]) == (order.id, KING_ST["address"])
    assert before["order"]["status"] == "CANCELLED"


async def test_list_held_orders_in_pages(world: AgentWorld) -> None:
    for number in range(5):
        order = await world.order(order_ref=f"H-{number}")
        await world.app.answer("admin", "hold_order", {"order_id": order.id})
    await world.order(order_ref="free")
    seen: list[str] = []
    async with world.agent() as agent:
        for page in (1, 2, 3):
            answer = await agent.does("get_orders", status="HOLD", page=page, per_page=2)
            seen += [order["order_ref"] for order in answer["orders"]]
    assert (answer["total"], sorted(seen)) == (5, [f"H-{number}" for number in range(5)])


async def test_quote_a_delivery_before_ordering_it(world: AgentWorld) -> None:
    places = {"shipper": {"lat": 43.65, "lng": -79.38}, "consignee": {"lat": 43.7, "lng": -79.4}}
    async with world.agent() as agent:
        quoted = await agent.does("quote_delivery", weight_g=2000, **places)
    assert quoted["rates"]
    assert quoted["distance_m"] > 5000


async def test_print_the_label_of_an_order(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent() as agent:
        printed = await agent.does("print_local_label", order_id=order.id)
    assert printed["data"]
    assert printed["labels"]
