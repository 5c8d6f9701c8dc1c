"""Contractor answers by a deadline, and daily capacity."""

from typing import Any

from tests.support.app import App
from tests.support.transport import DAY, make_depot, make_order, make_route

SOON = "2026-06-10T16:00:00Z"


async def ask(app: App, *order_ids: int, **words: Any) -> Any:
    asked = {"order_ids": list(order_ids), "broker_id": app.ids["contractor"], **words}
    return await app.answer("admin", "assign_orders_to_broker", asked)


async def the_assignment(app: App, order_id: int) -> Any:
    listed = await app.answer("admin", "list_broker_order_assignments", {"order_id": order_id})
    return listed.assignments[0]


async def test_an_order_accepted_by_the_contractor_stays_with_them(app: App) -> None:
    order_id = await make_order(app)
    await ask(app, order_id, respond_by=SOON)
    asked = await the_assignment(app, order_id)
    assert (asked.status, asked.respond_by.isoformat(), asked.accepted_at) == (
        "active",
        "2026-06-10T12:00:00-04:00",
        None,
    )
    said = await app.rest("contractor", "POST", "/v1/broker-order-assignments/accept", {"order_ids": [order_id]})
    assert said.json() == {"result": True, "answered": 1, "skipped": 0, "errors": []}
    app.clock.forward(hours=3)
    await app.work_off()
    kept = await the_assignment(app, order_id)
    assert (kept.status, kept.accepted_at is not None) == ("active", True)


async def test_a_declined_order_is_released_with_the_reason(app: App) -> None:
    order_id = await make_order(app)
    await ask(app, order_id, respond_by=SOON)
    await app.answer("contractor", "decline_broker_order_assignments", {"order_ids": [order_id], "reason": "no van"})
    ended = await the_assignment(app, order_id)
    assert (ended.status, ended.end_reason) == ("released", "declined: no van")
    assert [each.order_id for each in (await app.answer("admin", "planning_pool", {})).orders] == [order_id]


async def test_an_unanswered_order_is_released_at_the_deadline_unless_it_is_on_a_route(app: App) -> None:
    silent, planned = await make_order(app), await make_order(app)
    await ask(app, silent, planned, respond_by=SOON)
    depot_id = await make_depot(app)
    await make_route(app, "contractor", [planned], depot_id=depot_id)
    app.clock.forward(hours=2)
    late = await app.answer("contractor", "accept_broker_order_assignments", {"order_ids": [silent]})
    assert [(each.order_id, each.code) for each in late.errors] == [(silent, "ASSIGNMENT_TOO_LATE")]
    await app.work_off()
    ended = await the_assignment(app, silent)
    assert (ended.status, ended.end_reason, ended.ended_by) == ("released", "expired", None)
    assert (await the_assignment(app, planned)).status == "active"


async def test_another_contractors_order_is_not_found(app: App) -> None:
    order_id = await make_order(app)
    await ask(app, order_id, respond_by=SOON)
    for operation in ("accept_broker_order_assignments", "decline_broker_order_assignments"):
        said = await app.answer("contractor2", operation, {"order_ids": [order_id]})
        assert [each.code for each in said.errors] == ["NOT_ASSIGNED_TO_YOU"]


async def test_a_full_day_refuses_each_further_order_individually(app: App) -> None:
    first, second, third, other_day = [
        await make_order(app, scheduled_date=day) for day in (DAY, DAY, DAY, "2026-06-11")
    ]
    capacity = {"contractor_id": app.ids["contractor"], "orders_per_day": 2}
    await app.answer("admin", "set_contractor_capacity", capacity)
    await ask(app, first)
    result = await ask(app, second, third, other_day)
    assert [(each.order_id, each.code) for each in result.errors] == [(third, "ORDER_OVER_CAPACITY")]
    assert result.assigned == 2
    await app.answer("admin", "set_contractor_capacity", {**capacity, "orders_per_day": None})
    assert (await ask(app, third)).assigned == 1


async def test_a_contractor_can_print_only_labels_of_their_own_orders(app: App) -> None:
    theirs, other = await make_order(app), await make_order(app)
    await ask(app, theirs)
    assert (await app.rest("contractor", "GET", f"/v1/orders/{theirs}/label")).status_code == 200
    assert (await app.rest("contractor", "GET", f"/v1/orders/{other}/label")).status_code == 404
