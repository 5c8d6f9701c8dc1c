"""Customers collect orders at a depot with a pickup code."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.contexts.billing.ledger.makers import credit
from tests.contexts.identity.mailbox import received_mails
from tests.contexts.recipients.makers import MAILBOX, tell_recipients
from tests.contexts.shipping.examples import HERE
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import make_contact, make_depot, make_order, make_route, set_order, status_and_code

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.delivery_orders.rules.pickups import PickupState, pickup_state
from haulier.contexts.tracking.public import find_timelines

POSTAL_CODE = "M5V 2T6"


async def make_pickup(app: App, **words: Any) -> int:
    """Create an order that the customer collects."""
    consignee = make_contact(email=MAILBOX)
    return await make_order(app, consignee=consignee, pickup_depot_id=await make_depot(app), **words)


async def make_ready(app: App, **words: Any) -> int:
    """Create an order that is ready for pickup."""
    order_id = await make_pickup(app, **words)
    await app.answer("admin", "mark_ready_for_pickup", {"order_ids": [order_id]})
    return order_id


async def recipient_of(app: App, order_id: int) -> Any:
    """Return the delivery as its verified recipient sees it."""
    number = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order.tracking_number
    return (await app.answer(None, "open_delivery", {"number": number, "proof": POSTAL_CODE})).delivery


async def code_of(app: App, order_id: int) -> str:
    code: str = (await recipient_of(app, order_id)).pickup.code
    return code


def another(code: str) -> str:
    return f"{(int(code) + 1) % 10_000:04}"


async def hand_over(app: App, order_id: int, who: str = "admin", **words: Any) -> Any:
    return await app.call(who, "hand_over_pickup", {"order_id": order_id, **words})


async def shown(app: App, order_id: int) -> Any:
    return (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order


async def fulfilment(app: App, order_id: int) -> Any:
    return (await app.answer("admin", "list_fulfilments", {"order_id": order_id})).fulfilments[0]


async def pickups(app: App, who: str = "admin", **filters: Any) -> list[int]:
    return [each.order_id for each in (await app.answer(who, "list_pickups", filters)).pickups]


async def test_an_order_is_switched_made_ready_and_handed_over_by_its_code(app: App) -> None:
    order_id, depot_id = await make_order(app), await make_depot(app)
    await app.answer("admin", "switch_order_to_pickup", {"order_id": order_id, "depot_id": depot_id})
    waiting = await fulfilment(app, order_id)
    assert (waiting.method, waiting.status, waiting.pickup_depot) == ("customer_pickup", "waiting", "Main depot")
    assert (await recipient_of(app, order_id)).pickup.code is None
    await app.answer("admin", "mark_ready_for_pickup", {"order_ids": [order_id], "held_until": "2026-06-20"})
    ready = await fulfilment(app, order_id)
    assert (ready.status, str(ready.pickup_until)) == ("ready_for_pickup", "2026-06-20")
    handed = await hand_over(app, order_id, pickup_code=await code_of(app, order_id))
    assert handed.answer.order.status == "DELIVERED"
    assert [step.step for step in (await shown(app, order_id)).steps][-2:] == ["ready_for_pickup", "collect"]
    seen = await recipient_of(app, order_id)
    assert (seen.pickup.code, seen.proof.handed_to) == (None, "recipient")


async def test_the_timeline_shows_when_the_order_was_ready_and_collected(app: App) -> None:
    order_id = await make_ready(app)
    await hand_over(app, order_id, recipient="Grace Hopper")
    number = (await shown(app, order_id)).tracking_number
    async with app.database.read(app.clients["demo"]) as work:
        events = (await find_timelines(work, {number}))[number].events
    assert [event.status_code for event in events][-2:] == ["ready_for_collection", "delivered"]
    assert {event.location.address for event in events[-2:] if event.location} == {"1 Front St"}


async def test_an_order_is_created_for_pickup(app: App) -> None:
    order = await shown(app, await make_pickup(app))
    assert (order.fulfilment, order.pickup_ready_at) == ("customer_pickup", None)
    unknown = {"consignee": make_contact(), "pickup_depot_id": 999_999}
    refused = await app.call("admin", "create_order", unknown)
    assert (refused.error["code"], refused.error["errors"][0]["field"]) == ("INVALID_REQUEST", "pickup_depot_id")
    without = await app.call("admin", "create_order", {"consignee": make_contact(), "fulfilment": "customer_pickup"})
    assert status_and_code(without) == (422, "INVALID_REQUEST")


async def test_a_pickup_is_not_planned_offered_or_shipped(app: App) -> None:
    order_id = await make_pickup(app)
    await app.answer("admin", "open_carrier_account", {"carrier": "HOUSE", "name": "Van", "sender": HERE})
    depot_id = await make_depot(app)
    route_id = await make_route(app, depot_id=depot_id)
    planned = await app.answer("admin", "add_orders_to_route", {"route_id": route_id, "order_ids": [order_id]})
    assert [error.code for error in planned.errors] == ["ORDER_FOR_PICKUP"]
    given = {"order_ids": [order_id], "broker_id": app.ids["contractor"]}
    assert [each.code for each in (await app.answer("admin", "assign_orders_to_broker", given)).errors] == [
        "ORDER_FOR_PICKUP"
    ]
    offered = await app.call("admin", "offer_order_to_riders", {"order_id": order_id, "depot_id": depot_id})
    shipped = await app.call("admin", "ship_order", {"order_id": order_id})
    assert {status_and_code(offered), status_and_code(shipped)} == {(409, "ORDER_FOR_PICKUP")}
    assert order_id not in [each.id for each in (await app.answer("admin", "planning_pool")).orders]
    assert "plan" not in (await shown(app, order_id)).allowed_actions


async def test_only_a_waiting_order_is_switched(app: App) -> None:
    depot_id, order_id = await make_depot(app), await make_order(app)
    await make_route(app, depot_id=depot_id, order_ids=[order_id])
    routed = await app.call("admin", "switch_order_to_pickup", {"order_id": order_id, "depot_id": depot_id})
    assert status_and_code(routed) == (409, "ORDER_HAS_ROUTE")
    done = await make_order(app)
    await set_order(app, done, status=OrderStatus.DELIVERED.value)
    refused = await app.call("admin", "switch_order_to_pickup", {"order_id": done, "depot_id": depot_id})
    assert status_and_code(refused) == (409, "ORDER_STEP_REFUSED")


async def test_a_missed_delivery_is_collected_at_the_depot(app: App) -> None:
    order_id, depot_id = await make_order(app), await make_depot(app)
    await set_order(app, order_id, status=OrderStatus.FAILED.value, attempts=1)
    await app.answer("admin", "switch_order_to_pickup", {"order_id": order_id, "depot_id": depot_id})
    await app.answer("admin", "mark_ready_for_pickup", {"order_ids": [order_id]})
    handed = await hand_over(app, order_id, pickup_code=await code_of(app, order_id))
    assert handed.answer.order.status == "DELIVERED"


async def test_an_order_switched_back_is_planned_and_its_code_is_gone(app: App) -> None:
    order_id = await make_ready(app)
    await app.answer("admin", "switch_order_to_delivery", {"order_id": order_id})
    order = await shown(app, order_id)
    assert (order.fulfilment, order.pickup_depot_id, order.pickup_ready_at) == ("self_delivery", None, None)
    assert {"plan", "switch_to_pickup"} <= set(order.allowed_actions)
    number = {"tracking_number": order.tracking_number, "proof": MAILBOX}
    assert (await app.call(None, "show_delivery_pin", number)).status == 404
    again = await app.call("admin", "switch_order_to_delivery", {"order_id": order_id})
    assert status_and_code(again) == (409, "ORDER_NOT_FOR_PICKUP")


async def test_orders_that_cannot_be_ready_are_listed_in_the_answer(app: App) -> None:
    ready, other = await make_pickup(app), await make_order(app)
    answer = await app.answer("admin", "mark_ready_for_pickup", {"order_ids": [ready, other, 999_999]})
    assert answer.order_ids == [ready]
    assert [each.code for each in answer.errors] == ["ORDER_NOT_FOR_PICKUP", "NOT_FOUND"]
    past = await app.call("admin", "mark_ready_for_pickup", {"order_ids": [ready], "held_until": "2020-01-01"})
    assert status_and_code(past) == (422, "INVALID_REQUEST")


async def test_wrong_codes_are_counted_until_a_new_code_is_made(app: App) -> None:
    order_id = await make_ready(app)
    code = await code_of(app, order_id)
    for _ in range(5):
        assert status_and_code(await hand_over(app, order_id, pickup_code=another(code))) == (422, "PICKUP_CODE_WRONG")
    assert status_and_code(await hand_over(app, order_id, pickup_code=code)) == (409, "PICKUP_CODE_BLOCKED")
    await app.answer("admin", "renew_delivery_pin", {"order_id": order_id})
    assert (await hand_over(app, order_id, pickup_code=await code_of(app, order_id))).status == 200


async def test_a_dry_run_cannot_be_used_to_guess_a_code(app: App) -> None:
    order_id = await make_ready(app)
    code = await code_of(app, order_id)
    calls = [{"order_id": order_id, "pickup_code": said} for said in (code, another(code))]
    assert [(await app.call("admin", "hand_over_pickup", each, dry_run=True)).status for each in calls] == [200, 200]


async def test_a_hand_over_requires_a_code_or_an_identified_person(app: App) -> None:
    order_id = await make_ready(app)
    assert status_and_code(await hand_over(app, order_id)) == (422, "INVALID_REQUEST")
    assert (await hand_over(app, order_id, recipient="Grace Hopper")).status == 200
    assert (await recipient_of(app, order_id)).proof.recipient == "Grace Hopper"


async def test_an_order_that_is_not_ready_is_not_handed_over(app: App) -> None:
    order_id = await make_pickup(app)
    assert status_and_code(await hand_over(app, order_id, recipient="Ada")) == (409, "PICKUP_NOT_READY")
    delivered = await make_order(app)
    assert status_and_code(await hand_over(app, delivered, recipient="Ada")) == (409, "ORDER_NOT_FOR_PICKUP")


async def test_of_parallel_hand_overs_one_wins(app: App) -> None:
    order_id = await make_ready(app)
    code = await code_of(app, order_id)
    outcomes = await asyncio.gather(*(hand_over(app, order_id, pickup_code=code) for _ in range(4)))
    assert sorted(outcome.status for outcome in outcomes) == [200, 409, 409, 409]


async def test_a_parallel_plan_and_switch_do_not_both_succeed(app: App) -> None:
    depot_id, order_id = await make_depot(app), await make_order(app)
    route_id = await make_route(app, depot_id=depot_id)
    await asyncio.gather(
        app.call("admin", "add_orders_to_route", {"route_id": route_id, "order_ids": [order_id]}),
        app.call("admin", "switch_order_to_pickup", {"order_id": order_id, "depot_id": depot_id}),
    )
    order = await shown(app, order_id)
    assert (order.fulfilment == "customer_pickup") is not (order.status == "PLANNED")


async def test_a_handed_over_order_is_charged_like_a_delivery(app: App) -> None:
    order_id = await make_ready(app, customer_id=app.ids["customer"])
    await app.work_off()
    assert await credit(app) == (0, 0, 0)
    await hand_over(app, order_id, pickup_code=await code_of(app, order_id))
    await app.work_off()
    assert (await credit(app))[0] < 0


async def test_other_businesses_do_not_see_or_hand_over_a_pickup(app: App) -> None:
    order_id = await make_ready(app)
    assert await pickups(app, "rival") == []
    assert (await hand_over(app, order_id, "rival", recipient="Eve")).status == 404
    other = await app.answer("rival", "mark_ready_for_pickup", {"order_ids": [order_id]})
    assert [each.code for each in other.errors] == ["NOT_FOUND"]
    theirs = await make_depot(app, "rival")
    foreign = await app.call("admin", "switch_order_to_pickup", {"order_id": order_id, "depot_id": theirs})
    assert foreign.error["errors"][0]["field"] == "depot_id"


async def test_the_counter_finds_pickups_by_name_code_depot_and_state(app: App) -> None:
    preparing, ready = await make_pickup(app), await make_ready(app)
    depot_id = (await shown(app, ready)).pickup_depot_id
    assert set(await pickups(app)) == {preparing, ready}
    assert await pickups(app, state="ready") == [ready]
    assert await pickups(app, depot_id=depot_id) == [ready]
    assert set(await pickups(app, search="Lovelace")) == {preparing, ready}
    assert await pickups(app, search=await code_of(app, ready)) == [ready]
    app.clock.forward(days=8)
    assert (await pickups(app, state="overdue"), await pickups(app, state="ready")) == ([ready], [])
    await hand_over(app, ready, recipient="Ada Lovelace")
    assert (await pickups(app, state="handed_over"), await pickups(app)) == ([ready], [preparing])


async def test_the_recipient_gets_depot_code_and_last_day(app: App) -> None:
    await tell_recipients(app)
    order_id = await make_ready(app)
    await app.work_off()
    code = await code_of(app, order_id)
    (message,) = await received_mails(app, MAILBOX)
    assert message.subject == "Your parcel is ready for pickup"
    for words in ("Main depot, 1 Front St", code, "2026"):
        assert words in message.text


async def test_a_new_code_is_sent_and_the_hand_over_confirmed(app: App) -> None:
    await tell_recipients(app)
    order_id = await make_ready(app)
    await app.answer("admin", "renew_delivery_pin", {"order_id": order_id})
    await hand_over(app, order_id, pickup_code=await code_of(app, order_id))
    await app.work_off()
    messages = (await app.answer("admin", "list_order_messages", {"order_id": order_id})).messages
    assert [each.message for each in messages] == ["ready_for_pickup", "ready_for_pickup", "delivered"]


@for_every(
    ("status", "ready", "until", "expected"),
    [
        (OrderStatus.NEW_ORDER, False, None, PickupState.PREPARING),
        (OrderStatus.NEW_ORDER, True, 0, PickupState.READY),
        (OrderStatus.HOLD, True, -1, PickupState.OVERDUE),
        (OrderStatus.DELIVERED, True, -1, PickupState.HANDED_OVER),
        (OrderStatus.CANCELLED, True, 1, PickupState.CANCELLED),
    ],
)
def test_the_state_follows_from_order_and_day(
    status: OrderStatus, ready: bool, until: int | None, expected: PickupState
) -> None:
    now = datetime(2026, 6, 10, tzinfo=UTC)
    last = None if until is None else now.date() + timedelta(days=until)
    assert pickup_state(status, now if ready else None, last, now.date()) is expected
