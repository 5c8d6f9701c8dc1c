"""Tasks about tracking parcels."""

from tests.agents.agent_world import AgentWorld

SCAN = {"occurred_at": "2026-06-10T12:00:00Z", "status_code": "in_transit", "source": {"type": "carrier", "name": "X"}}


async def test_track_a_parcel_without_a_token_in_the_recipients_language(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent(None, language="fr") as french, world.agent(None, language="zh-TW") as chinese:
        one = await french.does("track_package", number=order.tracking_number)
        other = await chinese.does("track_package", number=order.tracking_number)
    assert one["status"] == other["status"]
    assert len({one["status_description"], other["status_description"]}) == 2


async def test_an_unknown_number_is_explained(world: AgentWorld) -> None:
    async with world.agent(None, language="de") as agent:
        told = await agent.is_refused("track_package", number="HL0000")
    assert (told["code"], told["message"]) == ("NOT_FOUND", "Nicht gefunden: Nummer HL0000.")


async def test_return_a_parcels_history_in_a_shop_format(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent(None) as agent:
        plain = await agent.does("otep_tracking", tracking_number=order.tracking_number)
        epcis = await agent.does("otep_tracking", tracking_number=order.tracking_number, format="epcis")
    assert (plain["format"], epcis["format"]) == ("otep", "epcis")
    assert plain["data"] != epcis["data"]


async def test_query_many_parcels_and_report_unknown_ones(world: AgentWorld) -> None:
    orders = [await world.order(order_ref=f"A-{number}") for number in range(3)]
    numbers = [order.tracking_number for order in orders]
    async with world.agent() as agent:
        told = await agent.does("get_operation_events", tracking_numbers=[*numbers, "HL0000"], order_refs=["A-0"])
    assert {one["tracking_number"] for one in told["trackings"]} == set(numbers)
    assert [error["tracking_number"] for error in told["errors"]] == ["HL0000"]


async def test_poll_only_for_new_events(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent() as agent:
        world.app.clock.forward(minutes=10)
        since = world.app.clock.now.isoformat()
        before = await agent.does("get_operation_events", order_ids=[order.id], since=since)
        world.app.clock.forward(minutes=10)
        await agent.does("cancel_order", order_id=order.id, confirm=True)
        after = await agent.does("get_operation_events", order_ids=[order.id], since=since)
    count = [sum(len(one["timeline"]["events"]) for one in told["trackings"]) for told in (before, after)]
    assert count[0] == 0 < count[1]


async def test_a_customer_tracks_their_own_order_by_reference(world: AgentWorld) -> None:
    await world.app.answer("customer", "create_order", {"consignee": _there(), "order_ref": "MINE"})
    async with world.agent("customer") as agent:
        told = await agent.does("otep_client_tracking", order_ref="MINE")
    async with world.agent("customer2") as stranger:
        refused = await stranger.is_refused("otep_client_tracking", order_ref="MINE")
    assert len(told["trackings"]) == 1
    assert refused["code"] == "NOT_FOUND"


async def test_describe_the_history_and_holder_of_an_order(world: AgentWorld) -> None:
    order = await world.order()
    await world.route(order.id)
    async with world.agent() as agent:
        story = await agent.does("order_snapshot", order_id=order.id)
    assert (story["order"]["status"], story["steps"]) == ("PLANNED", 2)
    assert story["last_step"]["step"] == "plan"


async def test_validate_and_fix_an_otep_payload(world: AgentWorld) -> None:
    wrong = {"profile": "parcel", "subject": {}, "events": [{**SCAN, "status_code": "in_orbit"}]}
    async with world.agent(None, server="developer") as agent:
        told = await agent.does("validate_otep_payload", timeline=wrong)
        assert (told["valid"], told["error_count"] > 0) == (False, True)
        mended = {
            "profile": "parcel",
            "otep_version": told["otep_version"],
            "subject": {"tracking_number": "HL1"},
            "events": [{**SCAN, "event_id": "e-1", "phase": "transit", "recorded_at": "2026-06-10T12:00:01Z"}],
        }
        again = await agent.does("validate_otep_payload", timeline=mended)
    assert (again["error_count"], again["errors"]) == (0, [])


async def test_read_the_protocol_guide_before_writing_a_payload(world: AgentWorld) -> None:
    async with world.agent(None, server="developer") as agent:
        guide = await agent.does("get_otep_guide")
    assert "in_transit" in guide["markdown"]


def _there() -> dict[str, object]:
    return {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
